"""A moving picture of a trace: the boundary, or the fitted line, after each update."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from linscope.display import theme
from linscope.display.boundary_path import BoundaryPathDisplay
from linscope.display.drawing import draw_samples
from linscope.display.geometry import segment


def boundary_animation(
    display: BoundaryPathDisplay,
    places: np.ndarray,
    captions: Sequence[str],
    samples: Sequence[int | None],
    fps: float,
) -> FuncAnimation:
    """One frame for each of the weights ``places`` of the path.

    Parameters
    ----------
    display : the samples and the path of the weights
    places : which rows of ``display.weights`` to show
    captions, samples : what to say, and which sample to ring, for each frame
    fps : frames a second
    """
    figure = Figure(figsize=display.size, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    ax = figure.subplots()
    theme.style(ax)
    draw_samples(ax, display.samples, display.view, display.box)
    (faint,) = ax.plot([], [], color=theme.tint(theme.PURPLE, 0.5), lw=1.4, zorder=2)
    (line,) = ax.plot([], [], color=theme.INK, lw=2.6, zorder=3)
    points = display.view.points(display.samples.X)
    ring = ax.scatter([], [], s=130.0, facecolors="none", edgecolors=theme.WRONG, lw=2.0, zorder=5)

    def ends(place: int) -> np.ndarray:
        found = segment(display.box, display.view.line(display.weights[place]))
        return np.zeros((2, 0)) if found is None else found.T

    def draw(frame: int):
        place = int(places[frame])
        line.set_data(*ends(place))
        faint.set_data(*(ends(place - 1) if place else np.zeros((2, 0))))
        sample = samples[frame]
        ring.set_offsets(np.zeros((0, 2)) if sample is None else points[[sample]])
        theme.title(ax, captions[frame])
        return line, faint, ring

    return FuncAnimation(figure, draw, frames=len(places), interval=1000.0 / fps)


def check_path(path: Any) -> None:
    if Path(path).suffix.lower() != ".gif":
        raise ValueError(f"path must end in .gif, got {str(path)!r}")


def save(moving: FuncAnimation, path: Any, fps: float) -> None:
    """Write a GIF; an existing file is replaced only by a complete one."""
    target = Path(path)
    handle, name = tempfile.mkstemp(suffix=".gif", dir=target.parent or Path())
    os.close(handle)
    try:
        moving.save(name, writer=PillowWriter(fps=fps))  # type: ignore[arg-type]
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise
