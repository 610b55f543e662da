"""What a fitted model says of rows of numbers; nothing is drawn here."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


@contextmanager
def plain_rows() -> Iterator[None]:
    """Without the warning that a plain array has no feature names."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*valid feature names.*")
        yield


def predict(estimator: Any, rows: np.ndarray) -> np.ndarray:
    """Labels of rows."""
    with plain_rows():
        return np.asarray(estimator.predict(rows))


def decide(estimator: Any, rows: np.ndarray) -> np.ndarray:
    """``decision_function`` of rows."""
    with plain_rows():
        return np.asarray(estimator.decision_function(rows), dtype=np.float64)


def leads(estimator: Any, rows: np.ndarray) -> np.ndarray:
    """For each class (K, m): its score minus the best other score; the sign follows ``predict``."""
    classes = np.asarray(estimator.classes_)
    ahead = np.where(predict(estimator, rows) == classes[:, None], 1.0, -1.0)
    if not hasattr(estimator, "decision_function"):
        return ahead
    scores = decide(estimator, rows)
    if scores.ndim == 1:
        lead = np.stack([-scores, scores])
    elif scores.shape[1] == len(classes):
        best = np.partition(scores, -2, axis=1)[:, -2:]
        other = np.where(scores == best[:, [1]], best[:, [0]], best[:, [1]])
        lead = (scores - other).T
    else:
        return ahead
    size = np.abs(lead).max() or 1.0
    return np.where(np.sign(lead) == ahead, lead, 1e-9 * size * ahead)
