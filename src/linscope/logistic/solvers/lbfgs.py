"""SciPy's L-BFGS on a smooth objective: one pass over the rows an evaluation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from linscope.results import Result, Status

from .objective import LogisticObjective, Point

STEPS_A_RUN = 200


@dataclass
class State:
    point: Point
    inverse: np.ndarray | None = None
    steps: int = 0
    passes: int = 1
    status: Status | None = None
    note: str = ""


@dataclass
class LBFGS:
    """One step is a run of SciPy's routine; it begins again while that helps.

    It stops when the gradient times the last inverse Hessian estimate promises less than tol·P, or
    after ``most_steps`` iterations of all runs.
    """

    objective: LogisticObjective
    tol: float = 1e-8
    initial: np.ndarray | None = None
    most_steps: int = 1000
    task: str = "logistic regression (L-BFGS)"

    def init(self) -> State:
        W = np.zeros(self.objective.shape) if self.initial is None else self.initial
        return State(self.objective.evaluate(W))

    def step(self, state: State) -> State:
        whole, before = self.objective, state.point
        best = [before]

        # Weights that a large penalty holds back would need steps of another size.
        units = np.ones(whole.shape)
        units[:, 1:] = 1.0 / np.sqrt(1.0 + whole.rho)
        unit = units.ravel()

        def function(v: np.ndarray) -> tuple[float, np.ndarray]:
            point = whole.evaluate(unit * v)
            state.passes += 1
            if point.value <= best[0].value:
                best[0] = point
            return point.value, unit * point.gradient.ravel()

        most = min(STEPS_A_RUN, self.most_steps - state.steps)
        options = {"maxiter": most, "ftol": 0.0, "gtol": 0.0, "maxls": 50}
        options["gtol"] = self.tol * max(1.0, whole.residuals(before))
        start = before.W.ravel() / unit
        run = minimize(function, start, jac=True, method="L-BFGS-B", options=options)
        state.point = best[0]
        state.steps += int(run.nit)
        g = unit * state.point.gradient.ravel()
        promised = 0.5 * abs(float(g @ run.hess_inv.matvec(g)))
        gained = before.value - state.point.value
        if promised <= self.tol * abs(state.point.value) or gained <= 1e-15 * before.value:
            state.status = Status.CONVERGED
        elif state.steps >= self.most_steps:
            state.status = Status.MAX_ITER
        return state

    def result(self, state: State) -> Result:
        details = {"point": state.point, "decrement": None, "passes": state.passes}
        status = state.status or Status.MAX_ITER
        return Result(state.point.W, status, state.steps, state.passes, None, details)
