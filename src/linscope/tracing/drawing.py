"""Pictures of a trace: the boundaries on their way, still and moving."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from scipy import sparse

from linscope.data.frames import with_names
from linscope.display import theme
from linscope.display.boundary_path import BoundaryPathDisplay
from linscope.display.files import complete_file

if TYPE_CHECKING:
    from .replay import Replay
    from .trace_object import Trace

# So many weights are shown under the number of an update.
MOST_WEIGHTS = 6


def boundary_path(trace: Trace, replay: Any, updates: Any, features: Any) -> BoundaryPathDisplay:
    """All boundaries of two classes."""
    X, y = _labelled_samples(trace, replay)
    weights = trace.path(updates=updates, problem=replay.name)
    first, _ = replay.update_range(updates)
    return BoundaryPathDisplay.from_path(weights, X, y, features=features, first=first)


def _labelled_samples(trace: Trace, replay: Any) -> tuple[Any, np.ndarray]:
    """The samples of a problem with the names of the features, and two labels."""
    X = replay.X.toarray() if sparse.issparse(replay.X) else replay.X
    if trace.feature_names:
        X = with_names(X, trace.feature_names)
    positive, negative = replay.problem.positive, replay.problem.negative
    if negative == "rest":
        positive = str(positive)
    return X, np.where(replay.y > 0, positive, negative)


def spread(count: int, most: int) -> np.ndarray:
    """At most so many of 0 … count − 1, evenly spread."""
    return np.unique(np.linspace(0, count - 1, min(most, count)).astype(int))


def animated(
    display: Any, trace: Trace, replay: Replay, updates: Any, max_frames: int, fps: float
) -> FuncAnimation:
    """The weights of a display one after the other, under the number of the update.

    Each caption has two lines, so that the picture does not move under it.
    """
    first, _ = replay.update_range(updates)
    places = spread(len(display.weights), max_frames)
    words: list[str] = []
    samples: list[int | None] = []
    for k in (first + places).tolist():
        words.append(f"update {k}" if k else "start")
        samples.append(None)
        if k and replay.single:
            visited = replay.samples(np.array([replay.update_steps[k - 1]]))
            samples[-1] = int(visited[0])
            words[-1] += f": sample {replay.given_names(visited, trace.sample_names)[0]}"
    if display.weights.shape[1] <= MOST_WEIGHTS:
        for frame, place in enumerate(places):
            words[frame] += f"\nw = {theme.vector(display.weights[place])}"
    return display.animation(places, words, samples, fps)


def check_path(path: Any) -> None:
    if Path(path).suffix.lower() != ".gif":
        raise ValueError(f"path must end in .gif, got {str(path)!r}")


def save(moving: FuncAnimation, path: Any, fps: float) -> None:
    """Write a GIF; an existing file is replaced only by a complete one."""
    with complete_file(path) as name:
        moving.save(name, writer=PillowWriter(fps=fps))  # type: ignore[arg-type]
