"""Gradient descent replayed: every batch is an update, so the log is the order and some weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.fitting.descent import GradientDescent
from linscope.fitting.gradient_state import GradientLog
from linscope.fitting.iterates import iterates
from linscope.losses import hypotheses as losses

from .replay import WINDOW_NUMBERS, WINDOW_STEPS, Replay, Window


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
        self.y = solver.objective.targets[:, column]

    @property
    def single(self) -> bool:
        return self.solver.kind == "stochastic"

    @property
    def width(self) -> int:
        columns, each = self.solver.objective.shape
        return columns * each

    @property
    def weight_names(self) -> list[str]:
        d = self.solver.objective.shape[1] - 1
        return [f"w{j}" for j in range(0 if self.intercept else 1, d + 1)]

    @property
    def intercept(self) -> bool:
        return self.solver.intercept

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

    def error_of(self, sample: int, state) -> Any:
        """y − h of a sample under a state."""
        W = self._columns(state[None])[0]
        scores = (W if self.intercept else W[:, 1:]) @ self.row(sample)
        h = losses.predictions(self.solver.loss, np.ascontiguousarray(scores[None], np.float64))
        return self.y[sample] - h[0, self.column]
