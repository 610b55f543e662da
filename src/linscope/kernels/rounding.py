"""How far kernel values from float32 features can be from those of float64.

    |fl(l·r) − l·r| ≤ (m + 4) u Σ|l_k r_k|      u = 2^−24, m columns

The 4 stands for the rounding of the features themselves. The map from products to kernel values
multiplies that by its largest slope, and adds a few units of the last place of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .kernel_maps import EXP2, IDENTITY, POWER
from .tiles import FeatureTiles

UNIT = 2.0**-24
# Units of the last place by which the maps round.
MAPS = 8.0
# Terms of second order.
MORE = 1.01


class SingleError(NamedTuple):
    """Bounds of |K32 − K64| and of |K|."""

    error: float
    most: float


def single_error(tiles: FeatureTiles) -> SingleError:
    """The bounds for all pairs of rows.

    >>> from .tiles import make_tiles
    >>> bound = single_error(make_tiles(np.eye(3), "rbf", gamma=1.0, dtype=np.float64))
    >>> 1e-7 < bound.error < 1e-5, bound.most
    (True, 1.0)
    """
    with np.errstate(over="ignore"):
        size = _largest_sum(tiles)
        off = MORE * (tiles.right.shape[1] + 4) * UNIT * size
        if tiles.code == IDENTITY:
            return SingleError(off, size)
        if tiles.code == POWER:
            p = tiles.degree
            most = size**p
            slope = p * (MORE * size) ** max(p - 1, 0)
            return SingleError(slope * off + MAPS * (p + 1) * UNIT * most, most)
        # 2^t ≤ 1 with slope ≤ ln 2; tanh(t·ln 2/2) ≤ 1 with slope ≤ ln 2/2
        return SingleError(float(np.expm1(off * np.log(2.0))) + MAPS * UNIT, 1.0)


def _largest_sum(tiles: FeatureTiles) -> float:
    """max Σ|l_k r_k| over all pairs, by the inequality of Cauchy and Schwarz."""
    if tiles.code == EXP2:
        # s|x·z| + |a(x)| + |a(z)| with a(x) = −½s‖x‖²
        return 4.0 * float(np.abs(tiles.right[:, -1]).max(initial=0.0))
    squares = float(np.einsum("ij,ij->i", tiles.right, tiles.right).max(initial=0.0))
    return abs(tiles.scale) * squares + abs(tiles.constant)
