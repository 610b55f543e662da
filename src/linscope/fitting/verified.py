"""``model.verify(X, y)``: is what the model holds now what its certificate claims?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from linscope.data import encode_labels, to_matrix
from linscope.data.tables import TableLike
from linscope.engines import Source, source_of
from linscope.results import Certificate, Check
from linscope.rows.far import FarRows
from linscope.verify.answers import Answers, require_answers
from linscope.verify.claims import checked, same_claim

from .estimator import Estimator
from .far import here
from .training import class_weights

# Rows of a table elsewhere that a model is asked about.
SOME = 1000


def rows_to_ask(X: Any) -> Any:
    """The rows of a table as a matrix; the first of one that is elsewhere."""
    if isinstance(X, FarRows):
        return X.engine.take(np.arange(min(SOME, len(X)))).X
    return to_matrix(X)[0]


class Verified(Estimator):
    """Mixin of all estimators; each says in ``_live_claim`` what its attributes hold."""

    class_weight: Any
    certificate_: Any

    def verify(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> Check:
        """Check the certificate against these data, for the model as it is now.

        ``certificate_.verify`` checks the numbers that the fit has found. This one also compares
        the model's scores, labels, probabilities and transformed rows with what these numbers
        give, so it notices any change of the model since.

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
            if not same_claim(claim, self.certificate_):
                raise ValueError("they are not the numbers that were certified")
            weight = self._claimed_weight(y, sample_weight)
        except (ValueError, TypeError, AttributeError, IndexError, KeyError) as error:
            return Check(False, f"the model's attributes do not fit these data: {error}")
        found = claim.verify(X, y) if weight is None else claim.verify(X, y, weight)
        asked = checked(self._answers_as_certified, X) if found.claim_holds else found
        return found if asked.claim_holds else asked

    def _answers_as_certified(self, X: TableLike) -> str:
        """Everything that predictions read is part of the claim: see ``verify.answers``."""
        require_answers(self, *self._certified_answers(rows_to_ask(X)))
        return "the model answers as certified"

    def _certified_answers(self, X: Any) -> tuple[Any, Answers]:
        """Rows that the model is asked about, and what the certified numbers say of them."""
        raise NotImplementedError

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
        classes, codes = encode_labels(y)
        given = sample_weight is not None
        weight = np.asarray(sample_weight, np.float64) if given else np.ones(len(codes))
        return weight * class_weights(self.class_weight, classes, codes, weight)[codes]
