"""What a figure of predictions may be made from: an evaluation, several, a model, or arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .evaluate import evaluate
from .evaluation import NO_CURVES, Evaluation

# A curve of a million thresholds looks the same with points that differ by a thousandth.
STEPS = 1000


def read_evaluation(source: Any, data: tuple, *, arrays: str) -> Evaluation:
    """An evaluation as it is; of a fitted classifier on (X, y); or of two arrays.

    ``arrays`` says what the second of two arrays is: "y_pred" or "scores".
    """
    if isinstance(source, Evaluation):
        if data:
            raise ValueError("an Evaluation is all that is needed: leave out what follows it")
        return source
    if hasattr(source, "predict"):
        return evaluate(source, *data)
    if len(data) != 1:
        raise ValueError(
            f"pass an Evaluation, a fitted classifier with X and y, or y_true and {arrays}"
        )
    return evaluate(source, **{arrays: data[0]})


def read_evaluations(source: Any, data: tuple) -> list[tuple[str, Evaluation]]:
    """Named evaluations from a dict, or one without a name."""
    if not isinstance(source, dict):
        return [("", read_evaluation(source, data, arrays="scores"))]
    if not source:
        raise ValueError("the dict of evaluations is empty")
    return [(str(k), read_evaluation(v, data, arrays="scores")) for k, v in source.items()]


def positions(evaluation: Evaluation) -> list[int]:
    """The classes that have a curve of their own in a figure."""
    if evaluation.curves is None:
        raise ValueError(NO_CURVES + evaluation._advice)
    if evaluation.position is not None:
        return [evaluation.position]
    return list(range(len(evaluation.labels)))


def curve_names(evaluations: list[tuple[str, Evaluation]]) -> list[tuple[str, Evaluation, int]]:
    """Every curve of a figure: name, evaluation, class."""
    out = []
    for name, evaluation in evaluations:
        for k in positions(evaluation):
            label = "" if evaluation.position is not None else evaluation.names[k]
            out.append((" ".join(part for part in (name, label) if part), evaluation, k))
    return out


def thinned(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points of a curve that can be told apart on a page."""
    place = np.rint(np.column_stack([x, y]) * STEPS)
    moved = (np.diff(place, axis=0) != 0).any(axis=1)
    keep = np.r_[True, moved[:-1] | moved[1:], True] if len(x) > 2 else np.ones(len(x), dtype=bool)
    return x[keep], y[keep]
