"""Is a claim about a logistic model true? One problem, or several of two classes each.

What each claims is checked in ``logistic`` and ``firth``; what they say together, here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.data import encode_labels, to_matrix
from linscope.results import Check, Status
from linscope.verify.parts import split_parts

from . import check as logistic
from . import firth

# What all problems of a model have in common.
SHARED = ("C", "l1", "l2", "common", "firth", "fit_intercept", "weighted", "tolerance")


def check(claim: Any, X: Any, y: Any, sample_weight: Any = None) -> Check:
    """Check a ``LogisticCertificate``, with all its parts."""
    try:
        matrix, _ = to_matrix(X)
        known, codes = encode_labels(y, n_samples=matrix.shape[0])
        weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        if claim.parts:
            return _check_parts(claim, matrix, known, codes, weight)
        return _check_part(claim, matrix, known, codes, weight)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        return Check(False, f"the certificate does not fit these data: {error}")


def _check_parts(claim: Any, X: Any, known: np.ndarray, codes: np.ndarray, weight: Any) -> Check:
    """Each problem of its own, and what they say together."""
    parts = list(claim.parts.values())
    if not np.array_equal(claim.weights, np.vstack([part.weights for part in parts])):
        return Check(False, "the weights are not those of the parts")
    fine = all(part.status is Status.CONVERGED for part in parts)
    if claim.status is not (Status.CONVERGED if fine else Status.SEVERAL):
        return Check(False, f"the parts do not mean {claim.status.name}")
    wrong = _wrong_sums(claim, parts)
    if wrong:
        return Check(False, wrong)
    for name, part, rows, positive in split_parts(claim.parts, known, codes):
        own, labels = (positive.astype(np.int64), np.array([False, True]))
        if part.side[1] is not None:
            labels = np.array([part.side[1], part.side[0]])
        if list(part.classes) != list(labels) or part.parts:
            return Check(False, f"{name}: the labels are {list(labels)}")
        outcome = _check_part(part, X[rows], labels, own, None if weight is None else weight[rows])
        if not outcome:
            return Check(False, f"{name}: {outcome.reason}")
    return Check(True, f"all {len(parts)} problems are as claimed")


def _wrong_sums(claim: Any, parts: list[Any]) -> str:
    """What does not follow from the parts, or ""."""
    for name in SHARED:
        value = getattr(claim, name)
        if not all(getattr(part, name) == value for part in parts):
            return f"{name} is {value}, the parts say otherwise"
    if claim.direction or claim.decrement is not None or claim.dual is not None:
        return "several problems have no bound in common"
    for name, together in (("primal", sum), ("gap", sum), ("kkt", max)):
        own = [getattr(part, name) for part in parts]
        value = getattr(claim, name)
        if None in own or value is None:
            if not (value is None and None in own):
                return f"{name} is {value}, and the parts have {own}"
        elif not np.isclose(value, together(own), rtol=1e-12, atol=0.0):
            return f"{name} is {together(own):.9g}, not {value:.9g}"
    return ""


def _check_part(part: Any, X: Any, labels: np.ndarray, codes: np.ndarray, weight: Any) -> Check:
    page = firth if part.firth else logistic
    return page.check_one(part, X, labels, codes, weight)
