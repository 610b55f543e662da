"""Least squares with fewer rows than columns, from the n × n side.

    minimise ½‖y − Zw‖² + ½α‖w‖²  ⇔  w = Zᵀa,  (Z Zᵀ + α) a = y        Z the centred rows √c·(x − x̄)

For α = 0 that is the solution of least norm. Centring takes away one direction, q = √c/‖√c‖, which
is put back so that the matrix can be factored; a is orthogonal to it. Where rows depend on each
other as well, eigenvalues at the level of rounding are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import linalg

from ..data import check_finite
from ..data.double_double import UNIT
from ..data.threads import one_blas_thread
from ..kernels import gram
from ..results import Result, Status
from .moments import MILD_EXPONENT, NO_WEIGHT
from .normal_equations import backward_error

# Below this reciprocal condition number the eigenvalues decide.
DOUBTFUL = 1e-12


@dataclass
class State:
    w: np.ndarray
    a: np.ndarray
    status: Status | None = None


@dataclass
class WideLeastSquares:
    """Same arguments as ``LeastSquares``; X is copied once, centred."""

    X: Any
    Y: np.ndarray
    weight: np.ndarray = field(default_factory=lambda: NO_WEIGHT)
    fit_intercept: bool = True
    alpha: float = 0.0
    names: list[str] | None = None
    task = "least squares"

    def init(self) -> State:
        check_finite(self.X, self.names)
        check_finite(self.Y, name="y")
        X = self.X.toarray() if hasattr(self.X, "toarray") else self.X
        n, t = self.Y.shape
        c = np.sqrt(self.weight) if len(self.weight) else np.ones(n)
        self._q = c / np.linalg.norm(c)
        share = self._q * self._q
        self._exponent = int(np.frexp(max(X.max(), -X.min()))[1])
        self._exponent_y = np.frexp(np.abs(self.Y).max(axis=0))[1]
        if abs(self._exponent) <= MILD_EXPONENT:  # squares are far from the ends of the range
            self._exponent, Z = 0, np.asarray(X, dtype=np.float64)
        else:
            Z = np.ldexp(np.asarray(X, dtype=np.float64), -self._exponent)
        Y = np.ldexp(self.Y, -self._exponent_y)
        centred = float(self.fit_intercept)
        self._mean_x, self._mean_y = centred * (share @ Z), centred * (share @ Y)
        self._Z = Z - self._mean_x if self.fit_intercept else Z
        if len(self.weight):
            self._Z = self._Z * c[:, None]
        self._y = (Y - self._mean_y) * c[:, None]
        self._solve = self._factor()
        return State(np.zeros((X.shape[1], t)), np.zeros((n, t)))

    def _factor(self):
        with np.errstate(under="ignore"):
            K = gram(self._Z, kernel="linear", gamma=1.0)
        penalty = np.ldexp(self.alpha, -2 * self._exponent)
        K[np.diag_indices_from(K)] += penalty
        if self.fit_intercept:
            K += np.outer(self._q, self._q) * (np.trace(K) / len(K))
        with one_blas_thread():
            size = np.abs(K).sum(axis=0).max()
            R, failed = linalg.lapack.dpotrf(K, lower=0)
            if not failed and linalg.lapack.dpocon(R, size)[0] > DOUBTFUL:
                self._rank = len(K) - int(self.fit_intercept and penalty == 0)
                return lambda right: linalg.cho_solve((R, False), right)
            values, vectors = linalg.eigh(K)
        use = values > 4 * UNIT * max(self._Z.shape) * values[-1]
        self._rank = int(use.sum()) - int(self.fit_intercept)
        vectors, values = vectors[:, use], values[use]
        return lambda right: vectors @ ((vectors.T @ right) / values[:, None])

    def step(self, state: State) -> State:
        """Solve, and once more for what is left."""
        with one_blas_thread():
            penalty = np.ldexp(self.alpha, -2 * self._exponent)
            left = self._y - self._Z @ state.w - penalty * state.a
            state.a = state.a + self._solve(left)
            if self.fit_intercept:
                state.a -= np.outer(self._q, self._q @ state.a)
            state.w, before = self._Z.T @ state.a, state.w
        if before.any() or not state.w.any():
            state.status = Status.CONVERGED
        return state

    def result(self, state: State) -> Result:
        w = state.w
        residual = self._y - self._Z @ w
        bias = self._mean_y - self._mean_x @ w
        with np.errstate(over="ignore", invalid="ignore"):
            slopes = np.ldexp(w, self._exponent_y - self._exponent)
            bias = np.ldexp(bias, self._exponent_y)
            rss, tss = (
                np.ldexp((v * v).sum(axis=0), 2 * self._exponent_y) for v in (residual, self._y)
            )
        weights = np.column_stack([bias, slopes.T])
        if not np.isfinite(weights).all():
            raise ValueError("a weight is beyond the range of floats: scale X or y by a power of 2")
        details = {
            "backward_error": self._backward_error(state, residual),
            "path": "rows",
            "condition": None,
            "rank": self.X.shape[1] if self.alpha > 0 else self._rank,
            "dependent": {},
            "error": None,
            "rss": rss,
            "tss": tss,
            "inverse_root": None,
        }
        unique = self.alpha > 0 or self._rank == self.X.shape[1]
        status = Status.SOLVED if unique else Status.RANK_DEFICIENT
        return Result(weights, status, 2, 1, None, details)

    def _backward_error(self, state: State, residual: np.ndarray) -> float:
        penalty = np.ldexp(self.alpha, -2 * self._exponent)
        g = self._Z.T @ residual - penalty * state.w
        norms = np.sqrt(np.einsum("ij,ij->j", self._Z, self._Z) + penalty)
        squares = (residual**2).sum(axis=0) + penalty * (state.w**2).sum(axis=0)
        targets = np.linalg.norm(self._y, axis=0)
        return backward_error(g, norms, state.w, squares, targets) + UNIT * len(norms)
