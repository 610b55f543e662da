"""Is the claim of a kernel support vector machine true of these data?

All numbers are worked out again by ``duality`` from X, y and the floats that the claim
names. The claim is accepted only if it is proven: the gap found here, rounding included, must not
exceed the one claimed, and so on. Where floats cannot decide, pairs of floats do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.arithmetic.enclosures import dense
from linscope.results import Check, Status
from linscope.verify.claims import Refuted, checked, require, require_part
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
    return checked(_claims, claim, X, y, sample_weight)


def _claims(claim: Any, X: Any, y: Any, sample_weight: Any) -> str:
    matrix, known, codes, weight = read_data(claim, X, y, sample_weight)
    c = np.ones(len(codes)) if weight is None else weight
    every = np.arange(len(codes))
    if not claim.parts:
        require(len(known) == 2, f"a claim about two classes, and there are {len(known)}")
        return _check_one(claim, matrix, every, codes == 1, c)
    for name, part, rows, positive in split_parts(claim.parts, known, codes):
        require_part(name, checked(_check_one, part, matrix, every[rows], positive, c[rows]))
    _check_whole(claim)
    return f"all {len(claim.parts)} problems are as claimed"


def _check_whole(claim: Any) -> None:
    """The sums over the parts, and their common status."""
    parts = list(claim.parts.values())
    for name in ("primal", "dual", "gap", "allowed"):
        known = [getattr(part, name) for part in parts]
        expected = None if any(value is None for value in known) else sum(known)
        value = getattr(claim, name)
        same = value is None if expected is None else _near(value, expected)
        require(same, f"the {name} of the parts is not that of the whole")
    for name in ("C", "tol", "kernel", "parameters", "weighted"):
        same = all(getattr(part, name) == getattr(claim, name) for part in parts)
        require(same, f"the {name} of the parts is not that of the whole")
    empty = (claim.bias, claim.rounding, claim.ridge) == (0.0, 0.0, 0.0) and not len(claim.alpha)
    empty = empty and claim.weights is None and claim.witness is None
    require(empty, "only the parts have coefficients, biases and kernels")
    plain = claim.backward_error is None and claim.side is None
    require(plain, "a kernel machine has no backward error, and the whole no side")
    worst = max(part.kkt for part in parts)
    require(claim.kkt == worst, "the KKT violation of the parts is not that of the whole")
    joint = joint_status(claim.parts)
    require(claim.status is joint, f"the parts do not add up to: {claim.status}")


def _near(value: Any, expected: float) -> bool:
    same = value == expected or abs(value - expected) <= CLOSE * abs(expected)
    return value is not None and bool(same)


def joint_status(parts: dict) -> Status:
    """What several binary problems say together."""
    found = {part.status for part in parts.values()}
    return found.pop() if len(found) == 1 else Status.SEVERAL


def _check_one(
    claim: Any, matrix: Any, rows: np.ndarray, positive: np.ndarray, c: np.ndarray
) -> str:
    _check_form(claim)
    rows, y, c = rows[c > 0], np.where(positive, 1.0, -1.0)[c > 0], c[c > 0]
    alpha = np.asarray(claim.alpha, dtype=np.float64)
    fits = alpha.shape == (len(rows),)
    require(fits, f"{alpha.shape} coefficients for {len(rows)} samples")
    top = claim.C * c
    with np.errstate(over="ignore"):
        single = alpha == top.astype(np.float32)  # below 2^-126 that is further off
    below = (alpha <= top * (1.0 + 2.0**-23)) | single
    outside = ~((alpha >= 0.0) & below & (alpha < np.inf))
    where = int(np.argmax(outside)) if len(outside) else 0
    require(not outside.any(), f"coefficient {where} is outside its box")
    kernel, weights = Kernel(claim.kernel, **claim.parameters), _weights_of(claim, matrix.shape[1])
    X, bias = _table(claim, matrix, rows), float(claim.bias)
    held = Held(X, y, top, alpha, bias, kernel, weights, claim.ridge or 0.0)
    about = _about_kernel(claim, held)
    found = checked(_compare, claim, measure(held), about)
    cost = held.X.shape[1] * float(np.count_nonzero(alpha)) * len(y)
    if found or cost > PRECISE:
        require(found, found.reason)
        return found.reason
    return _compare(claim, measure(held, precise=True), about)


def _check_form(claim: Any) -> None:
    """What holds for any fit."""
    ended = claim.status in (Status.CONVERGED, Status.STATIONARY, *UNFINISHED)
    require(ended, f"no kernel machine ends like this: {claim.status}")
    one = not claim.parts and claim.backward_error is None
    require(one, "one problem has no parts and no backward error")
    numbers = [claim.primal, claim.kkt, claim.bias, claim.rounding, claim.allowed]
    numbers += [] if claim.ridge is None else [claim.ridge]
    numbers += [] if claim.witness is not None else [claim.gap, claim.dual]
    known = all(value is not None and not np.isnan(value) for value in numbers)
    require(
        known and np.isfinite(claim.bias),
        "objective, dual value, gap, KKT violation or bias is missing or not a number",
    )
    require(claim.rounding >= 0.0, "a rounding below 0 is none")
    fits = claim.witness is None or (claim.gap is None and claim.dual is None)
    require(fits, "a kernel that is not an inner product has no gap and no dual value")
    require(0 < claim.tol < np.inf and claim.C > 0, "C and tol must be positive")


def _table(claim: Any, matrix: Any, rows: np.ndarray) -> Any:
    if claim.kernel != "precomputed":
        return matrix[rows]
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a precomputed kernel must be square, got shape {matrix.shape}")
    return dense(matrix[rows][:, rows])


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


def _about_kernel(claim: Any, held: Held) -> str:
    """Whether the kernel is an inner product, as far as the claim says something about it."""
    if claim.witness is not None:
        return _negative_energy(claim, held)
    nothing = "nothing shows that this kernel is not an inner product"
    require(claim.status is not Status.STATIONARY, nothing)
    if held.kernel.inner_product:
        require(claim.ridge == 0.0, "this kernel needs no ridge")
        return ""
    n = len(held.y)
    if claim.ridge is None:
        shown = n > MOST or not np.isfinite(claim.gap)
        require(shown, "a gap, but nothing shows that this kernel is an inner product")
        return ", provided that this kernel is an inner product, which was not checked"
    proven = n == 0 or any(
        raised_is_inner_product(kernel_matrix(held, precise=precise), claim.ridge)
        for precise in ways(held, n)
    )
    require(proven, "the kernel is not proven to be an inner product")
    return f", for the kernel with {claim.ridge:.2g} on its diagonal"


def _negative_energy(claim: Any, held: Held) -> str:
    rows, v = (np.asarray(part) for part in claim.witness)
    fits = rows.ndim == 1 and v.shape == rows.shape and len(np.unique(rows)) == len(rows)
    require(fits, "the vector of negative energy has the wrong shape")
    for precise in ways(held, len(rows)):
        found = energy(kernel_matrix(held, rows, precise=precise), v)
        if np.isfinite(v).all() and found.high < 0.0:
            return f"this kernel is not an inner product (vᵀKv = {found.mid:.2g} < 0)"
    raise Refuted("no vector of negative energy: the kernel may be an inner product")


def _compare(claim: Any, found: Judged, about: str) -> str:
    size, allowed = abs(found.primal.mid), claim.tol * found.prices
    same = claim.allowed == allowed or abs(claim.allowed - allowed) <= CLOSE * allowed
    require(same, f"tol allows a gap of {allowed:.6g}, not {claim.allowed:.6g}")
    # a claim has more room for rounding than this check, so it may know nothing where this does
    unknown = claim.primal == np.inf and claim.gap in (None, np.inf)
    vacuous = unknown and found.primal.rad >= VAGUE * size
    off = abs(claim.primal - found.primal.mid)
    what = f"the objective is {found.primal.mid:.9g} within {found.primal.rad:.2g}"
    near = vacuous or off + found.primal.rad <= claim.rounding
    require(near, f"{what}, not {claim.primal:.9g}")
    linear = (claim.spread is None) == (found.spread is None)
    require(linear, "only a linear kernel has weights besides dual coefficients")
    near = vacuous or found.spread is None or off + found.spread <= claim.spread
    text = f"the objective of the dual coefficients is off by up to {found.spread}"
    require(near, f"{text}, more than {claim.spread}")
    bounded = found.kkt <= claim.kkt
    require(bounded, f"the KKT violation is up to {found.kkt:.3g}, not {claim.kkt:.3g}")
    honest = not claim.kkt > claim.tol or claim.kkt <= FAR * (found.kkt + 1.0)
    require(honest, f"the KKT violation is only {found.kkt:.3g}, not {claim.kkt:.3g}")
    if claim.witness is not None:
        return _compare_stationary(claim, about)
    _check_gap(claim, found, size)
    reached = within(claim.primal, claim.rounding, claim.kkt, claim.gap, claim.tol, claim.allowed)
    text = f"a KKT violation of {claim.kkt:.2g} and a gap of {claim.gap:.2g} are not within tol"
    converged = claim.status is Status.CONVERGED
    require(reached or not converged, f"{text} = {claim.tol:g}")
    text = "the optimality conditions hold within tol, which is not"
    require(converged or not reached, f"{text}: {claim.status}")
    text = f"the optimality conditions hold to {claim.kkt:.2g}, the objective is above the minimum"
    return f"{text} by at most {claim.gap:.2g}{about}"


def _check_gap(claim: Any, found: Judged, size: float) -> None:
    bounded = found.gap <= claim.gap
    require(bounded, f"the gap is up to {found.gap:.3g}, not {claim.gap:.3g}")
    if not np.isfinite(claim.gap):
        require(claim.dual == -np.inf, "without a gap there is no dual value")
        return
    proven = claim.dual <= found.primal.low - found.gap
    require(proven, f"the dual value {claim.dual:.9g} is not proven")
    off = abs(claim.primal - claim.gap - claim.dual)
    fits = off <= 4.0 * claim.rounding + CLOSE * (size + claim.gap)
    require(fits, f"the dual value {claim.dual:.9g} does not belong to the gap")


def within(
    primal: float, rounding: float, kkt: float, gap: float, tol: float, allowed: float
) -> bool:
    """Whether a claim is CONVERGED."""
    return bool(precise_enough(primal, rounding, allowed) and kkt <= tol and gap <= allowed)


def precise_enough(primal: float, rounding: float, allowed: float) -> bool:
    """Whether the objective is known as well as it was asked for."""
    return bool(rounding <= max(CLOSE * abs(primal), allowed))


def _compare_stationary(claim: Any, about: str) -> str:
    zero = not np.any(claim.alpha)
    known = precise_enough(claim.primal, claim.rounding, claim.allowed)
    require(known, f"a rounding of {claim.rounding:.2g} is too much")
    require(claim.status is not Status.CONVERGED, f"{about}: its objective has no minimum")
    stationary, within_tol = claim.status is Status.STATIONARY, claim.kkt <= claim.tol
    text = f"a KKT violation of {claim.kkt:.2g} is not within {claim.tol:g}"
    require(not stationary or within_tol or zero, text)
    text = f"the point is stationary, which is not: {claim.status}"
    require(stationary or not within_tol, text)
    what = "w = 0" if zero else f"the optimality conditions hold to {claim.kkt:.2g}"
    return f"{about}; {what}, and no minimum is claimed"
