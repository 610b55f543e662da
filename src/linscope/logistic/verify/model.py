"""Is a claim about a logistic model true? One problem, or several of two classes each.

What each claims is checked in ``logistic`` and ``firth``; what they say together, here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.data import encode_labels, to_matrix
from linscope.results import Check, Status
from linscope.verify.claims import checked, require, require_part
from linscope.verify.parts import split_parts

from . import check as logistic
from . import firth

# What all problems of a model have in common.
SHARED = ("C", "l1", "l2", "common", "firth", "fit_intercept", "weighted", "tolerance")


def check(claim: Any, X: Any, y: Any, sample_weight: Any = None) -> Check:
    """Check a ``LogisticCertificate``, with all its parts."""
    return checked(_claims, claim, X, y, sample_weight)


def _claims(claim: Any, X: Any, y: Any, sample_weight: Any) -> str:
    matrix, _ = to_matrix(X)
    known, codes = encode_labels(y, n_samples=matrix.shape[0])
    weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
    if not claim.parts:
        return _check_part(claim, matrix, known, codes, weight)
    parts = list(claim.parts.values())
    same = np.array_equal(claim.weights, np.vstack([part.weights for part in parts]))
    require(same, "the weights are not those of the parts")
    fine = all(part.status is Status.CONVERGED for part in parts)
    joint = Status.CONVERGED if fine else Status.SEVERAL
    require(claim.status is joint, f"the parts do not mean {claim.status.name}")
    _check_sums(claim, parts)
    for name, part, rows, positive in split_parts(claim.parts, known, codes):
        own, labels = (positive.astype(np.int64), np.array([False, True]))
        if part.side[1] is not None:
            labels = np.array([part.side[1], part.side[0]])
        named = list(part.classes) == list(labels) and not part.parts
        require(named, f"{name}: the labels are {list(labels)}")
        weights = None if weight is None else weight[rows]
        require_part(name, checked(_check_part, part, matrix[rows], labels, own, weights))
    return f"all {len(parts)} problems are as claimed"


def _check_sums(claim: Any, parts: list[Any]) -> None:
    """What follows from the parts."""
    for name in SHARED:
        value = getattr(claim, name)
        same = all(getattr(part, name) == value for part in parts)
        require(same, f"{name} is {value}, the parts say otherwise")
    bare = not (claim.direction or claim.relations)
    bare = bare and claim.decrement is None and claim.dual is None
    require(bare, "several problems have no bound in common")
    far = max((part.ulps, part.ulp) for part in parts)
    require((claim.ulps, claim.ulp) == far, f"a part differs by {far[0]} ulp, not {claim.ulps}")
    for name, together in (("primal", sum), ("gap", sum), ("kkt", max)):
        own, value = [getattr(part, name) for part in parts], getattr(claim, name)
        if None in own or value is None:
            none = value is None and None in own
            require(none, f"{name} is {value}, and the parts have {own}")
            continue
        near = np.isclose(value, together(own), rtol=1e-12, atol=0.0)
        require(near, f"{name} is {together(own):.9g}, not {value:.9g}")


def _check_part(part: Any, X: Any, labels: np.ndarray, codes: np.ndarray, weight: Any) -> str:
    page = firth if part.firth else logistic
    return page.check_one(part, X, labels, codes, weight)
