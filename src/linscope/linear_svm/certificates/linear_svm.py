"""What a linear support vector machine can prove: how far its objective is from the best possible.

The weights and the dual coefficients together are the proof: see ``duality``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.data.given import accepts_dataset
from linscope.engines import choose
from linscope.fitting.svm_certificate import SVMCertificate
from linscope.results import Check, Result, Status

from ..verify.bounds import Bounds, Problem
from ..verify.check import UNFINISHED, check

# By so much a claim is looser than what was found: of the gap, and of the objective.
SHARE, DIGITS = 1e-9, 2.0**-50


@dataclass(frozen=True, kw_only=True, repr=False)
class LinearSVMCertificate(SVMCertificate):
    """Claim about the weights and dual coefficients of a linear support vector machine.

    Attributes
    ----------
    weights : array (d + 1), bias first
    C, squared, penalize_intercept, fit_intercept : the problem
    tol : the gap that was asked for, relative to the objective
    features : a hash of the map that made the columns from those of the user; "" if there is none
    """

    weights: np.ndarray
    C: float = 1.0
    squared: bool = False
    penalize_intercept: bool = False
    fit_intercept: bool = True
    tol: float = 1e-6
    features: str = ""

    @accepts_dataset
    def verify(self, X, y=None, sample_weight=None) -> Check:
        """Recompute all values from the data alone, see ``linscope.linear_svm.verify.check``.

        Parameters
        ----------
        X, y : the training data
        sample_weight : the weights of the fit, if it had any (times class weights)
        """
        return self._judged(check(self, X, y, sample_weight, choose))


def certify(
    found: Bounds, problem: Problem, result: Result, W: np.ndarray, alpha: np.ndarray, *,
    tol: float, **claim: Any,
) -> LinearSVMCertificate:  # fmt: skip
    """The certificate of a solver's result; W are the floats that the user will hold.

    The bound alone decides whether the tolerance was reached, not what the solver believes.
    """
    found = outward(found)
    return LinearSVMCertificate(
        status=_status(found, tol, result.status),
        primal=found.value,
        dual=found.dual,
        gap=found.gap,
        weights=W,
        alpha=alpha,
        C=problem.C,
        tol=tol,
        squared=problem.squared,
        penalize_intercept=problem.intercept and problem.penalised,
        fit_intercept=problem.intercept,
        weighted=problem.engine.weighted,
        **claim,
    )


def outward(found: Bounds) -> Bounds:
    """Some digits looser, so that no other order of summation finds the claim too tight."""
    if not found.gap < np.inf:
        return found
    gap = found.gap * (1.0 + SHARE) + DIGITS * found.value
    return found._replace(dual=found.dual * (1.0 - DIGITS), gap=gap)


def reached(found: Bounds, tol: float) -> bool:
    """Whether the gap is within the tolerance, and both say something."""
    return found.gap < np.inf and tol < 1.0 and found.gap <= tol * found.value


def _status(found: Bounds, tol: float, status: Status) -> Status:
    if reached(found, tol):
        return Status.CONVERGED
    return status if status in UNFINISHED else Status.STALLED


def several(parts: dict[str, LinearSVMCertificate], classes: np.ndarray) -> LinearSVMCertificate:
    """One certificate of several binary problems; each has its own in ``parts``."""
    first = next(iter(parts.values()))
    fine = all(part.status.ok for part in parts.values())
    sums: dict[str, Any] = {
        name: sum(getattr(part, name) or 0.0 for part in parts.values())
        for name in ("primal", "dual", "gap")
    }
    return LinearSVMCertificate(
        **sums,
        status=Status.CONVERGED if fine else Status.SEVERAL,
        parts=dict(parts),
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
