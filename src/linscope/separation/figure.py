"""Why the classes are separable, or why they are not: a verdict of ``separability`` drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from scipy.spatial import ConvexHull, QhullError

from linscope.display import theme
from linscope.display.base import SampleDisplay
from linscope.display.drawing import draw_band, draw_line, draw_samples
from linscope.display.geometry import SHAPE, Box, square, widened
from linscope.display.inputs import Samples, View, choose_view, read_samples

from .verdicts import NotSeparable, QuasiSeparable, Separable


def read_margin(X: Any, y: Any, advice: str) -> tuple[Samples, View]:
    """Samples of two classes with at most two features."""
    samples = read_samples(X, y, binary=True)
    if samples.X.shape[1] > 2:
        raise ValueError(
            f"X has {samples.X.shape[1]} features, and a margin can be drawn for one or two: "
            f"{advice}"
        )
    return samples, choose_view(samples, None)


def margin_box(view: View, points: np.ndarray) -> Box:
    """Limits around points, of the shape of the figure where both axes can have one scale."""
    box = view.box(points, 0.15)
    return widened(box, SHAPE) if not view.flat and square(box) else box


def verdict_margin(verdict: Any, X: Any, y: Any) -> MarginDisplay:
    """From what ``linscope.separability(X, y)`` returned for two classes."""
    if not isinstance(verdict, Separable | QuasiSeparable | NotSeparable):
        raise TypeError(
            "a margin needs what linscope.separability(X, y) returns for two classes, or a "
            f"fitted LinearSVC or SVC, got {type(verdict).__name__}: keep two classes, or "
            "compare one with the rest"
        )
    samples, view = read_margin(X, y, "call separability on two of the columns")
    rows = _rows_of(verdict)
    if len(rows) and rows.max() >= len(samples.X):
        raise ValueError(f"verdict speaks of row {rows.max()}, X has {len(samples.X)} rows")
    facts: dict[str, Any] = {"weights": np.zeros(0), "margin": 0.0, "support": rows}
    if isinstance(verdict, Separable):
        facts["weights"], facts["margin"] = verdict.weights, float(verdict.margin)
    else:
        if isinstance(verdict, QuasiSeparable):
            facts["weights"] = verdict.weights
        points = view.points(samples.X)
        facts["hulls"] = [hull(points[samples.codes == code]) for code in (0, 1)]
        facts["point"] = np.array([float(value) for value in (*verdict.point, 0)[:2]])
        facts["combinations"] = [
            {row: float(value) for row, value in part.items()}
            for part in (verdict.negative, verdict.positive)
        ]
    return MarginDisplay(samples=samples, view=view, kind=verdict.kind, **facts)


@dataclass(eq=False, kw_only=True, repr=False)
class MarginDisplay(SampleDisplay):
    """The maximum margin with its support vectors, or the common point of the two hulls.

    Attributes
    ----------
    kind : "strict", "quasi" or "no"
    weights : the hyperplane, bias first; empty if there is none
    margin : distance from it to the nearest sample (0 if not strictly separable)
    support : rows of the support vectors, or those on the boundary
    hulls : corners of each class's convex hull, (m, 2)
    point : a point of both hulls, empty if there is none
    combinations : for each class row -> convex weight that makes the point
    """

    kind: str
    weights: np.ndarray
    margin: float
    support: np.ndarray
    hulls: list[np.ndarray] = field(default_factory=list)
    point: np.ndarray = field(default_factory=lambda: np.zeros(0))
    combinations: list[dict[int, float]] = field(default_factory=list)

    @property
    def title(self) -> str:
        if self.kind == "strict":
            return (
                f"Separable: the widest band between the classes is "
                f"{theme.number(2 * self.margin)} wide"
            )
        if self.kind == "quasi":
            return "Separable only with samples of both classes on the boundary"
        return "Not separable: the starred point lies in both convex hulls"

    @property
    def size(self) -> tuple[float, float]:
        return (6.0, 2.4) if self.flat else (6.0, 5.0)

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        box = margin_box(self.view, self.points)
        entries = theme.class_entries(self.labels)
        if len(self.weights):
            entries += self._draw_boundary(ax, box)
        if len(self.point):
            entries += self._draw_meeting(ax)
        else:
            theme.ring(ax, self.points[self.support], colour=theme.PURPLE)
            entries.append(theme.ring_entry("support vectors", theme.PURPLE))
        draw_samples(ax, self.samples, self.view, box)
        if not self.flat and square(box):
            ax.set_aspect("equal")
        theme.title_and_key(ax, self.title, entries)

    def _draw_boundary(self, ax: Axes, box: Box) -> list:
        line, entries = self.view.line(self.weights), [theme.line_entry("w·x = 0", lw=2.0)]
        if self.kind != "strict":
            draw_line(ax, box, line, color=theme.INK, lw=2.0)
            return entries
        draw_band(ax, box, line)
        return [*entries, theme.line_entry("margin", lw=1.1, ls=theme.DASHED)]

    def _draw_meeting(self, ax: Axes) -> list:
        for code, corner in enumerate(self.hulls):
            colour = theme.class_colour(code)
            ax.fill(*corner.T, color=colour, alpha=0.16, lw=0, zorder=0)
            ax.plot(*np.vstack([corner, corner[:1]]).T, color=colour, lw=1, zorder=1)
        for code, part in enumerate(self.combinations):
            for row, value in part.items():
                ends = np.array([self.points[row], self.point])
                if self.flat:  # both classes on one line: draw them side by side
                    ends[:, 1] += 0.16 * (2 * code - 1)
                width = 1.0 + 3.0 * value
                ax.plot(*ends.T, color=theme.class_colour(code), lw=width, zorder=3)
        # under the samples, so that one at the point itself stays visible
        ax.plot(*self.point, marker="*", ms=24, mfc=theme.WRONG, mec="white", mew=0.9, zorder=3.5)
        x, y = (theme.number(value) for value in self.point)
        text = f"common point {x}" if self.flat else f"common point ({x}, {y})"
        return [theme.line_entry(text, color=theme.WRONG, ls="", marker="*", ms=12)]


def hull(points: np.ndarray) -> np.ndarray:
    """Corners of the convex hull in order; of points on one line, the two ends."""
    if len(points) >= 3:
        try:
            return points[ConvexHull(points).vertices]
        except QhullError:
            pass
    along = points - points.mean(axis=0)
    direction = np.linalg.svd(along, full_matrices=False)[2][0]
    order = np.argsort(along @ direction)
    return points[[order[0], order[-1]]]


def _rows_of(verdict: Any) -> np.ndarray:
    if isinstance(verdict, Separable):
        return np.asarray(verdict.support)
    return np.array(sorted({*verdict.positive, *verdict.negative}), dtype=np.intp)
