"""Newton's method for all folds and all values of C.

    P_m(W) = ½ Σ ρ_j W_j² + C L_m(W)          H_m = diag(ρ) + C ∇²L_m          m = 0: all rows

For each C

1. the whole table is solved to a few digits; its passes are cheap, and the same pass gives L_m and
   ∇L_m of every fold at the weights of the whole table;
2. one more look there gives the Hessians of all folds, "all rows less its own";
3. all step together from there (or from their weights for the last C, whichever are better), one
   pass for all of them, with this Hessian. A fold that it does not serve well gets one of its own.

Hessians are kept, also for the next C, while they shrink the Newton decrement λ = √(gᵀH⁻¹g) well.
A problem is done when λ²/2, which estimates P − min P, is at most tol·P.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from linscope.results import Status

from ..preconditioner import without_common
from .table import FoldTable, Losses

# A Hessian is kept while a step shrinks the decrement at least so much.
GOOD_CONTRACTION = 0.2
ARMIJO, SHORTEST = 1e-4, 2.0**-40
ROUNDING = 1e-14
# About as far as the minimum of a fold is from that of the whole table.
ROUGH = 1e-4


class FoldNewton:
    """Weights, losses and Hessians of all problems; ``solve`` moves them to the next C.

    Parameters
    ----------
    table : FoldTable
    rho : penalty of each column, or one number
    tol : relative accuracy of each objective
    max_iter : most steps for one C
    """

    def __init__(self, table: FoldTable, rho: float | np.ndarray, tol: float, max_iter: int):
        self.table, self.tol, self.max_iter = table, tol, max_iter
        M = table.problems
        self.W = np.zeros((M, *table.shape))
        self.ridge = np.zeros(table.shape)
        self.ridge[:, 1:] = rho
        self.losses = table.evaluate_at(self.W[0])
        # ∇²L_m, and the weights at which it was taken (NaN: not yet, or only roughly).
        self.H = np.zeros((M, table.size, table.size))
        self.at = np.full_like(self.W, np.nan)
        self.status = [Status.CONVERGED] * M
        self.scored = np.full_like(self.W, np.nan)  # whose scores of the held-out rows are known
        self.factors: dict[int, Any] = {}
        self.C, self.steps = 0.0, 0

    def solve(self, C: float) -> None:
        """Weights of all problems for this C, starting from those we have."""
        self.C = C
        if np.isnan(self.at[0]).any():
            self.renew_whole()
        every = list(range(self.table.problems))
        whole = Steps(self, [0], max(self.tol, ROUGH))
        self._start_folds(whole.run())
        if whole.renewed:  # what the whole table needed, the folds need too
            self.renew(every)
        together = Steps(self, every, self.tol)
        together.run()
        self.factors, self.steps = together.factors, whole.steps + together.steps

    def value(self, W: np.ndarray, loss: np.ndarray) -> np.ndarray:
        """P of each of the problems."""
        return 0.5 * np.sum(self.ridge * W * W, axis=(1, 2)) + self.C * loss

    def decrement(self, m: int, factor: Any) -> tuple[np.ndarray, float]:
        """The Newton direction at W[m] and its λ."""
        g = self.ridge * self.W[m] + self.C * self.losses.gradient[m]
        D = -linalg.cho_solve(factor, g.ravel(), check_finite=False).reshape(g.shape)
        return without_common(D), float(np.sqrt(max(-np.vdot(g, D), 0.0)))

    def factor(self, m: int) -> Any:
        """Cholesky of H_m."""
        H = self.C * self.H[m]
        H.flat[:: len(H) + 1] += self.ridge.ravel()
        return cholesky(H)

    def _start_folds(self, common: Losses | None) -> None:
        """The weights of the whole table are a start for every fold, where they are better."""
        if common is None:
            return
        folds = slice(1, None)
        here = self.value(self.W[folds], self.losses.value[folds])
        there = self.value(np.broadcast_to(self.W[0], self.W[folds].shape), common.value[folds])
        for m in 1 + np.flatnonzero(there < here):
            self.W[m] = self.W[0]
            self.losses.value[m], self.losses.gradient[m] = common.value[m], common.gradient[m]

    def renew_whole(self) -> None:
        """A Hessian of the whole table that points the way; exact where that is cheap."""
        self.H[0] = self.table.rough_hessian(self.W[0])
        self.at[0] = self.W[0]

    def renew(self, problems: list[int]) -> None:
        """For all folds at once at the weights of the whole table; the second time at their own."""
        common = [m for m in problems if not (self.at[m] == self.W[0]).all()]
        own = [m for m in problems if m not in common]
        if common:
            every = list(range(self.table.problems))
            self.H[:] = self.table.hessians(self.W[0], every)
            self.at[:] = self.W[0]
        for m in own:
            self.H[m] = self.table.hessians(self.W[m], [m])[0]
            self.at[m] = self.W[m]


class Steps:
    """The steps of some problems for one C: all folds together, or the whole table alone."""

    def __init__(self, newton: FoldNewton, problems: list[int], tol: float):
        self.newton, self.whole, self.tol = newton, problems == [0], tol
        self.active = problems
        self.common: Losses | None = None
        self.renewed, self.steps = False, 0
        self.factors = {m: newton.factor(m) for m in problems if not np.isnan(newton.at[m]).any()}
        self.fresh = dict.fromkeys(problems, False)
        self.length = dict.fromkeys(problems, 1.0)
        self.P = dict(
            zip(
                problems,
                newton.value(newton.W[problems], newton.losses.value[problems]),
                strict=True,
            )
        )
        self.move: dict[int, np.ndarray] = {}
        self.decrement: dict[int, float] = {}

    def run(self) -> Losses | None:
        """Step until all are done; the losses of all problems at the end, if a pass gave them."""
        newton, every = self.newton, self.active
        self._renew([m for m in every if m not in self.factors])
        for m in every:
            self._aim(m)
        self._drop_finished()
        for _ in range(newton.max_iter):
            if not self.active:
                break
            self.step()
            self.steps += 1
        for m in every:
            newton.status[m] = Status.MAX_ITER if m in self.active else Status.CONVERGED
        stale = [m for m in every if m and not (newton.scored[m] == newton.W[m]).all()]
        if stale:
            newton.table.evaluate(newton.W, stale)
            newton.scored[stale] = newton.W[stale]
        return self.common

    def step(self) -> None:
        """One pass at the ends of all directions, and what follows from it."""
        newton, active = self.newton, self.active
        W = newton.W.copy()
        for m in active:
            W[m] += self.length[m] * self.move[m]
        if self.whole:
            losses = newton.table.evaluate_at(W[0])
        else:
            losses = newton.table.evaluate(W, active)
            newton.scored[active] = W[active]
        P = newton.value(W[active], losses.value[: len(active)])
        poor = []
        for k, m in enumerate(active):
            promised = ARMIJO * self.length[m] * self.decrement[m] ** 2
            if P[k] <= self.P[m] - promised + ROUNDING * abs(self.P[m]):
                newton.W[m], self.P[m] = W[m], P[k]
                newton.losses.value[m], newton.losses.gradient[m] = (
                    losses.value[k],
                    losses.gradient[k],
                )
                self.common = losses
                poor += self._accepted(m)
            else:
                poor += self._rejected(m)
        self._drop_finished()
        self._renew([m for m in poor if m in self.active])

    def _accepted(self, m: int) -> list[int]:
        """[m] if it needs a new Hessian."""
        before, full = self.decrement[m], self.length[m] == 1.0
        self._aim(m)
        self.length[m] = 1.0
        slow = not full or self.decrement[m] > GOOD_CONTRACTION * before
        self.fresh[m] = self.fresh[m] and slow
        if slow and self._at_rounding(m) and self.decrement[m] > 0.5 * before:
            self._drop(m)
        return [m] if slow else []

    def _rejected(self, m: int) -> list[int]:
        """The step was too long; if rounding leaves no shorter one, m stays where it is."""
        self.length[m] *= 0.5
        if self.length[m] < SHORTEST or self._at_rounding(m):
            self._drop(m)
        return [] if self.fresh[m] else [m]

    def _aim(self, m: int) -> None:
        self.move[m], self.decrement[m] = self.newton.decrement(m, self.factors[m])

    def _at_rounding(self, m: int) -> bool:
        return self.decrement[m] ** 2 <= 100.0 * ROUNDING * abs(self.P[m])

    def _drop(self, *done: int) -> None:
        self.active = [m for m in self.active if m not in done]

    def _drop_finished(self) -> None:
        tol = self.tol
        self._drop(
            *(m for m in self.active if 0.5 * self.decrement[m] ** 2 <= tol * abs(self.P[m]))
        )

    def _renew(self, poor: list[int]) -> None:
        if not poor:
            return
        self.renewed = True
        if self.whole:
            self.newton.renew_whole()
        else:
            self.newton.renew(poor)
        for m in self.active:
            if m in poor or not self.whole:
                self.factors[m] = self.newton.factor(m)
                self.fresh[m] = True
                self._aim(m)
        self._drop_finished()


def cholesky(H: np.ndarray) -> Any:
    """The factor, with a ridge if rounding made H singular."""
    ridge = 0.0
    while True:
        try:
            return linalg.cho_factor(H, check_finite=False)
        except linalg.LinAlgError:
            step = max(100.0 * ridge, 1e-14 * float(np.trace(H)) / len(H))
            H = H + (step - ridge) * np.eye(len(H))
            ridge = step
