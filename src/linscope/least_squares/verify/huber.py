"""Is a claim about Huber's regression true? The bounds are those of ``huber_bounds``.

A claim is ok if and only if P − D ≤ tolerance · P, or not more than rounding y and the terms of
w·x would explain.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.arithmetic.enclosures import UNIT
from linscope.data import to_matrix
from linscope.results import Check, Status
from linscope.rows.finite import check_finite

from .huber_bounds import MEASURED, Bounds, measure, rounding_of

# Sums are compared to this, relatively, and a bound with the tolerance with so much room.
SAME, ROOM = 1e-8, 1 + 1e-6
# A wider tolerance than this says nothing.
WIDEST = 1e-2
NOT_REACHED = (Status.STALLED, Status.MAX_ITER, Status.STOPPED)


def check(claim: Any, X, y, sample_weight=None) -> Check:
    """Check a claim with the fields of ``HuberCertificate`` against the data."""
    try:
        X, y, c, outliers = _data(claim, X, y, sample_weight)
        with np.errstate(all="ignore"):
            wrong = _nonsense(claim)
            if wrong is None:
                given = {name: getattr(claim, name) for name in MEASURED}
                found = measure(X, y, c, **given)
                terms = rounding_of(X, y, claim.weights, claim.single)
                wrong = _false_number(claim, found, outliers, terms) or _false_status(claim, found)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        return Check(False, f"the certificate does not fit these data: {error}")
    if wrong:
        return Check(False, wrong)
    return Check(True, f"the objective is at most {claim.gap:.2g} above its minimum")


def _data(claim, X, y, sample_weight) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    matrix, names = to_matrix(X)
    y, outliers = np.asarray(y, dtype=np.float64), np.asarray(claim.outliers)
    n, d = matrix.shape
    if y.shape != (n,):
        raise ValueError(f"X has {n} rows, y has {y.size} entries")
    if (d + 1,) != np.shape(claim.weights) or outliers.shape != (n,) or outliers.dtype != bool:
        raise ValueError(f"{n} rows and {d} features, expected {len(outliers)} and "
                         f"{len(claim.weights) - 1}")  # fmt: skip
    check_finite(matrix, names)
    check_finite(y, name="y")
    if sample_weight is None:
        if claim.weighted:
            raise ValueError("the fit used sample weights: pass sample_weight")
        return matrix, y, np.ones(n), outliers
    c = np.asarray(sample_weight, dtype=np.float64)
    if c.shape != (n,) or not (np.isfinite(c).all() and (c >= 0).all()):
        raise ValueError("sample_weight must be one number, not negative, for each row")
    keep = np.flatnonzero(c)
    return matrix[keep], y[keep], c[keep], outliers[keep]


def _nonsense(claim) -> str | None:
    """What is false whatever the data are."""
    numbers = [claim.primal, claim.dual, claim.gap, claim.scale, claim.alpha, claim.tolerance]
    if any(v is None or not v >= 0 for v in numbers):
        return "a number of the claim is missing, negative or NaN"
    if not np.isfinite([claim.primal, claim.dual, claim.scale, claim.alpha]).all():
        return "a number of the claim is not finite"
    if not np.isfinite(claim.weights).all():
        return "the weights are not finite"
    if not (np.isfinite(claim.epsilon) and claim.epsilon > 1):
        return "epsilon is not a number above 1"
    if not claim.fit_intercept and claim.weights[0] != 0:
        return "a model without intercept has a bias"
    if not 0 < claim.tolerance <= WIDEST:
        return f"a tolerance of {claim.tolerance:.2g} says nothing"
    if claim.single and (claim.weights != claim.weights.astype(np.float32)).any():
        return "the weights have more digits than float32"
    if claim.kkt is not None or claim.backward_error is not None or claim.parts:
        return "the claim says something that Huber's regression does not claim"
    return None


def _false_number(claim, found: Bounds, outliers: np.ndarray, terms: np.ndarray) -> str | None:
    primal, r = float(found.primal.mid), found.residuals
    if not abs(claim.primal - primal) <= SAME * primal + found.primal.rad:
        return f"the objective is {primal:.9g}, not {claim.primal:.9g}"
    # the same sums in another order, where the same table has another form
    order = 1e-9 * claim.gap + 64 * UNIT * primal
    if not claim.dual <= found.dual + order:
        return f"the lower bound of the objective is {found.dual:.9g}, not {claim.dual:.9g}"
    if not found.gap <= claim.gap + order:
        return f"the objective is {found.gap:.2g} above its minimum, not {claim.gap:.2g}"
    if abs(claim.dual - max(claim.primal - claim.gap, 0.0)) > 2 * (
        SAME * primal + found.primal.rad
    ):
        return "the lower bound of the objective is not what the gap says"
    border = claim.epsilon * claim.scale * (1 + 4 * UNIT)
    size, doubt = np.abs(r.mid), r.rad + 8 * UNIT * border + terms
    wrong = np.where(outliers, size + doubt < border, size - doubt > border)
    if wrong.any():
        return f"sample {int(np.argmax(wrong))} is called {_side(outliers[np.argmax(wrong)])}"
    return None


def _side(outlier: bool) -> str:
    return "an outlier and is none" if outlier else "no outlier and is one"


def _false_status(claim, found: Bounds) -> str | None:
    near = claim.gap <= found.allowed(claim.tolerance) * ROOM
    if claim.status is Status.CONVERGED:
        return None if near else "the gap is above the tolerance, so it has not converged"
    if claim.status not in NOT_REACHED:
        return f"Huber's regression does not end with: {claim.status}"
    if near and claim.gap < found.allowed(claim.tolerance) / ROOM:
        return f"the bounds reach the tolerance, so it is not true that {claim.status}"
    return None
