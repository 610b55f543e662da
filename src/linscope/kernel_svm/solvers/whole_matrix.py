"""The kernel SVM of up to some hundred samples, on their whole float64 Gram matrix.

Pairs in compiled code, then the equations of the free samples (``free_samples``), in turn. When
``tol`` is reached a few more turns go on to ``aim``: for so few samples that costs next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linscope.kernels.tiles import MatrixTiles
from linscope.results import Result, Status
from linscope.rows.threads import Workers

from .dual_problem import Ends, SvmProblem, ends, feasible, is_unbounded, result_of
from .free_samples import polish
from .kernel_rows import KernelRows
from .pair_loops import BLOCK, solve_pairs

PAIRS_A_SAMPLE = 20
# Equations are tried below this gap. Turns after tol, and turns without progress, at most:
NEAR, EXTRA, STALLED = 0.2, 12, 8
MOST_PAIRS = 2_000_000
# Share of the largest kernel value that samples may have in common and keep.
COMMON = 0.5
# Kernel values so small leave ten digits after the point.
MODEST = 1e5


@dataclass
class State:
    """β with zeros up to the padded size, g of the samples, ends of the gap."""

    beta: np.ndarray
    g: np.ndarray
    limits: Ends
    objective: float = 0.0
    steps: int = 0
    pairs: int = 0
    extra: int = 0
    stalled: int = 0
    status: Status | None = None
    note: str = ""


@dataclass
class SvmSmall:
    """Solver of a small kernel SVM.

    Parameters
    ----------
    problem : SvmProblem
    tol : largest gap max g (may shrink) − min g (may grow)
    aim : smaller gap that is tried for, without promise
    initial : first α, or None for zeros; made feasible
    room : float64 memory for the Gram matrix, which problems that follow each other may share
    """

    problem: SvmProblem
    tol: float = 1e-3
    aim: float = 1e-3
    task: str = "kernel SVM"
    initial: np.ndarray | None = None
    room: np.ndarray | None = None
    lower: np.ndarray = field(init=False)
    upper: np.ndarray = field(init=False)

    def init(self) -> State:
        y = self.problem.y
        n = len(y)
        self.size = -(-n // BLOCK) * BLOCK
        self.K = self._matrix(n)
        samples = np.arange(n)
        self.problem.tiles(np.float64).fill(self.K, samples, samples, samples, 0)
        self._centre(n)
        self.diagonal = self.K.diagonal().copy()
        self.lower, self.upper = np.zeros(self.size), np.zeros(self.size)
        self.lower[:n], self.upper[:n] = self.problem.lower, self.problem.upper
        self.bounded = bool(np.isfinite(self.problem.C).all())
        beta = np.zeros(self.size)
        state = State(beta, -y, Ends(0.0, 0.0, 0.0))
        if self.initial is not None:
            beta[:n] = feasible(y * self.initial, self.lower[:n], self.upper[:n])
            state.g = self.K[:n] @ beta - y
        self._look(state)
        return state

    def _matrix(self, n: int) -> np.ndarray:
        """Zeros, in the given memory if that is large enough: new memory takes time."""
        if self.room is None or len(self.room) < self.size**2:
            return np.zeros((self.size, self.size))
        K = self.room[: self.size**2].reshape(self.size, self.size)
        K[n:], K[:, n:] = 0.0, 0.0
        return K

    # With Σβ = 0 the objective is that of K_ij − m_i − m_j + m, and g moves by Σ m_i β_i only.
    def _centre(self, n: int) -> None:
        """Take off what all samples have in common: their differences keep more digits."""
        own = self.K[:n, :n]
        self.means = np.zeros(n)
        if not n or (self.aim >= self.tol and np.abs(own.diagonal()).max() <= MODEST):
            return  # there are digits enough
        means = own.mean(axis=0)
        if np.abs(means).max() <= COMMON * np.abs(own.diagonal()).max():
            return
        self.means = means
        own -= self.means
        own -= (self.means - self.means.mean())[:, None]

    def step(self, state: State) -> State:
        target = self.aim if state.limits.gap <= self.tol else max(self.aim, self.tol)
        self._pairs(state, target)
        near = state.limits.gap <= NEAR or state.steps % 4 == 3
        if self.aim < state.limits.gap and near:
            self._equations(state)
        self._judge(state)
        state.steps += 1
        state.note = f"gap {state.limits.gap:.2g}"
        return state

    def _pairs(self, state: State, target: float) -> None:
        n = len(state.g)
        g = np.zeros(self.size)
        g[:n] = state.g
        most = PAIRS_A_SAMPLE * self.size
        K, beta = self.K, state.beta
        state.pairs += solve_pairs(K, self.diagonal, g, beta, self.lower, self.upper, target, most)
        # Afresh, without the rounding of many steps.
        state.g = K[:n] @ beta - self.problem.y
        self._look(state)

    def _equations(self, state: State) -> None:
        n = len(state.g)
        rows = KernelRows(MatrixTiles(self.K[:n, :n]), Workers(1))
        found = polish(rows, state.beta[:n], state.g, self.lower[:n], self.upper[:n])
        if found is not None:
            limits = state.limits
            before = state.beta[:n].copy(), state.g
            state.beta[:n], state.g = found
            self._look(state)
            if limits.gap <= self.tol and state.limits.gap > limits.gap:
                (state.beta[:n], state.g), state.limits = before, limits

    def _judge(self, state: State) -> None:
        gap, y = state.limits.gap, self.problem.y
        objective = 0.5 * float(state.beta[: len(y)] @ (state.g - y))
        state.stalled = 0 if objective < state.objective else state.stalled + 1
        state.objective = min(objective, state.objective)
        beta = state.beta[: len(y)]
        if not self.bounded and is_unbounded(beta, state.g, y, self.diagonal):
            state.status = Status.UNBOUNDED
        elif gap <= self.aim:
            state.status = Status.CONVERGED
        elif gap <= self.tol:
            state.extra += 1
            if state.extra > EXTRA or state.stalled:
                state.status = Status.CONVERGED
        elif state.stalled > STALLED:
            state.status = Status.STALLED
        elif state.pairs > MOST_PAIRS:
            state.status = Status.MAX_ITER

    def _look(self, state: State) -> None:
        n = len(state.g)
        beta = state.beta[:n]
        state.limits = ends(state.g, beta < self.upper[:n], beta > self.lower[:n])

    def interrupted(self, state: State) -> None:
        """After Ctrl-C in the middle of a step: β is feasible, g is worked out afresh."""
        n = len(state.g)
        state.status = Status.INTERRUPTED
        state.g = self.K[:n, :n] @ state.beta[:n] - self.problem.y
        self._look(state)

    def result(self, state: State) -> Result:
        beta = state.beta[: len(state.g)]
        g = state.g + float(self.means @ beta)
        return result_of(self.problem, beta, g, state.limits.gap, state, rounds=0)
