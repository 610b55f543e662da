"""What answers for held-out rows are worth, by every metric of the task.

With classes coded 0 … K − 1, of two the positive one is 1:

accuracy            share of the rows that are right
balanced_accuracy   mean over the classes of the share of their rows that are right
f1                  2 TP / (2 TP + FP + FN) of class 1; with K classes the mean over all of them
log_loss            −mean log p(true class)
brier               mean (p − y)²; with K classes mean Σ_k (p_k − [y = k])²
roc_auc             P(score of a positive row > score of a negative one), ties count half;
                    with K classes the mean over class k against the rest
rmse, mae           √mean (y − ŷ)², mean |y − ŷ|
r2                  1 − Σ(y − ŷ)² / Σ(y − ȳ)²
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from linscope.data.suggest import did_you_mean

from .balanced import BalancedDecision

COUNTED = frozenset({"balanced_accuracy", "accuracy", "f1"})  # from predicted classes alone
CLASS_METRICS = ("balanced_accuracy", "accuracy", "f1", "roc_auc", "log_loss", "brier")
NUMBER_METRICS = ("rmse", "mae", "r2")
RANGES = {
    **dict.fromkeys(("balanced_accuracy", "accuracy", "f1", "roc_auc", "brier"), (0.0, 1.0)),
    **dict.fromkeys(("log_loss", "rmse", "mae"), (0.0, np.inf)),
    "r2": (-np.inf, 1.0),
}


class Answers(NamedTuple):
    """Predictions for held-out rows.

    values : class codes, or numbers
    probabilities : (n, K), or None for a model that has none
    scores : (n,) for two classes or (n, K), rising with the chance of the class; None for numbers
    """

    values: np.ndarray
    probabilities: np.ndarray | None = None
    scores: np.ndarray | None = None


def metrics_of(task: str) -> tuple[str, ...]:
    """The metrics of a task, the default one first."""
    return NUMBER_METRICS if task == "number" else CLASS_METRICS


def read_metric(metric: str | None, task: str) -> str:
    """The metric by name; the first of the task by default."""
    known = metrics_of(task)
    if metric is None:
        return known[0]
    if metric not in known:
        what = "a number" if task == "number" else "classes"
        raise ValueError(
            f"metric {metric!r} is not one for {what}{did_you_mean(metric, known)}: choose "
            f"{', '.join(known)}"
        )
    return metric


def judge(y: np.ndarray, answers: Answers, task: str, classes: int) -> dict[str, float]:
    """Every metric that the answers allow."""
    if task == "number":
        return _numbers(y, answers.values)
    found = _counts(y, answers.values, classes)
    if answers.scores is not None:
        found["roc_auc"] = _area(y, answers.scores, classes)
    if answers.probabilities is not None:
        found |= _probabilities(y, answers.probabilities)
    return found


def _numbers(y: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    error = y - predicted
    spread = float(((y - y.mean()) ** 2).sum())
    squares = float((error**2).sum())
    found = {"rmse": float(np.sqrt(squares / len(y))), "mae": float(np.abs(error).mean())}
    if spread > 0:
        found["r2"] = 1.0 - squares / spread
    return found


def _counts(y: np.ndarray, predicted: np.ndarray, classes: int) -> dict[str, float]:
    matrix = confusion(y, predicted, classes)
    right, actual, said = np.diag(matrix), matrix.sum(axis=1), matrix.sum(axis=0)
    present = actual > 0
    f1 = 2 * right / np.maximum(actual + said, 1)
    return {
        "accuracy": float(right.sum() / len(y)),
        "balanced_accuracy": float((right[present] / actual[present]).mean()),
        "f1": float(f1[1] if classes == 2 else f1[present | (said > 0)].mean()),
    }


def confusion(y: np.ndarray, predicted: np.ndarray, classes: int) -> np.ndarray:
    """Counts, rows actual and columns predicted."""
    return np.bincount(y * classes + predicted, minlength=classes**2).reshape(classes, classes)


def _area(y: np.ndarray, scores: np.ndarray, classes: int) -> float:
    if classes == 2:
        return _area_of_two(y == 1, scores)
    areas = [_area_of_two(y == k, scores[:, k]) for k in range(classes)]
    return float(np.nanmean(areas))


def _area_of_two(positive: np.ndarray, scores: np.ndarray) -> float:
    """Σ over the positives of the negatives below them, and half of those on a par, / (P N)."""
    above, below = scores[positive], np.sort(scores[~positive])
    if not (len(above) and len(below)) or np.isnan(scores).any():
        return float("nan")
    fewer, at_most = (np.searchsorted(below, above, side) for side in ("left", "right"))
    return float((fewer.sum() + at_most.sum()) / 2 / (len(above) * len(below)))


def _probabilities(y: np.ndarray, P: np.ndarray) -> dict[str, float]:
    rows = np.arange(len(y))
    least = np.finfo(np.float64).eps
    wrong = P.copy()
    wrong[rows, y] -= 1.0
    halves = 2.0 if P.shape[1] == 2 else 1.0
    return {
        "log_loss": float(-np.log(np.clip(P[rows, y], least, 1 - least)).mean()),
        "brier": float((wrong**2).sum(axis=1).mean() / halves),
    }


def answers_of(model: Any, X: Any, task: str, metric: str | None = None) -> Answers:
    """What a fitted model answers for these rows; its classes are codes.

    For one ``metric`` only what it needs.
    """
    if isinstance(model, Pipeline):  # once for classes and probabilities
        model, X = model.steps[-1][1], model[:-1].transform(X)
    if task == "number":
        return Answers(np.asarray(model.predict(X), dtype=np.float64))
    if metric in COUNTED:
        return Answers(np.asarray(model.predict(X)).astype(np.int64))
    if not hasattr(model, "predict_proba"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        return Answers(np.asarray(model.predict(X)).astype(np.int64), None, scores)
    P = np.asarray(model.predict_proba(X), dtype=np.float64)
    values = model.decide(P) if isinstance(model, BalancedDecision) else model.predict(X)
    scores = P[:, 1] if P.shape[1] == 2 else P
    return Answers(np.asarray(values).astype(np.int64), P, scores)
