"""Gradient steps of least squares replayed: one replay for each target."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linscope.fitting.gradient_state import GradientLog, Kept
from linscope.tracing.gradient_replay import GradientReplay

from .view import LineView


class LineReplay(GradientReplay):
    """Replay of one target."""

    view = LineView()


def gradient_replays(model, X, y, sample_weight) -> list[LineReplay]:
    """One replay for each target of a model that was fitted with its log."""
    solver, training, log = model._solver, model._training, model.result_.log
    model._solver = None  # it holds the whole table
    numbers = np.arange(len(training.Y)) if training.rows is None else training.rows
    eta = model.result_.details["eta"]
    replays = []
    for k, name in enumerate(training.targets):
        # Targets do not know of each other: each is what a fit to it alone would have done.
        own = replace(solver, y=np.ascontiguousarray(training.Y[:, k]), eta0=eta, engine=None)
        part = GradientLog(_column(log.kept, k), log.n_updates, log.batch_size, log.order)
        details = model.result_.details
        replays.append(LineReplay(name, own, part, training.X, numbers, details))
    return replays


def _column(kept: Kept, k: int) -> Kept:
    own = Kept(kept.most)
    own.stride = kept.stride
    own.arrays = {epoch: array[k : k + 1] for epoch, array in kept.arrays.items()}
    return own
