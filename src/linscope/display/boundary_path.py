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
from .geometry import Box, segment
from .inputs import choose_view, read_samples, read_weights

MOST = 60


@dataclass(eq=False, kw_only=True, repr=False)
class BoundaryPathDisplay(SampleDisplay):
    """The boundary before the first update and after each.

    Attributes
    ----------
    weights : array (updates + 1, d + 1), bias first
    shown : numbers of the weights that are drawn (those that have a boundary; at most 60)
    lines : array (shown, 2, 2), their ends in the figure, NaN where a line misses it
    """

    weights: np.ndarray
    shown: np.ndarray
    lines: np.ndarray
    box: Box

    @classmethod
    def from_path(
        cls, weights: Any, X: Any, y: Any, *, features: Sequence[Any] | None = None
    ) -> Self:
        """From the weights at first and after each update, bias first."""
        samples = read_samples(X, y, binary=True)
        view = choose_view(samples, features)
        path = read_weights(weights, samples.X.shape[1], name="weights")
        box = view.box(view.points(samples.X), 0.2)
        planes = np.array([view.line(w) for w in path])
        shown = np.flatnonzero(planes[:, 1:].any(axis=1))
        if len(shown) > MOST:
            shown = shown[np.unique(np.linspace(0, len(shown) - 1, MOST).astype(int))]
        lines = np.full((len(shown), 2, 2), np.nan)
        for place, number in enumerate(shown):
            ends = segment(box, planes[number])
            lines[place] = np.nan if ends is None else ends
        return cls(samples=samples, view=view, weights=path, shown=shown, lines=lines, box=box)

    @property
    def title(self) -> str:
        updates = theme.count(len(self.weights) - 1, "update")
        if len(self.shown) == 0:
            return f"No boundary yet after {updates}{self.view.remark}"
        return f"{updates}: the boundary moves from faint to dark{self.view.remark}"

    def _stage(self, axes: list[Axes]) -> tuple[Callable[[int], None], np.ndarray]:
        """The samples; what moves is the boundary, with the one before it."""
        (ax,) = axes
        draw_samples(ax, self.samples, self.view, self.box)
        (faint,) = ax.plot([], [], color=theme.tint(theme.PURPLE, 0.5), lw=1.4, zorder=2)
        (line,) = ax.plot([], [], color=theme.INK, lw=2.6, zorder=3)

        def ends(place: int) -> np.ndarray:
            found = segment(self.box, self.view.line(self.weights[place]))
            return np.zeros((2, 0)) if found is None else found.T

        def move(place: int) -> None:
            line.set_data(*ends(place))
            faint.set_data(*(ends(place - 1) if place else np.zeros((2, 0))))

        return move, self.points

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        last = len(self.lines) - 1
        for place, ends in enumerate(self.lines):
            strength = place / last if last else 1.0
            final = place == last
            ax.plot(
                *ends.T,
                color=theme.INK if final else theme.tint(theme.PURPLE, 0.25 + 0.55 * strength),
                lw=2.6 if final else 1.1 + 0.7 * strength,
                zorder=3 if final else 2,
            )
        draw_samples(ax, self.samples, self.view, self.box)
        entries = theme.class_entries(self.labels)
        if last > 0:
            first = theme.tint(theme.PURPLE, 0.35)
            seen = self.shown[np.isfinite(self.lines[:, 0, 0])]
            begin = int(seen[0]) if len(seen) else int(self.shown[0])
            when = f"update {begin}" if begin else "start"
            entries.append(theme.line_entry(when, color=first))
        if last >= 0:
            entries.append(theme.line_entry(f"update {self.shown[-1]}", lw=2.6))
        theme.title_and_key(ax, self.title, entries)
