"""Newton's steps of a linear support vector machine, as the solver has logged them.

    squared hinge   W ← W + t D, H D = −g over the active samples, those with y w·x < 1
    hinge           rounds of such steps on a hinge whose kink is rounded, and moves with α

Shown are P, the duality gap, how many samples are active (α > 0), and t or the steps of a round.
The last digits come from the equations of the support: y w·x = 1 for all samples with 0 < α < C.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.reports.cells import number
from linscope.tracing.answer import hyperplane_answer
from linscope.tracing.look_replay import LookReplay

from ..solving.problems import Part


class NewtonReplay(LookReplay):
    """Replay of one binary problem, and the α that it ended with."""

    def __init__(self, part: Part, X: Any, row_numbers: np.ndarray, intercept: bool):
        problem, log = part.problem, part.result.log
        super().__init__(problem.name, log, X, problem.y, row_numbers, intercept)
        self.problem, self.alpha = problem, part.alpha

    def heading(self, model: Any) -> str:
        if model.loss == "squared_hinge":
            return "Newton's method"
        return "method of multipliers, with Newton's method inside"

    def settings(self, model: Any) -> list[str]:
        bias = "bias free" if model.fit_intercept else "no bias"
        if model.fit_intercept and model.penalize_intercept:
            bias = "bias penalised"
        settings = [model.loss.replace("_", " "), f"C = {number(model.C)}", bias]
        if any(look.by == "last digits" for look in self.log):
            settings.append("last digits by the equations of the support")
        return settings

    def own_answer(self, trace: Any) -> list[tuple[str, str]]:
        names = self.given_names(np.arange(len(self.alpha)), trace.sample_names)
        K = len(trace.estimator.classes_)
        w = self.last_state()
        return hyperplane_answer(w, self.alpha, names, trace.feature_names, self.problem, K)
