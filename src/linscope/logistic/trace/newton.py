"""Newton's steps and proximal Newton steps of logistic regression, as the solvers have logged them.

Newton, trust region     P, ‖∇P‖, λ = √(gᵀH⁻¹g) and the step t;  ½λ² estimates P − min P
coordinate descent       P, the duality gap, the features with a weight, sweeps over them, t
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linscope.reports.cells import number
from linscope.results import Look
from linscope.tracing.look_replay import LookReplay

from ..solving.choice import strengths
from .answer import logistic_answer


class NewtonReplay(LookReplay):
    """Replay of one problem, or of one class of a softmax, which has no ``problem``.

    ``index`` is its row of ``coef_``; ``framed`` says that the solver has moved or scaled columns.
    """

    signed = False
    index = 0
    framed = False
    log: Sequence[Look]

    def heading(self, model: Any) -> str:
        known = self.log[0].numbers
        if "gap" in known:
            return "coordinate descent"
        return "trust-region Newton method" if "products" in known else "Newton's method"

    def settings(self, model: Any) -> list[str]:
        known = self.log[0].numbers
        rho, l1, l2 = strengths(model.C, model.penalty, model.l1_ratio)
        if not (rho or l1 or l2):
            settings = ["no penalty"]
        else:
            kind = "l2 penalty" if rho else "elastic net" if l2 else "l1 penalty"
            settings = [f"C = {number(model.C)}", kind]
        if "decrement" in known:
            settings.append("½λ² estimates how far P is above its minimum")
            if self.framed:
                settings.append("∇P of columns about their means and near 1")
        return settings

    def own_answer(self, trace: Any) -> list[tuple[str, str]]:
        return logistic_answer(trace, self.index)
