"""That the means, variances and priors of a naive Bayes model are those of the samples.

They are the maximum-likelihood estimates, so nothing else has to be shown. What ``verify`` does is
in ``linscope.discriminants.verify.naive_bayes``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linscope.data.given import accepts_dataset
from linscope.engines import choose
from linscope.results import Certificate, Check
from linscope.rows.threads import one_blas_thread

from ..verify.naive_bayes import check
from .fisher import counts, listed


@dataclass(frozen=True, kw_only=True, repr=False)
class NaiveBayesCertificate(Certificate):
    """Claim about a Gaussian naive Bayes model.

    Attributes
    ----------
    labels : all labels of the model in sorted order
    means, variances : (K, d) mean and variance of each feature in each class
    priors, totals : (K,) probability and weight of each class
    shared : whether the classes share their variances
    accuracy : how far means (in deviations) and variances (relatively) may be off; a mean also by
        one rounding of itself
    tolerance : the largest accuracy that counts as solved
    replaced : numbers of columns with a variance of 0, which was replaced
    names : of the features
    given_priors : whether the priors were chosen, not counted
    class_weight : {label: factor} or "balanced"
    weighted : whether the fit had sample weights, which ``verify`` then needs
    """

    labels: tuple
    means: np.ndarray
    variances: np.ndarray
    priors: np.ndarray
    totals: np.ndarray
    shared: bool
    accuracy: float
    tolerance: float
    replaced: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    given_priors: bool = False
    class_weight: Any = field(default_factory=dict)
    weighted: bool = False

    def facts(self) -> dict[str, Any]:
        K, d = self.means.shape
        facts: dict[str, Any] = {
            "likelihood": "at its maximum: means and variances are those of the samples",
            "samples (weight) of each class": counts(self.labels, self.totals),
            "variances": f"{d}, shared by the classes" if self.shared else f"{K} · {d}",
        }
        if self.replaced:
            facts["variance 0 replaced by V/(n + 1), V that of the column"] = listed(
                [self.names[j] for j in self.replaced]
            )
        return facts | {"means and variances accurate to": self.accuracy}

    @accepts_dataset
    def verify(self, X, y=None, sample_weight=None) -> Check:
        """Check the claim from the data alone; pass the weights of the fit if it had any."""
        with one_blas_thread():  # many small sums
            return self._judged(check(self, X, y, sample_weight, choose))
