"""Newton's method for the logistic objective of two classes, or of more with few weights in all.

    W ← W − t H⁻¹ g          g = ∇P(W), H about ∇²P(W), t = 1 or less by Armijo's rule

The gradient is always that of all rows in float64; H only has to point the way. So

- the rows grow: a small share of them is solved first, then a larger one, and few steps are left
  for the whole table;
- H comes from a share of the rows, in float32, and is kept while it contracts the decrement well,
  unless it is had in no time;
- the line search needs no data: scores are linear in the weights.

It stops when half the squared Newton decrement, which estimates P(W) − min P, is at most tol·P.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack

from linscope.results import Look, Result, Status, ended

from .objective import LogisticObjective, Point, look
from .preconditioner import without_common

# A share of the rows must determine all weights well.
ROWS_A_WEIGHT, FEWEST_ROWS, GROWTH = 40, 4096, 12
# H is kept while each step shrinks the decrement at least so much.
GOOD_CONTRACTION = 0.15
# H of so few multiplications costs no more than a pass, and saves some.
QUICK_HESSIAN = 3_000_000
# Where eliminating the others leaves less than this share of a column's square, float32 is too
# rough for H; where it leaves less than this share of its length, so is float64.
APART, DEPENDENT = 1e-6, 1e-14
# H of so many multiplications may be had by QR of the rows, which takes a few times as long.
QUICK_ROOT = 30_000_000
ARMIJO, SHORTEST = 1e-4, 2.0**-40
# Weights so large that a class is certain for every sample: no minimum is near.
LARGEST_SCORE = 1e4


def shares(n: int, d: int) -> list[int]:
    """How many rows to begin with, and then: each share so many times the one before.

    >>> shares(200_000, 20), shares(10_000, 20)
    ([4096, 49152], [])
    """
    rows, out = max(FEWEST_ROWS, ROWS_A_WEIGHT * (d + 1)), []
    while rows * 3 < n:
        out.append(rows)
        rows *= GROWTH
    return out


@dataclass
class State:
    point: Point
    factor: np.ndarray | None  # of H
    decrement: float = np.inf
    passes: int = 0
    steps: int = 0
    length: float = 1.0  # t of the last step
    status: Status | None = None
    note: str = ""


@dataclass
class Newton:
    """Solver for tables with some hundred weights.

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
    task: str = "logistic regression (Newton)"

    def init(self) -> State:
        whole = self.objective
        W, factor = self.initial, None
        if W is None:
            W = np.zeros(whole.shape)
            for rows in shares(whole.n, whole.d):
                W, factor = self._solve_share(rows, W)
        point = whole.evaluate(without_common(W))
        if self.initial is None and W.any() and not point.value <= whole.at_zero:
            # a row that no share has is far on the wrong side: begin again
            if self.log is not None:
                self.log.clear()
            return State(whole.evaluate(np.zeros(whole.shape)), None, passes=2)
        return State(point, factor, passes=1)

    def _solve_share(self, rows: int, W: np.ndarray) -> tuple[np.ndarray, Any]:
        """Weights and factor of H for some rows, which stand for all; unchanged if unfit."""
        part = self.objective.share(rows)
        if part is None:
            return W, None
        # Its own minimum is about √(p / rows) off, so a few digits do.
        inner = Newton(part, tol=1e-5, initial=W, log=self.log)
        state = inner.init()
        for _ in range(30):
            state = inner.step(state)
            if state.status is not None:
                break
        return state.point.W, _factor(part, state.point)

    def step(self, state: State) -> State:
        """One Newton step and the pass over the rows that judges it."""
        whole, here = self.objective, state.point
        if self._far(state):
            state.factor = None
        fresh = state.factor is None
        if state.factor is None:
            state.factor = _factor(whole, here)
        move, decrement = _ahead(state.factor, here)
        if 0.5 * decrement**2 <= self.tol * abs(here.value):
            state.decrement, state.status = decrement, Status.CONVERGED
            return self._noted(state, here, decrement)
        if not fresh and decrement > self._contraction * state.decrement:
            state.factor = _factor(whole, here)
            move, decrement = _ahead(state.factor, here)
        there = whole.evaluate(here.W + move)
        state.passes, state.length, seen = state.passes + 1, 1.0, decrement
        if not there.value <= here.value - ARMIJO * decrement**2:
            shorter, state.length = self._search(here, there, decrement)
            if shorter is None:
                state.status = Status.CONVERGED  # rounding: no better point can be told apart
                return self._noted(state, here, decrement)
            there, state.factor, decrement = shorter, None, np.inf
        state.point, state.decrement = there, decrement
        state.steps += 1
        state.note = f"objective {there.value:.6g}"
        if not np.any(whole.rho) and whole.least_score(there) > LARGEST_SCORE:
            state.status = Status.MAX_ITER
        return self._noted(state, here, seen, moved=True)

    @property
    def _contraction(self) -> float:
        """The decrement after a step, relative to the one before, up to which H is kept."""
        return 0.0 if self._quick else GOOD_CONTRACTION

    @property
    def _quick(self) -> bool:
        return self.objective.hessian_work <= QUICK_HESSIAN

    def _far(self, state: State) -> bool:
        """Whether the last H need not be asked if this is the end: r, the half squared decrement
        over P, is about squared by a step."""
        r = 0.5 * state.decrement**2 / (abs(state.point.value) + np.finfo(float).tiny)
        return self._quick and bool(r * r > self.tol)

    def _noted(
        self, state: State, here: Point, decrement: float = np.nan, moved: bool = False
    ) -> State:
        if self.log is not None:
            self.log.append(look(self.objective, here, decrement, state.length, moved))
        return state

    def _search(self, here: Point, there: Point, decrement: float) -> tuple[Point | None, float]:
        """The first of t = ½, ¼, … that decreases P enough, and t; scores need no pass."""
        whole, t = self.objective, 0.5
        while t > SHORTEST:
            if whole.between(here, there, t) <= here.value - ARMIJO * t * decrement**2:
                return whole.evaluate(here.W + t * (there.W - here.W)), t
            t *= 0.5
        return None, 0.0

    def result(self, state: State) -> Result:
        details = {"point": state.point, "decrement": state.decrement, "passes": state.passes}
        status = state.status or Status.MAX_ITER
        log = ended(self.log, look(self.objective, state.point))
        return Result(state.point.W, status, state.steps, state.passes, log, details)


def _ahead(factor: np.ndarray, here: Point) -> tuple[np.ndarray, float]:
    """−H⁻¹g and √(gᵀH⁻¹g)."""
    g = here.gradient.ravel()
    move = -lapack.dpotrs(factor, g)[0]
    return without_common(move.reshape(here.W.shape)), float(np.sqrt(max(-(g @ move), 0.0)))


def _factor(objective: LogisticObjective, point: Point) -> np.ndarray:
    """Upper triangular R with RᵀR = H.

    By Cholesky of H in float32, if no column of the rest is one of the others but for rounding;
    else by QR of the rows, where that is quick. Else in float64, with a ridge if H is singular.
    """
    H = objective.hessian(point, np.float32, whole=False)
    squares = H.diagonal().copy()
    factor, wrong = lapack.dpotrf(H.T, clean=0, overwrite_a=1)  # the lower triangle, in its place
    quick = objective.hessian_work <= QUICK_ROOT and not objective.is_sparse
    if wrong == 0 and not (quick and (factor.diagonal() ** 2 < APART * squares).any()):
        return factor
    root = _factor_of_rows(objective, point) if quick else None
    if root is not None:
        return root
    H = objective.hessian(point)
    if not np.isfinite(H).all():
        raise ValueError("the curvature is beyond the range of floats: scale the columns of X")
    ridge = 1e-14 * np.trace(H) / len(H)
    while wrong:
        factor, wrong = lapack.dpotrf(H + ridge * np.eye(len(H)))
        ridge *= 100.0
    return factor


def _factor_of_rows(objective: LogisticObjective, point: Point) -> np.ndarray | None:
    """The same from A with AᵀA = H, long rows first; None if columns are dependent."""
    A = objective.hessian_root(point)
    if not np.isfinite(A).all():
        return None
    A = A[np.argsort(-np.abs(A).max(axis=1), kind="stable")]
    R: Any = np.linalg.qr(A, mode="r")
    apart = np.abs(R.diagonal()) > DEPENDENT * np.linalg.norm(A, axis=0)
    return np.asfortranarray(R) if apart.all() else None
