"""The loss over two weights, in bands, with the path of the weights on it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import contourpy
import numpy as np

from linscope.display.inputs import Samples
from linscope.perceptron.figures.loss_surface import surface_box
from linscope.perceptron.figures.surfaces import SURFACES, lowest_of
from linscope.perceptron.figures.weight_plane import read_plane
from linscope.reports.cells import number

from .course import Course
from .pictures import rings, rounded
from .spec import Spec

GRID, BANDS = 64, 12
TITLES = {
    "perceptron": "perceptron criterion J_p",
    "mistakes": "number of mistakes",
    "logistic": "log loss",
    "squared": "squared loss",
    "hinge": "hinge loss",
}


def loss_view(course: Course, spec: Spec) -> dict[str, Any]:
    """The view, or why there is none."""
    data = course.data
    if course.weights is None:
        return {"why": "A kernel machine has no weights in the plane."}
    if data.mode == "classes" and (len(data.classes) != 2 or course.weights.shape[1] != 1):
        return {"why": "Several classes have several weight vectors: choose two classes."}
    if data.points.shape[1] > 2:
        return {"why": f"{data.points.shape[1] + 1} weights do not fit into a plane."}
    names = ["squared"] if data.mode == "regression" else list(TITLES)
    name = spec.loss if spec.loss in names else spec.algorithm.loss or names[0]
    W = course.weights[:, 0]
    if not np.isfinite(W).all() or np.abs(W).max() > 1e12:
        return {"why": "The weights have left every picture: η is too large."}
    return _view(W, data, name) | {
        "choices": [{"id": each, "title": TITLES[each]} for each in names]
    }


def _view(W: np.ndarray, data: Any, name: str) -> dict[str, Any]:
    codes = np.zeros(len(data.points), np.int64) if data.mode == "regression" else data.codes
    targets = data.labels if data.mode == "regression" else 2.0 * codes - 1.0
    samples = Samples(data.points, codes, np.unique(codes), [])
    plane = read_plane(samples, W, None, True, name="path")
    surface = SURFACES[name]
    lowest = lowest_of(surface, plane, targets)
    box = surface_box(plane, lowest)
    u, v = np.linspace(*box[:2], GRID), np.linspace(*box[2:], GRID)
    grid = np.tile(plane.current, (GRID, GRID, 1))
    grid[..., plane.pair[0]], grid[..., plane.pair[1]] = u[None, :], v[:, None]
    values = np.asarray(surface.compute(grid, samples.augmented, targets), dtype=np.float64)
    at = W[:, list(plane.pair)]
    return {
        "name": name,
        "title": surface.message,
        "names": [f"w{k}" for k in plane.pair],
        "held": ", ".join(f"w{k} = {number(plane.current[k])}" for k in plane.rest),
        "box": list(box),
        "bands": _bands(u, v, values, surface.steps),
        "path": rounded(at),
        "lowest": rounded(lowest.end) if lowest is not None and lowest.found else None,
    }


def _bands(u: np.ndarray, v: np.ndarray, values: np.ndarray, steps: bool) -> list[dict[str, Any]]:
    """Bands of equal area more or less, so that a steep bowl shows its floor as well."""
    if steps:
        levels = np.arange(values.min(), values.max() + 2) - 0.5
    else:
        levels = np.unique(np.quantile(values, np.linspace(0, 1, BANDS + 1)))
        levels[-1] = np.nextafter(values.max(), np.inf)
    contours = contourpy.contour_generator(u, v, values, fill_type="OuterCode")
    bands: list[dict[str, Any]] = []
    for low, high in pairwise(levels.tolist()):
        bands.append({"from": low, "to": high, "polygons": rings(contours, low, high)})
    return bands
