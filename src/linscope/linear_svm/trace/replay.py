"""Dual coordinate descent replayed: the log has the visits that changed an α, and the new α.

A state is the weights, followed by Σ α and Σ α²/c, which make the dual value. Shown are y w·x, the
slope G, α and the weights, D and P; a visit without a change leaves α at its bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linscope.fitting.training import Fitted, Problem
from linscope.reports.cells import Change, number, text, vector
from linscope.reports.table import Column
from linscope.tracing.answer import hyperplane_answer
from linscope.tracing.checkpoints import Checkpoints
from linscope.tracing.replay import Replay, Shown, Window, kept_rows
from linscope.tracing.steps import Step

from ..solvers import dual_coordinate_loops as loops
from ..solvers.dual_coordinate import NO_ROWS, DualCoordinate, StepLog
from ..solving.problems import Part
from .newton import NewtonReplay

SUMS = 2


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class CoordinateStep(Step):
    """One visit of dual coordinate descent.

    Attributes
    ----------
    normalized : y·w·x before the step
    gradient : G = y·w·x − 1 (+ α/2Cc for the squared hinge), the slope of −D in this α
    alpha_before, alpha : the dual coefficient before and after the step
    """

    normalized: Any = None
    gradient: Any = None
    alpha_before: Any = None
    alpha: Any = None

    def __repr__(self) -> str:
        seen = f"y w·x = {number(self.normalized)}, G = {number(self.gradient)}"
        if not self.update:
            return f"Step {self.number}: {self.where}, {seen}, α = {number(self.alpha)} stays"
        alpha = f"α {number(self.alpha_before)} → {number(self.alpha)}"
        change = f"{text(vector(self.before))} → {text(vector(self.after))}"
        return f"Step {self.number}: {self.where}, {seen}, {alpha}, {change}"


class CoordinateReplay(Replay):
    """Replay of one binary problem.

    Parameters
    ----------
    problem : its labels and its name
    solver : the solver as it was set up for the fit
    log : the decisions of the fit
    row_numbers : where the rows of the problem are in the table that was given to the fit
    """

    step = CoordinateStep
    single = True

    def __init__(
        self, problem: Problem, solver: DualCoordinate, log: StepLog, row_numbers: np.ndarray
    ):
        self.problem, self.solver, self.log, self.X = problem, solver, log, solver.X
        self.name, self.row_numbers, self.y = problem.name, row_numbers, solver.y
        self.n_steps, self.update_steps = log.n_visits, log.updates
        self.width, self.intercept = len(log.initial) + SUMS, solver.bias != 0.0
        self._weights = Checkpoints(log.initial.copy(), len(log.updates), self._advance)

    @cached_property
    def _sums(self) -> np.ndarray:
        """Σ α and Σ α²/c after 0, 1, … updates."""
        log, c = self.log, self.solver.c
        own = 1.0 / c if len(c) else np.ones(len(log.alpha))
        squares = own[log.samples] * (log.values**2 - log.before**2)
        changes = np.column_stack([log.values - log.before, squares])
        first = [log.alpha.sum(), np.sum(own * log.alpha**2)]
        return np.cumsum(np.vstack([[first], changes]), axis=0)

    def states(self, first: int, last: int) -> Any:
        out = np.empty((last - first + 1, self.width))
        out[0, :-SUMS] = w = self._weights.state(first)
        self._advance(first, last, w, out[1:])
        out[:, -SUMS:] = self._sums[first : last + 1]
        return out

    def last_state(self) -> Any:
        return self._weights.state(self.n_updates)

    def _advance(self, first: int, last: int, w: np.ndarray, out: np.ndarray = NO_ROWS) -> None:
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

    def shown(self, window: Window, names: Any, criterion: bool) -> list[Shown]:
        margins, slopes = self.slopes(window)
        before, after = self.alphas(window)

        def moves() -> list[Change]:
            pairs = zip(before, after, window.updated, strict=True)
            return [Change(a, b if moved else None) for a, b, moved in pairs]

        parts = [
            Shown("step", window.steps + 1, Column("visit", right=True)),
            Shown("epoch", self.epochs(window.steps) + 1),
            *self.shown_samples(window, names),
            Shown("normalized", margins, Column.formula(r"y\,\mathbf{w}\cdot\mathbf{x}")),
            Shown("gradient", slopes, Column.formula("G")),
            Shown("alpha_before", before),
            Shown("alpha", after, Column.formula(r"\alpha", right=False), moves),
            Shown("update", window.updated),
            *self.shown_weights(window),
        ]
        if criterion:
            for key, letter, values in (("dual", "D", self.dual), ("primal", "P", self.primal)):
                column = Column.formula(letter)
                parts.append(Shown(key, values(window.states)[window.after], column))
        return parts

    def effects(self, first: int, last: int) -> dict[str, np.ndarray]:
        steps, states = self.update_steps[first:last], self.states(first, last)
        dual, primal = self.dual(states), self.primal(states)
        return {
            "update": np.arange(first + 1, last + 1),
            "step": steps + 1,
            "sample": self.row_numbers[self.samples(steps)],
            "dual_before": dual[:-1],
            "dual_after": dual[1:],
            "primal_before": primal[:-1],
            "primal_after": primal[1:],
        }

    def heading(self, model: Any) -> str:
        return "dual coordinate descent"

    def settings(self, model: Any) -> list[str]:
        bias = "bias penalised" if model.fit_intercept else "no bias"
        settings = [model.loss.replace("_", " "), f"C = {number(model.C)}", bias]
        settings.append(f"gap at most {number(self.solver.tol)} of P")
        if self.log.order.seed is not None:
            settings.append("shuffled")
        if len(self.solver.c):
            settings.append("weighted")
        return settings

    def own_answer(self, trace: Any) -> list[tuple[str, str]]:
        names = self.given_names(np.arange(len(self.y)), trace.sample_names)
        model, w = trace.estimator, self.last_state()
        alpha, K = self.last_alphas(), len(model.classes_)
        return hyperplane_answer(w, alpha, names, trace.feature_names, self.problem, K)

    def last_alphas(self) -> np.ndarray:
        """α of all samples after the last visit."""
        return self.all_alphas(self.n_updates, self.n_updates)[0]

    def all_alphas(self, first: int, last: int) -> np.ndarray:
        """α of all samples after ``first``, …, ``last`` updates, a row each."""
        log = self.log
        alpha = log.alpha.copy()
        alpha[log.samples[:first]] = log.values[:first]  # of a sample that changed often, the last
        out = np.empty((last - first + 1, len(alpha)))
        out[0] = alpha
        for row, k in enumerate(range(first, last), 1):
            out[row] = out[row - 1]
            out[row, log.samples[k]] = log.values[k]
        return out


def check_linear(estimator: Any, exact: bool) -> None:
    """Refuse what has no steps to show, before any work."""
    if exact:
        raise ValueError(
            "exact=True: LinearSVC has no steps in fractions, but the same machine has: "
            "SVC(kernel='linear')"
        )
    if np.inf == estimator.C:
        raise ValueError(
            "trace shows the steps of a finite C, and C=inf is solved by the nearest points of the "
            "hulls: use SVC(kernel='linear', C=np.inf) for the steps of its dual problem"
        )


def linear_replays(model, fitted: Fitted) -> list[Any]:
    """The replays of a model that was fitted with its log."""
    return [_replay(model, part, fitted.training) for part in fitted.solved]


def _replay(model: Any, part: Part, training: Any) -> Any:
    problem, numbers = part.problem, kept_rows(training)
    rows = numbers if problem.rows is None else numbers[problem.rows]
    if part.solver is not None:
        return CoordinateReplay(problem, part.solver, part.result.log, rows)
    X = training.X if problem.rows is None else training.X[problem.rows]
    return NewtonReplay(part, X, rows, model.fit_intercept)
