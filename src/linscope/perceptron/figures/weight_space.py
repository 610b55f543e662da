"""The weight plane: every sample is a half-plane, and their intersection is the set of answers.

Sample i is on its right side when y_i w·x_i > 0, one side of a line in the plane of two weights.
The solution region is what lies on the right side of all these lines. With two weights it is a
cone from the origin, and empty exactly when no hyperplane separates the classes. With more weights
the figure is a slice: the others are held where a solution has them.

A margin b > 0 asks for y_i w·x_i > b: every line moves by b/‖x_i‖ to its good side, and the region
shrinks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.drawing import arrow, draw_line
from linscope.display.geometry import ONE, Box, segment, solution_region
from linscope.display.inputs import read_samples
from linscope.separation.question import separability
from linscope.separation.verdicts import Separable

from .weight_plane import WeightPlaneDisplay, read_plane

FEW = 12


def weight_space(
    X: TableLike,
    y: Any,
    *,
    weights_path: Any = None,
    weights: Any = None,
    fit_intercept: bool = True,
    margin: float | None = None,
    ax: Any = None,
) -> WeightSpaceDisplay:
    """The weight plane: a constraint line per sample, the solution region, the path of w.

    Parameters
    ----------
    X, y : samples of two classes
    weights_path : path of the weights (array, perceptron or trace), optional
    weights : which two weights to draw, 0 is the bias; by default the last two
        Others are held at the end of the path, or in a slice that has a solution; the figure says
        where.
    fit_intercept : whether there is a bias
    margin : b, shows the smaller region of all y w·x > b too; by default that of the perceptron
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = [[1], [2], [4], [5]], [-1, -1, 1, 1]
    >>> ls.plot.weight_space(X, y, weights_path=ls.Perceptron())
    <WeightSpaceDisplay: All weights in the shaded region separate the classes>
    """
    samples, b = read_samples(X, y, binary=True), _margin(margin, weights_path)
    plane = read_plane(samples, weights_path, weights, fit_intercept, name="weights_path")
    rows = samples.augmented * samples.y[:, None]
    shortest = shortest_solution(rows if plane.fit_intercept else rows[:, 1:])
    if shortest is not None and not (rows @ plane.current > b).all():
        plane = plane._replace(current=_another_slice(plane.current, shortest, b))
    (i, j), rest, current = plane.pair, plane.rest, plane.current
    constraints = np.column_stack([rows[:, rest] @ current[rest], rows[:, i], rows[:, j]])
    around = np.abs(current[rest]).max() / 2 if rest else 0.0
    seen = [plane.path, current[[i, j]] - around, current[[i, j]] + around]
    box = plane._replace(path=np.vstack(seen)).box()
    return WeightSpaceDisplay(
        **plane.facts(),
        constraints=constraints,
        codes=samples.codes,
        labels=samples.labels,
        region=solution_region(constraints, box),
        margin=b,
        inner=solution_region(constraints - b * ONE, box),
        box=box,
        separable=shortest is not None,
    ).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class WeightSpaceDisplay(WeightPlaneDisplay):
    """Constraint lines, solution region and path of the weights in the plane of two weights.

    Attributes
    ----------
    constraints : array (n, 3), sample i asks for c + a·u + b·v > 0
    codes, labels : class number of each sample, and the class names
    region : corners of the solution region inside the box, (m, 2); empty if there is none
    margin : b, 0 if there is none
    inner : corners of the smaller region of all y w·x > b
    box : limits of the plane
    separable : whether a hyperplane separates the classes at all
    """

    constraints: np.ndarray
    codes: np.ndarray
    labels: list[str]
    region: np.ndarray
    margin: float
    inner: np.ndarray
    box: Box
    separable: bool
    size = 6.0, 5.2

    @property
    def slice(self) -> str:
        """Which slice this is, "" if the plane is all of weight space."""
        return f"slice at {self._held_at(3)}" if self.held else ""

    @property
    def title(self) -> str:
        b, all_of_them = (
            theme.number(self.margin),
            "All weights in the shaded region separate the classes",
        )
        if not self.separable:
            text = "Not separable: no weights lie on the good side of every line"
        elif not len(self.region):
            text = "The solution region is too narrow to be seen, but it is there"
        elif self.margin and len(self.inner):
            text = f"{all_of_them}, those in its dark part with margin {b}"
        elif self.margin:
            text = f"{all_of_them}, none here with margin {b}"
        else:
            text = all_of_them
        return text + (f" ({self.slice})" if self.held else "")

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        if len(self.region):
            ax.fill(*self.region.T, color=theme.tint(theme.GOOD, 0.22), lw=0, zorder=1)
        if self.margin and len(self.inner):
            ax.fill(*self.inner.T, color=theme.tint(theme.GOOD, 0.5), lw=0, zorder=1)
        for line, code in zip(self.constraints, self.codes, strict=True):
            self._draw_constraint(ax, line, int(code))
        if not self.held:
            ax.plot(0, 0, marker="+", color=theme.INK, ms=9, mew=1.4, zorder=6)
        path = self._draw_path(ax, self.box)
        theme.title_and_key(ax, self.title, [*self._entries(), *path])

    def _draw_constraint(self, ax: Axes, line: np.ndarray, code: int) -> None:
        few = len(self.constraints) <= FEW
        colour = theme.class_colour(code)
        if few and self.margin:
            moved: Any = {"color": colour, "lw": 1.2, "ls": theme.DASHED, "zorder": 2}
            draw_line(ax, self.box, line - self.margin * ONE, **moved)
        ends = segment(self.box, line)
        if ends is None:
            return
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
        if self.margin and len(self.inner):
            text = f"y w·x > {theme.number(self.margin)}"
            entries.append(theme.region_entry(text, theme.GOOD, 0.55))
        return entries


def shortest_solution(rows: np.ndarray) -> np.ndarray | None:
    """The shortest a with a·z ≥ 1 for all rows z = y_i x_i; None if no a has them all above 0.

    There is one exactly if a hyperplane separates all rows from the origin. Where the margin is
    widest the nearest rows score +1 and the origin −1, so that a·z is 2 there.
    """
    table = np.vstack([np.zeros((1, rows.shape[1])), rows])
    verdict = separability(table, np.arange(len(table)) > 0)
    return verdict.weights[1:] / 2 if isinstance(verdict, Separable) else None


def _another_slice(current: np.ndarray, shortest: np.ndarray, b: float) -> np.ndarray:
    """A solution as long as the current weights, and with twice the margin."""
    full = np.r_[np.zeros(len(current) - len(shortest)), shortest]
    length = float(np.linalg.norm(current) / np.linalg.norm(full))
    return full * (max(length, 2.0 * b) or 1.0)


def _margin(margin: float | None, source: Any) -> float:
    """b as given, or as the perceptron has it."""
    if margin is None:
        margin = getattr(getattr(source, "estimator", source), "margin", 0.0)
    if not 0 <= margin < np.inf:
        raise ValueError(f"margin must be a number from 0, got {margin!r}")
    return float(margin)
