"""From a spec to a run: every state with its picture, its sentence and its formula.

What the page shows is all here; it draws ``states[k]`` and computes nothing.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import linscope as ls
from linscope.display.geometry import Box, box_around, square, widened
from linscope.reports.cells import text, vector
from linscope.tracing.derivation import Derivation

from . import python_code
from .bound_view import bound_view
from .course import Course, read_course
from .derived import derived
from .drawn import Drawn
from .limits import ROWS
from .loss_view import loss_view
from .spec import Data, Spec
from .weight_view import weight_view
from .words import before_the_first, words_of

VERSION = 1


def fit(spec: Spec) -> dict[str, Any]:
    """The run of a spec; a brief one has only its last state, for a picture while points move."""
    model = spec.algorithm.estimator(spec.params)
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", ConvergenceWarning)
        trace: Any = ls.trace(
            model, spec.data.points, spec.data.labels, exact=spec.exact, criterion=False,
            sample_names=spec.data.names,
        )  # fmt: skip
    for each in said:
        if issubclass(each.category, ConvergenceWarning):
            notes.append(str(each.message))
    trace.feature_names = spec.data.features
    box = picture_box(spec.data)
    parts = derived(trace, spec, box) if isinstance(trace, Derivation) else None
    if parts is None:
        parts = _stepped(trace, spec, box)
    certificate = trace.estimator.certificate_
    return {
        "version": VERSION,
        "spec": spec.document(),
        "title": _title(spec),
        "mode": spec.data.mode,
        "classes": spec.data.classes,
        "features": _axes(spec.data),
        "box": list(box),
        "points": point_documents(spec.data),
        **parts,
        "answer": [list(pair) for pair in trace.answer],
        "certificate": {
            "ok": bool(certificate.ok),
            "status": certificate.status.name,
            "text": certificate.text,
        },
        "notes": notes,
        "python": python_code.of(spec),
    }


def _title(spec: Spec) -> str:
    group, title = spec.algorithm.group, spec.algorithm.title
    return title if group.lower() in title.lower() else f"{group}: {title}"


def picture_box(data: Data) -> Box:
    """The window of the picture: all points with room around them."""
    box = box_around(places(data), 0.18)
    return widened(box, 1.0) if data.mode == "classes" and square(box) else box


def places(data: Data) -> np.ndarray:
    """Where points stand: two features; one feature and y; one feature alone on a line."""
    if data.mode == "regression":
        return np.column_stack([data.points[:, 0], data.labels])
    if data.points.shape[1] == 1:
        return np.column_stack([data.points[:, 0], np.zeros(len(data.points))])
    return data.points[:, :2]


def _axes(data: Data) -> list[str]:
    if data.mode == "regression":
        return [data.features[0], "y"]
    return [*data.features, ""][:2] if len(data.features) < 3 else ["distance from w·x = 0", ""]


def point_documents(data: Data) -> list[dict[str, Any]]:
    codes = data.codes.tolist() if data.mode == "classes" else [None] * len(data.points)
    names: list[str | None] = [*data.names] if data.names else [None] * len(data.points)
    return [
        {"u": u, "v": v, "code": code, "name": name}
        for (u, v), code, name in zip(places(data).tolist(), codes, names, strict=True)
    ]


def _stepped(trace: Any, spec: Spec, box: Box) -> dict[str, Any]:
    """The parts of a run that took steps."""
    brief = spec.brief
    start = 10**9 if brief else spec.start
    course = read_course(trace, spec.data, start, 1 if brief else ROWS)
    drawn = Drawn(course, box, spec.algorithm.group, spec.params.get("C", np.inf))
    states = [_state(course, drawn, k) for k in range(len(course.measures))]
    shown = {"start": course.first + 1, "stop": course.first + max(len(course.steps), 1)}
    return {
        "box": list(drawn.box),
        "start": course.first + 1,
        "total": course.total,
        "ledger": _ledger(trace, course),
        "states": states,
        "curves": _curves(course),
        "weights": {"why": ""} if brief else weight_view(course),
        "loss": {"why": ""} if brief else loss_view(course, spec),
        "bound": {"why": ""} if brief else bound_view(course),
        "exports": {} if brief else _exports(trace, shown),
    }


def _exports(trace: Any, shown: dict[str, int]) -> dict[str, str]:
    if len(trace._replays) > 1:  # the first rows of each problem
        shown = {"start": 1, "stop": ROWS}
    return {
        "csv": trace.to_csv(**shown),
        "markdown": trace.to_markdown(**shown, max_rows=None),
        "latex": trace.to_latex(**shown, max_rows=None),
    }


def _state(course: Course, drawn: Drawn, k: int) -> dict[str, Any]:
    """State k: before the first row that is sent, or after row k of them."""
    model = course.trace.estimator
    weights = None if course.weights is None else course.weights[k]
    if k == 0:
        step, say = None, before_the_first(model, weights)
        formula: list[str] = []
        if course.first:
            say = f"After {course.first:,} steps."
    else:
        step = course.steps[k - 1]
        say, formula = words_of(step, model)
    return {
        "sample": _visited(step),
        "batch": _pair(step),
        "epoch": getattr(step, "epoch", None),
        "update": bool(step is not None and step.update),
        "say": say,
        "formula": formula,
        "w": None if weights is None else weights.tolist(),
        "wtext": None if weights is None else [text(vector(w)) for w in weights],
        **drawn.state(k),
    }


def _visited(step: Any) -> int | None:
    sample = getattr(step, "sample", None)
    return None if sample is None else int(sample)


def _pair(step: Any) -> list[int] | None:
    return [int(step.i), int(step.j)] if hasattr(step, "alpha_j") else None


def _ledger(trace: Any, course: Course) -> dict[str, Any]:
    """The rows of the lecture slides' table, as text."""
    together = course.sides is None and course.data.mode == "classes"
    head = trace._table(start=1, stop=1, problem=0 if together else None, max_rows=1)
    rows, begin = [], 0
    for replay in trace._pick(0) if together else trace._replays:
        first = max(course.first - begin, 0)
        last = min(course.first + len(course.steps) - begin, replay.n_steps)
        if first < last:
            rows += trace._rows(replay, np.arange(first, last), None, head.columns, False)
        begin += replay.n_steps
    return {
        "columns": [{"title": each.header, "right": bool(each.right)} for each in head.columns],
        "rows": [head.texts(row) for row in rows],
        "marks": [bool(row.update) for row in rows],
    }


def _curves(course: Course) -> list[dict[str, Any]]:
    names = list(course.measures[0])
    return [
        {"name": name, "values": [_finite(each.get(name, np.nan)) for each in course.measures]}
        for name in names
    ]


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
