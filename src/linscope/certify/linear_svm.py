"""What a linear support vector machine can prove: how far its objective is from the best possible.

The weights and the dual coefficients together are the proof: see ``margin_duality``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data import check_finite, encode_labels, to_matrix
from ..results import Certificate, Check, Result, Status
from ..solvers.margin_frame import margin_problem
from ..solvers.margin_objective import MarginObjective
from .margin_duality import Values, duality
from .parts import split_parts

# Room for the rounding of long sums.
SLACK = 1e-9
# Two computations of a gap near rounding differ by about that much of the objective.
UNIT_SLACK = 1e-14


@dataclass(frozen=True, kw_only=True, repr=False)
class LinearSVMCertificate(Certificate):
    """Claim about the weights and dual coefficients of a linear support vector machine.

    Attributes
    ----------
    weights : array (d + 1), bias first
    alpha : dual coefficients of the samples with a positive weight; those with α > 0 are the
        support vectors
    classes : the two labels, the second is +1; or all labels, for a certificate of several parts
    C, squared, penalize_intercept, fit_intercept : the problem
    tol : the gap that was asked for, relative to the objective
    side : of one problem among several: the positive label and the negative one, None for the rest
    how : what the solver did
    """

    weights: np.ndarray
    alpha: np.ndarray
    classes: np.ndarray
    C: float = 1.0
    squared: bool = False
    penalize_intercept: bool = False
    fit_intercept: bool = True
    weighted: bool = False
    tol: float = 1e-6
    side: tuple[Any, Any] | None = None
    how: str = ""

    @property
    def advice(self) -> str:
        if self.status is Status.MAX_ITER:
            return "Raise max_iter, or scale the columns."
        return super().advice

    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "objective": self.primal,
            "above the minimum by at most": self.gap,
        }
        if not self.parts:
            facts["support vectors"] = int(np.count_nonzero(self.alpha))
        return facts | {"how": self.how}

    def verify(self, X, y, sample_weight=None) -> Check:
        """Recompute both values from the data alone.

        Parameters
        ----------
        X, y : the training data
        sample_weight : the weights of the fit, if it had any (times class weights)
        """
        try:
            return self._check_all(X, y, sample_weight)
        except (ValueError, TypeError, KeyError, IndexError) as error:
            return Check(False, f"the certificate does not fit these data: {error}")

    def _check_all(self, X, y, sample_weight) -> Check:
        matrix, names = to_matrix(X)
        check_finite(matrix, names)
        known, codes = encode_labels(y, n_samples=matrix.shape[0])
        if known.tolist() != self.classes.tolist():
            raise ValueError(f"labels {known.tolist()}, expected {self.classes.tolist()}")
        if sample_weight is None and self.weighted:
            raise ValueError("the fit used sample weights: pass sample_weight")
        c = np.zeros(0) if sample_weight is None else np.asarray(sample_weight, np.float64)
        if not self.parts:
            return self._check(matrix, codes == 1, c)
        total = [0.0, 0.0]
        for name, part, rows, positive in split_parts(self.parts, known, codes):
            check = part._check(matrix[rows], positive, c[rows] if len(c) else c)
            if not check:
                return Check(False, f"{name}: {check.reason}")
            total = [total[0] + part.primal, total[1] + part.gap]
        claimed = [self.primal or 0.0, self.gap or 0.0]
        if not np.allclose(total, claimed, rtol=1e-9, atol=0.0):
            return Check(False, "the sums over the parts are not those of the whole")
        if self.status is not _joint(self.parts):
            return Check(False, f"the parts do not add up to: {self.status}")
        return Check(True, f"all {len(self.parts)} problems are as claimed")

    def _check(self, matrix: Any, positive: np.ndarray, c: np.ndarray) -> Check:
        """One problem, rows of weight 0 not left out yet."""
        if len(c) and not c.all():
            kept = np.flatnonzero(c)
            matrix, positive, c = matrix[kept], positive[kept], c[kept]
        n, d = matrix.shape
        if self.weights.shape != (d + 1,) or self.alpha.shape != (n,):
            return Check(False, f"{self.weights.shape} weights and {self.alpha.shape} coefficients")
        if not (np.isfinite(self.weights).all() and np.isfinite(self.alpha).all()):
            return Check(False, "the weights or coefficients are not finite")
        if not self.fit_intercept and self.weights[0]:
            return Check(False, "the model has no bias, the weights have one")
        unbounded = self.squared or np.inf == self.C
        top = np.inf if unbounded else self.C * (c if len(c) else 1.0)
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
        status=_joint(parts),
        primal=sum(part.primal or 0.0 for part in parts.values()),
        dual=sum(part.dual or 0.0 for part in parts.values()),
        gap=sum(part.gap or 0.0 for part in parts.values()),
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
        parts=dict(parts),
    )


def _joint(parts: Any) -> Status:
    ok = all(part.status.ok for part in parts.values())
    return Status.CONVERGED if ok else Status.SEVERAL
