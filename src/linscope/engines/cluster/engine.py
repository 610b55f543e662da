"""The engine of rows in partitions: each verb is a job that all of them do."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, Protocol

import numpy as np

from linscope.rows.blocks import Block, borders, stacked

from ..base import Engine, RowsElsewhere, Task
from ..stream import StreamEngine
from .log import Log
from .partition import Facts, Job

# Rows that stand for all are brought here; so many numbers of them at most: 64 MB.
MOST_NUMBERS = 8_000_000


class Crew(Protocol):
    """Whoever does jobs; a partition is a thing of its own that only it understands."""

    where: str

    def total(self, parts: list, job: Job) -> Any:
        """What the partitions give, added in a tree over their numbers."""
        ...

    def each(self, parts: list, job: Job) -> list:
        """What each partition gives, brought here."""
        ...

    def made(self, parts: list, job: Job) -> list:
        """New partitions, made of these where they are."""
        ...


class ClusterEngine:
    """Engine for rows in partitions that others have.

    Parameters
    ----------
    crew : does the jobs
    parts : the partitions, as the crew understands them
    facts : what is known of each; by default they are asked, which makes them read their rows
    twin : an engine of the same rows that reads some of them here, where that can be done
    """

    has_all_rows, room = False, 2.0 * MOST_NUMBERS

    def __init__(
        self,
        crew: Crew,
        parts: list,
        facts: list[Facts] | None = None,
        twin: StreamEngine | None = None,
    ) -> None:
        self._crew, self._parts, self._log, self._twin = crew, parts, Log(), twin
        self._facts: list[Facts] = crew.each(parts, Job("facts")) if facts is None else facts
        _check_width(self._facts)
        rows = [sum(facts.sizes) for facts in self._facts]
        self._starts = tuple(accumulate(rows, initial=0))[:-1]
        self.n_rows = sum(rows)
        first = self._facts[0]
        self.n_features = first.n_features
        self.n_targets = max(facts.n_targets for facts in self._facts)
        self.dtype = np.result_type(*(facts.dtype for facts in self._facts))
        self.is_sparse = first.is_sparse
        self.weighted = any(facts.weighted for facts in self._facts)

    @property
    def sizes(self) -> list[int]:
        return [size for facts in self._facts for size in facts.sizes]

    def fold(self, task: Task, *arguments: Any) -> Any:
        """Added inside each partition, then in a tree over the partitions."""
        return self._crew.total(self._parts, self._job("fold", task, arguments))

    def walk(self, task: Task, state: Any, *arguments: Any) -> Any:
        """Partitions work at the same time, not one after the other."""
        raise RowsElsewhere(
            f"a rule that visits the rows in their order needs them in one place, and these are "
            f"{self._crew.where}: use Perceptron(rule='mixing') or 'batch'"
        )

    def keep(self, name: str, task: Task, *arguments: Any) -> Any:
        """What is kept stays on the workers; here is only noted how it was made."""
        self._log.count += 1
        job = self._job("keep", task, arguments, name)
        looked_at, total = self._crew.total(self._parts, job)
        self._log.add(name, task, arguments, looked_at)
        return total

    def forget(self, name: str) -> None:
        """The workers hear of it with the next job."""
        self._log.forget(name)

    def gather(self, task: Task, *arguments: Any) -> Any:
        parts = self._crew.each(self._parts, self._job("gather", task, arguments))
        if isinstance(parts[0], tuple):
            return tuple(np.concatenate(column) for column in zip(*parts, strict=True))
        return np.concatenate(parts)

    def derive(self, task: Task, *arguments: Any) -> ClusterEngine:
        made = self._crew.made(self._parts, self._job("derive", task, arguments))
        if self._twin is None or self._log.names or hasattr(task, "selects"):
            return ClusterEngine(self._crew, made)
        twin = self._twin.derive(task, *arguments)
        now = twin.n_features, twin.n_targets, twin.dtype, twin.is_sparse, twin.weighted
        return ClusterEngine(self._crew, made, [Facts(f.sizes, *now) for f in self._facts], twin)

    def cut(self, rows: int) -> Engine:
        """Inside each partition; a block never has rows of two."""
        wanted = [
            [stop - start for start, stop in borders(sum(facts.sizes), rows)] or [0]
            for facts in self._facts
        ]
        if wanted == [facts.sizes for facts in self._facts]:
            return self
        made = self._crew.made(self._parts, self._job("cut", None, (rows,)))
        facts = [one._replace(sizes=sizes) for one, sizes in zip(self._facts, wanted, strict=True)]
        return ClusterEngine(self._crew, made, facts, self._twin)

    def take(self, rows: np.ndarray) -> Block:
        return stacked(self._crew.each(self._parts, self._job("take", None, (rows,))))

    def some(self, rows: int) -> Block:
        """Every k-th row: the same ones, whatever the partitions."""
        if self._twin is not None:
            return self._twin.some(rows)
        most = min(rows, max(1, MOST_NUMBERS // max(1, self.n_features)))
        step = max(1, self.n_rows // max(1, most))
        return stacked(self._crew.each(self._parts, self._job("some", None, (step,))))

    def all_rows(self, who: str) -> Block:
        raise RowsElsewhere(f"{who} needs all rows in memory, and these are {self._crew.where}")

    def __reduce__(self) -> Any:
        raise TypeError("rows in partitions stay where they are: they cannot be pickled")

    def _job(self, verb: str, task: Any, arguments: tuple, name: str = "") -> Job:
        log = self._log
        names = log.names | {name} if name else log.names
        return Job(verb, task, arguments, name, self._starts, log.count, log.events, names)


def engine_of(crew: Crew, parts: list) -> ClusterEngine:
    """An engine of partitions as they were given, whose numbers may be of several types."""
    engine = ClusterEngine(crew, parts)
    filled = {facts.dtype for facts in engine._facts if sum(facts.sizes)}
    dtype = np.result_type(*filled) if filled else engine.dtype
    if all(facts.dtype == dtype for facts in engine._facts):
        return engine
    return engine.derive(_in_type, dtype)


def _in_type(block: Block, dtype: np.dtype) -> tuple[Any, Any, np.ndarray]:
    return block.X.astype(dtype, copy=False), block.y, block.weight


def _check_width(facts: list[Facts]) -> None:
    """All partitions must have the same columns."""
    for number, other in enumerate(facts):
        if other.n_features != facts[0].n_features:
            raise ValueError(
                f"partition {number} has {other.n_features} columns, partition 0 has "
                f"{facts[0].n_features}: all must have the same"
            )
