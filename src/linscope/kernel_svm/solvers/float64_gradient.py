"""The gradient g = Kβ − y of a kernel SVM from float64 kernel values, wherever it matters.

Samples with β ≠ 0 need K_SS β_S: every kernel value is worked out once and used twice. A sample
with β = 0 matters only if its margin y(s + b) may be below 1. For the Gaussian kernel float32 sums
tell for most samples that it is not:

    |s32 − s| ≤ ε Σ_j |β_j| K_j          ε: relative error of float32 kernel values and sums

Such a sample has no slack and no part in the objectives. Among all s within its bound it gets the
one that is worst for the proof.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from linscope.kernels.gaussian import ROWS as TILE_ROWS
from linscope.kernels.kernel_maps import EXP2, add_symmetric
from linscope.kernels.rounding import UNIT, single_error
from linscope.kernels.tiles import FeatureTiles, Tiles
from linscope.rows.blocks import borders
from linscope.rows.threads import Workers

from .dual_problem import bias

# Samples a task.
ROWS = 256
# The products of a tile are summed in float32, and the coefficients are float32 too.
SUMS = (TILE_ROWS + 32) * UNIT
# Float32 values below this are this.
LEAST = 2.0**-126


def proven_gradient(
    double: Tiles,
    single: Tiles,
    workers: Workers,
    beta: np.ndarray,
    y: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
) -> np.ndarray:
    """g of all samples; where it cannot matter, a bound against us.

    Parameters
    ----------
    double, single : kernel values of the samples in float64 and in float32
    beta, y, lower, upper : coefficients, labels and bounds
    """
    used, rest = np.flatnonzero(beta), np.flatnonzero(beta == 0.0)
    some = beta[used]
    g = -y.copy()
    g[used] += _own_products(double, used, some, workers)
    free = ((beta > lower) & (beta < upper))[used]
    if free.any() and isinstance(single, FeatureTiles) and single.code == EXP2:
        b = bias(g[used], some, lower[used], upper[used])
        s, error = _quick_products(single, used, some, rest, workers)
        far = y[rest] * (s + b) >= 1.0 + 2.0 * error
        g[rest[far]] += (s - y[rest] * error)[far]
        rest = rest[~far]
    g[rest] += _products(double, used, some, rest, workers)
    return g


def _own_products(tiles: Tiles, used: np.ndarray, some: np.ndarray, workers: Workers) -> np.ndarray:
    """K_SS β_S."""
    if not isinstance(tiles, FeatureTiles):
        return _products(tiles, used, some, used, workers)
    left, right = tiles.left[used], tiles.right[used]

    def rows(part: tuple[int, int]) -> np.ndarray:
        total = np.zeros(len(used))
        add_symmetric(left, right, tiles.code, tiles.degree, some, *part, total)
        return total

    return sum(workers.map(rows, borders(len(used), ROWS)), np.zeros(len(used)))


def _products(
    tiles: Tiles, used: np.ndarray, some: np.ndarray, rows: np.ndarray, workers: Workers
) -> np.ndarray:
    """Σ_j β_j K(x_j, x) at the samples ``rows``."""
    total = np.zeros(len(rows))
    add = partial(_add, tiles, used, some.astype(tiles.dtype), rows, total)
    list(workers.map(add, borders(len(rows), 2 * ROWS)))
    return total


def _add(tiles: Tiles, used, some, rows, total, part: tuple[int, int]) -> None:
    own = slice(*part)
    tiles.add_product(used, some, rows[own], total[own])


def _quick_products(
    tiles: FeatureTiles, used: np.ndarray, some: np.ndarray, rows: np.ndarray, workers: Workers
) -> tuple[np.ndarray, np.ndarray]:
    """The same from float32 values that are not negative, and a bound of its error."""
    up, down = some > 0.0, some < 0.0
    above = _products(tiles, used[up], some[up], rows, workers)
    below = _products(tiles, used[down], -some[down], rows, workers)
    relative = single_error(tiles).error + SUMS
    return above - below, relative * (above + below) + LEAST * float(np.abs(some).sum())
