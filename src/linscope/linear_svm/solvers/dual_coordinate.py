"""Dual coordinate descent, one sample at a time: the textbook method for linear SVMs.

    maximise D(α) over one α_i at a time; w = Σ α_i y_i x_i is kept along          (penalised bias)

The bias is the weight of a constant column and is penalised like the others, as in LIBLINEAR: a
free bias would tie the α_i together by Σ α_i y_i = 0 (see ``hinge`` for that). It stops when
the duality gap is at most tol·P.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from linscope.losses import hinge, squared_hinge
from linscope.results import Result, Status, VisitOrder
from linscope.rows.operations import as_rows

from . import dual_coordinate_loops as loops
from .dual_coordinate_loops import Box

NOTHING, NO_ROWS = np.zeros(0), np.zeros((0, 0))
# When the working rows have converged to this, all rows come back; then ever more closely.
FIRST_EPS, CLOSER = 0.1, 0.25


@dataclass(frozen=True)
class StepLog:
    """Which visits changed their α, and the new α; the rest is replayed.

    Attributes
    ----------
    initial, alpha : weights and dual coefficients before the first visit
    updates : number of each visit (from 0) that changed its α
    values : the new α of each
    n_visits : how many visits there were
    order : which sample is at which visit
    """

    initial: np.ndarray
    alpha: np.ndarray
    updates: np.ndarray
    values: np.ndarray
    n_visits: int
    order: VisitOrder

    def __len__(self) -> int:
        return len(self.updates)

    @property
    def batches_per_epoch(self) -> int:
        return self.order.n_samples

    @cached_property
    def samples(self) -> np.ndarray:
        """The sample of each update."""
        return self.order.samples(self.updates)

    @cached_property
    def _by_sample(self) -> np.ndarray:
        """The updates sorted by sample, and by time for each."""
        return np.argsort(self.samples, kind="stable")

    @cached_property
    def before(self) -> np.ndarray:
        """The α of each update's sample before it."""
        turn = self._by_sample
        rows, values = self.samples[turn], self.values[turn]
        same = np.r_[False, rows[1:] == rows[:-1]] if len(rows) else np.zeros(0, bool)
        out = np.empty(len(turn))
        out[turn] = np.where(same, np.r_[0.0, values[:-1]][: len(rows)], self.alpha[rows])
        return out

    def alpha_at(self, visits: np.ndarray) -> np.ndarray:
        """The α of the visited sample before each of these visits."""
        turn, rows = self._by_sample, self.order.samples(visits)
        if not len(turn):
            return self.alpha[rows]
        known, most = self.samples[turn], self.n_visits + 1
        last = np.searchsorted(known * most + self.updates[turn], rows * most + visits) - 1
        found = np.maximum(last, 0)
        earlier = (last >= 0) & (known[found] == rows)
        return np.where(earlier, self.values[turn][found], self.alpha[rows])


@dataclass
class State:
    w: np.ndarray
    alpha: np.ndarray
    order: np.ndarray
    initial: tuple[np.ndarray, np.ndarray]
    updates: np.ndarray
    values: np.ndarray
    logged: int = 0
    highest: float = np.inf
    lowest: float = -np.inf
    eps: float = FIRST_EPS
    epoch: int = 0
    visits: int = 0
    primal: float = np.inf
    gap: float = np.inf
    status: Status | None = None
    note: str = ""


@dataclass
class DualCoordinate:
    """Solver for either loss with a penalised bias, or with none.

    Parameters
    ----------
    X : C-contiguous array or CSR matrix; y : labels −1.0 and +1.0
    C : strength of the loss
    order : which sample is visited when
    squared : the squared hinge instead of the hinge
    c : positive weights of the samples, or empty
    tol : duality gap, relative to the objective
    shrink : whether samples at a bound are set aside
    alpha : first dual coefficients, or None for zeros; they are cut to their box
    keep_log : whether every change is recorded as a :class:`StepLog`; not with ``shrink``
    bias : the constant column, or 0 for a model without intercept
    """

    X: Any
    y: np.ndarray
    C: float
    order: VisitOrder
    squared: bool = False
    c: np.ndarray = field(default_factory=lambda: NOTHING)
    tol: float = 1e-6
    shrink: bool = True
    alpha: np.ndarray | None = None
    keep_log: bool = False
    bias: float = 1.0
    task: str = "linear SVM (dual coordinate descent)"

    def __post_init__(self) -> None:
        if self.keep_log and self.shrink:
            raise ValueError("a log has every row in every pass: use shrink=False")
        self.rows = as_rows(self.X, self.bias)
        self.y = np.ascontiguousarray(self.y, dtype=np.float64)
        q, u = (0.5 / self.C, np.inf) if self.squared else (0.0, self.C)
        self.box = Box(self.c, q, u)
        self.lengths = loops.square_lengths(self.rows, len(self.y))
        if not np.isfinite(self.lengths).all():
            raise ValueError("squares of X leave the range of floats: scale the columns of X")

    def init(self) -> State:
        n, w = len(self.y), np.zeros(self.X.shape[1] + 1)
        alpha = np.zeros(n) if self.alpha is None else self._inside(self.alpha)
        given = np.flatnonzero(alpha)
        loops.replay_steps(self.rows, self.y, given, np.zeros(len(given)), alpha[given], w, NO_ROWS)
        log = np.zeros(0, np.int64), np.zeros(0)
        return State(w, alpha, np.arange(n), (w.copy(), alpha.copy()), *log)

    def _inside(self, alpha: np.ndarray) -> np.ndarray:
        top = self.box.u * (self.c if len(self.c) else 1.0)
        return np.minimum(np.maximum(np.asarray(alpha, dtype=np.float64), 0.0), top)

    def step(self, state: State) -> State:
        """One pass over the rows that are not set aside."""
        order = self._next_order(state)
        begin = state.logged
        self._reserve(state, len(order))
        kept, top, bottom, state.logged = loops.descend_pass(
            self.rows, self.y, self.box, self.lengths, order, state.highest, state.lowest,
            state.alpha, state.w, state.updates, state.values, state.logged,
        )  # fmt: skip
        state.updates[begin : state.logged] += state.visits
        state.epoch += 1
        state.visits += len(order)
        state.order = order[:kept]
        if self.shrink:
            state.highest = top if top > 0.0 else np.inf
            state.lowest = bottom if bottom < 0.0 else -np.inf
        if not top - bottom > state.eps:
            self._judge(state)
            if kept == len(self.y):
                state.eps *= CLOSER
                if top == bottom == 0.0 and state.status is None:
                    state.status = Status.STALLED  # no α moves any more
            state.order, state.highest, state.lowest = np.arange(len(self.y)), np.inf, -np.inf
        return state

    def _next_order(self, state: State) -> np.ndarray:
        """All rows in the order of this pass, or another order of those that remain."""
        if len(state.order) == len(self.y):
            shuffled = self.order.epoch(state.epoch)
            return np.arange(len(self.y)) if shuffled is None else shuffled
        again = VisitOrder(len(state.order), self.order.seed).epoch(state.epoch)
        return state.order if again is None else state.order[again]

    def _reserve(self, state: State, count: int) -> None:
        need = state.logged + count
        if self.keep_log and need > len(state.updates):
            state.updates = np.resize(state.updates, 2 * need)
            state.values = np.resize(state.values, 2 * need)

    def _judge(self, state: State) -> None:
        """P, and its gap to D: both from w and α."""
        state.primal = self.primal(state.w)
        state.gap = state.primal - self.dual(state.w, state.alpha)
        state.note = f"objective {state.primal:.6g}, gap {state.gap:.2g}"
        if state.gap <= self.tol * state.primal:
            state.status = Status.CONVERGED

    def primal(self, w: np.ndarray) -> float:
        """P(w)."""
        c = self.c if len(self.c) else 1.0
        loss = squared_hinge.loss if self.squared else hinge.loss
        each = loss(self.y * (self.X @ w[1:] + self.bias * w[0]))
        return 0.5 * float(w @ w) + self.C * float(np.sum(c * each))

    def dual(self, w: np.ndarray, alpha: np.ndarray) -> float:
        """D(α), for w = Σ α y x."""
        bend = alpha * alpha / (self.c if len(self.c) else 1.0)
        return float(alpha.sum()) - 0.5 * float(w @ w) - 0.5 * self.box.q * float(bend.sum())

    def result(self, state: State) -> Result:
        self._judge(state)
        log, end = None, state.logged
        if self.keep_log:
            kept = state.updates[:end].copy(), state.values[:end].copy()
            log = StepLog(*state.initial, *kept, state.visits, self.order)
        details = {
            "alpha": state.alpha,
            "primal": state.primal,
            "gap": max(state.gap, 0.0),
            "visits": state.visits,
        }
        status = state.status or Status.MAX_ITER
        return Result(state.w, status, state.epoch, state.logged, log, details)
