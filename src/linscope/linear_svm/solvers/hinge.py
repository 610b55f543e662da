"""The hinge by the method of multipliers, with Newton's method inside.

    minimise over W     ½ Σ ρ_j W_j² + Σ_i φ_i(m_i),        φ_i' = −α_i
    then                a ← α = (a + k c (1 − m)), cut to [0, C c]

Each φ_i is the hinge with its kink rounded over a width of C/k, and the multipliers a move it until
the rounding no longer matters. So k may stay moderate, and the end is exact: α is feasible for the
dual, and P(W) − D(α) falls to rounding.

Only rows near their kink matter. The others keep α = 0 or α = C c, a constant pull on W, and are
looked at again in one pass a round. As the hinge is convex, leaving out rows this way can only
lower the objective; rows that crossed their kink meanwhile join, until none does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from linscope.results import Look, Result, Status, ended

from . import blocks
from .blocks import SLACK, Pieces
from .hinge_bias import hinge_bias
from .objective import NOTHING, MarginObjective, Point
from .squared_hinge import newton_step
from .systems import make_system

# The width of the rounded kink to begin with, after a warm start, and how k grows.
WIDTH, WARM_WIDTH, GROWTH_OF_K = 0.4, 0.02, 2.5
# Rows that are no more than the weights can have margins of 1 and an α far below C: there k times
# the largest squared row begins no larger, or rounding of the Newton systems hides α.
STIFF = 1e2
# α = a + k (1 − m) multiplies the rounding of m by k: where that shows, k shrinks.
SHRINKAGE_OF_K, LARGEST_K = 0.1, 1e12
# Newton steps end when the mismatch of W and α is this share of the gap's other part.
SHARE_OF_GAP, MOST_STEPS, MOST_UPDATES = 0.5, 50, 60
# A round solves its rows to this share of the gap over all rows, and should gain so much.
ROUND, LEAST_GAIN = 0.02, 0.5
# Near rows: so many times as many as are active, or as there are weights.
NEAR, FEWEST_NEAR = 2, 100
# A share of the rows comes first: so many a weight, solved roughly.
SHARE_ROWS, FEWEST_ROWS, SHARE_TOL = 20, 1000, 0.1
# Penalties below this share of C x² are lifted to it: P keeps its digits, α has some at all.
LEAST_PENALTY = 1e-14
# Updates or rounds that gain less than this, several in a row, are rounding.
SOME_GAIN, QUICK_GAIN, PATIENCE = 0.9, 0.1, 4


@dataclass
class State:
    point: Point
    pieces: Pieces
    primal: float = np.inf
    gap: float = np.inf
    passes: int = 1
    steps: int = 0
    fresh: bool = True  # no multipliers yet
    stalled: int = 0
    best: tuple[float, float, Point] | None = None  # least gap so far, with its P and its point
    status: Status | None = None
    note: str = ""


class Solved(NamedTuple):
    """Where the updates ended, with the a and k whose minimum this is."""

    point: Point
    pieces: Pieces
    steps: int


def solve_rows(
    part: MarginObjective, W: np.ndarray, pieces: Pieces, target: float, most: int = MOST_UPDATES
) -> Solved:
    """Multiplier updates until the gap over these rows is at most ``target``; the best of them."""
    system, steps, least, worse = make_system(part), 0, np.inf, 0
    for update in range(1, most + 1):
        point = part.evaluate(W, pieces)
        lacking, mismatch = part.gap_parts(point)
        for tried in range(MOST_STEPS):
            # New multipliers need one step at least to show in the weights.
            if lacking + mismatch <= target or (tried and mismatch <= SHARE_OF_GAP * lacking):
                break
            before, was = point, mismatch
            point, _, _, t = newton_step(part, point, system, pieces)
            lacking, mismatch = part.gap_parts(point)
            steps += 1
            if t == 1.0 and part.settled(before, point) and not mismatch < 0.1 * was:
                break  # exact to rounding
        gap, W = lacking + mismatch, point.W
        worse = 0 if gap < SOME_GAIN * least else worse + 1
        if gap < least or update == 1:
            least, best = gap, (point, pieces)
        if gap <= target or worse == PATIENCE or update == most:
            break
        k = pieces.k * (SHRINKAGE_OF_K if mismatch > lacking else GROWTH_OF_K)
        pieces = pieces._replace(a=point, k=min(k, LARGEST_K * pieces.u))
    return Solved(*best, steps)


@dataclass
class Multipliers:
    """Solver for the hinge.

    Parameters
    ----------
    objective : MarginObjective with ``squared=False``
    tol : duality gap, relative to the objective
    initial : first weights (d + 1), or None
    alpha : first dual coefficients (n), or None; they are cut to their box
    enough : from this gap on, relative to the objective, only quick gains are worth a round
    log : where each round is written down, or None
    """

    objective: MarginObjective
    tol: float = 1e-6
    initial: np.ndarray | None = None
    alpha: np.ndarray | None = None
    enough: float = 0.0
    log: list[Look] | None = None
    task: str = "linear SVM, hinge (method of multipliers)"

    def init(self) -> State:
        whole = self.objective
        least = LEAST_PENALTY * whole.C
        if (whole.rho[1:] < least).any():
            least *= min(1.0, whole.largest**2)
            rho = np.r_[whole.rho[0], np.maximum(whole.rho[1:], least)]
            whole = self.objective = replace(whole, rho=rho)
        W, a, width = self.initial, NOTHING, WARM_WIDTH
        if self.alpha is not None:
            top = whole.C * whole.c if len(whole.c) else whole.C
            a = np.minimum(np.maximum(np.asarray(self.alpha, dtype=np.float64), 0.0), top)
            if W is None:
                W = self._best_bias(whole.combine(a))
        elif W is None:
            W, width = self._from_share()
        k = whole.C / width
        if whole.n <= whole.d + 1:
            k = min(k, STIFF / max(whole.longest**2, np.finfo(float).tiny))
        pieces = Pieces(a, k, whole.C)
        return self._judge(State(whole.evaluate(W, pieces), pieces))

    def _best_bias(self, v: np.ndarray) -> np.ndarray:
        """w = v/ρ; a free bias starts from 0 and is left to the first Newton steps."""
        W = np.zeros_like(v)
        np.divide(v, self.objective.rho, out=W, where=self.objective.rho > 0.0)
        return W

    def _from_share(self) -> tuple[np.ndarray, float]:
        """Weights of some of the rows, and the width of the kink they were found with."""
        whole = self.objective
        rows, W = max(FEWEST_ROWS, SHARE_ROWS * (whole.d + 1)), np.zeros(whole.d + 1)
        part = whole.share(rows) if 3 * rows < whole.n else None
        if part is None:
            return W, WIDTH
        pieces = Pieces(NOTHING, part.C / WIDTH, part.C)
        found = solve_rows(part, W, pieces, SHARE_TOL * part.C * part.total)
        return found.point.W, part.C / found.pieces.k

    def step(self, state: State) -> State:
        """One round: the rows near their kink, then a pass over all."""
        assert state.best is not None
        before, rows, steps = state.best[0], self._near(state), state.steps
        seen = None if self.log is None else self._look(state)
        if rows is None:
            self._solve_all(state)
        else:
            self._solve_near(state, rows)
        if self.log is not None and seen is not None:
            took = {"newton_steps": state.steps - steps}
            self.log.append(seen._replace(numbers=seen.numbers | took, moved=True))
        self._judge(state)
        state.stalled = 0 if state.gap < SOME_GAIN * before else state.stalled + 1
        slow = before <= self.enough * state.primal and state.gap > QUICK_GAIN * before
        if state.status is None and (slow or state.stalled >= PATIENCE):
            state.status = Status.STALLED
        return state

    def _look(self, state: State) -> Look:
        active = int(np.count_nonzero(state.point.alpha))
        numbers = {"P": state.primal, "gap": state.gap, "active": active, "newton_steps": np.nan}
        return Look(state.point.W, numbers, self.objective.n)

    def _near(self, state: State) -> np.ndarray | None:
        """Rows near their kink and all whose α is strictly inside its box; None means all."""
        whole, point = self.objective, state.point
        size = NEAR * max(int(np.count_nonzero(point.active)), min(whole.d, whole.n), FEWEST_NEAR)
        if state.fresh or 2 * size >= whole.n:
            return None
        if size * (whole.d + 2) > whole.engine.room:
            return None
        words = point.name, whole.rank(size, blocks.distances, point.name), whole.C
        return whole.named_rows(blocks.near_rows, *words)

    def _solve_all(self, state: State) -> None:
        pieces, target, most = state.pieces, self._target(state), MOST_UPDATES
        if state.fresh:  # once, closely: W and Σ α y x must agree before rows are left out
            target, most = 0.4 * self.tol * state.primal, 1
        else:
            pieces = pieces._replace(a=state.point)
        found = solve_rows(self.objective, state.point.W, pieces, target, most)
        state.point, state.pieces, state.fresh = found.point, found.pieces, False
        state.passes, state.steps = state.passes + found.steps, state.steps + found.steps

    def _solve_near(self, state: State, rows: np.ndarray) -> None:
        whole, start, k = self.objective, state.point, state.pieces.k
        own, W = whole.multipliers(start, rows), start.W
        while True:
            part = whole.restrict(rows, start)
            found = solve_rows(part, W, Pieces(own, k, whole.C), self._target(state))
            W, k = found.point.W, found.pieces.k
            a = whole.patched(start, rows, part.multipliers(found.pieces.a))
            pieces = Pieces(a, k, whole.C)
            point = whole.evaluate(W, pieces)
            state.passes, state.steps = state.passes + 1, state.steps + found.steps
            crossed = whole.named_rows(blocks.crossed_rows, a.name, point.name, rows)
            if crossed is None or not len(crossed) or whole.gap(point) < LEAST_GAIN * state.gap:
                break
            own = np.r_[found.point.alpha, whole.multipliers(start, crossed)]
            rows = np.r_[rows, crossed]
            order = np.argsort(rows)
            own, rows = own[order], rows[order]
        state.point, state.pieces = point, pieces

    def _target(self, state: State) -> float:
        return max(0.4 * self.tol * state.primal, ROUND * state.gap)

    def _judge(self, state: State) -> State:
        whole = self.objective
        state.primal, state.gap = whole.primal(state.point), whole.gap(state.point)
        state.note = f"objective {state.primal:.6g}, gap {state.gap:.2g}"
        if state.best is None or state.gap < state.best[0]:
            state.best = state.gap, state.primal, state.point
        if state.gap <= self.tol * state.primal:
            state.status = Status.CONVERGED
        return state

    def result(self, state: State) -> Result:
        assert state.best is not None
        gap, primal, point = state.best
        W = point.W
        if self.objective.free_bias:
            W, gained = self._with_best_bias(point)
            gap, primal = gap - gained, primal - gained
        details = {
            "alpha": point.alpha,
            "primal": primal,
            "gap": max(gap, 0.0),
            "passes": state.passes,
        }
        status = state.status or Status.MAX_ITER
        log = None
        if self.log is not None:
            last = State(point, state.pieces, primal, max(gap, 0.0))
            log = ended(self.log, self._look(last)._replace(weights=W))
        return Result(W, status, state.passes, state.steps, log, details)

    def _with_best_bias(self, point: Point) -> tuple[np.ndarray, float]:
        """The weights with the best bias for their w, and by how much P is less."""
        whole, W = self.objective, point.W.copy()
        bias = hinge_bias(whole.engine, blocks.kinks, point.name, W[0])
        if bias is None:
            return W, 0.0
        loss = whole.engine.fold(blocks.loss_at_bias, point.name, W[0], bias)
        W[0] = bias
        return W, whole.C * (float(point.totals[SLACK]) - loss)
