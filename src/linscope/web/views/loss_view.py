"""The loss over two weights, in bands, with the path of the weights on it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import contourpy
import numpy as np

from linscope.display.geometry import Box
from linscope.display.inputs import Samples
from linscope.perceptron.figures.held_weights import WeightPlane, choose_weights
from linscope.perceptron.figures.surfaces import SURFACES, lowest_of, surface_box
from linscope.reports.cells import number

from ..spec import Data, Spec
from .arrangement import cells_by_count
from .pictures import rings, rounded

GRID, BANDS = 48, 12
# Of so many samples the flat pieces of a count are worked out exactly, not on a grid.
FLAT_PIECES = 40
TITLES = {
    "perceptron": "perceptron criterion J_p",
    "mistakes": "number of mistakes",
    "logistic": "log loss",
    "squared": "squared loss",
    "hinge": "hinge loss",
}
SEVERAL = "Three classes have several weight vectors: choose two classes to see the loss."


def loss_view(W: np.ndarray, data: Data, spec: Spec) -> dict[str, Any]:
    """The view of weights (states, d + 1), or why there is none."""
    if data.mode == "classes" and len(data.classes) != 2:
        return {"why": SEVERAL}
    if data.points.shape[1] > 2:
        return {"why": f"{data.points.shape[1] + 1} weights do not fit into a plane."}
    if not np.isfinite(W).all() or np.abs(W).max() > 1e12:
        return {"why": "The weights have left every picture: η is too large."}
    names = ["squared"] if data.mode == "regression" else list(TITLES)
    name = spec.loss if spec.loss in names else spec.algorithm.loss or names[0]
    return _view(W, data, name) | {
        "choices": [{"id": each, "title": TITLES[each]} for each in names]
    }


def _view(W: np.ndarray, data: Data, name: str) -> dict[str, Any]:
    codes = np.zeros(len(data.points), np.int64) if data.mode == "regression" else data.codes
    targets = data.labels if data.mode == "regression" else 2.0 * codes - 1.0
    samples = Samples(data.points, codes, np.unique(codes), [])
    pair = choose_weights(samples, None, True)
    rest = [k for k in range(W.shape[1]) if k not in pair]
    plane = WeightPlane(samples, pair, rest, W[-1], W[:, list(pair)], True)
    surface = SURFACES[name]
    lowest = lowest_of(surface, plane, targets)
    box = surface_box(plane, lowest)
    if surface.steps and len(targets) <= FLAT_PIECES:
        bands = _flat_bands(plane, targets, box)
    else:
        bands = _bands(surface, plane, targets, box)
    return {
        "name": name,
        "title": surface.message,
        "names": [f"w{k}" for k in plane.pair],
        "held": ", ".join(f"w{k} = {number(plane.current[k])}" for k in plane.rest),
        "box": list(box),
        "bands": bands,
        "pair": list(plane.pair),
        "lowest": rounded(lowest.end) if lowest is not None and lowest.found else None,
    }


def _bands(surface: Any, plane: WeightPlane, y: np.ndarray, box: Box) -> list[dict[str, Any]]:
    """Bands of equal area more or less, so that a steep bowl shows its floor as well."""
    u, v = np.linspace(*box[:2], GRID), np.linspace(*box[2:], GRID)
    grid = np.tile(plane.current, (GRID, GRID, 1))
    grid[..., plane.pair[0]], grid[..., plane.pair[1]] = u[None, :], v[:, None]
    values = np.asarray(surface.compute(grid, plane.samples.augmented, y), dtype=np.float64)
    if surface.steps:
        levels = np.arange(values.min(), values.max() + 2) - 0.5
    else:
        levels = np.unique(np.quantile(values, np.linspace(0, 1, BANDS + 1)))
        levels[-1] = np.nextafter(values.max(), np.inf)
    contours = contourpy.contour_generator(u, v, values, fill_type="OuterCode")
    half = 0.5 if surface.steps else 0.0
    return [
        {"from": low + half, "to": high - half, "polygons": rings(contours, low, high)}
        for low, high in pairwise(levels.tolist())
    ]


def _flat_bands(plane: WeightPlane, y: np.ndarray, box: Box) -> list[dict[str, Any]]:
    """One band for each number of mistakes, with straight borders."""
    rows = y[:, None] * plane.samples.augmented
    held = rows[:, plane.rest] @ plane.current[plane.rest]
    found = cells_by_count(np.column_stack([held, rows[:, list(plane.pair)]]), box)
    return [
        {"from": count, "to": count, "polygons": [rounded(cell) for cell in cells]}
        for count, cells in sorted(found.items())
    ]
