"""Gradient steps of logistic regression as they are shown: score, h(x) = σ(w·x), y − h."""

from __future__ import annotations

from typing import Any

from linscope.reports.sheet import number
from linscope.tracing.boundary_view import boundary_animation_of, boundary_path
from linscope.tracing.gradient_view import GradientView


class LogisticView(GradientView):
    """Batch, mini-batch and stochastic steps on the log loss."""

    shows_scores = True
    name = "gradient descent on the log loss"

    def penalty(self, model, replay) -> list[str]:
        return [f"C = {number(model.C)}"] if replay.solver.alpha else ["no penalty"]

    def ending(self, model, replays: list) -> str:
        if len({id(replay.log) for replay in replays}) == 1:
            return super().ending(model, replays)
        updates = sum(replay.n_steps for replay in replays)
        return f"{updates:,} updates: {model.certificate_.text}"

    def plot(self, trace, replay, updates, features, ax) -> Any:
        if _draws_boundaries(replay, features):
            return boundary_path(trace, replay, updates, features, ax)
        return self.curve(replay, updates, ax)

    def animation(self, trace, replay, updates, features, max_frames: int, fps: float) -> Any:
        if not _draws_boundaries(replay, features):
            raise ValueError(
                "animate shows the boundary of two classes and two features; plot shows J instead"
            )
        return boundary_animation_of(trace, replay, updates, features, max_frames, fps)


def _draws_boundaries(replay, features) -> bool:
    few = len(replay.weight_names) - replay.intercept <= 2
    return replay.problem is not None and (few or features is not None)
