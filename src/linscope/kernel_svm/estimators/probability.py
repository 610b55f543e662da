"""Probabilities of a kernel SVM that never contradict its labels.

    two classes   P(second) = σ(a f(x))              K classes   P = softmax(a·scores)

The one number a > 0 maximises the likelihood of decision values that were made without the sample:
by models fitted to the other four of five folds. Without a constant beside a the probability is
above ½ exactly where f is positive. As in Platt's method the targets are not quite 0 and 1, so
that a stays finite where the folds make no mistake.

Folds are made of different samples, not of rows: copies of a sample are in one fold, so that a row
given twice is a row of weight 2, and the order of the rows does not matter. (Samples of a
precomputed kernel are known by their rows of the matrix, which depend on the order.)
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from linscope.data.tables import TableLike
from linscope.fitting.class_probabilities import log_probabilities, probabilities
from linscope.fitting.training import Training
from linscope.rows.row_hashes import row_keys

from ..solving.prediction import SVCPrediction

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
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """P(class | x), one column per class; the largest is that of ``predict``."""
        return self._probabilities(X, probabilities)

    @available_if(_wants_probability)
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """log P(class | x)."""
        return self._probabilities(X, log_probabilities)

    def _probabilities(self, X: TableLike, of_logits: Any) -> np.ndarray:
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
    weight = training.weight if len(training.weight) else np.ones(len(training.codes))
    folds, different = folds_of(training.X, training.codes, len(training.classes))
    _check(training.classes, different)
    columns = np.zeros((len(weight), max(2, len(training.classes))))
    pairwise = model.kernel == "precomputed"
    for number in np.unique(folds[folds >= 0]):
        test, train = np.flatnonzero(folds == number), np.flatnonzero(folds != number)
        fold = clone(model).set_params(
            probability=False, gamma=gamma or 1.0, sigma=None, class_weight=None
        )
        own, other = training.X[train], training.X[test]
        if pairwise:
            own, other = own[:, train], other[:, train]
        with warnings.catch_warnings():
            # The fit of all samples tells how far it got.
            warnings.simplefilter("ignore", ConvergenceWarning)
            fold.fit(own, training.codes[train], sample_weight=weight[train])
        columns[test] = _columns(fold.decision_function(other))
    # Weights may be small numbers, but a class has as many samples as there are different ones.
    total = np.bincount(training.codes, weight, minlength=len(different))
    held = folds >= 0
    return best_slope(columns[held], training.codes[held], weight[held], total.clip(different))


def _check(classes: np.ndarray, different: np.ndarray) -> None:
    if different.min() < 1:
        label = classes.tolist()[int(different.argmin())]
        raise ValueError(
            f"probability=True needs samples of every class, but {label!r} has none with a "
            "positive weight: leave its rows out, or use probability=False"
        )
    if different.max() < 2:
        raise ValueError(
            "probability=True needs 2 different samples of a class, but every class has only 1: "
            "use probability=False"
        )


def folds_of(X: Any, codes: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """The fold that each row is held out in, or −1, and the number of different rows by class.

    The different rows of a class are dealt to the folds in turn, in the order of their keys. The
    only one of its class is never held out: no model could do without it.

    >>> X = np.array([[0.0], [1.0], [0.0], [2.0], [3.0]])
    >>> folds, different = folds_of(X, np.array([0, 0, 0, 0, 1]), 2)
    >>> different.tolist(), bool(folds[0] == folds[2]), len(set(folds[:4])), int(folds[4])
    ([3, 1], True, 3, -1)
    """
    keys = row_keys(X)
    order = np.lexsort((keys, codes))
    pairs = np.column_stack([codes[order].astype(np.uint64), keys[order]])
    first = np.concatenate([[True], (pairs[1:] != pairs[:-1]).any(axis=1)])
    different = np.bincount(codes[order[first]], minlength=n_classes)
    folds = np.empty(len(codes), dtype=np.int64)
    folds[order] = (np.cumsum(first) - 1) % FOLDS
    folds[different[codes] == 1] = -1
    return folds, different


def best_slope(
    columns: np.ndarray, codes: np.ndarray, weight: np.ndarray, counts: np.ndarray
) -> float:
    """a > 0 that maximises Σ c_i Σ_k t_ik log softmax(a·s_i)_k, for ``counts`` samples by class.

    >>> s = np.array([[-2.0, 2.0], [1.0, -1.0], [-1.0, 1.0], [0.5, -0.5]])
    >>> 0 < best_slope(s, np.array([1, 0, 0, 1]), np.ones(4), np.array([2, 2])) < 1
    True
    """
    n, count = columns.shape
    miss = 1.0 / (counts + 2.0)
    targets = np.repeat((miss / (count - 1))[codes][:, None], count, axis=1)
    targets[np.arange(n), codes] = 1.0 - miss[codes]
    size = float(np.abs(columns).max(initial=0.0)) or 1.0

    def slope(log_a: float) -> float:
        p = softmax(np.exp(log_a) * columns, axis=1)
        return float(weight @ ((p - targets) * columns).sum(axis=1))

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
