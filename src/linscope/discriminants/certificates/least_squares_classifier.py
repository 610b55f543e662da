"""That the weights of a least squares classifier solve the normal equations of its targets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linscope.data.given import accepts_dataset
from linscope.engines import choose
from linscope.least_squares.certificates.least_squares import LeastSquaresCertificate
from linscope.results import Certificate, Check

from ..verify import least_squares_classifier as page


@dataclass(frozen=True, kw_only=True, repr=False)
class LeastSquaresClassifierCertificate(Certificate):
    """Claim about the weights of a least squares classifier.

    Attributes
    ----------
    labels : all labels of the model in sorted order
    regression : the claim about the weights, one row for each target
    class_weight : {label: factor} or "balanced"
    weighted : whether the fit had sample weights, which ``verify`` then needs
    unseen : labels that no sample has; they are never predicted
    """

    labels: tuple
    regression: LeastSquaresCertificate
    class_weight: Any = field(default_factory=dict)
    weighted: bool = False
    unseen: tuple = ()

    @property
    def weights(self) -> np.ndarray:
        """(1 or K, d + 1), bias first: −∞ for a class that is never predicted."""
        weights = self.regression.weights.copy()
        weights[[self.labels.index(label) for label in self.unseen], 0] = -np.inf
        return weights

    def facts(self) -> dict[str, Any]:
        two = len(self.labels) == 2
        coding = "−1 and +1" if two else f"1 of {len(self.labels)}"
        return {"targets": coding, **self.regression.facts()}

    @accepts_dataset
    def verify(self, X, y=None, sample_weight=None) -> Check:
        """Check the claim from the data alone; pass the weights of the fit if it had any."""
        return self._judged(page.check(self, X, y, sample_weight, choose))
