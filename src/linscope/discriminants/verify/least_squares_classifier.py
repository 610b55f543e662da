"""Is a claim about a least squares classifier true?

Its weights are those of a regression on 1-of-K targets (−1 and +1 for two classes), and samples
count by their own weight times that of their class. So the targets are made from the labels, and
the page of least squares does the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.data import encode_labels, to_matrix
from linscope.least_squares.verify.check import check as check_regression
from linscope.results import Check

SHARED = ("status", "primal", "dual", "gap", "kkt", "backward_error")


def check(claim: Any, X, y, sample_weight=None) -> Check:
    """Check a claim with the fields of ``LeastSquaresClassifierCertificate`` against the data."""
    try:
        wrong = _nonsense(claim, sample_weight)
        if wrong:
            return Check(False, wrong)
        matrix, _ = to_matrix(X)
        known, own = encode_labels(y, n_samples=matrix.shape[0])
        labels = list(claim.labels)
        codes = np.array([labels.index(label) for label in known.tolist()])[own]
        weight = _weight(claim, codes, sample_weight)
        wrong = _false_labels(claim, codes, weight)
        if wrong:
            return Check(False, wrong)
        T = targets(codes, len(labels))
        return check_regression(claim.regression, matrix, T, weight)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        return Check(False, f"the certificate does not fit these data: {error}")


def _nonsense(claim, sample_weight) -> str | None:
    if claim.weighted != (sample_weight is not None):
        what = "used sample weights: pass them as sample_weight" if claim.weighted else "had none"
        return f"the fit {what}"
    inner = claim.regression
    if claim.parts or any(getattr(claim, name) != getattr(inner, name) for name in SHARED):
        return "the claims of the classifier are not those of its regression"
    if inner.iterative:
        return "a least squares classifier is not solved step by step"
    if inner.weighted != bool(claim.weighted or claim.class_weight):
        return "the regression claims other weights of the samples"
    return None


def _weight(claim, codes: np.ndarray, sample_weight) -> np.ndarray | None:
    """Weights of the samples times those of their classes."""
    if sample_weight is None and not claim.class_weight:
        return None
    weight = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, float)
    labels = list(claim.labels)
    if claim.class_weight == "balanced":
        count = np.bincount(codes, minlength=len(labels))
        return weight * (len(codes) / ((count > 0).sum() * np.maximum(count, 1)))[codes]
    factors = dict(claim.class_weight or {})
    return weight * np.array([float(factors.get(label, 1.0)) for label in labels])[codes]


def _false_labels(claim, codes: np.ndarray, weight: np.ndarray | None) -> str | None:
    """Classes that are never predicted are those without a sample."""
    labels = claim.labels
    count = np.bincount(codes, weights=weight, minlength=len(labels))
    empty = {label for label, n in zip(labels, count, strict=True) if not n > 0}
    if len(labels) > 2 and set(claim.unseen) != empty:
        return "the classes without samples are others"
    return None


def targets(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """T (n, K), or −1 and +1 (n, 1) for two classes."""
    if n_classes == 2:
        return 2.0 * codes[:, None] - 1.0
    return (codes[:, None] == np.arange(n_classes)).astype(np.float64)
