"""Pictures of a trace: the boundaries on their way, still and moving."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy import sparse

from linscope.data.frames import first_installed, to_backend
from linscope.display import theme
from linscope.display.boundary_path import BoundaryPathDisplay
from linscope.display.drawing import draw_samples
from linscope.display.geometry import segment

if TYPE_CHECKING:
    from .replay import Replay
    from .trace_object import Trace


def boundary_path(trace: Trace, replay: Any, updates: Any, features: Any) -> BoundaryPathDisplay:
    """All boundaries of two classes."""
    X, y = _labelled_samples(trace, replay)
    weights = trace.path(updates=updates, problem=replay.name)
    return BoundaryPathDisplay.from_path(weights, X, y, features=features)


def _labelled_samples(trace: Trace, replay: Any) -> tuple[Any, np.ndarray]:
    """The samples of a problem with the names of the features, and two labels."""
    X = replay.X.toarray() if sparse.issparse(replay.X) else replay.X
    if trace.feature_names:
        with contextlib.suppress(ImportError):
            columns = {name: X[:, j] for j, name in enumerate(trace.feature_names)}
            X = to_backend(columns, first_installed())
    positive, negative = replay.problem.positive, replay.problem.negative
    if negative == "rest":
        positive = str(positive)
    return X, np.where(replay.y > 0, positive, negative)


def spread(count: int, most: int) -> np.ndarray:
    """At most so many of 0 … count − 1, evenly spread."""
    return np.unique(np.linspace(0, count - 1, min(most, count)).astype(int))


def animated(
    animation: Callable[..., FuncAnimation],
    display: Any,
    trace: Trace,
    replay: Replay,
    updates: Any,
    max_frames: int,
    fps: float,
) -> FuncAnimation:
    """The weights of a display one after the other, under the number of the update."""
    first, _ = replay.update_range(updates)
    places = spread(len(display.weights), max_frames)
    words: list[str] = []
    samples: list[int | None] = []
    for k in (first + places).tolist():
        words.append(f"update {k}")
        samples.append(None)
        if k and replay.single:
            visited = replay.samples(np.array([replay.update_steps[k - 1]]))
            samples[-1] = int(visited[0])
            words[-1] += f": sample {replay.given_names(visited, trace.sample_names)[0]}"
    return animation(display, places, words, samples, fps)


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
