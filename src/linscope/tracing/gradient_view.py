"""Gradient descent as it is shown: h(x) and y − h for single samples, ‖∇J‖ for batches, and J."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.display.lms_curve import lms_curve
from linscope.reports.sheet import Column, number, text, vector

from .replay import Window
from .selection import update_range
from .steps import Step
from .view import View, changes, frame_places, given_names, weight_columns

CURVE_POINTS = 400


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class GradientStep(Step):
    """One step of a gradient descent.

    Attributes
    ----------
    score, prediction, error : w·x, h(x) and y − h(x) of the sample before the update (stochastic
        rule; the score only where h is not the score itself)
    gradient_norm : ‖∇J‖ of the batch before the update (batch rules)
    eta : the learning rate of this step
    """

    score: Any = None
    prediction: Any = None
    error: Any = None
    gradient_norm: Any = None
    eta: Any = None

    def __repr__(self) -> str:
        if self.sample is None:
            seen = f"‖∇J‖ = {number(self.gradient_norm)}"
            where = f"{self.where}, " if self.batch is not None else ""
        else:
            seen = "" if self.score is None else f"w·x = {number(self.score)}, "
            seen += f"h(x) = {number(self.prediction)}, error {number(self.error)}"
            where = f"{self.where}, "
        change = f"{text(vector(self.before))} → {text(vector(self.after))}"
        return f"Step {self.number}: {where}{seen}, {change}"


class GradientView(View):
    """Batch, mini-batch and stochastic descent."""

    marks_updates = False  # every step is an update
    shows_scores = False  # h(x) is the score
    name = "gradient descent"

    def columns(self, replay, window: Window, criterion: bool) -> dict[str, np.ndarray]:
        columns: dict[str, np.ndarray] = {
            "step": window.steps + 1,
            "epoch": replay.epochs(window.steps) + 1,
        }
        if replay.single:
            predictions = replay.predictions(window)
            columns["sample"] = replay.row_numbers[replay.samples(window.steps)]
            if self.shows_scores:
                columns["score"] = replay.scores(window)
            columns["prediction"] = predictions
            columns["error"] = replay.errors(window, predictions)
        else:
            if replay.solver.kind == "mini-batch":
                columns["batch"] = replay.batches(window.steps) + 1
            columns["gradient_norm"] = replay.slopes(window)
        columns["eta"] = replay.rates(window)
        columns |= weight_columns(replay, window)
        if criterion:
            columns["J"] = replay.criterion(window.states[1:])
        return columns

    def effects(self, replay, first: int, last: int) -> dict[str, np.ndarray]:
        steps = np.arange(first, last)
        states = replay.states(first, last)
        J = replay.criterion(states)
        columns: dict[str, np.ndarray] = {"update": steps + 1, "step": steps + 1}
        if replay.single:
            samples = replay.samples(steps)
            columns["sample"] = replay.row_numbers[samples]
            for name, part in (("error_before", states[:-1]), ("error_after", states[1:])):
                pairs = zip(samples, part, strict=True)
                columns[name] = np.array([replay.error_of(i, state) for i, state in pairs])
        elif replay.solver.kind == "mini-batch":
            columns["batch"] = replay.batches(steps) + 1
        return columns | {"J_before": J[:-1], "J_after": J[1:], "rose": J[1:] > J[:-1]}

    def headers(self, replay, criterion: bool) -> list[Column]:
        rate = [Column("η", r"$\eta$", right=True)] if self._falls(replay) else []
        last = [Column("J", "$J$", right=True)] if criterion else []
        weights = Column("weights", r"weights $\mathbf{w}$")
        score = [Column("w·x", r"$\mathbf{w}\cdot\mathbf{x}$", right=True)]
        if replay.single:
            return [
                Column("visit", right=True),
                Column("sample"),
                Column("x", r"$\mathbf{x}$"),
                Column("y", "$y$", right=True),
                *(score if self.shows_scores else []),
                Column("h(x)", r"$h(\mathbf{x})$", right=True),
                Column("y − h", "$y-h$", right=True),
                *rate,
                weights,
                *last,
            ]
        columns = [Column("step", right=True)]
        if replay.solver.kind == "mini-batch":
            columns += [Column("pass", right=True), Column("batch", right=True)]
            columns += [Column("‖∇J_B‖", r"$\|\nabla J_B\|$", right=True)]
        else:
            columns += [Column("‖∇J‖", r"$\|\nabla J\|$", right=True)]
        return [*columns, *rate, weights, *last]

    def cells(self, replay, window: Window, names, criterion: bool) -> list:
        parts: list[Any] = [window.steps + 1]
        if replay.single:
            samples, predictions = replay.samples(window.steps), replay.predictions(window)
            parts += [given_names(replay, samples, names), [vector(replay.row(i)) for i in samples]]
            parts += [replay.y[samples], *([replay.scores(window)] if self.shows_scores else [])]
            parts += [predictions, replay.errors(window, predictions)]
        else:
            if replay.solver.kind == "mini-batch":
                parts += [replay.epochs(window.steps) + 1, replay.batches(window.steps) + 1]
            parts.append(replay.slopes(window))
        parts += [replay.rates(window)] if self._falls(replay) else []
        parts.append(changes(replay, window))
        parts += [replay.criterion(window.states[1:])] if criterion else []
        return parts

    def _falls(self, replay) -> bool:
        return replay.solver.schedule == "inverse"

    def steps(self, replay, window: Window, names) -> Iterator[Step]:
        weights = replay.weights(window.states)
        columns = self.columns(replay, window, criterion=False)
        samples = replay.samples(window.steps) if replay.single else window.steps
        for t, sample in enumerate(samples):
            extra: dict[str, Any] = {}
            if replay.single:
                given = int(columns["sample"][t])
                extra = {"sample": given, "x": replay.row(sample), "y": replay.y[sample]}
                extra["name"] = None if names is None else names[given]
                shown = ("score", "prediction", "error")
                extra |= {key: columns[key][t] for key in shown if key in columns}
            else:
                extra["gradient_norm"] = columns["gradient_norm"][t]
                extra["batch"] = int(columns["batch"][t]) if "batch" in columns else None
            yield GradientStep(
                number=int(columns["step"][t]),
                epoch=int(columns["epoch"][t]),
                problem=replay.name,
                update=True,
                before=weights[t],
                after=weights[t + 1],
                eta=columns["eta"][t],
                **extra,
            )

    def heading(self, model) -> str:
        return f"{model.solver} {self.name}"

    def settings(self, model, replay) -> list[str]:
        details = replay.details
        rate = f"η = {number(details['eta'])}" + ("/k" if model.schedule == "inverse" else "")
        if model.eta0 == "auto":
            rate += f" (auto: {details['eta_reason']})"
        settings = [rate, f"tol {number(replay.solver.tol)}", *self.penalty(model, replay)]
        if model.solver == "mini-batch":
            settings.append(f"batch size {replay.log.batch_size}")
        if model.shuffle and model.solver != "batch":
            settings.append("shuffled")
        if len(replay.solver.weight):
            settings.append("weighted")
        if model.average:
            settings.append("averaged")
        return settings

    def penalty(self, model, replay) -> list[str]:
        """The strength of the penalty, if there is one."""
        return [f"α = {number(replay.solver.alpha)}"] if replay.solver.alpha else []

    def ending(self, model, replays: list) -> str:
        updates = replays[0].n_steps
        passes = -(-updates // replays[0].log.batches_per_epoch)
        counts = f"{updates:,} update{'' if updates == 1 else 's'}"
        if model.solver != "batch":
            counts += f" in {passes:,} pass{'' if passes == 1 else 'es'}"
        return f"{counts}: {replays[0].details['explanation']}"

    def curve(self, replay, updates, ax) -> Any:
        """J after each update."""
        first, last = update_range(replay, updates)
        numbers = first + frame_places(last - first + 1, CURVE_POINTS)
        values = [float(replay.criterion(replay.states(k, k))[0]) for k in numbers.tolist()]
        return lms_curve(values, updates=numbers, ax=ax)
