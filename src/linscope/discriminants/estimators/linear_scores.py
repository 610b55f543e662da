"""Linear scores of classes from class moments: decisions, probabilities, equations."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.utils.validation import check_is_fitted

from linscope.data.tables import TableLike
from linscope.fitting.discriminants import Discriminants
from linscope.fitting.equations import equation, preferred
from linscope.fitting.linear_prediction import Hyperplanes

from .moment_family import MomentClassifier


class LinearScores(Hyperplanes, Discriminants, MomentClassifier):
    """Linear scores ``coef_ · x + intercept_`` of classes, and what follows from them."""

    certificate_: Any

    def equation(self) -> Any:
        """The hyperplane between two classes, largest weight first, as the notes write it.

        K classes: a dict with the hyperplane between each pair; the class that is preferred to
        every other is predicted. A class that no sample has had is in no pair.
        """
        check_is_fitted(self)
        return self._lines(self._names())

    def _lines(self, features: list[str], weights: Any = None) -> Any:
        """What ``predict`` does with these weights, bias first, in words; by default its own."""
        if weights is None:
            weights = self._hyperplanes()
        return equations(weights, self.classes_.tolist(), features)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Scores: for two classes positive means the second, else one column per class."""
        scores = self._problem_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: TableLike) -> np.ndarray:
        """The label with the largest score; of two classes the first where the scores are equal."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(np.intp)]
        return self.classes_[scores.argmax(axis=1)]


class PosteriorScores(LinearScores):
    """Linear scores that are log posteriors up to a term that all classes share."""

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """P(class | x), one column per class."""
        return _probabilities(self.decision_function(X))

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """ln P(class | x), exact also where the probability itself vanishes."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            logs = np.column_stack([log_expit(-scores), log_expit(scores)])
        else:
            logs = log_softmax(scores, axis=1)
        logs[_probabilities(scores) == 1.0] = 0.0  # as rounded there
        return logs


def equations(weights: np.ndarray, labels: list, names: list[str]) -> str | dict[str, str]:
    """The hyperplane between two classes, or between each pair of K classes; weights bias first."""
    if len(labels) == 2:
        return equation(weights[0], names, labels[1])
    return {
        f"{labels[b]} vs {labels[a]}": preferred(
            weights[b] - weights[a], names, labels[a], labels[b]
        )
        for a, b in combinations(np.flatnonzero(np.isfinite(weights[:, 0])).tolist(), 2)
    }


def _probabilities(scores: np.ndarray) -> np.ndarray:
    if scores.ndim == 1:
        return np.column_stack([expit(-scores), expit(scores)])
    return softmax(scores, axis=1)
