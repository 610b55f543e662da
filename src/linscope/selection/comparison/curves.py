"""Learning curves: what more rows would bring.

Candidates are trained on a part of each outer fold's training rows, with the parameters that the
whole of them had chosen, and judged by the rows held out, as ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .findings import Curve
from .folds import Rows
from .judging import answers_of, judge
from .record import Record, score_of
from .search import alone, fitted

if TYPE_CHECKING:
    from .course import Course

PARTS = (0.1, 0.2, 0.4, 0.7)
LEAST_ROWS = 20


def learning_curves(course: Course, key: str, pairs: Any) -> tuple[Curve, ...]:
    """Of the recommended candidate, of the best one and of the reference."""
    best = pairs[0].a if pairs else key
    wanted = dict.fromkeys([key, best, "boosting"])
    records = [course.records[k] for k in wanted if k in course.records]
    return tuple(
        _curve(course, record)
        for record in records
        if record.state == "finished" and record.model.family != "baseline"
    )


def _curve(course: Course, record: Record) -> Curve:
    folds = course.folds.folds
    whole = record.folds(course.metric)
    assert whole is not None
    sizes = [size for size in _sizes(course) if size < course.plan.train]
    values = [[_score(course, record, fold, size) for fold in range(folds)] for size in sizes]
    kept = [(s, v) for s, v in zip(sizes, values, strict=True) if np.isfinite(v).all()]
    kept.append((course.plan.train, whole[:folds].tolist()))
    scores = [score_of(np.array(v), course.plan, course.metric) for _, v in kept]
    return Curve(
        record.key,
        tuple(size for size, _ in kept),
        tuple(score.mean for score in scores),
        tuple(score.low for score in scores),
        tuple(score.high for score in scores),
    )


def _sizes(course: Course) -> list[int]:
    least = max(LEAST_ROWS, 5 * len(course.question.classes))
    return [size for part in PARTS if (size := round(part * course.plan.train)) >= least]


def _score(course: Course, record: Record, fold: int, size: int) -> float:
    prepared = course.prepared[fold]
    training = prepared.training
    some = training.take(_part(training.rows, size, course.options.seed))
    if training.rows.codes is not None and len(np.unique(some.y)) < len(course.question.classes):
        return float("nan")
    setting = course.setting(prepared)._replace(rows=some.rows.n)
    parameters = record.found[fold].parameters if record.found else {}
    try:
        fit = fitted(record.model, setting, some.X, some.y, parameters)
    except (ValueError, ArithmeticError):  # too few rows for this model
        return float("nan")
    with alone(record.model, setting):
        answers = answers_of(fit, prepared.X, setting.task, course.metric)
    return judge(prepared.y, answers, setting.task, setting.classes)[course.metric]


def _part(rows: Rows, size: int, seed: int) -> np.ndarray:
    """So many rows: the last ones in time, else by chance, of every class its share."""
    if rows.order is not None:
        return np.sort(np.argsort(rows.order, kind="stable")[-size:])
    chance = np.random.default_rng(seed).random(rows.n)
    if rows.codes is not None:
        counts = np.bincount(rows.codes)
        place = np.empty(rows.n)
        for code, count in enumerate(counts):
            own = np.flatnonzero(rows.codes == code)
            place[own] = (np.argsort(np.argsort(chance[own])) + 0.5) / max(count, 1)
        chance = place
    return np.sort(np.argsort(chance, kind="stable")[:size])
