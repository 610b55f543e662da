"""Is a claim about linear support vector machines true? Formulas: ``bounds``.

A claim names weights (w, b), dual coefficients α, the problem (C, the loss, the bias), the
tolerance and

    primal   P(w, b)                               dual   a lower bound of min P
    gap      an upper bound of P(w, b) − min P     status

CONVERGED needs  gap ≤ tol·primal  with tol < 1; a claim that says less must have a larger gap.
All are recomputed from the table and the floats of the claim: in plain floats with their rounding
bounds, and where these leave it open once more with all that rounding loses.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import Any

import numpy as np

from linscope.results import Check, Status
from linscope.verify.parts import read_data, split_parts

from .bounds import Bounds, Problem, bounds, ceiling

# An objective that was summed in another order may differ by so much, relatively.
SUMMED = 1e-8
# Near the smallest float nothing is left of relative errors.
LEAST = 2.0**-1060
UNFINISHED = (Status.STALLED, Status.MAX_ITER, Status.STOPPED)


def check(claim: Any, X: Any, y: Any, sample_weight: Any = None) -> Check:
    """Recompute all that the claim says; ``sample_weight`` as the fit had it."""
    try:
        return _check(claim, X, y, sample_weight)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        return Check(False, f"the certificate does not fit these data: {error}")


def _check(claim: Any, X: Any, y: Any, sample_weight: Any) -> Check:
    matrix, known, codes, weight = read_data(claim, X, y, sample_weight)
    c = np.zeros(0) if weight is None else weight
    if not claim.parts:
        if len(known) != 2 or claim.side is not None:
            raise ValueError("a claim about two classes is needed")
        return check_problem(claim, matrix, np.where(codes == 1, 1.0, -1.0), c)
    for name, part, rows, positive in split_parts(claim.parts, known, codes):
        signs, own = np.where(positive, 1.0, -1.0), c[rows] if len(c) else c
        found = check_problem(part, matrix[rows], signs, own)
        if not found:
            return Check(False, f"{name}: {found.reason}")
    wrong = _differs_from_parts(claim, claim.parts)
    if wrong:
        return Check(False, f"the parts do not add up to the {wrong} of the whole")
    return Check(True, f"all {len(claim.parts)} problems are as claimed")


def check_problem(claim: Any, X: Any, y: np.ndarray, c: np.ndarray) -> Check:
    """One binary problem; samples of weight 0 are no part of it."""
    if len(c) and not c.all():
        kept = np.flatnonzero(c)
        X, y, c = X[kept], y[kept], c[kept]
    problem = Problem(
        X, y, c, claim.C, claim.squared, claim.penalize_intercept, claim.fit_intercept
    )
    wrong = _impossible(claim, problem)
    if wrong:
        return Check(False, wrong)
    rough = _compare(claim, bounds(problem, claim.weights, claim.alpha, precise=False))
    if rough:
        return rough
    return _compare(claim, bounds(problem, claim.weights, claim.alpha, precise=True))


def _impossible(claim: Any, problem: Problem) -> str:
    """What no fit of this problem could claim, or ""."""
    n, d = problem.X.shape
    values = claim.primal, claim.dual, claim.gap
    weights, alpha = claim.weights, claim.alpha
    if weights.shape != (d + 1,) or alpha.shape != (n,):
        return f"{weights.shape} weights and {alpha.shape} coefficients"
    if not (np.isfinite(weights).all() and np.isfinite(alpha).all()):
        return "the weights or coefficients are not finite"
    if not claim.fit_intercept and (weights[0] or claim.penalize_intercept):
        return "the model has no bias, the claim has one"
    if not (claim.C > 0.0 and claim.tol >= 0.0):
        return "C must be above 0, and the tolerance not below"
    with np.errstate(over="ignore"):
        outside = (alpha < 0.0) | (alpha > np.nextafter(ceiling(problem), np.inf))
    if outside.any():
        return f"coefficient {int(np.argmax(outside))} is outside its box"
    if any(value is None or not value >= 0.0 for value in values) or claim.dual == np.inf:
        return "objective, dual value or gap is missing or no number"
    if claim.kkt is not None or claim.backward_error is not None or claim.parts:
        return "a linear SVM has no KKT violation, backward error or parts of parts"
    return ""


def _compare(claim: Any, found: Bounds) -> Check:
    value = found.value
    if not (claim.primal == value or abs(claim.primal - value) <= SUMMED * value + LEAST):
        return Check(False, f"the objective is {value:.9g}, not {claim.primal:.9g}")
    if not claim.gap >= found.gap:
        return Check(False, f"the bound is {found.gap:.2g}, not {claim.gap:.2g}")
    if not claim.dual <= found.dual:
        return Check(False, f"the dual value is {found.dual:.9g}, not {claim.dual:.9g}")
    # the gap holds the rounding of the objective, too
    off = abs(claim.primal - claim.dual - claim.gap)
    if value < np.inf and not off <= SUMMED * (value + claim.gap) + LEAST:
        return Check(False, "the gap is not that between the objective and the dual value")
    reached = bool(claim.gap <= claim.tol * claim.primal and claim.tol < 1.0 and claim.gap < np.inf)
    if reached is not (claim.status is Status.CONVERGED):
        verb = "is" if reached else "is not"
        return Check(False, f"a gap of {claim.gap:.2g} {verb} within the tolerance: {claim.status}")
    if not reached and claim.status not in UNFINISHED:
        return Check(False, f"no such end of a fit: {claim.status}")
    return Check(True, f"the objective is above the minimum by at most {found.gap:.2g}")


def _differs_from_parts(claim: Any, parts: Mapping[str, Any]) -> str:
    """The first field that is not what the parts say together, or ""."""
    every = list(parts.values())
    ok = all(part.status is Status.CONVERGED for part in every)
    if claim.status is not (Status.CONVERGED if ok else Status.SEVERAL):
        return "status"
    for name in ("primal", "dual", "gap"):
        whole, sums = getattr(claim, name), _sum([getattr(part, name) for part in every])
        if whole is None or not (whole == sums or abs(whole - sums) <= 1e-12 * sums):
            return name
    for name in ("C", "squared", "penalize_intercept", "fit_intercept", "tol", "weighted"):
        if any(getattr(part, name) != getattr(claim, name) for part in every):
            return name
    if not np.array_equal(claim.weights, np.vstack([part.weights for part in every])):
        return "weights"
    if not np.array_equal(claim.alpha, np.concatenate([part.alpha for part in every])):
        return "coefficients"
    foreign = claim.kkt is not None or claim.backward_error is not None or claim.side is not None
    return "kind" if foreign else ""


def _sum(values: list[float]) -> float:
    return fsum(values) if np.isfinite(values).all() else float(np.sum(values))
