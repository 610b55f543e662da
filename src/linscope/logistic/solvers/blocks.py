"""What one block of rows adds to the logistic objective: value, gradient, curvature.

The tasks that follow a pass find what it kept, ``Terms``, under the name of its point.

For sparse rows the two products with X are one compiled pass: a row that was just read for its
score is still in the cache when it is added to the gradient.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linscope._compiling import kernel
from linscope.losses.logistic_tiles import binary_pass, binary_terms
from linscope.losses.softmax import probabilities, softmax_terms
from linscope.rows.blocks import Block, Largest, Least, blind
from linscope.rows.curvature import diagonal_block, hessian_block, product_block
from linscope.rows.operations import TILE, as_rows
from linscope.rows.sparse_products import (
    columns_of,
    sparse_add,
    sparse_rows_add,
    sparse_rows_scores,
    sparse_scores,
)


class Terms(NamedTuple):
    """What a pass tells of each row.

    ``scores`` (rows, K) are W·[1, x]; ``curvature`` is
    c σ(1 − σ), (rows,), of two classes, and the probabilities (rows, K) of more.
    """

    scores: np.ndarray
    curvature: np.ndarray

    def probabilities(self) -> np.ndarray:
        """(rows, K), also of two classes."""
        return self.curvature if self.curvature.ndim == 2 else probabilities(self.scores)

    def residual(self, codes: np.ndarray, c: np.ndarray) -> np.ndarray:
        """c (p − e_y) of each row of weights, (rows, 1) or (rows, K)."""
        if self.curvature.ndim == 1:
            R = np.empty_like(self.scores)
            binary_terms(self.scores[:, 0], codes, c, R[:, 0], np.empty(len(R)))
            return R
        R, own = self.curvature.copy(), (np.arange(len(codes)), codes)
        R[own] = 0.0
        R[own] = -R.sum(axis=1)  # 1 − p_y without cancellation
        return R * c[:, None] if len(c) else R

    def variances(self, c: np.ndarray) -> np.ndarray:
        """c p_k (1 − p_k), (K, rows)."""
        if self.curvature.ndim == 1:
            return self.curvature[None, :]
        P = np.ascontiguousarray(self.curvature.T)
        D = P * (1.0 - P)
        return D * c if len(c) else D


def evaluate_block(block: Block, W: np.ndarray) -> tuple[Terms, tuple[float, np.ndarray]]:
    """The terms of the rows; Σ c f and its gradient."""
    X, c, n, K = block.X, block.weight, block.X.shape[0], W.shape[0]
    S, R = np.empty((n, K)), np.empty((n, K))
    D = np.empty(n) if K == 1 else np.empty((n, K))
    return Terms(S, D), _pass(X, W, block.y, c, S, R, D)


def _pass(X, W, codes, c, S, R, D) -> tuple[float, np.ndarray]:
    """Σ c f and its gradient; S, R and D are written."""
    if sparse.issparse(X):
        rows: Any = as_rows(X)
        G = np.zeros((W.shape[1], W.shape[0]))
        if W.shape[0] == 1:
            out = S.ravel(), R.ravel(), D  # views: there is one column
            loss = _binary_sparse_pass(
                rows.data, rows.indices, rows.indptr, W[0], codes, c, *out, G.ravel()
            )
        else:
            loss = _softmax_sparse_pass(
                rows.data, rows.indices, rows.indptr, columns_of(W), codes, c, S, D, R, G
            )
        return loss, G.T
    if W.shape[0] == 1:
        g = np.zeros(W.shape[1])
        values = as_rows(X)[0]
        loss = binary_pass(values, W[0], codes, c, S.ravel(), R.ravel(), D, g)
        return loss, g[None, :]
    X = X.astype(np.float64, copy=False)
    np.matmul(X, W[:, 1:].T, out=S)
    S += W[:, 0]
    loss = softmax_terms(S, codes, c, D, R)
    return loss, np.column_stack([R.sum(axis=0), R.T @ X])


def loss_between(block: Block, here: str, there: str, t: float) -> float:
    """Σ c f at scores t of the way from one point to another: no pass over the features."""
    first = block.kept[here].scores
    S = first + t * (block.kept[there].scores - first)
    spare, c = np.empty_like(S), block.weight
    if S.shape[1] == 1:
        return binary_terms(S[:, 0], block.y, c, spare[:, 0], np.empty(len(S)))
    return softmax_terms(S, block.y, c, np.empty_like(S), spare)


@blind
def least_score(block: Block, name: str) -> Least:
    return Least(float(np.abs(block.kept[name].scores).min(initial=np.inf)))


def sum_of_residuals(block: Block, name: str) -> float:
    """Σ |residual|, of more than two classes 2 Σ c (1 − p_y) with room for its rounding."""
    terms, c = block.kept[name], block.weight
    P = terms.curvature
    if P.ndim == 1:
        return float(np.abs(terms.residual(block.y, c)).sum())
    rest = P.sum(axis=1) - P[np.arange(len(P)), block.y] + 2.0**-50
    return 2.0 * float(rest @ c if len(c) else rest.sum())


def curvature_by_class(block: Block, name: str, dtype: Any) -> tuple[np.ndarray, float]:
    """Keeps the curvature as (rows,) or (K, rows) of the given type."""
    return np.ascontiguousarray(block.kept[name].curvature.T, dtype=dtype), 0.0


def rough_columns(block: Block) -> tuple[np.ndarray, float]:
    """Keeps the table in float32."""
    return block.X.astype(np.float32), 0.0


def curved(block: Block, curvature: str, table: str | None, V: np.ndarray) -> np.ndarray:
    """∇²(Σ c f) V, for a dense table in float32 if that is kept under the name ``table``."""
    X, D = block.X if table is None else block.kept[table], block.kept[curvature]
    D = D.curvature if isinstance(D, Terms) else D
    return product_block(X, V, D, block.weight.astype(V.dtype, copy=False))


def class_hessians(block: Block, name: str, most: int, dtype: Any) -> np.ndarray:
    """Σ c p (1 − p) [1, x][1, x]ᵀ of the first classes."""
    return hessian_block(block.X, block.kept[name].variances(block.weight)[:most], dtype)


def softmax_hessian(block: Block, name: str) -> np.ndarray:
    """Σ c (diag p − p pᵀ) ⊗ [1, x][1, x]ᵀ, (K, d + 1, K, d + 1)."""
    X, c, P = block.X, block.weight, block.kept[name].curvature
    A = np.ones((len(P), X.shape[1] + 1))
    A[:, 1:] = X.toarray() if sparse.issparse(X) else X
    roots = np.sqrt(c)[:, None] * P if len(c) else P
    K, p = P.shape[1], A.shape[1]
    B = (roots[:, :, None] * A[:, None, :]).reshape(len(P), K * p)
    H = -(B.T @ B).reshape(K, p, K, p)
    for k, variance in enumerate(block.kept[name].variances(c)):
        H[k, :, k, :] = (A * variance[:, None]).T @ A
    return H


def curvature_roots(block: Block, name: str) -> np.ndarray:
    """For each sample rows r, (n, K, K (d + 1)), with Σ r rᵀ = ∇²(Σ c f).

    What K > 2 classes have in common has no curvature: c/K² times that of squares is added.
    """
    A, c = np.ones((block.X.shape[0], block.X.shape[1] + 1)), block.weight
    A[:, 1:] = block.X.toarray() if sparse.issparse(block.X) else block.X
    P = block.kept[name].curvature
    if P.ndim == 1:
        return (np.sqrt(P)[:, None] * A)[:, None, :]
    roots = np.sqrt(P * c[:, None] if len(c) else P)
    K = P.shape[1]
    B = roots[:, :, None] * (np.eye(K) - P[:, None, :] + 1.0 / K)  # BᵀB = diag p − ppᵀ + 11ᵀ/K²
    return (B[:, :, :, None] * A[:, None, None, :]).reshape(len(P), K, -1)


def squares(block: Block, name: str) -> np.ndarray:
    """Σ c p (1 − p) [1, x]² of each class."""
    return diagonal_block(block.X, block.kept[name].variances(block.weight))


class Facts(NamedTuple):
    """Σ c of each class; the largest weight; entries in all, in one row at most, squares added."""

    totals: np.ndarray
    heaviest: Largest
    entries: int
    longest: Largest
    pairs: float


@blind
def class_totals(block: Block, n_classes: int) -> np.ndarray:
    """The weight of each class."""
    weight = block.weight if block.weighted else None
    return np.bincount(block.y, weight, n_classes).astype(np.float64)


@blind
def facts_of(block: Block, n_classes: int) -> tuple:
    """``Facts`` as a tuple."""
    X, c = block.X, block.weight if block.weighted else None
    totals = class_totals(block, n_classes)
    heaviest = Largest(float(len(block.y) > 0) if c is None else float(c.max()))
    if not sparse.issparse(X):
        return totals, heaviest, X.size, Largest(X.shape[1]), float(X.size) * X.shape[1]
    each = np.diff(X.indptr).astype(np.float64)
    return totals, heaviest, X.nnz, Largest(int(each.max(initial=0))), float(each @ each)


def _binary_sparse_pass(data, indices, indptr, w, codes, c, s, residual, curvature, g):
    sparse_scores(data, indices, indptr, w, 0, len(s), s)
    total = binary_terms(s, codes, c, residual, curvature)
    sparse_add(data, indices, indptr, residual, 0, len(s), g)
    return total


@kernel
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
