"""Steps of logistic regression replayed: one replay per binary problem, or per class.

Of gradient steps the score, h(x) = σ(w·x) and y − h are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linscope.fitting.training import Fitted
from linscope.reports.cells import number
from linscope.tracing.gradient_replay import GradientReplay
from linscope.tracing.replay import kept_rows

from ..solving.problems import LogisticProblem, Part
from .answer import logistic_answer
from .newton import NewtonReplay


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
    index = 0  # of its row of coef_

    def penalty(self, model: Any) -> list[str]:
        return [f"C = {number(model.C)}"] if self.solver.alpha else ["no penalty"]

    def ending(self, model: Any, replays: Sequence[Any]) -> str:
        if len({id(replay.log) for replay in replays}) == 1:
            return super().ending(model, replays)
        updates = sum(replay.n_steps for replay in replays)
        return f"{updates:,} updates: {model.certificate_.text}"

    def own_answer(self, trace: Any) -> list[tuple[str, str]]:
        return logistic_answer(trace, self.index)

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
    lbfgs = estimator.solver == "lbfgs"
    if lbfgs or estimator.penalty == "firth":
        what = "solver='lbfgs'" if lbfgs else "penalty='firth'"
        raise ValueError(
            f"trace does not show the steps of {what}: use LogisticRegression() for Newton's, or "
            "solver='batch', 'stochastic' or 'mini-batch' for gradient steps"
        )


def logistic_replays(model, fitted: Fitted) -> list[Any]:
    """The replays of a model that was fitted with its log."""
    numbers = kept_rows(fitted.training)
    out: list[Any] = []
    for part in fitted.solved:
        problem = part.problem
        rows = numbers if problem.rows is None else numbers[problem.rows]
        sides = _sides(problem)
        names = problem.labels.tolist()
        if sides is not None:
            names = [problem.name or f"{sides.positive} vs {sides.negative}"]
        for column, name in enumerate(names):
            replay = _replay(part, str(name), rows, model.fit_intercept, column)
            replay.problem, replay.index = sides, len(out)
            out.append(replay)
    return out


def _replay(part: Part, name: str, rows: np.ndarray, intercept: bool, column: int) -> Any:
    problem, log = part.problem, part.result.log
    if part.solver is not None:
        data = part.solver, log, problem.X, rows, part.result.details
        return LogisticReplay(name, *data, column)
    positive = (problem.codes == (1 if len(problem.labels) == 2 else column)).astype(float)
    replay = NewtonReplay(name, log, problem.X, positive, rows, intercept, column)
    replay.framed = bool(part.result.details.get("framed"))
    return replay


def _sides(problem: LogisticProblem) -> Sides | None:
    if problem.side is not None:
        positive, negative = problem.side
        return Sides(positive, "rest" if negative is None else negative)
    if len(problem.labels) > 2:
        return None
    negative, positive = problem.labels.tolist()
    return Sides(positive, negative)
