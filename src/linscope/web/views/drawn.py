"""The picture of each state: lines, margins, regions, and what each point is to the machine."""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.display.geometry import Box
from linscope.losses import hinge

from ..algorithms import MACHINES
from . import pictures
from .course import Course

# An α nearer to 0 or C than this share of C is there.
AT_BOUND = 1e-9
# A margin is reached to this distance: machines stop a little before.
NEAR = 0.01


class Drawn:
    """Pictures of all states of a course; equal states are drawn once."""

    def __init__(self, course: Course, box: Box, group: str, C: float = np.inf):
        self.course, self.box, self.C = course, box, C
        self.data, self.svm = course.data, group == MACHINES
        d = self.data.points.shape[1]
        self.flat = d > 2
        self.linear = course.weights is not None and d <= 2
        self.scores = course.scorer(self.data.points)
        if self.flat:
            self.away = self._distances()
            self.box = pictures.distance_box(self._reach())
        self.grid = pictures.Grid(self.box)
        straight = self.linear or self.flat
        self._curved: Any = None if straight else course.scorer(self.grid.points[:, :d])
        self._last: tuple[Any, dict[str, Any]] | None = None

    def state(self, k: int) -> dict[str, Any]:
        key = self._key(k)
        if self._last is None or self._last[0] != key:
            self._last = key, self._draw(k)
        return self._last[1]

    def _key(self, k: int) -> bytes:
        held = self.course.weights if self.course.weights is not None else self.course.betas
        return held[k].tobytes()

    def _draw(self, k: int) -> dict[str, Any]:
        out: dict[str, Any] = {
            "lines": [], "normal": None, "regions": [], "predicted": None, "scores": None,
            "alpha": None, "slack": None, "kkt": None, "feet": None, "fitted": None, "places": None,
            "residuals": None,
        }  # fmt: skip
        if self.data.mode == "regression":
            return out | self._fit(k)
        scores = self.scores(k)
        out["predicted"] = self.course.predicted(scores).tolist()
        if len(self.data.classes) == 2:
            out["scores"] = pictures.rounded(scores[0])
            out |= self._of_points(k, scores[0])
        if self.flat:
            return out | pictures.distances(self.away[k], self.box)
        return out | (self._planes(k) if self.linear else self._curves(k))

    def _fit(self, k: int) -> dict[str, Any]:
        x, y = self.data.points[:, 0], self.data.labels
        return pictures.fitted_line(self.course.weights[k, 0], x, y, self.box)

    def _plane(self, weights: np.ndarray) -> np.ndarray:
        """(c, a, b) of weights in the plane; one feature has no v."""
        return np.append(weights, 0.0) if len(weights) == 2 else weights

    def _planes(self, k: int) -> dict[str, Any]:
        """Straight lines: one for each problem; of classes that compete only the regions."""
        planes = np.array([self._plane(w) for w in self.course.weights[k]])
        two, lines = len(self.data.classes) == 2, []
        compete = self.course.sides is None
        for ends in [] if compete else pictures.segments(self.box, planes):
            if not np.isnan(ends).any():
                lines.append(pictures.line(ends, "boundary" if two else "faint"))
        if not two:
            values = planes[:, :1] + planes[:, 1:] @ self.grid.points.T
            return {"lines": lines, "regions": self._regions(values) if planes.any() else []}
        if self.svm:
            moved = planes[[0, 0]] + [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]
            ends = pictures.segments(self.box, moved)
            lines += [pictures.line(each, "margin") for each in ends if not np.isnan(each).any()]
        regions = pictures.halves(self.box, planes[0]) if planes.any() else []
        return {"lines": lines, "regions": regions, "normal": self._normal(planes[0])}

    def _regions(self, values: np.ndarray) -> list[dict[str, Any]]:
        return self.grid.regions(pictures.leads(self.course.class_scores(values)))

    def _normal(self, plane: np.ndarray) -> list[float] | None:
        """The foot on the line nearest to the middle of the picture, and the direction of w."""
        length = float(plane[1:] @ plane[1:])
        if length == 0.0:
            return None
        middle = np.array([self.box[0] + self.box[1], self.box[2] + self.box[3]]) / 2
        foot = middle - (plane[0] + plane[1:] @ middle) / length * plane[1:]
        return pictures.rounded(np.r_[foot, plane[1:] / np.sqrt(length)])

    def _curves(self, k: int) -> dict[str, Any]:
        values, lines = self._curved(k), []
        two = len(self.data.classes) == 2
        levels = [(0.0, "boundary")] + ([(1.0, "margin"), (-1.0, "margin")] if self.svm else [])
        for level, kind in levels if two else []:
            found = self.grid.where_equal(values[0], level)
            lines += [pictures.line(each, kind) for each in found]
        return {"lines": lines, "regions": self._regions(values) if values.any() else []}

    def _of_points(self, k: int, scores: np.ndarray) -> dict[str, Any]:
        """α, slack and place of each point, where the machine has them."""
        betas = self.course.betas
        alpha = None if betas is None else np.abs(betas[k, 0, :-1])
        out: dict[str, Any] = {} if alpha is None else {"alpha": pictures.rounded(alpha)}
        if not self.svm:
            return out
        y = 2.0 * self.data.codes - 1.0
        margins = y * scores
        slack = hinge.loss(margins)
        out["slack"] = pictures.rounded(slack)
        if alpha is not None:
            out["kkt"] = [self._words(a, m) for a, m in zip(alpha, margins, strict=True)]
        if self.linear and self.data.points.shape[1] == 2:
            w = self.course.weights[k, 0, 1:]
            size = float(w @ w) or np.inf
            feet = self.data.points + ((1 - margins) * y / size)[:, None] * w
            out["feet"] = [
                pictures.rounded(foot) if lacks > 1e-6 and np.isfinite(size) else None
                for foot, lacks in zip(feet, slack, strict=True)
            ]
        return out

    def _words(self, alpha: float, margin: float) -> str:
        """Whether a point meets its condition of the optimum (Karush, Kuhn, Tucker), and which.

        α = 0 asks for y f(x) ≥ 1, α = C for y f(x) ≤ 1, all between for y f(x) = 1.
        """
        place = "on" if abs(margin - 1) <= NEAR else "outside" if margin > 1 else "inside"
        if alpha <= AT_BOUND * min(self.C, 1.0):
            return f"{'no' if place == 'inside' else 'yes'}: {place} the margin"
        if alpha >= (1 - AT_BOUND) * self.C:
            return f"{'no' if place == 'outside' else 'yes'}: {place} the margin"
        return f"{'yes' if place == 'on' else 'no'}: {place} the margin"

    def _reach(self) -> np.ndarray:
        """Distances in the states of the whole run as far as they are known."""
        weights = self.course.overview.weights
        if weights is None:
            return self.away
        X, length = self.data.points, np.linalg.norm(weights[:, 1:], axis=1)
        scores = weights[:, 1:] @ X.T + weights[:, :1]
        return np.vstack([self.away, scores / np.where(length > 0, length, 1.0)[:, None]])

    def _distances(self) -> np.ndarray:
        """Of more than two features: how far each point is from the hyperplane in every state."""
        u = np.stack([self.scores(k)[0] for k in range(len(self.course.measures))])
        if self.course.weights is not None:
            length = np.linalg.norm(self.course.weights[:, 0, 1:], axis=1)
            u = u / np.where(length > 0, length, 1.0)[:, None]
        return u
