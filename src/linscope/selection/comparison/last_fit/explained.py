"""Statements about the weights that are valid, or why there are none.

Intervals belong to models without penalty whose assumptions can be met: linear regression itself,
and logistic regression without its penalty, fitted beside a penalised one on the same columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from linscope.data import to_matrix
from linscope.data.frames import with_names
from linscope.data.question import Question
from linscope.least_squares.estimators.linear_regression import LinearRegression
from linscope.logistic.estimators.logistic_regression import LogisticRegression
from linscope.validation.preparation import preparation

MOST_COLUMNS = 200
DEPENDENT = 1e-9


@dataclass(frozen=True)
class Explanation:
    """Why there are intervals or none; intervals by column; the printed table.

    odds : whether e^w is an odds ratio
    """

    words: str
    summary: str = ""
    intervals: dict[str, dict[str, float]] = field(default_factory=dict)
    odds: bool = False


def explain(question: Question, key: str, level: float) -> Explanation:
    """What may be said about the weights of the recommended model."""
    if key == "linear":
        return _linear(question, level)
    if key in ("logistic-l2", "logistic-l1") and len(question.classes) == 2:
        return _logistic(question, level)
    if key in ("majority", "mean", "svm-rbf", "kernel-perceptron"):
        return Explanation("This model has no weights to make statements about.")
    return Explanation("There are no valid intervals for the weights of this model.")


def _table(question: Question) -> Any:
    """All rows in the units of the table, with names."""
    steps = preparation(question, scale=False, reference=True)
    X = steps.fit_transform(question.X)
    if sp.issparse(X) or X.shape[1] > MOST_COLUMNS:
        return None
    return with_names(X, [str(name) for name in steps.get_feature_names_out()])


def _dependent(X: np.ndarray) -> bool:
    """Whether a column is a combination of others and a constant, or nearly."""
    Z = X - X.mean(axis=0)
    Z /= np.maximum(np.abs(Z).max(axis=0), np.finfo(np.float64).tiny)
    sizes = np.linalg.svd(np.linalg.qr(Z, mode="r"), compute_uv=False)
    return len(Z) <= Z.shape[1] or bool(sizes[-1] <= DEPENDENT * sizes[0])


def _linear(question: Question, level: float) -> Explanation:
    table = _table(question)
    if table is None:
        return Explanation(f"More than {MOST_COLUMNS} columns: no table of intervals is made.")
    summary = LinearRegression().fit(table, question.y).summary(level=level)
    if summary.refused or summary.intervals is None or summary.p_values is None:
        return Explanation(f"There are no valid intervals: {summary.refused}", str(summary))
    intervals = {
        str(name): {"low": float(low), "high": float(high), "p": float(p)}
        for name, (low, high), p in zip(
            summary.names, summary.intervals, summary.p_values, strict=True
        )
        if p == p  # not determined: columns depend on each other
    }
    words = (
        "Classic intervals of least squares; they count on equal variances and independent rows."
    )
    return Explanation(words, str(summary), intervals)


def _logistic(question: Question, level: float) -> Explanation:
    penalised = "The recommended model is penalised, so that its weights have no valid intervals"
    table = _table(question)
    if table is None:
        return Explanation(f"{penalised}.", odds=True)
    if _dependent(np.asarray(to_matrix(table)[0])):
        why = "some columns are combinations of others, so there is no one fit"
        return Explanation(f"{penalised}; without the penalty: {why}.", odds=True)
    model = LogisticRegression(C=float("inf")).fit(table, question.codes)
    ratios = model.odds_ratios(level=level)
    if ratios.refused:
        return Explanation(f"{penalised}; without the penalty: {ratios.refused}", odds=True)
    words = f"{penalised}. The odds ratios below are those of the same model without penalty."
    negative, positive = question.classes
    named = replace(ratios, classes=[positive], reference=negative, target=question.target)
    return Explanation(words, str(named), odds=True)
