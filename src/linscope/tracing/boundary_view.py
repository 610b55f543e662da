"""The boundaries of two classes on their way, as a figure and as a moving picture."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from scipy import sparse

from linscope.data.frames import first_installed, to_backend
from linscope.display.boundary_path import BoundaryPathDisplay

from .selection import update_range
from .view import captions, frame_places


def boundary_path(trace, replay, updates, features, ax) -> Any:
    """All boundaries in one figure, from faint to strong."""
    X, y = labelled_samples(trace, replay)
    weights = trace.path(updates=updates, problem=replay.name)
    return BoundaryPathDisplay.from_path(weights, X, y, features=features).plot(ax)


def boundary_animation_of(trace, replay, updates, features, max_frames: int, fps: float) -> Any:
    """One boundary after the other."""
    from .animate import boundary_animation

    X, y = labelled_samples(trace, replay)
    weights = trace.path(updates=updates, problem=replay.name)
    display = BoundaryPathDisplay.from_path(weights, X, y, features=features)
    first, _ = update_range(replay, updates)
    places = frame_places(len(weights), max_frames)
    words, samples = captions(trace, replay, (first + places).tolist())
    return boundary_animation(display, places, words, samples, fps)


def labelled_samples(trace, replay) -> tuple[Any, np.ndarray]:
    """The samples of a problem with the names of the features, and two labels."""
    X = replay.X.toarray() if sparse.issparse(replay.X) else replay.X
    if trace.feature_names:
        with contextlib.suppress(ImportError):
            columns = {name: X[:, j] for j, name in enumerate(trace.feature_names)}
            X = to_backend(columns, first_installed())
    positive, negative = replay.problem.positive, replay.problem.negative
    if negative == "rest":
        positive = str(positive)
    return X, np.where(replay.solver.y > 0, positive, negative)
