"""Single steps of a trace, worked out when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import frames
from .replay import Replay
from .sheet import number, text, vector

ITERATION_STEPS = 1024


@dataclass(frozen=True, eq=False)
class Step:
    """One step: a visited sample, or a batch.

    Attributes
    ----------
    number, epoch : counted from 1
    problem : name of the binary problem
    update : whether the weights changed
    before, after : the weights, bias first (empty for a kernel other than linear)
    sample, name, x, y, score, normalized : of the visited sample: row number from 0, its name,
        the augmented vector, ±1, w·x and y·w·x before the update (single-sample rules)
    alpha : coefficient of the sample after the step (kernel rules)
    batch, batch_mistakes : of the batch (batch rules), counted from 1 in each pass
    """

    number: int
    epoch: int
    problem: str
    update: bool
    before: Any
    after: Any
    sample: int | None = None
    name: str | None = None
    x: Any = None
    y: int | None = None
    score: Any = None
    normalized: Any = None
    alpha: Any = None
    batch: int | None = None
    batch_mistakes: int | None = None
    _replay: Any = field(default=None, repr=False)

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
        where = f"sample {self.name if self.name is not None else self.sample}"
        if self.sample is None:
            where = f"batch {self.batch}, {self.batch_mistakes} mistakes"
        score = "" if self.score is None else f", w·x = {number(self.score)}"
        change = ""
        if len(self.after):
            change = f", {text(vector(self.before))} → {text(vector(self.after))}"
        return f"Step {self.number}: {where}{score}, {self.verdict}{change if self.update else ''}"


class Steps(Sequence):
    """The steps of a trace, worked out when they are asked for.

    Steps of several binary problems follow each other. A slice is again such a sequence.
    """

    def __init__(self, replays: list[Replay], names, places: range | None = None):
        self._replays, self._names = replays, names
        self._ends = np.cumsum([replay.n_steps for replay in replays])
        self._places = range(int(self._ends[-1])) if places is None else places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Steps(self._replays, self._names, self._places[index])
        place = self._places[index]
        which = int(np.searchsorted(self._ends, place, side="right"))
        first = int(self._ends[which]) - self._replays[which].n_steps
        return self._make(self._replays[which], np.array([place - first]))[0]

    def __iter__(self) -> Iterator[Step]:
        if self._places.step != 1:
            yield from (self[k] for k in range(len(self)))
            return
        end = 0
        for replay in self._replays:
            begin, end = end, end + replay.n_steps
            low, high = max(self._places.start, begin), min(self._places.stop, end)
            for at in range(low, high, ITERATION_STEPS):
                yield from self._make(
                    replay, np.arange(at, min(at + ITERATION_STEPS, high)) - begin
                )

    def __repr__(self) -> str:
        return f"<Steps: {len(self):,}>"

    def _make(self, replay: Replay, steps: np.ndarray) -> list[Step]:
        return [
            step
            for window in replay.windows(steps)
            for step in _steps_of(replay, window, self._names)
        ]


def _steps_of(replay: Replay, window, names) -> Iterator[Step]:
    weights = replay.weights(window.states)
    columns = frames.step_columns(replay, window, criterion=False)
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
        yield Step(
            number=int(columns["step"][t]),
            epoch=int(columns["epoch"][t]),
            problem=replay.problem.name,
            update=bool(window.updated[t]),
            before=weights[window.versions[t]],
            after=weights[window.after[t]],
            _replay=replay,
            **extra,
        )
