"""Learning curves: what more rows would bring.

Candidates are trained on a part of each outer fold's training rows, with the parameters that the
whole of them had chosen, and judged by the rows held out, as ever.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .findings import Curve
from .scoring.record import Record, score_of
from .scoring.tasks import PartOfFold
from .sharing.crew import Do

if TYPE_CHECKING:
    from .course import Course

PARTS = (0.1, 0.2, 0.4, 0.7)
LEAST_ROWS = 20
# Model, fold, rows to learn from.
PlaceOfScore: TypeAlias = tuple[str, int, int]


def learning_curves(course: Course, key: str, pairs: Any) -> tuple[Curve, ...]:
    """Of the recommended candidate, of the best one and of the reference."""
    best = pairs[0].a if pairs else key
    wanted = dict.fromkeys([key, best, "boosting"])
    records = [
        record
        for record in (course.records[k] for k in wanted if k in course.records)
        if record.state == "finished" and record.model.family != "baseline"
    ]
    scores: dict[PlaceOfScore, float] = {}

    def score(task: PartOfFold, do: Do) -> None:
        scores[task.key, task.number, task.size] = do(task)

    tasks = [task for record in records for task in _tasks(course, record)]
    course.crew.share([partial(score, task) for task in tasks])
    return tuple(_curve(course, record, scores) for record in records)


def _tasks(course: Course, record: Record) -> list[PartOfFold]:
    parameters = [one.parameters for one in record.found] or [{}] * course.folds.folds
    return [
        PartOfFold(record.key, fold, size, parameters[fold])
        for size in _sizes(course)
        for fold in range(course.folds.folds)
    ]


def _curve(course: Course, record: Record, scores: dict[PlaceOfScore, float]) -> Curve:
    folds = course.folds.folds
    whole = record.folds(course.metric)
    assert whole is not None
    sizes = _sizes(course)
    values = [[scores[record.key, fold, size] for fold in range(folds)] for size in sizes]
    kept = [(s, v) for s, v in zip(sizes, values, strict=True) if np.isfinite(v).all()]
    kept.append((course.plan.train, whole[:folds].tolist()))
    means = [score_of(np.array(v), course.plan, course.metric) for _, v in kept]
    return Curve(
        record.key,
        tuple(size for size, _ in kept),
        tuple(score.mean for score in means),
        tuple(score.low for score in means),
        tuple(score.high for score in means),
    )


def _sizes(course: Course) -> list[int]:
    least = max(LEAST_ROWS, 5 * len(course.question.classes))
    sizes = [round(part * course.plan.train) for part in PARTS]
    return [size for size in sizes if least <= size < course.plan.train]
