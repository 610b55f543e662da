"""How the steps of a family of rules are shown: which columns, which words, which figure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from linscope.reports.sheet import Change, Column, vector

from .replay import Window

if TYPE_CHECKING:
    from .steps import Step
    from .trace_object import Trace


class View(ABC):
    """What a trace asks about a rule. A view has no state; the replay has the numbers."""

    # The column of the ledger that says how many rows are left out.
    gap: str = "weights"
    # Whether steps with an update stand out; not where every step is one.
    marks_updates: bool = True

    @abstractmethod
    def columns(self, replay: Any, window: Window, criterion: bool) -> dict[str, np.ndarray]:
        """One row of a table a step: what happened, and the weights after it."""

    @abstractmethod
    def effects(self, replay: Any, first: int, last: int) -> dict[str, np.ndarray]:
        """One row for each update ``first`` … ``last`` − 1 (from 0): what it changed."""

    @abstractmethod
    def headers(self, replay: Any, criterion: bool) -> list[Column]:
        """Columns of the ledger."""

    @abstractmethod
    def cells(self, replay: Any, window: Window, names: Any, criterion: bool) -> list:
        """What stands in those columns, one list a column."""

    @abstractmethod
    def steps(self, replay: Any, window: Window, names: Any) -> Iterator[Step]:
        """The steps as objects."""

    @abstractmethod
    def heading(self, model: Any) -> str:
        """The name of the rule."""

    @abstractmethod
    def settings(self, model: Any, replay: Any) -> list[str]:
        """Parameters that matter, in words."""

    @abstractmethod
    def ending(self, model: Any, replays: list) -> str:
        """How many steps there were and how the run ended."""

    @abstractmethod
    def plot(self, trace: Trace, replay: Any, updates: Any, features: Any, ax: Any) -> Any:
        """A Display of the run."""

    @abstractmethod
    def animation(
        self, trace: Trace, replay: Any, updates: Any, features: Any, max_frames: int, fps: float
    ) -> Any:
        """The same as a moving picture."""


def changes(replay: Any, window: Window) -> list[Change]:
    """Cells with the weights before → after each step."""
    weights = replay.weights(window.states)
    return [
        Change(vector(weights[a]), vector(weights[b]) if b > a else None)
        for a, b in zip(window.versions, window.after, strict=True)
    ]


def weight_columns(replay: Any, window: Window) -> dict[str, np.ndarray]:
    """Columns with the weights after each step."""
    weights = replay.weights(window.states)
    return {name: weights[window.after, j] for j, name in enumerate(replay.weight_names)}


def given_names(replay: Any, samples: np.ndarray, names: Any) -> list:
    """The samples by name, or by their row in the table that was given."""
    rows = replay.row_numbers[samples]
    return [names[i] for i in rows] if names is not None else list(rows)


def frame_places(count: int, most: int) -> np.ndarray:
    """At most so many of the weights 0 … count − 1, evenly spread."""
    return np.unique(np.linspace(0, count - 1, min(most, count)).astype(int))


def captions(trace: Trace, replay: Any, numbers: list[int]) -> tuple[list[str], list[int | None]]:
    """What to say over the weights after so many updates, and which sample was the last."""
    words, samples = [], []
    for k in numbers:
        sample = None
        if k and replay.single:
            step = replay.update_steps[k - 1]
            sample = int(replay.samples(np.array([step]))[0])
        name = (
            None
            if sample is None
            else given_names(replay, np.array([sample]), trace.sample_names)[0]
        )
        words.append(f"update {k}" + ("" if name is None else f": sample {name}"))
        samples.append(sample)
    return words, samples
