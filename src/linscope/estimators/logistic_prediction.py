"""What a fitted logistic regression says about new rows, and its hyperplanes in words."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..certify.logistic import LogisticCertificate
from ..data import check_finite
from ..data.blocks import Block
from ..losses.logistic import sigmoid
from .base import equation, read_features
from .class_probabilities import class_logits, log_probabilities, probabilities
from .scores import block_scores, into_range


class LogisticPrediction:
    """Scores, probabilities, labels, equations."""

    multi_class: str
    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray
    n_features_in_: int
    certificate_: LogisticCertificate

    def _feature_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            return [f"x{j + 1}" for j in range(self.n_features_in_)]
        return list(names)

    def decision_function(self, X):
        """Scores: (n,) for two classes, positive for the second; (n, K) for more.

        For pairs of classes the score of a class is the sum of its probabilities against each other
        class.
        """
        return self._decision(self._problem_scores(X))

    def _problem_scores(self, X) -> np.ndarray:
        """w·[1, x] of every problem, (n, problems), with the right sign also beyond the range."""
        check_is_fitted(self)
        matrix = read_features(self, X)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = matrix @ self.coef_.T + self.intercept_
        if np.isfinite(scores).all():
            return scores
        check_finite(matrix, getattr(self, "feature_names_in_", None))
        weights = np.column_stack([self.intercept_, self.coef_]).astype(np.float64)
        return into_range(block_scores(Block(0, matrix), weights=weights, bias=1.0), scores.dtype)

    def _decision(self, scores: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 2:
            return scores[:, 0]
        if self.multi_class == "ovo":
            return _from_pairs(sigmoid(scores), len(self.classes_)).astype(scores.dtype)
        return scores

    def predict_proba(self, X):
        """P(class | x), one column a class, in the order of ``classes_``.

        The largest is that of the class that ``predict`` names, to the last bit.
        """
        scores = self._problem_scores(X)
        logits = class_logits(scores, self.multi_class, len(self.classes_))
        return probabilities(logits, self._decision(scores))

    def predict_log_proba(self, X):
        """Logarithms of the probabilities, finite also where a probability is 0 in floats."""
        scores = self._problem_scores(X)
        logits = class_logits(scores, self.multi_class, len(self.classes_))
        return log_probabilities(logits, self._decision(scores))

    def predict(self, X):
        """The most probable class of each row.

        Of two classes the second where the score is above 0, that is P > ½; a score of exactly 0,
        and equal scores of several classes, go to the first of them. Another threshold than ½ is
        a decision about the costs of mistakes, not part of the model: see it in
        ``ls.evaluate(y, model.predict(X), scores=model.decision_function(X))``, and fix it with
        ``sklearn.model_selection.FixedThresholdClassifier`` or ``TunedThresholdClassifierCV``.
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(np.int64)]
        return self.classes_[np.argmax(scores, axis=1)]

    def equation(self):
        """The hyperplane of two classes as the notes write it; a dict of lines for more."""
        check_is_fitted(self)
        features = self._feature_names()
        if len(self.classes_) == 2:
            return equation(np.r_[self.intercept_[0], self.coef_[0]], features, self.classes_[1])
        names = list(self.certificate_.parts) or self.classes_.tolist()
        return {
            name: equation(np.r_[b, w], features, name)
            for name, b, w in zip(names, self.intercept_, self.coef_, strict=True)
        }


def _from_pairs(p: np.ndarray, n_classes: int) -> np.ndarray:
    """Sum of each class's probabilities against every other class."""
    out = np.zeros((len(p), n_classes))
    pairs = [(a, b) for a in range(n_classes) for b in range(a + 1, n_classes)]
    for column, (a, b) in enumerate(pairs):
        out[:, b] += p[:, column]
        out[:, a] += 1.0 - p[:, column]
    return out
