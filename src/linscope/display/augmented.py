"""The boundary in augmented space: a plane through the origin.

A sample (x1, x2) becomes (1, x1, x2), a point at height x0 = 1. The boundary w·x = 0 has no
constant term there, so it is a plane through the origin, and w is perpendicular to it. Where the
plane cuts the sheet x0 = 1 it is the line w0 + w1·x1 + w2·x2 = 0 of the two features.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.data.tables import TableLike

from . import theme
from .geometry import corners, segment
from .inputs import Samples, read_hyperplane, read_samples
from .space import (
    SpaceDisplay,
    azimuth_for,
    draw_arrow,
    draw_plane,
    leaning,
    limits_around,
    plane_in_box,
    space_axes,
)


def augmented_space(weights: Any, X: TableLike, y: Any, *, ax: Any = None) -> AugmentedSpaceDisplay:
    """Samples (1, x1, x2) in space, where the boundary is a plane through the origin.

    Parameters
    ----------
    weights : a fitted linear classifier, or weights with the bias first
    X, y : samples of two classes with two features
    ax : matplotlib axes with ``projection="3d"``, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("or")
    >>> display = ls.plot.augmented_space(ls.Perceptron().fit(X, y), X, y)
    >>> display.weights
    array([-1.,  2.,  2.])
    >>> display.line  # ends of the line at x0 = 1, as (x0, x1, x2)
    array([[ 1.  ,  0.75, -0.25],
           [ 1.  , -0.25,  0.75]])
    """
    samples = read_samples(X, y, binary=True)
    if samples.X.shape[1] != 2:
        raise ValueError(
            f"X has {samples.X.shape[1]} features, this figure needs two: with the 1 before them "
            "they have the three axes of space"
        )
    w = read_hyperplane(weights, 2, name="weights")
    return AugmentedSpaceDisplay(samples=samples, weights=w).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class AugmentedSpaceDisplay(SpaceDisplay):
    """Samples at height x0 = 1 and the plane w·x = 0. Points are (x0, x1, x2).

    Attributes
    ----------
    samples : the table with its classes
    weights : w, bias first
    """

    samples: Samples
    weights: np.ndarray
    size = 6.4, 5.6

    @property
    def points(self) -> np.ndarray:
        """The samples, (n, 3)."""
        return self.samples.augmented

    @property
    def wrong(self) -> np.ndarray:
        """Which samples are not strictly on the side of their class."""
        return self.samples.y * (self.points @ self.weights) <= 0

    @property
    def limits(self) -> np.ndarray:
        """The box of the figure, (3, 2)."""
        features = limits_around(np.vstack([self.samples.X, np.zeros((1, 2))]), 0.25)
        return np.vstack([[-0.4, 1.0], features])

    @property
    def plane(self) -> np.ndarray:
        """Corners of the plane w·x = 0, (m, 3); empty if w is 0."""
        return plane_in_box(np.r_[0.0, self.weights], self.limits)

    @property
    def line(self) -> np.ndarray:
        """Ends of the line where the plane cuts x0 = 1, (2, 3); empty if it is not in the box."""
        ends = segment(tuple(self.limits[1:].ravel().tolist()), self.weights)
        return np.zeros((0, 3)) if ends is None else np.column_stack([np.ones(2), ends])

    @property
    def title(self) -> str:
        if not self.weights.any():
            return "w = 0 has no boundary"
        where = "the line w·x = 0 of the input plane" if len(self.line) else "outside this figure"
        return f"The boundary is a plane through the origin; at x0 = 1 it is {where}"

    def _draw(self, axes: list[Axes]) -> None:
        ax: Any = axes[0]
        limits, w = _upright(self.limits.T).T, _upright(self.weights)
        azimuth = azimuth_for(w, limits)
        draw_plane(ax, _upright(self.plane), theme.GOOD, 0.28, zorder=1)
        ax.scatter(0, 0, 0, color=theme.INK, s=22, zorder=2)
        if w.any():
            seen = leaning(w, limits, azimuth) > 0
            draw_arrow(ax, _longest(w, limits) * w, zorder=2 if seen else 0.5)
        sheet = corners(tuple(limits[:2].ravel().tolist()))
        draw_plane(ax, np.column_stack([sheet, np.ones(4)]), theme.GREY, 0.2, zorder=3)
        if len(self.line):
            ax.plot(*_upright(self.line).T, color=theme.INK, lw=2.2, zorder=4)
        theme.scatter(ax, _upright(self.points), self.samples.codes, zorder=5, depthshade=False)
        theme.ring(ax, _upright(self.points)[self.wrong])
        first, second = self.samples.names
        space_axes(ax, limits, (first, second, "x0"), azimuth)
        theme.title_and_key(ax, self.title, self._entries())

    def _entries(self) -> list:
        entries = [
            *theme.class_entries(self.samples.labels),
            theme.region_entry("input plane x0 = 1", theme.GREY, 0.35),
        ]
        if self.weights.any():
            entries.append(theme.region_entry("plane w·x = 0", theme.GOOD))
            entries.append(theme.line_entry("w, from the origin", color=theme.PURPLE, lw=2.2))
        if len(self.line):
            entries.append(theme.line_entry("boundary in the input plane", lw=2.2))
        if self.wrong.any():
            entries.append(theme.ring_entry("wrong"))
        return entries


def _upright(points: np.ndarray) -> np.ndarray:
    """(x0, x1, x2) as (x1, x2, x0), so that x0 is drawn upwards."""
    return np.roll(points, -1, axis=-1)


def _longest(w: np.ndarray, limits: np.ndarray) -> float:
    """The largest factor for which w times it stays in the box."""
    room = np.where(w > 0, limits[:, 1], limits[:, 0])[w != 0]
    return float(0.95 * (room / w[w != 0]).min())
