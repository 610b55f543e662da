"""Dual coordinate descent replayed: the log has the visits that changed an α, and the new α.

A state is the weights, followed by Σ α and Σ α²/c, which make the dual value.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from linscope.fitting.training import Problem
from linscope.tracing.replay import Replay, Window

from ..solvers import dual_coordinate_loops as loops
from ..solvers.dual_coordinate import NO_ROWS, DualCoordinate, StepLog
from ..solving.problems import Part
from .view import CoordinateView

CHECKPOINT_EVERY = 4096  # updates
CHECKPOINT_BYTES = 64 << 20
SUMS = 2


class CoordinateReplay(Replay):
    """Replay of one binary problem.

    Parameters
    ----------
    problem : its labels and its name
    solver : the solver as it was set up for the fit
    log : the decisions of the fit
    row_numbers : where the rows of the problem are in the table that was given to the fit
    """

    view = CoordinateView()
    single = True

    def __init__(
        self, problem: Problem, solver: DualCoordinate, log: StepLog, row_numbers: np.ndarray
    ):
        self.problem, self.solver, self.log, self.X = problem, solver, log, solver.X
        self.name, self.row_numbers = problem.name, row_numbers
        self.n_steps, self.update_steps = log.n_visits, log.updates
        self._checkpoints = [log.initial.copy()]

    @property
    def width(self) -> int:
        return len(self.log.initial) + SUMS

    @property
    def intercept(self) -> bool:
        return self.solver.bias != 0.0

    @property
    def weight_names(self) -> list[str]:
        return [f"w{j}" for j in range(0 if self.intercept else 1, self.width - SUMS)]

    @cached_property
    def _sums(self) -> np.ndarray:
        """Σ α and Σ α²/c after 0, 1, … updates."""
        log, c = self.log, self.solver.c
        own = 1.0 / c if len(c) else np.ones(len(log.alpha))
        squares = own[log.samples] * (log.values**2 - log.before**2)
        changes = np.column_stack([log.values - log.before, squares])
        first = [log.alpha.sum(), np.sum(own * log.alpha**2)]
        return np.cumsum(np.vstack([[first], changes]), axis=0)

    @cached_property
    def _interval(self) -> int:
        return max(CHECKPOINT_EVERY, -(-self.n_updates * self.width * 8 // CHECKPOINT_BYTES))

    def states(self, first: int, last: int) -> Any:
        out = np.empty((last - first + 1, self.width))
        out[0, :-SUMS] = w = self._weights_after(first)
        self._advance(first, last, w, out[1:])
        out[:, -SUMS:] = self._sums[first : last + 1]
        return out

    def last_state(self) -> Any:
        return self._weights_after(self.n_updates)

    def _weights_after(self, update: int) -> np.ndarray:
        wanted = update // self._interval
        while len(self._checkpoints) <= wanted:
            done = (len(self._checkpoints) - 1) * self._interval
            w = self._checkpoints[-1].copy()
            self._advance(done, done + self._interval, w, NO_ROWS)
            self._checkpoints.append(w)
        w = self._checkpoints[wanted].copy()
        self._advance(wanted * self._interval, update, w, NO_ROWS)
        return w

    def _advance(self, first: int, last: int, w: np.ndarray, out: np.ndarray) -> None:
        log, here = self.log, slice(first, last)
        loops.replay_steps(
            self.solver.rows, self.solver.y,
            log.samples[here], log.before[here], log.values[here], w, out,
        )  # fmt: skip

    def alphas(self, window: Window) -> tuple[np.ndarray, np.ndarray]:
        """α of the visited sample before and after each step."""
        before = self.log.alpha_at(window.steps)
        after = before.copy()
        after[window.updated] = self.log.values[window.first + window.versions[window.updated]]
        return before, after

    def slopes(self, window: Window) -> tuple[np.ndarray, np.ndarray]:
        """y w·x and G = −∂D/∂α of the visited sample before each step."""
        solver, samples = self.solver, self.samples(window.steps)
        margins, slopes = np.empty((2, len(samples)))
        loops.derivatives_at(
            solver.rows, solver.y, solver.box, samples, self.log.alpha_at(window.steps),
            window.versions, window.states, margins, slopes,
        )  # fmt: skip
        return margins + 0.0, slopes + 0.0

    def dual(self, states) -> np.ndarray:
        """D(α) of each state."""
        w, total, squares = states[:, :-SUMS], states[:, -2], states[:, -1]
        return total - 0.5 * np.sum(w * w, axis=1) - 0.5 * self.solver.box.q * squares

    def primal(self, states) -> np.ndarray:
        """P(w) of each state."""
        return np.array([self.solver.primal(w) for w in states[:, :-SUMS]])

    def criterion(self, states) -> np.ndarray:
        return -self.dual(states)

    def weights(self, states) -> Any:
        return states[:, 0 if self.intercept else 1 : -SUMS]


def check_coordinate(estimator: Any, exact: bool) -> None:
    """Refuse what has no steps to show, before any work."""
    if exact:
        raise ValueError("exact=True: LinearSVC has no steps in fractions")
    if estimator.solver != "coordinate":
        raise ValueError(
            f"trace shows the steps of dual coordinate descent, and solver={estimator.solver!r} "
            "takes others: use LinearSVC(solver='coordinate', penalize_intercept=True)"
        )


def coordinate_replays(model, X, y, sample_weight) -> list[CoordinateReplay]:
    """The replays of a model that was fitted with its log."""
    parts, training = model._parts, model._training
    model._parts = model._training = None  # they hold the whole table
    count = training.X.shape[0] + len(training.ignored)
    numbers = np.delete(np.arange(count), training.ignored)
    return [_replay(part, numbers) for part in parts]


def _replay(part: Part, numbers: np.ndarray) -> CoordinateReplay:
    problem = part.problem
    assert part.solver is not None
    rows = numbers if problem.rows is None else numbers[problem.rows]
    return CoordinateReplay(problem, part.solver, part.result.log, rows)
