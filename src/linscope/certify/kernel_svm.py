"""What a kernel support vector machine can prove: how far its objective is from the best possible.

    primal  ½‖w‖² + Σ C_i ξ_i      ‖w‖² = βᵀKβ,  ξ_i = max(0, 1 − y_i f(x_i)),  f = Kβ + b
    dual    Σ α_i − ½ βᵀKβ          β_i = y_i α_i,  0 ≤ α_i ≤ C_i,  Σ β_i = 0

With a positive semidefinite kernel no classifier has a smaller objective than the dual value.
With C = ∞ the primal is that of f divided by its smallest margin, which allows no slack.
kkt is max g − min g with g = Kβ − y, the first over the samples that may shrink, the other over
those that may grow: the m(α) − M(α) of LIBSVM, which ``tol`` bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..data import check_finite, encode_labels, to_matrix
from ..data.blocks import borders, take_rows
from ..kernels import gram
from ..results import Certificate, Check, Status
from ..solvers.svm_problem import ends
from .parts import split_parts

# Room for the rounding of kernel values and long sums.
ROUNDING, SLACK = 1e-12, 1e-9
ROWS = 1024
BALANCE = 1e-9


class Values(NamedTuple):
    """Both objectives, how far they are apart, the KKT violation, and f at the samples."""

    primal: float
    dual: float
    gap: float
    kkt: float
    scores: np.ndarray


def kernel_duality(s: np.ndarray, y: np.ndarray, alpha: np.ndarray, C: Any, bias: float) -> Values:
    """The values of a solution whose products Kβ are ``s``.

    Parameters
    ----------
    s, y, alpha : products, signs and coefficients of the samples
    C : the largest α of each sample, or infinity
    bias : b
    """
    beta = y * alpha
    norm2 = float(beta @ s)
    dual = float(alpha.sum()) - 0.5 * norm2
    f = s + bias
    margins = y * f
    if np.isfinite(C).all():
        slack = np.maximum(0.0, 1.0 - margins)
        price = float(np.sum(C * slack))
        primal = 0.5 * norm2 + price
        # The gap as a sum of terms that are not negative: no digits are lost.
        gap = float(np.sum(alpha * (margins - 1.0) + C * slack)) - bias * float(beta.sum())
    else:
        least = float(margins.min(initial=np.inf)) if len(y) else 1.0
        primal = 0.5 * norm2 / least**2 if least > 0 else np.inf
        gap = primal - dual
    low, high = np.where(y > 0, 0.0, -np.asarray(C)), np.where(y > 0, C, 0.0)
    kkt = max(0.0, ends(s - y, beta < high, beta > low).gap)
    return Values(primal, dual, max(gap, 0.0), kkt, f)


@dataclass(frozen=True, kw_only=True, repr=False)
class KernelSVMCertificate(Certificate):
    """Claim about the dual coefficients and the bias of a kernel support vector machine.

    Attributes
    ----------
    alpha : coefficients of the samples with a positive weight, in float64
    bias : b, in float64
    classes : the two labels, the second is +1; or all labels, for a certificate of several parts
    C, kernel, parameters : the problem
    weighted : whether samples have weights of their own
    tol : the KKT violation that was asked for
    error : how much the products Kβ of the fit may be off where kernel values were float32;
        primal, gap and kkt have room for it
    side : of one problem among several: the positive label and the negative one, None for the rest
    how : what the solver did
    """

    alpha: np.ndarray
    bias: float
    classes: np.ndarray
    C: float = 1.0
    kernel: Any = "rbf"
    parameters: dict
    weighted: bool = False
    tol: float = 1e-3
    error: float = 0.0
    side: tuple[Any, Any] | None = None
    how: str = ""

    @property
    def advice(self) -> str:
        return ADVICE.get(self.status) or super().advice

    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "objective": self.primal,
            "above the minimum by at most": self.gap,
            "KKT violation": self.kkt,
        }
        if not self.parts:
            facts["support vectors"] = int(np.count_nonzero(self.alpha))
        return facts | {"how": self.how}

    def verify(self, X, y, sample_weight=None) -> Check:
        """Recompute all values from the data, with plain float64 kernels.

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
        c = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, np.float64)
        if not self.parts:
            return self._check(matrix, np.arange(len(codes)), codes == 1, c)
        total = [0.0, 0.0]
        for name, part, rows, positive in split_parts(self.parts, known, codes):
            own = np.arange(len(codes))[rows]
            check = part._check(matrix, own, positive, c[own])
            if not check:
                return Check(False, f"{name}: {check.reason}")
            total = [total[0] + part.primal, total[1] + part.gap]
        if not np.allclose(total, [self.primal or 0.0, self.gap or 0.0], rtol=1e-9, atol=0.0):
            return Check(False, "the sums over the parts are not those of the whole")
        if self.status is not _joint(self.parts):
            return Check(False, f"the parts do not add up to: {self.status}")
        return Check(True, f"all {len(self.parts)} problems are as claimed")

    def _check(self, matrix: Any, rows: np.ndarray, positive: np.ndarray, c: np.ndarray) -> Check:
        rows, y, c = rows[c > 0], np.where(positive, 1.0, -1.0)[c > 0], c[c > 0]
        alpha = np.asarray(self.alpha, dtype=np.float64)
        if alpha.shape != (len(rows),):
            return Check(False, f"{alpha.shape} coefficients for {len(rows)} samples")
        if not (np.isfinite(alpha).all() and np.isfinite(self.bias)):
            return Check(False, "the coefficients or the bias are not finite")
        top = self.C * c
        outside = (alpha < 0.0) | (alpha > top * (1.0 + ROUNDING))
        if outside.any():
            return Check(False, f"coefficient {int(np.argmax(outside))} is outside its box")
        if not abs(float(y @ alpha)) <= BALANCE * float(alpha.sum()):
            return Check(False, f"Σ y α is {float(y @ alpha):.2g}, not 0")
        if not len(rows):
            found = Values(0.0, 0.0, 0.0, 0.0, alpha)
            return self._compare(found, 0.0, 0.0)
        s, size, bias = self._products(matrix, rows, y * alpha)
        found = kernel_duality(s, y, alpha, top, bias)
        rounding = ROUNDING * size
        prices = float(top[y * found.scores < 1.0].sum()) if np.isfinite(top).all() else 0.0
        return self._compare(found, rounding, float(alpha.sum()) + prices)

    def _products(self, matrix: Any, rows: np.ndarray, beta: np.ndarray) -> tuple:
        """Kβ, the largest sum of |K||β|, and the bias that belongs to these products."""
        used, bias = np.flatnonzero(beta), self.bias
        s, size = np.zeros(len(rows)), 0.0
        if not len(used):
            return s, 0.0, bias
        if self.kernel == "precomputed":
            if matrix.shape[0] != matrix.shape[1]:
                raise ValueError(f"a precomputed kernel must be square, got shape {matrix.shape}")
            points: Any = matrix[rows][:, rows[used]]
        else:
            points = matrix[rows].astype(np.float64)
            if self.kernel == "linear" and not sp.issparse(points):
                # Σβ = 0: without the mean, and with a bias for that, sums are more exact.
                mean = points.mean(axis=0)
                points = points - mean
                bias = bias + float(beta[used] @ (points[used] @ mean))
            vectors = points[used]
        for first, stop in borders(len(rows), ROWS):
            K: Any = take_rows(points, first, stop)
            if self.kernel != "precomputed":
                K = gram(K, vectors, kernel=self.kernel, **self.parameters)
            K = K.toarray() if sp.issparse(K) else K
            s[first:stop] = K @ beta[used]
            size = max(size, float((np.abs(K) @ np.abs(beta[used])).max()))
        return s, size + abs(bias) + abs(self.bias), bias

    def _compare(self, found: Values, rounding: float, prices: float) -> Check:
        if self.primal is None or self.gap is None or self.dual is None or self.kkt is None:
            return Check(False, "objective, dual value, gap or KKT violation is missing")
        room = (rounding + self.error) * prices + SLACK * abs(found.primal)
        if not abs(found.primal - self.primal) <= room:
            return Check(False, f"the objective is {found.primal:.9g}, not {self.primal:.9g}")
        if not abs(found.dual - self.dual) <= room:
            return Check(False, f"the dual value is {found.dual:.9g}, not {self.dual:.9g}")
        room = 4.0 * rounding * prices + SLACK * abs(found.primal)
        if not found.gap <= 1.01 * self.gap + room:
            return Check(False, f"the gap is {found.gap:.3g}, not {self.gap:.3g}")
        if not found.kkt <= 1.01 * self.kkt + 4.0 * rounding + SLACK:
            return Check(False, f"the KKT violation is {found.kkt:.3g}, not {self.kkt:.3g}")
        if self.status.ok and not self.kkt <= self.tol:
            return Check(False, f"a KKT violation of {self.kkt:.2g} is not within {self.tol:g}")
        return Check(True, f"the objective is above the minimum by at most {self.gap:.2g}")


ADVICE = {
    Status.MAX_ITER: "Raise max_iter or tol, scale the columns, or lower C.",
    Status.STALLED: "Scale the columns, lower C or raise tol.",
    Status.STOPPED: "The answer is feasible, but not the best: fit again to go on.",
}


def several(parts: dict[str, KernelSVMCertificate], classes: np.ndarray) -> KernelSVMCertificate:
    """One certificate of several binary problems; each has its own in ``parts``."""
    first = next(iter(parts.values()))
    return KernelSVMCertificate(
        status=_joint(parts),
        primal=sum(part.primal or 0.0 for part in parts.values()),
        dual=sum(part.dual or 0.0 for part in parts.values()),
        gap=sum(part.gap or 0.0 for part in parts.values()),
        kkt=max(part.kkt or 0.0 for part in parts.values()),
        alpha=np.zeros(0),
        bias=0.0,
        classes=classes,
        C=first.C,
        kernel=first.kernel,
        parameters=first.parameters,
        weighted=first.weighted,
        tol=first.tol,
        how=first.how,
        parts=dict(parts),
    )


def _joint(parts: Any) -> Status:
    return Status.CONVERGED if all(part.status.ok for part in parts.values()) else Status.SEVERAL
