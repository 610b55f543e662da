"""The weight plane: every sample is a half-plane, and their intersection is the set of answers.

Sample i is on its right side when y_i w·x_i > 0, one side of a line in the plane of two weights.
The solution region is what lies on the right side of all these lines. With two weights it is a
cone from the origin, and empty exactly when no hyperplane separates the classes. With more weights
the figure is a slice: the others are held at their values in the current weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.drawing import arrow
from linscope.display.geometry import Box, area, corners, half_plane, segment
from linscope.separation.question import separability

from .weight_plane import WeightPlaneDisplay, read_plane

FEW = 12


def weight_space(
    X: TableLike,
    y: Any,
    *,
    weights_path: Any = None,
    weights: Any = None,
    fit_intercept: bool = True,
    ax: Any = None,
) -> WeightSpaceDisplay:
    """The weight plane: a constraint line per sample, the solution region, the path of w.

    Parameters
    ----------
    X, y : samples of two classes
    weights_path : path of the weights (array, perceptron or trace), optional
    weights : which two weights to draw, 0 is the bias; by default the last two
        Others are held at the end of the path (0 without path), and the figure says so.
    fit_intercept : whether there is a bias
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = [[1], [2], [4], [5]], [-1, -1, 1, 1]
    >>> ls.plot.weight_space(X, y, weights_path=ls.Perceptron())
    <WeightSpaceDisplay: All weights in the shaded region separate the classes>
    """
    plane = read_plane(X, y, weights_path, weights, fit_intercept, name="weights_path")
    samples, (i, j), rest = plane.samples, plane.pair, plane.rest
    rows = samples.augmented * samples.y[:, None]
    constraints = np.column_stack([rows[:, rest] @ plane.current[rest], rows[:, i], rows[:, j]])
    box = plane.box()
    region = solution_region(constraints, box)
    return WeightSpaceDisplay(
        **plane.facts(),
        constraints=constraints,
        codes=samples.codes,
        labels=samples.labels,
        region=region,
        box=box,
        separable=_separable(X, y, plane.fit_intercept, bool(len(region)) and not rest),
    ).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class WeightSpaceDisplay(WeightPlaneDisplay):
    """Constraint lines, solution region and path of the weights in the plane of two weights.

    Attributes
    ----------
    constraints : array (n, 3), sample i asks for c + a·u + b·v > 0
    codes, labels : class number of each sample, and the class names
    region : corners of the solution region inside the box, (m, 2); empty if there is none
    box : limits of the plane
    separable : whether a hyperplane separates the classes at all; None if that is not known
    """

    constraints: np.ndarray
    codes: np.ndarray
    labels: list[str]
    region: np.ndarray
    box: Box
    separable: bool | None
    size = 6.0, 5.2

    @property
    def slice(self) -> str:
        """Which slice this is, "" if the plane is all of weight space."""
        return f"slice at {self._held_at(3)}" if self.held else ""

    @property
    def title(self) -> str:
        if self.separable is False:
            text = "Not separable: no weights lie on the good side of every line"
        elif len(self.region):
            text = "All weights in the shaded region separate the classes"
        elif self.separable and self.held:
            text = "No solution in this slice, though the classes are separable"
        elif self.separable:
            text = "The solution region is too narrow to be seen, but it is there"
        else:
            text = "No weights here lie on the good side of every line"
        return text + (f" ({self.slice})" if self.held else "")

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        if len(self.region):
            ax.fill(*self.region.T, color=theme.tint(theme.GOOD, 0.22), lw=0, zorder=1)
        for line, code in zip(self.constraints, self.codes, strict=True):
            self._draw_constraint(ax, line, int(code))
        if not self.held:
            ax.plot(0, 0, marker="+", color=theme.INK, ms=9, mew=1.4, zorder=6)
        path = self._draw_path(ax, self.box)
        theme.title_and_key(ax, self.title, [*self._entries(), *path])

    def _draw_constraint(self, ax: Axes, line: np.ndarray, code: int) -> None:
        ends = segment(self.box, line)
        if ends is None:
            return
        few = len(self.constraints) <= FEW
        colour = theme.class_colour(code)
        ax.plot(*ends.T, color=colour, lw=1.5 if few else 0.8, alpha=1 if few else 0.5, zorder=2)
        if few:
            for at in (0.14, 0.86):
                self._good_side(ax, ends[0] + at * (ends[1] - ends[0]), line[1:], colour)

    def _good_side(self, ax: Axes, foot: np.ndarray, normal: np.ndarray, colour: str) -> None:
        """A short arrow from the line to the side where the sample is right."""
        step = 0.055 * (self.box[1] - self.box[0]) * normal / np.linalg.norm(normal)
        arrow(ax, foot, foot + step, colour, zorder=2)

    def _entries(self) -> list:
        entries = []
        for code, label in enumerate(self.labels):
            entry = theme.line_entry(f"right for {label}", color=theme.class_colour(code))
            entry.set(marker=r"$\rightarrow$", markersize=9, markevery=[0])
            entries.append(entry)
        if len(self.region):
            entries.append(theme.region_entry("solutions", theme.GOOD))
        return entries


def solution_region(constraints: np.ndarray, box: Box) -> np.ndarray:
    """Corners of the part of the box where every c + a·u + b·v > 0; empty if there is none."""
    nothing = np.zeros((0, 2))
    # a sample that the two weights cannot change is right everywhere or nowhere
    fixed = ~constraints[:, 1:].any(axis=1)
    if (constraints[fixed, 0] <= 0).any():
        return nothing
    region = corners(box)
    for line in constraints[~fixed]:
        region = half_plane(region, line)
    return region if area(region) > 1e-12 * area(corners(box)) else nothing


def _separable(X: Any, y: Any, fit_intercept: bool, seen: bool) -> bool | None:
    """Proved by ``separability`` where there is a bias; else only what the region shows."""
    if fit_intercept:
        return bool(separability(X, y))
    return True if seen else None
