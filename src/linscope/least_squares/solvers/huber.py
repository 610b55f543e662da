"""Huber's regression by Newton's method on the pieces of its objective.

Between the changes of who is an outlier, with I the rows that are none, O the others, s = sign r,

    P  =  σ (Σ c − ε² Σ_O c) + Σ_I c r²/σ + 2ε Σ_O c |r| + α‖w‖²

and its minimum over a change δ of the weights and over σ is known from sums over the rows:

    (G + σΛ) δ  =  Σ_I c r z + εσ Σ_O c s z − σΛ v        G = Σ_I c z zᵀ,  Λ = diag(0, α …)
    σ²          =  Σ_I c (r − z·δ)² / (Σ c − ε² Σ_O c)

Without a penalty δ = δ_0 + σ δ_1, and σ² = (Σ_I c r² − δ_0·g_I) / (Σ c − ε² Σ_O c − δ_1·G δ_1).
Each step goes to that minimum, or part of the way if P does not fall. One pass over the rows gives
P, all sums, and so the next step. When no row changes sides, it is the last.

The columns z are x less a shift, divided by a power of two; so are y and the weights c.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from linscope.engines import Engine, choose
from linscope.fitting.driver import run
from linscope.losses import huber
from linscope.results import Result, Status
from linscope.rows.blocks import Block

# More rows than this are first solved for a share of them, at least so many for each column.
MANY_ROWS, ROWS_PER_COLUMN = 40_000, 40
# No step makes σ smaller than by this factor: who is an outlier must be learnt on the way to 0,
# with care where there are fewer than so many rows for each weight.
FASTEST, CAREFUL, FEW_ROWS = 0.1, 0.3, 10
# Weights have settled for a σ where a step gains no more than this share of σ Σ c.
SETTLED = 1e-6
# P is level where a step would gain no more than this share of it; σ below this share of y is none.
LEVEL, NOTHING = 1e-13, 2.0**-52
# Eigenvalues of G, scaled, that are rounding.
SINGULAR = 1e-14
MOST_HALVINGS, MOST_ROUNDS = 30, 60


class Columns(NamedTuple):
    """z = (x − shift) / unit, [1, z] with a bias; y / target and c / mass are near 1."""

    shift: np.ndarray
    unit: np.ndarray
    target: float
    mass: float
    bias: float

    def rows(self, X: Any) -> np.ndarray:
        Z = np.empty((X.shape[0], X.shape[1] + 1))
        Z[:, 0] = self.bias
        dense = X.toarray() if sparse.issparse(X) else X
        np.subtract(dense, self.shift, out=Z[:, 1:], casting="unsafe")
        Z[:, 1:] /= self.unit
        return Z

    def original(self, v: np.ndarray) -> np.ndarray:
        """Weights of the given columns, bias first."""
        w = v[1:] / self.unit * self.target
        return np.r_[self.bias * (v[0] * self.target - self.shift @ w), w]


class Sums(NamedTuple):
    """What one pass tells: Σ c, Σ_O c, Σ_I c r², Σ_O c |r|, Σ_I c r z, Σ_O c s z, Σ_I c z zᵀ."""

    mass: float
    outside: float
    squares: float
    beyond: float
    pull: np.ndarray
    signs: np.ndarray
    gram: np.ndarray

    def plus(self, other: Sums) -> Sums:
        both: Any = zip(self, other, strict=True)
        return Sums(*(a + b for a, b in both))


def sums_of(block: Block, columns: Columns, v: np.ndarray, sigma: float, epsilon: float) -> Sums:
    Z = columns.rows(block.X)
    c = block.weight / columns.mass if block.weighted else np.ones(len(Z))
    r = block.y / columns.target - Z @ v
    out = huber.is_outlier(r, sigma, epsilon)
    ci, co = np.where(out, 0.0, c), np.where(out, c, 0.0)
    near = Z[~out]
    gram = near.T @ (near * ci[~out, None]) if block.weighted else near.T @ near
    return Sums(
        float(c.sum()), float(co.sum()), float(ci @ (r * r)), float(co @ np.abs(r)),
        (ci * r) @ Z, (co * np.sign(r)) @ Z, gram,
    )  # fmt: skip


def soft_gram(block: Block, columns: Columns, v: np.ndarray, sigma: float, epsilon: float):
    """Σ c z zᵀ min(1, εσ/|r|): a parabola with this curvature lies above P and touches it."""
    Z = columns.rows(block.X)
    c = block.weight / columns.mass if block.weighted else np.ones(len(Z))
    size = np.abs(block.y / columns.target - Z @ v)
    return Z.T @ (Z * (c * epsilon * sigma / np.maximum(size, epsilon * sigma))[:, None])


def columns_of(some: Block, bias: bool) -> Columns:
    """From some of the rows: shift and units need not be exact."""
    X = some.X
    if sparse.issparse(X):
        shift, spread = np.zeros(X.shape[1]), abs(X).max(axis=0).toarray().ravel()
    else:
        X = X.astype(np.float64)
        half = 0.5 * X.min(axis=0) + 0.5 * X.max(axis=0) if bias else np.zeros(X.shape[1])
        shift = half.astype(np.float64)
        spread = np.abs(X - shift).max(axis=0)
    return Columns(
        shift, near_power(spread), float(near_power(np.abs(some.y).max(initial=0.0))),
        float(near_power(some.weight.max(initial=0.0))) if some.weighted else 1.0, float(bias),
    )  # fmt: skip


def near_power(values: Any) -> np.ndarray:
    """Powers of two near these numbers, 1 for 0."""
    return np.where(np.asarray(values) > 0, np.ldexp(1.0, np.frexp(values)[1] - 1), 1.0)


@dataclass
class State:
    v: np.ndarray
    sigma: float
    sums: Sums
    value: float
    status: Status | None = None
    passes: int = 1
    t: float = 0.0
    note: str = ""


@dataclass
class HuberNewton:
    """Minimise P over w, b and σ.

    Parameters
    ----------
    engine : rows with targets (n,) and weights
    epsilon, alpha : as in ``HuberRegressor``
    fit_intercept : whether there is a bias
    columns : coordinates to work in; by default made from some rows
    start : v and σ in these coordinates; by default the least-squares fit
    """

    engine: Engine
    epsilon: float
    alpha: float = 0.0
    fit_intercept: bool = True
    columns: Columns | None = None
    start: tuple[np.ndarray, float] | None = None
    task: str = field(default="Huber's regression", init=False)

    def __post_init__(self) -> None:
        n, d = self.engine.n_rows, self.engine.n_features
        share = max(MANY_ROWS // 4, ROWS_PER_COLUMN * d)
        some = self.engine.some(share)
        if self.columns is None:
            self.columns = columns_of(some, self.fit_intercept)
        c = self.columns
        # in these coordinates P is divided by mass · target
        penalty = self.alpha * c.target / c.mass / c.unit / c.unit
        self.ridge = np.r_[0.0, penalty]
        if self.start is None and n > MANY_ROWS and n > 4 * share:
            part = HuberNewton(
                choose(some.X, some.y, some.weight), self.epsilon, self.alpha * len(some.y) / n,
                self.fit_intercept, c, (np.zeros(d + 1), np.inf),
            )  # fmt: skip
            found = run(part, MOST_ROUNDS).details
            self.start = found["v"], found["sigma"]

    def init(self) -> State:
        d = self.engine.n_features
        v, sigma = self.start or (np.zeros(d + 1), np.inf)
        state = self._at(v, sigma)
        if not np.isfinite(state.sums.squares + state.sums.beyond):
            state.status = Status.STALLED
        return state

    def _at(self, v: np.ndarray, sigma: float) -> State:
        sums = self.engine.fold(sums_of, self.columns, v, sigma, self.epsilon)
        return State(v, sigma, sums, self._value(v, sigma, sums))

    def _value(self, v: np.ndarray, sigma: float, s: Sums) -> float:
        if sigma == np.inf:
            return np.inf
        losses = huber.total(sigma, self.epsilon, s.mass, s.outside, s.squares, s.beyond)
        return losses + float(self.ridge @ (v * v))

    def step(self, state: State) -> State:
        first = state.value == np.inf
        delta, sigma, soft = self._model(state)
        if not first and not self._gain(state, delta, sigma) > LEVEL * state.value:
            state.status = Status.CONVERGED
        new = self._along(state, delta, sigma, 1.0)
        for _ in range(MOST_HALVINGS):
            if new.value < state.value or first or state.status is not None:
                break
            new = self._along(state, delta, sigma, 0.5 * new.t)
        if not (new.value < state.value or first):
            state.status, state.passes = state.status or Status.STALLED, new.passes
            return state
        while soft and sigma == state.sigma:  # parabolas are far too steep: go on while it falls
            further = self._along(new, delta, sigma, 4.0 * new.t)
            if not further.value < new.value:
                new.passes = further.passes
                break
            new = further
        new.status = state.status
        if sigma <= NOTHING and new.value > 0.5 * state.value:
            new.status = Status.CONVERGED
        return new

    def _along(self, state: State, delta: np.ndarray, sigma: float, t: float) -> State:
        """Part t of a step, or further from where it led."""
        to = sigma if t >= 1.0 else (1.0 - t) * state.sigma + t * sigma
        new = self._at(state.v + t * delta, to)
        new.passes, new.t = state.passes + 1, t
        share = new.sums.outside / new.sums.mass
        new.note = f"objective {new.value:.6g}, {share:.0%} outliers"
        return new

    def _model(self, state: State) -> tuple[np.ndarray, float, bool]:
        """The minimum of the piece, δ and σ; or that of parabolas that take its place."""
        s, first = state.sums, state.sigma == np.inf
        room, bend = s.mass - self.epsilon**2 * s.outside, np.diag(self.ridge)
        if not first and not _definite(s.gram + state.sigma * bend):
            soft = self.engine.fold(soft_gram, self.columns, state.v, state.sigma, self.epsilon)
            if _rank(soft) > _rank(s.gram):  # the piece has no minimum: parabolas for outliers
                return *self._softly(state, room, soft), True
        if self.ridge.any() and not first:
            return *self._bent(state, room, bend), False
        start, along = _solve(s.gram + bend, np.stack([s.pull, self.epsilon * s.signs], axis=1)).T
        squares = max(s.squares - float(start @ s.pull), 0.0)
        room -= self.epsilon * float(along @ s.signs)
        sigma = np.sqrt(squares / room) if room > 0.0 else 2.0 * state.sigma
        sigma = max(float(sigma), self._lowest(state))
        return start + sigma * along, sigma, False

    def _softly(self, state: State, room: float, soft: np.ndarray) -> tuple[np.ndarray, float]:
        """σ waits until the weights have settled for it."""
        s, bend = state.sums, np.diag(self.ridge)
        slope = s.pull + state.sigma * (self.epsilon * s.signs - self.ridge * state.v)
        delta = _solve(soft + state.sigma * bend, slope)
        if float(slope @ delta) > SETTLED * state.sigma * state.sigma * s.mass:
            return delta, state.sigma
        return self._bent(state, room, bend + (soft - s.gram) / state.sigma)

    def _bent(self, state: State, room: float, bend: np.ndarray) -> tuple[np.ndarray, float]:
        """The same with curvature ``bend`` besides G/σ: the slope in σ rises, so it is halved."""
        s = state.sums

        def at(sigma: float) -> tuple[np.ndarray, bool]:
            slope = s.pull + sigma * (self.epsilon * s.signs - self.ridge * state.v)
            delta = _solve(s.gram + sigma * bend, slope)
            squares = s.squares - float(delta @ (2.0 * s.pull - s.gram @ delta))
            return delta, room * sigma * sigma > squares

        low, high = self._lowest(state), 2.0 * state.sigma
        delta, rising = at(low)
        if rising:
            return delta, low
        for _ in range(MOST_ROUNDS):
            sigma = float(np.sqrt(low * high))
            delta, rising = at(sigma)
            low, high = (low, sigma) if rising else (sigma, high)
            if high <= low * (1.0 + 1e-13):
                break
        return delta, sigma

    def _lowest(self, state: State) -> float:
        if state.sigma == np.inf:
            return NOTHING / 2
        few = self.engine.n_rows < FEW_ROWS * len(state.v)
        return max((CAREFUL if few else FASTEST) * state.sigma, NOTHING / 2)

    def _gain(self, state: State, delta: np.ndarray, sigma: float) -> float:
        """By how much P falls, as the piece promises."""
        s = state.sums
        squares = s.squares - float(delta @ (2.0 * s.pull - s.gram @ delta))
        beyond = s.beyond - float(delta @ s.signs)
        promised = s._replace(squares=max(squares, 0.0), beyond=beyond)
        return state.value - self._value(state.v + delta, sigma, promised)

    def result(self, state: State) -> Result:
        c = self.columns
        assert c is not None
        weights = c.original(state.v)
        sigma = state.sigma if state.sigma > NOTHING else 0.0
        details = {"scale": sigma * c.target, "v": state.v, "sigma": state.sigma}
        status = state.status or Status.MAX_ITER
        return Result(weights, status, state.passes, state.passes, None, details)


def _scaled(G: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """G with ones on its diagonal, and the lengths of its columns."""
    unit = np.sqrt(G.diagonal())
    unit[unit == 0.0] = 1.0
    return G / unit / unit[:, None], unit


def _definite(G: np.ndarray) -> bool:
    try:
        R = linalg.cholesky(_scaled(G)[0], check_finite=False)
    except linalg.LinAlgError:
        return False
    return bool(np.square(R.diagonal()).min() > SINGULAR * len(G))


def _rank(G: np.ndarray) -> int:
    values = linalg.eigvalsh(_scaled(G)[0], check_finite=False)
    return int(np.count_nonzero(values > SINGULAR * len(G) * values[-1]))


def _solve(G: np.ndarray, right: np.ndarray) -> np.ndarray:
    """G⁻¹ right, shortest where columns depend on each other."""
    scaled, unit = _scaled(G)
    tall = unit[:, None] if right.ndim == 2 else unit
    if _definite(G):
        factor = linalg.cho_factor(scaled, check_finite=False)
        return linalg.cho_solve(factor, right / tall, check_finite=False) / tall
    values, V = linalg.eigh(scaled, check_finite=False)
    some = values > SINGULAR * len(G) * values[-1]
    inverse = V[:, some] / values[some]
    return inverse @ (V[:, some].T @ (right / tall)) / tall
