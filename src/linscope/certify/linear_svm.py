"""What a linear support vector machine can prove: how far its objective is from the best possible.

The weights and the dual coefficients together are the proof: see ``margin_duality``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..results import Check, Result, Status
from ..solvers.margin_frame import margin_problem
from ..solvers.margin_objective import MarginObjective
from .margin_duality import Values, duality
from .svm import SVMCertificate, joint_values

# Room for the rounding of long sums.
SLACK = 1e-9
# Two computations of a gap near rounding differ by about that much of the objective.
UNIT_SLACK = 1e-14


@dataclass(frozen=True, kw_only=True, repr=False)
class LinearSVMCertificate(SVMCertificate):
    """Claim about the weights and dual coefficients of a linear support vector machine.

    Attributes
    ----------
    weights : array (d + 1), bias first
    C, squared, penalize_intercept, fit_intercept : the problem
    tol : the gap that was asked for, relative to the objective
    """

    weights: np.ndarray
    C: float = 1.0
    squared: bool = False
    penalize_intercept: bool = False
    fit_intercept: bool = True
    tol: float = 1e-6

    @property
    def advice(self) -> str:
        if self.status is Status.MAX_ITER:
            return "Raise max_iter, or scale the columns."
        return super().advice

    def _check(self, matrix: Any, rows: np.ndarray, positive: np.ndarray, c: np.ndarray) -> Check:
        kept = np.flatnonzero(c)
        if len(kept) < matrix.shape[0]:
            matrix, positive, c = matrix[rows[kept]], positive[kept], c[kept]
        n, d = matrix.shape
        if self.weights.shape != (d + 1,) or self.alpha.shape != (n,):
            return Check(False, f"{self.weights.shape} weights and {self.alpha.shape} coefficients")
        if not (np.isfinite(self.weights).all() and np.isfinite(self.alpha).all()):
            return Check(False, "the weights or coefficients are not finite")
        if not self.fit_intercept and self.weights[0]:
            return Check(False, "the model has no bias, the weights have one")
        unbounded = self.squared or np.inf == self.C
        top = np.inf if unbounded else self.C * c
        outside = (self.alpha < 0.0) | (self.alpha > top)
        if outside.any():
            return Check(False, f"coefficient {int(np.argmax(outside))} is outside its box")
        return self._compare(self._values(matrix, np.where(positive, 1.0, -1.0), c))

    def _values(self, matrix: Any, y: np.ndarray, c: np.ndarray) -> Values:
        if not len(y):
            return Values(0.5 * float(self.weights @ self.weights), 0.0, 0.0, y)
        options: dict[str, Any] = {
            "squared": self.squared,
            "c": c,
            "penalize_intercept": self.penalize_intercept,
            "fit_intercept": self.fit_intercept,
        }
        objective, frame = margin_problem(matrix, y, min(self.C, 1e300), **options)
        return duality(objective, frame, self.weights, self.alpha, self.C)

    def _compare(self, found: Values) -> Check:
        if self.primal is None or self.gap is None or self.dual is None:
            return Check(False, "objective, dual value or gap is missing")
        slack = found.rounding + SLACK * abs(found.primal)
        if not abs(found.primal - self.primal) <= slack:
            return Check(False, f"the objective is {found.primal:.9g}, not {self.primal:.9g}")
        if not found.gap + found.rounding <= 1.01 * self.gap + UNIT_SLACK * found.primal:
            return Check(False, f"the bound is {found.gap:.2g}, not {self.gap:.2g}")
        if not self.dual <= found.dual + slack:
            return Check(False, f"the dual value is {found.dual:.9g}, not {self.dual:.9g}")
        if self.status.ok and not self.gap <= self.tol * self.primal:
            return Check(False, f"a gap of {self.gap:.2g} is not within the tolerance: no optimum")
        return Check(True, f"the objective is above the minimum by at most {found.gap:.2g}")


def certify(
    found: Values, objective: MarginObjective, result: Result, weights: np.ndarray, C: float, *,
    tol: float, **claim: Any,
) -> LinearSVMCertificate:  # fmt: skip
    """The certificate of a solver's result; ``weights`` are those of the given columns.

    The bound alone decides whether the tolerance was reached, not what the solver believes.
    """
    gap = found.gap + found.rounding
    status = result.status
    if gap <= tol * found.primal:
        status = Status.CONVERGED
    elif status.ok:
        status = Status.STALLED
    return LinearSVMCertificate(
        status=status,
        primal=found.primal,
        dual=found.primal - gap,
        gap=gap,
        weights=weights,
        alpha=result.details["alpha"],
        C=C,
        tol=tol,
        squared=objective.squared,
        penalize_intercept=objective.intercept and not objective.free_bias,
        fit_intercept=objective.intercept,
        weighted=len(objective.c) > 0,
        **claim,
    )


def several(parts: dict[str, LinearSVMCertificate], classes: np.ndarray) -> LinearSVMCertificate:
    """One certificate of several binary problems; each has its own in ``parts``."""
    first = next(iter(parts.values()))
    return LinearSVMCertificate(
        **joint_values(parts),
        weights=np.vstack([part.weights for part in parts.values()]),
        alpha=np.concatenate([part.alpha for part in parts.values()]),
        classes=classes,
        C=first.C,
        squared=first.squared,
        penalize_intercept=first.penalize_intercept,
        fit_intercept=first.fit_intercept,
        weighted=first.weighted,
        tol=first.tol,
        how=first.how,
    )
