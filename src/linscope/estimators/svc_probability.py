"""Probabilities of a kernel SVM that never contradict its labels.

    two classes   P(second) = σ(a f(x))              K classes   P = softmax(a·scores)

The one number a > 0 maximises the likelihood of decision values that were made without the sample:
by models fitted to four fifths of the table (five folds, in the given order). Without a constant
beside a the probability is above ½ exactly where f is positive. As in Platt's method the targets
are not quite 0 and 1, so that a stays finite where the folds make no mistake.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .base import Training
from .class_probabilities import log_probabilities, probabilities
from .svc_prediction import SVCPrediction

FOLDS = 5
# The slope is looked for between these, relative to the size of the decision values.
LEAST, MOST = 1e-3, 1e6


def _wants_probability(model: Any) -> bool:
    if not model.probability:
        raise AttributeError("predict_proba needs SVC(probability=True)")
    return True


class SVCProbability(SVCPrediction):
    """Probabilities for models with ``probability=True``."""

    slope_: float
    probability: bool

    @available_if(_wants_probability)
    def predict_proba(self, X):
        """P(class | x), one column a class; the largest is that of ``predict``."""
        return self._probabilities(X, probabilities)

    @available_if(_wants_probability)
    def predict_log_proba(self, X):
        """log P(class | x)."""
        return self._probabilities(X, log_probabilities)

    def _probabilities(self, X, of_logits) -> np.ndarray:
        decision = self.decision_function(X)
        check_is_fitted(self, "slope_", msg="fit again with probability=True")
        return of_logits(self.slope_ * _columns(decision), decision)


def fit_slope(model: Any, training: Training, gamma: float) -> float:
    """a of the maximum likelihood.

    Parameters
    ----------
    model : the estimator, whose parameters the folds share
    training : rows with a positive weight
    gamma : the number that ``gamma`` or ``sigma`` stands for
    """
    counts = np.bincount(training.codes, minlength=len(training.classes))
    if counts.min() < 2:
        label = training.classes.tolist()[int(counts.argmin())]
        raise ValueError(
            f"probability=True needs at least 2 samples of each class, {label!r} has "
            f"{counts.min()}: use probability=False"
        )
    folds = StratifiedKFold(min(FOLDS, int(counts.min())))
    columns = np.zeros((len(training.codes), max(2, len(training.classes))))
    pairwise = model.kernel == "precomputed"
    for train, test in folds.split(np.zeros(len(training.codes)), training.codes):
        fold = clone(model).set_params(
            probability=False, gamma=gamma or 1.0, sigma=None, class_weight=None
        )
        own, other = training.X[train], training.X[test]
        if pairwise:
            own, other = own[:, train], other[:, train]
        with warnings.catch_warnings():
            # The fit of all samples tells how far it got.
            warnings.simplefilter("ignore", ConvergenceWarning)
            weight = training.weight[train] if len(training.weight) else None
            fold.fit(own, training.codes[train], sample_weight=weight)
        columns[test] = _columns(fold.decision_function(other))
    return best_slope(columns, training.codes, training.weight)


def best_slope(columns: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> float:
    """a > 0 that maximises Σ c_i Σ_k t_ik log softmax(a·s_i)_k.

    >>> s = np.array([[-2.0, 2.0], [1.0, -1.0], [-1.0, 1.0], [0.5, -0.5]])
    >>> 0 < best_slope(s, np.array([1, 0, 0, 1]), np.zeros(0)) < 1
    True
    """
    n, count = columns.shape
    c = weight if len(weight) else np.ones(n)
    miss = 1.0 / (np.bincount(codes, minlength=count) + 2.0)
    targets = np.repeat((miss / (count - 1))[codes][:, None], count, axis=1)
    targets[np.arange(n), codes] = 1.0 - miss[codes]
    size = float(np.abs(columns).max(initial=0.0)) or 1.0

    def slope(log_a: float) -> float:
        p = softmax(np.exp(log_a) * columns, axis=1)
        return float(c @ ((p - targets) * columns).sum(axis=1))

    low, high = np.log(LEAST / size), np.log(MOST / size)
    if slope(low) >= 0.0:
        return float(np.exp(low))
    if slope(high) <= 0.0:
        return float(np.exp(high))
    return float(np.exp(brentq(slope, low, high, xtol=1e-12)))


def _columns(decision: np.ndarray) -> np.ndarray:
    """Logits whose softmax is σ(f) for two classes; for more the scores themselves."""
    decision = decision.astype(np.float64)
    return np.column_stack([-0.5 * decision, 0.5 * decision]) if decision.ndim == 1 else decision
