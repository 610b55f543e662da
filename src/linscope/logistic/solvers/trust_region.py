"""Newton's method with conjugate gradients, for tables of many columns and for many classes.

    minimise  q(D) = g·D + ½ D·HD  over ‖D‖_M ≤ Δ         g = ∇P(W), H = ∇²P(W), M ≈ H

by preconditioned conjugate gradients, which need H only in products. They end at the border of the
region, or when the residual is small enough for this step. Then W ← W + tD with t = 1, or less by
Armijo's rule; scores are linear in the weights, so shorter steps need no data. Δ follows how well
q predicted the change of P.

- With far fewer rows than columns the minimum is found in n coordinates first (``few_rows``).
- The rows grow: a share of them is solved first, and few steps are left for the whole table.
- Adding one vector to all K rows of weights changes no probability (nor, if they sum to 0 to begin
  with, is it ever worth it), so all directions sum to 0 over the classes.

It stops when half the squared Newton decrement gᵀH⁻¹g, which estimates P(W) − min P, is at most
tol·P.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linscope._compiling import kernel
from linscope.results import Look, Result, Status, ended

from .few_rows import in_all_columns, in_few_columns
from .objective import LogisticObjective, Point, look
from .preconditioner import Preconditioner, make_preconditioner, without_common

# A share of the rows is solved to a few digits: its own minimum is no nearer to that of all.
ROWS_A_WEIGHT, FEWEST_ROWS, GROWTH = 40, 4096, 4
ROUGH = 1e-3
# Residuals of conjugate gradients relative to the first: never solved less exactly than LOOSE.
LOOSE, FORCING, MOST_PRODUCTS = 0.35, 0.35, 500
# A last step from float32 may have so large a residual in float64.
STILL_GOOD = 0.4
# So many tell of an H that float32 may not resolve.
TOO_MANY_FOR_FLOAT32 = 60
ARMIJO, SHORTEST = 1e-4, 2.0**-40


class Direction(NamedTuple):
    """D, −g·D, the promised decrease −q(D), ‖D‖_M, and whether it ends at the border."""

    D: np.ndarray
    slope: float
    promised: float
    length: float
    at_border: bool
    products: int


@dataclass
class State:
    point: Point
    preconditioner: Preconditioner | None = None
    radius: float = np.inf
    decrement: float = np.inf
    passes: int = 1
    steps: int = 0
    products: int = 0
    length: float = 1.0  # t of the last step
    rough: bool = True  # products in float32
    toward: np.ndarray | None = None  # the step that was small enough to stop
    status: Status | None = None
    note: str = ""


@dataclass
class TrustRegion:
    """Solver for any table and any number of classes.

    Parameters
    ----------
    objective : LogisticObjective
    tol : relative accuracy of the objective
    initial : first weights (rows, d + 1), or None for zeros
    log : where each step is written down, or None
    """

    objective: LogisticObjective
    tol: float = 1e-8
    initial: np.ndarray | None = None
    log: list[Look] | None = None
    task: str = "logistic regression (trust region)"

    def init(self) -> State:
        whole = self.objective
        if self.initial is not None:
            W = np.asarray(self.initial, dtype=np.float64).reshape(whole.shape)
            return State(whole.evaluate(without_common(W * whole.mask)))
        W, known = self._from_few_columns(), None
        for rows in self._shares():
            W, known = self._solve_share(rows, W, known)
        point = whole.evaluate(W)
        if W.any() and not point.value <= whole.at_zero:
            # a row that no share has is far on the wrong side: begin again
            if self.log is not None:
                self.log.clear()
            return State(whole.evaluate(np.zeros(whole.shape)))
        return State(point, known)

    def _from_few_columns(self) -> np.ndarray:
        """The minimum of a table with few rows, but for rounding; else zeros."""
        found = in_few_columns(self.objective)
        if found is not None:
            part, S, L = found
            state = self._solved(TrustRegion(part, self.tol))
            if state.status is Status.CONVERGED:
                return in_all_columns(self.objective, state.point.W, S, L)
        return np.zeros(self.objective.shape)

    @staticmethod
    def _solved(inner: TrustRegion) -> State:
        state = inner.init()
        for _ in range(30):
            state = inner.step(state)
            if state.status is not None:
                break
        return state

    def _shares(self) -> list[int]:
        """How many rows to begin with, and then: each share so many times the one before."""
        n, p = self.objective.n, self.objective.d + 1
        rows, shares = max(FEWEST_ROWS, ROWS_A_WEIGHT * p), []
        while rows * 3 < n:
            shares.append(rows)
            rows *= GROWTH
        return shares

    def _solve_share(self, rows: int, W: np.ndarray, known: Preconditioner | None):
        """Weights and preconditioner of a share of the rows; those we had if it has no minimum."""
        part = self.objective.share(rows)
        if part is None:
            return W, known
        inner = TrustRegion(part, tol=ROUGH, initial=W, log=None if self.log is None else [])
        state = self._solved(inner)
        if state.status is not Status.CONVERGED:
            return W, known
        if self.log is not None and inner.log is not None:
            self.log += inner.log
        return state.point.W, state.preconditioner

    def step(self, state: State) -> State:
        """One direction, and the pass over the rows that judges it."""
        whole, here = self.objective, state.point
        M = state.preconditioner
        if M is None or M.products > M.patience:
            M = state.preconditioner = make_preconditioner(whole, here)
        ahead = self._direction(here, M, state.radius, state.rough)
        M.products = ahead.products
        state.products += ahead.products
        small = not ahead.at_border and 0.5 * ahead.slope <= self.tol * abs(here.value)
        if not self._trusted(here, state, ahead, small):
            return self.step(state)
        state.decrement = float(np.sqrt(max(ahead.slope, 0.0)))
        if small or not np.isfinite(ahead.slope):
            state.status = Status.CONVERGED if small else Status.MAX_ITER
            state.toward = ahead.D if small else None
            return self._noted(state, here, ahead)
        there: Point | None = self._move(state, ahead)
        if there is None:
            state.status = Status.CONVERGED  # rounding: no better point can be told apart
            return self._noted(state, here, ahead)
        state.point = there
        state.steps += 1
        state.note = f"objective {there.value:.6g}"
        if self._separated(there):
            state.status = Status.MAX_ITER
        return self._noted(state, here, ahead, moved=True)

    def _noted(self, state: State, here: Point, ahead: Direction, moved: bool = False) -> State:
        if self.log is not None:
            seen = here, state.decrement, state.length, moved
            self.log.append(look(self.objective, *seen, products=ahead.products))
        return state

    def _move(self, state: State, ahead: Direction) -> Point | None:
        """The end of the direction, or a point before it, if that is what decreases P."""
        there = self.objective.evaluate(state.point.W + ahead.D)
        state.passes, state.length = state.passes + 1, 1.0
        gained = state.point.value - there.value
        if not gained >= ARMIJO * ahead.slope:
            return self._search(state, there, ahead)
        state.radius = _next_radius(state.radius, ahead, gained)
        return there

    def _direction(self, here: Point, M: Preconditioner, radius: float, rough: bool) -> Direction:
        """Conjugate gradients from 0 (Steihaug)."""
        g = here.gradient
        D, R = np.zeros_like(g), -g
        Z = M.solve(R)
        V, rz = Z.copy(), _dot(R, Z)
        first, slope = rz, 0.0
        enough = self._forcing(here, first) ** 2 * first
        dd, dv, vv = 0.0, 0.0, rz  # inner products in M: ‖D‖², ⟨D, V⟩, ‖V‖²
        at_border, count = False, 0
        while count < MOST_PRODUCTS and rz > 0.0:
            count += 1
            HV = self.objective.product(here, V, rough=rough)
            curvature = _dot(V, HV)
            if not curvature > 0.0:
                break  # rounding: nothing is left to solve
            t = rz / curvature
            after = dd + 2 * t * dv + t * t * vv
            if after >= radius * radius:
                t = (-dv + np.sqrt(dv * dv + vv * (radius * radius - dd))) / vv
                at_border = True
            before, slope = slope, slope + t * rz  # −g·V = rz
            _advance(D, R, V, HV, t)
            dd = dd + 2 * t * dv + t * t * vv
            Z = M.solve(R)
            rz, old = _dot(R, Z), rz
            if at_border or (rz <= enough and count * (slope - before) <= 0.5 * slope):
                break
            beta = rz / old
            V *= beta
            V += Z
            dv, vv = beta * (dv + t * vv), rz + beta * beta * vv
        promised = 0.5 * (_dot(D, R) + slope)
        return Direction(D, slope, promised, float(np.sqrt(dd)), at_border, count)

    def _trusted(self, here: Point, state: State, ahead: Direction, small: bool) -> bool:
        """Whether rounding left a usable direction; if not, the next one is made with more care.

        Before the end the residual of a direction from float32 is looked at in float64.
        """
        M, g = state.preconditioner, here.gradient
        assert M is not None
        failed = not ahead.slope > 0.0 and g.any()
        if state.rough and not self.objective.is_sparse:
            state.rough = not (failed or ahead.products > TOO_MANY_FOR_FLOAT32)
            if state.rough and small:
                R = -g - self.objective.product(here, ahead.D)
                state.rough = _dot(R, M.solve(R)) <= STILL_GOOD**2 * _dot(g, M.solve(g))
            return state.rough or not (failed or small)
        if failed and M.inverse is not None:
            state.preconditioner = make_preconditioner(self.objective, here, plain=True)
            return False
        return True

    def _forcing(self, here: Point, first: float) -> float:
        """How small the residual should become: no smaller than the end needs, nor than Newton's
        method makes use of so far from the minimum."""
        value = abs(here.value) + np.finfo(float).tiny
        distance = 0.5 * first / value  # about (P − min P) / P
        needed = np.sqrt(0.1 * self.tol / distance) if distance > 0 else 1.0
        return min(LOOSE, max(needed, distance**FORCING))

    def _search(self, state: State, there: Point, ahead: Direction) -> Point | None:
        """The first of t = ½, ¼, … that decreases P enough; scores need no pass."""
        whole, here, t = self.objective, state.point, 0.5
        while t > SHORTEST:
            if whole.between(here, there, t) <= here.value - ARMIJO * t * ahead.slope:
                state.radius, state.length = t * ahead.length, t
                state.passes += 1
                return whole.evaluate(here.W + t * ahead.D)
            t *= 0.5
        return None

    def _separated(self, point: Point) -> bool:
        """Every sample is certain and on its own side: without a penalty no minimum exists."""
        whole = self.objective
        if np.any(whole.rho):
            return False
        return point.value <= self.tol * whole.total

    def result(self, state: State) -> Result:
        details = {
            "point": state.point,
            "decrement": state.decrement,
            "products": state.products,
            "passes": state.passes,
            "toward": state.toward,
        }
        status = state.status or Status.MAX_ITER
        log = ended(self.log, look(self.objective, state.point, products=0))
        return Result(state.point.W, status, state.steps, state.passes, log, details)


@kernel
def _advance(D, R, V, HV, t):
    """D ← D + t V, R ← R − t HV: one look at all four."""
    for k in range(D.shape[0]):
        for j in range(D.shape[1]):
            D[k, j] += t * V[k, j]
            R[k, j] -= t * HV[k, j]


def _dot(A: np.ndarray, B: np.ndarray) -> float:
    return float(np.vdot(A, B))


def _next_radius(radius: float, ahead: Direction, gained: float) -> float:
    if gained < 0.25 * ahead.promised:
        return 0.5 * ahead.length
    if gained > 0.75 * ahead.promised and ahead.at_border:
        return 3.0 * radius
    return radius
