"""Gradient steps of least squares replayed: one replay for each target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from linscope.fitting.gradient_state import GradientLog, Kept
from linscope.fitting.training import Fitted
from linscope.rows.blocks import Block
from linscope.tracing.answer import Answer, labelled, of_problems
from linscope.tracing.gradient_replay import GradientReplay

from ..figures.lms_fit import LmsFitDisplay


class LineReplay(GradientReplay):
    """Replay of one target; with one feature the fit is a line over its samples."""

    picture = "a line: it needs one feature and an intercept; plot shows J"

    def answer(self, trace: Any, replays: Sequence[Any]) -> Answer:
        exact = trace.exact and not trace.estimator.average
        return labelled(of_problems(trace, replays, trace.replay() if exact else None))

    def display(self, trace: Any, updates: Any, features: Any) -> LmsFitDisplay | None:
        if self.weight_names != ["w0", "w1"]:
            return None
        X = self.X.toarray() if sparse.issparse(self.X) else self.X
        solver = self.solver
        weights = trace.path(updates=updates, problem=self.name)
        options = {"weight": solver.rows.weight, "alpha": solver.alpha}
        display = LmsFitDisplay.from_path(weights, X, np.asarray(self.y, float), **options)
        name = trace.feature_names[0] if trace.feature_names else "x"
        display.line = display.line._replace(name=name, target=self.name)
        return display


def gradient_replays(model, fitted: Fitted) -> list[LineReplay]:
    """One replay for each target of a model that was fitted with its log."""
    training, ((_, solver, result),) = fitted
    log = result.log
    numbers = np.arange(len(training.Y)) if training.rows is None else training.rows
    eta = model.result_.details["eta"]
    replays = []
    for k, name in enumerate(training.targets):
        # Targets do not know of each other: each is what a fit to it alone would have done.
        alone = solver.engine.n_targets == 1
        engine = solver.engine if alone else solver.engine.derive(_of_one_target, k)
        own = replace(solver, engine=engine, eta0=eta)
        part = GradientLog(_column(log.kept, k), log.n_updates, log.batch_size, log.order)
        details = model.result_.details
        replays.append(LineReplay(name, own, part, training.X, numbers, details))
    return replays


def _of_one_target(block: Block, k: int) -> tuple[Any, np.ndarray, np.ndarray]:
    return block.X, np.ascontiguousarray(block.y[:, k : k + 1]), block.weight


def _column(kept: Kept, k: int) -> Kept:
    own = Kept(kept.most)
    own.stride = kept.stride
    own.arrays = {epoch: array[k : k + 1] for epoch, array in kept.arrays.items()}
    return own
