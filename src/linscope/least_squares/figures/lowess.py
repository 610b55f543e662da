"""A smooth curve through a cloud of points: local lines, robust against outliers (lowess).

At each of some points a line is fitted to the nearest share of the points, with weights
(1 − (distance/largest)³)³. Then points with large residuals e lose weight,
(1 − (e/6·median|e|)²)², and the lines are fitted again.
"""

from __future__ import annotations

import numpy as np

PLACES, SHARE, ROUNDS, MOST_POINTS, FEWEST = 100, 2 / 3, 2, 2000, 10


def smooth(
    x: np.ndarray, y: np.ndarray, *, share: float = SHARE, rounds: int = ROUNDS
) -> tuple[np.ndarray, np.ndarray]:
    """The curve at up to 100 of the x; straight between them, so that gaps are bridged.

    Parameters
    ----------
    x, y : the points; of more than 2000 an even selection in the order of x is used
    share : of the points that each line is fitted to
    rounds : how often outliers are given less weight

    Returns
    -------
    places, curve : arrays of equal length; empty if x has fewer than ten different values
    """
    order = np.argsort(x, kind="stable")
    if len(order) > MOST_POINTS:
        order = order[np.linspace(0, len(order) - 1, MOST_POINTS).round().astype(np.intp)]
    x, y = x[order], y[order]
    different = np.unique(x)
    if len(different) < FEWEST:
        return np.zeros(0), np.zeros(0)
    chosen = np.linspace(0, len(different) - 1, min(PLACES, len(different)))
    places = different[np.unique(chosen.round().astype(np.intp))]
    nearest = _kernel(x, places, max(4, int(share * len(x) + 1e-10)))
    trust = np.ones(len(x))
    curve = _local_lines(x, y, places, nearest)
    for _ in range(rounds):
        e = np.abs(y - np.interp(x, places, curve))
        limit = 6 * float(np.median(e))
        if limit <= 0:
            break
        trust = np.maximum(1 - (e / limit) ** 2, 0.0) ** 2
        curve = _local_lines(x, y, places, nearest * trust)
    return places, curve


def _kernel(x: np.ndarray, places: np.ndarray, count: int) -> np.ndarray:
    """Tricube weights, one row per place; 0 beyond the ``count`` nearest points."""
    distance = np.abs(x - places[:, None])
    width = np.partition(distance, count - 1, axis=1)[:, count - 1]
    # Many equal x may all be nearest: widen to reach a second value.
    beyond = np.where(distance > 0, distance, np.inf).min(axis=1)
    width = np.where(width > 0, width, 1.5 * beyond)
    return np.maximum(1 - (distance / width[:, None]) ** 3, 0.0) ** 3


def _local_lines(
    x: np.ndarray, y: np.ndarray, places: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """The value at each place of the weighted least squares line there."""
    total = weight.sum(axis=1)
    total = np.where(total > 0, total, 1.0)
    x_mean, y_mean = weight @ x / total, weight @ y / total
    dx = x - x_mean[:, None]
    spread = np.einsum("ij,ij,ij->i", weight, dx, dx)
    slope = np.einsum("ij,ij,j->i", weight, dx, y)
    enough = spread > 1e-6 * total * np.ptp(x) ** 2
    slope = np.divide(slope, spread, out=np.zeros(len(places)), where=enough)
    return y_mean + slope * (places - x_mean)
