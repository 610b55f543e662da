"""Labels and arrows on lines in the plane: which line is it, and which side is positive?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

from . import theme
from .drawing import arrow
from .geometry import SHAPE, Box, corners, free_place, half_plane

LENGTH = 0.085


def draw_sides(ax: Axes, box: Box, line: np.ndarray) -> list[Polygon]:
    """Both sides of c + a·x + b·y = 0 in the colours of their classes, the positive one last."""
    sides = []
    for code in (0, 1):
        fill = theme.tint(theme.class_colour(code), 0.14)
        sides += ax.fill(*corners(box).T, color=fill, lw=0, zorder=0)
    move_sides(sides, box, line)
    return sides


def move_sides(sides: Sequence[Polygon], box: Box, line: np.ndarray) -> None:
    """To another line; one without direction has no sides."""
    for side, sign in zip(sides, (-1.0, 1.0), strict=True):
        part = half_plane(corners(box), sign * line) if line[1:].any() else np.zeros((0, 2))
        side.set_visible(len(part) > 2)
        if len(part) > 2:
            side.set_xy(part)


def to_positive(
    ax: Axes, box: Box, line: np.ndarray, foot: np.ndarray, colour: Any, zorder: float = 3
) -> None:
    """A short arrow from a point of the line to its positive side, upright on the screen."""
    width, height = (box[1] - box[0]) / SHAPE, box[3] - box[2]
    step = line[1:] * [width**2, height**2]
    step = step * LENGTH / np.hypot(step[0] / width, step[1] / height)
    arrow(ax, foot, foot + step, colour, zorder=zorder)


def label_lines(
    ax: Axes,
    box: Box,
    lines: np.ndarray,
    ends: np.ndarray,
    labels: Sequence[str],
    colours: Sequence[Any],
    points: np.ndarray,
) -> None:
    """A label on each line, off the samples and the other lines, and an arrow to its side.

    ``lines`` are (c, a, b), ``ends`` what is seen of them; NaN for those that are not.
    """
    share = np.linspace(0.0, 1.0, 60)[:, None]
    spots = [start + share * (end - start) for start, end in ends]
    placed = np.zeros((0, 2))
    for k, label in enumerate(labels):
        if np.isnan(ends[k]).any():
            continue
        others = [
            each for each in spots if np.isfinite(each).all() and not np.allclose(each, spots[k])
        ]
        taken = np.vstack([points, placed, *others])
        foot = free_place(box, ends[k], taken, (0.02 + 0.009 * min(len(label), 24), 0.04))
        to_positive(ax, box, lines[k], _beside(box, ends[k], foot, label), colours[k])
        words = ax.text(
            foot[0], foot[1], theme.name(label, 24), fontsize=theme.SMALL, color=theme.INK,
            ha="center", va="center", clip_on=True, zorder=6,
        )  # fmt: skip
        edge = {"facecolor": "white", "edgecolor": colours[k], "boxstyle": "round,pad=0.2", "lw": 1}
        words.set_bbox(edge)
        placed = np.vstack([placed, foot])


def _beside(box: Box, ends: np.ndarray, foot: np.ndarray, label: str) -> np.ndarray:
    """Where the arrow starts: under a short label, beside a long one that would cover it."""
    if len(label) <= 5:
        return foot
    along = ends[1] - ends[0]
    share = 0.12 / float(np.linalg.norm(along / [box[1] - box[0], box[3] - box[2]]))
    to_middle = 1.0 if (ends.mean(axis=0) - foot) @ along >= 0 else -1.0
    return foot + to_middle * share * along
