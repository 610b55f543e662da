"""One pair of sequential minimal optimisation."""

from __future__ import annotations

from dataclasses import dataclass

from linscope.reports.cells import number
from linscope.tracing.steps import Step


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SmoStep(Step):
    """One pair of sequential minimal optimisation.

    ``before`` and ``after`` are α of all samples of the problem.

    Attributes
    ----------
    i, j : rows of the two samples, from 0; y_i α_i grows, y_j α_j shrinks by as much
    names : their names, if there are any
    alpha_i_before, alpha_i, alpha_j_before, alpha_j : their α before and after
    clipped : whether a bound, 0 or C, cut the step short
    dual : D(α) after the step
    gap : m(α) − M(α) after the step; the run ends when it is at most tol
    """

    i: int = 0
    j: int = 0
    names: tuple[str, str] | None = None
    alpha_i_before: float = 0.0
    alpha_i: float = 0.0
    alpha_j_before: float = 0.0
    alpha_j: float = 0.0
    clipped: bool = False
    dual: float = 0.0
    gap: float = 0.0

    @property
    def where(self) -> str:
        """The pair, in words."""
        i, j = self.names if self.names is not None else (self.i, self.j)
        return f"samples {i} and {j}"

    def __repr__(self) -> str:
        moves = (
            f"α_i {number(self.alpha_i_before)} → {number(self.alpha_i)}, "
            f"α_j {number(self.alpha_j_before)} → {number(self.alpha_j)}"
        )
        cut = ", clipped" if self.clipped else ""
        end = f"D = {number(self.dual)}, gap {number(self.gap)}"
        return f"Step {self.number}: {self.where}, {moves}{cut}, {end}"
