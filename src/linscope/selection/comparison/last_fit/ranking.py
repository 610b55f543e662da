"""One class against all others, for held-out rows: ROC, precision and recall, calibration.

Rows are ranked by their scores for the class. As the threshold falls, TP and FP grow:

    ROC                  (FP / N, TP / P), its area by the trapezoidal rule
    precision, recall    TP / (TP + FP),  TP / P;  average precision  Σ (Rᵢ − Rᵢ₋₁) Pᵢ
    calibration          groups of rows by probability; shares with Clopper–Pearson intervals
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import beta

from ..findings import AgainstRest
from ..scoring.judging import Answers

MOST_CURVE = 200
# More curves than this cannot be told apart in one figure.
MOST_CLASSES = 8
BINS = 10


def roc(y: np.ndarray, scores: np.ndarray) -> dict[str, Any]:
    """False and true positive rates at thresholds that fall, and the area; y is 1 or 0."""
    true, false = _ranked(y, scores)
    fpr, tpr = np.r_[0, false] / max(false[-1], 1), np.r_[0, true] / max(true[-1], 1)
    area = float(np.trapezoid(tpr, fpr))
    some = _thinned(len(fpr))
    return {"fpr": six_digits(fpr[some]), "tpr": six_digits(tpr[some]), "auc": area}


def precision_recall(y: np.ndarray, scores: np.ndarray) -> dict[str, Any]:
    """Recall and precision at thresholds that fall, and the average precision; y is 1 or 0."""
    true, false = _ranked(y, scores)
    precision, recall = true / (true + false), true / max(true[-1], 1)
    average = float((np.diff(np.r_[0.0, recall]) * precision).sum())
    some = _thinned(len(recall))
    return {
        "recall": six_digits(recall[some]),
        "precision": six_digits(precision[some]),
        "average": average,
    }


def calibration(
    y: np.ndarray, p: np.ndarray, level: float, *, steps: bool = False
) -> dict[str, Any]:
    """Rows in groups by their probability; Clopper–Pearson bands.

        low = Beta⁻¹(α/2; k, m − k + 1),   high = Beta⁻¹(1 − α/2; k + 1, m − k)

    for k positives among m rows. The groups are ten of equal size, or those of ten equal
    ``steps`` of probability: one class of many has a probability near 0 in most rows.
    """
    groups = _by_step(p) if steps else np.array_split(np.argsort(p, kind="stable"), BINS)
    groups = [group for group in groups if len(group)]
    m = np.array([len(group) for group in groups])
    k = np.array([int(y[group].sum()) for group in groups])
    tail = (1 - level) / 2
    low = np.where(k == 0, 0.0, beta.ppf(tail, k, m - k + 1))
    high = np.where(k == m, 1.0, beta.ppf(1 - tail, k + 1, m - k))
    return {
        "predicted": six_digits(np.array([p[group].mean() for group in groups])),
        "observed": six_digits(k / m),
        "low": six_digits(low),
        "high": six_digits(high),
        "count": tuple(m.tolist()),
    }


def _by_step(p: np.ndarray) -> list[np.ndarray]:
    step = np.searchsorted(np.linspace(0, 1, BINS + 1)[1:-1], p)
    return [np.flatnonzero(step == j) for j in range(BINS)]


def against_rest(
    y: np.ndarray, answers: Answers, labels: Sequence[str], level: float
) -> tuple[AgainstRest, ...]:
    """Every class against the rest; curves only of those that are hardest to tell apart.

    Parameters
    ----------
    y : class codes of held-out rows
    answers : with scores of shape (n, K)
    labels : of the classes
    level : of the intervals of calibration
    """
    assert answers.scores is not None
    found = [_one(y == k, answers, k, labels[k], level) for k in range(len(labels))]
    areas = [np.inf if each.auc is None else each.auc for each in found]
    drawn = set(np.argsort(areas, kind="stable")[:MOST_CLASSES].tolist())
    return tuple(
        each if k in drawn else AgainstRest(each.label, each.rows, each.auc, each.average)
        for k, each in enumerate(found)
    )


def _one(own: np.ndarray, answers: Answers, k: int, label: str, level: float) -> AgainstRest:
    assert answers.scores is not None
    rows = int(own.sum())
    if rows in (0, len(own)):  # no such row was held out, so that nothing can be ranked
        return AgainstRest(label, rows, None, None)
    ranks, hits = roc(own, answers.scores[:, k]), precision_recall(own, answers.scores[:, k])
    P = answers.probabilities
    return AgainstRest(
        label,
        rows,
        auc=ranks.pop("auc"),
        average=hits.pop("average"),
        roc=ranks,
        pr=hits,
        calibration={} if P is None else calibration(own, P[:, k], level, steps=True),
    )


def macro(found: Sequence[AgainstRest]) -> dict[str, float]:
    """Means over all classes, drawn or not, that held-out rows have: each class counts the same."""
    ranked = [each for each in found if each.auc is not None]
    names = ("auc", "average") if ranked else ()
    return {name: float(np.mean([getattr(each, name) for each in ranked])) for name in names}


def _ranked(y: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of true and false positives as the threshold falls, one for each distinct score."""
    order = np.argsort(-scores, kind="stable")
    last = np.r_[np.flatnonzero(np.diff(scores[order])), len(y) - 1]
    true = np.cumsum(y[order] == 1)[last]
    return true, last + 1 - true


def _thinned(length: int) -> np.ndarray:
    """Enough points of a curve to draw it."""
    return np.unique(np.linspace(0, length - 1, min(length, MOST_CURVE)).round().astype(int))


def six_digits(values: np.ndarray) -> tuple[float, ...]:
    """Six digits are enough to draw."""
    return tuple(float(f"{value:.6g}") for value in values.tolist())
