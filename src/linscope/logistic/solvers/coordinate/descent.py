"""Coordinate descent for logistic regression with an ℓ1 penalty or an elastic net.

    F(W) = l1 Σ|W_kj| + ½ l2 Σ W_kj² + Σ_i c_i f_i(W [1, x_i])            (j ≥ 1: the bias is free)

Proximal Newton: the loss is replaced by its quadratic model at W, coordinate descent minimises
model and penalty over a working set of columns, and Armijo's rule says how far to go there:

    F(W + t d) ≤ F(W) + σ t Δ,    Δ = ∇loss·d + penalty(W + d) − penalty(W)

Weights that the penalty holds at 0 are exactly 0. It stops when the duality gap, a proven bound
for F(W) − min F, is at most tol·F(W).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.engines import choose  # noqa: F401  (in the examples)
from linscope.results import Look, Result, Status, ended
from linscope.rows.blocks import Block
from linscope.rows.threads import one_blas_thread

from ..objective import LogisticObjective, Point
from .gap import class_sums, dual_bound, gap, penalty
from .model import ROUNDS, GramModel, Model, make_model

__all__ = ["Coordinate", "gap", "largest_l1", "null_weights"]

ARMIJO, SHORTEST = 1e-4, 2.0**-40
NOISE = 4e-15
# After so many steps each model is minimised with more care: columns nearly depend on each other.
MANY_STEPS = 20
# A model is kept while each step shrinks the gap at least so much.
GOOD_CONTRACTION = 0.01
# It ends after so many steps that change neither the objective nor the gap. That is rounding, and
# as good as convergence, if the gap is at most so large.
PATIENCE, ROUNDING_GAP = 5, 1e-10
# A long table is begun with a share of its rows: so many at least, and so many a weight. Its own
# minimum differs from that of all rows, so a few digits do.
FEWEST_ROWS, ROWS_A_WEIGHT = 4096, 20
SHARE_TOL, MOST_SHARE_STEPS = 1e-3, 20
# A shorter step than this tells that the model's curvature is far too small.
SHORT = 0.25
# Share of equal probabilities in the model's: the lesser only keeps the curvature off 0.
CAREFUL, CARELESS = 0.5, 1e-14


@dataclass
class State:
    point: Point
    value: float
    dual: float
    sums: np.ndarray
    columns: Any = None
    model: Model | None = None
    passes: int = 1
    steps: int = 0
    sweeps: int = 0
    stalled: int = 0
    careful: bool = False
    status: Status | None = None
    note: str = ""

    @property
    def gap(self) -> float:
        return max(self.value - self.dual, 0.0)


@dataclass
class Coordinate:
    """Solver for penalties that make weights exactly 0.

    Parameters
    ----------
    objective : LogisticObjective with rho = 0
    l1, l2 : the penalties; not both 0
    tol : duality gap, relative to the objective
    initial : first weights (rows, d + 1), or None for zeros and the best biases
    log : where each step is written down, or None
    """

    objective: LogisticObjective
    l1: float
    l2: float = 0.0
    tol: float = 1e-8
    initial: np.ndarray | None = None
    log: list[Look] | None = None
    task: str = "logistic regression (coordinate descent)"

    def __post_init__(self) -> None:
        if np.any(self.objective.rho != 0.0):
            raise ValueError(
                f"the objective must have rho = 0, got {self.objective.rho!r}: "
                "l1 and l2 hold the whole penalty"
            )
        if not (self.l1 >= 0 and self.l2 >= 0 and 0 < self.l1 + self.l2 < np.inf):
            raise ValueError(
                "l1 and l2 must be finite, at least 0 and not both 0, "
                f"got l1={self.l1!r} and l2={self.l2!r}"
            )

    def init(self) -> State:
        whole = self.objective
        sums = class_sums(whole)
        W = self.initial
        if W is None:
            W = self._solve_share(null_weights(whole, sums))
        point = whole.evaluate(W)
        dual = dual_bound(whole, point, sums, self.l1, self.l2)
        return State(point, self._value(point), dual, sums)

    def _solve_share(self, W: np.ndarray) -> np.ndarray:
        """Weights for some of the rows of a long table, which stand for all."""
        whole = self.objective
        rows = max(FEWEST_ROWS, ROWS_A_WEIGHT * whole.rows * (whole.d + 1))
        part = None if whole.is_sparse or whole.n < 3 * rows else whole.share(rows)
        if part is None:
            return W
        inner = Coordinate(part, self.l1, self.l2, tol=SHARE_TOL, initial=W, log=self.log)
        state = inner.init()
        for _ in range(MOST_SHARE_STEPS):
            state = inner.step(state)
            if state.status is not None:
                break
        return state.point.W

    def _value(self, point: Point) -> float:
        return point.value + penalty(point.W, self.l1, self.l2)

    def _noise(self, state: State) -> float:
        """Differences of F that are rounding: a loss is a difference of scores, often near 0."""
        largest = self.objective.engine.fold(_largest_scores, state.point.name)
        return NOISE * (abs(state.value) + largest)

    def step(self, state: State) -> State:
        """One quadratic model, and the pass over the rows that judges its minimum."""
        if state.gap <= self.tol * abs(state.value):
            state.status = Status.CONVERGED
            return state
        before, value = state.gap, state.value
        now = None if self.log is None else self._look(state)
        with one_blas_thread():  # many small products
            sweeps = state.sweeps
            there, t = self._advance(state)
        if self.log is not None and now is not None and there is not None:
            took = {"sweeps": state.sweeps - sweeps, "t": t}
            self.log.append(now._replace(numbers=now.numbers | took, moved=True))
        if there is not None:
            state.point, state.value = there, self._value(there)
            state.steps += 1
            bound = dual_bound(self.objective, there, state.sums, self.l1, self.l2)
            state.dual = max(state.dual, bound)
        state.careful = t < SHORT
        if t < 1.0 or state.gap > GOOD_CONTRACTION * before:
            state.model = None
        noise = self._noise(state)
        better = state.gap < before - noise or state.value < value - noise
        state.stalled = 0 if better else state.stalled + 1
        state.note = f"objective {state.value:.6g}, gap {state.gap:.2g}"
        self._judge(state)
        return state

    def _judge(self, state: State) -> None:
        if state.gap <= self.tol * abs(state.value):
            state.status = Status.CONVERGED
        elif state.stalled >= PATIENCE:
            good = state.gap <= ROUNDING_GAP * abs(state.value)
            state.status = Status.CONVERGED if good else Status.STALLED

    def _look(self, state: State) -> Look:
        W = state.point.W
        used = int(np.count_nonzero(W[:, 1:].any(axis=0)))
        numbers = {"P": state.value, "gap": state.gap, "features": used}
        return Look(W, numbers | {"sweeps": 0, "t": np.nan}, self.objective.n)

    def _advance(self, state: State) -> tuple[Point | None, float]:
        """The next point and the length of the step to it; None and 0 if there is none."""
        here = state.point
        if state.model is None:
            share = CAREFUL if state.careful else CARELESS
            made = make_model(self.objective, here, share, self.l1, state.columns)
            state.model, state.columns = made
            if isinstance(state.model, GramModel) and state.steps >= MANY_STEPS:
                state.model.rounds = ROUNDS
        W, sweeps = state.model.minimise(here, self.l1, self.l2)
        state.sweeps += sweeps
        there = self.objective.evaluate(W)
        state.passes += 1
        return self._search(state, there)

    def _search(self, state: State, there: Point) -> tuple[Point | None, float]:
        """The first of t = 1, ½, ¼, … that decreases F enough; scores need no pass."""
        here, move = state.point, there.W - state.point.W
        slope = float(np.sum(here.gradient * move))
        slope += penalty(there.W, self.l1, self.l2) - penalty(here.W, self.l1, self.l2)
        noise = self._noise(state)
        if self._value(there) <= state.value + ARMIJO * slope + noise:
            return there, 1.0
        t = 0.5
        while t > SHORTEST:
            W = here.W + t * move
            value = self.objective.between(here, there, t) + penalty(W, self.l1, self.l2)
            if value <= state.value + ARMIJO * t * slope + noise:
                return self.objective.evaluate(W), t
            t *= 0.5
        return None, 0.0

    def result(self, state: State) -> Result:
        details = {"point": state.point, "dual": state.dual, "gap": state.gap}
        details |= {"l1": self.l1, "l2": self.l2, "passes": state.passes}
        status = state.status or Status.MAX_ITER
        log = None if self.log is None else ended(self.log, self._look(state))
        return Result(state.point.W, status, state.steps, state.sweeps, log, details)


def _largest_scores(block: Block, name: str) -> float:
    """Σ c max_k |score|."""
    largest = np.abs(block.kept[name].scores).max(axis=1)
    return float(np.sum(block.weight * largest if block.weighted else largest))


def null_weights(objective: LogisticObjective, sums: np.ndarray | None = None) -> np.ndarray:
    """The best weights with no feature: b_k = log of the share of class k.

    Two classes have b = log(N_1 / N_0). Without a bias all weights are 0.
    """
    W = np.zeros(objective.shape)
    if objective.intercept:
        totals = (class_sums(objective) if sums is None else sums)[:, 0]
        logs = np.log(np.maximum(totals, np.finfo(float).tiny))
        W[:, 0] = logs[1] - logs[0] if objective.rows == 1 else logs - logs.mean()
    return W


def largest_l1(objective: LogisticObjective) -> float:
    """The least l1 for which all weights are 0.

    >>> engine = choose([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> largest_l1(LogisticObjective(engine, 2, rho=0.0))
    1.0
    """
    point = objective.evaluate(null_weights(objective))
    return float(np.abs(point.gradient[:, 1:]).max())
