"""Arrays for the figures of a report, from answers for held-out rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import norm

from linscope.discriminants.estimators.fisher import FisherDiscriminant

from ..findings import Panels
from ..scoring.fits import core
from ..scoring.judging import Answers, confusion
from ..scoring.record import Record
from .final import FinalFit, thresholds
from .ranking import against_rest, calibration, macro, precision_recall, roc, six_digits

if TYPE_CHECKING:
    from ..course import Course

MOST_POINTS = 2_000
GRID = 80


def panels(course: Course, record: Record, last: FinalFit) -> Panels:
    """All that the task has; predictions are those of the first repeat's folds."""
    rows, answers = _held_out(course, record)
    y = course.target[rows]
    if course.question.task == "number":
        return Panels(residuals=_residuals(course, y, answers.values))
    classes = len(course.question.classes)
    counts = confusion(y, answers.values, classes)
    found: dict[str, Any] = {"confusion": tuple(map(tuple, counts.tolist()))}
    if answers.scores is not None:
        found |= _rankings(course, y, answers)
    return Panels(**found, decision=_decision(course, last))


def _rankings(course: Course, y: np.ndarray, answers: Answers) -> dict[str, Any]:
    """The positive class of two, or each class against the rest."""
    labels, level = tuple(map(str, course.question.classes)), course.options.level
    assert answers.scores is not None
    if len(labels) > 2:
        found = against_rest(y, answers, labels, level)
        return {"against_rest": found, "macro": macro(found)}
    curves = {"roc": roc(y, answers.scores), "pr": precision_recall(y, answers.scores)}
    if answers.probabilities is not None:
        curves["calibration"] = calibration(y, answers.probabilities[:, 1], level)
    return curves


def _held_out(course: Course, record: Record) -> tuple[np.ndarray, Answers]:
    first = course.folds.splits[: course.folds.folds]
    parts = record.answers[: course.folds.folds]
    joined: list[Any] = [
        None if any(part is None for part in some) else np.concatenate(some)
        for some in zip(*parts, strict=True)
    ]
    return np.concatenate([split.test for split in first]), Answers(*joined)


def _residuals(course: Course, y: np.ndarray, fitted: np.ndarray) -> dict[str, Any]:
    """At most so many rows by chance, with the normal quantile of each residual's rank."""
    residual = y - fitted
    spread = residual.std() or 1.0
    quantile = norm.ppf((np.argsort(np.argsort(residual)) + 0.5) / len(y)) * spread
    some = _some(len(y), course.options.seed)
    return {
        "fitted": six_digits(fitted[some]),
        "residual": six_digits(residual[some]),
        "quantile": six_digits(quantile[some]),
    }


def _some(n: int, seed: int) -> np.ndarray:
    if n <= MOST_POINTS:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, MOST_POINTS, replace=False))


def _decision(course: Course, last: FinalFit) -> dict[str, Any]:
    """Of two numbers the regions; of two classes the rows along the weights; of more a plane."""
    question = course.question
    some = _some(len(course.target), course.options.seed)
    two = isinstance(question.X, np.ndarray) and question.X.shape[1] == 2
    if two and not question.categorical and not np.isnan(question.X).any():
        return _regions(course, last, some)
    own = core(last.inside.named_steps["model"])
    model = last.inside.named_steps["model"]
    if len(question.classes) > 2:
        return _plane(course, last, some)
    if not hasattr(model, "decision_function"):
        return {}
    scores = np.asarray(model.decision_function(last.X[some]), dtype=np.float64)
    scores = scores - thresholds(model)
    if str(own.classes_[1]) != str(question.classes[1]):
        scores = -scores
    labels = tuple(course.target[some].tolist())
    return {"kind": "projection", "scores": six_digits(scores), "labels": labels}


def _plane(course: Course, last: FinalFit, some: np.ndarray) -> dict[str, Any]:
    """The rows in the plane of Fisher's two best directions."""
    X = last.X
    if not isinstance(X, np.ndarray) or X.shape[1] < 2:
        return {}
    found = FisherDiscriminant(n_components=2).fit(X, course.target).transform(X[some])
    if found.shape[1] < 2:
        return {}
    return {
        "kind": "plane",
        "points": tuple(map(six_digits, found)),
        "labels": tuple(course.target[some].tolist()),
        "names": ("first discriminant", "second discriminant"),
    }


def _regions(course: Course, last: FinalFit, some: np.ndarray) -> dict[str, Any]:
    question = course.question
    X = question.X
    low, high = X.min(axis=0), X.max(axis=0)
    pad = 0.05 * np.where(high > low, high - low, 1.0)
    x, y = (np.linspace(low[j] - pad[j], high[j] + pad[j], GRID) for j in (0, 1))
    points = np.column_stack([part.ravel() for part in np.meshgrid(x, y)])
    place = {str(label): code for code, label in enumerate(question.classes)}
    said = [place[str(label)] for label in last.inside.predict(points)]
    return {
        "kind": "regions",
        "x": six_digits(x),
        "y": six_digits(y),
        "class": tuple(map(tuple, np.reshape(said, (GRID, GRID)).tolist())),
        "points": tuple(map(tuple, X[some].tolist())),
        "labels": tuple(course.target[some].tolist()),
        "names": tuple(question.names),
    }
