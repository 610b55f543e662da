"""Sequential minimal optimisation as it is shown: the pair, its α, the dual value and the gap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.reports.sheet import Change, Column, number, vector
from linscope.tracing.boundary_view import boundary_animation_of, boundary_path
from linscope.tracing.replay import Window
from linscope.tracing.selection import update_range
from linscope.tracing.steps import Step
from linscope.tracing.view import View, frame_places, given_names, weight_columns

from ..figures.dual_ascent import dual_ascent

# Of so few samples all α are shown, of more only those of the pair.
FEW = 8
CURVE_POINTS = 2000


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SmoStep(Step):
    """One pair of sequential minimal optimisation.

    ``before`` and ``after`` are α of all samples of the problem.

    Attributes
    ----------
    i, j : rows of the two samples, from 0; y_i α_i grows, y_j α_j shrinks by as much
    names : their names, if there are any
    alpha_i_before, alpha_i, alpha_j_before, alpha_j : their α before and after
    clipped : whether a bound, 0 or C, cut the step short
    dual : D(α) after the step
    gap : m(α) − M(α) after the step; the run ends when it is at most tol
    """

    i: int = 0
    j: int = 0
    names: tuple[str, str] | None = None
    alpha_i_before: float = 0.0
    alpha_i: float = 0.0
    alpha_j_before: float = 0.0
    alpha_j: float = 0.0
    clipped: bool = False
    dual: float = 0.0
    gap: float = 0.0

    @property
    def where(self) -> str:
        """The pair, in words."""
        i, j = self.names if self.names is not None else (self.i, self.j)
        return f"samples {i} and {j}"

    def __repr__(self) -> str:
        moves = (
            f"α_i {number(self.alpha_i_before)} → {number(self.alpha_i)}, "
            f"α_j {number(self.alpha_j_before)} → {number(self.alpha_j)}"
        )
        cut = ", clipped" if self.clipped else ""
        end = f"D = {number(self.dual)}, gap {number(self.gap)}"
        return f"Step {self.number}: {self.where}, {moves}{cut}, {end}"


class SmoView(View):
    """A pair a step."""

    gap = "m − M"
    marks_updates = False

    def columns(self, replay, window: Window, criterion: bool) -> dict[str, np.ndarray]:
        log, steps = replay.log, window.steps
        before, after = replay.alphas(window)
        dual, gap, primal = (replay.measures[steps + 1, k] for k in (1, 2, 3))
        columns: dict[str, np.ndarray] = {
            "step": steps + 1,
            "i": replay.row_numbers[log.grown[steps]],
            "j": replay.row_numbers[log.shrunk[steps]],
            "alpha_i_before": before[0],
            "alpha_i": after[0],
            "alpha_j_before": before[1],
            "alpha_j": after[1],
            "clipped": log.clipped[steps],
            "dual": dual,
            "gap": gap,
        }
        columns |= {"primal": primal} if criterion else {}
        if replay.n_given <= FEW:
            all_rows = np.zeros((len(steps), replay.n_given))
            all_rows[:, replay.row_numbers] = window.states[window.after, : len(replay.y)]
            columns |= {f"a{row}": all_rows[:, row] for row in range(replay.n_given)}
        return columns | weight_columns(replay, window)

    def effects(self, replay, first: int, last: int) -> dict[str, np.ndarray]:
        values = replay.measures[first : last + 1]
        return {
            "update": np.arange(first + 1, last + 1),
            "step": np.arange(first + 1, last + 1),
            "i": replay.row_numbers[replay.log.grown[first:last]],
            "j": replay.row_numbers[replay.log.shrunk[first:last]],
            "dual_before": values[:-1, 1],
            "dual_after": values[1:, 1],
            "gap_before": values[:-1, 2],
            "gap_after": values[1:, 2],
            "primal_before": values[:-1, 3],
            "primal_after": values[1:, 3],
        }

    def headers(self, replay, criterion: bool) -> list[Column]:
        columns = [
            Column("step", right=True),
            Column("i", "$i$"),
            Column("j", "$j$"),
            Column("clip"),
            Column("D", "$D$", right=True),
            Column("m − M", "$m - M$", right=True),
        ]
        columns += [Column("P", "$P$", right=True)] if criterion else []
        if len(replay.y) <= FEW:
            return [*columns, Column("α", r"$\alpha$")]
        return [*columns, Column("α_i", r"$\alpha_i$"), Column("α_j", r"$\alpha_j$")]

    def cells(self, replay, window: Window, names, criterion: bool) -> list:
        log, steps = replay.log, window.steps
        before, after = replay.alphas(window)
        dual, gap, primal = (replay.measures[steps + 1, k] for k in (1, 2, 3))
        parts: list[Any] = [
            steps + 1,
            _moves(replay, log.grown[steps], names, after[0] > before[0]),
            _moves(replay, log.shrunk[steps], names, after[1] > before[1]),
            ["yes" if cut else "no" for cut in log.clipped[steps]],
            dual,
            [_short(value) for value in gap],
        ]
        parts += [primal] if criterion else []
        if len(replay.y) > FEW:
            moves = zip(before, after, strict=True)
            return parts + [[_change(*pair) for pair in zip(a, b, strict=True)] for a, b in moves]
        alpha = window.states[:, : len(replay.y)]
        versions = zip(window.versions, window.after, strict=True)
        return [*parts, [Change(vector(alpha[a]), vector(alpha[b])) for a, b in versions]]

    def steps(self, replay, window: Window, names) -> Iterator[Step]:
        columns = self.columns(replay, window, criterion=False)
        alpha = window.states[:, : len(replay.y)]
        kept = ("i", "j", "alpha_i_before", "alpha_i", "alpha_j_before", "alpha_j")
        for t, k in enumerate(window.steps):
            i, j = int(columns["i"][t]), int(columns["j"][t])
            yield SmoStep(
                number=int(k) + 1,
                epoch=1,
                problem=replay.name,
                update=True,
                before=alpha[window.versions[t]],
                after=alpha[window.after[t]],
                names=None if names is None else (names[i], names[j]),
                clipped=bool(columns["clipped"][t]),
                **{name: columns[name][t].item() for name in (*kept, "dual", "gap")},
            )

    def heading(self, model) -> str:
        return "sequential minimal optimisation"

    def settings(self, model, replay) -> list[str]:
        kernel = model.kernel if isinstance(model.kernel, str) else "a function"
        settings = [f"kernel {kernel}", f"C = {number(model.C)}", f"tol {number(model.tol)}"]
        if kernel in ("rbf", "poly", "sigmoid"):
            settings.insert(1, f"γ = {number(model._gamma)}")
        if kernel == "poly":
            settings.insert(2, f"degree {model.degree}")
        if kernel in ("poly", "sigmoid"):
            settings.insert(-2, f"coef0 {number(model.coef0)}")
        if len(np.unique(replay.solver.problem.C)) > 1:
            settings.append("weighted")
        return settings

    def ending(self, model, replays: list) -> str:
        steps = sum(replay.n_steps for replay in replays)
        clipped = sum(int(replay.log.clipped.sum()) for replay in replays)
        count = f"{steps:,} pair{'' if steps == 1 else 's'}, {clipped:,} clipped"
        return f"{count}: {model.certificate_.text}"

    def plot(self, trace, replay, updates, features, ax) -> Any:
        if _draws_boundaries(replay, features):
            return boundary_path(trace, replay, updates, features, ax)

        first, last = update_range(replay, updates)
        numbers = first + frame_places(last - first + 1, CURVE_POINTS)
        values = replay.measures[numbers]
        tol = float(replay.solver.tol)
        return dual_ascent(values[:, 1], values[:, 2], steps=numbers, tol=tol, ax=ax)

    def animation(self, trace, replay, updates, features, max_frames: int, fps: float) -> Any:
        if not _draws_boundaries(replay, features):
            raise ValueError(
                "animate shows the boundary of a linear kernel and two features; plot shows D and "
                "the gap instead"
            )
        return boundary_animation_of(trace, replay, updates, features, max_frames, fps)


def _moves(replay, samples: np.ndarray, names, grows: np.ndarray) -> list[str]:
    """The samples, and whether their α grows or shrinks."""
    given = given_names(replay, samples, names)
    return [f"{name} {'↑' if up else '↓'}" for name, up in zip(given, grows, strict=True)]


def _short(value: float) -> float:
    """Three digits."""
    return float(f"{value:.3g}")


def _change(before: float, after: float) -> Change:
    return Change(_short(before), _short(after))


def _draws_boundaries(replay, features) -> bool:
    return replay.linear and (replay.X.shape[1] <= 2 or features is not None)
