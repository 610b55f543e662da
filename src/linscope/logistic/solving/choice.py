"""Which solver a logistic regression gets, and what its penalty is made of."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linscope.fitting.gradient_options import DESCENTS
from linscope.fitting.training import Training
from linscope.results.certificate import proofs_wanted

from ..solvers.coordinate.descent import Coordinate
from ..solvers.firth import Firth
from ..solvers.lbfgs import LBFGS
from ..solvers.newton import Newton, shares
from ..solvers.objective import LogisticObjective
from ..solvers.preconditioner import MOST_COLUMNS
from ..solvers.trust_region import TrustRegion
from .costs import Shape, newton_cost, trust_region_cost

# Numbers in a table that is small enough for all digits.
SMALL_TABLE, EXACT, QUICK = 1_000_000, 1e-14, 1e-8
# Multiplications of a Hessian of all classes that take less time than a step of any other method.
SMALL_HESSIAN = 10_000_000
# scikit-learn's tol.
USUAL = 1e-4

SOLVERS: dict[str, Any] = {"newton": Newton, "trust-region": TrustRegion, "lbfgs": LBFGS}


class Strengths(NamedTuple):
    """Penalty ½ρ‖w‖² + l1‖w‖₁ + ½ l2‖w‖²; the last two belong to coordinate descent."""

    rho: float
    l1: float
    l2: float


def strengths(C: float, penalty: str | None, l1_ratio: float | None) -> Strengths:
    """What the penalty is made of.

    >>> strengths(1.0, "elasticnet", 0.25)
    Strengths(rho=0.0, l1=0.25, l2=0.75)
    >>> strengths(1.0, "l2", 1.0)  # only "elasticnet" has an l1_ratio
    Strengths(rho=1.0, l1=0.0, l2=0.0)
    """
    if penalty is None or penalty == "firth" or np.isinf(C):
        return Strengths(0.0, 0.0, 0.0)
    ratio = {"l1": 1.0, "l2": 0.0}.get(penalty, float(l1_ratio or 0.0))
    if ratio == 0:
        return Strengths(1.0, 0.0, 0.0)
    return Strengths(0.0, ratio, 1.0 - ratio)


def accuracy(tol: float | None, numbers: int) -> float:
    """Accuracy of the objective at which to stop, relatively.

    Weights that are right to tol make the objective right to tol². Values that mean "more exact
    than usual" elsewhere (scikit-learn's default is 1e-4) are never less exact than the default.
    Fits that are not to be proven are as exact as those of large tables.

    >>> accuracy(None, 2000), accuracy(1e-8, 2000), accuracy(1e-3, 2000), accuracy(None, 10**8)
    (1e-14, 1e-14, 1e-06, 1e-08)
    """
    default = EXACT if numbers <= SMALL_TABLE and proofs_wanted() else QUICK
    if tol is None:
        return default
    asked = max(min(float(tol), float(tol) ** 2), EXACT)
    return asked if tol > USUAL else min(asked, default)


def ignored_options(model: Any) -> str:
    """What was asked for and means nothing, in a sentence; or ""."""
    none = model.penalty is None or model.penalty == "firth"
    if none and model.C not in (1.0, np.inf):
        return f"penalty={model.penalty!r} has no strength: C={model.C!r} is not used"
    if model.penalty == "l2" and model.l1_ratio:
        return (
            f"penalty='l2' has no l1 part: l1_ratio={model.l1_ratio!r} is not used. Pass "
            "penalty='elasticnet' to use it, or penalty='l1' for l1_ratio=1"
        )
    if model.penalty == "l1" and model.l1_ratio not in (None, 0, 1):
        return f"penalty='l1' has l1_ratio=1: l1_ratio={model.l1_ratio!r} is not used"
    if none and model.l1_ratio:
        return f"penalty={model.penalty!r} has no parts: l1_ratio={model.l1_ratio!r} is not used"
    if model.penalty == "elasticnet" and not model.l1_ratio:
        return "penalty='elasticnet' with l1_ratio=0 is penalty='l2': give l1_ratio"
    return ""


def check_options(model: Any, training: Training) -> None:
    """Refuse combinations of options that mean nothing, before any work.

    Parameters
    ----------
    model : the estimator
    training : what it is to be trained on
    """
    K = len(training.classes)
    kind = strengths(model.C, model.penalty, model.l1_ratio)
    softmax = K > 2 and model.multi_class == "softmax"
    if model.solver not in DESCENTS:
        _check_solver(model, kind, softmax)
    _check_reference(model, training.classes.tolist(), softmax)
    missing: Any = np.flatnonzero(training.counts == 0) if model.multi_class == "ovo" else []
    if len(missing) > 1:
        labels = [training.classes.tolist()[k] for k in missing[:2]]
        raise ValueError(
            f"classes {labels[0]!r} and {labels[1]!r} have no samples with a positive weight, so "
            "there is nothing to tell them apart: use multi_class='softmax' or 'ovr'"
        )


def _check_solver(model: Any, kind: Strengths, softmax: bool) -> None:
    asked = model.solver
    if model.tol == 0:
        raise ValueError("tol=0 never ends but with gradient steps: leave tol out for all digits")
    if model.penalty == "firth":
        if softmax:
            raise ValueError("penalty='firth' is for two classes: use multi_class='ovr'")
        if asked not in ("auto", "newton"):
            raise ValueError(f"solver={asked!r} cannot do penalty='firth': use 'auto'")
    elif kind.l1 > 0 and asked not in ("auto", "coordinate"):
        raise ValueError(f"solver={asked!r} cannot do l1 penalties: use 'coordinate'")
    elif kind.l1 == 0 and asked == "coordinate":
        raise ValueError("solver='coordinate' is for penalty='l1' and 'elasticnet'")
    if asked == "newton" and softmax:
        raise ValueError(
            "solver='newton' is for two classes: use 'trust-region', or multi_class='ovr'"
        )


def _check_reference(model: Any, labels: list[Any], softmax: bool) -> None:
    if model.reference is None:
        return
    if model.reference not in labels:
        raise ValueError(f"reference={model.reference!r} is not among the classes {labels}")
    if not softmax:
        raise ValueError("reference needs multi_class='softmax' and more than two classes")


def choose(
    objective: LogisticObjective, model: Any, kind: Strengths, start: np.ndarray | None
) -> tuple[Any, str]:
    """The solver and why it was taken.

    Parameters
    ----------
    objective : what is minimised
    model : the estimator, for its parameters
    kind : what the penalty is made of
    start : first weights, or None
    """
    tol = accuracy(model.tol, objective.n * objective.d * objective.rows)
    if model.penalty == "firth":
        return Firth(objective, initial=start), "Newton's method on Firth's likelihood"
    if kind.l1 > 0:
        return (
            Coordinate(objective, kind.l1, kind.l2, max(tol, 1e-12), start),
            "coordinate descent (l1 penalty)",
        )
    if model.solver == "lbfgs":
        return LBFGS(objective, tol, start, model.max_iter), "lbfgs, as asked for"
    if model.solver != "auto":
        return SOLVERS[model.solver](objective, tol, start), f"{model.solver}, as asked for"
    return _automatic(objective, tol, start)


def _automatic(objective: LogisticObjective, tol: float, start) -> tuple[Any, str]:
    """Newton's method or the trust-region method, whichever is estimated to cost less."""
    if objective.rows > 1:
        if objective.hessian_work <= SMALL_HESSIAN and np.all(objective.rho):
            return Newton(objective, tol, start), "newton (auto: few rows and weights)"
        why = "more than two classes at once"
        return TrustRegion(objective, tol, start), f"trust-region (auto: {why})"
    shape = _shape(objective)
    newton, other = newton_cost(shape), trust_region_cost(shape)
    if newton <= other:
        why = f"estimated at {newton / other:.2g} of the cost of trust-region"
        return Newton(objective, tol, start), f"newton (auto: {why})"
    why = f"estimated at {other / newton:.2g} of the cost of newton"
    return TrustRegion(objective, tol, start), f"trust-region (auto: {why})"


def _shape(objective: LogisticObjective) -> Shape:
    facts = objective.facts
    return Shape(
        objective.n,
        objective.d,
        objective.is_sparse,
        facts.entries,
        facts.pairs,
        len(objective.engine.sizes),
        tuple(shares(objective.n, objective.d)),
        float(facts.totals.min()) / objective.total,
        objective.d + 1 <= min(MOST_COLUMNS, objective.n),
    )
