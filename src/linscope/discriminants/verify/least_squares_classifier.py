"""Is a claim about a least squares classifier true?

Its weights are those of a regression on 1-of-K targets (−1 and +1 for two classes), and samples
count by their own weight times that of their class. So the targets are made from the labels, and
the page of least squares does the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from math import fsum
from typing import Any

import numpy as np

from linscope.data import encode_labels, to_matrix
from linscope.least_squares.verify.check import check as check_regression
from linscope.results import Check
from linscope.verify.claims import checked, require

SHARED = ("status", "primal", "dual", "gap", "kkt", "backward_error")


def check(claim: Any, X, y, sample_weight, choose: Callable[..., Any]) -> Check:
    """Check a claim with the fields of ``LeastSquaresClassifierCertificate`` against the data."""
    return checked(_claims, claim, X, y, sample_weight, choose)


def _claims(claim: Any, X, y, sample_weight, choose) -> str:
    _check_form(claim, sample_weight)
    matrix, _ = to_matrix(X)
    known, own = encode_labels(y, n_samples=matrix.shape[0])
    labels = list(claim.labels)
    codes = np.array([labels.index(label) for label in known.tolist()])[own]
    weight = _weight(claim, codes, sample_weight)
    # Classes that are never predicted are those without a sample.
    count = np.bincount(codes, weights=weight, minlength=len(labels))
    empty = {label for label, n in zip(labels, count, strict=True) if not n > 0}
    fits = len(labels) == 2 or set(claim.unseen) == empty
    require(fits, "the classes without samples are others")
    Y = targets(codes, len(labels))
    found = check_regression(claim.regression, matrix, Y, weight, choose)
    require(found, found.reason)
    return found.reason


def _check_form(claim, sample_weight) -> None:
    what = "used sample weights: pass them as sample_weight" if claim.weighted else "had none"
    require(claim.weighted == (sample_weight is not None), f"the fit {what}")
    inner = claim.regression
    same = not claim.parts and all(getattr(claim, v) == getattr(inner, v) for v in SHARED)
    require(same, "the claims of the classifier are not those of its regression")
    require(not inner.iterative, "a least squares classifier is not solved step by step")
    weighted = bool(claim.weighted or claim.class_weight)
    require(inner.weighted == weighted, "the regression claims other weights of the samples")


def _weight(claim, codes: np.ndarray, sample_weight) -> np.ndarray | None:
    """Weights of the samples times those of their classes."""
    if sample_weight is None and not claim.class_weight:
        return None
    weight = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, float)
    labels = list(claim.labels)
    if claim.class_weight == "balanced":
        totals = np.array([fsum(weight[codes == k].tolist()) for k in range(len(labels))])
        used = totals > 0.0
        share = fsum(totals.tolist()) / (used.sum() * np.where(used, totals, 1.0))
        return weight * np.where(used, share, 1.0)[codes]
    factors = dict(claim.class_weight or {})
    return weight * np.array([float(factors.get(label, 1.0)) for label in labels])[codes]


def targets(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """T (n, K), or −1 and +1 (n, 1) for two classes."""
    if n_classes == 2:
        return 2.0 * codes[:, None] - 1.0
    return (codes[:, None] == np.arange(n_classes)).astype(np.float64)
