"""Regions in the plane of two features, scores along the direction w, or classes in a plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.base import Display
from linscope.display.drawing import draw_regions
from linscope.selection.comparison.findings import Findings

BINS = 48


def decision_display(findings: Findings) -> Display | None:
    """The decision picture, if the findings hold one."""
    found, classes = findings.panels.decision, findings.data.classes
    if not found:
        return None
    codes = np.array([_code(label, classes) for label in found["labels"]])
    if found["kind"] == "projection":
        return ScoresAlongDisplay(
            scores=np.array(found["scores"], dtype=float), codes=codes, classes=classes
        )
    if found["kind"] == "plane":
        return PlaneDisplay(
            points=np.array(found["points"]),
            codes=codes,
            classes=classes,
            names=tuple(found["names"]),
        )
    return RegionsDisplay(
        u=np.array(found["x"]),
        v=np.array(found["y"]),
        regions=np.array(found["class"]),
        points=np.array(found["points"]),
        codes=codes,
        classes=classes,
        names=tuple(found["names"]),
    )


def _code(label: object, classes: tuple[str, ...]) -> int:
    """The number of a class, given as a number or by its name."""
    return label if isinstance(label, int) else classes.index(str(label))


@dataclass(eq=False, kw_only=True, repr=False)
class RegionsDisplay(Display):
    """Decision regions of two features with the samples.

    Attributes
    ----------
    u, v, regions : the grid, and the number of the class at each of its places (v, u)
    points, codes : the samples and the numbers of their classes
    classes, names : of the classes and of the two features
    """

    u: np.ndarray
    v: np.ndarray
    regions: np.ndarray
    points: np.ndarray
    codes: np.ndarray
    classes: tuple[str, ...]
    names: tuple[str, ...]
    size = 6.4, 4.6

    @property
    def title(self) -> str:
        return f"What is predicted where, by {self.names[0]} and {self.names[1]}"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        leads = np.stack([np.where(self.regions == k, 1.0, -1.0) for k in range(len(self.classes))])
        draw_regions(ax, self.u, self.v, leads, linewidths=1.2)
        theme.scatter(ax, self.points, self.codes, size=30.0)
        ax.set(xlim=self.u[[0, -1]], ylim=self.v[[0, -1]])
        theme.label(ax, *self.names)
        theme.title_and_key(ax, self.title, theme.class_entries(self.classes))


@dataclass(eq=False, kw_only=True, repr=False)
class PlaneDisplay(Display):
    """The classes in a plane.

    Attributes
    ----------
    points, codes : the samples and the numbers of their classes
    classes, names : of the classes and of the two axes
    """

    points: np.ndarray
    codes: np.ndarray
    classes: tuple[str, ...]
    names: tuple[str, ...]
    size = 6.4, 4.6

    @property
    def title(self) -> str:
        return "The classes in the plane that keeps them furthest apart"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        theme.scatter(ax, self.points, self.codes, size=30.0)
        theme.label(ax, *self.names)
        theme.title_and_key(ax, self.title, theme.class_entries(self.classes))


@dataclass(eq=False, kw_only=True, repr=False)
class ScoresAlongDisplay(Display):
    """How the scores w·x of each class lie; the boundary is at 0.

    Attributes
    ----------
    scores, codes : of the samples
    classes : names
    """

    scores: np.ndarray
    codes: np.ndarray
    classes: tuple[str, ...]
    size = 6.4, 3.6

    @property
    def title(self) -> str:
        return "The classes along the direction of the weights"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        edges = np.histogram_bin_edges(self.scores, BINS)
        entries = []
        for code, label in enumerate(self.classes):
            inside = self.scores[self.codes == code]
            if not len(inside):
                continue
            heights = np.histogram(inside, edges)[0] / len(inside)
            colour = theme.class_colour(code)
            ax.stairs(heights, edges, fill=True, color=colour, alpha=0.3, lw=0, zorder=2)
            ax.stairs(heights, edges, color=colour, lw=1.4, zorder=3)
            entries.append(theme.region_entry(theme.name(label), colour))
        ax.axvline(0, color=theme.INK, lw=1.4, ls=theme.DASHED, zorder=4)
        entries.append(theme.line_entry("boundary", lw=1.4, ls=theme.DASHED))
        ax.set_ylim(bottom=0)
        ax.set(xlabel="score w·x", ylabel="share of the class")
        theme.title_and_key(ax, self.title, entries)
