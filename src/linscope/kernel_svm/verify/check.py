"""Is the claim of a kernel support vector machine true of these data?

All numbers are worked out again by ``duality`` from X, y and the floats that the claim
names. The claim is accepted only if it is proven: the gap found here, rounding included, must not
exceed the one claimed, and so on. Where floats cannot decide, pairs of floats do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.results import Check, Status
from linscope.verify.kernel_values import Kernel, Values, values
from linscope.verify.parts import read_data, split_parts

from .duality import Held, Judged, measure
from .inner_product import MOST, energy, raised_is_inner_product

# Pairs of floats are tried up to so many products of features.
PRECISE = 4e7
CLOSE = 1e-9
# An objective whose rounding is so much of it is as good as unknown.
VAGUE = 0.25
# Rounding may make a violation look larger than it is, but not by more than this.
FAR = 1e6
UNFINISHED = (Status.STALLED, Status.MAX_ITER, Status.STOPPED, Status.INTERRUPTED)


def check(claim: Any, X: Any, y: Any, sample_weight: Any = None) -> Check:
    """The claim of a model, or of all its binary problems."""
    try:
        with np.errstate(all="ignore"):
            return _check(claim, X, y, sample_weight)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        return Check(False, f"the certificate does not fit these data: {error}")


def _check(claim: Any, X: Any, y: Any, sample_weight: Any) -> Check:
    matrix, known, codes, weight = read_data(claim, X, y, sample_weight)
    c = np.ones(len(codes)) if weight is None else weight
    every = np.arange(len(codes))
    if not claim.parts:
        if len(known) != 2:
            raise ValueError(f"a claim about two classes, and there are {len(known)}")
        return _check_one(claim, matrix, every, codes == 1, c)
    for name, part, rows, positive in split_parts(claim.parts, known, codes):
        found = _check_one(part, matrix, every[rows], positive, c[rows])
        if not found:
            return Check(False, f"{name}: {found.reason}")
    return _check_whole(claim)


def _check_whole(claim: Any) -> Check:
    """The sums over the parts, and their common status."""
    parts = list(claim.parts.values())
    for name in ("primal", "dual", "gap", "allowed"):
        known = [getattr(part, name) for part in parts]
        expected = None if any(value is None for value in known) else sum(known)
        value = getattr(claim, name)
        if not (value is None if expected is None else _near(value, expected)):
            return Check(False, f"the {name} of the parts is not that of the whole")
    for name in ("C", "tol", "kernel", "parameters", "weighted"):
        if any(getattr(part, name) != getattr(claim, name) for part in parts):
            return Check(False, f"the {name} of the parts is not that of the whole")
    empty = (claim.bias, claim.rounding, claim.ridge) == (0.0, 0.0, 0.0) and not len(claim.alpha)
    if not empty or claim.weights is not None or claim.witness is not None:
        return Check(False, "only the parts have coefficients, biases and kernels")
    if claim.backward_error is not None or claim.side is not None:
        return Check(False, "a kernel machine has no backward error, and the whole no side")
    if claim.kkt != max(part.kkt for part in parts):
        return Check(False, "the KKT violation of the parts is not that of the whole")
    if claim.status is not joint_status(claim.parts):
        return Check(False, f"the parts do not add up to: {claim.status}")
    return Check(True, f"all {len(parts)} problems are as claimed")


def _near(value: Any, expected: float) -> bool:
    same = value == expected or abs(value - expected) <= CLOSE * abs(expected)
    return value is not None and bool(same)


def joint_status(parts: dict) -> Status:
    """What several binary problems say together."""
    found = {part.status for part in parts.values()}
    return found.pop() if len(found) == 1 else Status.SEVERAL


def _check_one(
    claim: Any, matrix: Any, rows: np.ndarray, positive: np.ndarray, c: np.ndarray
) -> Check:
    strange = _strange(claim)
    if strange:
        return Check(False, strange)
    rows, y, c = rows[c > 0], np.where(positive, 1.0, -1.0)[c > 0], c[c > 0]
    alpha = np.asarray(claim.alpha, dtype=np.float64)
    if alpha.shape != (len(rows),):
        return Check(False, f"{alpha.shape} coefficients for {len(rows)} samples")
    top = claim.C * c
    outside = ~((alpha >= 0.0) & (alpha <= top * (1.0 + 2.0**-23)) & (alpha < np.inf))
    if outside.any():
        return Check(False, f"coefficient {int(np.argmax(outside))} is outside its box")
    kernel = Kernel(claim.kernel, **claim.parameters)
    held = Held(
        _table(claim, matrix, rows),
        y,
        top,
        alpha,
        float(claim.bias),
        kernel,
        _weights_of(claim, matrix.shape[1]),
        claim.ridge or 0.0,
    )
    about = _about_kernel(claim, held)
    return about if not about else _compare_all(claim, held, about.reason)


def _strange(claim: Any) -> str:
    """What no fit could claim, or ""."""
    if claim.status not in (Status.CONVERGED, Status.STATIONARY, *UNFINISHED):
        return f"no kernel machine ends like this: {claim.status}"
    if claim.parts or claim.backward_error is not None:
        return "one problem has no parts and no backward error"
    numbers = [claim.primal, claim.kkt, claim.bias, claim.rounding, claim.allowed]
    numbers += [] if claim.ridge is None else [claim.ridge]
    numbers += [] if claim.witness is not None else [claim.gap, claim.dual]
    if any(value is None or np.isnan(value) for value in numbers) or not np.isfinite(claim.bias):
        return "objective, dual value, gap, KKT violation or bias is missing or not a number"
    if claim.witness is not None and (claim.gap is not None or claim.dual is not None):
        return "a kernel that is not an inner product has no gap and no dual value"
    if not (0 < claim.tol < np.inf and claim.C > 0):
        return "C and tol must be positive"
    return ""


def _table(claim: Any, matrix: Any, rows: np.ndarray) -> Any:
    if claim.kernel != "precomputed":
        return matrix[rows]
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a precomputed kernel must be square, got shape {matrix.shape}")
    square = matrix[rows][:, rows]
    return square.toarray() if hasattr(square, "toarray") else square


def _weights_of(claim: Any, d: int) -> np.ndarray | None:
    if claim.weights is None:
        return None
    weights = np.asarray(claim.weights, dtype=np.float64)
    if claim.kernel != "linear" or weights.shape != (d,) or not np.isfinite(weights).all():
        raise ValueError("the weights are not those of a linear kernel on these columns")
    return weights


def kernel_matrix(held: Held, rows: Any = slice(None), *, precise: bool = False) -> Values:
    """K of some rows among themselves, as one layer."""
    if held.kernel.name == "precomputed":
        K = np.asarray(held.X, dtype=np.float64)[rows][:, rows]
        return Values([K], np.zeros_like(K))
    if not precise or callable(held.kernel.name):
        return values(held.kernel, held.X[rows], held.X[rows])
    (high, low), rad = values(held.kernel, held.X[rows], held.X[rows], precise=True)
    return Values([high], (rad + np.abs(low)) * (1.0 + 1e-9))


def ways(held: Held, n: int) -> tuple[bool, ...]:
    """Whether to look at the kernel of n rows in floats, and in pairs of floats as well."""
    cheap = held.X.shape[1] * float(n) ** 2 <= PRECISE and held.kernel.name != "precomputed"
    return (False, True) if cheap and not callable(held.kernel.name) else (False,)


def _about_kernel(claim: Any, held: Held) -> Check:
    """Whether the kernel is an inner product, as far as the claim says something about it."""
    if claim.witness is not None:
        rows, v = (np.asarray(part) for part in claim.witness)
        if rows.ndim != 1 or v.shape != rows.shape or len(np.unique(rows)) != len(rows):
            return Check(False, "the vector of negative energy has the wrong shape")
        for precise in ways(held, len(rows)):
            found = energy(kernel_matrix(held, rows, precise=precise), v)
            if np.isfinite(v).all() and found.high < 0.0:
                text = f"this kernel is not an inner product (vᵀKv = {found.mid:.2g} < 0)"
                return Check(True, text)
        return Check(False, "no vector of negative energy: the kernel may be an inner product")
    if claim.status is Status.STATIONARY:
        return Check(False, "nothing shows that this kernel is not an inner product")
    if held.kernel.inner_product:
        fine = claim.ridge == 0.0
        return Check(fine, "" if fine else "this kernel needs no ridge")
    n = len(held.y)
    if claim.ridge is None:
        if n <= MOST and np.isfinite(claim.gap):
            return Check(False, "a gap, but nothing shows that this kernel is an inner product")
        return Check(True, ", provided that this kernel is an inner product, which was not checked")
    proven = n == 0 or any(
        raised_is_inner_product(kernel_matrix(held, precise=precise), claim.ridge)
        for precise in ways(held, n)
    )
    if proven:
        return Check(True, f", for the kernel with {claim.ridge:.2g} on its diagonal")
    return Check(False, "the kernel is not proven to be an inner product")


def _compare_all(claim: Any, held: Held, about: str) -> Check:
    result = _compare(claim, measure(held), about)
    used = np.count_nonzero(held.alpha)
    if not result and held.X.shape[1] * float(used) * len(held.y) <= PRECISE:
        result = _compare(claim, measure(held, precise=True), about)
    return result


def _compare(claim: Any, found: Judged, about: str) -> Check:
    size, allowed = abs(found.primal.mid), claim.tol * found.prices
    if not (claim.allowed == allowed or abs(claim.allowed - allowed) <= CLOSE * allowed):
        return Check(False, f"tol allows a gap of {allowed:.6g}, not {claim.allowed:.6g}")
    # a claim has more room for rounding than this check, so it may know nothing where this does
    vacuous = claim.primal == claim.gap == np.inf and found.primal.rad >= VAGUE * size
    off = abs(claim.primal - found.primal.mid)
    if not (vacuous or off <= found.primal.rad + claim.rounding):
        return Check(False, f"the objective is {found.primal.mid:.9g}, not {claim.primal:.9g}")
    if not found.kkt <= claim.kkt:
        return Check(False, f"the KKT violation is up to {found.kkt:.3g}, not {claim.kkt:.3g}")
    if claim.kkt > claim.tol and not claim.kkt <= FAR * (found.kkt + 1.0):
        return Check(False, f"the KKT violation is only {found.kkt:.3g}, not {claim.kkt:.3g}")
    if claim.witness is not None:
        return _compare_stationary(claim, found, about)
    if not found.gap <= claim.gap:
        return Check(False, f"the gap is up to {found.gap:.3g}, not {claim.gap:.3g}")
    if np.isfinite(claim.gap):
        if not claim.dual <= found.primal.low - found.gap:
            return Check(False, f"the dual value {claim.dual:.9g} is not proven")
        off = abs(claim.primal - claim.gap - claim.dual)
        if not off <= 4.0 * claim.rounding + CLOSE * (size + claim.gap):
            return Check(False, f"the dual value {claim.dual:.9g} does not belong to the gap")
    elif claim.dual != -np.inf:
        return Check(False, "without a gap there is no dual value")
    reached = within(claim.primal, claim.rounding, claim.kkt, claim.gap, claim.tol, claim.allowed)
    return _judge_status(claim, reached, about)


def within(
    primal: float, rounding: float, kkt: float, gap: float, tol: float, allowed: float
) -> bool:
    """Whether a claim is CONVERGED."""
    return bool(precise_enough(primal, rounding, allowed) and kkt <= tol and gap <= allowed)


def precise_enough(primal: float, rounding: float, allowed: float) -> bool:
    """Whether the objective is known as well as it was asked for."""
    return bool(rounding <= max(CLOSE * abs(primal), allowed))


def _judge_status(claim: Any, reached: bool, about: str) -> Check:
    if claim.status is Status.CONVERGED and not reached:
        text = f"a KKT violation of {claim.kkt:.2g} and a gap of {claim.gap:.2g} are not within tol"
        return Check(False, f"{text} = {claim.tol:g}")
    if claim.status is not Status.CONVERGED and reached:
        return Check(
            False, f"the optimality conditions hold within tol, which is not: {claim.status}"
        )
    text = f"the optimality conditions hold to {claim.kkt:.2g}, the objective is above the minimum"
    return Check(True, f"{text} by at most {claim.gap:.2g}{about}")


def _compare_stationary(claim: Any, found: Judged, about: str) -> Check:
    zero = not np.any(claim.alpha)
    if not precise_enough(claim.primal, claim.rounding, claim.allowed):
        return Check(False, f"a rounding of {claim.rounding:.2g} is too much")
    if claim.status is Status.CONVERGED:
        return Check(False, f"{about}: its objective has no minimum")
    if claim.status is Status.STATIONARY and not (claim.kkt <= claim.tol or zero):
        return Check(False, f"a KKT violation of {claim.kkt:.2g} is not within {claim.tol:g}")
    if claim.status is not Status.STATIONARY and claim.kkt <= claim.tol:
        return Check(False, f"the point is stationary, which is not: {claim.status}")
    what = "w = 0" if zero else f"the optimality conditions hold to {claim.kkt:.2g}"
    return Check(True, f"{about}; {what}, and no minimum is claimed")
