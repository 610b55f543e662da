"""Weight space under the cursor: constraint lines, the solution region, the path of w.

Sample i asks for y_i w·x_i > 0, one side of a line in the plane of two weights. With three weights
the picture is the slice through the current bias, and says so. The solution region is empty in
every slice exactly if no line separates the classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.display.geometry import solution_region
from linscope.reports.cells import number

from .course import Course
from .pictures import rounded, segments

# So many samples have a line of their own.
LINES = 24
CURVED = "A kernel machine has no weights in the plane: its weights are in feature space."


def weight_view(course: Course) -> dict[str, Any]:
    """The view of the states, or why there is none; its box has room for the whole run."""
    why = _why_not(course)
    if why:
        return {"why": why}
    d = course.data.points.shape[1]
    W = course.weights[:, 0]
    pair = [0, 1] if d == 1 else [1, 2]
    rows = np.column_stack([np.ones(len(course.data.points)), course.data.points])
    rows *= (2.0 * course.data.codes - 1.0)[:, None]
    whole = course.all_weights
    box = _box(whole[:, pair], _feet(whole, rows, pair))
    separable = _separable(course, course.overview.weights[-1], rows)
    views: list[Any] = []
    for k in range(len(W)):
        same = k > 0 and np.array_equal(W[k - 1], W[k])
        views.append(views[-1] if same else _view(W[k], rows, pair, box, separable))
    return {
        "names": [f"w{k}" for k in pair],
        "title": "Weight space" if d == 1 else "Weight space, slice through the current bias",
        "box": list(box),
        "pair": pair,
        "separable": separable,
        "more": max(0, len(rows) - LINES),
        "states": views,
    }


def _separable(course: Course, w: np.ndarray, rows: np.ndarray) -> bool:
    """Weights that get every sample right, beyond all rounding, are a proof; else it is asked."""
    if (rows @ w > 1e-15 * (np.abs(rows) @ np.abs(w))).all():
        return True
    from linscope.separation.question import separability
    from linscope.separation.verdicts import Separable

    return isinstance(separability(course.data.points, course.data.codes), Separable)


def _why_not(course: Course) -> str:
    d = course.data.points.shape[1]
    if course.weights is None:
        return CURVED
    if course.data.mode == "regression":
        return "A regression asks for no sides: see the loss surface."
    if len(course.data.classes) != 2 or course.weights.shape[1] != 1:
        return "Three classes have several weight vectors: choose two classes to see weight space."
    if d > 2:
        return f"{d + 1} weights do not fit into a plane."
    if not np.isfinite(course.all_weights).all():
        return "The weights have left every picture: η is too large."
    return ""


def _view(
    w: np.ndarray, rows: np.ndarray, pair: list[int], box: Any, separable: bool
) -> dict[str, Any]:
    held = [k for k in range(len(w)) if k not in pair]
    constraints = np.column_stack([rows[:, held] @ w[held], rows[:, pair]])
    region: Any = solution_region(constraints, box) if separable else []
    ends = segments(box, constraints[:LINES])
    seen = np.flatnonzero(~np.isnan(ends).any(axis=(1, 2)))
    return {
        "at": rounded(w[pair]),
        "held": ", ".join(f"w{k} = {number(w[k])}" for k in held),
        "lines": rounded(ends[seen]),
        "samples": seen.tolist(),
        "region": rounded(region) if len(region) else [],
    }


def _feet(W: np.ndarray, rows: np.ndarray, pair: list[int]) -> np.ndarray:
    """Where the lines are nearest to the origin, for the least and the largest bias."""
    held = [k for k in range(W.shape[1]) if k not in pair]
    if not held:
        return np.zeros((0, 2))
    normals = rows[:LINES, pair]
    lengths = np.sum(normals**2, axis=1)
    normals, biases = normals[lengths > 0], rows[:LINES, held][lengths > 0]
    each = -normals * biases / lengths[lengths > 0][:, None]
    return np.vstack([bias * each for bias in (W[:, held].min(), W[:, held].max())])


def _box(path: np.ndarray, feet: np.ndarray) -> tuple[float, float, float, float]:
    """A square with the origin, the path and near lines well inside."""
    points = np.vstack([np.zeros((1, 2)), path])
    reach = float(np.ptp(points, axis=0).max())
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    near = feet[np.abs(feet - middle).max(axis=1, initial=0.0) <= 1.6 * reach]
    points = np.vstack([points, near])
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = (low + high) / 2, 0.68 * float((high - low).max()) or 1.0
    (x0, y0), (x1, y1) = (middle - half).tolist(), (middle + half).tolist()
    return x0, x1, y0, y1
