"""What one block of rows adds to the logistic objective: value, gradient, curvature.

For sparse rows the two products with X are one compiled pass: a row that was just read for its
score is still in the cache when it is added to the gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy import sparse

from linscope.losses.logistic_tiles import binary_pass, scratch, tile_terms
from linscope.losses.softmax import softmax_terms
from linscope.rows.blocks import Block
from linscope.rows.operations import TILE, as_rows
from linscope.rows.sparse_products import (
    columns_of,
    sparse_add,
    sparse_rows_add,
    sparse_rows_scores,
    sparse_scores,
)


def evaluate_block(block: Block, W, scores, curvature, residual) -> tuple[float, np.ndarray]:
    """Σ c f and its gradient; scores, curvature and residuals of the rows are written down."""
    here, X = block.rows, block.X
    c = block.weight
    S, R, D = scores[here], residual[here], curvature[here]
    if sparse.issparse(X):
        rows: Any = as_rows(X)
        G = np.zeros((W.shape[1], W.shape[0]))
        if W.shape[0] == 1:
            out = S.ravel(), R.ravel(), D  # views: there is one column
            loss = _binary_sparse_pass(
                rows.data, rows.indices, rows.indptr, W[0], block.y, c, *out, G.ravel()
            )
        else:
            loss = _softmax_sparse_pass(
                rows.data, rows.indices, rows.indptr, columns_of(W), block.y, c, S, D, R, G
            )
        return loss, G.T
    if W.shape[0] == 1:
        g = np.zeros(W.shape[1])
        values = as_rows(X)[0]
        loss = binary_pass(values, W[0], block.y, c, S.ravel(), R.ravel(), D, g)
        return loss, g[None, :]
    X = X.astype(np.float64, copy=False)
    np.matmul(X, W[:, 1:].T, out=S)
    S += W[:, 0]
    loss = softmax_terms(S, block.y, c, D, R)
    return loss, np.column_stack([R.sum(axis=0), R.T @ X])


@njit(cache=True, nogil=True)
def _binary_sparse_pass(data, indices, indptr, w, codes, c, s, residual, curvature, g):
    total, room = 0.0, scratch()
    for a in range(0, len(s), TILE):
        b = min(len(s), a + TILE)
        own = c[a:b] if len(c) else c
        sparse_scores(data, indices, indptr, w, a, b, s)
        total += tile_terms(s[a:b], codes[a:b], own, residual[a:b], curvature[a:b], room)
        sparse_add(data, indices, indptr, residual, a, b, g)
    return total


@njit(cache=True, nogil=True)
def _softmax_sparse_pass(data, indices, indptr, V, codes, c, S, P, residual, G):
    total = 0.0
    for a in range(0, len(S), TILE):
        b = min(len(S), a + TILE)
        own = c[a:b] if len(c) else c
        for i in range(a, b):
            sparse_rows_scores(data, indices, indptr, V, i, S[i])
        total += softmax_terms(S[a:b], codes[a:b], own, P[a:b], residual[a:b])
        for i in range(a, b):
            sparse_rows_add(data, indices, indptr, residual[i], i, G)
    return total
