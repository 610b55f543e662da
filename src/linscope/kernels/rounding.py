"""How far kernel values can be from the truth, and those from float32 features from float64.

    |fl(l·r) − l·r| ≤ (m + 4) u Σ|l_k r_k|      u = 2^−24 or 2^−53, m columns

The 4 stands for the rounding of the features themselves. The map from products to kernel values
multiplies that by its largest slope, and adds a few units of the last place of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .kernel_maps import EXP2, IDENTITY, POWER
from .tiles import FeatureTiles

UNIT, DOUBLE = 2.0**-24, 2.0**-53
# Units of the last place by which the maps round.
MAPS = 8.0
# Terms of second order.
MORE = 1.01


class Rounding(NamedTuple):
    """Bounds of the error of kernel values, and of |K|."""

    error: float
    most: float


def single_error(tiles: FeatureTiles) -> Rounding:
    """|K32 − K64| and |K| of all pairs of rows, at most.

    >>> from .tiles import make_tiles
    >>> bound = single_error(make_tiles(np.eye(3), "rbf", gamma=1.0, dtype=np.float64))
    >>> 1e-7 < bound.error < 1e-5, bound.most
    (True, 1.0)
    """
    with np.errstate(over="ignore"):
        size = _largest_sum(tiles)
        off = MORE * (tiles.right.shape[1] + 4) * UNIT * size
        if tiles.code == IDENTITY:
            return Rounding(off, size)
        if tiles.code == POWER:
            p = tiles.degree
            most = size**p
            slope = p * (MORE * size) ** max(p - 1, 0)
            return Rounding(slope * off + MAPS * (p + 1) * UNIT * most, most)
        # 2^t ≤ 1 with slope ≤ ln 2; tanh(t·ln 2/2) ≤ 1 with slope ≤ ln 2/2
        return Rounding(float(np.expm1(off * np.log(2.0))) + MAPS * UNIT, 1.0)


# 2^t with t ≤ 0: an error e of t·ln 2 is one of e·2^t. Differences have an error in proportion to
# t itself, and x·2^−x ln 2 is at most 0.37.
def gaussian_rounding(size: float | None, d: int) -> Rounding:
    """Of float64 values, for γ‖x‖² of at most ``size``; None if differences are summed."""
    own = MAPS * DOUBLE
    if size is None:
        return Rounding(0.37 * MORE * (d + 8) * DOUBLE + own, 1.0)
    with np.errstate(over="ignore"):
        return Rounding(float(np.expm1(4.0 * MORE * (d + 10) * DOUBLE * size)) + own, 1.0)


def product_rounding(kernel: str, size: float, d: int, degree: int = 1) -> Rounding:
    """For |γ x·z + c0| of at most ``size``."""
    off = MORE * (d + 8) * DOUBLE * size
    if kernel == "linear":
        return Rounding(off, size)
    if kernel == "sigmoid":
        return Rounding(off + MAPS * DOUBLE, 1.0)
    with np.errstate(over="ignore"):
        most = float(np.float64(MORE * size) ** degree)
        slope = degree * float(np.float64(MORE * size) ** max(degree - 1, 0))
    return Rounding(slope * off + MAPS * (degree + 1) * DOUBLE * most, most)


def _largest_sum(tiles: FeatureTiles) -> float:
    """max Σ|l_k r_k| over all pairs, by the inequality of Cauchy and Schwarz."""
    if tiles.code == EXP2:
        # s|x·z| + |a(x)| + |a(z)| with a(x) = −½s‖x‖²
        return 4.0 * float(np.abs(tiles.right[:, -1]).max(initial=0.0))
    squares = float(np.einsum("ij,ij->i", tiles.right, tiles.right).max(initial=0.0))
    return abs(tiles.scale) * squares + abs(tiles.constant)
