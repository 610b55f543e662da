"""Weight space under the cursor: constraint lines, the solution region, the path of w.

Sample i asks for y_i w·x_i > 0, one side of a line in the plane of two weights. With three weights
the picture is the slice through the current bias, and says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.perceptron.figures.weight_space import solution_region
from linscope.reports.cells import number

from .course import Course
from .pictures import rounded, segments

# So many samples have a line of their own.
LINES = 24


def weight_view(course: Course) -> dict[str, Any]:
    """The view, or why there is none."""
    if course.weights is None:
        return {
            "why": "A kernel machine has no weights in the plane: its weights are in feature space."
        }
    if course.data.mode == "regression":
        return {"why": "A regression asks for no sides: see the loss surface."}
    if len(course.data.classes) != 2 or course.weights.shape[1] != 1:
        return {"why": "Several classes have several weight vectors: choose two classes."}
    d = course.data.points.shape[1]
    if d > 2:
        return {"why": f"{d + 1} weights do not fit into a plane."}
    W = course.weights[:, 0]
    pair = [0, 1] if d == 1 else [1, 2]
    rows = np.column_stack([np.ones(len(course.data.points)), course.data.points])
    rows *= (2.0 * course.data.codes - 1.0)[:, None]
    path = W[:, pair]
    box = _box(path)
    views, last = [], None
    for w in W:
        if last is None or not np.array_equal(last, w):
            views.append(_view(w, rows, pair, box, course))
        else:
            views.append(views[-1])
        last = w
    return {
        "names": [f"w{k}" for k in pair],
        "title": "Weight space" if d == 1 else "Weight space, slice through the current bias",
        "box": list(box),
        "path": rounded(path),
        "states": views,
    }


def _view(
    w: np.ndarray, rows: np.ndarray, pair: list[int], box: Any, course: Course
) -> dict[str, Any]:
    held = [k for k in range(len(w)) if k not in pair]
    constraints = np.column_stack([rows[:, held] @ w[held], rows[:, pair]])
    region = solution_region(constraints, box)
    codes = course.data.codes
    lines = [
        {"ends": rounded(ends), "sample": k, "code": int(codes[k])}
        for k, ends in enumerate(segments(box, constraints[:LINES]))
        if not np.isnan(ends).any()
    ]
    return {
        "at": rounded(w[pair]),
        "held": ", ".join(f"w{k} = {number(w[k])}" for k in held),
        "lines": lines,
        "region": rounded(region) if len(region) else [],
    }


def _box(path: np.ndarray) -> tuple[float, float, float, float]:
    """A square with the origin and the path well inside."""
    points = np.vstack([np.zeros((1, 2)), path])
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = (low + high) / 2, 0.68 * float((high - low).max()) or 1.0
    (x0, y0), (x1, y1) = (middle - half).tolist(), (middle + half).tolist()
    return x0, x1, y0, y1
