"""The objective of logistic regression as sums over row blocks.

    P(W) = ½ρ Σ_{k,j≥1} W_kj² + Σ_i c_i f(W [1, x_i])          ρ = 1 and c_i ← C c_i, or ρ = 0

Two classes have one row of weights, K classes have K (softmax). The bias is W[:, 0].
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from ..data.blocks import Block, block_rows_for
from ..data.rows import as_rows
from ..engines import MemoryEngine
from ..losses.logistic import binary_pass, binary_terms, softmax_terms

NO_WEIGHT = np.zeros(0)


@dataclass
class Point:
    """Weights with what one pass over the rows tells about them.

    ``scores`` (n, K) and ``curvature``: c σ(1 − σ) of each sample (n,) for two classes, the
    probabilities (n, K) for more.
    """

    W: np.ndarray
    value: float
    gradient: np.ndarray
    scores: np.ndarray
    curvature: np.ndarray
    residual: np.ndarray


@dataclass
class LogisticObjective:
    """P, its gradient and its curvature on rows in memory.

    Parameters
    ----------
    X : C-contiguous array or CSR matrix (n, d)
    codes : class numbers 0 … K−1
    n_classes : K
    weight : weights of the samples, already times C; or empty
    rho : 1 with a penalty, 0 without; or one number a column, where columns have been scaled
    intercept : whether there is a bias
    """

    X: Any
    codes: np.ndarray
    n_classes: int
    weight: np.ndarray = field(default_factory=lambda: NO_WEIGHT)
    rho: float | np.ndarray = 1.0
    intercept: bool = True

    def __post_init__(self) -> None:
        self.codes = np.ascontiguousarray(self.codes, dtype=np.int64)
        weight = self.weight if len(self.weight) else None
        rows = None if sparse.issparse(self.X) else 4 * block_rows_for(self.X.shape[1], 8)
        self.engine = MemoryEngine(self.X, self.codes, weight, block_rows=rows)
        self.rows = 1 if self.n_classes == 2 else self.n_classes
        self.n, self.d = self.X.shape
        self.mask = np.ones(self.d + 1)
        self.mask[0] = float(self.intercept)

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.d + 1

    def evaluate(self, W: np.ndarray) -> Point:
        """Value, gradient and scores at W: one pass."""
        W = np.array(W, dtype=np.float64).reshape(self.shape)
        scores, residual = np.empty((self.n, self.rows)), np.empty((self.n, self.rows))
        curvature = np.empty(self.n) if self.rows == 1 else np.empty((self.n, self.rows))
        make = partial(_block, W=W, scores=scores, curvature=curvature, residual=residual)
        loss, gradient = self.engine.map_reduce(make, _add)
        return self._finish(W, loss, gradient, scores, curvature, residual)

    def at_scores(self, W: np.ndarray, scores: np.ndarray) -> float:
        """P(W) from scores that are known already: no pass over the features."""
        spare = np.empty_like(scores)
        if self.rows == 1:
            loss = binary_terms(
                scores[:, 0], self.codes, self.weight, spare[:, 0], np.empty(self.n)
            )
        else:
            loss = softmax_terms(scores, self.codes, self.weight, np.empty_like(scores), spare)
        return loss + self.penalty(W)

    def penalty(self, W: np.ndarray) -> float:
        """½ρ Σ_{k,j≥1} W_kj²."""
        return 0.5 * float(np.sum(self.rho * W[:, 1:] ** 2))

    def _finish(self, W, loss, gradient, scores, curvature, residual) -> Point:
        gradient = gradient * self.mask
        gradient[:, 1:] += self.rho * W[:, 1:]
        value = loss + self.penalty(W)
        return Point(W, value, gradient, scores, curvature, residual)

    def product(self, point: Point, V: np.ndarray) -> np.ndarray:
        """∇²P(W) V, two products with X."""
        V = np.reshape(V, self.shape) * self.mask
        make = partial(_product_block, V=V, curvature=point.curvature)
        out = self.engine.map_reduce(make, np.add) * self.mask
        out[:, 1:] += self.rho * V[:, 1:]
        return out

    def hessian(self, point: Point, dtype: Any = np.float64) -> np.ndarray:
        """∇²P(W) of two classes, (d + 1, d + 1); products may be taken in float32."""
        make = partial(_hessian_block, curvature=point.curvature, dtype=dtype)
        H = self.engine.map_reduce(make, np.add)
        H[1:, 1:] += np.diag(np.broadcast_to(self.rho, self.d))
        if not self.intercept:
            H[0, :], H[:, 0] = 0.0, 0.0
            H[0, 0] = 1.0
        return H


def _add(a, b):
    return a[0] + b[0], a[1] + b[1]


def _block(block: Block, W, scores, curvature, residual) -> tuple[float, np.ndarray]:
    here, X = block.rows, block.X
    c = NO_WEIGHT if block.weight is None else block.weight
    S, R = scores[here], residual[here]
    if W.shape[0] == 1 and not sparse.issparse(X):
        g = np.zeros(W.shape[1])
        rows: Any = as_rows(X)
        out = S.ravel(), R.ravel(), curvature[here]  # views: there is one column
        loss = binary_pass(rows.values, W[0], block.y, c, *out, g)
        return loss, g[None, :]
    if X.dtype != np.float64 and not sparse.issparse(X):
        X = X.astype(np.float64)
    if W.shape[0] == 1:
        np.add(X @ W[0, 1:], W[0, 0], out=S[:, 0])
        loss = binary_terms(S[:, 0], block.y, c, R[:, 0], curvature[here])
        r = R[:, 0]
        return loss, np.r_[r.sum(), X.T @ r][None, :]
    S[:] = X @ W[:, 1:].T
    S += W[:, 0]
    loss = softmax_terms(S, block.y, c, curvature[here], R)
    return loss, np.column_stack([R.sum(axis=0), (X.T @ R).T])


def _product_block(block: Block, V, curvature) -> np.ndarray:
    X, here = block.X, block.rows
    T = X @ V[:, 1:].T + V[:, 0]
    if V.shape[0] == 1:
        u = curvature[here] * T[:, 0]
        return np.r_[u.sum(), X.T @ u][None, :]
    P = curvature[here]
    U = P * (T - np.sum(P * T, axis=1, keepdims=True))
    if block.weight is not None:
        U *= block.weight[:, None]
    return np.column_stack([U.sum(axis=0), (X.T @ U).T])


def _hessian_block(block: Block, curvature, dtype) -> np.ndarray:
    X, D = block.X, curvature[block.rows]
    H = np.empty((X.shape[1] + 1,) * 2)
    H[0, 0] = D.sum()
    H[0, 1:] = H[1:, 0] = X.T @ D
    if sparse.issparse(X):
        H[1:, 1:] = (X.T @ sparse.diags_array(D) @ X).toarray()
    else:
        Z = np.multiply(X, np.sqrt(D)[:, None], dtype=dtype, casting="same_kind")
        H[1:, 1:] = Z.T @ Z
    return H
