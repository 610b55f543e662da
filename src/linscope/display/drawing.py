"""Pieces that several figures draw: samples, regions, lines, paths of weights, contours."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from . import theme
from .geometry import ONE, Box, corners, half_plane, segment
from .inputs import Samples, View


def feature_axes(ax: Axes, names: tuple[str, str], box: Box, *, flat: bool = False) -> None:
    """Limits and names of two features; of one feature, no second axis."""
    ax.set(xlim=box[:2], ylim=box[2:])
    if flat:
        ax.set(yticks=[], xlabel=theme.name(names[0]))
        ax.spines["left"].set_visible(False)
    else:
        theme.label(ax, *names)


def draw_samples(ax: Axes, samples: Samples, view: View, box: Box, *, size: float = 42.0) -> None:
    """Samples and axes of a figure in feature space."""
    theme.scatter(ax, view.points(samples.X), samples.codes, size=size)
    feature_axes(ax, view.names, box, flat=view.flat)


def draw_regions(
    ax: Axes,
    u: np.ndarray,
    v: np.ndarray,
    leads: np.ndarray,
    *,
    border: Any = theme.INK,
    **look: Any,
) -> None:
    """Where each class leads, in its colour, and the border between them."""
    for code, lead in enumerate(leads):
        if (lead > 0).any():
            fill = [theme.tint(theme.class_colour(code), 0.17)]
            ax.contourf(u, v, lead, levels=[0.0, np.inf], colors=fill, zorder=0)
    # Of two classes the second has the same border.
    for lead in leads[1:] if len(leads) == 2 else leads:
        if border is not None and lead.min() < 0 < lead.max():
            ax.contour(u, v, lead, levels=[0.0], colors=[border], zorder=3, **look)


def draw_line(ax: Axes, box: Box, line: np.ndarray, **look: Any) -> None:
    """The part of c + a·x + b·y = 0 that is in the box."""
    ends = segment(box, line)
    if ends is not None:
        ax.plot(*ends.T, **{"zorder": 3, **look})


def draw_band(ax: Axes, box: Box, line: np.ndarray) -> None:
    """A boundary f = 0 and its margin: shaded between the dashed lines f = ±1."""
    band = half_plane(half_plane(corners(box), line + ONE), ONE - line)
    if len(band):
        ax.fill(*band.T, color=theme.tint(theme.GREY, 0.25), lw=0, zorder=0)
    draw_line(ax, box, line, color=theme.INK, lw=2.0)
    for shift in (-ONE, ONE):
        draw_line(ax, box, line + shift, color=theme.INK, lw=1.1, ls=theme.DASHED)


def draw_contours(ax: Axes, u: np.ndarray, v: np.ndarray, values: np.ndarray) -> None:
    """Shades and lines, denser near the minimum: those of a quadratic are evenly apart."""
    low, high = float(values.min()), float(values.max())
    levels = low + (max(high - low, 1e-300)) * np.linspace(0.0, 1.0, 14) ** 2
    ax.contourf(u, v, values, levels=levels, cmap=theme.LIGHT_TO_DARK, alpha=0.75)
    ax.contour(u, v, values, levels=levels[1:], colors="white", linewidths=0.8)
    ax.set(xlim=u[[0, -1]], ylim=v[[0, -1]])


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


def arrow(
    ax: Axes, start: Any, end: Any, colour: Any, zorder: float, style: str = "-|>", lw: float = 1.3
) -> None:
    """An arrow from point to point in data coordinates."""
    look = {"arrowstyle": style, "color": colour, "lw": lw, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", xy=tuple(end), xytext=tuple(start), arrowprops=look, zorder=zorder)
