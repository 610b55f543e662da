"""The width of a margin as an arrow from one dashed line to the other, where there is room."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.drawing import arrow
from linscope.display.geometry import Box, segment

# Places on the boundary where the width may be written.
PLACES = 81
# Length of its label, and how far it stays from the edges, as shares of the figure.
LABEL, EDGE = 0.19, 0.025


def draw_width(
    ax: Axes, box: Box, line: np.ndarray, points: np.ndarray, text: str, *, flat: bool
) -> None:
    """An arrow from f = −1 to f = +1 with its label, where the samples leave room for it."""
    middle = _free_place(box, line, points, flat)
    if middle is None:
        return
    ends = middle + np.outer([-1.0, 1.0], line[1:] / (line[1:] @ line[1:]))
    arrow(ax, ends[0], ends[1], theme.PURPLE, zorder=6, style="<->", lw=1.4)
    x, y = middle if flat else ends[np.argmax(ends[:, 0])]
    words = ax.annotate(
        text, (x, y), textcoords="offset points", xytext=(0, -7) if flat else (6, 0),
        ha="center" if flat else "left", va="top" if flat else "center",
        fontsize=theme.SMALL, color=theme.PURPLE, zorder=7,
    )  # fmt: skip
    words.set_bbox({"facecolor": "white", "edgecolor": "none", "alpha": 0.9, "pad": 1.0})


def _free_place(box: Box, line: np.ndarray, points: np.ndarray, flat: bool) -> np.ndarray | None:
    """The point of the boundary whose arrow and label are in the box and farthest from samples."""
    ends = segment(box, line)
    if ends is None:
        return None
    if flat:
        return np.array([ends[0, 0], -0.45])
    places = ends[0] + np.linspace(0.04, 0.96, PLACES)[:, None] * (ends[1] - ends[0])
    half = line[1:] / (line[1:] @ line[1:])
    half = half if half[0] >= 0 else -half  # the label is at the right end
    low, high = np.array(box)[[0, 2]], np.array(box)[[1, 3]]
    label = half + np.outer(np.linspace(0.0, LABEL, 5), [high[0] - low[0], 0.0])
    arrow = np.linspace(-1.0, 1.0, 9)[:, None] * half
    taken = places[:, None, :] + np.vstack([arrow, label])
    edge = EDGE * (high - low)
    inside = ((taken >= low + edge) & (taken <= high - edge)).all(axis=2)
    fits = inside.all(axis=1)
    if not fits.any():
        fits = inside[:, : len(arrow)].all(axis=1)
    if not fits.any():
        return None
    apart = (taken[:, :, None, :] - points) / (high - low)
    room = np.linalg.norm(apart, axis=-1).min(axis=(1, 2))
    return places[int(np.argmax(np.where(fits, room, -1.0)))]
