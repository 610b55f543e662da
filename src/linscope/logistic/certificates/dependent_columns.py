"""Columns that are, to the last digit, combinations of others: duplicates, full sets of indicators.

Such a column adds no direction, so a proof about the others is a proof about all. The Gram matrix
of some rows suggests the combination; equality on every row, in whole numbers or for a multiple of
one column by a power of two (neither rounds), decides. Columns that are combinations only up to
rounding are not dependent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from linscope.rows.blocks import Block

from ..solvers.multinomial import Frame, Multinomial

NOTHING_LEFT = 1e-10
ROUNDED = 1e-6
MOST_ROWS = 20_000
WHOLE = 2.0**31


def dependence(model: Multinomial) -> np.ndarray:
    """The columns to keep: those that are not combinations of the constant and earlier ones."""
    part = model.some(MOST_ROWS)
    p, first = model.frame.p, int(model.intercept)
    pivots = _pivots(part.at(np.zeros(model.shape)).information[:p, :p])
    kept = set(range(p))
    Z = part.engine.gather(_coordinates, part.frame)
    for j in np.setdiff1d(np.arange(first, p), pivots).tolist():
        share = np.linalg.lstsq(Z[:, pivots], Z[:, j], rcond=None)[0]
        if _is_combination(model, j, pivots, share):
            kept.remove(j)
    return np.array(sorted(kept))[first:] - first


def _pivots(gram: np.ndarray) -> np.ndarray:
    """Columns that are not combinations of earlier ones, by Cholesky's elimination."""
    left, kept = gram.copy(), []
    for j in range(len(gram)):
        if left[j, j] > NOTHING_LEFT * gram[j, j]:
            kept.append(j)
            left -= np.outer(left[:, j], left[j]) / left[j, j]
    return np.array(kept)


def _is_combination(model: Multinomial, j: int, kept: np.ndarray, share: np.ndarray) -> bool:
    """Whether column j of z is, on every row, the combination that the shares suggest."""
    frame, first = model.frame, int(model.intercept)
    size = np.r_[np.ones(first), frame.scale]
    shift = np.r_[np.zeros(first), frame.shift]
    factors = share * size[j] / size[kept]
    used = np.abs(factors * size[kept]) > ROUNDED * size[j]
    if first:
        factors[0] += shift[j] - factors[1:] @ shift[kept[1:]]
        used[0] = abs(factors[0]) > ROUNDED * max(size[j], abs(shift[j]))
    columns, factors = kept[used], factors[used]
    one = len(columns) == 1 and columns[0] >= first
    whole = np.rint(factors)
    if one:
        whole = np.copysign(np.exp2(np.rint(np.log2(np.abs(factors)))), factors)
    elif np.abs(factors - whole).max(initial=0.0) > ROUNDED or np.abs(whole).max(initial=0) > 1024:
        return False
    rows = model.engine.fold(_as_combined, j - first, columns - first, whole, not one)
    return rows == model.engine.n_rows


def _coordinates(block: Block, frame: Frame) -> np.ndarray:
    return frame.rows(block.X)


def _as_combined(block: Block, j: int, columns: np.ndarray, factors, only_whole: bool) -> int:
    """In how many rows column j is the combination, if need be of whole numbers; −1: the ones."""
    x = _column(block.X, j)
    others = [np.ones(len(x)) if k < 0 else _column(block.X, k) for k in columns]
    if only_whole and not all(_is_whole(column) for column in [x, *others]):
        return 0
    combined = sum((f * column for f, column in zip(factors, others, strict=True)), 0.0 * x)
    return int(np.sum(x == combined))


def _column(X: Any, j: int) -> np.ndarray:
    return X[:, [j]].toarray().ravel() if sparse.issparse(X) else X[:, j].astype(np.float64)


def _is_whole(column: np.ndarray) -> bool:
    return bool((np.abs(column) < WHOLE).all() and (column == np.rint(column)).all())
