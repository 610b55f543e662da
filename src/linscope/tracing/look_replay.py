"""Methods of few steps, each after a look at all rows: the log has the weights themselves.

A state is the weights of all columns, followed by the objective P. Shown are the numbers that the
solver measured and how it went on; the last row is the look that ended the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linscope.reports.cells import number, text, vector
from linscope.reports.table import Column
from linscope.results import Look

from .replay import Replay, Shown, Window
from .steps import Step

# How the numbers of a look are shown; whole numbers have words for headers.
COLUMNS = {
    "P": Column.formula("P"),
    "gap": Column("gap", right=True),
    "gradient_norm": Column.formula(r"\|\nabla P\|"),
    "decrement": Column.formula(r"\lambda"),
    "active": Column("active", right=True),
    "features": Column("features", right=True),
    "sweeps": Column("sweeps", right=True),
    "products": Column("products", right=True),
    "newton_steps": Column("Newton steps", right=True),
    "t": Column.formula("t"),
}
# So many digits do for what only has to be small.
SHORT = {"gap", "gradient_norm", "decrement"}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LookStep(Step):
    """One look at all rows, and the step that followed.

    Attributes
    ----------
    numbers : what the solver measured before the step and how it went on, by name
    rows : how many rows it looked at
    by : what made the step, if there is more than one way
    """

    numbers: dict[str, float] = field(default_factory=dict)
    rows: int = 0
    by: str = ""

    def __repr__(self) -> str:
        known = {name: value for name, value in self.numbers.items() if value == value}
        seen = ", ".join(f"{COLUMNS[name].header} = {number(v)}" for name, v in known.items())
        change = text(vector(self.before))
        if self.update:
            change += f" → {text(vector(self.after))}"
        return f"Step {self.number}: {seen}, {change}"


class LookReplay(Replay):
    """Replay of one problem, or of one class of a softmax.

    Parameters
    ----------
    name : of the problem
    log : the looks, weights (d + 1) or (rows, d + 1) in the units of the table
    X, y : the samples, and whether each is on the positive side
    row_numbers : where these rows are in the table that was given to the fit
    intercept : whether there is a bias
    column : which row of the weights is shown
    """

    step = LookStep
    marks_updates = False
    single = False
    picture = "the boundary of two classes and two features; plot shows P"
    rule: ClassVar[str] = ""
    problem: Any = None  # labels of both sides, for the picture

    def __init__(
        self,
        name: str,
        log: Sequence[Look],
        X: Any,
        y: Any,
        row_numbers: Any,
        intercept: bool,
        column: int = 0,
    ):
        self.name, self.log, self.X, self.y = name, log, X, y
        self.row_numbers, self.intercept, self.column = row_numbers, intercept, column
        self.n_steps = len(log)
        self.update_steps = np.flatnonzero([look.moved for look in log])
        self.width = log[-1].weights.size + 1

    def states(self, first: int, last: int) -> Any:
        before = [self.log[k] for k in self.update_steps[first:last]]
        ahead = self.update_steps[last] if last < self.n_updates else -1
        return np.array([self._state(look) for look in [*before, self.log[ahead]]])

    def _state(self, look: Look) -> np.ndarray:
        """P over a share of the rows cannot be compared."""
        P = look.numbers["P"] if look.rows == self.log[-1].rows else np.nan
        return np.r_[look.weights.ravel(), P]

    def last_state(self) -> Any:
        return np.atleast_2d(self.log[-1].weights)[self.column]

    def criterion(self, states) -> np.ndarray:
        return states[:, -1]

    def weights(self, states) -> Any:
        size = self.log[-1].weights.shape[-1]
        weights = states[:, :-1].reshape(len(states), -1, size)[:, self.column]
        return weights if self.intercept else weights[:, 1:]

    def shown(self, window: Window, names: Any, criterion: bool) -> list[Shown]:
        looks = [self.log[k] for k in window.steps]
        parts = [
            Shown("step", window.steps + 1, Column("step", right=True)),
            Shown("epoch", window.steps + 1),
        ]
        if len({look.rows for look in self.log}) > 1:
            rows = np.array([look.rows for look in looks], np.int64)
            parts.append(Shown("rows", rows, Column("rows", right=True)))
        for key in self.log[0].numbers:
            values = np.array([look.numbers[key] for look in looks])
            parts.append(Shown(key, values, COLUMNS[key], _cells(key, values)))
        if any(look.by for look in self.log):
            words = np.array([look.by for look in looks], dtype=str)
            parts.append(Shown("by", words, Column("by")))
        return [*parts, Shown("update", window.updated), *self.shown_weights(window)]

    def about(self, window: Window, names: Any) -> Iterator[dict[str, Any]]:
        for k in window.steps:
            yield {"numbers": self.log[k].numbers}

    def effects(self, first: int, last: int) -> dict[str, np.ndarray]:
        P = self.criterion(self.states(first, last))
        return {
            "update": np.arange(first + 1, last + 1),
            "step": self.update_steps[first:last] + 1,
            "P_before": P[:-1],
            "P_after": P[1:],
        }

    def heading(self, model: Any) -> str:
        return self.rule

    def ending(self, model: Any, replays: Sequence[Any]) -> str:
        runs = {id(replay.log): replay.n_updates for replay in replays}  # of a softmax only once
        steps = sum(runs.values())
        return f"{steps:,} step{'' if steps == 1 else 's'}: {model.certificate_.text}"

    def display(self, trace: Any, updates: Any, features: Any) -> Any:
        few = len(self.weight_names) - self.intercept <= 2
        if self.problem is None or not (few or features is not None):
            return None
        return super().display(trace, updates, features)

    def curve(self, updates: Any, ax: Any) -> Any:
        """P before each step and after the last."""
        from linscope.display.lms_curve import lms_curve

        first, last = self.update_range(updates)
        values = self.criterion(self.states(first, last))
        whole = np.isfinite(values)  # a share of the rows has a P of its own
        return lms_curve(
            values[whole], updates=np.arange(first, last + 1)[whole], letter="P", ax=ax
        )


def _cells(key: str, values: np.ndarray) -> Any:
    """Nothing where there is no number, and three digits where they do."""

    def cells() -> list[Any]:
        words = [number(v, 3) if key in SHORT else number(v) for v in values]
        return ["" if v != v else word for v, word in zip(values, words, strict=True)]

    return cells
