"""That the weights of a least squares classifier solve the normal equations of its targets.

The claim is that of a regression on 1-of-K targets (−1 and +1 for two classes), so ``verify``
makes the targets from the labels and asks the certificate of least squares.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..data import encode_labels, to_matrix
from ..results import Certificate, Check
from ..solvers.class_targets import targets
from .least_squares import LeastSquaresCertificate


@dataclass(frozen=True, kw_only=True, repr=False)
class LeastSquaresClassifierCertificate(Certificate):
    """Claim about the weights of a least squares classifier.

    Attributes
    ----------
    labels : all labels of the model in sorted order
    regression : the claim about the weights, one row a target
    class_weight : {label: factor} or "balanced"
    weighted : whether the fit had sample weights, which ``verify`` then needs
    """

    labels: tuple
    regression: LeastSquaresCertificate
    class_weight: Any = field(default_factory=dict)
    weighted: bool = False

    @property
    def weights(self) -> np.ndarray:
        """(1 or K, d + 1), bias first."""
        return self.regression.weights

    def facts(self) -> dict[str, Any]:
        two = len(self.labels) == 2
        coding = "−1 and +1" if two else f"1 of {len(self.labels)}"
        return {"targets": coding, **self.regression.facts()}

    def verify(self, X, y, sample_weight=None) -> Check:
        """Check the claim from the data alone; pass the weights of the fit if it had any."""
        try:
            return self._check(X, y, sample_weight)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            return Check(False, f"the certificate does not fit these data: {error}")

    def _check(self, X, y, sample_weight) -> Check:
        if self.weighted != (sample_weight is not None):
            what = (
                "used sample weights: pass them as sample_weight" if self.weighted else "had none"
            )
            return Check(False, f"the fit {what}")
        inner = self.regression
        claims = ("status", "primal", "dual", "gap", "kkt", "backward_error")
        if self.parts or any(getattr(self, name) != getattr(inner, name) for name in claims):
            return Check(False, "the claims of the classifier are not those of its regression")
        matrix, _ = to_matrix(X)
        known, own = encode_labels(y, n_samples=matrix.shape[0])
        labels = list(self.labels)
        codes = np.array([labels.index(label) for label in known.tolist()])[own]
        weight = self._weight(codes, labels, sample_weight)
        if (weight is not None) != inner.weighted:
            return Check(False, "the regression claims other weights of the samples")
        return inner.verify(matrix, targets(codes, len(labels)), weight)

    def _weight(self, codes, labels: list, sample_weight) -> np.ndarray | None:
        if sample_weight is None and not self.class_weight:
            return None
        weight = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, float)
        if self.class_weight == "balanced":
            count = np.bincount(codes, minlength=len(labels))
            return weight * (len(codes) / ((count > 0).sum() * np.maximum(count, 1)))[codes]
        factors = dict(self.class_weight or {})
        return weight * np.array([float(factors.get(label, 1.0)) for label in labels])[codes]
