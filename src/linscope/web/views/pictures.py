"""Lines, margins and regions in the plane of two features, cut to the box of the picture.

A linear score is c + a·u + b·v; a line is where it is 0. Everything is worked out for all states of
a run at once.
"""

from __future__ import annotations

from typing import Any

import contourpy
import numpy as np

from linscope.display.geometry import Box

from .arrangement import split, whole

# Of a curved boundary the grid has so many points on each side.
GRID = 48


DIGITS = 5


def rounded(values: Any) -> Any:
    """Coordinates with as many digits as a picture shows, in lists."""
    values = np.asarray(values, dtype=np.float64)
    size = np.abs(values)
    known = (size > 0) & np.isfinite(size)
    power = np.floor(np.log10(size, where=known, out=np.zeros(values.shape)))
    shift = np.clip(DIGITS - 1 - power, -300, 300)
    # whole powers of ten only, so that few digits remain
    up, down = 10.0 ** np.maximum(shift, 0), 10.0 ** np.maximum(-shift, 0)
    return np.where(known, np.round(values * up / down) * down / up, values).tolist()


def segments(box: Box, lines: np.ndarray) -> np.ndarray:
    """The ends in the box of each line (c, a, b), (m, 2, 2); NaN where one misses the box."""
    x0, x1, y0, y1 = box
    size, low = np.array([x1 - x0, y1 - y0]), np.array([x0, y0])
    c, normal = lines[:, 0] + lines[:, 1:] @ low, lines[:, 1:] * size
    with np.errstate(all="ignore"):  # a line without direction has no ends
        length = np.linalg.norm(normal, axis=1)
        c, normal = c / length, normal / length[:, None]
        start = -c[:, None] * normal
        along = np.column_stack([-normal[:, 1], normal[:, 0]])
        first, last = (0 - start) / along, (1 - start) / along
        flat = np.abs(along) < 1e-15
        inside = (start >= 0) & (start <= 1)
        nearer = np.where(flat, np.where(inside, -np.inf, np.inf), np.minimum(first, last))
        farther = np.where(flat, np.where(inside, np.inf, -np.inf), np.maximum(first, last))
        t0, t1 = nearer.max(axis=1), farther.min(axis=1)
        ends = start[:, None] + np.stack([t0, t1], axis=1)[..., None] * along[:, None]
    ends[~(t0 < t1)] = np.nan
    return ends * size + low


def line(ends: np.ndarray, kind: str, label: str | None = None) -> dict[str, Any]:
    return {"ends": rounded(ends), "kind": kind, "label": label}


def fitted_line(w: np.ndarray, x: np.ndarray, y: np.ndarray, box: Box) -> dict[str, Any]:
    """The line w0 + w1·x, its value at each point, and what is left of y."""
    ends = segments(box, np.array([[w[0], w[1], -1.0]]))
    fitted = w[0] + w[1] * x
    return {
        "lines": [] if np.isnan(ends).any() else [line(ends[0], "fit")],
        "fitted": fitted.tolist(),
        "residuals": rounded(y - fitted),
    }


def halves(box: Box, plane: np.ndarray) -> list[dict[str, Any]]:
    """The regions of two classes whose border is a line: above 0 is class 1."""
    above, below = split(whole(box), plane.tolist())
    return [
        {"code": code, "polygons": [rounded(part)]}
        for code, part in ((0, below), (1, above))
        if len(part) >= 3
    ]


def distance_box(away: np.ndarray) -> Box:
    """Room for all distances, and a row for each point."""
    reach = 1.15 * max(float(np.abs(away).max()), 1e-9)
    return -reach, reach, -0.6, away.shape[-1] - 0.4


def distances(away: np.ndarray, box: Box) -> dict[str, Any]:
    """Points of many features: across their distance from the hyperplane, one under the other."""
    upright = np.array([[0.0, box[2]], [0.0, box[3]]])
    return {
        "lines": [line(upright, "boundary")],
        "regions": halves(box, np.array([0.0, 1.0, 0.0])),
        "places": rounded(np.column_stack([away, np.arange(len(away))[::-1]])),
    }


def rings(contours: Any, low: float, high: float) -> list[Any]:
    """Outlines of a band, and those of its holes."""
    # OuterCode keeps an outline and its holes in one array of corners, with codes of moves.
    outlines, codes = contours.filled(low, high)
    return [
        rounded(ring)
        for points, code in zip(outlines, codes, strict=True)
        for ring in np.split(points, np.flatnonzero(code == 1)[1:])
    ]


class Grid:
    """Points of the picture on which curved regions are worked out."""

    def __init__(self, box: Box):
        self.u, self.v = np.linspace(*box[:2], GRID), np.linspace(*box[2:], GRID)
        self.points = np.stack(np.meshgrid(self.u, self.v), axis=-1).reshape(-1, 2)

    def _contours(self, values: np.ndarray) -> Any:
        table = values.reshape(GRID, GRID)
        return contourpy.contour_generator(self.u, self.v, table, fill_type="OuterCode")

    def where_positive(self, values: np.ndarray) -> list[list[list[float]]]:
        """Polygons around the points where values are above 0, holes among them (even-odd)."""
        top = float(values.max())
        if top <= 0:
            return []
        return rings(self._contours(values), 0.0, 2.0 * top + 1.0)

    def where_equal(self, values: np.ndarray, level: float) -> list[np.ndarray]:
        """Polylines along which values are the level."""
        return list(self._contours(values).lines(level))

    def regions(self, leads: np.ndarray) -> list[dict[str, Any]]:
        """Of each class the region where it leads, from (K, points)."""
        return [
            {"code": code, "polygons": self.where_positive(lead)} for code, lead in enumerate(leads)
        ]


def leads(scores: np.ndarray) -> np.ndarray:
    """By how much each class leads the best other, (K, m), from scores (K, m)."""
    order = np.sort(scores, axis=0)
    other = np.where(scores == order[-1], order[-2], order[-1])
    return scores - other
