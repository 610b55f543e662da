"""Scores w·x + b of floats whose signs are exactly right, ties included.

Plain floats decide wherever a score is beyond its rounding; then sums that cannot round (whole
numbers below 2⁵³, in some power of two); then sums that keep what rounding loses; then integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from linscope.arithmetic.enclosures import dense, scores
from linscope.arithmetic.rational import as_integers, clear_denominators, times_powers

# Rows that are worked out in integers at a time, and from how many on equal ones are found first.
CHUNK, FEW = 4096, 64


def signed_scores(X: Any, W: np.ndarray) -> np.ndarray:
    """w·x + b of each row: the true sign, and the value up to rounding.

    Parameters
    ----------
    X : array or CSR matrix (n, d) of finite floats
    W : d + 1 finite floats, bias first

    >>> X, W = np.array([[0.1, 0.2], [0.1, 0.4]]), np.array([-0.3, 1.0, 1.0])
    >>> signed_scores(X, W).tolist()  # 0.1 and 0.2 are floats a little above their names
    [2.7755575615628914e-17, 0.2]
    """
    W = np.asarray(W, dtype=np.float64)
    if not W.any():
        return np.zeros(X.shape[0])
    rough = scores(X, W)
    out = rough.mid[:, 0]
    doubtful = np.flatnonzero(~(np.abs(out) > rough.rad[:, 0]))
    if len(doubtful):
        out[doubtful] = _settled(X[doubtful], W)
    return out


def settled_scores(X: Any, W: np.ndarray) -> np.ndarray:
    """The same for rows whose plain scores say nothing."""
    W = np.asarray(W, dtype=np.float64)
    return _settled(X, W) if W.any() and X.shape[0] else np.zeros(X.shape[0])


def _settled(X: Any, W: np.ndarray) -> np.ndarray:
    if _cannot_round(X, W):
        return np.asarray(X @ W[1:]).ravel() + W[0]
    fine = scores(X, W, precise=True)
    out = fine.mid[:, 0]
    doubtful = np.flatnonzero(~(np.abs(out) > fine.rad[:, 0]))
    out[doubtful] = _by_integers(X[doubtful], W)
    return out


def rounded_scores(X: Any, W: np.ndarray) -> np.ndarray:
    """w·x + b of each row, rounded once; 0 only for 0, and the largest float instead of ∞.

    >>> rounded_scores(np.array([[1e200, 1.0]]), np.array([1.0, 0.0, -2.0**-60])).tolist()
    [1.0]
    """
    W = np.asarray(W, dtype=np.float64)
    if not W.any() or not X.shape[0]:
        return np.zeros(X.shape[0])
    return np.asarray(X @ W[1:]).ravel() + W[0] if _cannot_round(X, W) else _by_integers(X, W)


def _cannot_round(X: Any, W: np.ndarray) -> bool:
    """Whether X has whole numbers only, so small that no partial sum needs more than 53 bits."""
    values = X.data if sparse.issparse(X) else X
    if not (values == np.rint(values)).all():
        return False
    mantissa, exponent = np.frexp(W[W != 0.0])
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = (exponent - 53 + np.frexp((whole & -whole).astype(np.float64))[1] - 1).min()
    largest = abs(X).max(axis=0)
    largest = np.asarray(largest.toarray() if sparse.issparse(X) else largest).ravel()
    with np.errstate(over="ignore", under="ignore"):
        reach = float(largest.astype(np.float64) @ np.abs(W[1:])) + abs(float(W[0]))
        return bool(lowest > -1000 and np.ldexp(reach, -int(lowest)) < 2.0**52)


def _by_integers(X: Any, W: np.ndarray) -> np.ndarray:
    """Exact values, rounded to floats that keep their signs."""
    out, weights = np.empty(X.shape[0]), [Fraction(v) for v in W.tolist()]
    for first in range(0, len(out), CHUNK):
        totals, unit = whole_scores(X[first : first + CHUNK], weights)
        out[first : first + CHUNK] = [_rounded(int(t) * unit) for t in totals]
    return out


def whole_scores(X: Any, v: Sequence[Fraction]) -> tuple[np.ndarray, Fraction]:
    """Integers t and a unit q > 0 with v·[1, x] = t q exactly; equal rows are worked out once.

    Parameters
    ----------
    X : array or CSR matrix (n, d) of finite floats
    v : d + 1 fractions, bias first
    """
    used = [j for j in range(1, len(v)) if v[j]]
    block = dense(X[:, [j - 1 for j in used]])
    block, back = distinct(block) if len(block) > FEW else (block, slice(None))
    M, e = as_integers(block)
    terms = times_powers([v[j] for j in used], e)
    whole, common = clear_denominators([v[0], *terms])
    totals = np.full(len(block), whole[0], dtype=object)
    if used:
        totals = totals + M @ np.array(whole[1:], dtype=object)
    return totals[back], Fraction(1, common)


def distinct(block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(rows, back) with block = rows[back]; a key finds (nearly all of) the equal rows."""
    key = np.zeros(len(block))
    with np.errstate(over="ignore", invalid="ignore"):
        factors = 0.5 + np.random.default_rng(0).random((block.shape[1],))
        for j in range(block.shape[1]):
            key += block[:, j] * factors[j]
    _, first, back = np.unique(key, return_index=True, return_inverse=True)
    odd = np.flatnonzero((block != block[first[back]]).any(axis=1))
    back[odd] = len(first) + np.arange(len(odd))
    return block[np.concatenate([first, odd])], back


def _rounded(value: Fraction) -> float:
    """The nearest float, but 0 only for 0, and never ∞."""
    info = np.finfo(np.float64)
    try:
        near = abs(float(value))
    except OverflowError:
        near = np.inf
    size = min(max(near, float(info.smallest_subnormal)), float(info.max))
    return 0.0 if value == 0 else size if value > 0 else -size
