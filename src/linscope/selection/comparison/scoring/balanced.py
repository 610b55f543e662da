"""Decisions that count every class alike, from probabilities that stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if


def _has(method: str) -> Any:
    return lambda self: hasattr(self.estimator, method)


class BalancedDecision(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier whose ``predict`` is best for balanced accuracy.

    Balanced accuracy is the mean over the classes of the share of their rows that are right, so a
    row of a rare class counts more. With P(k | x) from the classifier and π_k the share of class k
    in training, the best answer is

        argmax_k P(k | x) / π_k,

    of two classes: the positive one if its probability exceeds its share, in place of ½.
    Probabilities, weights and certificate are those of the classifier itself.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0, 0, 0, 0, 1]
    >>> model = BalancedDecision(ls.LogisticRegression()).fit(X, y)
    >>> model.predict([[3.0]]), model.estimator_.predict([[3.0]])
    (array([1]), array([0]))
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    @classmethod
    def of(cls, fitted: Any, shares: np.ndarray) -> BalancedDecision:
        """The decision with a classifier that is fitted."""
        one = cls(fitted)
        one.estimator_, one.classes_, one.shares_ = fitted, fitted.classes_, shares
        return one

    def fit(self, X: Any, y: Any) -> BalancedDecision:
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_ = self.estimator_.classes_
        counts = np.unique(np.asarray(y), return_counts=True)[1]
        self.shares_ = counts / counts.sum()
        return self

    def predict(self, X: Any) -> np.ndarray:
        return self.decide(self.predict_proba(X))

    def decide(self, P: np.ndarray) -> np.ndarray:
        """The classes, from probabilities (n, K)."""
        return self.classes_[np.argmax(P / self.shares_, axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.estimator_.predict_proba(X)

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        return self.estimator_.decision_function(X)
