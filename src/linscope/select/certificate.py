"""What a fit on a path claims: how far its objective is from the minimum, at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..certify.logistic import smallest_gap
from ..data import check_finite, encode_labels, to_matrix
from ..results import Certificate, Check
from ..solvers.logistic_frame import logistic_frame
from ..solvers.logistic_objective import LogisticObjective, Point
from .bounds import bound_from_factor
from .fold_newton import cholesky

# Room for the rounding of long sums.
SLACK = 1e-9
NEWTON_COLUMNS = 2000


@dataclass(frozen=True, kw_only=True, repr=False)
class PathCertificate(Certificate):
    """Claim about the weights of one fit: one C, one fold's training rows or all rows.

    Attributes
    ----------
    weights : array (rows, d + 1), bias first; one row for two classes, one a class for more
    classes : the labels
    C : weight of the loss against ½‖w‖²
    primal, gap : the objective, and how far above its minimum it is at most
    """

    weights: np.ndarray
    classes: np.ndarray
    C: float
    fit_intercept: bool = True
    weighted: bool = False

    def facts(self) -> dict[str, Any]:
        return {
            "C": self.C,
            "objective": self.primal,
            "above the minimum by at most": self.gap,
        }

    def verify(self, X, y, sample_weight=None) -> Check:
        """Recompute objective and bound from the data alone.

        Parameters
        ----------
        X, y : the rows that this fit was trained on
        sample_weight : their weights, if there were any (times class weights)
        """
        try:
            return self._check(X, y, sample_weight)
        except (ValueError, TypeError, IndexError) as error:
            return Check(False, f"the certificate does not fit these data: {error}")

    def _check(self, X, y, sample_weight) -> Check:
        assert self.primal is not None
        assert self.gap is not None
        objective, frame = self._objective(X, y, sample_weight)
        if self.weights.shape != objective.shape:
            return Check(False, f"weights of shape {self.weights.shape}, not {objective.shape}")
        if not np.isfinite(self.weights).all():
            return Check(False, "the weights are not finite")
        point = objective.evaluate(frame.inside(self.weights))
        # A bias that takes up a large shift is rounded to its last bit, and scores with it.
        rounding = 2.0**-52 * float(np.abs(self.weights[:, 1:] @ np.abs(frame.shift)).max())
        slack = (SLACK + rounding) * abs(point.value)
        if abs(point.value - self.primal) > slack:
            return Check(False, f"the objective is {point.value:.9g}, not {self.primal:.9g}")
        enough = 1.01 * self.gap + slack
        found = smallest_gap(objective, point)
        if not found <= enough:
            found = min(found, exact_bound(objective, point))
        if not found <= enough:
            return Check(False, f"the bound is {found:.2g}, not {self.gap:.2g}")
        return Check(True, f"the objective is above the minimum by at most {found:.2g}")

    def _objective(self, X, y, sample_weight):
        matrix, names = to_matrix(X)
        check_finite(matrix, names)
        known, codes = encode_labels(y, n_samples=matrix.shape[0])
        if list(known) != list(self.classes):
            raise ValueError(f"labels {list(known)}, expected {list(self.classes)}")
        if sample_weight is None and self.weighted:
            raise ValueError("the fit used weights: pass sample_weight")
        weight = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, float)
        frame = logistic_frame(matrix, fit_intercept=self.fit_intercept)
        objective = LogisticObjective(
            frame.X, codes, len(known), self.C * weight, frame.pull(1.0), self.fit_intercept
        )
        return objective, frame


def exact_bound(objective: LogisticObjective, point: Point) -> float:
    """The bound of the Newton decrement from the Hessian at the point itself (two classes)."""
    if objective.rows > 1 or objective.d > NEWTON_COLUMNS:
        return np.inf
    factor = cholesky(objective.hessian(point))
    return bound_from_factor(point.gradient.ravel(), factor, longest_row(objective.X))


def longest_row(X: Any) -> float:
    """max √(1 + ‖x‖²)."""
    squares = X.multiply(X).sum(axis=1) if hasattr(X, "multiply") else np.einsum("ij,ij->i", X, X)
    return float(np.sqrt(1.0 + np.max(squares)))
