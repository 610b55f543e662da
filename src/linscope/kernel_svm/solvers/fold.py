"""The kernel SVM of some rows of a table, on the Gram matrix of the whole table.

    min ½ βᵀKβ − yᵀβ       Σβ = 0,   0 ≤ y_i β_i ≤ C c_i            g = Kβ − y

Rows that do not train have y = 0, and so the bounds 0 ≤ β ≤ 0. No fold needs a matrix of its own,
and g of a row that is held out is its score but for the bias: f = g + b. C rises, and the β of a
smaller C is feasible for a larger one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linscope.kernels.gaussian import add_rows
from linscope.kernels.kernel_maps import gather
from linscope.results import Status

from .dual_problem import bias, ends, is_unbounded
from .free_samples import polish
from .pair_loops import BLOCK, solve_pairs, solve_some_pairs
from .working_set import choose

# At the first C pairs are taken among all rows, if they are at most so many: one pair a row.
WHOLE = 4000
# Then among the worst, in a matrix that stays in the cache, until their gap is this share. A table
# that has no more rows is such a matrix by itself.
WORKING_SET, INNER, PAIRS_A_ROW = 640, 0.1, 20
# The equations of the free samples are tried below this gap, if they are at most so many, and pairs
# have taken about as long as a factorisation.
NEAR, MOST_FREE, PAIR_FLOPS, FEW_FLOPS = 0.2, 3000, 3e5, 5e7
STALLED = 8
UNIT = 2.0**-53
# Rounding may be this share of tol before sums are made afresh.
SMALL = 1e-3
# From this tolerance on the equations are solved in float32.
SINGLE = 1e-4


@dataclass
class FoldDual:
    """Solver for rising values of C.

    Parameters
    ----------
    K : Gram matrix, with zeros up to a multiple of ``BLOCK``
    rows, signs : which rows train, and their labels −1 and +1
    weight : c of these rows
    tol : largest gap max g (may shrink) − min g (may grow)
    max_iter : most rounds for each C
    most : bound of |K|

    Attributes
    ----------
    rounding : bound of what g has lost in all sums so far
    """

    K: np.ndarray
    rows: np.ndarray
    signs: np.ndarray
    weight: np.ndarray
    tol: float = 1e-3
    max_iter: int = 10_000
    most: float = 1.0
    rounding: float = 0.0
    beta: np.ndarray = field(init=False)
    g: np.ndarray = field(init=False)
    pairs: int = 0

    def __post_init__(self) -> None:
        size = len(self.K)
        self.y, self.beta = np.zeros(size), np.zeros(size)
        self.y[self.rows] = self.signs
        self.g = -self.y
        self.diagonal = self.K.diagonal().copy()

    def solve(self, C: float) -> Status:
        """Go on to this C, which must not be smaller than the last one."""
        top = np.zeros(len(self.K))
        top[self.rows] = C * self.weight
        self.lower, self.upper = np.where(self.y < 0, -top, 0.0), np.where(self.y > 0, top, 0.0)
        self.last = np.empty(0, dtype=np.int64)
        self.kind: type = np.float32 if np.isfinite(C) else np.float64
        self.pairs = self.pairs_at_solve = 0
        self._look()
        if len(self.K) <= WORKING_SET:
            self._all_rows(PAIRS_A_ROW)
        elif len(self.rows) <= WHOLE and not self.beta.any():
            self._all_rows(1)
        best, stalled = np.inf, 0
        for _ in range(self.max_iter):
            if not np.isfinite(C) and is_unbounded(self.beta, self.g, self.y, self.diagonal):
                return Status.UNBOUNDED
            if self.limits.gap <= self.tol:
                return self._settled()
            self._some_rows()
            if self._worth_solving():
                self._equations()
            objective = float(self.beta @ (self.g - self.y))
            stalled = stalled + 1 if objective >= best else 0
            best = min(best, objective)
            if stalled:
                self.kind = np.float64
            if stalled > STALLED:
                return Status.STALLED
        return Status.CONVERGED if self.limits.gap <= self.tol else Status.MAX_ITER

    def _settled(self) -> Status:
        """The end, with sums that are exact enough for a proof."""
        if self.rounding > SMALL * self.tol:
            self._afresh()
            self._look()
        return Status.CONVERGED

    @property
    def bias(self) -> float:
        rows = self.rows
        return bias(self.g[rows], self.beta[rows], self.lower[rows], self.upper[rows])

    @property
    def alpha(self) -> np.ndarray:
        """α of the rows that train."""
        return self.signs * self.beta[self.rows]

    def scores(self, rows: np.ndarray) -> np.ndarray:
        """Kβ + b of any rows."""
        return self.g[rows] + self.y[rows] + self.bias

    def _look(self) -> None:
        self.limits = ends(self.g, self.beta < self.upper, self.beta > self.lower)

    def _all_rows(self, pairs_a_row: int) -> None:
        arguments = self.K, self.diagonal, self.g, self.beta, self.lower, self.upper
        pairs = solve_pairs(*arguments, self.tol, pairs_a_row * len(self.rows))
        self.pairs += pairs
        # Each pair rounds g, which is never larger than this, and what it adds.
        prices = float((self.upper - self.lower).sum())
        self.rounding += 8.0 * UNIT * pairs * (1.0 + self.most * prices)
        if not SMALL * self.tol >= self.rounding:
            self._afresh()
        self._look()

    def _afresh(self) -> None:
        """g without the rounding of many steps."""
        used = np.flatnonzero(self.beta)
        self.g, self.rounding = -self.y, 0.0
        self.add_product(used, self.beta[used], self.g)

    def _some_rows(self) -> None:
        can_grow, can_shrink = self.beta < self.upper, self.beta > self.lower
        W = choose(self.g, can_grow, can_shrink, self.limits, WORKING_SET, self.last)
        # In rising order, memory is read in order: several times as fast.
        self.last, W = W, np.sort(W)
        size = -(-len(W) // BLOCK) * BLOCK
        small: np.ndarray = np.zeros((size, size), dtype=self.kind)
        gather(self.K, W, W, small, np.arange(len(W)), 0)
        middle = 0.5 * (self.limits.least + self.limits.most)
        own = self.diagonal[W], self.g[W] - middle, self.beta[W], self.lower[W], self.upper[W]
        tol = max(0.5 * self.tol, INNER * self.limits.gap)
        beta, pairs = solve_some_pairs(small, *own, tol, PAIRS_A_ROW * size)
        self.pairs += pairs
        delta = beta - self.beta[W]
        moved = np.flatnonzero(delta)
        self.add_product(W[moved], delta[moved], self.g)
        self.beta[W] = beta
        self._look()

    def _worth_solving(self) -> bool:
        """Whether pairs have taken as long since the last time as the equations would."""
        if self.limits.gap > NEAR or self.limits.gap <= self.tol:
            return False
        free = int(np.count_nonzero((self.beta > self.lower) & (self.beta < self.upper)))
        pairs = self.pairs - self.pairs_at_solve
        return 1 < free <= MOST_FREE and pairs * PAIR_FLOPS >= free**3 + FEW_FLOPS

    def _equations(self) -> None:
        self.pairs_at_solve = self.pairs
        found = polish(self, self.beta, self.g, self.lower, self.upper)
        if found is not None:
            self.beta, self.g = found
            self._look()

    def block(self, rows: np.ndarray, size: int) -> np.ndarray:
        """K[rows, rows] for the equations, in float32 unless tol is tight."""
        kind = np.float32 if self.tol >= SINGLE else np.float64
        out = np.empty((size, size), dtype=kind)
        gather(self.K, rows, rows, out, np.arange(len(rows)), 0)
        return out

    def add_product(self, rows: np.ndarray, delta: np.ndarray, g: np.ndarray) -> None:
        """g += Σ_r delta[r]·K[rows[r], :]."""
        add_rows(self.K, rows, delta, 0, len(self.K), g)
        size = float(np.abs(delta).sum()) * self.most
        self.rounding += UNIT * ((len(rows) + 8) * size + 2.0 * float(np.abs(g).max(initial=0.0)))
