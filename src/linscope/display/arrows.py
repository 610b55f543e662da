"""Paths of weights, as arrows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes

from . import theme


def draw_path(ax: Axes, path: np.ndarray) -> None:
    """Arrows from weights to weights; a ring where it starts, a star where it ends."""
    if not len(path):
        return
    few = len(path) <= 40
    if few:
        for start, end in pairwise(path):
            arrow(ax, start, end, theme.INK, zorder=7)
    ax.plot(*path.T, color=theme.INK, lw=0 if few else 0.7, alpha=0.7, zorder=7)
    ax.plot(*path[0], marker="o", mfc="white", mec=theme.INK, mew=1.5, ms=7, zorder=8)
    ax.plot(*path[-1], marker="*", mfc=theme.PURPLE, mec="white", mew=0.8, ms=15, zorder=8)


def arrow(ax: Axes, start: np.ndarray, end: np.ndarray, colour: str, zorder: float) -> None:
    """An arrow from point to point in data coordinates."""
    style = {"arrowstyle": "-|>", "color": colour, "lw": 1.3, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", xy=tuple(end), xytext=tuple(start), arrowprops=style, zorder=zorder)
