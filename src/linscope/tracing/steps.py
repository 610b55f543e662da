"""Single steps of a trace, worked out when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linscope.results.notebook import facts

if TYPE_CHECKING:
    from .replay import Replay

ITERATION_STEPS = 1024
# Of what a notebook shows.
MOST_SHOWN = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class Step:
    """One step: a visited sample, or a batch.

    Attributes
    ----------
    number, epoch : counted from 1
    problem : name of the problem
    update : whether the weights changed
    before, after : the weights, bias first (empty for a kernel other than linear)
    sample, name, x, y : of the visited sample: row number from 0, its name, the augmented vector,
        the label or target (single-sample rules)
    batch : counted from 1 in each pass (batch rules)
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
    y: Any = None
    batch: int | None = None

    @property
    def where(self) -> str:
        """The sample or the batch, in words."""
        if self.sample is None:
            return f"batch {self.batch}"
        return f"sample {self.name if self.name is not None else self.sample}"


class Steps(Sequence):
    """The steps of a trace, worked out when they are asked for.

    Steps of several problems follow each other. A slice is again such a sequence.
    """

    def __init__(self, replays: Sequence[Replay], names: Any, places: range | None = None) -> None:
        self._replays, self._names = replays, names
        self._ends = np.cumsum([replay.n_steps for replay in replays])
        self._places = range(int(self._ends[-1])) if places is None else places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: Any) -> Any:
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

    def _repr_html_(self) -> str:
        """The first steps in words."""
        shown = [repr(step).partition(": ")[::2] for step in self[:MOST_SHOWN]]
        if len(self) > MOST_SHOWN:
            shown.append(("…", "steps[k] is the step with number k + 1, steps[a:b] are some"))
        return facts(f"{len(self):,} steps", shown)

    def _make(self, replay: Replay, steps: np.ndarray) -> list[Step]:
        return [
            step for window in replay.windows(steps) for step in replay.steps(window, self._names)
        ]
