"""What a kernel support vector machine can prove: how far its objective is from the best possible.

The formulas are those of ``verify.duality``. Small problems are measured there; large ones
bring the scores of their solver with a bound of all rounding, which takes no pass of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linscope.arithmetic.enclosures import UNIT, Ball
from linscope.data.given import accepts_dataset
from linscope.fitting.svm_certificate import SVMCertificate
from linscope.results import Check, Status

from ..verify import check as kernel_svm
from ..verify.duality import Held, Judged, judge, measure, widened
from ..verify.inner_product import MOST
from .inner_product import Evidence, evidence
from .many import Segments, judge_many

# Claims are wider than what they are built from, so that a check with other rounding agrees.
WIDER = 3.0
# Products of features: so many are measured at once, as many if nothing else proves the answer,
# and in pairs of floats.
QUICK, LONG, PRECISE = 2e6, 5e8, 1e6
# Floats are not enough where rounding is more than this share of the objective.
COARSE = 1e-7
# The scores of a solver are enough where rounding is less than this share of tol.
SMALL = 0.01
# Rounding is shown where it is more than this share of the objective.
VISIBLE = 1e-6
# Margins this near to 1 are 1 but for rounding.
NEAR = 1e-6


@dataclass(frozen=True, kw_only=True, repr=False)
class KernelSVMCertificate(SVMCertificate):
    """Claim about the dual coefficients and the bias of a kernel support vector machine.

    Attributes
    ----------
    bias : b, as the model holds it
    weights : w of a linear kernel, as the model holds it; None for others
    C, kernel, parameters : the problem; the price of a sample is the float C·c_i
    tol : the KKT violation that was asked for
    allowed : the gap that follows from it, tol·ΣC_i; with C = ∞ 4·tol·Σα_i
    rounding : the objective is ``primal`` within so much: that of ``coef_`` and ``intercept_`` with
        a linear kernel, else that of ``dual_coef_`` and ``intercept_``
    spread : with a linear kernel: the objective of ``dual_coef_`` and ``intercept_`` is ``primal``
        within so much; else None
    ridge : proven: the kernel with so much on its diagonal is an inner product; None if unknown
    slope : a of the probabilities, which nothing proves; None if the model has none
    witness : (rows, v) with vᵀKv < 0: the kernel is not an inner product, and there is no gap
    """

    TEXTS: ClassVar[Mapping[Status, str]] = {
        Status.UNBOUNDED: "this kernel is not an inner product: the dual has no maximum",
    }
    ADVICE: ClassVar[Mapping[Status, str]] = {
        Status.UNBOUNDED: "Use kernel='rbf', 'linear' or 'poly' with coef0 >= 0, or a finite C.",
        Status.MAX_ITER: "Raise max_iter or tol, scale the columns, or lower C.",
        Status.STALLED: "Scale the columns, lower C or raise tol.",
        Status.STOPPED: "The answer is feasible, but not the best: fit again to go on.",
    }

    bias: float
    weights: np.ndarray | None = None
    C: float = 1.0
    kernel: Any = "rbf"
    parameters: dict
    tol: float = 1e-3
    allowed: float = 0.0
    rounding: float = 0.0
    spread: float | None = None
    ridge: float | None = 0.0
    slope: float | None = None
    witness: tuple[np.ndarray, np.ndarray] | None = None

    def facts(self) -> dict[str, Any]:
        visible = VISIBLE * abs(self.primal or 0.0)
        coarse = f"{self.primal:.6g}, rounded by at most {self.rounding:.2g}"
        facts: dict[str, Any] = {"objective": coarse if self.rounding > visible else self.primal}
        if self.spread is not None and self.spread > visible:
            facts["objective of dual_coef_"] = f"{self.primal:.6g} within {self.spread:.2g}"
        if self.gap is not None:
            known = self.ridge is not None
            doubt = "" if known else " (if this kernel is an inner product, which was not checked)"
            facts["above the minimum by at most"] = f"{self.gap:.6g}{doubt}" if doubt else self.gap
        facts["KKT violation"] = self.kkt
        asked = f"{self.tol:g}, which makes the objective at most {self.allowed:.3g} too large"
        facts["tol"] = asked if self.gap is not None and not self.parts else self.tol
        if not self.parts:
            facts["support vectors"] = int(np.count_nonzero(self.alpha))
        return facts | {"how": self.how}

    @accepts_dataset
    def verify(self, X, y=None, sample_weight=None) -> Check:
        """Recompute all values from the data alone.

        Parameters
        ----------
        X, y : the training data; the Gram matrix for a precomputed kernel
        sample_weight : the weights of the fit, if it had any (times class weights)
        """
        return self._judged(kernel_svm.check(self, X, y, sample_weight))


def claim_of(
    held: Held,
    f: Ball | None,
    status: Status,
    tol: float,
    more: dict[str, Any],
    shown: Evidence | None = None,
    keep: bool = False,
) -> tuple[KernelSVMCertificate, Held, Judged]:
    """The certificate of a model, the model (w = 0 if that is better), and its numbers.

    Parameters
    ----------
    held : the problem, and what the model holds
    f : scores of the samples with a bound of their rounding, or None: they are measured
    status : how the solver ended
    tol : the KKT violation that was asked for
    more : what else the certificate says
    shown : what is known of the kernel on these rows, if that was looked at before
    keep : the model stays as it is
    """
    shown = evidence(held) if shown is None else shown
    held = held._replace(ridge=shown.ridge or 0.0)
    found = _measured(held, f, tol)
    if not keep:
        held, found = _lifted(held, found, tol)
    if shown.ridge is None and shown.witness is None and len(held.y) <= MOST:
        found = found._replace(gap=np.inf)
    if shown.witness is not None and not keep and _worse_than_nothing(held, found):
        held = _nothing(held)
        found, status = measure(held, wider=WIDER), Status.STATIONARY
    claim = KernelSVMCertificate(
        status=_status(status, found, tol, shown),
        **_numbers(found, shown),
        alpha=held.alpha,
        bias=held.bias,
        weights=held.weights,
        kernel=held.kernel.name,
        tol=tol,
        allowed=tol * found.prices,
        ridge=shown.ridge,
        witness=shown.witness,
        **more,
    )
    return claim, held, found


def _measured(held: Held, f: Ball | None, tol: float) -> Judged:
    """In floats if these are enough, else in pairs of floats, if that does not take too long."""
    cost = float(np.count_nonzero(held.alpha)) * len(held.y) * (held.X.shape[1] + 16.0)
    if held.weights is not None:
        cost = float(held.X.shape[0]) * held.X.shape[1]
    if f is not None and cost > QUICK and held.weights is None:
        f = widened(Ball(f.mid, f.rad + held.ridge * held.alpha), WIDER)
        found = _judged_at_once(held, f)
        if _enough(found, _rounding(held, f), tol) or cost > LONG:
            return found
    found = measure(held, wider=WIDER)
    if not _fine(found, _rounding(held, found.f), tol) and cost <= PRECISE:
        return measure(held, precise=True, wider=WIDER)
    return found


def _judged_at_once(held: Held, f: Ball) -> Judged:
    """In plain sums, if there are prices and lengths are known."""
    if held.kernel.name != "rbf" or np.isinf(held.top).any() or not len(held.y):
        return judge(held, f)
    bias, first = np.array([held.bias]), np.zeros(1, dtype=np.int64)
    found = judge_many(Segments(f, held.y, held.alpha, held.top, bias, first, 1.0))
    primal, rounding, gap, kkt, prices = (float(value[0]) for value in found)
    return Judged(Ball(primal, rounding), gap if gap >= 0 else np.inf, kkt, prices, f)


def quick_claims(
    given: Segments, status: list[Status | None], tol: float, more: list[dict[str, Any]]
) -> list[KernelSVMCertificate | None]:
    """Certificates of many problems whose kernel is an inner product, from the scores of solvers.

    None where that proves too little, or where the status is None.

    Parameters
    ----------
    given : the problems; their scores are wider than rounding asks for
    status : how the solver ended each of them
    tol : the KKT violation that was asked for
    more : what else the certificates say
    """
    figures, f = judge_many(given), given.f
    matters = (given.alpha > 0) | ~(given.y * f.mid - f.rad >= 1.0)
    rounding = np.maximum.reduceat(np.where(matters, f.rad, 0.0), given.starts)
    stops = [*given.starts[1:].tolist(), len(given.y)]
    rows = zip(*(column.tolist() for column in figures), rounding.tolist(), strict=True)
    proven = Evidence(0.0, None)
    claims: list[KernelSVMCertificate | None] = []
    for k, (primal, doubt, gap, kkt, prices, largest) in enumerate(rows):
        found = Judged(Ball(primal, doubt), gap, kkt, prices, given.f)
        how = status[k]
        claims.append(None)
        if how is None or not (_enough(found, largest, tol) and gap < np.inf):
            continue
        claims[k] = KernelSVMCertificate(
            status=_status(how, found, tol, proven),
            **_numbers(found, proven),
            alpha=given.alpha[given.starts[k] : stops[k]],
            bias=float(given.bias[k]),
            tol=tol,
            allowed=tol * prices,
            **more[k],
        )
    return claims


def _enough(found: Judged, rounding: float, tol: float) -> bool:
    """Whether rounding is only a small part of what ``tol`` allows."""
    small = rounding <= SMALL * tol or 40.0 * rounding <= found.kkt
    return bool(small and found.primal.rad <= SMALL * tol * found.prices)


def _fine(found: Judged, rounding: float, tol: float) -> bool:
    """Whether rounding is also a small part of the objective."""
    with np.errstate(all="ignore"):
        small = rounding * found.prices <= COARSE * abs(found.primal.mid)
        known = WIDER * found.primal.rad
        small &= kernel_svm.precise_enough(found.primal.mid, known, tol * found.prices)
        return bool(small and (found.kkt <= tol or 40.0 * rounding <= found.kkt))


def _rounding(held: Held, f: Ball) -> float:
    """The largest error of a score that has a part in the numbers."""
    with np.errstate(all="ignore"):
        matters = (held.alpha > 0) | ~(held.y * f.mid - f.rad >= 1.0)
        return float(np.max(f.rad, where=matters, initial=0.0))


# With C ≫ α a margin of 1 − 1e-12 costs C·1e-12, which may be most of the objective.
def _lifted(held: Held, found: Judged, tol: float) -> tuple[Held, Judged]:
    """The model times a number just above 1, if that leaves no slack and is better."""
    with np.errstate(all="ignore"):
        least = float(np.min(held.y * found.f.mid - found.f.rad, initial=np.inf))
        lost = found.gap > COARSE * abs(found.primal.mid)
    cost = float(np.count_nonzero(held.alpha)) * len(held.y) * (held.X.shape[1] + 16.0)
    alone = 2.0 * held.alpha < held.top
    near = 1.0 - min(NEAR, tol) <= least < 1.0
    if not (lost and near and alone.all() and cost <= QUICK):
        return held, found
    factor = (1.0 + 4.0 * UNIT) / least
    dtype = held.X.dtype
    alpha, bias = (in_float(factor * value, dtype) for value in (held.alpha, held.bias))
    weights = None if held.weights is None else in_float(factor * held.weights, dtype)
    other = held._replace(alpha=alpha, bias=float(bias), weights=weights)
    better = _measured(other, None, tol)
    improved = better.gap < found.gap and better.kkt <= max(tol, found.kkt)
    return (other, better) if improved else (held, found)


def in_float(values: Any, dtype: Any) -> Any:
    """Rounded to the type of the model."""
    return np.asarray(values).astype(dtype).astype(np.float64)


def _numbers(found: Judged, shown: Evidence) -> dict[str, Any]:
    primal, rounding = float(found.primal.mid), float(found.primal.rad)
    spread = None if found.spread is None else WIDER * found.spread
    numbers = {"primal": primal, "rounding": WIDER * rounding, "kkt": found.kkt, "spread": spread}
    if not np.isfinite(rounding):
        numbers = {**numbers, "primal": np.inf, "rounding": 0.0}
    if shown.witness is not None:
        return numbers
    gap = found.gap if np.isfinite(rounding) else np.inf
    dual = float(np.nextafter(primal - 2.0 * rounding - gap, -np.inf))
    return {**numbers, "gap": gap, "dual": dual if np.isfinite(gap) else -np.inf}


def _status(status: Status, found: Judged, tol: float, shown: Evidence) -> Status:
    """CONVERGED is decided by the numbers alone."""
    if shown.witness is not None and found.kkt <= tol:
        return Status.STATIONARY
    if shown.witness is None and kernel_svm.within(
        found.primal.mid, WIDER * found.primal.rad, found.kkt, found.gap, tol, tol * found.prices
    ):
        return Status.CONVERGED
    return status if not status.ok and status is not Status.UNBOUNDED else Status.STALLED


# w = 0 with b = ±1: every sample of the lighter class pays for a slack of 2
def _worse_than_nothing(held: Held, found: Judged) -> bool:
    lighter = min(float(held.top[held.y > 0].sum()), float(held.top[held.y < 0].sum()))
    return bool(np.isfinite(lighter) and found.primal.low > 2.0 * lighter)


def _nothing(held: Held) -> Held:
    heavier = float((held.y * held.top).sum()) >= 0.0
    weights = None if held.weights is None else np.zeros_like(held.weights)
    alpha = np.zeros_like(held.alpha)
    return held._replace(alpha=alpha, bias=1.0 if heavier else -1.0, weights=weights)


def several(parts: dict[str, KernelSVMCertificate], classes: np.ndarray) -> KernelSVMCertificate:
    """One certificate of several binary problems; each has its own in ``parts``."""
    first = next(iter(parts.values()))
    sums: dict[str, Any] = {}
    for name in ("primal", "dual", "gap"):
        known = [getattr(part, name) for part in parts.values()]
        sums[name] = None if any(value is None for value in known) else sum(known)
    return KernelSVMCertificate(
        **sums,
        status=kernel_svm.joint_status(parts),
        parts=dict(parts),
        kkt=max(part.kkt or 0.0 for part in parts.values()),
        allowed=sum(part.allowed for part in parts.values()),
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
