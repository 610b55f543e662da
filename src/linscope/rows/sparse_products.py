"""Products of sparse rows with weights."""

from __future__ import annotations

import numpy as np

from linscope._compiling import kernel


@kernel
def sparse_scores(data, indices, indptr, w, a, b, s):
    for i in range(a, b):
        total = w[0]
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            total += data[p] * w[np.uint64(indices[p]) + np.uint64(1)]
        s[i] = total


@kernel
def sparse_add(data, indices, indptr, u, a, b, g):
    for i in range(a, b):
        step = u[i]
        g[0] += step
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            g[np.uint64(indices[p]) + np.uint64(1)] += step * data[p]


def columns_of(W: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(W.T)


@kernel
def sparse_rows_scores(data, indices, indptr, V, i, s):
    K = V.shape[1]
    for k in range(K):
        s[k] = V[0, k]
    for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        j, x = np.uint64(indices[p]) + np.uint64(1), data[p]
        for k in range(K):
            s[k] += x * V[j, k]


@kernel
def sparse_rows_add(data, indices, indptr, u, i, G):
    K = G.shape[1]
    for k in range(K):
        G[0, k] += u[k]
    for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        j, x = np.uint64(indices[p]) + np.uint64(1), data[p]
        for k in range(K):
            G[j, k] += x * u[k]
