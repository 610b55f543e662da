"""Products of sparse rows with weights."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def sparse_scores(data, indices, indptr, w, a, b, s):
    for i in range(a, b):
        total = w[0]
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            total += data[p] * w[np.uint64(indices[p]) + np.uint64(1)]
        s[i] = total


@njit(cache=True, nogil=True)
def sparse_add(data, indices, indptr, u, a, b, g):
    for i in range(a, b):
        step = u[i]
        g[0] += step
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            g[np.uint64(indices[p]) + np.uint64(1)] += step * data[p]
