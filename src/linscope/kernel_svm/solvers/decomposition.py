"""Decomposition for the kernel SVM's dual problem (see ``dual_problem``).

One step takes a working set of some hundred samples, solves their small problem by sequential
minimal optimisation in the cache, and adds the change to the gradient on all threads:

    g ← g + K[:, W](β_W' − β_W)

Samples at a bound that are far from moving are left out. Kernel values are float32, the gradient
is float64. Before the end g is worked out again from float64 kernel values
(``float64_gradient``), and if the gap is still above tol, another round starts from there: the
float32 error of a round is in proportion to the change of β in it, so the rounds converge to any
tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.kernels.tiles import Tiles
from linscope.results import Result, Status
from linscope.rows.memory_budget import memory_budget
from linscope.rows.threads import Workers, one_blas_thread

from .dual_problem import Ends, SvmProblem, ends, feasible, is_unbounded, result_of
from .float64_gradient import proven_gradient
from .free_samples import polish
from .kernel_rows import KernelRows
from .pair_loops import BLOCK, solve_some_pairs
from .state import SvmState
from .strides import Momentum
from .working_set import choose, idle

# Up to so many samples all are in the working set, and all is float64.
SMALL = 768
# Samples of a working set, and of one for a large problem: from so many samples on.
WORKING_SET, LARGE_SET, LARGE = 1024, 2048, 15_000
# A small problem is solved until its gap is this share of the whole gap.
INNER = 0.2
STEPS_A_SAMPLE = 20
# Strides along the last steps are tried every so many.
STRIDE_EVERY = 2
# Samples are left out every so many steps, if that leaves at most this share of them.
# But not in the first steps, as many as this times n/(size of the working set).
SHRINK_EVERY, SHRINK_TO, SETS = 4, 0.75, 3
# The gap of a round goes down at most by this factor before g is worked out again.
ROUND = 1e-4
# Memory is for stored rows, the matrix of a working set, and the equations.
ROWS_SHARE, SET_SHARE = 0.65, 0.05
# The equations of the free samples are tried below this gap, if they are at most so many, and pairs
# have taken about as long as a factorisation.
NEAR, MOST_FREE, PAIR_FLOPS, FEW_FLOPS = 0.2, 6000, 1e5, 1e8
# Down to this gap they may be solved in float32.
SINGLE = 1e-4
# Memory of the equations, relative to their matrix.
EQUATIONS = 1.5
# Whether steps lead anywhere is looked at after so many, or SETS times n/(size of the working set).
WATCH = 16


@dataclass
class SvmDual:
    """Solver of the kernel SVM for any number of samples.

    Parameters
    ----------
    problem : SvmProblem
    tol : largest gap max g (may shrink) − min g (may grow)
    initial : first α, or None for zeros; made feasible
    memory_limit : bytes for kernel values at a time, besides tiles of a few MB; by default a
        quarter of what is available
    n_threads : int, optional
    working_set : samples of a step; 0 leaves the choice to the number of samples
    """

    problem: SvmProblem
    tol: float = 1e-3
    initial: np.ndarray | None = None
    memory_limit: float | None = None
    n_threads: int | None = None
    working_set: int = 0
    task: str = "kernel SVM"

    def __post_init__(self) -> None:
        self.lower, self.upper = self.problem.lower, self.problem.upper
        self.workers = Workers(self.n_threads)
        self.limit = memory_budget(self.memory_limit)
        most = int(np.sqrt(SET_SHARE * self.limit / 8)) // BLOCK * BLOCK
        wanted = LARGE_SET if len(self.problem.y) >= LARGE else WORKING_SET
        self.working_set = max(BLOCK, min(self.working_set or wanted, most))
        self.sources: dict[Any, Tiles] = {}
        self.momentum = Momentum()

    def init(self) -> SvmState:
        y = self.problem.y
        double = len(y) <= SMALL or not np.isfinite(self.problem.C).all()
        tiles = self._tiles(np.float64 if double else np.float32)
        beta = np.zeros(len(y))
        state = SvmState(
            beta,
            -y,
            beta.copy(),
            -y,
            Ends(-1.0, 1.0, 2.0),
            self.tol,
            self._rows(tiles),
            tiles.diagonal(),
        )
        if self.initial is not None:
            state.beta = feasible(y * self.initial, self.lower, self.upper)
        with one_blas_thread():
            self._settle(state)
        return state

    def _tiles(self, dtype: Any) -> Tiles:
        kind = np.dtype(dtype)
        if kind not in self.sources:
            self.sources[kind] = self.problem.tiles(kind)
        return self.sources[kind]

    def _capacity(self, tiles: Tiles, n: int) -> int:
        """Rows to be stored: none if they are worked out as fast as they are read."""
        return 0 if tiles.cheap else int(ROWS_SHARE * self.limit / (n * tiles.dtype.itemsize))

    def _rows(self, tiles: Tiles) -> KernelRows:
        return KernelRows(tiles, self.workers, self._capacity(tiles, tiles.n))

    def step(self, state: SvmState) -> SvmState:
        """One working set; or, when the gap is small enough, the check in float64."""
        with one_blas_thread():
            if state.status is None and state.limits.gap > state.target:
                self._advance(state)
            if state.status is None and self._worth_solving(state):
                self._solve_free(state)
            if state.status is None and state.limits.gap <= state.target:
                self._settle(state)
        state.note = f"gap {state.limits.gap:.2g}"
        return state

    def _worth_solving(self, state: SvmState) -> bool:
        """Whether pairs have taken as long since the last time as the equations would."""
        if state.limits.gap > NEAR or state.limits.gap <= state.target:
            return False
        free = int(np.count_nonzero((state.beta > self.lower) & (state.beta < self.upper)))
        pairs = state.pairs - state.pairs_at_solve
        share = 1.0 - ROWS_SHARE - SET_SHARE
        fits = 1 < free <= MOST_FREE and EQUATIONS * 8 * free**2 <= share * self.limit
        return fits and pairs * PAIR_FLOPS >= free**3 + FEW_FLOPS

    def _solve_free(self, state: SvmState) -> None:
        active = slice(None) if state.active is None else state.active
        rows = state.rows
        if state.target < SINGLE:
            tiles = self._tiles(np.float64)
            tiles = tiles if state.active is None else tiles.take(state.active)
            rows = KernelRows(tiles, self.workers)
        state.pairs_at_solve = state.pairs
        lower, upper = self.lower[active], self.upper[active]
        found = polish(rows, state.beta[active], state.g[active], lower, upper)
        if found is not None:
            beta, g = found
            state.progress.add(beta - state.beta[active], state.g[active], g)
            state.beta[active], state.g[active] = beta, g
            state.limits = ends(g, beta < upper, beta > lower)

    def _advance(self, state: SvmState) -> None:
        active = slice(None) if state.active is None else state.active
        g, beta = state.g[active], state.beta[active]
        lower, upper = self.lower[active], self.upper[active]
        W = choose(g, beta < upper, beta > lower, state.limits, self.working_set, state.last)
        before, slope = beta[W], g[W]
        beta[W] = self._solve_small(state, W, g[W], before, lower[W], upper[W])
        delta = beta[W] - before
        moved = np.flatnonzero(delta)
        state.rows.add_product(W[moved], delta[moved], g)
        state.g[active], state.beta[active] = g, beta
        state.last, state.steps = W, state.steps + 1
        state.progress.add(delta, slope, g[W])
        can_grow, can_shrink = beta < upper, beta > lower
        state.limits = ends(g, can_grow, can_shrink)
        if len(moved) == 0:
            state.limits = state.limits._replace(gap=0.0)  # rounding: no pair can be told better
        if state.steps % SHRINK_EVERY == 0 and self._many_steps(state):
            self._leave_out(state, idle(g, can_grow, can_shrink, state.limits))
        self._watch_growth(state)
        self._stride(state)
        self._watch_progress(state)

    def _watch_progress(self, state: SvmState) -> None:
        """Where rounding hides all progress the round ends, and the next is in float64."""
        every = max(WATCH, SETS * len(state.g) // self.working_set)
        if state.steps % every:
            return
        box = float(np.maximum(self.upper, -self.lower).max(initial=0.0))
        if state.progress.leads_nowhere(state.limits.gap, _rounding(state), box):
            state.limits = state.limits._replace(gap=0.0)

    def _stride(self, state: SvmState) -> None:
        """Every other step: further along the directions of the last ones."""
        if state.steps <= SETS * len(state.g) / self.working_set // 2:
            return
        active = slice(None) if state.active is None else state.active
        g, beta = state.g[active], state.beta[active]
        lower, upper = self.lower[active], self.upper[active]
        found = None
        if state.steps % STRIDE_EVERY == 0 and state.limits.gap > state.target:
            found = self.momentum.stride(state.rows.add_product, beta, g, lower, upper)
        self.momentum.remember(beta, g)
        if found is not None:
            state.progress.add(found[0] - beta, g, found[1])
            beta, g = found
            state.beta[active], state.g[active] = beta, g
            state.limits = ends(g, beta < upper, beta > lower)

    def _solve_small(self, state: SvmState, W, g, beta, lower, upper) -> np.ndarray:
        size = -(-len(W) // BLOCK) * BLOCK
        K = state.rows.block(W, size)
        middle = 0.5 * (state.limits.least + state.limits.most)
        tol = max(0.5 * state.target, INNER * state.limits.gap)
        if len(W) == len(state.g):
            tol = state.target
        own = state.diagonal[W], g - middle, beta, lower, upper
        found, pairs = solve_some_pairs(K, *own, tol, STEPS_A_SAMPLE * size)
        state.pairs += pairs
        return found

    def _many_steps(self, state: SvmState) -> bool:
        """A short run costs less than the gradient of those left out, worked out at its end."""
        sets = len(state.g) / self.working_set
        return len(state.diagonal) > self.working_set and state.steps > SETS * sets

    def _leave_out(self, state: SvmState, resting: np.ndarray) -> None:
        """Leave out who rests now and rested at the last look, and pack the others."""
        both = resting if state.resting is None else resting & state.resting
        seen, state.resting = state.resting is not None, resting
        stay = np.flatnonzero(~both)
        if not seen or len(stay) > SHRINK_TO * len(both) or len(stay) < 2:
            return
        place = np.full(len(both), -1)
        place[stay] = np.arange(len(stay))
        state.last = place[state.last][place[state.last] >= 0]
        state.active = stay if state.active is None else state.active[stay]
        state.rows = state.rows.take(stay, self._capacity(state.rows.tiles, len(stay)))
        state.diagonal, state.resting = state.diagonal[stay], None
        self.momentum.forget()

    def _settle(self, state: SvmState) -> None:
        """g of all samples, and whether that is the end."""
        self.momentum.forget()
        kind = state.rows.tiles.dtype
        if state.active is not None:
            changed, delta = state.change()
            state.g = state.exact_g.copy()
            KernelRows(self._tiles(kind), self.workers).add_product(changed, delta, state.g)
        self._look(state)
        if state.limits.gap <= self.tol:
            self._prove(state)  # also in float64: g was summed in many steps
        if state.limits.gap <= self.tol:
            state.status = Status.CONVERGED
            return
        self._make_exact(state)
        self._next_round(state, state.limits.gap)

    def _prove(self, state: SvmState) -> None:
        double, single = self._tiles(np.float64), self._tiles(np.float32)
        state.g = proven_gradient(
            double, single, self.workers, state.beta, self.problem.y, self.lower, self.upper
        )
        self._look(state)

    def _make_exact(self, state: SvmState) -> None:
        """g of all samples from float64 kernel values."""
        changed, delta = state.change()
        rows = KernelRows(self._tiles(np.float64), self.workers)
        rows.add_product(changed, delta, state.exact_g)
        state.exact_beta, state.g = state.beta.copy(), state.exact_g.copy()
        self._look(state)

    def _look(self, state: SvmState) -> None:
        state.limits = ends(state.g, state.beta < self.upper, state.beta > self.lower)

    def _next_round(self, state: SvmState, gap: float) -> None:
        """All samples again; in float64 if float32 did not halve the gap of the round before."""
        stalled = state.rounds > 0 and gap > 0.5 * state.round_gap
        double = state.rows.tiles.dtype == np.float64
        if stalled and double:
            state.status = Status.STALLED
        if state.active is not None or (stalled and not double):
            kind = np.float64 if stalled else state.rows.tiles.dtype
            tiles = self._tiles(kind)
            state.rows, state.diagonal = self._rows(tiles), tiles.diagonal()
            state.active, state.last = None, state.last[:0]
        state.resting = None
        state.rounds, state.round_gap = state.rounds + 1, gap
        state.progress.new_round(gap)
        state.target = max(0.8 * self.tol, ROUND * gap)

    def _watch_growth(self, state: SvmState) -> None:
        """Without bounds: is βᵀKβ/(Σα)² zero to rounding, so that no hyperplane separates?"""
        if np.isfinite(self.upper).all() and np.isfinite(self.lower).all():
            return
        if is_unbounded(state.beta, state.g, self.problem.y, state.diagonal):
            state.status = Status.UNBOUNDED

    def interrupted(self, state: SvmState) -> None:
        """After Ctrl-C in the middle of a step: β is feasible, g is worked out afresh."""
        state.status = Status.INTERRUPTED
        state.exact_beta, state.exact_g = np.zeros_like(state.beta), -self.problem.y

    def result(self, state: SvmState) -> Result:
        if state.status is not Status.CONVERGED:
            with one_blas_thread():
                self._make_exact(state)
        found = state.beta, state.g, state.limits.gap, state
        return result_of(self.problem, *found, rounds=state.rounds)


# Rounding errors are as good as random: u max K ‖β‖ of float64, and that of the kernel values for
# what has changed in this round.
def _rounding(state: SvmState) -> float:
    """How far g is from Kβ + p, about."""
    unit = float(np.finfo(state.rows.tiles.dtype).eps)
    size = float(np.abs(state.diagonal).max(initial=0.0))
    moved = float(np.linalg.norm(state.beta - state.exact_beta))
    return size * (unit * moved + 2.0**-52 * float(np.linalg.norm(state.beta)))
