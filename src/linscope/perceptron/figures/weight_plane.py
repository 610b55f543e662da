"""A plane of two weights; the others are held at their values in the current weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.base import Display
from linscope.display.drawing import draw_path
from linscope.display.geometry import Box
from linscope.display.inputs import Samples

from .held_weights import WeightPlane, choose_weights
from .weight_path import weight_path


def read_plane(
    samples: Samples, path: Any, weights: Any, fit_intercept: bool, *, name: str, at: Any = None
) -> WeightPlane:
    """The plane of two weights with a path in it; the others stay at ``at`` or the path's end."""
    full = np.zeros((0, samples.X.shape[1] + 1))
    if path is not None:
        full, model = weight_path(path, samples, name=name)
        fit_intercept = fit_intercept if model is None else model.fit_intercept
    pair = choose_weights(samples, weights, fit_intercept)
    current = full[-1] if len(full) else np.zeros(full.shape[1])
    if at is not None:
        current = np.asarray(at, dtype=np.float64)
        if current.shape != (full.shape[1],):
            raise ValueError(f"at must be {full.shape[1]} weights, bias first, got {at!r}")
    rest = [k for k in range(int(not fit_intercept), len(current)) if k not in pair]
    return WeightPlane(samples, pair, rest, current, full[:, list(pair)], fit_intercept)


@dataclass(eq=False, kw_only=True, repr=False)
class WeightPlaneDisplay(Display):
    """A figure in the plane of two weights.

    Attributes
    ----------
    path : the weights after each update in this plane, (k, 2); may be empty
    axes_names : the two weights, for instance ("w0", "w1")
    held : the other weights and their values, for instance {"w0": 1.0}; empty if there are two
    """

    path: np.ndarray
    axes_names: tuple[str, str]
    held: dict[str, float]

    def _held_at(self, most: int | None = None) -> str:
        shown = [f"{name} = {theme.number(value)}" for name, value in self.held.items()][:most]
        return ", ".join(shown) + (", …" if len(shown) < len(self.held) else "")

    def _draw_path(self, ax: Axes, box: Box) -> list:
        """The path, the axes, and the key entry of the path."""
        draw_path(ax, self.path)
        ax.set(xlim=box[:2], ylim=box[2:], xlabel=self.axes_names[0], ylabel=self.axes_names[1])
        entry = theme.line_entry("path of w, projected" if self.held else "path of w", lw=1.3)
        entry.set(marker="o", markerfacecolor="white", markeredgecolor=theme.INK, markersize=6)
        return [entry] if len(self.path) else []
