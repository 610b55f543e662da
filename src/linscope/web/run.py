"""From a spec to a run: every state with its picture, its sentence and its formula.

What the page shows is all here; it draws states and computes nothing. A run of many steps is sent
in windows: its rows ``start`` … and the states before and after each, beside what is known of the
whole run. The page asks for other windows as its cursor moves.
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
from .spec import Brief, Spec
from .views.bound_view import bound_view
from .views.course import Course, Overview, read_course, updates_before
from .views.derived import derived
from .views.drawn import Drawn
from .views.loss_view import SEVERAL, loss_view
from .views.pictures import rounded
from .views.stage import about_picture, axes, picture_box, point_documents
from .views.weight_view import CURVED, weight_view
from .views.words import before_the_first, now, words_of_step

VERSION = 1
# A row beyond every end.
LAST = 10**9
# What a perceptron answers with, where these are not the weights after the last step.
ANSWERS = {
    "averaged": " The answer is the mean of all weights on the way, not those shown.",
    "voted": " The answer is the vote of all weights on the way, not those shown.",
    "pocket": " The answer is the best of all weights on the way, which may not be those shown.",
}


def fit(spec: Spec) -> dict[str, Any]:
    """The run of a spec; a brief one has two states and one view, a window rows and states only."""
    trace, notes = _traced(spec)
    box = picture_box(spec.data)
    if spec.window and not isinstance(trace, Derivation):
        return {"version": VERSION, "window": True, **_stepped(trace, spec, box)}
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
    brief, start, most = spec.brief, spec.start, ROWS
    if brief is not None:  # the state under the cursor, and the one before it
        start, most = LAST if brief.at is None else max(1, start - 1 + brief.at), 1
    measured = brief is None or brief.view == "curves"
    course = read_course(trace, spec.data, start, most, measured)
    drawn = Drawn(course, box, spec.algorithm.group, spec.params.get("C", np.inf))
    steps = course.steps(range(len(course.rows)))
    weights = partial(weight_view, course)
    rows = {
        "start": course.first + 1,
        "total": course.total,
        "ledger": _ledger(trace, course) if brief is None else None,
        "states": [_state(course, drawn, k, steps) for k in range(len(course.measures))],
        "curves": _curves(course.measures) if brief is None else None,
    }
    if spec.window:
        return {**rows, "weights": {"states": weights().get("states")}}
    views = {
        "weights": weights,
        "loss": partial(_loss, course, spec),
        "bound": partial(bound_view, course),
    }
    return {
        "box": list(drawn.box),
        "brief": brief is not None,
        **rows,
        "overview": _overview(course.overview, measured, brief),
        **{
            name: view() if brief is None or brief.view == name else None
            for name, view in views.items()
        },
    }


def _overview(overview: Overview, measured: bool, brief: Brief | None) -> dict[str, Any]:
    shown = brief is None or brief.view in ("weights", "loss")
    return {
        "steps": overview.steps.tolist(),
        "w": rounded(overview.weights) if shown and overview.weights is not None else None,
        "curves": _curves(overview.measures) if measured else None,
    }


def _loss(course: Course, spec: Spec) -> dict[str, Any]:
    if course.weights is None:
        return {"why": CURVED}
    if course.weights.shape[1] != 1:
        return {"why": SEVERAL}
    return loss_view(course.all_weights, course.data, spec)


def _state(course: Course, drawn: Drawn, k: int, steps: list[Any]) -> dict[str, Any]:
    """State k: before the first row that is sent, or after row k of them."""
    model, picture = course.trace.estimator, drawn.state(k)
    weights = None if course.weights is None else course.weights[k]
    shown = _as_they_are(course, k, weights, steps)
    step = steps[k - 1] if k else None
    formula: list[str] = []
    if step is not None:
        say, formula = words_of_step(step, model)
        say += now(course.data, picture, course.measures[k])
        if course.first + k == course.total:
            say += f" The run ends. {_capital(model.certificate_.text)}."
            say += ANSWERS.get(getattr(model, "output", "last"), "")
    elif course.first:
        say = f"After {course.first:,} steps.{now(course.data, picture, course.measures[k])}"
    else:
        say = before_the_first(model, shown)
    first = course.trace._first
    return {
        "sample": _visited(step),
        "batch": _pair(step),
        "epoch": getattr(step, "epoch", None),
        "update": bool(step is not None and step.update),
        "updates": int(updates_before(first, np.array([course.first + k]))[0]),
        "say": say,
        "formula": formula,
        "w": None if weights is None else weights.tolist(),
        "wtext": None if weights is None else [text(vector(w)) for w in shown],
        **picture,
    }


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _as_they_are(course: Course, k: int, weights: Any, steps: list[Any]) -> Any:
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


def _curves(measures: list[dict[str, float]]) -> list[dict[str, Any]]:
    return [
        {"name": name, "values": [_finite(each.get(name, np.nan)) for each in measures]}
        for name in measures[0]
    ]


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
