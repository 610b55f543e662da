"""Numbers that know a row by its entries, to find copies of rows wherever they are in a table.

    key(x) = Σ_j s(bits of x_j) · s(j + 1)  mod 2^64          s scrambles 64 bits, s(0) = 0

Integer sums are exact in any order, and zeros add nothing: a row has one key, whether dense or
sparse, in float32 or float64, alone or among others. That different rows have the same key is
possible, but as rare as 1 in 2^64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .blocks import SPARSE_ROWS, block_borders, borders, take_rows

SHIFT = np.uint64(32)
FACTORS = np.uint64(0xD6E8FEB86659FD93), np.uint64(0x9E3779B97F4A7C15)


def row_keys(X: Any) -> np.ndarray:
    """One uint64 a row of X (n, d), the same for rows with the same entries.

    >>> a, b, c = row_keys(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -0.0]]))
    >>> bool(a == c), bool(a == b)
    (True, False)
    """
    n, d = X.shape
    keys = np.zeros(n, dtype=np.uint64)
    if sp.issparse(X):
        for start, stop in borders(n, SPARSE_ROWS):
            keys[start:stop] = _sparse_keys(take_rows(X, start, stop))
        return keys
    columns = _scrambled(np.arange(1, d + 1, dtype=np.uint64))
    for start, stop in block_borders(n, d):
        keys[start:stop] = (_scrambled(_bits(X[start:stop])) * columns).sum(axis=1)
    return keys


def _sparse_keys(rows: Any) -> np.ndarray:
    columns = _scrambled(rows.indices.astype(np.uint64) + np.uint64(1))
    terms = _scrambled(_bits(rows.data)) * columns
    # Sums of pieces are differences of the running sum: exact, as it wraps around.
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms)])
    return sums[rows.indptr[1:]] - sums[rows.indptr[:-1]]


def _bits(values: np.ndarray) -> np.ndarray:
    return (values.astype(np.float64) + 0.0).view(np.uint64)  # −0 + 0 = 0


def _scrambled(bits: np.ndarray) -> np.ndarray:
    for factor in FACTORS:
        bits = (bits ^ (bits >> SHIFT)) * factor
    return bits ^ (bits >> SHIFT)
