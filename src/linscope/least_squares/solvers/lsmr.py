"""Least squares for tables too large on both sides for any Gram matrix: LSMR, products only.

The rows √c·(x − x̄) are never formed: (X − 1x̄ᵀ) w = Xw − (x̄·w).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, lsmr

from linscope.engines import choose
from linscope.results import Result, Status
from linscope.rows.finite import check_finite
from linscope.rows.operations import NO_WEIGHT

from ..verify.facts import Facts
from ..verify.large import large_facts

TOLERANCE = 1e-14
# lsmr's reasons to stop: 7 is the limit of iterations.
OUT_OF_ITERATIONS = 7


@dataclass
class State:
    w: np.ndarray
    n_iter: int = 0
    status: Status | None = None


@dataclass
class IterativeLeastSquares:
    """Same arguments as ``LeastSquares``; one step solves one target."""

    X: Any
    Y: np.ndarray
    weight: np.ndarray = field(default_factory=lambda: NO_WEIGHT)
    fit_intercept: bool = True
    alpha: float = 0.0
    names: list[str] | None = None
    task = "least squares (LSMR)"

    def init(self) -> State:
        check_finite(self.X, self.names)
        check_finite(self.Y, name="y")
        n, d = self.X.shape
        share = self.weight / self.weight.sum() if len(self.weight) else np.full(n, 1.0 / n)
        self._root = np.sqrt(self.weight) if len(self.weight) else np.ones(n)
        centred = float(self.fit_intercept)
        self._mean_x, self._mean_y = centred * (self.X.T @ share), centred * (share @ self.Y)
        self._y = self._root[:, None] * (self.Y - self._mean_y)
        self._operator = LinearOperator((n, d), matvec=self._times, rmatvec=self._back)
        self._done = 0
        return State(np.zeros((d, self.Y.shape[1])))

    def _times(self, w: np.ndarray) -> np.ndarray:
        w = w.ravel()
        return self._root * (self.X @ w - self._mean_x @ w)

    def _back(self, r: np.ndarray) -> np.ndarray:
        r = self._root * r.ravel()
        return self.X.T @ r - self._mean_x * r.sum()

    def step(self, state: State) -> State:
        damp = float(np.sqrt(self.alpha))
        most = 10 * min(self.X.shape)
        w, reason, count, *_ = lsmr(
            self._operator, self._y[:, self._done], damp, TOLERANCE, TOLERANCE, 1e15, most
        )
        state.w[:, self._done], state.n_iter = w, max(state.n_iter, count)
        self._done += 1
        if reason == OUT_OF_ITERATIONS:
            state.status = Status.MAX_ITER
        elif self._done == self.Y.shape[1]:
            state.status = Status.CONVERGED
        return state

    def result(self, state: State) -> Result:
        residual = self._y - self._root[:, None] * (self.X @ state.w - self._mean_x @ state.w)
        weights = np.column_stack([self._mean_y - self._mean_x @ state.w, state.w.T])
        details = {
            "assess": self,
            "path": "LSMR",
            "condition": None,
            "unique": True if self.alpha > 0 else None,
            "rank": None,
            "dependent": {},
            "nearly": {},
            "rss": (residual**2).sum(axis=0),
            "tss": (self._y**2).sum(axis=0),
            "inverse_root": None,
        }
        return Result(weights, state.status or Status.MAX_ITER, state.n_iter, 1, None, details)

    def __call__(self, W: np.ndarray) -> Facts:
        """What is proven at the floats W: something only with a penalty, or if all rows fit."""
        options: dict[str, Any] = {"fit_intercept": self.fit_intercept, "alpha": self.alpha}
        return large_facts(choose(self.X, self.Y, self.weight), W, **options)[0]
