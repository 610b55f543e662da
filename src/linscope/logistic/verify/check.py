"""Is a claim about logistic weights true? Recomputed from X, y and the claimed floats alone.

    P(W) = l1 Σ|W_kj| + ½ l2 Σ W_kj² + C Σ_i c_i f_i
    f_i  = log Σ_k e^(s_ik) − s_{i,y_i},     s_i = W [1, x_i]

A claim holds if P(W) is what it says, if a proven bound on P(W) − min P is at most its ``gap``, if
its ``dual`` is below that bound, and if its status follows:

    CONVERGED    gap ≤ tolerance · P(W)
    INFINITE     no penalty, and an exact direction along which the likelihood grows for ever
    others       gap above that: the minimum is not proven near

A claim with relations is about the nearby table that they define (``linscope.verify.relations``),
where the independent columns with the effective weights give the same scores.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linscope.arithmetic.enclosures import UNIT, Ball, products
from linscope.results import Status
from linscope.verify.claims import Refuted, require
from linscope.verify.relations import (
    check_relations,
    effective,
    fold_of,
    independent,
    within_ulps,
)

from .decrement import decrement_bound
from .duality import Dual
from .separation import margin_signs
from .values import VANISHING, Place, Problem, evaluate, residuals

# A tolerance above this is none.
LARGEST_TOLERANCE = 0.01
# An objective is stated to so many digits.
STATED = 1e-9
# The minimum is not proven near: which of these, only the solver knows.
UNPROVEN = (
    Status.MAX_ITER,
    Status.STALLED,
    Status.SHORT_STEPS,
    Status.DIVERGED,
    Status.STOPPED,
    Status.INTERRUPTED,
)


def check_one(claim: Any, X: Any, known: np.ndarray, codes: np.ndarray, weight: Any) -> str:
    """Check a claim about one problem."""
    problem = read_problem(claim, X, known, codes, weight)
    _check_numbers(claim, problem)
    if claim.status is Status.INFINITE:
        return _check_infinite(claim, problem)
    return _check_gap(claim, problem)


def read_problem(claim: Any, X: Any, known: np.ndarray, codes: np.ndarray, weight: Any) -> Problem:
    """What the claim says is minimised."""
    if list(known) != list(claim.classes):
        raise ValueError(f"labels {list(known)}, expected {list(claim.classes)}")
    if weight is None and claim.weighted:
        raise ValueError("the fit used sample weights: pass sample_weight")
    if weight is not None and not (weight.shape == codes.shape and (weight >= 0).all()):
        raise ValueError("sample_weight must be one number, at least 0, for each row")
    if not claim.C > 0:
        raise ValueError(f"C must be above 0, not {claim.C}")
    penalised, mixed = bool(np.isfinite(claim.C)), bool(claim.l1 > 0)
    if not (0 <= claim.l1 <= (1 if penalised else 0) and 0 <= claim.l2 <= (1 if mixed else 0)):
        raise ValueError(f"a penalty of {claim.l1} and {claim.l2} with C={claim.C}")
    l1, l2 = (claim.l1, claim.l2 if mixed else 1.0) if penalised else (0.0, 0.0)
    C, doubt = (float(claim.C) if penalised else 1.0), 0.0
    c = np.full(len(codes), C)
    if weight is not None:
        counts = weight > 0  # rows without weight say nothing, however large
        if not counts.all():
            X, codes, weight = X[np.flatnonzero(counts)], codes[counts], weight[counts]
        c, doubt = C * weight, UNIT if C != 1.0 else 0.0
        if not (np.isfinite(c).all() and (c >= np.finfo(float).tiny).all()):
            raise ValueError("the weights times C leave the range of floats")
    options = {"intercept": bool(claim.fit_intercept), "common": bool(claim.common)}
    return Problem(X, codes, len(known), c, doubt, float(l1), float(l2), **options)


def at_independent(claim: Any, problem: Problem) -> tuple[Problem, np.ndarray, np.ndarray | None]:
    """The problem of the independent columns, the weights that act on them, and their doubt."""
    W = np.asarray(claim.weights, dtype=np.float64)
    if not claim.relations:
        return problem, W, None
    B, doubt = effective(W, claim.relations)
    kept = independent(claim.relations, problem.X.shape[1])
    return replace(problem, X=problem.X[:, kept]), B, doubt


def check_weights(claim: Any, problem: Problem) -> None:
    """What must be so before anything is computed."""
    own, shape = np.shape(claim.weights), (problem.rows, problem.X.shape[1] + 1)
    require(own == shape, f"weights of shape {own}, not {shape}")
    require(np.isfinite(claim.weights).all(), "the weights are not finite")
    free = problem.intercept or not np.any(np.asarray(claim.weights)[:, 0])
    require(free, "the model has no bias, the weights have one")
    free = not (claim.relations and (problem.l1 or problem.l2))
    require(free, "with a penalty no column is set aside")
    check_relations(claim, problem.X.shape[1], fold_of(problem.X))


def _check_numbers(claim: Any, problem: Problem) -> None:
    check_weights(claim, problem)
    known = claim.primal is not None and np.isfinite(claim.primal)
    require(known, f"an objective of {claim.primal} says nothing")
    known = claim.gap is not None and claim.gap >= 0
    require(known, f"a gap of {claim.gap} says nothing")
    below = claim.dual is None or claim.dual <= claim.primal
    require(below, f"a lower bound of {claim.dual} says nothing")
    fits = claim.dual is None or claim.primal - claim.dual <= _two_ulps(claim)
    require(fits, f"objective and lower bound differ by more than a gap of {claim.gap:.2g}")
    known = claim.kkt is None or claim.kkt >= 0
    require(known, f"a gradient of {claim.kkt} says nothing")
    useful = 0 < claim.tolerance <= LARGEST_TOLERANCE
    require(useful, f"a tolerance of {claim.tolerance} is none")


def _two_ulps(claim: Any) -> float:
    """The gap and two roundings: of the difference, and of the lower bound."""
    return claim.gap + 2 * float(np.spacing(abs(claim.primal) + abs(claim.gap)))


def _check_infinite(claim: Any, problem: Problem) -> str:
    """The direction separates, exactly; and the objective is as stated."""
    require(not (problem.l1 or problem.l2), "with a penalty the weights are finite")
    require(not claim.relations, "a direction is one of the table as it is")
    bare = not np.isfinite(claim.gap) and claim.dual is None
    require(bare, "no bound of the likelihood is claimed where weights go to infinity")
    wanted = (problem.n_classes, problem.X.shape[1] + 1)
    direction = tuple(tuple(row) for row in claim.direction)
    fits = (len(direction), *{len(row) for row in direction}) == wanted
    require(fits, f"the direction must be {wanted}")
    free = problem.intercept or not any(row[0] for row in direction)
    require(free, "the model has no bias, the direction has one")
    signs = margin_signs(problem.X, problem.codes, direction)
    text = "a row has a negative margin: the direction does not separate"
    require(signs.none_negative, text)
    require(signs.some_positive, "every margin is 0: the direction changes no odds")
    wrong = ""
    for precise in (False, True):
        place = evaluate(problem, claim.weights, precise=precise)
        wrong = _wrong_objective(claim, problem, place) or _wrong_gradient(claim, problem, place)
        if not wrong:
            break
    require(not wrong, wrong)
    return "no margin of the direction is negative and some are positive, exactly"


def _check_gap(claim: Any, problem: Problem) -> str:
    near = claim.gap <= claim.tolerance * abs(claim.primal)
    word = "within" if near else "above"
    text = f"a gap {word} the tolerance does not mean {claim.status.name}"
    require(near == (claim.status is Status.CONVERGED), text)
    ended = near or claim.status in UNPROVEN
    require(ended, f"{claim.status.name} says nothing about this model")
    require(not claim.direction, "a direction belongs to weights at infinity only")
    problem, W, doubt = at_independent(claim, problem)
    reason = ""
    for precise in (False, True):
        place = evaluate(problem, W, doubt, precise=precise)
        reason = _wrong_objective(claim, problem, place) or _wrong_gradient(claim, problem, place)
        found = np.inf
        if not reason:
            found = smallest_gap(problem, place, claim.gap, precise=precise)
            reason = _wrong_bound(claim, place, found)
        if not reason:
            above = f"the objective is above the minimum by at most {found:.2g}"
            return above + within_ulps(claim)
    raise Refuted(reason)


def _wrong_objective(claim: Any, problem: Problem, place: Place) -> str:
    value, stated = place.value, STATED * abs(claim.primal)
    room = max(stated, claim.gap) if np.isfinite(claim.gap) else stated
    room += 4 * VANISHING * float(problem.c.sum())  # losses that are smaller have lost digits
    if not (abs(value.mid - claim.primal) <= stated and value.rad <= room):
        return f"the objective is {value.mid:.9g} ± {value.rad:.1g}, not {claim.primal:.9g}"
    return ""


def _wrong_gradient(claim: Any, problem: Problem, place: Place) -> str:
    if claim.kkt is None:
        return ""
    largest = gradient_size(problem, place)
    if not largest.low <= claim.kkt:
        return f"the gradient reaches {largest.mid:.2g}, not {claim.kkt:.2g}"
    return ""


def _wrong_bound(claim: Any, place: Place, found: float) -> str:
    if not found <= claim.gap:
        return f"the bound is {found:.2g}, not {claim.gap:.2g}"
    if claim.dual is not None and not claim.dual <= place.value.low - found:
        return f"the minimum is at least {place.value.low - found:.12g}, not {claim.dual:.12g}"
    return ""


def gradient_size(problem: Problem, place: Place) -> Ball:
    """The largest entry of ∇P (of the losses alone with an l1 penalty), with its error."""
    with np.errstate(all="ignore"):
        R = residuals(problem, place.p)
        rest = place.doubt[:, None] * (place.p * (1.0 - place.p + UNIT))[:, problem.shown]
        G = products(problem.X, Ball.safe(R.mid, R.rad + 2 * rest * problem.c[:, None]))
        mid, rad = G.mid, G.rad
        if problem.l1 == 0 and problem.l2 > 0:
            pull = problem.penalised(place.W) * Ball.of(problem.l2)
            own = Ball(mid[:, 1:], rad[:, 1:]) + pull
            mid, rad = np.column_stack([mid[:, 0], own.mid]), np.column_stack([rad[:, 0], own.rad])
        first = int(not problem.intercept)
        largest = np.abs(mid[:, first:])
        if not largest.size:
            return Ball.of(0.0)
        return Ball(float(largest.max()), float(rad[:, first:].max()))


def smallest_gap(
    problem: Problem, place: Place, enough: float = 0.0, *, precise: bool = False
) -> float:
    """The best proven bound on P(W) − min P; dearer ones only while it is not enough."""
    if not np.isfinite(place.value.rad):
        return np.inf
    found = float(place.value.high)  # min P ≥ 0
    if found > enough and (problem.l1 > 0 or problem.l2 > 0):
        found = min(found, Dual(problem, place, precise=precise).gap(enough))
    penalty = float(problem.penalty(place.W).high)
    if found > enough and found > penalty:
        found = min(found, penalty + decrement_bound(problem, place, precise=precise))
    return max(found, 0.0)
