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

from collections.abc import Callable, Mapping
from math import fsum
from typing import Any

import numpy as np

from linscope.results import Check, Status
from linscope.verify.claims import checked, foreign, require, require_part
from linscope.verify.parts import read_data, split_parts

from .bounds import Bounds, Problem, bounds, ceiling

# An objective that was summed in another order may differ by so much, relatively.
SUMMED = 1e-8
# Near the smallest float nothing is left of relative errors.
LEAST = 2.0**-1060
UNFINISHED = (Status.STALLED, Status.MAX_ITER, Status.STOPPED)


def check(claim: Any, X: Any, y: Any, sample_weight: Any, choose: Callable[..., Any]) -> Check:
    """Recompute all that the claim says; ``sample_weight`` as the fit had it.

    ``choose`` makes an engine of rows, signs and weights.
    """
    return checked(_claims, claim, X, y, sample_weight, choose)


def _claims(claim: Any, X: Any, y: Any, sample_weight: Any, choose: Callable[..., Any]) -> str:
    matrix, known, codes, weight = read_data(claim, X, y, sample_weight)
    c = np.zeros(0) if weight is None else weight
    if not claim.parts:
        require(len(known) == 2 and claim.side is None, "a claim about two classes is needed")
        return check_problem(claim, choose, matrix, np.where(codes == 1, 1.0, -1.0), c)
    for name, part, rows, positive in split_parts(claim.parts, known, codes):
        signs, own = np.where(positive, 1.0, -1.0), c[rows] if len(c) else c
        require_part(name, checked(check_problem, part, choose, matrix[rows], signs, own))
    wrong = _differs_from_parts(claim, claim.parts)
    require(not wrong, f"the parts do not add up to the {wrong} of the whole")
    return f"all {len(claim.parts)} problems are as claimed"


def check_problem(claim: Any, choose: Any, X: Any, y: np.ndarray, c: np.ndarray) -> str:
    """One binary problem; samples of weight 0 are no part of it."""
    if len(c) and not c.all():
        kept = np.flatnonzero(c)
        X, y, c = X[kept], y[kept], c[kept]
    form = claim.squared, claim.penalize_intercept, claim.fit_intercept
    problem = Problem(choose(X, y, c), claim.C, *form)
    _check_form(claim, problem)
    rough = checked(_compare, claim, bounds(problem, claim.weights, claim.alpha, precise=False))
    if rough:
        return rough.reason
    return _compare(claim, bounds(problem, claim.weights, claim.alpha, precise=True))


def _check_form(claim: Any, problem: Problem) -> None:
    """What holds for any fit of this problem."""
    n, d = problem.engine.n_rows, problem.engine.n_features
    values = claim.primal, claim.dual, claim.gap
    weights, alpha = claim.weights, claim.alpha
    fits = weights.shape == (d + 1,) and alpha.shape == (n,)
    require(fits, f"{weights.shape} weights and {alpha.shape} coefficients")
    finite = np.isfinite(weights).all() and np.isfinite(alpha).all()
    require(finite, "the weights or coefficients are not finite")
    free = claim.fit_intercept or not (weights[0] or claim.penalize_intercept)
    require(free, "the model has no bias, the claim has one")
    possible = claim.C > 0.0 and claim.tol >= 0.0
    require(possible, "C must be above 0, and the tolerance not below")
    outside = (alpha < 0.0) | (alpha > np.nextafter(ceiling(problem), np.inf))
    where = int(np.argmax(outside)) if n else 0
    require(not outside.any(), f"coefficient {where} is outside its box")
    known = all(value is not None and value >= 0.0 for value in values) and claim.dual != np.inf
    require(known, "objective, dual value or gap is missing or no number")
    strange = foreign(claim, "primal", "dual", "gap")
    require(not strange, "a linear SVM has no KKT violation, backward error or parts of parts")


def _compare(claim: Any, found: Bounds) -> str:
    value, gap = found.value, claim.gap
    same = claim.primal == value or abs(claim.primal - value) <= SUMMED * value + LEAST
    require(same, f"the objective is {value:.9g}, not {claim.primal:.9g}")
    require(gap >= found.gap, f"the bound is {found.gap:.2g}, not {gap:.2g}")
    below = claim.dual <= found.dual
    require(below, f"the dual value is {found.dual:.9g}, not {claim.dual:.9g}")
    # the gap holds the rounding of the objective, too
    off = abs(claim.primal - claim.dual - gap)
    fits = not value < np.inf or off <= SUMMED * (value + gap) + LEAST
    require(fits, "the gap is not that between the objective and the dual value")
    reached = bool(gap <= claim.tol * claim.primal and claim.tol < 1.0 and gap < np.inf)
    verb = "is" if reached else "is not"
    text = f"a gap of {gap:.2g} {verb} within the tolerance: {claim.status}"
    require(reached is (claim.status is Status.CONVERGED), text)
    ended = reached or claim.status in UNFINISHED
    require(ended, f"no such end of a fit: {claim.status}")
    return f"the objective is above the minimum by at most {found.gap:.2g}"


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
    other = claim.kkt is not None or claim.backward_error is not None or claim.side is not None
    return "kind" if other else ""


def _sum(values: list[float]) -> float:
    return fsum(values) if np.isfinite(values).all() else float(np.sum(values))
