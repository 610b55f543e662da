"""Arrays for the figures of a report, from answers for held-out rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import beta, norm

from linscope.discriminants.estimators.fisher import FisherDiscriminant

from .final import FinalFit, thresholds
from .findings import Panels
from .judging import Answers, confusion
from .record import Record
from .search import core

if TYPE_CHECKING:
    from .course import Course

MOST_POINTS = 2_000
MOST_CURVE = 200
BINS = 10
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
    if classes == 2 and answers.scores is not None:
        found |= {"roc": _roc(y, answers.scores), "pr": _pr(y, answers.scores)}
        if answers.probabilities is not None:
            level = course.options.level
            found["calibration"] = _calibration(y, answers.probabilities[:, 1], level)
    return Panels(**found, decision=_decision(course, last))


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
        "fitted": _list(fitted[some]),
        "residual": _list(residual[some]),
        "quantile": _list(quantile[some]),
    }


def _some(n: int, seed: int) -> np.ndarray:
    if n <= MOST_POINTS:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, MOST_POINTS, replace=False))


def _ranked(y: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of true and false positives as the threshold falls, one for each distinct score."""
    order = np.argsort(-scores, kind="stable")
    last = np.r_[np.flatnonzero(np.diff(scores[order])), len(y) - 1]
    true = np.cumsum(y[order] == 1)[last]
    return true, last + 1 - true


def _roc(y: np.ndarray, scores: np.ndarray) -> dict[str, Any]:
    true, false = _ranked(y, scores)
    fpr, tpr = np.r_[0, false] / max(false[-1], 1), np.r_[0, true] / max(true[-1], 1)
    area = float(np.trapezoid(tpr, fpr))
    some = _thinned(len(fpr))
    return {"fpr": _list(fpr[some]), "tpr": _list(tpr[some]), "auc": area}


def _pr(y: np.ndarray, scores: np.ndarray) -> dict[str, Any]:
    true, false = _ranked(y, scores)
    precision, recall = true / (true + false), true / max(true[-1], 1)
    average = float((np.diff(np.r_[0.0, recall]) * precision).sum())
    some = _thinned(len(recall))
    return {"recall": _list(recall[some]), "precision": _list(precision[some]), "average": average}


def _thinned(length: int) -> np.ndarray:
    """Enough points of a curve to draw it."""
    return np.unique(np.linspace(0, length - 1, min(length, MOST_CURVE)).round().astype(int))


def _calibration(y: np.ndarray, p: np.ndarray, level: float) -> dict[str, Any]:
    """Rows in ten groups of equal size by their probability; Clopper–Pearson bands.

        low = Beta⁻¹(α/2; k, m − k + 1),   high = Beta⁻¹(1 − α/2; k + 1, m − k)

    for k positives among m rows.
    """
    groups = np.array_split(np.argsort(p, kind="stable"), BINS)
    groups = [group for group in groups if len(group)]
    m = np.array([len(group) for group in groups])
    k = np.array([int(y[group].sum()) for group in groups])
    tail = (1 - level) / 2
    low = np.where(k == 0, 0.0, beta.ppf(tail, k, m - k + 1))
    high = np.where(k == m, 1.0, beta.ppf(1 - tail, k + 1, m - k))
    return {
        "predicted": _list(np.array([p[group].mean() for group in groups])),
        "observed": _list(k / m),
        "low": _list(low),
        "high": _list(high),
        "count": tuple(m.tolist()),
    }


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
    return {"kind": "projection", "scores": _list(scores), "labels": labels}


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
        "points": tuple(map(_list, found)),
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
        "x": _list(x),
        "y": _list(y),
        "class": tuple(map(tuple, np.reshape(said, (GRID, GRID)).tolist())),
        "points": tuple(map(tuple, X[some].tolist())),
        "labels": tuple(course.target[some].tolist()),
        "names": tuple(question.names),
    }


def _list(values: np.ndarray) -> tuple[float, ...]:
    """Six digits are enough to draw."""
    return tuple(float(f"{value:.6g}") for value in values.tolist())
