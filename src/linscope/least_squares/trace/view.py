"""Gradient descent for least squares as it is drawn: a line over its samples, or J."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from linscope.tracing.gradient_view import GradientView
from linscope.tracing.selection import update_range
from linscope.tracing.view import captions, frame_places

from ..figures.lms_fit import LmsFitDisplay
from ..figures.moving_line import line_animation


class LineView(GradientView):
    """Batch, mini-batch and stochastic descent; with one feature the fit is a line."""

    def plot(self, trace, replay, updates, features, ax) -> Any:
        if _is_line(replay):
            return _line_display(trace, replay, updates).plot(ax)
        return self.curve(replay, updates, ax)

    def animation(self, trace, replay, updates, features, max_frames: int, fps: float) -> Any:
        if not _is_line(replay):
            raise ValueError(
                "animate shows a line: it needs one feature and an intercept; plot shows J instead"
            )
        display = _line_display(trace, replay, updates)
        first, _ = update_range(replay, updates)
        places = frame_places(len(display.weights), max_frames)
        words, samples = captions(trace, replay, (first + places).tolist())
        return line_animation(display, places, words, samples, fps)


def _is_line(replay) -> bool:
    return replay.weight_names == ["w0", "w1"]


def _line_display(trace, replay, updates) -> LmsFitDisplay:
    X = replay.X.toarray() if sparse.issparse(replay.X) else replay.X
    solver = replay.solver
    weights = trace.path(updates=updates, problem=replay.name)
    options = {"weight": solver.weight, "alpha": solver.alpha}
    display = LmsFitDisplay.from_path(weights, X, np.asarray(solver.y, float), **options)
    name = trace.feature_names[0] if trace.feature_names else "x"
    display.line = display.line._replace(name=name, target=replay.name)
    return display
