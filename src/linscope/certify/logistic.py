"""What a logistic fit can prove: how far its objective is from the best possible.

With a penalty the duality gap bounds P(W) − min P: see ``logistic_gap``, and ``coordinate_gap`` for
l1 penalties.

Without a penalty there is no such bound. Then the Newton decrement serves: see ``decrement``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data import encode_labels, to_matrix
from ..results import Certificate, Check, Result, Status
from ..solvers.coordinate_gap import class_sums, dual_bound, penalty
from ..solvers.firth import Firth
from ..solvers.logistic_frame import LogisticFrame, logistic_frame
from ..solvers.logistic_objective import LogisticObjective, Point
from ..verify.parts import split_parts
from .decrement import decrement_bound
from .logistic_gap import duality_gap

# Room for the rounding of long sums.
SLACK = 1e-9
# A duality gap so small, relatively, needs no second bound; if that takes a while, the second.
SMALL_GAP, SMALL_ENOUGH, QUICK_WORK = 1e-10, 1e-6, 20_000_000
# A larger one, compared with the objective of weights 0, is no convergence.
STALLED, TIGHT = 1e-3, 1e-6


def elastic_net_gap(
    objective: LogisticObjective, point: Point, l1: float, l2: float
) -> tuple[float, float]:
    """The objective with an l1 penalty, and a bound on its distance to the minimum.

    The least loss is a lower bound, too, and a good one where the penalty is tiny.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
        dual = dual_bound(objective, point, class_sums(objective), l1, l2)
        own = penalty(point.W, l1, l2)
    primal = point.value + own
    bound = min(primal - dual, primal) if dual > -np.inf else primal
    if bound > SMALL_GAP * abs(primal) and own < bound:
        bound = min(bound, own + decrement_bound(objective, point))
    return primal, max(bound, 0.0)


def smallest_gap(objective: LogisticObjective, point: Point) -> float:
    """The best bound on P − min P; min P ≥ 0, and the decrement only where the gap is not small."""
    gap = min(duality_gap(objective, point), float(point.value))
    quick = objective.n * (objective.rows * objective.d) ** 2 <= QUICK_WORK
    if gap > (SMALL_GAP if quick else SMALL_ENOUGH) * abs(point.value):
        gap = min(gap, decrement_bound(objective, point))
    return gap


@dataclass(frozen=True, kw_only=True, repr=False)
class LogisticCertificate(Certificate):
    """Claim about the weights of a logistic fit.

    Attributes
    ----------
    weights : array (rows, d + 1), bias first; one row for two classes, one a class for more
    classes : the labels
    C : strength of the loss against the penalty
    l1, l2 : strengths of ‖w‖₁ and ½‖w‖² in an elastic net; both 0 for the plain ½‖w‖²
    firth : whether the objective is Firth's penalised likelihood
    decrement : the Newton decrement, for Firth's likelihood
    separation : what was found out about separation (unpenalised fits), or ""
    side : of one problem among several: the positive label and the negative one, None for the rest
    how : what the solver did
    """

    weights: np.ndarray
    classes: np.ndarray
    C: float = 1.0
    decrement: float | None = None
    separation: str = ""
    l1: float = 0.0
    l2: float = 0.0
    firth: bool = False
    fit_intercept: bool = True
    weighted: bool = False
    side: tuple[Any, Any] | None = None
    how: str = ""

    @property
    def penalised(self) -> bool:
        return bool(np.isfinite(self.C))

    @property
    def advice(self) -> str:
        if self.status is Status.MAX_ITER:
            return "Raise max_iter, or scale the columns."
        return super().advice

    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"objective": self.primal}
        if self.gap is not None and np.isfinite(self.gap):
            facts["above the minimum by at most"] = self.gap
        if self.kkt is not None:
            facts["largest entry of the gradient"] = self.kkt
        if self.decrement is not None:
            facts["Newton decrement"] = self.decrement
        if self.separation:
            facts["separation"] = self.separation
        facts["how"] = self.how
        return facts

    def verify(self, X, y, sample_weight=None) -> Check:
        """Recompute objective, gradient and bound from the data alone.

        Parameters
        ----------
        X, y : the training data
        sample_weight : the weights of the fit, if it had any (times class weights)
        """
        try:
            if self.parts:
                return self._check_parts(X, y, sample_weight)
            return self._check(X, y, sample_weight)
        except (ValueError, TypeError, KeyError, IndexError) as error:
            return Check(False, f"the certificate does not fit these data: {error}")

    def _check(self, X, y, sample_weight) -> Check:
        objective, frame = self._objective(X, y, sample_weight)
        if self.weights.shape != objective.shape:
            return Check(False, f"weights of shape {self.weights.shape}, not {objective.shape}")
        if not np.isfinite(self.weights).all():
            return Check(False, "the weights are not finite")
        if not self.fit_intercept and self.weights[:, 0].any():
            return Check(False, "the model has no bias, the weights have one")
        if self.firth:
            return self._check_firth(objective, frame)
        if self.l1 > 0:
            return self._check_elastic_net(objective, frame)
        point = objective.evaluate(frame.inside(self.weights))
        # A bias that takes up a large shift is rounded to its last bit, and scores with it.
        rounding = 2.0**-52 * float(np.abs(self.weights[:, 1:] @ np.abs(frame.shift)).max())
        slack = (SLACK + rounding) * abs(point.value)
        if abs(point.value - (self.primal or 0.0)) > slack:
            return Check(False, f"the objective is {point.value:.9g}, not {self.primal:.9g}")
        largest = float(np.abs(point.gradient).max())
        size = float(np.abs(point.residual).sum())
        if largest > 1.01 * (self.kkt or 0.0) + (1e-12 + rounding) * size:
            return Check(False, f"the gradient reaches {largest:.2g}, not {self.kkt:.2g}")
        if self.gap is None or not np.isfinite(self.gap):
            return Check(True, f"objective {point.value:.6g}, gradient at most {largest:.2g}")
        found = smallest_gap(objective, point)
        if not found <= 1.01 * self.gap + slack:
            return Check(False, f"the bound is {found:.2g}, not {self.gap:.2g}")
        return Check(True, f"the objective is above the minimum by at most {found:.2g}")

    def _check_elastic_net(self, objective: LogisticObjective, frame: LogisticFrame) -> Check:
        point = objective.evaluate(frame.inside(self.weights))
        primal, found = elastic_net_gap(objective, point, *frame.strengths(self.l1, self.l2))
        if abs(primal - (self.primal or 0.0)) > 1e-8 * abs(primal):
            return Check(False, f"the objective is {primal:.9g}, not {self.primal:.9g}")
        if self.gap is None or not found <= 1.01 * self.gap + 1e-8 * abs(primal):
            return Check(False, f"the bound is {found:.2g}, not {self.gap or 0.0:.2g}")
        return Check(True, f"the objective is above the minimum by at most {found:.2g}")

    def _check_firth(self, objective: LogisticObjective, frame: LogisticFrame) -> Check:
        solver = Firth(objective, tol=1e-300, initial=frame.inside(self.weights))
        first = solver.init()
        value = float(solver.likelihood.at(first.theta).value)
        decrement = solver.step(first).decrement
        if abs(value - (self.primal or 0.0)) > 1e-8 * max(1.0, abs(value)):
            return Check(False, f"the likelihood is {value:.9g}, not {self.primal:.9g}")
        if not decrement <= 1e-5:
            return Check(False, f"Newton's step is {decrement:.2g} standard errors long, not 0")
        return Check(True, f"Newton's next step is {decrement:.2g} standard errors long")

    def _check_parts(self, X, y, sample_weight) -> Check:
        matrix, _ = to_matrix(X)
        known, codes = encode_labels(y, n_samples=matrix.shape[0])
        for name, part, rows, positive in split_parts(self.parts, known, codes):
            weight = None if sample_weight is None else np.asarray(sample_weight)[rows]
            own = positive if part.side[1] is None else known[codes[rows]]
            check = part._check(matrix[rows], own, weight)
            if not check:
                return Check(False, f"{name}: {check.reason}")
        return Check(True, f"all {len(self.parts)} problems are as claimed")

    def _objective(self, X, y, sample_weight) -> tuple[LogisticObjective, LogisticFrame]:
        matrix, names = to_matrix(X)
        known, codes = encode_labels(y, n_samples=matrix.shape[0])
        if list(known) != list(self.classes):
            raise ValueError(f"labels {list(known)}, expected {list(self.classes)}")
        if sample_weight is None and self.weighted:
            raise ValueError("the fit used sample weights: pass sample_weight")
        weight = np.zeros(0) if sample_weight is None else np.asarray(sample_weight, np.float64)
        if self.penalised and self.C != 1.0:
            weight = self.C * (weight if len(weight) else np.ones(len(codes)))
        frame = logistic_frame(
            matrix,
            fit_intercept=self.fit_intercept,
            common=self.l1 > 0,
            penalised=self.penalised,
            names=names,
        )
        rho = frame.pull(float(self.penalised and self.l1 == 0))
        objective = LogisticObjective(frame.X, codes, len(known), weight, rho, self.fit_intercept)
        return objective, frame


def certify(
    objective: LogisticObjective, result: Result, *, tol: float = 0.0, **claim: Any
) -> LogisticCertificate:
    """The certificate of a solver's result; ``claim`` is what only the estimator knows.

    ``tol`` is the relative accuracy that the solver was asked for.
    """
    details = result.details
    if claim["firth"]:
        value = float(details["penalised_log_likelihood"])
        return LogisticCertificate(
            status=result.status, primal=value, decrement=details.get("decrement"), **claim
        )
    point = details["point"]
    if claim["l1"] > 0:
        value, bound = elastic_net_gap(objective, point, details["l1"], details["l2"])
        status = Status.CONVERGED if bound <= SMALL_GAP * abs(value) else result.status
        return LogisticCertificate(
            status=status, primal=value, dual=value - bound, gap=bound, **claim
        )
    bound = smallest_gap(objective, point)
    return LogisticCertificate(
        status=_judged(result.status, objective, bound, tol),
        primal=float(point.value),
        dual=float(point.value) - bound if np.isfinite(bound) else None,
        gap=bound,
        kkt=float(np.abs(point.gradient).max()),
        **claim,
    )


def _judged(status: Status, objective: LogisticObjective, bound: float, tol: float) -> Status:
    """With a penalty the bound tells whether a solver that saw no progress is at the minimum."""
    if tol > TIGHT:
        return status
    if status.ok and np.any(objective.rho) and bound > STALLED * objective.at_zero:
        return Status.STALLED
    return status
