"""Pieces of a network: where nodes stand, in inches, and how nodes, edges and functions look."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch

from . import theme

RADIUS, GAP, LETTER = 0.21, 0.42, 0.085
SHORT = 3  # names of so many letters stand inside of their nodes


class Places(NamedTuple):
    """Where everything stands.

    Attributes
    ----------
    inputs, scores : how many of them there are
    input_letters, output_letters : letters of the longest names
    boxed : whether the scores end in one box
    """

    inputs: int
    scores: int
    input_letters: int
    output_letters: int
    boxed: bool

    @property
    def outside(self) -> bool:
        """Whether names of inputs stand beside their nodes."""
        return self.input_letters > SHORT

    @property
    def step(self) -> float:
        """From one input to the next."""
        return 0.62 if self.scores == 1 else 0.8

    @property
    def height(self) -> float:
        return max(self.inputs * self.step, self.scores * 0.85, 1.9)

    @property
    def left(self) -> float:
        return 0.35 + (LETTER * self.input_letters if self.outside else 0.0)

    @property
    def span(self) -> float:
        """From the inputs to the sums."""
        return 2.3 + 0.75 * (self.scores - 1)

    @property
    def after_sum(self) -> float:
        """From the middle of a sum to where its path goes on."""
        return 1.0 + RADIUS

    @property
    def width(self) -> float:
        box = 0.4 if self.boxed else 0.0
        ends = 1.2 * GAP + LETTER * self.output_letters
        return self.left + self.span + self.after_sum + box + ends + 0.15

    def input(self, row: int) -> np.ndarray:
        """The middle of an input."""
        middle = (self.inputs - 1) / 2
        return np.array([self.left, self.height / 2 + self.step * (middle - row)])

    def score(self, row: int) -> np.ndarray:
        """The middle of a sum."""
        step = min(self.height / self.scores, 1.5)
        middle = (self.scores - 1) / 2
        return np.array([self.left + self.span, self.height / 2 + step * (middle - row)])

    def label_at(self, row: int) -> float:
        """Where on an edge its weight stands: a column for each sum, so that none meet."""
        return 0.45 if self.scores == 1 else 0.2 + 0.48 * row / (self.scores - 1)


def right(spot: np.ndarray, by: float) -> np.ndarray:
    """A place to the right of another."""
    return spot + np.array([by, 0.0])


def write(ax: Axes, spot: np.ndarray, words: str, **look: Any) -> None:
    """Words in the middle of a place, or to one side of it."""
    look = {"ha": "center", "va": "center", "color": theme.INK, "fontsize": theme.TEXT, **look}
    ax.text(float(spot[0]), float(spot[1]), words, **look)


def draw_edge(
    ax: Axes, start: np.ndarray, end: np.ndarray, at: float, weight: float, largest: float
) -> None:
    """An edge by the sign and size of its weight, which stands on it."""
    colour = theme.BLUE if weight > 0 else theme.RED if weight < 0 else theme.GREY
    width = 0.8 + 2.8 * min(abs(weight) / largest, 1.0)
    line: Any = "-" if weight else (0, (1, 1.5))
    ax.plot(*np.array([start, end]).T, color=colour, lw=width, ls=line, alpha=0.75, zorder=1)
    spot = start + at * (end - start)
    text = f"{weight + 0.0:.3g}".replace("-", "−").replace("inf", "∞")
    look: Any = {"boxstyle": "round,pad=0.12", "fc": "white", "ec": "none", "alpha": 0.9}
    dark = {theme.BLUE: "#1c4f86", theme.RED: theme.RED, theme.GREY: theme.SOFT}[colour]
    write(ax, spot, text, fontsize=8.5, color=dark, bbox=look, zorder=2)


def draw_node(ax: Axes, spot: np.ndarray, name: str, beside: str) -> None:
    """An input; its long name stands on its left."""
    write(ax, spot, theme.pretty(name), zorder=4)
    write(ax, right(spot, -RADIUS - 0.08), theme.name(beside, 18), ha="right")
    if name != "⋮":
        _circle(ax, spot, "white")


def draw_sums(
    ax: Axes,
    spots: list[np.ndarray],
    shown: list[int],
    names: list[str],
    glyph: str,
    places: Places,
) -> None:
    """Sums, and behind each its function, if there is one."""
    for spot, k in zip(spots, shown, strict=True):
        if k < 0:
            write(ax, spot, "⋮", fontsize=13)
            continue
        end = right(spot, places.after_sum)
        ax.plot(*np.array([spot, end]).T, color=theme.INK, lw=1.1, zorder=1)
        _circle(ax, spot, theme.tint(theme.GREY, 0.3))
        write(ax, spot, "Σ", fontsize=13, zorder=4)
        if len(names) > 1:
            above = spot + np.array([0.0, RADIUS + 0.1])
            write(ax, above, theme.pretty(names[k]), fontsize=8.5)
        if glyph:
            _function(ax, right(spot, places.after_sum - RADIUS - 0.1), glyph)


def draw_box(ax: Axes, ends: list[np.ndarray], words: str) -> list[np.ndarray]:
    """A box that takes in all scores; where its outputs leave."""
    low, high = min(end[1] for end in ends), max(end[1] for end in ends)
    corner, size = (ends[0][0], low - 0.3), (0.4, high - low + 0.6)
    look: Any = {"fc": theme.tint(theme.GREY, 0.18), "ec": theme.INK, "lw": 1.1, "zorder": 3}
    ax.add_patch(FancyBboxPatch(corner, *size, boxstyle="round,pad=0,rounding_size=0.08", **look))
    middle = np.array([corner[0] + size[0] / 2, (low + high) / 2])
    write(ax, middle, words, rotation=90, zorder=4)
    return [right(end, size[0]) for end in ends]


def _circle(ax: Axes, spot: np.ndarray, colour: Any) -> None:
    ax.add_patch(Circle(tuple(spot), RADIUS, fc=colour, ec=theme.INK, lw=1.1, zorder=3))


def _function(ax: Axes, spot: np.ndarray, glyph: str) -> None:
    """A node with the graph of its function."""
    _circle(ax, spot, "white")
    s = np.linspace(-1.0, 1.0, 41)
    curve = {
        "identity": s,
        "step": np.where(s < 0, -1.0, 1.0),
        "sigmoid": 2 / (1 + np.exp(-5 * s)) - 1,
    }[glyph]
    ax.plot(
        spot[0] + 0.62 * RADIUS * s,
        spot[1] + 0.5 * RADIUS * curve,
        color=theme.INK,
        lw=1.6,
        zorder=4,
    )
