"""Learning curves beyond their last point.

A curve is taken for

    score(n) = a − b n^(−c),   b ≥ 0,  0.1 ≤ c ≤ 2,

with a no better than a perfect score (scores turned so that more is better). For each c the pair
(a, b) is found by least squares, so nothing can go astray; the c with the smallest residual is
kept. A curve that is not like that, by half the region of practical equality, is not continued.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..findings import LESS_IS_BETTER, Curve

LEAST_POINTS = 4
POWERS = np.linspace(0.1, 2.0, 39)


class Law(NamedTuple):
    """a − b (n / unit)^(−c)."""

    a: float
    b: float
    c: float
    unit: float
    residual: float

    def at(self, n: np.ndarray) -> np.ndarray:
        return self.a - self.b * (np.asarray(n, dtype=np.float64) / self.unit) ** -self.c


def fitted_law(sizes: np.ndarray, scores: np.ndarray, perfect: float) -> Law | None:
    """The law nearest to the points, or None if none is allowed by its limits."""
    unit = float(sizes[-1])
    best: Law | None = None
    for c in POWERS:
        terms = np.column_stack([np.ones(len(sizes)), -((sizes / unit) ** -c)])
        (a, b), *_ = np.linalg.lstsq(terms, scores, rcond=None)
        if b < 0 or a > perfect:
            continue
        residual = float(np.sqrt(np.mean((terms @ [a, b] - scores) ** 2)))
        if best is None or residual < best.residual:
            best = Law(float(a), float(b), float(c), unit, residual)
    return best


def overtaking(own: Curve, other: Curve, metric: str, rope: float, most: int) -> int | None:
    """Rows from which on ``other`` is better than ``own`` by more than the rope, or None.

    None, too, if it is so already, if it would take more than ``most`` rows, or if a curve is too
    short or too rough to be continued.
    """
    sign = -1.0 if metric in LESS_IS_BETTER else 1.0
    perfect = 0.0 if metric in LESS_IS_BETTER else 1.0
    laws = []
    for curve in (own, other):
        if len(curve.sizes) < LEAST_POINTS:
            return None
        law = fitted_law(np.asarray(curve.sizes), sign * np.asarray(curve.mean), perfect)
        if law is None or law.residual > rope / 2:
            return None
        laws.append(law)
    last = max(own.sizes[-1], other.sizes[-1])
    if most <= last or sign * (other.mean[-1] - own.mean[-1]) > rope:
        return None
    n = np.geomspace(last, most, 400)
    ahead = laws[1].at(n) - laws[0].at(n) > rope
    if ahead[0] or not ahead.any():
        return None
    return int(np.ceil(n[np.argmax(ahead)]))
