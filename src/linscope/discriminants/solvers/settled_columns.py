"""Columns of a class that are constant, or so nearly that sums over all rows lose their digits.

A pass over the rows sums w z² and takes off W δ², z = x − origin. Where nearly all of that cancels,
the rows of the class are looked at by themselves: whether a column is constant is then a fact, not
a matter of rounding, and if it is not, its squares are summed without error about its mean.
"""

from __future__ import annotations

from dataclasses import replace
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from .moments import ClassMoments

# Sums of squares below this may have lost digits to underflow.
LEAST = 1e-290


def settle(
    moments: ClassMoments, X: Any, codes: np.ndarray, weight: np.ndarray | None, need: np.ndarray
) -> ClassMoments:
    """Moments of kind "squares" with the entries (class, column) of ``need`` taken afresh."""
    origin, offset, scatter = moments.origin.copy(), moments.offset.copy(), moments.scatter.copy()
    for j in np.flatnonzero(need.any(axis=0)).tolist():
        column = _column(X, j)
        unit = int(moments.exponent[j])
        for k in np.flatnonzero(need[:, j]).tolist():
            rows = codes == k
            w = np.ones(int(rows.sum())) if weight is None else weight[rows]
            origin[k, j], offset[k, j], scatter[k, j] = _moments(column[rows], w, unit, j)
    return replace(moments, origin=origin, offset=offset, scatter=scatter)


def constants(moments: ClassMoments, X: Any, codes: np.ndarray, need: np.ndarray):
    """(K, d) whether a class has one value only, and the moments with that as its mean.

    Looked for in the columns ``need``.
    """
    origin, offset = moments.origin.copy(), moments.offset.copy()
    out = np.zeros(origin.shape, dtype=bool)
    for j in np.flatnonzero(need).tolist():
        column = _column(X, j)
        for k in range(len(origin)):
            own = column[codes == k]
            out[k, j] = len(own) == 0 or own.min() == own.max()
            if len(own) and out[k, j]:
                origin[k, j], offset[k, j] = own[0], 0.0
    return out, replace(moments, origin=origin, offset=offset)


def _column(X: Any, j: int) -> np.ndarray:
    column = X[:, [j]].toarray() if sparse.issparse(X) else X[:, j]
    return np.asarray(column, dtype=np.float64).ravel()


def _moments(x: np.ndarray, w: np.ndarray, unit: int, j: int) -> tuple[float, float, float]:
    """Origin, offset and Σ w (x − m)² in units 4^unit."""
    if len(x) == 0 or x.min() == x.max():
        return float(x[0]) if len(x) else 0.0, 0.0, 0.0
    total = fsum(w.tolist())
    centre = float(np.clip(x.min() + fsum((w / total * (x - x.min())).tolist()), x.min(), x.max()))
    z = x - centre
    own = int(np.frexp(np.abs(z).max())[1])
    z = np.ldexp(z, -own)
    step = fsum((w * z).tolist()) / total
    squares = fsum((w * (z - step) ** 2).tolist())
    with np.errstate(under="ignore"):
        found = float(np.ldexp(squares, 2 * (own - unit)))
        plain = float(np.ldexp(squares / total, 2 * own))
    if found < LEAST and plain >= LEAST:
        raise ValueError(
            f"column {j} varies so much less in one class than in others that its squares leave "
            "the range of floats: scale the columns, or leave it out"
        )
    return centre, float(np.ldexp(step, own)), found
