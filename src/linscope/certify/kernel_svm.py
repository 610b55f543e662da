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

from ..data.blocks import borders, take_rows
from ..kernels import gram
from ..results import Check, Status
from ..solvers.svm_problem import ends
from .svm import SVMCertificate, joint_values

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
class KernelSVMCertificate(SVMCertificate):
    """Claim about the dual coefficients and the bias of a kernel support vector machine.

    Attributes
    ----------
    bias : b, in float64
    C, kernel, parameters : the problem
    tol : the KKT violation that was asked for
    """

    bias: float
    C: float = 1.0
    kernel: Any = "rbf"
    parameters: dict
    tol: float = 1e-3

    @property
    def advice(self) -> str:
        return ADVICE.get(self.status) or super().advice

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
        room = rounding * prices + SLACK * abs(found.primal)
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
        **joint_values(parts),
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
    )
