"""The convergence proof for the points on screen: k·γ ≤ w·w_opt ≤ ‖w‖ ≤ √k·R, so k ≤ R²/γ²."""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.perceptron.estimators.perceptron import Perceptron
from linscope.perceptron.figures.proof import proof

from .course import Course

# Points of a curve, and updates that are shown.
CURVE, DOTS = 80, 150


def bound_view(course: Course) -> dict[str, Any]:
    """The view, or why the bound does not hold here."""
    data, trace = course.data, course.trace
    if not isinstance(trace.estimator, Perceptron):
        return {"why": "The bound R²/γ² is the perceptron's."}
    if len(data.classes) != 2:
        return {"why": "The bound is for two classes."}
    try:
        found = proof(trace.path(), trace.estimator, data.points, data.labels)
    except ValueError as error:
        return {"why": _capital(str(error).split(": see linscope")[0]) + "."}
    k = np.linspace(0, 1.1 * max(found.bound, float(found.k[-1])), CURVE)
    some = np.unique(np.linspace(0, len(found.k) - 1, DOTS).round().astype(int))
    return {
        "R": found.radius,
        "gamma": found.gamma,
        "bound": found.bound,
        "k": k.tolist(),
        "lower": (k * found.gamma).tolist(),
        "upper": (np.sqrt(k) * found.radius).tolist(),
        "some": found.k[some].tolist(),
        "progress": found.progress[some].tolist(),
        "length": found.length[some].tolist(),
    }


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
