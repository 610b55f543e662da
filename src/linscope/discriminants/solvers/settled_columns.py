"""Columns of a class that are constant, or so nearly that sums over all rows lose their digits.

A pass over the rows sums w z² and takes off W δ², z = x − origin. Where nearly all of that cancels,
the rows of the class are looked at by themselves: whether a column is constant is then a fact, not
a matter of rounding, and if it is not, its squares are summed without error about its mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from linscope.engines import Engine
from linscope.rows.blocks import Block, Largest, Least

if TYPE_CHECKING:
    from .moments import ClassMoments

# Sums of squares below this may have lost digits to underflow.
LEAST, NORMAL = 1e-290, 2.0**-1022


class Centres(NamedTuple):
    """Means of columns by class, centre + 2^e step, and Σ w ((x − c)/2^e − s)^p of c, s and p."""

    varies: np.ndarray
    e: np.ndarray
    sums: Callable[..., np.ndarray]
    total: np.ndarray
    centre: np.ndarray
    step: np.ndarray


def fine_means(moments: ClassMoments, engine: Engine) -> ClassMoments:
    """Means in units of each class, where one unit for all classes makes small values 0."""
    columns = np.flatnonzero(moments.exponent)
    if not len(columns):
        return moments
    need = np.repeat(moments.weight[:, None] > 0, len(columns), axis=1)
    at = _centres(engine, columns, need)
    return _with(moments, columns, need, {"origin": at.centre, "offset": np.ldexp(at.step, at.e)})


def settle(moments: ClassMoments, engine: Engine, need: np.ndarray) -> ClassMoments:
    """Moments of kind "squares" with the entries (class, column) of ``need`` taken afresh.

    With z = (x − low)/2^e first, then z = (x − centre)/2^e:

        centre = low + 2^e Σ w z / W      step = Σ w z / W      S = 4^e Σ w (z − step)²
    """
    columns = np.flatnonzero(need.any(axis=0))
    need = need[:, columns]
    varies, e, sums, total, centre, step = _centres(engine, columns, need)
    squares = sums(centre, step, 2)
    with np.errstate(under="ignore"):
        scatter = np.ldexp(squares, 2 * (e - moments.exponent[columns]))
        lost = varies & (scatter < LEAST) & (np.ldexp(squares / total, 2 * e) >= NORMAL)
    if lost.any():
        raise ValueError(
            f"column {columns[lost.any(axis=0)][0]} varies so much less in one class than in "
            "others that its squares leave the range of floats: scale the columns, or leave it out"
        )
    found = {"origin": centre, "offset": np.ldexp(step, e), "scatter": scatter}
    return _with(moments, columns, need, found)


def _centres(engine: Engine, columns: np.ndarray, need: np.ndarray) -> Centres:
    zero = np.zeros(need.shape)
    low, high = _extremes(engine, columns, len(need))
    varies = need & (low < high)
    e = np.frexp(np.where(varies, high - low, 1.0))[1]
    sums = partial(engine.fold, _power_sums, columns, varies, e)
    total = np.where(varies, sums(low, zero, 0), 1.0)
    mean = np.ldexp(sums(low, zero, 1) / total, e)
    centre = np.where(varies, np.clip(low + mean, low, high), low)
    return Centres(varies, e, sums, total, centre, sums(centre, zero, 1) / total)


def constants(
    moments: ClassMoments, engine: Engine, need: np.ndarray
) -> tuple[np.ndarray, ClassMoments]:
    """(K, d) whether a class has one value only, and the moments with that as its mean.

    Looked for in the columns ``need``.
    """
    columns = np.flatnonzero(need)
    low, high = _extremes(engine, columns, len(moments.weight))
    out = np.zeros(moments.origin.shape, dtype=bool)
    out[:, columns] = low >= high  # without rows low = ∞
    found = {"origin": low, "offset": np.zeros_like(low)}
    return out, _with(moments, columns, low == high, found)


def _with(moments: ClassMoments, columns, which, found: dict[str, np.ndarray]) -> ClassMoments:
    """Moments with what was found in the entries ``which`` of the columns."""
    arrays = {name: getattr(moments, name).copy() for name in found}
    for name, array in arrays.items():
        array[:, columns] = np.where(which, found[name], array[:, columns])
    return replace(moments, **arrays)


def _extremes(engine: Engine, columns: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest value of each class in each column, (K, m)."""
    low, high = engine.fold(_block_extremes, columns, n_classes)
    return low.value, high.value


def _block_extremes(block: Block, columns: np.ndarray, n_classes: int) -> tuple[Least, Largest]:
    x = _columns(block, columns)
    low = np.full((n_classes, len(columns)), np.inf)
    high = -low
    for k in np.unique(block.y).tolist():
        own = x[block.y == k]
        low[k], high[k] = own.min(axis=0), own.max(axis=0)
    return Least(low), Largest(high)


def _power_sums(block: Block, columns, which, e, centre, step, power: int) -> np.ndarray:
    """Σ w ((x − centre)/2^e − step)^power of the entries ``which`` (K, m); rounded once a block."""
    x, out = _columns(block, columns), np.zeros(which.shape)
    for k in np.flatnonzero(which.any(axis=1)).tolist():
        own = block.y == k
        used = np.flatnonzero(which[k])
        z = np.ldexp(x[np.ix_(own, used)] - centre[k, used], -e[k, used])
        terms = (z - step[k, used]) ** power
        terms *= block.weight[own, None] if block.weighted else 1.0
        for j, column in zip(used.tolist(), terms.T.tolist(), strict=True):
            out[k, j] = fsum(column)
    return out


def _columns(block: Block, columns: np.ndarray) -> np.ndarray:
    x = block.X[:, columns]
    return np.asarray(x.toarray() if sparse.issparse(x) else x, dtype=np.float64)
