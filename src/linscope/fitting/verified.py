"""``model.verify(X, y)``: is what the model holds now what its certificate claims?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from linscope.data.tables import TableLike
from linscope.engines import Source, source_of
from linscope.results import Certificate, Check

from .estimator import Estimator
from .far import here


class Verified(Estimator):
    """Mixin of all estimators; each says in ``_live_claim`` what its attributes hold."""

    class_weight: Any

    def verify(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> Check:
        """Check the certificate against these data, for the attributes as they are now.

        ``certificate_.verify`` checks the weights that the fit has found; this one notices if they
        were changed since.

        Parameters
        ----------
        X, y : the training data
        sample_weight : the weights given to ``fit``, if any; class weights are added here
        """
        check_is_fitted(self)
        source = source_of(X, y, sample_weight)
        if source is not None:
            X, y, sample_weight = self._far_data(source)
        try:
            claim: Any = self._live_claim(X)
            weight = self._claimed_weight(y, sample_weight)
        except (ValueError, TypeError, AttributeError, IndexError, KeyError) as error:
            return Check(False, f"the model's attributes do not fit these data: {error}")
        return claim.verify(X, y) if weight is None else claim.verify(X, y, weight)

    def _far_data(self, source: Source) -> tuple[Any, Any, Any]:
        """X, y and the weights of rows that are elsewhere, as the check of the claim takes them."""
        return here(source, classes=is_classifier(self))

    def _live_claim(self, X: TableLike) -> Certificate:
        """The certificate with the weights that the attributes hold."""
        raise NotImplementedError

    def _claimed_weight(self, y: Any, sample_weight: Any) -> np.ndarray | None:
        """What the certificate calls the weights of the fit: sample weights times class weights."""
        if getattr(self, "class_weight", None) is None:
            return sample_weight
        labels = np.asarray(y)
        classes = np.unique(labels)
        by_class = compute_class_weight(self.class_weight, classes=classes, y=labels)
        weight = by_class[np.searchsorted(classes, labels)]
        return weight if sample_weight is None else weight * np.asarray(sample_weight, np.float64)
