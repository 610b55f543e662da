"""Newton's method for piecewise quadratic margin objectives, which ends after finitely many steps.

    W ← W + t D,     H D = −g on the active rows,     t exact: the minimum along D

The objective is quadratic as long as no row becomes active or stops being so: when a full step
changes no row's state, its end is the minimum to rounding. The step t = 1 is taken where it is
nearly the best; margins are linear in t, so the search itself reads no data.

The rows grow: a share of them is solved first, then a larger one, and few steps are left for all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.results import Look, Result, Status, ended

from .blocks import Pieces
from .objective import MarginObjective, Point
from .systems import make_system

ROWS_A_WEIGHT, FEWEST_ROWS, GROWTH = 20, 2048, 12
SHARE_TOL, MOST_SHARE_STEPS = 1e-4, 30
# The slope at t = 1 against that at 0: below this the search is not worth another pass.
FLAT = 0.2
# So many steps that hardly change the gap, though the next promises nothing, are rounding.
PATIENCE = 4
# So many passes without some gain of the objective are rounding, too.
LOST, SOME = 40, 1e-9


@dataclass
class State:
    point: Point
    system: Any
    primal: float = np.inf
    gap: float = np.inf
    decrement: float = np.inf
    passes: int = 1
    stalled: int = 0
    best_pass: int = 0
    best: tuple[float, float, Point] | None = None  # least P so far, with its gap and its point
    status: Status | None = None
    note: str = ""


def newton_step(objective: MarginObjective, point: Point, system: Any, pieces: Pieces):
    """One step: the new point, g·H⁻¹g at the old one, the number of passes and the step t."""
    D = system.direction(point, pieces)
    slope = float(point.gradient @ D)
    there = objective.evaluate(point.W + D, pieces)
    end = float(there.gradient @ D)
    if abs(end) <= -FLAT * slope or not slope < 0.0:
        return there, -slope, 1, 1.0
    t = objective.search(point, there, D, pieces)
    return objective.evaluate(point.W + t * D, pieces), -slope, 2, t


@dataclass
class FiniteNewton:
    """Solver for the squared hinge.

    Parameters
    ----------
    objective : MarginObjective with ``squared=True``
    tol : relative accuracy of the objective; 0 goes on until no row changes its state
    initial : first weights (d + 1), or None
    log : where each step is written down, or None
    """

    objective: MarginObjective
    tol: float = 1e-10
    initial: np.ndarray | None = None
    log: list[Look] | None = None
    task: str = "linear SVM, squared hinge (finite Newton)"

    def init(self) -> State:
        whole, W = self.objective, self.initial
        if W is None:
            W = grown_weights(whole, self.log)
        return self._judge(State(whole.evaluate(W), make_system(whole)))

    def step(self, state: State) -> State:
        before, gap = state.point, state.gap
        pieces = self.objective.smooth
        state.point, state.decrement, passes, t = newton_step(
            self.objective, before, state.system, pieces
        )
        state.passes += passes
        if self.log is not None:
            self.log.append(look(self.objective, before, t))
        self._judge(state)
        # Once no row changes its state, further steps only mend the rounding of the solution.
        settled = t == 1.0 and self.objective.settled(before, state.point)
        state.stalled = 0 if state.gap < 0.5 * gap else state.stalled + 1
        idle = state.stalled >= PATIENCE and state.decrement <= self.tol * state.primal
        lost = state.passes - state.best_pass > LOST  # all steps are rounding
        if state.status is None and ((settled and state.stalled) or idle or lost):
            state.status = Status.STALLED
        return state

    def _judge(self, state: State) -> State:
        whole = self.objective
        state.primal, state.gap = whole.primal(state.point), whole.gap(state.point)
        state.note = f"objective {state.primal:.6g}, gap {state.gap:.2g}"
        if state.best is None or state.primal < state.best[0]:
            if state.best is None or state.primal < (1.0 - SOME) * state.best[0]:
                state.best_pass = state.passes
            state.best = state.primal, state.gap, state.point
        if state.gap <= self.tol * state.primal:
            state.best = state.primal, state.gap, state.point
            state.status = Status.CONVERGED
        return state

    def result(self, state: State) -> Result:
        assert state.best is not None
        primal, gap, point = state.best
        details = {"alpha": point.alpha, "primal": primal, "gap": gap}
        status = state.status or Status.MAX_ITER
        log = None
        if self.log is not None:
            if point is not state.point:
                away = look(self.objective, state.point)
                self.log.append(away._replace(moved=True, by="back to the best"))
            log = ended(self.log, look(self.objective, point))
        return Result(point.W, status, state.passes, state.passes, log, details)


def look(objective: MarginObjective, point: Point, t: float = np.nan) -> Look:
    """What a log says of a point, and of the step t that was made from it."""
    numbers = {"P": objective.primal(point), "gap": objective.gap(point)}
    numbers["active"] = int(np.count_nonzero(point.active))
    return Look(point.W, numbers | {"t": t}, objective.n, moved=t == t)


def grown_weights(whole: MarginObjective, log: list[Look] | None = None) -> np.ndarray:
    """Weights of a share of the rows, solved to a few digits; zeros if the table is small."""
    W, rows = np.zeros(whole.d + 1), max(FEWEST_ROWS, ROWS_A_WEIGHT * (whole.d + 1))
    while rows * 3 < whole.n:
        part = whole.share(rows)
        rows *= GROWTH
        if part is None:
            continue
        point, system, pieces = part.evaluate(W), make_system(part), part.smooth
        for _ in range(MOST_SHARE_STEPS):
            before = point
            point, decrement, _, t = newton_step(part, point, system, pieces)
            if log is not None:
                log.append(look(part, before, t))
            if decrement <= SHARE_TOL * part.primal(point):
                break
        W = point.W
    return W
