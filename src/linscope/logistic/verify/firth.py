"""Is a claim about Firth's penalised likelihood true? Two classes, recomputed from X and y alone.

    ℓ*(w)   =  Σ_i c_i log P(y_i | x_i) + ½ log det I(w),      I = Σ_i c_i p_i (1 − p_i) z_i z_iᵀ
    score*  =  Σ_i c_i (y_i − p_i) z_i + Σ_i h_i (½ − p_i) z_i
    h_i     =  c_i p_i (1 − p_i) z_iᵀ I⁻¹ z_i                  the leverages
    λ       =  √(score*ᵀ I⁻¹ score*)               Newton's next step, in standard errors

The likelihood has no dual, so the claim is about the weights: λ is at most ``decrement``, and the
status is CONVERGED if that is within ``tolerance``. z = [1, x − m], which has the determinant of
[1, x]. How rounding is bounded: see ``decrement``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linscope.arithmetic.enclosures import UNIT, Ball, dense, gamma, products, total
from linscope.results import Status
from linscope.verify.claims import Refuted, require

from .check import LARGEST_TOLERANCE, STATED, UNPROVEN, check_weights, read_problem
from .decrement import decrement, information, least_eigenvalue
from .values import Place, Problem, evaluate, near_one, residuals, shifted


class Likelihood(NamedTuple):
    """ℓ* with its error, and λ from above; ∞ where it cannot be bounded."""

    value: Ball
    decrement: float


# The proven error of the likelihood may be so many times what it is stated to.
ROUGHLY = 1000
UNKNOWN = Likelihood(Ball(0.0, np.inf), np.inf)


def check_one(claim: Any, X: Any, known: np.ndarray, codes: np.ndarray, weight: Any) -> str:
    """Check a claim about one problem of two classes."""
    problem = read_problem(claim, X, known, codes, weight)
    _check_numbers(claim, problem)
    near = claim.decrement <= claim.tolerance
    fits = near == (claim.status is Status.CONVERGED) and (near or claim.status in UNPROVEN)
    require(fits, f"a step of {claim.decrement:.2g} does not mean {claim.status.name}")
    found = UNKNOWN
    for precise in (False, True):
        found = likelihood(problem, claim.weights, precise=precise)
        if found.decrement <= claim.decrement and _as_stated(claim, found):
            length = f"{found.decrement:.2g} standard errors"
            return f"Newton's next step is at most {length} long"
    text = f"the likelihood is {found.value.mid:.9g}, not {claim.primal}"
    require(_as_stated(claim, found), text)
    raise Refuted(f"Newton's step is {found.decrement:.2g} long, not {claim.decrement:.2g}")


def _as_stated(claim: Any, found: Likelihood) -> bool:
    if claim.primal is None:  # nothing is claimed but weights and status
        return True
    room = STATED * max(1.0, abs(claim.primal))
    return bool(abs(found.value.mid - claim.primal) <= room and found.value.rad <= ROUGHLY * room)


def _check_numbers(claim: Any, problem: Problem) -> None:
    require(problem.n_classes == 2, "Firth's likelihood is for two classes")
    require(not (problem.l1 or problem.l2), "Firth's penalty stands alone")
    silent = claim.primal is None and claim.decrement == np.inf
    known = silent or (claim.primal is not None and np.isfinite(claim.primal))
    require(known, f"a likelihood of {claim.primal} says nothing")
    known = claim.decrement is not None and claim.decrement >= 0
    require(known, f"a step of {claim.decrement} says nothing")
    alone = claim.gap is None and claim.dual is None and claim.kkt is None and not claim.direction
    alone = alone and not claim.relations
    require(alone, "there is no bound of Firth's likelihood from the other side")
    useful = 0 < claim.tolerance <= LARGEST_TOLERANCE
    require(useful, f"a tolerance of {claim.tolerance} is none")
    check_weights(claim, problem)


def likelihood(problem: Problem, W: np.ndarray, *, precise: bool = False) -> Likelihood:
    """ℓ* and λ at the floats W (1, d + 1)."""
    place = evaluate(problem, W, precise=precise)
    if not place.known:
        return UNKNOWN
    with np.errstate(all="ignore"):
        try:
            return _likelihood(problem, place, precise)
        except (np.linalg.LinAlgError, ValueError):
            return UNKNOWN


def _likelihood(problem: Problem, place: Place, precise: bool) -> Likelihood:
    Z, _ = shifted(problem, place.p)
    Z, exponent = near_one(dense(Z))
    A = np.column_stack([np.ones(len(Z)), Z]) if problem.intercept else Z
    H = information(problem, place.p, A)
    unit = 1.0 / np.sqrt(np.diag(H))
    if not (np.isfinite(unit).all() and np.isfinite(H).all()):
        return UNKNOWN
    B, N = H * unit[:, None] * unit, len(H)
    share = gamma(len(A) + 32) + 4 * float(place.doubt.max()) + 2 * problem.doubt
    error = share * N
    low = least_eigenvalue(B, error)
    if not low > 0:
        return UNKNOWN
    units = np.log(unit) - np.log(2.0) * np.r_[np.zeros(len(B) - len(exponent)), exponent]
    value = _value(place, B, units, low, error)
    pull = _pull(problem, place, A * unit, B, low, error, share)
    R = residuals(problem, place.p)
    rest = 2 * place.doubt * place.p[:, 0] * place.p[:, 1] * problem.c
    R = Ball.safe(pull.mid[:, None] - R.mid, pull.rad[:, None] + R.rad + rest[:, None])
    R = Ball.safe(R.mid, R.rad + 4 * UNIT * np.abs(R.mid))
    full = products(Z, R, precise=precise)
    first = int(not problem.intercept)
    g, wrong = full.mid[0, first:], full.rad[0, first:]
    return Likelihood(value, decrement(B, unit * g, unit * wrong, low, error))


def _value(place: Place, B: np.ndarray, units: np.ndarray, low: float, error: float) -> Ball:
    """ℓ + ½ log det: log det B is wrong by N‖ΔB‖/λ_min at most; ``units`` are log s."""
    N = len(B)
    logs = Ball.of(np.log(np.diag(np.linalg.cholesky(B)))) - Ball.of(units)
    determinant = total(logs)
    doubt = N * (error + 4 * (N + 4) * N * UNIT) / low + 64 * UNIT * (N + np.abs(units).sum())
    return Ball.safe(
        determinant.mid - place.loss.mid,
        determinant.rad + doubt + place.loss.rad + UNIT * abs(place.loss.mid),
    )


def _pull(problem: Problem, place: Place, b, B, low: float, error: float, share: float) -> Ball:
    """h (½ − p) of each row."""
    M, N = np.linalg.inv(B), len(B)
    off = float(np.linalg.norm(np.eye(N) - B @ M))
    off += N * (gamma(N + 4) + error) * float(np.linalg.norm(M))
    norms = np.einsum("ij,ij->i", b, b)
    form = np.einsum("ij,ij->i", b @ M, b)
    doubt = norms * (off / low + gamma(4 * N + 8) * N * float(np.abs(M).max()))
    D = problem.c * place.p[:, 0] * place.p[:, 1]
    h = Ball.safe(D * form, D * (1 + share) * doubt + share * D * np.abs(form))
    half = 0.5 * (place.p[:, 0] - place.p[:, 1])
    return h * Ball.safe(half, place.doubt * np.ones_like(half))
