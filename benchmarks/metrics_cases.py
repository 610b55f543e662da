"""Cases of evaluation: what many predictions are worth."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import classification_report, confusion_matrix

import linscope as ls

from .case import Case, Contender, Data, different_vector

RATES = ("precision", "recall", "f1-score")


def predictions(rows: int, classes: int) -> Data:
    """Labels of ``classes`` classes; four of five predictions are right."""
    rng = np.random.default_rng(0)
    y = rng.integers(classes, size=rows)
    guess = rng.integers(classes, size=rows)
    return Data(np.where(rng.random(rows) < 0.8, y, guess), y)


def ours(data: Data):
    result = ls.evaluate(data.y, data.X)
    return result, str(result)


def theirs(data: Data):
    return confusion_matrix(data.y, data.X), classification_report(data.y, data.X, output_dict=True)


def our_numbers(data: Data, answer) -> np.ndarray:
    """The matrix as shares, precision, recall and F1 of each class and of the macro average."""
    result, _ = answer
    counts = result.counts
    rates = [counts.ratio("precision"), counts.ratio("recall"), counts.fbeta(1.0)]
    macro = result.macro
    shares = result.matrix / len(data.y)
    return np.r_[shares.ravel(), *rates, macro.precision, macro.recall, macro.f1]


def their_numbers(data: Data, answer) -> np.ndarray:
    matrix, report = answer
    names = [str(label) for label in np.unique(np.r_[data.y, data.X])]
    rates = [[report[name][rate] for name in names] for rate in RATES]
    macro = [report["macro avg"][rate] for rate in RATES]
    return np.r_[(matrix / len(data.y)).ravel(), *rates, macro]


METRICS = (
    Case(
        "evaluate",
        "confusion matrix and report of K classes",
        predictions,
        (10_000_000, 3),
        Contender("linscope", ours, our_numbers),
        (Contender("sklearn", theirs, their_numbers),),
        different_vector,
        {"sklearn": 10.0},
    ),
)
