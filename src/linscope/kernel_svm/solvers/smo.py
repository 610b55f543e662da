"""Sequential minimal optimisation as in the textbook, on a whole float64 Gram matrix.

    i = argmin g  of those that may grow       j = argmax (g_j − g_i)²/η  of those that may shrink
    η = K_ii + K_jj − 2K_ij                    t = min((g_j − g_i)/η, u_i − β_i, β_j − l_j)
    β_i ← β_i + t,  β_j ← β_j − t              g ← g + t(K_i − K_j)

Every step is logged, so that a trace can show and replay it. For large tables see
``decomposition``, which chooses pairs by the same rule.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from linscope.results import Result, Status

from .dual_problem import Ends, SvmProblem, ends, feasible, is_unbounded, result_of
from .pair_loops import TAU


@dataclass(frozen=True)
class PairLog:
    """Steps of sequential minimal optimisation, in order.

    Attributes
    ----------
    initial : β before the first step
    grown, shrunk : the samples i and j of each step
    change : by how much β_i grew and β_j shrank; α_i changed by y_i·change
    clipped : whether a bound cut the step short
    """

    initial: np.ndarray
    grown: np.ndarray
    shrunk: np.ndarray
    change: np.ndarray
    clipped: np.ndarray

    def __len__(self) -> int:
        return len(self.change)


@dataclass
class State:
    beta: np.ndarray
    g: np.ndarray
    limits: Ends
    log: list[tuple[int, int, float, bool]] = field(default_factory=list)
    status: Status | None = None
    note: str = ""

    @property
    def steps(self) -> int:
        return len(self.log)

    pairs = steps  # a step is a pair


@dataclass
class SMO:
    """Solver that logs its pairs.

    Parameters
    ----------
    problem : SvmProblem
    tol : largest gap max g (may shrink) − min g (may grow)
    initial : first α, or None for zeros; made feasible
    steps_a_call : pairs that one ``step`` takes
    """

    problem: SvmProblem
    tol: float = 1e-3
    initial: np.ndarray | None = None
    steps_a_call: int = 1
    task: str = "kernel SVM (SMO)"

    @property
    def y(self) -> np.ndarray:
        return self.problem.y

    def init(self) -> State:
        y = self.problem.y
        self.lower, self.upper = self.problem.lower, self.problem.upper
        samples = np.arange(len(y))
        K = self.problem.tiles(np.float64).block(samples, samples)
        # Rounding may differ on the two sides of the diagonal; a replay must not.
        self.K = 0.5 * (K + K.T)
        beta = np.zeros(len(y))
        if self.initial is not None:
            beta = feasible(y * self.initial, self.lower, self.upper)
        self.initial_beta = beta.copy()
        g = self.K @ beta - y
        return State(beta, g, ends(g, beta < self.upper, beta > self.lower))

    def step(self, state: State) -> State:
        for _ in range(self.steps_a_call):
            if not self._pair(state):
                break
        state.note = f"gap {state.limits.gap:.2g}"
        return state

    def _pair(self, state: State) -> bool:
        """One pair; False, and the status set, if that was the end."""
        K, beta, g = self.K, state.beta, state.g
        can_grow, can_shrink = beta < self.upper, beta > self.lower
        state.limits = ends(g, can_grow, can_shrink)
        if state.limits.gap <= self.tol:
            state.status = Status.CONVERGED
            return False
        i = int(np.argmin(np.where(can_grow, g, np.inf)))
        ahead = np.where(can_shrink, g - g[i], 0.0).clip(min=0.0)
        eta = np.maximum(K[i, i] + K.diagonal() - 2.0 * K[i], TAU)
        j = int(np.argmax(ahead**2 / eta))
        room_i, room_j = self.upper[i] - beta[i], beta[j] - self.lower[j]
        free = ahead[j] / eta[j]
        t = min(free, room_i, room_j)
        beta[i] = self.upper[i] if t == room_i else beta[i] + t
        beta[j] = self.lower[j] if t == room_j else beta[j] - t
        g += t * (K[i] - K[j])
        state.log.append((i, j, float(t), bool(t < free)))
        unbounded = not np.isfinite(self.problem.C).all()
        if unbounded and is_unbounded(beta, g, self.problem.y, K.diagonal()):
            state.status = Status.UNBOUNDED
            return False
        return True

    def result(self, state: State) -> Result:
        kinds = np.int64, np.int64, np.float64, bool
        columns = [np.array([step[k] for step in state.log], kind) for k, kind in enumerate(kinds)]
        found = result_of(self.problem, state.beta, state.g, state.limits.gap, state)
        return replace(found, log=PairLog(self.initial_beta, *columns))
