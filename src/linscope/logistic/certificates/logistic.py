"""What a logistic fit can prove: how far its objective is from the best possible.

The claim is about the floats that the model holds. With an l2 penalty the last pass of the solver
serves: see ``gap``. Where that proves too little, with l1 penalties and without a penalty, the
functions that check the claim look at it (``linscope.logistic.verify``).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

import numpy as np

from linscope.data.given import accepts_dataset
from linscope.fitting.column_scaling import ColumnFrame
from linscope.results import Certificate, Check, Status
from linscope.results.certificate import proofs_wanted
from linscope.rows.blocks import with_columns
from linscope.rows.far import FarRows, brought, engine_of
from linscope.verify.relations import ULP, effective, independent, ulps_of, within_ulps

from ..solvers.objective import LogisticObjective, Point
from ..verify import check as checking
from ..verify.far_decrement import Form, far_decrement
from ..verify.model import check
from ..verify.values import Problem, evaluate
from .gap import duality_gap, rounding_of, value_doubt

# Up to so many numbers, times rows of weights, the checking functions make the claims of a path.
SMALL_WORK = 200_000
# Beyond so many they would take too long even where the solver's pass proves too little.
DEAR_WORK = 50_000_000
# Room between a claim and what a check by another way of summing finds.
ROOM = 1.25
# Smaller gaps, relatively, are not told apart.
LEAST_GAP = 1e-12
# Accuracy, relative to the objective, that CONVERGED promises: small tables, large ones.
TOLERANCE, ROUGH_TOLERANCE = 1e-8, 1e-5
# Solvers stop by an estimate of the gap; the bound may be so many times as large.
HEADROOM = 10.0
# Gradient steps end by a rule of their own, and promise less.
DESCENT_TOLERANCE = 1e-2
# So small a gap, relatively, needs no dearer bound.
SMALL_GAP = 1e-10
# A bound so many times the tolerance may be one of rounding.
NEARLY = 1e4
# Probabilities that are less certain are worth another look in double-double.
COARSE = 1e-9


@dataclass(frozen=True, kw_only=True, repr=False)
class LogisticCertificate(Certificate):
    """Claim about the weights of a logistic fit.

    Attributes
    ----------
    weights : array (rows, d + 1), bias first; one row for two classes, one for each class for more
    classes : the labels
    C : strength of the loss against the penalty
    l1, l2 : strengths of ‖w‖₁ and ½‖w‖² in an elastic net; both 0 for the plain ½‖w‖²
    common : whether the penalty is that of the weights less their mean over the classes
    firth : whether the objective is Firth's penalised likelihood
    tolerance : CONVERGED means a gap of at most this times the objective
    decrement : the Newton decrement, for Firth's likelihood
    separation : what was found out about separation (unpenalised fits), or ""
    direction : where status is INFINITE: for each class a vector of fractions, bias first; along
        it the likelihood grows for ever
    dependent : sentences that name columns which are combinations of others
    relations, ulps, ulp : these combinations, and for which table the claim is true, as
        ``linscope.verify.relations`` has them (unpenalised fits)
    side : of one problem among several: the positive label and the negative one, None for the rest
    how : what the solver did
    """

    weights: np.ndarray
    classes: np.ndarray
    C: float = 1.0
    tolerance: float = TOLERANCE
    decrement: float | None = None
    separation: str = ""
    direction: tuple[tuple[Fraction, ...], ...] = ()
    l1: float = 0.0
    l2: float = 0.0
    common: bool = False
    firth: bool = False
    fit_intercept: bool = True
    weighted: bool = False
    side: tuple[Any, Any] | None = None
    how: str = ""
    dependent: list[str] = field(default_factory=list)
    relations: dict[int, dict[int, float]] = field(default_factory=dict)
    ulps: int = 0
    ulp: float = ULP

    @property
    def text(self) -> str:
        if self.firth and self.status is Status.CONVERGED:  # no bound from the other side
            return "Converged: the Newton decrement is within tolerance"
        said = super().text
        if self.status is Status.CONVERGED and self.tolerance > ROUGH_TOLERANCE:
            said = f"Converged: the objective is within {100 * self.tolerance:.2g} % of its minimum"
        return f"{said}{within_ulps(self)}" if self.ok else said

    @property
    def penalised(self) -> bool:
        return bool(np.isfinite(self.C))

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
        if self.dependent:
            facts["dependent columns"] = "; ".join(self.dependent)
        if self.ulps:
            facts["true of a table that differs from yours by at most"] = ulps_of(self)
        facts["how"] = self.how
        return facts

    @accepts_dataset
    def verify(self, X, y=None, sample_weight=None) -> Check:
        """Recompute objective, gradient and bound from the data alone.

        Parameters
        ----------
        X, y : the training data
        sample_weight : the weights of the fit, if it had any (times class weights)
        """
        return self._judged(check(self, X, y, sample_weight))


Claim = TypeVar("Claim", bound=LogisticCertificate)


class Proof(NamedTuple):
    """Objective, how far above the minimum it is at most, and the largest entry of the gradient."""

    value: float
    gap: float
    kkt: float


class Solved(NamedTuple):
    """A problem as the solver saw it: objective and frame, and where it ended.

    ``toward`` is the step that the solver would have made next, in the coordinates of the frame.
    """

    objective: LogisticObjective
    frame: ColumnFrame
    point: Point
    toward: np.ndarray | None = None


def certify(solved: Solved, problem: Any, status: Status, **fields: Any) -> LogisticCertificate:
    """The certificate of the weights held, ``fields["weights"]``.

    Parameters
    ----------
    solved : what was solved
    problem : with ``X``, ``codes`` and ``weight`` as given: without C, and empty if there are none
    status : how the solver ended
    fields : of ``LogisticCertificate``, what only the estimator knows
    """
    claim = LogisticCertificate(status=status, **fields)
    return with_proof(claim, prove(claim, solved, problem))


def with_proof(claim: Claim, proof: Proof) -> Claim:
    """The bound decides whether the fit has converged, not the solver."""
    value, gap, kkt = proof
    status = claim.status
    if gap <= claim.tolerance * abs(value):
        status = Status.CONVERGED
    elif status.ok:
        status = Status.STALLED
    dual = float(np.nextafter(value - gap, -np.inf))
    return replace(claim, status=status, primal=value, dual=dual, gap=gap, kkt=kkt)


def infinite(claim: LogisticCertificate, text: str, direction: Any) -> LogisticCertificate:
    """The claim that weights go to infinity along a direction."""
    return replace(
        claim,
        status=Status.INFINITE,
        separation=text,
        direction=direction,
        gap=np.inf,
        dual=None,
    )


def prove(claim: LogisticCertificate, solved: Solved, problem: Any) -> Proof:
    """The least gap that can be proven at a bearable price."""
    objective = solved.objective
    if not proofs_wanted():
        return Proof(float(solved.point.value), np.inf, np.inf)
    work = objective.n * max(objective.d, 1) * objective.rows
    if isinstance(problem.X, FarRows):
        return _far_proof(claim, solved, problem)
    if len(problem.weight):  # refuses weights that no check could read
        checking.read_problem(claim, problem.X, claim.classes, problem.codes, problem.weight)
    if claim.penalised and claim.l1 == 0 and not claim.common:
        proof = quick_proof(solved, claim.weights)
        if proof.gap <= claim.tolerance * abs(proof.value) or work > DEAR_WORK:
            return proof
    return careful_proof(claim, problem.X, problem.codes, problem.weight)


def _far_proof(claim: LogisticCertificate, solved: Solved, problem: Any) -> Proof:
    """Of rows that are elsewhere: by the solver's pass, or of few rows with care here."""
    if claim.penalised and claim.l1 == 0 and not claim.common:
        proof = quick_proof(solved, claim.weights)
        if proof.gap <= claim.tolerance * abs(proof.value):
            return proof
    here = brought(problem.X, problem.codes, problem.weight)
    if here is not None:
        X, codes, weight = here
        return careful_proof(claim, X, codes, weight)
    if claim.penalised:
        return proof if not claim.common else Proof(float(solved.point.value), np.inf, np.inf)
    engine = engine_of(problem.X, problem.codes, problem.weight)
    W, off = effective(np.asarray(claim.weights, np.float64), claim.relations)
    if claim.relations:
        engine = engine.derive(with_columns, independent(claim.relations, engine.n_features))
    form = Form(W, len(claim.classes), claim.fit_intercept, off)
    found = far_decrement(engine, form)
    value, doubt = float(found.loss.mid), float(found.loss.rad)
    gap = min(ROOM * found.gap, value + doubt) + 4 * doubt
    return Proof(value, max(gap, LEAST_GAP * value), ROOM * float(found.slope.high))


def careful_proof(claim: Any, X: Any, codes: np.ndarray, weight: np.ndarray) -> Proof:
    """By the functions that check claims; in double-double where plain floats are too coarse."""
    own = weight if len(weight) else None
    problem = checking.read_problem(claim, X, np.asarray(claim.classes), codes, own)
    at = checking.at_independent(claim, problem)
    proof, coarse = _proof(*at, False)
    share = proof.gap / abs(proof.value) if proof.value else np.inf
    nearly = claim.tolerance < share <= NEARLY * claim.tolerance
    if nearly or (coarse and not share <= SMALL_GAP):
        proof, _ = _proof(*at, True)
    return proof


def _proof(
    problem: Problem, W: np.ndarray, off: np.ndarray | None, precise: bool
) -> tuple[Proof, bool]:
    """What can be proven, and whether rounding is to blame for what cannot."""
    place = evaluate(problem, W, off, precise=precise)
    value, doubt = float(place.value.mid), float(place.value.rad)
    enough = SMALL_GAP * abs(value)
    found = checking.smallest_gap(problem, place, enough, precise=precise)
    kkt = checking.gradient_size(problem, place)
    coarse = not (doubt <= 0.1 * enough and float(place.doubt.max(initial=0.0)) <= COARSE)
    gap = min(ROOM * found, value + doubt) + 4 * doubt  # min P ≥ 0
    return Proof(value, max(gap, LEAST_GAP * value), ROOM * float(kkt.high)), coarse


def quick_proof(solved: Solved, W: np.ndarray) -> Proof:
    """From the last pass of the solver, l2 penalties only; W are the weights held."""
    objective, frame, point = solved.objective, solved.frame, solved.point
    V = frame.inside(np.asarray(W, dtype=np.float64))
    if not frame.plain and np.array_equal(V[:, 1:], point.W[:, 1:]):
        V[:, 0] = point.W[:, 0]  # ``off`` has the difference
    elif not np.array_equal(V, point.W):
        point = objective.evaluate(V)
    off = frame.rounding(W, V)
    rounding = rounding_of(objective, point, frame.largest_inside, off)
    doubt = value_doubt(point, rounding)
    gap = duality_gap(objective, point, rounding, solved.toward)
    slope = rounding.slope + 4 * rounding.score * rounding.residuals
    kkt = frame.original_slope(point.gradient, slope, rounding.largest)
    gap = min(ROOM * gap, float(point.value) + doubt) + 4 * doubt  # min P ≥ 0
    return Proof(float(point.value), max(gap, LEAST_GAP * point.value), ROOM * kkt)
