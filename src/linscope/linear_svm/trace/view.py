"""Dual coordinate descent as it is shown: y w·x, the slope G, α and the weights, D and P."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.reports.sheet import Change, Column, number, text, vector
from linscope.tracing.boundary_view import boundary_animation_of, boundary_path
from linscope.tracing.replay import Window
from linscope.tracing.steps import Step
from linscope.tracing.view import View, changes, given_names, weight_columns


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class CoordinateStep(Step):
    """One visit of dual coordinate descent.

    Attributes
    ----------
    normalized : y·w·x before the step
    gradient : G = y·w·x − 1 (+ α/2Cc for the squared hinge), the slope of −D in this α
    alpha_before, alpha : the dual coefficient before and after the step
    """

    normalized: Any = None
    gradient: Any = None
    alpha_before: Any = None
    alpha: Any = None

    def __repr__(self) -> str:
        seen = f"y w·x = {number(self.normalized)}, G = {number(self.gradient)}"
        if not self.update:
            return f"Step {self.number}: {self.where}, {seen}, α = {number(self.alpha)} stays"
        alpha = f"α {number(self.alpha_before)} → {number(self.alpha)}"
        change = f"{text(vector(self.before))} → {text(vector(self.after))}"
        return f"Step {self.number}: {self.where}, {seen}, {alpha}, {change}"


class CoordinateView(View):
    """One visit a step; a visit without a change leaves α at its bound."""

    def columns(self, replay, window: Window, criterion: bool) -> dict[str, np.ndarray]:
        margins, slopes = replay.slopes(window)
        before, after = replay.alphas(window)
        columns: dict[str, np.ndarray] = {
            "step": window.steps + 1,
            "epoch": replay.epochs(window.steps) + 1,
            "sample": replay.row_numbers[replay.samples(window.steps)],
            "normalized": margins,
            "gradient": slopes,
            "alpha_before": before,
            "alpha": after,
            "update": window.updated,
        }
        columns |= weight_columns(replay, window)
        if criterion:
            columns["dual"] = replay.dual(window.states)[window.after]
            columns["primal"] = replay.primal(window.states)[window.after]
        return columns

    def effects(self, replay, first: int, last: int) -> dict[str, np.ndarray]:
        steps, states = replay.update_steps[first:last], replay.states(first, last)
        dual, primal = replay.dual(states), replay.primal(states)
        return {
            "update": np.arange(first + 1, last + 1),
            "step": steps + 1,
            "sample": replay.row_numbers[replay.samples(steps)],
            "dual_before": dual[:-1],
            "dual_after": dual[1:],
            "primal_before": primal[:-1],
            "primal_after": primal[1:],
        }

    def headers(self, replay, criterion: bool) -> list[Column]:
        columns = [
            Column("visit", right=True),
            Column("sample"),
            Column("x", r"$\mathbf{x}$"),
            Column("y", "$y$", right=True),
            Column("y w·x", r"$y\,\mathbf{w}\cdot\mathbf{x}$", right=True),
            Column("G", "$G$", right=True),
            Column("α", r"$\alpha$"),
            Column("weights", r"weights $\mathbf{w}$"),
        ]
        if criterion:
            columns += [Column("D", "$D$", right=True), Column("P", "$P$", right=True)]
        return columns

    def cells(self, replay, window: Window, names, criterion: bool) -> list:
        samples = replay.samples(window.steps)
        before, after = replay.alphas(window)
        alphas = [
            Change(a, b if moved else None)
            for a, b, moved in zip(before, after, window.updated, strict=True)
        ]
        parts: list[Any] = [
            window.steps + 1,
            given_names(replay, samples, names),
            [vector(replay.row(i)) for i in samples],
            ["+1" if replay.solver.y[i] > 0 else "−1" for i in samples],
            *replay.slopes(window),
            alphas,
            changes(replay, window),
        ]
        if criterion:
            parts.append(replay.dual(window.states)[window.after])
            parts.append(replay.primal(window.states)[window.after])
        return parts

    def steps(self, replay, window: Window, names) -> Iterator[Step]:
        weights = replay.weights(window.states)
        columns = self.columns(replay, window, criterion=False)
        for t, sample in enumerate(replay.samples(window.steps)):
            given = int(columns["sample"][t])
            yield CoordinateStep(
                number=int(columns["step"][t]),
                epoch=int(columns["epoch"][t]),
                problem=replay.name,
                update=bool(window.updated[t]),
                before=weights[window.versions[t]],
                after=weights[window.after[t]],
                sample=given,
                name=None if names is None else names[given],
                x=replay.row(sample),
                y=int(replay.solver.y[sample]),
                **{k: columns[k][t] for k in ("normalized", "gradient", "alpha_before", "alpha")},
            )

    def heading(self, model) -> str:
        return "dual coordinate descent"

    def settings(self, model, replay) -> list[str]:
        bias = "bias penalised" if model.fit_intercept else "no bias"
        settings = [model.loss.replace("_", " "), f"C = {number(model.C)}", bias]
        settings.append(f"gap at most {number(replay.solver.tol)} of P")
        if replay.log.order.seed is not None:
            settings.append("shuffled")
        if len(replay.solver.c):
            settings.append("weighted")
        return settings

    def ending(self, model, replays: list) -> str:
        steps = sum(replay.n_steps for replay in replays)
        updates = sum(replay.n_updates for replay in replays)
        return f"{steps:,} visits, {updates:,} updates: {model.certificate_.text}"

    def plot(self, trace, replay, updates, features, ax) -> Any:
        return boundary_path(trace, replay, updates, features, ax)

    def animation(self, trace, replay, updates, features, max_frames: int, fps: float) -> Any:
        return boundary_animation_of(trace, replay, updates, features, max_frames, fps)
