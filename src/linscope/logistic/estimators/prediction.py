"""What a fitted logistic regression says about new rows, and its hyperplanes in words."""

from __future__ import annotations

import numpy as np

from linscope.data.tables import TableLike
from linscope.fitting.class_probabilities import class_logits, log_probabilities, probabilities
from linscope.fitting.equations import share
from linscope.fitting.linear_prediction import LinearPrediction
from linscope.losses.logistic import sigmoid

from ..certificates.logistic import LogisticCertificate


class LogisticPrediction(LinearPrediction):
    """Scores, probabilities, labels, equations."""

    certificate_: LogisticCertificate

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Scores: (n,) for two classes, positive for the second; (n, K) for more.

        For pairs of classes the score of a class is the sum of its probabilities against each other
        class.
        """
        return self._decision(self._problem_scores(X))

    def _decision(self, scores: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 2:
            return scores[:, 0]
        if self.multi_class == "ovo":
            shares = sigmoid(scores.astype(np.float64))
            return _from_pairs(shares, len(self.classes_)).astype(scores.dtype)
        return scores

    _pair_line = staticmethod(share)

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """P(class | x), one column per class, in the order of ``classes_``.

        The largest is that of the class that ``predict`` names, to the last bit.
        """
        scores = self._problem_scores(X)
        logits = class_logits(scores, self.multi_class, len(self.classes_))
        return probabilities(logits, self._decision(scores))

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Logarithms of the probabilities, finite also where a probability is 0 in floats."""
        scores = self._problem_scores(X)
        logits = class_logits(scores, self.multi_class, len(self.classes_))
        return log_probabilities(logits, self._decision(scores))

    def predict(self, X: TableLike) -> np.ndarray:
        """The most probable class of each row.

        Of two classes the second where the score is above 0, that is P > ½; a score of exactly 0,
        and equal scores of several classes, go to the first of them. Another threshold than ½ is
        a decision about the costs of mistakes, not part of the model: see it in
        ``ls.evaluate(y, model.predict(X), scores=model.decision_function(X))``, and fix it with
        ``sklearn.model_selection.FixedThresholdClassifier`` or ``TunedThresholdClassifierCV``.
        """
        return self._labels(self.decision_function(X))


def _from_pairs(p: np.ndarray, n_classes: int) -> np.ndarray:
    """Sum of each class's probabilities against every other class."""
    out = np.zeros((len(p), n_classes))
    pairs = [(a, b) for a in range(n_classes) for b in range(a + 1, n_classes)]
    for column, (a, b) in enumerate(pairs):
        out[:, b] += p[:, column]
        out[:, a] += 1.0 - p[:, column]
    return out
