"""Gradient descent replayed: every batch is an update, so the log is the order and some weights.

Shown are h(x) and y − h of single samples, ‖∇J‖ of batches, and J.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linscope.fitting.descent import GradientDescent
from linscope.fitting.ending import account
from linscope.fitting.gradient_state import GradientLog
from linscope.fitting.iterates import iterates
from linscope.losses import hypotheses as losses
from linscope.reports.cells import number, text, vector
from linscope.reports.table import Column

from .replay import SCORE, WINDOW_NUMBERS, WINDOW_STEPS, Replay, Shown, Window
from .steps import Step

CURVE_POINTS = 400


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class GradientStep(Step):
    """One step of a gradient descent.

    Attributes
    ----------
    score, prediction, error : w·x, h(x) and y − h(x) of the sample before the update (stochastic
        rule; the score only where h is not the score itself)
    gradient_norm : ‖∇J‖ of the batch before the update (batch rules)
    eta : the learning rate of this step
    """

    score: Any = None
    prediction: Any = None
    error: Any = None
    gradient_norm: Any = None
    eta: Any = None

    def __repr__(self) -> str:
        if self.sample is None:
            seen = f"‖∇J‖ = {number(self.gradient_norm)}"
            where = f"{self.where}, " if self.batch is not None else ""
        else:
            seen = "" if self.score is None else f"w·x = {number(self.score)}, "
            seen += f"h(x) = {number(self.prediction)}, error {number(self.error)}"
            where = f"{self.where}, "
        change = f"{text(vector(self.before))} → {text(vector(self.after))}"
        return f"Step {self.number}: {where}{seen}, {change}"


class GradientReplay(Replay):
    """Replay of a descent for one target column; a state is the weights of all columns.

    Parameters
    ----------
    name : of the target
    solver : the solver as it was set up for the fit, with all columns that know of each other
    log : what the fit has kept of these columns
    X : the samples
    row_numbers : where these rows are in the table that was given to the fit
    details : of the result of the fit
    column : which column is shown
    """

    step = GradientStep
    marks_updates = False  # every step is an update
    signed = False
    shows_scores = False  # h(x) is the score
    rule = "gradient descent"

    def __init__(
        self,
        name: str,
        solver: GradientDescent,
        log: GradientLog,
        X: Any,
        row_numbers: Any,
        details: dict[str, Any],
        column: int = 0,
    ):
        self.name, self.solver, self.log, self.X = name, solver, log, X
        self.row_numbers, self.details, self.column = row_numbers, details, column
        self.n_steps, self.update_steps = log.n_updates, range(log.n_updates)
        self.y = solver.rows.y[:, column]
        self.single, self.intercept = solver.kind == "stochastic", solver.intercept
        self.width = math.prod(solver.objective.shape)

    def states(self, first: int, last: int) -> Any:
        weights = iterates(self.solver, self.log, first, last)[0]
        return weights.reshape(len(weights), -1)

    def last_state(self) -> Any:
        return self._columns(self.states(self.n_updates, self.n_updates))[0, self.column]

    def _columns(self, states) -> np.ndarray:
        """The weights of all columns in original units, (states, columns, d + 1)."""
        shape = self.solver.objective.shape
        return np.reshape(states, (len(states), *shape)) * self.solver.objective.unit

    def window(self, steps: np.ndarray) -> Window:
        """The states around these steps, which must follow each other."""
        first = int(steps[0]) if len(steps) else 0
        states = self.states(first, first + len(steps))
        return Window(steps, np.ones(len(steps), bool), np.arange(len(steps)), states, first)

    def windows(self, steps: np.ndarray):
        most = max(1, min(WINDOW_STEPS, WINDOW_NUMBERS // self.width))
        for at in range(0, len(steps), most):
            yield self.window(steps[at : at + most])

    def rates(self, window: Window) -> np.ndarray:
        """η_k of each step."""
        eta = self.solver.choice.eta
        k = window.steps + 1
        return eta / k if self.solver.schedule == "inverse" else np.full(len(k), eta)

    def scores(self, window: Window) -> np.ndarray:
        """w·x of each visited sample before its update."""
        return self._scores(window)[:, self.column]

    def predictions(self, window: Window) -> np.ndarray:
        """h(w·x) of each visited sample before its update."""
        return losses.predictions(self.solver.loss, self._scores(window))[:, self.column]

    def _scores(self, window: Window) -> np.ndarray:
        last = window.first + len(window.steps)
        return iterates(self.solver, self.log, window.first, last, scores=True)[1]

    def errors(self, window: Window, predictions: np.ndarray) -> np.ndarray:
        """y − h of each visited sample before its update."""
        return self.y[self.samples(window.steps)] - predictions

    def slopes(self, window: Window) -> np.ndarray:
        """‖∇J‖ before each step; of a mini-batch that of its own samples, from the step it made."""
        if self.solver.kind == "batch":
            return np.array([self._look(state)[1] for state in window.states[:-1]])
        lengths = np.linalg.norm(np.diff(self.weights(window.states), axis=0), axis=1)
        return lengths / self.rates(window)

    def criterion(self, states) -> np.ndarray:
        return np.array([self._look(state)[0] for state in states])

    def _look(self, state: np.ndarray) -> tuple[float, float]:
        J = self.solver.objective
        value, slope = J.evaluate(np.ascontiguousarray(np.reshape(state, J.shape)))
        return float(value.sum()), float(np.linalg.norm(slope[self.column])) / J.unit

    def weights(self, states) -> Any:
        weights = self._columns(states)[:, self.column]
        return weights if self.intercept else weights[:, 1:]

    def readable(self, weights: Any, window: Window) -> Any:
        """0 where a weight is no more than the rounding of the sums that made it.

        A sum of m terms is off by up to m ε times the sum of their sizes. Those of a pass over all
        samples are η |y − h| |x_j|, with |y − h| not above the largest |y| near the solution.
        """
        if weights.dtype == object or not len(window.steps):
            return weights
        made = (window.first + np.arange(len(weights))) / self.log.batches_per_epoch  # passes
        reach = self._input_sizes * np.abs(self.y).max() * self.rates(window)[-1]
        rounding = np.finfo(np.float64).eps * self.log.batch_size * np.outer(made, reach)
        return np.where(np.abs(weights) <= rounding, 0.0, weights)

    @cached_property
    def _input_sizes(self) -> np.ndarray:
        """Σ |x_j| over all samples, of each weight."""
        sizes = np.asarray(abs(self.X).sum(axis=0), dtype=np.float64).ravel()
        return np.append(float(self.X.shape[0]), sizes) if self.intercept else sizes

    def error_of(self, sample: int, state) -> Any:
        """y − h of a sample under a state."""
        W = self._columns(state[None])[0]
        scores = (W if self.intercept else W[:, 1:]) @ self.inputs([sample])[0]
        h = losses.predictions(self.solver.loss, np.ascontiguousarray(scores[None], np.float64))
        return self.y[sample] - h[0, self.column]

    def shown(self, window: Window, names: Any, criterion: bool) -> list[Shown]:
        falls = self.solver.schedule == "inverse"
        parts = self._visits(window, names) if self.single else self._batches(window)
        parts.append(Shown("eta", self.rates(window), Column.formula(r"\eta") if falls else None))
        parts += self.shown_weights(window)
        if criterion:
            parts.append(Shown("J", self.criterion(window.states[1:]), Column.formula("J")))
        return parts

    def _visits(self, window: Window, names: Any) -> list[Shown]:
        predictions = self.predictions(window)
        parts = [
            Shown("step", window.steps + 1, Column("visit", right=True)),
            Shown("epoch", self.epochs(window.steps) + 1),
            *self.shown_samples(window, names),
        ]
        if self.shows_scores:
            parts.append(Shown("score", self.scores(window), SCORE))
        return [
            *parts,
            Shown("prediction", predictions, Column.formula(r"h(\mathbf{x})")),
            Shown("error", self.errors(window, predictions), Column.formula("y - h")),
        ]

    def _batches(self, window: Window) -> list[Shown]:
        step = Shown("step", window.steps + 1, Column("step", right=True))
        epochs, batches = self.epochs(window.steps) + 1, self.batches(window.steps) + 1
        slopes = self.slopes(window)
        if self.solver.kind == "batch":
            slope = Shown("gradient_norm", slopes, Column.formula(r"\|\nabla J\|"))
            return [step, Shown("epoch", epochs), slope]
        return [
            step,
            Shown("epoch", epochs, Column("pass", right=True)),
            Shown("batch", batches, Column("batch", right=True)),
            Shown("gradient_norm", slopes, Column.formula(r"\|\nabla J_B\|")),
        ]

    def effects(self, first: int, last: int) -> dict[str, np.ndarray]:
        steps = np.arange(first, last)
        states = self.states(first, last)
        J = self.criterion(states)
        columns: dict[str, np.ndarray] = {"update": steps + 1, "step": steps + 1}
        if self.single:
            samples = self.samples(steps)
            columns["sample"] = self.row_numbers[samples]
            for name, part in (("error_before", states[:-1]), ("error_after", states[1:])):
                pairs = zip(samples, part, strict=True)
                columns[name] = np.array([self.error_of(i, state) for i, state in pairs])
        elif self.solver.kind == "mini-batch":
            columns["batch"] = self.batches(steps) + 1
        return columns | {"J_before": J[:-1], "J_after": J[1:], "rose": J[1:] > J[:-1]}

    def heading(self, model: Any) -> str:
        return f"{model.solver} {self.rule}"

    def settings(self, model: Any) -> list[str]:
        details = self.details
        rate = f"η = {number(details['eta'])}" + ("/k" if model.schedule == "inverse" else "")
        if model.eta0 == "auto":
            rate += f" (auto: {details['eta_reason']})"
        settings = [rate, f"tol {number(self.solver.tol)}", *self.penalty(model)]
        if model.solver == "mini-batch":
            settings.append(f"batch size {self.log.batch_size}")
        if model.shuffle and model.solver != "batch":
            settings.append("shuffled")
        if self.solver.engine.weighted:
            settings.append("weighted")
        if model.average:
            settings.append("averaged")
        return settings

    def penalty(self, model: Any) -> list[str]:
        """The strength of the penalty, if there is one."""
        return [f"α = {number(self.solver.alpha)}"] if self.solver.alpha else []

    def ending(self, model: Any, replays: Sequence[Any]) -> str:
        certificate = model.certificate_.parts.get(self.name, model.certificate_)
        updates = self.n_steps
        passes = -(-updates // self.log.batches_per_epoch)
        counts = f"{updates:,} update{'' if updates == 1 else 's'}"
        if model.solver != "batch":
            counts += f" in {passes:,} pass{'' if passes == 1 else 'es'}"
        return f"{counts}: {account(self.details, certificate.status)}"

    def curve(self, updates: Any, ax: Any) -> Any:
        """J after each update."""
        from linscope.display.lms_curve import lms_curve

        from .drawing import spread

        first, last = self.update_range(updates)
        numbers = first + spread(last - first + 1, CURVE_POINTS)
        values = [float(self.criterion(self.states(k, k))[0]) for k in numbers.tolist()]
        return lms_curve(values, updates=numbers, ax=ax)
