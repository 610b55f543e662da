"""Least squares with no more rows than columns, from the n × n side.

    minimise ½‖y − Zw‖² + ½α‖w‖²  ⇔  w = Zᵀa,  (Z Zᵀ + α) a = y        Z the centred rows √c·(x − x̄)

For α = 0 that is the solution of least norm. Columns that nearly equal each other do no harm here:
only rows that depend on each other would. Centring takes away one direction, q = √c/‖√c‖, which is
put back so that the matrix K can be factored; a is orthogonal to it.

K − μ is factored, so that the factorisation itself proves λ_min(K) ≥ μ − rounding. With many rows
it is the only factorisation: solving with it is wrong by a share of about μ/λ_min, which rounds of
refinement take away.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import linalg

from linscope.arithmetic.enclosures import UNIT, Ball, gamma, scores
from linscope.engines import choose
from linscope.kernels import gram
from linscope.results import Result, Status
from linscope.rows.finite import check_finite
from linscope.rows.operations import NO_WEIGHT
from linscope.rows.pilot import MILD_EXPONENT
from linscope.rows.threads import one_blas_thread

from ..verify.facts import Facts
from .moments import exact_moments

# μ relative to the mean eigenvalue, tried in turn.
SHIFTS = (1e-4, 1e-8)
# So few rows are looked at more closely: μ is then half the least eigenvalue.
FEW_ROWS = 400
# How often residuals are solved for: with K alone, and with the rows.
INNER, ROUNDS = 4, 2
# Sums are taken over pieces of this length, so that their rounding has a smaller bound.
PIECE = 256
ROOM = 1 + 1e-12
# Residuals of so small a table are worked out more closely.
SMALL_TABLE, MOST_SCORED = 200_000, 1_000
# Moments are kept for rows that may be added later, if they cost little.
CHEAP_MOMENTS = 4_000_000


@dataclass
class State:
    w: np.ndarray
    a: np.ndarray
    rounds: int = 0
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
        self._c = np.sqrt(self.weight) if len(self.weight) else np.ones(n)
        self._q = self._c / np.linalg.norm(self._c)
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
            self._Z = self._Z * self._c[:, None]
        self._y = (Y - self._mean_y) * self._c[:, None]
        self._penalty = float(np.ldexp(self.alpha, -2 * self._exponent))
        self._factor()
        return State(np.zeros((X.shape[1], t)), np.zeros((n, t)))

    def _factor(self) -> None:
        """K − μ = RᵀR, and what that proves about λ_min(Z Zᵀ + α) outside of q."""
        with np.errstate(under="ignore"):
            K = gram(self._Z, kernel="linear", gamma=1.0)
        n, d = self._Z.shape
        self.squares = float(np.trace(K)) * (1 + 1e-9)
        self._row_lengths = np.sqrt(np.diag(K)) * (1 + 1e-9)
        self._known: tuple[np.ndarray, Facts] | None = None
        K[np.diag_indices_from(K)] += self._penalty
        mean = float(np.trace(K)) / n or 1.0
        if self.fit_intercept:
            K += np.outer(self._q, self._q) * mean
        # Rounding of the factorisation, of the products, of q, and of the centred rows.
        share = gamma(n + 2)
        lost = share / (1 - share) * n * (2 * mean) + gamma(d + 16) * self.squares
        lost = (lost + 16 * n * UNIT * mean) * ROOM
        self._K, self.least = K, 0.0
        shifts = [share * mean for share in SHIFTS]
        if n <= FEW_ROWS:
            shifts = [0.5 * float(linalg.eigvalsh(K, subset_by_index=[0, 0])[0])]
        lost = np.inf if self.alpha > 0 and not self._penalty else lost  # it has left the range
        for mu in shifts:
            if mu > lost and self._factored(mu) and (n > FEW_ROWS or self._factored(0.0)):
                self.least = (mu - lost) / ROOM
                return
        self._decompose()

    def _factored(self, mu: float) -> bool:
        """Cholesky of K − μ."""
        shifted = self._K.copy()
        shifted[np.diag_indices_from(shifted)] -= mu
        with one_blas_thread():
            self._R, failed = linalg.lapack.dpotrf(shifted, lower=0, overwrite_a=1)
        return not failed

    def _decompose(self) -> None:
        """Rows that depend on each other: eigenvalues at the level of rounding are left out."""
        K = gram(self._Z, kernel="linear", gamma=1.0)
        K[np.diag_indices_from(K)] += self._penalty
        values, vectors = linalg.eigh(K)
        use = values > 4 * UNIT * max(self._Z.shape) * values[-1]
        self._R, self._eigen = None, (values[use], vectors[:, use])

    def _solve(self, right: np.ndarray) -> np.ndarray:
        if self._R is not None:
            x = linalg.cho_solve((self._R, False), right, check_finite=False)
            for _ in range(INNER):
                left = right - self._K @ x
                x = x + linalg.cho_solve((self._R, False), left, check_finite=False)
            return x
        values, vectors = self._eigen
        return vectors @ ((vectors.T @ right) / values[:, None])

    def step(self, state: State) -> State:
        """Solve, and again for what is left."""
        with one_blas_thread():
            left = self._y - self._Z @ state.w - self._penalty * state.a
            state.a = state.a + self._solve(left)
            if self.fit_intercept:
                state.a -= np.outer(self._q, self._q @ state.a)
            state.w, state.rounds = self._Z.T @ state.a, state.rounds + 1
        if state.rounds == ROUNDS or not state.w.any():
            state.status = Status.CONVERGED
        return state

    def result(self, state: State) -> Result:
        self._a = state.a
        bias = self._mean_y - self._mean_x @ state.w
        with np.errstate(over="ignore", invalid="ignore"):
            slopes = np.ldexp(state.w, self._exponent_y - self._exponent)
            bias = np.ldexp(bias, self._exponent_y)
            tss = np.ldexp((self._y * self._y).sum(axis=0), 2 * self._exponent_y)
        W = np.column_stack([bias, slopes.T])
        if not np.isfinite(W).all():
            raise ValueError("a weight is beyond the range of floats: scale X or y by a power of 2")
        details = {
            "moments": self._moments(),
            "assess": self,
            "path": "rows",
            "condition": None,
            "unique": self.unique,
            "rank": self.rank,
            "dependent": {},
            "nearly": {},
            "rss": self(W).rss,
            "tss": tss,
            "inverse_root": None,
        }
        return Result(W, Status.SOLVED, state.rounds, 1, None, details)

    def _moments(self) -> Any:
        n, d = self.X.shape
        if n * (1 + d) ** 2 > CHEAP_MOMENTS:
            return None
        found = exact_moments(choose(self.X, self.Y, self.weight), centred=self.fit_intercept)
        return found if found.gram.finite() else None

    @property
    def rank(self) -> int | None:
        """The columns about their means have no higher rank than the rows allow."""
        n, d = self.X.shape
        if not self.least:
            return None
        return d if self.alpha > 0 else min(d, n - int(self.fit_intercept))

    @property
    def unique(self) -> bool:
        n, d = self.X.shape
        return self.alpha > 0 or n - int(self.fit_intercept) >= d

    def __call__(self, W: np.ndarray) -> Facts:
        """Bounds at the floats W (targets, d + 1).

        With η = w − Zᵀa and ρ = y − ZZᵀa − αa, ‖w − w*‖ ≤ ‖η‖ + ‖ρ‖/√λ_min. Products of rows with w
        are rounded by no more than γ‖z_i‖‖w‖; what a is not orthogonal to q moves both a little.
        """
        if self._known is not None and np.array_equal(self._known[0], W):
            return self._known[1]
        w = np.ldexp(W[:, 1:].T, self._exponent - self._exponent_y)
        b = np.ldexp(W[:, 0], -self._exponent_y)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"), one_blas_thread():
            left, doubt = self._residual(w)
            found = self._facts(W, w, b, left, doubt, self._far(w, left, doubt))
        self._known = W.copy(), found
        return found

    def _residual(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """y − Zw, and how wrong that may be."""
        size = np.abs(self._y) + np.outer(self._row_lengths, _lengths(w))
        return self._y - _product(self._Z, w), gamma(_path(len(w))) * size

    def _exact_residual(self, W: np.ndarray) -> Ball:
        """y − b − Xw for each target: as the score of [x, y] with the weights [−w, 1]."""
        X = self.X.toarray() if hasattr(self.X, "toarray") else self.X
        with_y = [np.column_stack([X, y]).astype(np.float64) for y in self.Y.T]
        parts = [scores(A, np.r_[-w, 1.0], precise=True) for A, w in zip(with_y, W, strict=True)]
        return Ball(*(np.column_stack(rows) for rows in zip(*parts, strict=True)))

    def _far(self, w: np.ndarray, left: np.ndarray, doubt: np.ndarray) -> np.ndarray:
        """‖w − w*‖ of each target at most."""
        n, a, total = len(self._Z), self._a, np.sqrt(self.squares)
        root = np.sqrt(self.least) - 8 * UNIT * total
        if not root > 0:
            return np.full(w.shape[1], np.inf)
        aside = (np.abs(self._q @ a) + gamma(n + 2) * (self._q @ np.abs(a))) * self.fit_intercept
        eta = _lengths(w - _product(self._Z.T, a)) + aside * total
        eta = eta + gamma(_path(n)) * total * _lengths(a)
        pull = self._penalty * a
        rho = _lengths(np.abs(left - pull) + doubt + gamma(4) * np.abs(pull))
        rho = rho + total * eta + (self.squares + self._penalty) * aside
        return (eta + rho / root) * ROOM

    def _facts(self, W, w, b, left, doubt, far) -> Facts:
        up, c, centred = self._exponent_y, self._c[:, None], float(self.fit_intercept)
        level = centred * self._mean_y - self._mean_x @ w - b
        size = np.abs(self._mean_y) + np.abs(self._mean_x) @ np.abs(w) + np.abs(b)
        r = left + c * level
        wrong = doubt + c * (gamma(len(w) + 8) * size) + 4 * UNIT * np.abs(r)
        if self._Z.size <= SMALL_TABLE and len(w) <= MOST_SCORED:
            exact = self._exact_residual(W) * Ball.of(c)
            r, wrong = np.ldexp(exact.mid, -up), np.ldexp(exact.rad + 8 * UNIT * exact.size, -up)
        rss, most = (r * r).sum(axis=0), ((np.abs(r) + wrong) ** 2).sum(axis=0)
        pull = self._penalty * (w * w).sum(axis=0)
        first = (np.abs(self._q @ r) + _lengths(wrong)) * centred
        gap = 0.5 * ((self.squares + self._penalty) * far * far + first * first)
        if self.alpha == 0:
            gap = np.minimum(gap, 0.5 * most)
        error = np.repeat(far[:, None], 1 + len(w), axis=1)
        reach = np.sqrt((self._mean_x**2).sum()) * (1 + 1e-9) + UNIT * len(r) * np.sqrt(len(w))
        error[:, 0] = (first / np.sqrt((c * c).sum()) + reach * far) * centred
        back = np.r_[0, np.full(len(w), -self._exponent)] + up[:, None]
        lengths = np.sqrt(np.einsum("ij,ij->j", self._Z, self._Z) + self._penalty)
        least = ((np.maximum(np.abs(r) - wrong, 0.0)) ** 2).sum(axis=0) + pull
        return Facts(
            np.ldexp(rss, 2 * up),
            np.ldexp(0.5 * (rss + pull), 2 * up),
            np.ldexp(gap * ROOM, 2 * up),
            np.ldexp((self._y * self._y).sum(axis=0), 2 * up),
            np.ldexp(error * ROOM, back),
            np.r_[centred * np.sqrt((c * c).sum()), np.ldexp(lengths, self._exponent)],
            np.ldexp(0.5 * least / ROOM - gap * ROOM, 2 * up),
            np.ldexp((most - rss) * ROOM, 2 * up),
            np.ldexp(((self._y + self._c[:, None] * self._mean_y) ** 2).sum(axis=0), 2 * up),
        )


def _product(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A x, piece by piece."""
    pieces = range(0, len(x), PIECE)
    return sum(A[:, i : i + PIECE] @ x[i : i + PIECE] for i in pieces)


def _path(length: int) -> int:
    """Roundings on the way of each term of such a sum, and some for what went into it."""
    return min(length, PIECE) + length // PIECE + 16


def _lengths(v: np.ndarray) -> np.ndarray:
    """‖v‖ of each column, rounded up."""
    return np.sqrt((v * v).sum(axis=0)) * (1 + 1e-9)
