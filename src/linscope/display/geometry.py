"""Lines and half-planes cut to a box."""

from __future__ import annotations

import numpy as np

Box = tuple[float, float, float, float]
# Width / height of the axes in a figure of the default size.
SHAPE = 1.4
# Added to a line (c, a, b) it moves f = 0 to f = −1.
ONE = np.array([1.0, 0.0, 0.0])


def box_around(points: np.ndarray, pad: float = 0.12) -> Box:
    """x and y limits around points of shape (n, 2), padded; never of size 0."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = high - low
    size = np.where(size > 0, size, np.maximum(np.abs(high), 1.0))
    low, high = low - pad * size, high + pad * size
    return float(low[0]), float(high[0]), float(low[1]), float(high[1])


def widened(box: Box, shape: float) -> Box:
    """The box enlarged about its middle until width / height is ``shape``."""
    x0, x1, y0, y1 = box
    wide, high = max(x1 - x0, shape * (y1 - y0)), max(y1 - y0, (x1 - x0) / shape)
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    return x - wide / 2, x + wide / 2, y - high / 2, y + high / 2


def square(box: Box) -> bool:
    """Whether both axes can have one scale, so that right angles are right angles."""
    return 0.4 < (box[1] - box[0]) / (box[3] - box[2]) < 2.5


def mesh(
    box: Box, size: int, height: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Grid lines u and v, as many of both unless ``height`` is given, and all points row by row."""
    u, v = np.linspace(box[0], box[1], size), np.linspace(box[2], box[3], height or size)
    return u, v, np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 2)


def corners(box: Box) -> np.ndarray:
    """The four corners, counter-clockwise."""
    x0, x1, y0, y1 = box
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


def half_plane(polygon: np.ndarray, line: np.ndarray) -> np.ndarray:
    """The part of a convex polygon where c + a·x + b·y >= 0, with line = (c, a, b)."""
    if len(polygon) == 0:
        return polygon
    values = line[0] + polygon @ line[1:]
    following, next_values = np.roll(polygon, -1, axis=0), np.roll(values, -1)
    kept = []
    for p, v, q, u in zip(polygon, values, following, next_values, strict=True):
        if v >= 0:
            kept.append(p)
        if (v > 0 > u) or (v < 0 < u):
            kept.append(p + (q - p) * (v / (v - u)))
    return np.array(kept).reshape(-1, 2)


def area(polygon: np.ndarray) -> float:
    """Area of a polygon; 0 for fewer than three corners."""
    if len(polygon) < 3:
        return 0.0
    x, y = (polygon - polygon[0]).T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def solution_region(constraints: np.ndarray, box: Box) -> np.ndarray:
    """Corners of the part of the box where every c + a·u + b·v > 0; empty if there is none."""
    nothing = np.zeros((0, 2))
    # a sample that the two weights cannot change is right everywhere or nowhere
    fixed = ~constraints[:, 1:].any(axis=1)
    if (constraints[fixed, 0] <= 0).any():
        return nothing
    region, lines = corners(box), constraints[~fixed]
    while len(lines):  # by those that still cut it, the deepest first: few are needed
        values = lines[:, :1] + lines[:, 1:] @ region.T
        if (values < 0).all(axis=1).any():
            return nothing
        lines, values = (each[(values < 0).any(axis=1)] for each in (lines, values))
        if len(lines):
            deepest = int(np.argmin(values.min(axis=1) / np.linalg.norm(lines[:, 1:], axis=1)))
            region = half_plane(region, lines[deepest])
            lines = np.delete(lines, deepest, axis=0)
    return region if area(region) > 1e-12 * area(corners(box)) else nothing


def segment(box: Box, line: np.ndarray) -> np.ndarray | None:
    """The two ends of c + a·x + b·y = 0 inside the box, None if it misses the box."""
    x0, x1, y0, y1 = box
    c, a, b = (float(value) for value in line)
    # in units of the box, so that very different scales of x and y do no harm
    c, a, b = c + a * x0 + b * y0, a * (x1 - x0), b * (y1 - y0)
    length = np.hypot(a, b)
    if length == 0.0 or not np.isfinite(length):
        return None
    c, a, b = c / length, a / length, b / length
    start, direction = np.array([-c * a, -c * b]), np.array([-b, a])
    low, high = -np.inf, np.inf
    for s, d in zip(start, direction, strict=True):
        if abs(d) < 1e-15:
            if not 0 <= s <= 1:
                return None
            continue
        first, last = sorted(((0 - s) / d, (1 - s) / d))
        low, high = max(low, first), min(high, last)
    if not low < high:
        return None
    ends = start + np.outer([low, high], direction)
    return ends * [x1 - x0, y1 - y0] + [x0, y0]


def reaching(box: Box, lines: np.ndarray, most: float = 2.5) -> Box:
    """The box enlarged to show lines (c, a, b) that miss it.

    A line farther from the middle than ``most`` times the box would leave no room for the samples,
    and stays outside.
    """
    size = np.array([box[1] - box[0], box[3] - box[2]])
    middle = np.array([box[0] + box[1], box[2] + box[3]]) / 2
    seen = [corners(box)]
    for line in lines:
        normal = line[1:] * size
        if not normal.any() or segment(box, line) is not None:
            continue
        foot = -(line[0] + line[1:] @ middle) / (normal @ normal) * normal
        if np.abs(foot).max() <= most:
            seen.append((middle + 1.35 * foot * size)[None])  # beyond it: more than a corner
    low, high = np.vstack(seen).min(axis=0).tolist(), np.vstack(seen).max(axis=0).tolist()
    return low[0], high[0], low[1], high[1]


def free_place(
    box: Box, ends: np.ndarray, taken: np.ndarray, room: tuple[float, float]
) -> np.ndarray:
    """The point between two ends that is farthest from all points in ``taken``.

    ``room`` is what it keeps from the edges, as shares of width and height, if that can be done.
    """
    size = np.array([box[1] - box[0], box[3] - box[2]])
    places = ends[0] + np.linspace(0.04, 0.96, 47)[:, None] * (ends[1] - ends[0])
    edge = np.abs(places - [(box[0] + box[1]) / 2, (box[2] + box[3]) / 2]) / size
    apart = np.linalg.norm((places[:, None, :] - taken) / size, axis=-1).min(axis=1, initial=1.0)
    apart -= 10.0 * np.maximum(edge + room - 0.5, 0.0).max(axis=1)
    return places[int(np.argmax(apart))]
