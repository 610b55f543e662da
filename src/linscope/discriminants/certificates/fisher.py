"""That no direction separates the classes better, and that the scores follow from the data.

For two classes the largest J is J* = (m_2 − m_1)ᵀ S_W⁻¹ (m_2 − m_1), for more it is the largest
eigenvalue of S_W⁻¹ S_B. What ``verify`` does is in ``linscope.discriminants.verify.fisher``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linscope.data.given import accepts_dataset
from linscope.engines import choose
from linscope.results import Certificate, Check, Status
from linscope.rows.threads import one_blas_thread

from ..verify.fisher import check


@dataclass(frozen=True, kw_only=True, repr=False)
class FisherCertificate(Certificate):
    """Claim about a discriminant.

    Attributes
    ----------
    labels : all labels of the model in sorted order
    weights : (1 or K, d + 1) scores of the classes as they are held, bias first; two classes: their
        difference
    scalings : (d, m) the directions as they are held, with variance 1 within classes
    criterion : J of the first direction; two classes: (w·m_2 − w·m_1)² / (s_1² + s_2²)
    totals, means, priors : weight, mean and probability of each class
    given_priors : whether the priors were chosen, not counted
    shrinkage : (K,) share of the ridge in the covariance of each class; ``automatic`` by formula
    mean_difference : whether the directions are those of the means, not of J
    components, centre : how many of the directions ``transform`` uses, and about which point; None:
        not claimed
    rank, constant, dependent : of the within-class scatter; numbers of columns that do not vary
        within classes, and of columns that are combinations of columns before them (not looked
        for among more than 500)
    names : of the features
    accuracy : how far the scores may be off, relative to their spread within classes; ∞ if nothing
        is known. J is then within the square of it from its maximum
    tolerance : the largest accuracy that counts as solved
    class_weight : {label: factor} or "balanced"
    weighted : whether the fit had sample weights, which ``verify`` then needs
    """

    TEXTS: ClassVar[Mapping[Status, str]] = {
        Status.UNBOUNDED: (
            "the class means differ where no class varies: the criterion has no maximum"
        ),
    }
    ADVICE: ClassVar[Mapping[Status, str]] = {
        Status.UNBOUNDED: (
            "Use shrinkage, fewer features or more samples; linscope.separability(X, y) tells "
            "whether a hyperplane separates the classes."
        ),
        Status.RANK_DEFICIENT: (
            "Predictions are fine, single weights mean little: drop the dependent columns, or use "
            "shrinkage."
        ),
        Status.NEARLY_DEPENDENT: (
            "Some direction within the classes has a spread that floats cannot resolve: drop such "
            "columns, or use shrinkage."
        ),
    }

    labels: tuple
    weights: np.ndarray
    scalings: np.ndarray
    criterion: float
    totals: np.ndarray
    means: np.ndarray
    priors: np.ndarray
    rank: int
    accuracy: float
    tolerance: float
    shrinkage: np.ndarray
    automatic: bool = False
    given_priors: bool = False
    mean_difference: bool = False
    components: int | None = None
    centre: np.ndarray | None = None
    constant: tuple[int, ...] = ()
    dependent: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    class_weight: Any = field(default_factory=dict)
    weighted: bool = False

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
            nearly = ", up to rounding" * (self.status is Status.NEARLY_DEPENDENT)
            facts[f"combinations of columns before them{nearly}"] = listed(
                [self.names[j] for j in self.dependent]
            )
        if self.shrinkage.any():
            facts["shrinkage"] = ", ".join(f"{s:.4g}" for s in np.unique(self.shrinkage))
        known = np.isfinite(self.accuracy)
        return facts | {"scores accurate to": self.accuracy if known else "not known"}

    @accepts_dataset
    def verify(self, X, y=None, sample_weight=None) -> Check:
        """Check the claim from the data alone; pass the weights of the fit if it had any."""
        with one_blas_thread():  # many small factorisations
            return self._judged(check(self, X, y, sample_weight, choose))


def listed(names: list[str], most: int = 10) -> str:
    """Names with commas, cut after some.

    >>> listed(["a", "b", "c"], most=2)
    'a, b, …'
    """
    return ", ".join(names[:most]) + ", …" * (len(names) > most)


def counts(labels: tuple, totals: np.ndarray) -> str:
    """How many samples (or how much weight) each class has."""
    pairs = zip(labels, totals, strict=True)
    return listed([f"{label}: {total:g}" for label, total in pairs])
