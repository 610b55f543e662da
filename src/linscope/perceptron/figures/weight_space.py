"""The weight plane: every sample is a half-plane, and their intersection is the set of answers.

Sample i is on its right side when y_i w·x_i > 0, one side of a line in the plane of two weights.
The solution region is what lies on the right side of all these lines. With two weights it is a
cone from the origin, and empty exactly when no hyperplane separates the classes. With more weights
the figure is a slice: the others are held at their values in the current weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.arrows import arrow, draw_path
from linscope.display.base import Display
from linscope.display.geometry import Box, area, corners, half_plane, segment
from linscope.display.inputs import Samples, read_samples
from linscope.separation.question import separability

from .weight_path import weight_path

FEW = 12


@dataclass(eq=False, kw_only=True, repr=False)
class WeightSpaceDisplay(Display):
    """Constraint lines, solution region and path of the weights in the plane of two weights.

    Attributes
    ----------
    constraints : array (n, 3), sample i asks for c + a·u + b·v > 0
    codes, labels : class number of each sample, and the class names
    region : corners of the solution region inside the box, (m, 2); empty if there is none
    path : the weights after each update in this plane, (k, 2); may be empty
    box : limits of the plane
    axes_names : the two weights, for instance ("w0", "w1")
    held : the other weights and their values, for instance {"w0": 1.0}; empty if there are two
    separable : whether a hyperplane separates the classes at all; None if that is not known
    """

    constraints: np.ndarray
    codes: np.ndarray
    labels: list[str]
    region: np.ndarray
    path: np.ndarray
    box: Box
    axes_names: tuple[str, str]
    held: dict[str, float]
    separable: bool | None

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        *,
        path: Any = None,
        weights: Sequence[int] | None = None,
        fit_intercept: bool = True,
    ) -> Self:
        """From samples of two classes and, optionally, the path of a perceptron."""
        samples = read_samples(X, y, binary=True)
        full = np.zeros((0, samples.X.shape[1] + 1))
        if path is not None:
            found = weight_path(path, samples, name="weights_path")
            full = found.weights
            if found.model is not None:
                fit_intercept = found.model.fit_intercept
        i, j = choose_weights(samples, weights, fit_intercept)
        current = full[-1] if len(full) else np.zeros(full.shape[1])
        rows = samples.augmented * samples.y[:, None]
        rest = [k for k in range(int(not fit_intercept), rows.shape[1]) if k not in (i, j)]
        constraints = np.column_stack([rows[:, rest] @ current[rest], rows[:, i], rows[:, j]])
        box = weight_box(full[:, [i, j]])
        region = solution_region(constraints, box)
        return cls(
            constraints=constraints,
            codes=samples.codes,
            labels=samples.labels,
            region=region,
            path=full[:, [i, j]],
            box=box,
            axes_names=(f"w{i}", f"w{j}"),
            held={f"w{k}": float(current[k]) for k in rest},
            separable=_separable(X, y, fit_intercept, bool(len(region)) and not rest),
        )

    @property
    def slice(self) -> str:
        """Which slice this is, "" if the plane is all of weight space."""
        if not self.held:
            return ""
        shown = [f"{name} = {theme.number(value)}" for name, value in list(self.held.items())[:3]]
        return "slice at " + ", ".join(shown) + (", …" if len(self.held) > 3 else "")

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

    @property
    def size(self) -> tuple[float, float]:
        return 6.0, 5.2

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        if len(self.region):
            ax.fill(*self.region.T, color=theme.tint(theme.GOOD, 0.22), lw=0, zorder=1)
        for line, code in zip(self.constraints, self.codes, strict=True):
            self._draw_constraint(ax, line, int(code))
        if not self.held:
            ax.plot(0, 0, marker="+", color=theme.INK, ms=9, mew=1.4, zorder=6)
        draw_path(ax, self.path)
        ax.set(xlim=self.box[:2], ylim=self.box[2:])
        ax.set(xlabel=self.axes_names[0], ylabel=self.axes_names[1])
        theme.title_and_key(ax, self.title, self._entries())

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
        if len(self.path):
            entries.append(path_entry(bool(self.held)))
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


def choose_weights(
    samples: Samples, weights: Sequence[int] | None, fit_intercept: bool
) -> tuple[int, int]:
    """The two weights of the plane; by default the last two."""
    last = samples.X.shape[1]
    first = 0 if fit_intercept else 1
    if last - first < 1:
        raise ValueError(
            "a model of one feature without bias has one weight, but weight space needs two: "
            "pass fit_intercept=True"
        )
    pair = (last - 1, last) if weights is None else tuple(int(k) for k in weights)
    if len(pair) != 2 or pair[0] == pair[1] or not all(first <= k <= last for k in pair):
        raise ValueError(
            f"weights must be two different numbers from {first} to {last} "
            f"({'0 is the bias' if fit_intercept else 'there is no bias'}), got {weights!r}"
        )
    return pair[0], pair[1]


def weight_box(path: np.ndarray) -> Box:
    """A square with the origin and the path well inside."""
    points = np.vstack([np.zeros((1, 2)), path])
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    half = 0.68 * float((points.max(axis=0) - points.min(axis=0)).max()) or 1.0
    return (
        float(middle[0] - half),
        float(middle[0] + half),
        float(middle[1] - half),
        float(middle[1] + half),
    )


def path_entry(projected: bool = False) -> Any:
    """Key entry of the path."""
    entry = theme.line_entry("path of w, projected" if projected else "path of w", lw=1.3)
    entry.set(marker="o", markerfacecolor="white", markeredgecolor=theme.INK, markersize=6)
    return entry


def _separable(X: Any, y: Any, fit_intercept: bool, seen: bool) -> bool | None:
    """Proved by ``separability`` where there is a bias; else only what the region shows."""
    if fit_intercept:
        return bool(separability(X, y))
    return True if seen else None
