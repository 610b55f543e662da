"""A line on its way, and the path of its weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.animation import FuncAnimation
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from linscope.display import theme

from .lms_fit import LmsFitDisplay


def line_animation(
    display: LmsFitDisplay,
    places: np.ndarray,
    captions: Sequence[str],
    samples: Sequence[int | None],
    fps: float,
) -> FuncAnimation:
    """The line over the samples and the path of its weights; takes what the other one takes."""
    figure = Figure(figsize=display.size, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    axes = list(figure.subplots(1, 2))
    for ax in axes:
        theme.style(ax)
    display.draw_samples(axes[0])
    display.draw_surface(axes[1])
    ends = np.array(axes[0].get_xlim())
    (line,) = axes[0].plot([], [], color=theme.INK, lw=2.6, zorder=3)
    (path,) = axes[1].plot([], [], color=theme.INK, lw=1.2, marker="o", ms=3.5, zorder=7)
    (now,) = axes[1].plot([], [], marker="*", ms=15, mfc=theme.PURPLE, mec="white", zorder=8)
    points = np.column_stack([display.line.x, display.line.y])
    ring = axes[0].scatter([], [], s=130.0, facecolors="none", edgecolors=theme.WRONG, lw=2.0)
    values = display.line.criterion(display.weights[places])

    def draw(frame: int):
        weights = display.weights[: int(places[frame]) + 1]
        line.set_data(ends, weights[-1, 0] + weights[-1, 1] * ends)
        path.set_data(*weights.T)
        now.set_data(weights[-1:, 0], weights[-1:, 1])
        sample = samples[frame]
        ring.set_offsets(np.zeros((0, 2)) if sample is None else points[[sample]])
        theme.title(axes[0], captions[frame])
        theme.title(axes[1], f"J = {theme.number(float(values[frame]))}")
        return line, path, now, ring

    return FuncAnimation(figure, draw, frames=len(places), interval=1000.0 / fps)
