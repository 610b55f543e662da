"""Columns that are exactly combinations of others: they change no minimum of an unpenalised fit.

Floats only suggest which columns may depend on others. Whole numbers decide: a vector that some
rows determine must give 0 on every row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse

from linscope.arithmetic.enclosures import dense
from linscope.arithmetic.rational import as_integers, null_space

# Tables of more numbers, or more suspects, are not looked at in whole numbers.
MOST_NUMBERS, MOST_COLUMNS, MOST_BITS = 400_000, 60, 4000
SUSPECT = 1e-7


def independent_columns(X: Any, intercept: bool) -> np.ndarray:
    """Numbers of columns that span all columns (with the constant, if there is a bias)."""
    kept = changing_columns(X, intercept)
    A = dense(X)
    suspects = _suspects(A[:, kept], intercept)
    if not len(suspects):
        return kept
    kept = _without_copies(A, kept)
    suspects = _suspects(A[:, kept], intercept)
    if not len(suspects) or A.size > MOST_NUMBERS or len(kept) > MOST_COLUMNS:
        return kept
    return _exactly(A, kept, suspects, intercept)


def changing_columns(X: Any, intercept: bool) -> np.ndarray:
    """Columns that are not constant; without a bias, those that are not 0."""
    low, high = X.min(axis=0), X.max(axis=0)
    if sparse.issparse(X):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    return np.flatnonzero((low < high) if intercept else (low != 0) | (high != 0))


def _scaled(A: np.ndarray, intercept: bool) -> np.ndarray:
    with np.errstate(all="ignore"):
        Z = A - A.mean(axis=0) if intercept else A
        size = np.sqrt(np.sum(np.square(Z / np.abs(Z).max(axis=0)), axis=0))
        return Z / np.abs(Z).max(axis=0) / size


def _suspects(A: np.ndarray, intercept: bool) -> np.ndarray:
    """Columns that are nearly combinations of the others, by a pivoted QR."""
    Z = _scaled(A, intercept)
    if A.shape[1] == 0 or not np.isfinite(Z).all():
        return np.zeros(0, dtype=int)
    R, order = linalg.qr(Z, mode="r", pivoting=True)
    diagonal = np.zeros(A.shape[1])
    diagonal[: min(R.shape)] = np.abs(np.diag(R))
    return np.sort(order[diagonal <= SUSPECT])


def _without_copies(A: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Without columns that are a power of two (or its negative) times an earlier one."""
    out, seen = [], set()
    for j in kept.tolist():
        column = A[:, j]
        lead = column[np.flatnonzero(column)[0]]
        mantissa, exponent = np.frexp(lead)
        with np.errstate(all="ignore"):
            scaled = np.ldexp(column, -int(exponent)) * np.sign(mantissa)
            back = np.ldexp(scaled * np.sign(mantissa), int(exponent))
        key = scaled.tobytes() if (back == column).all() else (j,)
        if key not in seen:
            seen.add(key)
            out.append(j)
    return np.array(out, dtype=int)


def _exactly(A, kept: np.ndarray, suspects: np.ndarray, intercept: bool) -> np.ndarray:
    """Leave out each suspect that is exactly a combination of those that stay."""
    sure = np.delete(kept, suspects)
    for j in kept[suspects].tolist():
        columns = np.r_[sure, j]
        if not _depends(A[:, columns], intercept):
            sure = np.sort(columns)
    return sure


def _depends(A: np.ndarray, intercept: bool) -> bool:
    """Whether the columns (and the constant) of A are linearly dependent, exactly."""
    full = np.column_stack([np.ones(len(A)), A]) if intercept else A
    some = full[_spanning_rows(full)]
    M, _ = as_integers(some)
    if max((int(v).bit_length() for v in M.ravel()), default=0) * M.shape[1] > MOST_BITS:
        return False
    whole, _ = as_integers(full)
    e_some, e_full = as_integers(some)[1], as_integers(full)[1]
    for vector in null_space(M):
        # Exponents of the two are not the same: x = M·2^e.
        low = min(a - b for a, b in zip(e_full, e_some, strict=True))
        weights = [
            int(v) << (b_full - b_some - low)
            for v, b_full, b_some in zip(vector, e_full, e_some, strict=True)
        ]
        if not (whole @ np.array(weights, dtype=object)).any():
            return True
    return False


def _spanning_rows(full: np.ndarray) -> np.ndarray:
    """Rows that determine a combination, and some more."""
    with np.errstate(all="ignore"):
        Z = full / np.abs(full).max(axis=0)
    count = min(len(full), full.shape[1])
    order = linalg.qr(Z.T, mode="r", pivoting=True)[1]
    return np.sort(order[:count])
