"""Elimination modulo a prime: what is not 0 there is not 0 at all, so a rank is never too high."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

PRIME = (1 << 31) - 1


class Minor(NamedTuple):
    """Rows and columns of a largest minor that is not 0; the columns are the earliest there are."""

    rows: np.ndarray
    columns: np.ndarray


def largest_minor(M: np.ndarray, prime: int = PRIME) -> Minor:
    """Of a matrix of integers, modulo a prime below 2^31.

    >>> largest_minor(np.array([[1, 2, 0], [2, 4, 0], [0, 0, 5]], dtype=object)).columns.tolist()
    [0, 2]
    """
    A = (np.asarray(M, dtype=object) % prime).astype(np.int64)
    order = np.arange(len(A))
    columns: list[int] = []
    for c in range(A.shape[1]):
        r = len(columns)
        below = np.flatnonzero(A[r:, c])
        if not len(below):
            continue
        k = r + int(below[0])
        A[[r, k], c:], order[[r, k]] = A[[k, r], c:], order[[k, r]]
        A[r, c:] = A[r, c:] * pow(int(A[r, c]), -1, prime) % prime
        hit = r + 1 + np.flatnonzero(A[r + 1 :, c])
        A[hit, c:] = (A[hit, c:] - A[hit, c][:, None] * A[r, c:] % prime) % prime
        columns.append(c)
        if len(columns) == len(A):
            break
    return Minor(order[: len(columns)], np.array(columns, dtype=np.intp))
