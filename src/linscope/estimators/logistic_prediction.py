"""What a fitted logistic regression says about new rows, and its hyperplanes in words."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..certify.logistic import LogisticCertificate
from ..data import check_finite
from ..losses.logistic import sigmoid, softmax
from .base import equation, read_features


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
        check_is_fitted(self)
        matrix = read_features(self, X)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = matrix @ self.coef_.T + self.intercept_
        if not np.isfinite(scores).all():
            check_finite(matrix, getattr(self, "feature_names_in_", None))
            scores = np.nan_to_num(scores)
        if len(self.classes_) == 2:
            return scores[:, 0]
        if self.multi_class == "ovo":
            return _from_pairs(sigmoid(scores), len(self.classes_)).astype(matrix.dtype)
        return scores

    def predict_proba(self, X):
        """P(class | x), one column a class, in the order of ``classes_``."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([sigmoid(-scores), sigmoid(scores)]).astype(scores.dtype)
        if self.multi_class == "softmax":
            return softmax(scores).astype(scores.dtype)
        p = scores.astype(np.float64) if self.multi_class == "ovo" else sigmoid(scores)
        size = p.sum(axis=1, keepdims=True)
        even = np.full_like(p, 1.0 / p.shape[1])
        return np.divide(p, size, out=even, where=size > 0).astype(scores.dtype)

    def predict_log_proba(self, X):
        """Logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X):
        """The most probable class of each row."""
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
