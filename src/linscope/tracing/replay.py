"""One problem of a fit, replayed from its log and shown: what all rules have in common.

A *step* is a visited sample or a batch, a *state* the vector that the rule changes, an *update* a
step that changed it. States between updates are worked out from the nearest checkpoint, so any step
of a long run is quick to reach.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from linscope.reports.cells import Change, vectors
from linscope.reports.table import Column
from linscope.results.numbers import counted

from .answer import Answer
from .steps import Step

if TYPE_CHECKING:
    from .trace_object import Trace

WINDOW_STEPS = 1 << 16
WINDOW_NUMBERS = 1 << 22
INPUT, LABEL = Column.formula(r"\mathbf{x}", right=False), Column.formula("y")
WEIGHTS = Column("weights", r"weights $\mathbf{w}$")
SCORE = Column.formula(r"\mathbf{w}\cdot\mathbf{x}")
# So many problems have their answer under the table.
MOST_ANSWERS = 6


class Window(NamedTuple):
    """Some steps of a replay and the states around them.

    steps : step numbers, from 0. updated : did the step change the state?
    versions : which of ``states`` was in force before each step; after it, ``after``.
    first : how many updates were made before ``states[0]``.
    """

    steps: np.ndarray
    updated: np.ndarray
    versions: np.ndarray
    states: Any
    first: int

    @property
    def after(self) -> np.ndarray:
        return self.versions + self.updated


class Shown(NamedTuple):
    """One thing that is shown of every step: in the table, in the ledger, or in both.

    key : its name in the table, and as an attribute of a step; "" if only the ledger has it
    values : one entry per step
    column : its column of the ledger; None if only the table has it
    cells : what stands there, where that is not the values themselves
    """

    key: str
    values: Any = None
    column: Column | None = None
    cells: Callable[[], Sequence] | None = None


class StepRule(NamedTuple):
    """How an estimator is traced whose rule takes steps.

    replays : of a model and what its fit has solved (``Fitted``). exact : of the model, its
    replays, y and sample_weight, the same in fractions; None if there is no such thing. check : of
    the estimator before the fit, and whether fractions are asked for; raises what cannot be shown.
    """

    replays: Callable[[Any, Any], Sequence[Replay]]
    exact: Callable[[Any, Any, Any, Any], Sequence[Replay]] | None = None
    check: Callable[[Any, bool], None] = lambda estimator, exact: None


def kept_rows(training: Any) -> np.ndarray:
    """Where the rows that a fit has used are in the table that was given to it."""
    return np.delete(np.arange(len(training.codes) + len(training.ignored)), training.ignored)


class Replay(ABC):
    """Replay of one problem: a binary problem of a classifier, or one target of a regression.

    Subclasses know a rule: its numbers, and under which words they are shown.

    Attributes
    ----------
    step : the class of its steps
    gap : the column of the ledger that says how many rows are left out
    marks_updates : whether steps with an update stand out; not where every step is one
    signed : whether y is a sign
    picture : what ``display`` needs, and what ``curve`` is
    linear : whether there are weights in the features
    name : of the problem
    log : what the fit has kept; says how many batches a pass has and in what order
    X, y : the rows of the problem (None for a precomputed kernel), their labels or targets
    row_numbers : where these rows are in the table that was given to the fit
    single : whether a step is one sample
    intercept : whether samples are augmented with 1
    width : how many numbers a state has
    n_steps : how many steps there were
    update_steps : the steps that changed the state
    """

    step: ClassVar[type[Step]]
    gap: ClassVar[str] = "weights"
    marks_updates: ClassVar[bool] = True
    signed: ClassVar[bool] = True
    picture: ClassVar[str] = ""
    linear: bool = True
    name: str
    solver: Any
    log: Any
    X: Any
    y: Any
    row_numbers: Any
    single: bool
    intercept: bool
    width: int
    n_steps: int
    update_steps: Any  # rising numbers: an array, or a range where every step is an update

    @abstractmethod
    def states(self, first: int, last: int) -> Any:
        """The states after ``first`` … ``last`` updates, one row each."""

    @abstractmethod
    def last_state(self) -> Any:
        """The state after all updates, as the fit returned it."""

    @abstractmethod
    def criterion(self, states) -> np.ndarray:
        """What the rule descends on, over all samples, of each state."""

    @abstractmethod
    def weights(self, states) -> Any:
        """The weights in these states, without w0 if there is no intercept."""

    @abstractmethod
    def shown(self, window: Window, names: Any, criterion: bool) -> list[Shown]:
        """What is shown of each step, in the order of the columns."""

    @abstractmethod
    def effects(self, first: int, last: int) -> dict[str, np.ndarray]:
        """One row for each update ``first`` … ``last`` − 1 (from 0): what it changed."""

    @abstractmethod
    def heading(self, model: Any) -> str:
        """The name of the rule."""

    @abstractmethod
    def settings(self, model: Any) -> list[str]:
        """Parameters that matter, in words."""

    def ending(self, model: Any, replays: Sequence[Any]) -> str:
        """How many steps there were in these problems, and how the run ended."""
        steps = counted(sum(r.n_steps for r in replays), "visit" if self.single else "batch")
        updates = counted(sum(r.n_updates for r in replays), "update")
        return f"{steps}, {updates}: {model.certificate_.text}"

    def votes(self, trace: Trace, points: Any) -> Any:
        """How the vectors of the run decide about samples; of perceptrons."""
        raise ValueError("only perceptrons with output='voted' or 'averaged' have votes")

    def distances(self, trace: Trace, updates: Any) -> Any:
        """How far mistakes are from the hyperplane; of perceptrons."""
        raise ValueError("only perceptrons have mistakes with distances")

    def answer(self, trace: Trace, replays: Sequence[Any]) -> Answer:
        """What the run of these problems ended with, as words under labels; [] if nothing."""
        out = []
        for replay in replays[:MOST_ANSWERS]:
            name = f", {replay.name}" if len(replays) > 1 else ""
            out += [(f"{label}{name}", words) for label, words in replay.own_answer(trace)]
        if out and len(replays) > MOST_ANSWERS:
            out.append(("…", f"{len(replays)} problems in all; choose one by problem="))
        return out

    def own_answer(self, trace: Trace) -> Answer:
        """That of this problem alone."""
        return []

    @property
    def n_updates(self) -> int:
        return len(self.update_steps)

    @property
    def augmented(self) -> bool:
        """Whether samples are shown with that 1."""
        return self.intercept

    @property
    def weight_names(self) -> list[str]:
        """w0 … wd; w0 only with an intercept, none at all if the kernel is not linear."""
        if not self.linear:
            return []
        return [f"w{j}" for j in range(0 if self.intercept else 1, self.X.shape[1] + 1)]

    def update_range(self, updates: tuple[int, int] | None) -> tuple[int, int]:
        """Updates a … b as a Python range from 0."""
        if updates is None:
            return 0, self.n_updates
        try:
            a, b = (int(k) for k in updates)
        except (TypeError, ValueError):
            raise ValueError(
                f"updates={updates!r}: give the first and the last as (a, b)"
            ) from None
        if a < 1 or b < a:
            raise ValueError(f"updates=({a}, {b}): updates count from 1, and a must not exceed b")
        return min(a - 1, self.n_updates), min(b, self.n_updates)

    def chosen(self, start: int, stop: int | None, updates: tuple[int, int] | None) -> Any:
        """The chosen steps, from 0: a range, or the steps of the chosen updates."""
        if updates is not None:
            if start != 1 or stop is not None:
                raise ValueError("choose rows by start and stop, or by updates, not by both")
            first, last = self.update_range(updates)
            return self.update_steps[first:last]
        if start < 1 or (stop is not None and stop < start):
            raise ValueError(
                f"start={start}, stop={stop}: steps count from 1 to stop, both included"
            )
        last = self.n_steps if stop is None else min(stop, self.n_steps)
        return range(min(start - 1, last), last)

    def window(self, steps: np.ndarray) -> Window:
        """The states around these steps, which must rise."""
        log = self.update_steps
        first, last = 0, 0
        if len(steps):
            first = int(np.searchsorted(log, steps[0]))
            last = int(np.searchsorted(log, steps[-1], side="right"))
        here = log[first:last]
        versions = np.searchsorted(here, steps)
        updated = np.searchsorted(here, steps, side="right") > versions
        return Window(steps, updated, versions, self.states(first, last), first)

    def windows(self, steps: np.ndarray) -> Iterator[Window]:
        """The same in pieces that need little memory."""
        most = max(1, WINDOW_NUMBERS // self.width)
        at = 0
        while at < len(steps):
            first = int(np.searchsorted(self.update_steps, steps[at]))
            end = at + WINDOW_STEPS
            if first + most < self.n_updates:
                beyond = self.update_steps[first + most]
                end = min(end, max(at + 1, int(np.searchsorted(steps, beyond))))
            yield self.window(steps[at:end])
            at = end

    def epochs(self, steps: np.ndarray) -> np.ndarray:
        return steps // self.log.batches_per_epoch

    def batches(self, steps: np.ndarray) -> np.ndarray:
        """Number of the batch in its pass, from 0."""
        return steps % self.log.batches_per_epoch

    def samples(self, steps: np.ndarray) -> np.ndarray:
        """The sample (row of this problem) visited at each step of a single-sample rule."""
        return self.log.order.samples(steps)

    def inputs(self, samples: Any) -> Any:
        """The samples as the rule sees them: [1 x1 … xd], or without the 1; one row each."""
        X = self.X[samples]
        X = X.toarray() if sparse.issparse(X) else X
        return np.column_stack([np.ones(len(X), X.dtype), X]) if self.augmented else X

    def given_names(self, samples: np.ndarray, names: Any) -> list:
        """The samples by name, or by their row in the table that was given."""
        rows = self.row_numbers[samples]
        return [names[i] for i in rows] if names is not None else list(rows)

    def shown_samples(self, window: Window, names: Any) -> list[Shown]:
        """The visited samples: names or rows, vectors, labels or targets."""
        samples = self.samples(window.steps)

        def labels() -> Sequence:
            y = self.y[samples]
            return ["+1" if sign > 0 else "−1" for sign in y] if self.signed else y

        rows, given = self.row_numbers[samples], lambda: self.given_names(samples, names)
        inputs = Shown("", None, INPUT, lambda: vectors(self.inputs(samples)))
        return [
            Shown("sample", rows, Column("sample"), given),
            *([] if self.X is None else [inputs]),
            Shown("", None, LABEL, labels),
        ]

    def shown_weights(self, window: Window) -> list[Shown]:
        """The weights after each step in the table, before → after in the ledger."""
        names, after = self.weight_names, window.after
        weights = self.weights(window.states)

        def changes() -> list[Change]:
            states = vectors(self.readable(weights, window))
            pairs = zip(window.versions, after, strict=True)
            return [Change(states[a], states[b] if b > a else None) for a, b in pairs]

        return [
            *(Shown(name, weights[after, j]) for j, name in enumerate(names)),
            *([Shown("", None, WEIGHTS, changes)] if names else []),
        ]

    def readable(self, weights: Any, window: Window) -> Any:
        """The weights of a window as they are written down."""
        return weights

    def steps(self, window: Window, names: Any) -> Iterator[Step]:
        """The steps as objects, with what is shown of them as attributes."""
        known = {field.name for field in fields(self.step)} - {"update"}
        shown = self.shown(window, names, criterion=False)
        columns = {each.key: each.values for each in shown if each.key in known}
        states = self.states_of_steps(window)
        for t, more in enumerate(self.about(window, names)):
            yield self.step(
                number=int(window.steps[t]) + 1,
                problem=self.name,
                update=bool(window.updated[t]),
                before=states[window.versions[t]],
                after=states[window.after[t]],
                **{key: _plain(values[t]) for key, values in columns.items()},
                **more,
            )

    def states_of_steps(self, window: Window) -> Any:
        """What changes from ``before`` to ``after``: one row for each state of the window."""
        return self.weights(window.states)

    def about(self, window: Window, names: Any) -> Iterator[dict[str, Any]]:
        """More attributes of each step: the sample itself."""
        if not self.single:
            yield from ({} for _ in window.steps)
            return
        samples = self.samples(window.steps)
        for sample, x in zip(samples, self.inputs(samples), strict=True):
            name = None if names is None else names[self.row_numbers[sample]]
            y = int(self.y[sample]) if self.signed else self.y[sample]
            yield {"x": x, "y": y, "name": name}

    def display(self, trace: Trace, updates: Any, features: Any) -> Any:
        """The weights in a picture, from faint to strong; None where they have none."""
        from .drawing import boundary_path

        return boundary_path(trace, self, updates, features)

    def curve(self, updates: Any, ax: Any) -> Any:
        """What is drawn where the weights have no picture."""
        raise NotImplementedError

    def plot(self, trace: Trace, updates: Any, features: Any, ax: Any) -> Any:
        """A Display of the run."""
        display = self.display(trace, updates, features)
        return self.curve(updates, ax) if display is None else display.plot(ax)

    def animation(
        self, trace: Trace, updates: Any, features: Any, max_frames: int, fps: float
    ) -> Any:
        """The same as a moving picture, one update after the other."""
        from .drawing import animated

        display = self.display(trace, updates, features)
        if display is None:
            raise ValueError(f"animate shows {self.picture} instead")
        return animated(display, trace, self, updates, max_frames, fps)


def _plain(value: Any) -> Any:
    """Counts and truth values as Python's own; numbers in the type of their column."""
    return value.item() if isinstance(value, np.integer | np.bool_) else value
