"""From a spec to a run: every state with its picture, its sentence and its formula.

What the page shows is all here; it draws ``states[k]`` and computes nothing.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import linscope as ls
from linscope.display.geometry import Box
from linscope.reports.cells import text, vector
from linscope.tracing.derivation import Derivation

from . import python_code
from .algorithms import MACHINES, OTHERS
from .limits import ROWS
from .spec import Spec
from .views.bound_view import bound_view
from .views.course import Course, read_course
from .views.derived import derived
from .views.drawn import Drawn
from .views.loss_view import SEVERAL, loss_view
from .views.stage import about_picture, axes, picture_box, point_documents
from .views.weight_view import CURVED, weight_view
from .views.words import before_the_first, words_of_step

VERSION = 1


def fit(spec: Spec) -> dict[str, Any]:
    """The run of a spec; a brief one has only one state and one view."""
    trace, notes = _traced(spec)
    box = picture_box(spec.data)
    parts = derived(trace, spec, box) if isinstance(trace, Derivation) else None
    if parts is None:
        parts = _stepped(trace, spec, box)
    certificate = trace.estimator.certificate_
    curved = spec.algorithm.kernel and spec.params["kernel"] != "linear"
    away = "score" if curved else "distance from w·x = 0"
    return {
        "version": VERSION,
        "spec": spec.document(),
        "title": _title(spec),
        "mode": spec.data.mode,
        "classes": spec.data.classes,
        "features": axes(spec.data, away),
        "picture": about_picture(spec.data, away),
        "box": list(box),
        "points": point_documents(spec.data),
        **parts,
        "answer": [list(pair) for pair in trace.answer],
        "certificate": {
            "ok": bool(certificate.ok),
            "status": certificate.status.name,
            "text": certificate.text,
            "about": certificate.facts().get("about", ""),
        },
        "notes": notes,
        "python": python_code.of(spec),
    }


def _traced(spec: Spec) -> tuple[Any, list[str]]:
    """The trace, and what the estimator warned of."""
    model = spec.algorithm.estimator(spec.params)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", ConvergenceWarning)
        trace: Any = ls.trace(
            model, spec.data.points, spec.data.labels, exact=spec.exact, criterion=False,
            sample_names=spec.data.names,
        )  # fmt: skip
    trace.feature_names = spec.data.features
    notes = [str(each.message) for each in said if issubclass(each.category, ConvergenceWarning)]
    return trace, notes


def exports(spec: Spec) -> dict[str, str]:
    """The ledger as the page shows it, to take away."""
    trace, _ = _traced(spec)
    rows: dict[str, Any] = {}
    if not isinstance(trace, Derivation):
        several = len(trace._replays) > 1  # the first rows of each problem
        start = 1 if several else min(spec.start, max(trace._first.n_steps, 1))
        rows = {"start": start, "stop": start + ROWS - 1}
    return {
        "csv": trace.to_csv(**rows),
        "markdown": trace.to_markdown(**rows, max_rows=None),
        "latex": trace.to_latex(**rows, max_rows=None),
    }


def _title(spec: Spec) -> str:
    group, title = spec.algorithm.group, spec.algorithm.title
    named = group in (OTHERS, MACHINES) or group.lower() in title.lower()
    return title if named else f"{group}: {title}"


def _stepped(trace: Any, spec: Spec, box: Box) -> dict[str, Any]:
    """The parts of a run that took steps."""
    brief = spec.brief
    measured = brief is None or brief.view == "curves"
    course = read_course(trace, spec.data, spec.start, ROWS, measured)
    drawn = Drawn(course, box, spec.algorithm.group, spec.params.get("C", np.inf))
    many = len(course.measures)
    wanted = range(many)
    if brief is not None:  # the state under the cursor, and the one before it
        at = many - 1 if brief.at is None else min(brief.at, many - 1)
        wanted = range(max(at - 1, 0), at + 1)
    rows = range(max(wanted.start - 1, 0), min(max(wanted.stop - 1, 1), len(course.rows)))
    steps = dict(zip(rows, course.steps(rows), strict=True))
    views = {
        "weights": partial(weight_view, course, wanted),
        "loss": partial(_loss, course, spec),
        "bound": partial(bound_view, course),
    }
    return {
        "box": list(drawn.box),
        "brief": brief is not None,
        "start": course.first + 1,
        "total": course.total,
        "ledger": _ledger(trace, course) if brief is None else None,
        "states": [_state(course, drawn, k, steps) if k in wanted else None for k in range(many)],
        "curves": _curves(course) if measured else None,
        **{
            name: view() if brief is None or brief.view == name else None
            for name, view in views.items()
        },
    }


def _loss(course: Course, spec: Spec) -> dict[str, Any]:
    if course.weights is None:
        return {"why": CURVED}
    if course.weights.shape[1] != 1:
        return {"why": SEVERAL}
    return loss_view(course.weights[:, 0], course.data, spec)


def _state(course: Course, drawn: Drawn, k: int, steps: dict[int, Any]) -> dict[str, Any]:
    """State k: before the first row that is sent, or after row k of them."""
    model = course.trace.estimator
    weights = None if course.weights is None else course.weights[k]
    shown = _as_they_are(course, k, weights, steps)
    if k == 0:
        step, say = None, before_the_first(model, shown)
        formula: list[str] = []
        if course.first:
            say = f"After {course.first:,} steps."
    else:
        step = steps[k - 1]
        say, formula = words_of_step(step, model)
        if course.first + k == course.total:
            say += f" The run ends: {model.certificate_.text}."
    return {
        "sample": _visited(step),
        "batch": _pair(step),
        "epoch": getattr(step, "epoch", None),
        "update": bool(step is not None and step.update),
        "say": say,
        "formula": formula,
        "w": None if weights is None else weights.tolist(),
        "wtext": None if weights is None else [text(vector(w)) for w in shown],
        **drawn.state(k),
    }


def _as_they_are(course: Course, k: int, weights: Any, steps: dict[int, Any]) -> Any:
    """The weights of state k; those of the ledger where it has fractions."""
    if weights is None or len(weights) != 1 or not course.trace.exact or not course.rows:
        return weights
    ledger = steps[k - 1].after if k else steps[0].before
    return [ledger] if len(ledger) == len(weights[0]) else weights


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
        last = min(course.first + len(course.rows) - begin, replay.n_steps)
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
