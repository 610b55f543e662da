"""That no direction separates the classes better, and that the scores follow from the data.

With Σ = RᵀR and the whitened class means H, J is a Rayleigh quotient: its stationary points are
the singular vectors of H, its largest value the largest singular value squared. For two classes
that is J* = (m_2 − m_1)ᵀ S_W⁻¹ (m_2 − m_1). ``verify`` finds R by QR factorisations of the centred
rows and compares.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..data.threads import one_blas_thread
from ..results import Certificate, Check, Status
from .class_scatter import counts, listed, read_classes
from .fisher_claims import check_claims
from .verify import Refuted, require


@dataclass(frozen=True, kw_only=True, repr=False)
class FisherCertificate(Certificate):
    """Claim about a discriminant.

    Attributes
    ----------
    labels : all labels of the model in sorted order
    weights : (1 or K, d + 1) scores of the classes, bias first; two classes: their difference
    scalings : (d, m) the directions, with variance 1 within classes
    criterion : J of the first direction; two classes: (w·m_2 − w·m_1)² / (s_1² + s_2²)
    totals, means, priors : weight, mean and probability of each class
    given_priors : whether the priors were chosen, not counted
    shrinkage : (K,) share of the ridge in the covariance of each class; ``automatic`` by formula
    mean_difference : whether the directions are those of the means, not of J
    rank, constant, dependent : of the within-class scatter; numbers of columns that do not vary
        within classes, and of columns that are combinations of columns before them (not looked
        for among more than 500)
    names : of the features
    accuracy : how far the scores may be off, relative to their spread
    class_weight : {label: factor} or "balanced"
    weighted : whether the fit had sample weights, which ``verify`` then needs
    """

    labels: tuple
    weights: np.ndarray
    scalings: np.ndarray
    criterion: float
    totals: np.ndarray
    means: np.ndarray
    priors: np.ndarray
    rank: int
    accuracy: float
    shrinkage: np.ndarray
    automatic: bool = False
    given_priors: bool = False
    mean_difference: bool = False
    constant: tuple[int, ...] = ()
    dependent: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    class_weight: Any = field(default_factory=dict)
    weighted: bool = False

    @property
    def advice(self) -> str:
        if self.status is Status.RANK_DEFICIENT:
            return (
                "Predictions are fine, single weights mean little: drop the dependent columns, or "
                "use shrinkage."
            )
        return super().advice

    def facts(self) -> dict[str, Any]:
        d = self.weights.shape[1] - 1
        what = "of the difference of means" if self.mean_difference else "of the best direction"
        facts: dict[str, Any] = {
            f"J(w) {what}": self.criterion,
            "samples (weight) of each class": counts(self.labels, self.totals),
            "rank of the scatter within classes": f"{self.rank} of {d}",
        }
        if self.constant:
            facts["constant within classes"] = listed([self.names[j] for j in self.constant])
        if self.dependent:
            facts["combinations of columns before them"] = listed(
                [self.names[j] for j in self.dependent]
            )
        if self.shrinkage.any():
            facts["shrinkage"] = ", ".join(f"{s:.4g}" for s in np.unique(self.shrinkage))
        return facts | {"scores accurate to": self.accuracy}

    def verify(self, X, y, sample_weight=None) -> Check:
        """Check the claim from the data alone; pass the weights of the fit if it had any."""
        try:
            require(self.weighted or sample_weight is None, "the fit had no sample weights")
            require(
                not self.weighted or sample_weight is not None,
                "the fit used sample weights: pass them as sample_weight",
            )
            with one_blas_thread():  # many small factorisations
                rows = read_classes(X, y, sample_weight, self.class_weight)
                return Check(True, check_claims(self, rows))
        except Refuted as refuted:
            return Check(False, str(refuted))
        except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            return Check(False, f"the certificate does not fit these data: {error}")
