"""What the certificates of linear and of kernel support vector machines have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.data import encode_labels, to_matrix
from linscope.results import Certificate, Check, Status
from linscope.rows.finite import check_finite
from linscope.verify.parts import split_parts


@dataclass(frozen=True, kw_only=True, repr=False)
class SVMCertificate(Certificate):
    """Claim about a support vector machine, or about those of several binary problems.

    Attributes
    ----------
    alpha : dual coefficients of the samples with a positive weight; those with α > 0 are the
        support vectors
    classes : the two labels, the second is +1; or all labels, for a certificate of several parts
    weighted : whether samples have weights of their own
    side : of one problem among several: the positive label and the negative one, None for the rest
    how : what the solver did
    """

    alpha: np.ndarray
    classes: np.ndarray
    weighted: bool = False
    side: tuple[Any, Any] | None = None
    how: str = ""

    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "objective": self.primal,
            "above the minimum by at most": self.gap,
        }
        if self.kkt is not None:
            facts["KKT violation"] = self.kkt
        if not self.parts:
            facts["support vectors"] = int(np.count_nonzero(self.alpha))
        return facts | {"how": self.how}

    def verify(self, X, y, sample_weight=None) -> Check:
        """Recompute all values from the data alone.

        Parameters
        ----------
        X, y : the training data; the Gram matrix for a precomputed kernel
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
        every = np.arange(len(codes))
        c = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, np.float64)
        if not self.parts:
            return self._check(matrix, every, codes == 1, c)
        total = [0.0, 0.0]
        for name, part, rows, positive in split_parts(self.parts, known, codes):
            check = part._check(matrix, every[rows], positive, c[rows])
            if not check:
                return Check(False, f"{name}: {check.reason}")
            total = [total[0] + part.primal, total[1] + part.gap]
        if not np.allclose(total, [self.primal or 0.0, self.gap or 0.0], rtol=1e-9, atol=0.0):
            return Check(False, "the sums over the parts are not those of the whole")
        if self.status is not joint_status(self.parts):
            return Check(False, f"the parts do not add up to: {self.status}")
        return Check(True, f"all {len(self.parts)} problems are as claimed")

    def _check(self, matrix: Any, rows: np.ndarray, positive: np.ndarray, c: np.ndarray) -> Check:
        """One problem: its rows of the matrix, their sides and weights, 0 not left out yet."""
        raise NotImplementedError


def joint_status(parts: Mapping[str, Certificate]) -> Status:
    return Status.CONVERGED if all(part.status.ok for part in parts.values()) else Status.SEVERAL


def joint_values(parts: Mapping[str, Certificate]) -> dict[str, Any]:
    """What a certificate of several binary problems adds up from its parts."""
    return {
        "status": joint_status(parts),
        "primal": sum(part.primal or 0.0 for part in parts.values()),
        "dual": sum(part.dual or 0.0 for part in parts.values()),
        "gap": sum(part.gap or 0.0 for part in parts.values()),
        "parts": dict(parts),
    }
