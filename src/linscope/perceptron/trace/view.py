"""The perceptron rule as it is shown: visits with verdicts, mistakes, J_p, the boundary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linscope.reports.sheet import Change, Column, number, text, vector
from linscope.tracing.boundary_view import boundary_animation_of, boundary_path
from linscope.tracing.replay import Window
from linscope.tracing.steps import Step
from linscope.tracing.view import View, changes, given_names, weight_columns

RULES = {"single": "single-sample rule", "batch": "batch rule", "mini-batch": "mini-batch rule"}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PerceptronStep(Step):
    """One step of a perceptron.

    Attributes
    ----------
    score, normalized : w·x and y·w·x before the update (single-sample rules)
    alpha : coefficient of the sample after the step (kernel rules)
    batch_mistakes : of the batch (batch rules)
    """

    score: Any = None
    normalized: Any = None
    alpha: Any = None
    batch_mistakes: int | None = None
    _replay: Any = field(default=None)

    @property
    def verdict(self) -> str:
        return "mistake → update" if self.update else "correct"

    def _states(self):
        log = self._replay.update_steps
        first = int(np.searchsorted(log, self.number - 1))
        return self._replay.states(first, first + 1)

    @property
    def too_small(self) -> bool:
        """Is the sample still misclassified after its update (the step was too small)?"""
        if not self.update or self.sample is None:
            return False
        here = self._replay.samples(np.array([self.number - 1]))
        return not bool(self._replay.fixed(here, self._states())[0])

    @property
    def broken(self) -> int:
        """How many samples that were right became mistakes (the step was too large)."""
        return int(self._replay.changes(self._states())[1][0]) if self.update else 0

    def __repr__(self) -> str:
        where = self.where
        if self.sample is None:
            where += f", {self.batch_mistakes} mistakes"
        score = "" if self.score is None else f", w·x = {number(self.score)}"
        change = ""
        if len(self.after):
            change = f", {text(vector(self.before))} → {text(vector(self.after))}"
        return f"Step {self.number}: {where}{score}, {self.verdict}{change if self.update else ''}"


class PerceptronView(View):
    """Linear and kernel perceptrons; these have coefficients α instead of weights."""

    gap = "verdict"

    def columns(self, replay, window: Window, criterion: bool) -> dict[str, np.ndarray]:
        columns: dict[str, np.ndarray] = {
            "step": window.steps + 1,
            "epoch": replay.epochs(window.steps) + 1,
        }
        if replay.single:
            samples, scores = replay.samples(window.steps), replay.scores(window)
            columns["sample"] = replay.row_numbers[samples]
            columns["score"] = scores
            columns["normalized"] = replay.normalized(window, scores)
        else:
            columns["batch"] = replay.batches(window.steps) + 1
            columns["batch_mistakes"] = replay.batch_mistakes(window)
        columns["update"] = window.updated
        if replay.kernel:
            alphas = replay.alphas(window.states)
            if replay.single:
                columns["alpha"] = alphas[window.after, samples]
            columns["support"] = np.count_nonzero(alphas, axis=1)[window.after]
        columns |= weight_columns(replay, window)
        if criterion:
            mistakes, values = replay.measure(window.states)
            columns["mistakes"], columns["criterion"] = mistakes[window.after], values[window.after]
        return columns

    def effects(self, replay, first: int, last: int) -> dict[str, np.ndarray]:
        steps = replay.update_steps[first:last]
        states = replay.states(first, last)
        mistakes, criterion = replay.measure(states)
        mended, broken = replay.changes(states)
        columns: dict[str, np.ndarray] = {
            "update": np.arange(first + 1, last + 1),
            "step": steps + 1,
        }
        if replay.single:
            samples = replay.samples(steps)
            columns["sample"] = replay.row_numbers[samples]
            fixed = replay.fixed(samples, states)
        else:
            columns["batch"] = replay.batches(steps) + 1
            fixed = mended
        columns |= {
            "mistakes_before": mistakes[:-1],
            "mistakes_after": mistakes[1:],
            "criterion_before": criterion[:-1],
            "criterion_after": criterion[1:],
            "fixed": fixed,
            "broken": broken,
        }
        return columns

    def headers(self, replay, criterion: bool) -> list[Column]:
        columns: list[Column] = []
        if replay.single:
            columns += [Column("visit", right=True), Column("sample")]
            columns += [Column("x", r"$\mathbf{x}$")] if replay.X is not None else []
            columns += [Column("y", "$y$", right=True)]
            if replay.kernel:
                columns += [Column("score", right=True)]
            else:
                columns += [Column("w·x", r"$\mathbf{w}\cdot\mathbf{x}$", right=True)]
        else:
            columns += [Column("step", right=True), Column("pass", right=True)]
            columns += [Column("batch", right=True)] if replay.log.batches_per_epoch > 1 else []
        columns += [Column("verdict")]
        if replay.kernel:
            columns += [Column("α", r"$\alpha$")] if replay.single else []
            columns += [Column("support", right=True)]
        if replay.weight_names:
            columns += [Column("weights", r"weights $\mathbf{w}$")]
        if criterion:
            columns += [Column("mistakes", right=True), Column("J_p", "$J_p$", right=True)]
        return columns

    def cells(self, replay, window: Window, names, criterion: bool) -> list:
        visits = self._visits if replay.single else self._batches
        parts = visits(replay, window, names)
        if replay.kernel:
            parts += self._coefficients(replay, window)
        if replay.weight_names:
            parts.append(changes(replay, window))
        if criterion:
            mistakes, values = replay.measure(window.states)
            parts += [mistakes[window.after], values[window.after]]
        return parts

    def _visits(self, replay, window: Window, names) -> list:
        samples = replay.samples(window.steps)
        parts: list[Any] = [window.steps + 1, given_names(replay, samples, names)]
        if replay.X is not None:
            parts.append([vector(replay.row(i)) for i in samples])
        signs = ["+1" if replay.solver.y[i] > 0 else "−1" for i in samples]
        verdicts = ["mistake → update" if update else "correct" for update in window.updated]
        return [*parts, signs, replay.scores(window), verdicts]

    def _batches(self, replay, window: Window, names) -> list:
        parts = [window.steps + 1, replay.epochs(window.steps) + 1]
        if replay.log.batches_per_epoch > 1:
            parts.append(replay.batches(window.steps) + 1)
        verdicts = [
            f"{count:,} mistake{'s' if count > 1 else ''} → update" if count else "correct"
            for count in replay.batch_mistakes(window)
        ]
        return [*parts, verdicts]

    def _coefficients(self, replay, window: Window) -> list:
        alphas = replay.alphas(window.states)
        support = np.count_nonzero(alphas, axis=1)[window.after]
        if not replay.single:
            return [support]
        samples = replay.samples(window.steps)
        cells = [
            Change(alphas[a, i], alphas[b, i] if b > a else None)
            for i, a, b in zip(samples, window.versions, window.after, strict=True)
        ]
        return [cells, support]

    def steps(self, replay, window: Window, names) -> Iterator[Step]:
        weights = replay.weights(window.states)
        columns = self.columns(replay, window, criterion=False)
        samples = replay.samples(window.steps) if replay.single else window.steps
        for t, sample in enumerate(samples):
            extra: dict[str, Any] = {}
            if replay.single:
                given = int(columns["sample"][t])
                extra = {
                    "sample": given,
                    "name": None if names is None else names[given],
                    "x": replay.row(sample),
                    "y": int(replay.solver.y[sample]),
                    "score": columns["score"][t],
                    "normalized": columns["normalized"][t],
                    "alpha": columns["alpha"][t] if "alpha" in columns else None,
                }
            else:
                for key in ("batch", "batch_mistakes"):
                    extra[key] = int(columns[key][t])
            yield PerceptronStep(
                number=int(columns["step"][t]),
                epoch=int(columns["epoch"][t]),
                problem=replay.name,
                update=bool(window.updated[t]),
                before=weights[window.versions[t]],
                after=weights[window.after[t]],
                _replay=replay,
                **extra,
            )

    def heading(self, model) -> str:
        return RULES[model.rule]

    def settings(self, model, replay) -> list[str]:
        rate = f"η = {number(model.eta0)}" + ("/k" if model.schedule == "inverse" else "")
        settings = [f"tie {model.tie}", rate]
        if hasattr(model, "init"):
            init = model.init if isinstance(model.init, str) else text(vector(np.ravel(model.init)))
            settings.append(f"init {init}")
        else:
            settings.append(f"kernel {model.kernel}")
        settings.append(f"stop {model.stop}")
        if model.margin:
            settings.append(f"margin {number(model.margin)}")
        if model.rule == "mini-batch":
            settings.append(f"batch size {replay.log.batch_size}")
        if model.shuffle:
            settings.append("shuffled")
        if len(replay.solver.weight):
            settings.append("weighted")
        if model.output != "last":
            settings.append(f"output {model.output}")
        return settings

    def ending(self, model, replays: list) -> str:
        steps = sum(replay.n_steps for replay in replays)
        updates = sum(replay.n_updates for replay in replays)
        what = "visits" if replays[0].single else "batches"
        return f"{steps:,} {what}, {updates:,} updates: {model.certificate_.text}"

    def plot(self, trace, replay, updates, features, ax) -> Any:
        return boundary_path(trace, replay, updates, features, ax)

    def animation(self, trace, replay, updates, features, max_frames: int, fps: float) -> Any:
        return boundary_animation_of(trace, replay, updates, features, max_frames, fps)
