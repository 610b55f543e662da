"""The objective of a linear support vector machine as sums over row blocks.

    P(W)  =  ½ Σ_j ρ_j W_j² + Σ_i φ_i(m_i),      m_i = y_i W·[1, x_i],   W_0 the bias

φ_i is the piecewise quadratic of ``blocks``. ρ_0 = 0 leaves the bias free, ρ_0 = 1 is
LIBLINEAR's problem. ρ_j ≠ 1 stands for columns that have been scaled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from typing import Any

import numpy as np
from scipy import sparse

from linscope.engines import MemoryEngine
from linscope.rows.blocks import SPARSE_ROWS, block_rows_for, borders
from linscope.rows.threads import Workers

from .blocks import (
    COMPLEMENT,
    SLACK,
    SQUARED_SLACK,
    Pieces,
    evaluate_block,
    gram_block,
    norms_block,
    slope_and_curvature,
    sum_block,
)

NOTHING = np.zeros(0)
# Fewer numbers than this are not worth a second thread; work is cut into so many blocks, and each
# block of a Gram matrix does so many times the work of adding two such matrices.
WORTH_THREADS, BLOCKS, WORTH_A_GRAM = 400_000, 8, 8
FEWEST_OF_A_CLASS = 20
# A slope that is so small beside its terms is rounding.
MOST_SEARCHES, FLAT = 100, 2.0**-51
# Smaller penalties are none at all; then this share of P(0) takes their place.
NO_PENALTY, LOOSE = 1e-30, 1e-12


@dataclass
class Point:
    """Weights with what one pass over the rows tells about them; α ≥ 0, ``active`` booleans."""

    W: np.ndarray
    gradient: np.ndarray
    margins: np.ndarray
    alpha: np.ndarray
    active: np.ndarray
    totals: np.ndarray


@dataclass
class MarginObjective:
    """Rows, labels ±1, weights and strength C of one binary problem.

    Parameters
    ----------
    X : C-contiguous array or CSR matrix (n, d)
    y : labels −1.0 and +1.0
    C : strength of the loss
    squared : the squared hinge, or the hinge
    c : weights of the samples, or empty
    rho : d + 1 penalties, bias first
    intercept : whether there is a bias at all; without one W_0 stays 0
    pull : Σ α y [1, x] of rows that are left out, their α taken as constant
    """

    X: Any
    y: np.ndarray
    C: float
    squared: bool
    c: np.ndarray = field(default_factory=lambda: NOTHING)
    rho: np.ndarray = field(default_factory=lambda: NOTHING)
    intercept: bool = True
    pull: np.ndarray | float = 0.0

    def __post_init__(self) -> None:
        self.n, self.d = self.X.shape
        self.y = np.ascontiguousarray(self.y, dtype=np.float64)
        if not len(self.rho):
            self.rho = np.r_[0.0, np.ones(self.d)]
        self.engine = MemoryEngine(self.X, self.y, block_rows=self._block_rows())
        self.workers = Workers()
        # The least P(W) so far; P(0) to begin with.
        self.least = self.C * (float(self.c.sum()) if len(self.c) else float(self.n))
        self.smooth = Pieces(NOTHING, self.c, 2.0 * self.C, np.inf)

    def _block_rows(self) -> int:
        numbers = self.X.nnz if self.is_sparse else self.n * self.d
        if numbers < WORTH_THREADS:
            return max(self.n, 1)
        most = -(-self.n // BLOCKS)
        if self.is_sparse:
            return max(SPARSE_ROWS, most)
        return max(64, min(4 * block_rows_for(self.d, 8), most))

    @property
    def is_sparse(self) -> bool:
        return sparse.issparse(self.X)

    @property
    def free_bias(self) -> bool:
        return self.intercept and self.rho[0] == 0.0

    def evaluate(self, W: np.ndarray, pieces: Pieces | None = None) -> Point:
        """One pass: margins, α, activity and gradient at W."""
        W = np.array(W, dtype=np.float64)
        margins, alpha = np.empty(self.n), np.empty(self.n)
        active = np.empty(self.n, dtype=np.bool_)
        make = partial(
            evaluate_block, w=W, pieces=pieces or self.smooth,
            margins=margins, alpha=alpha, active=active,
        )  # fmt: skip
        totals, v = self.engine.map_reduce(make, _add)
        gradient = self.rho * W - v - self.pull
        if not self.intercept:
            gradient[0] = 0.0
        return Point(W, gradient, margins, alpha, active, totals)

    def primal(self, point: Point) -> float:
        """P(W), without what a restriction leaves out."""
        loss = point.totals[SQUARED_SLACK if self.squared else SLACK]
        value = 0.5 * float(np.sum(self.rho * point.W * point.W)) + self.C * float(loss)
        if not np.any(self.pull):
            self.least = min(self.least, value)
        return value

    # With v = Σ α y [1, x] = ρ W − g:  P(W) − D(α) = Σ (C c ξ − α (1 − m)) + ½ Σ_j g_j²/ρ_j,
    # and for a free bias |g_0| (|b| + |b*|) more. For the squared hinge the first sum is 0.
    def gap(self, point: Point) -> float:
        """A bound on P(W) − min P: the duality gap of W and α; no data are read."""
        return float(point.totals[COMPLEMENT]) + self.mismatch(point)

    def mismatch(self, point: Point) -> float:
        """½ Σ_j g_j²/ρ_j, plus |g_0| times a bound on |b − b*| if the bias is free."""
        g = point.gradient
        total = 0.5 * float(np.sum(g[1:] / self.held[1:] * g[1:]))
        if self.free_bias:
            return total + abs(float(g[0])) * (self.bias_bound + abs(float(point.W[0])))
        return total + (0.5 * float(g[0] * g[0]) / float(self.rho[0]) if self.intercept else 0.0)

    @cached_property
    def held(self) -> np.ndarray:
        """ρ, but never so small that rounding of Σ α y x would count as a mismatch.

        That only happens to columns of a size like 1e150, whose penalty is as good as none; there
        ``gap`` is an estimate. The certificate says what is proven.
        """
        nothing = self.rho < NO_PENALTY
        nothing[0] = False
        return np.where(nothing, LOOSE * self.C * self.n, self.rho)

    @property
    def bias_bound(self) -> float:
        """|b*| ≤ 1 + ‖w*‖ max‖x‖, since each class has a margin of at most 1; ½‖w*‖² ≤ P."""
        return 1.0 + float(np.sqrt(2.0 * self.least)) * self.longest

    @cached_property
    def longest(self) -> float:
        return float(np.sqrt(self.norms.max()))

    def combine(self, alpha: np.ndarray) -> np.ndarray:
        """Σ α y [1, x]."""
        return self.engine.map_reduce(partial(sum_block, alpha=alpha), np.add)

    def gram(self, rows: np.ndarray) -> np.ndarray:
        """Σ c [1, x][1, x]ᵀ of some rows, (d + 1, d + 1); only the lower triangle counts."""
        each = 0.5 * (self.X.nnz / max(self.n, 1)) ** 2 if self.is_sparse else self.d**2 / 8
        blocks = int(len(rows) * each / (WORTH_A_GRAM * (self.d + 1) ** 2))
        size = max(1, -(-len(rows) // min(max(blocks, 1), BLOCKS)))
        size = size if self.is_sparse else min(size, block_rows_for(self.d + 1, 8))
        parts = [rows[a:b] for a, b in borders(len(rows), size)]
        parts = parts or [rows]
        make = partial(gram_block, X=self.X, c=self.c)
        return reduce(np.add, self.workers.map(make, parts))

    def search(self, point: Point, along: np.ndarray, D: np.ndarray, pieces: Pieces) -> float:
        """The t > 0 where ψ(t) = P(W + t D) is least, exactly.

        ψ' is increasing and piecewise linear: Newton's method, held between bounds, ends when it
        stays on one piece.
        """
        at_zero = float(np.sum((self.rho * point.W - self.pull) * D))
        square = float(np.sum(self.rho * D * D))
        low, high, t = 0.0, np.inf, 1.0
        for _ in range(MOST_SEARCHES):
            pull, bend = slope_and_curvature(t, point.margins, along, *pieces)
            slope, curvature = at_zero + t * square - pull, square + bend
            if abs(slope) <= FLAT * (abs(at_zero) + t * square + abs(pull)):
                break  # level, as far as floats can tell: further steps might never end
            if slope > 0.0:
                high = t
            else:
                low = t
            ahead = t - slope / curvature if curvature > 0.0 else np.inf
            if not low < ahead < high:
                ahead = 0.5 * (low + high) if high < np.inf else 4.0 * t
            if abs(ahead - t) <= 1e-15 * t:
                break
            t = ahead
        return t

    @cached_property
    def norms(self) -> np.ndarray:
        """Σ_{j≥1} x_j²/ρ_j of each row, with ``held`` for ρ."""
        out = np.empty(self.n)
        list(self.engine.map(partial(norms_block, scale=1.0 / self.held[1:], out=out)))
        return out

    def share(self, rows: int) -> MarginObjective | None:
        """About so many rows, evenly spread, that stand for all; None if unfit."""
        every = slice(0, None, max(1, self.n // rows))
        y = self.y[every]
        if min(np.sum(y > 0), np.sum(y < 0)) < FEWEST_OF_A_CLASS:
            return None
        X = self.X[every] if self.is_sparse else np.ascontiguousarray(self.X[every])
        c = self.c[every] if len(self.c) else self.c
        C = self.C * self.n / len(y)
        return MarginObjective(X, y, C, self.squared, c, self.rho, self.intercept)

    def restrict(self, rows: np.ndarray, point: Point) -> MarginObjective:
        """These rows only; the others keep their α, which acts as a constant pull."""
        X = self.X[rows] if self.is_sparse else np.ascontiguousarray(self.X[rows])
        c = self.c[rows] if len(self.c) else self.c
        part = MarginObjective(X, self.y[rows], self.C, self.squared, c, self.rho, self.intercept)
        total = self.rho * point.W - point.gradient - self.pull
        part.pull = total - part.combine(point.alpha[rows])
        part.least = self.least
        if self.free_bias:
            part.longest = self.longest
        return part


def _add(a, b):
    return a[0] + b[0], a[1] + b[1]
