"""How the boundary moves: faint lines for early weights, strong ones for late."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes

from . import theme
from .base import SampleDisplay
from .drawing import draw_samples
from .geometry import Box, reaching, segment
from .inputs import choose_view, read_samples, read_weights
from .line_labels import draw_sides, label_lines, move_sides

MOST = 60
# So many lines are numbered, and the frame shows them all; so many have their weights in the key.
FEW, FEWER = 16, 6


@dataclass(eq=False, kw_only=True, repr=False)
class BoundaryPathDisplay(SampleDisplay):
    """The boundary before the first update and after each.

    Attributes
    ----------
    weights : array (updates + 1, d + 1), bias first
    first : number of the update that made the first of them; 0 is the start
    shown : places in ``weights`` of those that are drawn (they have a boundary; at most 60)
    lines : array (shown, 2, 2), their ends in the figure, NaN where a line misses it
    box : limits of the figure
    """

    weights: np.ndarray
    first: int
    shown: np.ndarray
    lines: np.ndarray
    box: Box

    @classmethod
    def from_path(
        cls, weights: Any, X: Any, y: Any, *, features: Sequence[Any] | None = None, first: int = 0
    ) -> Self:
        """From the weights at first and after each update, bias first."""
        samples = read_samples(X, y, binary=True)
        view = choose_view(samples, features)
        path = read_weights(weights, samples.X.shape[1], name="weights")
        planes = np.array([view.line(w) for w in path])
        shown = np.flatnonzero(planes[:, 1:].any(axis=1))
        if len(shown) > MOST:
            shown = shown[np.unique(np.linspace(0, len(shown) - 1, MOST).astype(int))]
        box = view.box(view.points(samples.X), 0.2)
        box = reaching(box, planes[shown if len(shown) <= FEW else shown[-1:]])
        lines = np.full((len(shown), 2, 2), np.nan)
        for place, number in enumerate(shown):
            ends = segment(box, planes[number])
            lines[place] = np.nan if ends is None else ends
        return cls(
            samples=samples, view=view, weights=path, first=first, shown=shown, lines=lines, box=box
        )

    @property
    def size(self) -> tuple[float, float]:
        return 6.0, 4.6 + 0.1 * len(self._chosen)  # of the key

    @property
    def numbers(self) -> np.ndarray:
        """The updates whose boundaries are drawn; 0 is the start."""
        return self.first + self.shown

    @property
    def title(self) -> str:
        last = self.first + len(self.weights) - 1
        updates = f"Updates {self.first + 1:,} to {last:,}"
        if self.first == 0 or last <= self.first + 1:
            updates = theme.count(len(self.weights) - 1, "update")
        if len(self.shown) == 0:
            return f"No boundary yet after {updates}{self.view.remark}"
        away = int(np.isnan(self.lines[:, 0, 0]).sum())
        missing = f" ({theme.count(away, 'line')} outside the frame)" if away else ""
        return f"{updates}: the boundary moves from faint to dark{missing}{self.view.remark}"

    def _stage(self, axes: list[Axes]) -> tuple[Callable[[int], None], np.ndarray]:
        """The samples; what moves is the boundary with its sides, and the one before it."""
        (ax,) = axes
        sides = draw_sides(ax, self.box, np.zeros(3))
        draw_samples(ax, self.samples, self.view, self.box)
        (faint,) = ax.plot([], [], color=theme.tint(theme.PURPLE, 0.5), lw=1.4, zorder=2)
        (line,) = ax.plot([], [], color=theme.INK, lw=2.6, zorder=3)
        before = theme.line_entry("before", color=theme.tint(theme.PURPLE, 0.5), lw=1.4)
        entries = [*theme.class_entries(self.labels), theme.line_entry("w·x = 0", lw=2.6), before]
        theme.title_and_key(ax, "", entries)

        def ends(place: int) -> np.ndarray:
            found = segment(self.box, self.view.line(self.weights[place]))
            return np.zeros((2, 0)) if found is None else found.T

        def move(place: int) -> None:
            line.set_data(*ends(place))
            faint.set_data(*(ends(place - 1) if place else np.zeros((2, 0))))
            move_sides(sides, self.box, self.view.line(self.weights[place]))

        return move, self.points

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        for place, ends in enumerate(self.lines):
            ax.plot(*ends.T, **self._look(place))
        if len(self.shown):
            planes = np.array([self.view.line(w) for w in self.weights[self.shown]])
            draw_sides(ax, self.box, planes[-1])
            if len(self.shown) <= FEW:
                colours = [self._look(place)["color"] for place in range(len(planes))]
                names = [str(number) if number else "start" for number in self.numbers.tolist()]
                label_lines(ax, self.box, planes, self.lines, names, colours, self.points)
        draw_samples(ax, self.samples, self.view, self.box)
        theme.title_and_key(ax, self.title, [*theme.class_entries(self.labels), *self._entries()])

    def _look(self, place: int) -> dict[str, Any]:
        """From faint to strong; the last one is black."""
        last = len(self.shown) - 1
        if place == last:
            return {"color": theme.INK, "lw": 2.6, "zorder": 3}
        strength = place / last
        colour = theme.tint(theme.PURPLE, 0.4 + 0.45 * strength)
        return {"color": colour, "lw": 1.1 + 0.7 * strength, "zorder": 2}

    @property
    def _chosen(self) -> list[int]:
        """What the key explains: all weights if they are few, else the first and the last line."""
        if len(self.weights) <= FEWER:
            return list(range(len(self.weights)))
        return sorted({*self.shown[:1].tolist(), *self.shown[-1:].tolist()})

    def _entries(self) -> list:
        """Key of the chosen weights."""
        places = dict(zip(self.shown.tolist(), range(len(self.shown)), strict=True))
        entries = []
        for k in self._chosen:
            look = self._look(places[k]) if k in places else {"ls": ""}
            entries.append(theme.line_entry(self._words(k, k in places), **look))
        return entries

    def _words(self, k: int, line: bool) -> str:
        number = self.first + k
        when = f"update {number}" if number else "start"
        w = self.weights[k]
        text = f"{when}: w = {theme.vector(w)}" if len(w) <= FEWER else when
        return text if line else f"{text}, no line"
