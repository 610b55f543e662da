"""XᵀDX of a block of rows: as a matrix, its diagonal, its products with vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from linscope._compiling import kernel

from .operations import REORDER, TILE, as_rows
from .scores import add_rows, add_scores
from .sparse_products import columns_of, sparse_rows_add, sparse_rows_scores


def product_block(X, V, D, c) -> np.ndarray:
    """∇²(Σ c f) V: the scores change by X V, the residuals by the curvature D times that.

    D is (rows,), or has the probabilities (K, rows) of more than two classes; c may be empty.
    """
    if sparse.issparse(X):
        rows: Any = as_rows(X)
        G = np.zeros((V.shape[1], V.shape[0]))
        if V.shape[0] == 1:
            _binary_sparse_product(rows.data, rows.indices, rows.indptr, V[0], D, G.ravel())
        else:
            _softmax_sparse_product(rows.data, rows.indices, rows.indptr, columns_of(V), D, c, G)
        return G.T
    if V.shape[0] == 1:
        g = np.zeros_like(V)
        _binary_dense_product(X, V[0], D, np.empty(len(X), V.dtype), g[0])
        return g.astype(np.float64, copy=False)
    T = V[:, 1:] @ X.T
    _softmax_curve(T, V[:, 0], D, c)
    return np.column_stack([T.sum(axis=1, dtype=np.float64), T @ X])


def hessian_block(X, variances, dtype) -> np.ndarray:
    """Σ v_k [1, x] [1, x]ᵀ of each class k, (classes, d + 1, d + 1).

    Of sparse rows only the lower triangles, which ``mirrored`` completes when all are added.
    """
    H = np.zeros((len(variances), X.shape[1] + 1, X.shape[1] + 1))
    for D, own in zip(variances, H, strict=True):
        if sparse.issparse(X):
            rows: Any = as_rows(X)
            _sparse_gram(rows.data, rows.indices, rows.indptr, D, own)
        else:
            _dense_gram(X, D, dtype, own)
    return H


def mirrored(H: np.ndarray) -> np.ndarray:
    """Whole matrices from their lower triangles, in place."""
    for own in H:
        own += np.tril(own, -1).T
    return H


def _dense_gram(X, D, dtype, H) -> None:
    H[0, 0] = D.sum()
    H[0, 1:] = H[1:, 0] = D @ X
    Z = np.empty(X.shape, dtype)
    _times_rows(X, np.sqrt(D), Z)
    H[1:, 1:] = Z.T @ Z


@kernel
def _times_rows(X, roots, Z):
    """Z = diag(roots) X in the type of Z, in a third of the time that NumPy takes to convert."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            Z[i, j] = X[i, j] * roots[i]


def diagonal_block(X, D) -> np.ndarray:
    """Σ v_k [1, x]² of each class k, (classes, d + 1); D are the v (classes, rows)."""
    out = np.zeros((len(D), X.shape[1] + 1))
    if sparse.issparse(X):
        rows: Any = as_rows(X)
        for k in range(len(D)):
            _sparse_squares(rows.data, rows.indices, rows.indptr, D[k], out[k])
        return out
    out[:, 0] = D.sum(axis=1)
    out[:, 1:] = D @ np.square(X, dtype=np.float64)
    return out


@kernel
def _binary_dense_product(X, v, curvature, s, g):
    """g = Σ D (v·[1, x]) [1, x], some rows at a time: they are in the cache when they come back."""
    for a in range(0, len(s), TILE):
        b = min(len(s), a + TILE)
        add_scores(X[a:b], v, s[a:b])
        for i in range(a, b):
            s[i] *= curvature[i]
        add_rows(X[a:b], s[a:b], g)


@kernel
def _binary_sparse_product(data, indices, indptr, v, curvature, g):
    for i in range(len(curvature)):
        total = v[0]
        first, last = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        for p in range(first, last):
            total += data[p] * v[np.uint64(indices[p]) + np.uint64(1)]
        total *= curvature[i]
        g[0] += total
        for p in range(first, last):
            g[np.uint64(indices[p]) + np.uint64(1)] += total * data[p]


@kernel(fastmath=REORDER)
def _curve_row(t, p):
    """t ← (diag(p) − p pᵀ) t."""
    mean = p[0] * t[0]
    for k in range(1, len(t)):
        mean += p[k] * t[k]
    for k in range(len(t)):
        t[k] = p[k] * (t[k] - mean)


@kernel
def _softmax_sparse_product(data, indices, indptr, V, P, c, G):
    t = np.empty(len(P))
    for i in range(P.shape[1]):
        sparse_rows_scores(data, indices, indptr, V, i, t)
        _curve_row(t, P[:, i])
        if len(c):
            for k in range(len(t)):
                t[k] *= c[i]
        sparse_rows_add(data, indices, indptr, t, i, G)


@kernel(fastmath=REORDER)
def _softmax_curve(T, bias, P, c):
    """T ← c (diag(p) − p pᵀ)(T + bias) of each sample; one row per class."""
    K, n = T.shape
    mean = np.empty(TILE, dtype=T.dtype)
    for a in range(0, n, TILE):
        m = min(n, a + TILE) - a
        for k in range(K):
            t, p, shift = T[k, a : a + m], P[k, a : a + m], bias[k]
            for i in range(m):
                t[i] += shift
            if k == 0:
                for i in range(m):
                    mean[i] = p[i] * t[i]
            else:
                for i in range(m):
                    mean[i] += p[i] * t[i]
        for k in range(K):
            t, p = T[k, a : a + m], P[k, a : a + m]
            for i in range(m):
                t[i] = p[i] * (t[i] - mean[i])
            if len(c):
                for i in range(m):
                    t[i] *= c[a + i]


@kernel
def _sparse_squares(data, indices, indptr, D, out):
    for i in range(len(D)):
        out[0] += D[i]
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            out[np.uint64(indices[p]) + np.uint64(1)] += D[i] * data[p] * data[p]


@kernel
def _sparse_gram(data, indices, indptr, D, H):
    """The lower triangle; the columns of a row need not be sorted."""
    one = np.uint64(1)
    for i in range(len(D)):
        H[0, 0] += D[i]
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j, x = np.uint64(indices[p]) + one, D[i] * data[p]
            H[j, 0] += x
            for q in range(np.uint64(indptr[i]), p + one):
                k = np.uint64(indices[q]) + one
                H[max(j, k), min(j, k)] += x * data[q]
