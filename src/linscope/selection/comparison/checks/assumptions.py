"""The assumptions of a linear regression, as ``LinearRegression.diagnose`` judges them.

Its tests reject at 5 %. Here a rejection is a warning only if a test has p < 0.0001, else a note:
six verdicts on each of many tables would alarm too often.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from linscope.least_squares.estimators.linear_regression import LinearRegression

from .registry import Found, rule
from .relations import pivoted
from .subject import Subject, standardised

CLEAR = 1e-4
MOST_WORK, MOST_COLUMNS, FEWEST_LEFT = 4_000_000, 200, 10

# Verdict: code, title, level, meaning, what to do.
ASSUMPTIONS = {
    "existence": (
        "LS401",
        "A few rows decide the regression",
        "warning",
        "Without one row the weights would leave their own confidence region, or the residuals "
        "have such heavy tails that they have no variance.",
        "Check these rows, fit with and without them, or use HuberRegressor.",
    ),
    "independence": (
        "LS402",
        "Residuals of neighbouring rows are alike",
        "warning",
        "Rows that follow each other have similar errors: random folds then give scores that are "
        "too good.",
        "If the rows follow in time, judge models on later rows (--time).",
    ),
    "linearity": (
        "LS403",
        "The target does not follow a straight line",
        "warning",
        "Squares or powers of the features describe what the line leaves over.",
        "Look at the polynomial models of the comparison, or transform a column.",
    ),
    "homoscedasticity": (
        "LS404",
        "The spread of the residuals changes",
        "warning",
        "Predictions are more certain for some rows than for others: standard errors may be wrong.",
        "Use summary(robust='HC3'), or model a transformed target.",
    ),
    "normality": (
        "LS405",
        "The residuals are not normal",
        "note",
        "Prediction intervals, and with few rows p-values, are approximate.",
        "Do not use prediction intervals as they are; consider a transformed target.",
    ),
    "collinearity": (
        "LS406",
        "Features are almost combinations of others",
        "note",
        "The data hardly tell these features apart: their weights are uncertain, the predictions "
        "are not.",
        "Do not read these weights one by one; use Ridge, or leave some columns out (--drop).",
    ),
}


def _judged(assumption: str, subject: Subject) -> Iterator[Found]:
    diagnosis = _diagnosis(subject)
    if diagnosis is None or diagnosis[assumption].ok is not False:
        return
    verdict = diagnosis[assumption]
    p = [test.p_value for test in verdict.tests if test.p_value is not None]
    rows: Any = ()
    if assumption == "existence":
        rows = [int(np.argmax(diagnosis.rows.cooks_distance))]
    yield Found(
        verdict.sentence,
        ASSUMPTIONS[assumption][-1],
        rows=rows,
        level="note" if p and min(p) >= CLEAR else None,
    )


for _name, (_code, _title, _level, _meaning, _) in ASSUMPTIONS.items():
    rule(_code, _title, _level, _meaning)(partial(_judged, _name))


def _diagnosis(subject: Subject) -> Any:
    """Of a regression on the columns that do not repeat others; None where there can be none."""
    if "diagnosis" not in subject.shared:
        subject.shared["diagnosis"] = _diagnose(subject)
    return subject.shared["diagnosis"]


def _diagnose(subject: Subject) -> Any:
    if subject.classification or subject.encoded is None:
        return None
    matrix, names = subject.encoded
    n, d = matrix.shape
    if not 0 < d <= MOST_COLUMNS or n < d + FEWEST_LEFT or n * d > MOST_WORK:
        return None
    X = matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix, dtype=np.float64)
    y = np.asarray(subject.question.y, dtype=np.float64)
    kept = _independent(X[subject.sample])
    if not kept or len(np.unique(y)) < 2:
        return None
    # Units change no verdict, and values of any size are safe.
    X, y = standardised(X[:, kept]), standardised(y[:, None])[:, 0]
    model = LinearRegression().fit(X, y)
    model.feature_names_in_ = np.array([names[j] for j in kept], dtype=object)
    return model.diagnose()


def _independent(X: np.ndarray) -> list[int]:
    """Columns that are not combinations of the constant and of each other."""
    _, order, rank = pivoted(standardised(X))
    return sorted(order[:rank].tolist())
