"""Gradient steps of logistic regression replayed: one per binary problem, or per class.

Shown are the score, h(x) = σ(w·x) and y − h.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linscope.fitting.gradient_options import DESCENTS
from linscope.fitting.training import Fitted
from linscope.reports.cells import number
from linscope.tracing.gradient_replay import GradientReplay
from linscope.tracing.replay import kept_rows

from ..solving.problems import LogisticProblem, Part


class Sides(NamedTuple):
    """The labels of y = 1 and of y = 0."""

    positive: Any
    negative: Any


class LogisticReplay(GradientReplay):
    """Replay of one binary problem, or of one class of a softmax, which has no ``problem``."""

    shows_scores = True
    rule = "gradient descent on the log loss"
    picture = "the boundary of two classes and two features; plot shows J"
    problem: Sides | None = None

    def penalty(self, model: Any) -> list[str]:
        return [f"C = {number(model.C)}"] if self.solver.alpha else ["no penalty"]

    def ending(self, model: Any, replays: Sequence[Any]) -> str:
        if len({id(replay.log) for replay in replays}) == 1:
            return super().ending(model, replays)
        updates = sum(replay.n_steps for replay in replays)
        return f"{updates:,} updates: {model.certificate_.text}"

    def display(self, trace: Any, updates: Any, features: Any) -> Any:
        few = len(self.weight_names) - self.intercept <= 2
        if self.problem is None or not (few or features is not None):
            return None
        return super().display(trace, updates, features)


def check_logistic(estimator: Any, exact: bool) -> None:
    """Refuse what has no steps to show, before any work."""
    if exact:
        raise ValueError(
            "exact=True: h(x) = 1/(1 + e^−w·x) is not rational, so LogisticRegression has no steps "
            "in fractions"
        )
    if estimator.solver not in DESCENTS:
        raise ValueError(
            f"trace shows gradient steps, and solver={estimator.solver!r} takes others: use "
            "LogisticRegression(solver='batch'), 'stochastic' or 'mini-batch'"
        )


def logistic_replays(model, fitted: Fitted) -> list[LogisticReplay]:
    """The replays of a model that was fitted with its log."""
    numbers = kept_rows(fitted.training)
    return [replay for part in fitted.solved for replay in _replays_of(part, numbers)]


def _replays_of(part: Part, numbers: np.ndarray) -> list[LogisticReplay]:
    problem, log, solver = part.problem, part.result.log, part.solver
    assert solver is not None
    rows = numbers if problem.rows is None else numbers[problem.rows]
    sides = _sides(problem)
    names = problem.labels.tolist()
    if sides is not None:
        names = [problem.name or f"{sides.positive} vs {sides.negative}"]
    out = []
    for column, name in enumerate(names):
        data = solver, log, problem.X, rows, part.result.details
        out.append(LogisticReplay(str(name), *data, column))
        out[-1].problem = sides
    return out


def _sides(problem: LogisticProblem) -> Sides | None:
    if problem.side is not None:
        positive, negative = problem.side
        return Sides(positive, "rest" if negative is None else negative)
    if len(problem.labels) > 2:
        return None
    negative, positive = problem.labels.tolist()
    return Sides(positive, negative)
