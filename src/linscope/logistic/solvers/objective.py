"""The objective of logistic regression as sums over row blocks.

    P(W) = ½ Σ_{k,j≥1} ρ_j W_kj² + Σ_i c_i f(W [1, x_i])       ρ = 1 and c_i ← C c_i, or ρ = 0

Two classes have one row of weights, K classes have K (softmax). The bias is W[:, 0].
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import sparse

from linscope.engines import MemoryEngine
from linscope.losses.logistic_tiles import binary_terms
from linscope.losses.softmax import softmax_terms
from linscope.rows.blocks import SPARSE_ROWS, Block, block_rows_for
from linscope.rows.curvature import diagonal_block, hessian_block, product_block
from linscope.rows.operations import NO_WEIGHT

from .blocks import evaluate_block

# A block of sparse rows has so many entries for each number of its gradient.
ENTRIES_A_WEIGHT, MOST_SPARSE_BLOCKS = 8, 64
# A share of the rows is of use if it has some of each class.
FEWEST_OF_A_CLASS = 20
# Products with weights beyond these leave the range of float32.
FLOAT32_WEIGHTS = (1e-20, 1e20)


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
    kept: np.ndarray | None = None

    def curvature_by_class(self, dtype: Any) -> np.ndarray:
        """``curvature`` as (n,) or (K, n) of the given type, made once."""
        if self.kept is None or self.kept.dtype != dtype:
            self.kept = np.ascontiguousarray(self.curvature.T, dtype=dtype)
        return self.kept


@dataclass
class LogisticObjective:
    """P, its gradient and its curvature on rows in memory.

    Parameters
    ----------
    X : C-contiguous array or CSR matrix (n, d)
    codes : class numbers 0 … K−1
    n_classes : K
    weight : weights of the samples, already times C; or empty
    rho : 1 with a penalty, 0 without; one number a column where they have been scaled
    intercept : whether there is a bias
    float32 : whether rough products may be taken in float32
    """

    X: Any
    codes: np.ndarray
    n_classes: int
    weight: np.ndarray = field(default_factory=lambda: NO_WEIGHT)
    rho: float | np.ndarray = 1.0
    intercept: bool = True
    float32: bool = True

    def __post_init__(self) -> None:
        self.codes = np.ascontiguousarray(self.codes, dtype=np.int64)
        weight = self.weight if len(self.weight) else None
        self.n, self.d = self.X.shape
        self.rows = 1 if self.n_classes == 2 else self.n_classes
        self.engine = MemoryEngine(self.X, self.codes, weight, block_rows=self._block_rows())
        heaviest = float(self.weight.max(initial=0.0)) if weight is not None else 1.0
        self.float32 &= FLOAT32_WEIGHTS[0] < heaviest < FLOAT32_WEIGHTS[1]
        self.mask = np.ones(self.d + 1)
        self.mask[0] = float(self.intercept)

    def _block_rows(self) -> int:
        if not sparse.issparse(self.X):
            return (4 if self.rows == 1 else 1) * block_rows_for(self.d, 8)
        # Each block has a gradient of its own: blocks must be large enough to pay for it.
        blocks = self.X.nnz // (ENTRIES_A_WEIGHT * (self.d + 1))
        return max(SPARSE_ROWS, -(-self.n // min(max(blocks, 4), MOST_SPARSE_BLOCKS)))

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.d + 1

    @property
    def is_sparse(self) -> bool:
        return sparse.issparse(self.X)

    def evaluate(self, W: np.ndarray) -> Point:
        """Value, gradient and scores at W: one pass."""
        W = np.array(W, dtype=np.float64).reshape(self.shape)
        scores, residual = np.empty((self.n, self.rows)), np.empty((self.n, self.rows))
        curvature = np.empty(self.n) if self.rows == 1 else np.empty((self.n, self.rows))
        make = partial(evaluate_block, W=W, scores=scores, curvature=curvature, residual=residual)
        loss, gradient = self.engine.map_reduce(make, _add)
        return self._finish(W, loss, gradient, scores, curvature, residual)

    @property
    def at_zero(self) -> float:
        """P(0) = Σ c log K."""
        total = float(np.sum(self.weight)) if len(self.weight) else float(self.n)
        return total * float(np.log(self.n_classes))

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

    def product(self, point: Point, V: np.ndarray, *, rough: bool = False) -> np.ndarray:
        """∇²P(W) V, two products with X; rough: in float32 where the table is dense."""
        V = np.reshape(V, self.shape) * self.mask
        rough = rough and not self.is_sparse and self.float32
        engine = self._rough_engine if rough else self.engine
        dtype, size = (np.float32 if rough else np.float64), 1.0
        if rough:  # the largest entry becomes 1: float32 has a small range
            size = float(np.abs(V).max()) or 1.0
        make = partial(
            product_block,
            V=np.divide(V, size).astype(dtype, copy=False),
            curvature=point.curvature_by_class(dtype),
        )
        out = engine.map_reduce(make, np.add) * (size * self.mask)
        out[:, 1:] += self.rho * V[:, 1:]
        return out

    @cached_property
    def _rough_engine(self) -> MemoryEngine:
        weight = self.weight.astype(np.float32) if len(self.weight) else None
        X = np.empty(self.X.shape, dtype=np.float32)
        list(self.engine.map(partial(_copy_block, out=X)))
        return MemoryEngine(X, self.codes, weight, block_rows=self._block_rows())

    def hessian(self, point: Point, dtype: Any = np.float64) -> np.ndarray:
        """∇²P(W) of two classes, (d + 1, d + 1); products may be taken in float32."""
        return self.class_hessians(point, dtype)[0]

    def class_hessians(self, point: Point, dtype: Any = np.float64) -> np.ndarray:
        """The diagonal blocks of ∇²P(W), (d + 1, d + 1) for each row of weights.

        At W = 0 all are the same, and there is only one.
        """
        dtype = dtype if self.float32 else np.float64
        variances = self._variances(point)
        if not point.W.any():
            variances = variances[:1]
        make = partial(hessian_block, variances=variances, dtype=dtype)
        H = self.engine.map_reduce(make, np.add)
        H[:, 1:, 1:] += np.diag(np.broadcast_to(self.rho, self.d))
        if not self.intercept:
            H[:, 0, :], H[:, :, 0] = 0.0, 0.0
            H[:, 0, 0] = 1.0
        return H

    def diagonal(self, point: Point) -> np.ndarray:
        """The diagonal of ∇²P(W), in the shape of W."""
        make = partial(diagonal_block, variances=self._variances(point))
        out = self.engine.map_reduce(make, np.add)
        out[:, 1:] += self.rho
        return out

    def _variances(self, point: Point) -> np.ndarray:
        """c p_k (1 − p_k) of each row of weights and sample."""
        if self.rows == 1:
            return point.curvature[None, :]
        P = np.ascontiguousarray(point.curvature.T)
        D = P * (1.0 - P)
        return D * self.weight if len(self.weight) else D

    def share(self, rows: int) -> tuple[LogisticObjective, slice] | None:
        """About so many rows, evenly spread, that stand for all, and which; None if unfit."""
        every = slice(0, None, max(1, self.n // rows))
        codes = self.codes[every]
        if np.bincount(codes, minlength=self.n_classes).min() < FEWEST_OF_A_CLASS:
            return None
        factor = self.n / len(codes)
        weight = self.weight[every] * factor if len(self.weight) else np.full(len(codes), factor)
        X = self.X[every] if sparse.issparse(self.X) else np.ascontiguousarray(self.X[every])
        part = LogisticObjective(X, codes, self.n_classes, weight, self.rho, self.intercept)
        part.float32 = self.float32
        return part, every


def _copy_block(block: Block, out: np.ndarray) -> None:
    out[block.rows] = block.X


def _add(a, b):
    return a[0] + b[0], a[1] + b[1]
