"""An engine that writes down what the engine of the rows answers, and need not ask it again.

Answers of sums come from the journal. What is kept for the rows is not written: when the first
question comes that the journal cannot answer, it is made again by the tasks that made it, as far as
it is still needed. So a fit that goes on has the rows' own numbers, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linscope.rows.blocks import Block, blind, light

from ..base import Engine, Task
from ..cluster.log import Log
from ..cluster.partition import Names
from .journal import CheckpointError, Journal, Unfinished


class Shape(NamedTuple):
    """What is to be known of an engine before it is asked."""

    n_rows: int
    n_features: int
    n_targets: int
    dtype: np.dtype
    is_sparse: bool
    weighted: bool
    has_all_rows: bool
    sizes: np.ndarray


def shape_of(engine: Engine) -> Shape:
    found = [getattr(engine, name) for name in Shape._fields[:-1]]
    return Shape._make([*found, np.array(engine.sizes, dtype=np.int64)])


class JournalEngine:
    """Stands before an engine.

    Parameters
    ----------
    journal : what was answered before, and where answers are written
    make : the engine of the rows; called when it is needed
    shape : of that engine
    """

    def __init__(self, journal: Journal, make: Callable[[], Engine], shape: Shape) -> None:
        self._journal, self._make, self._shape = journal, make, shape
        self._number = journal.engines
        journal.engines += 1
        self._log = Log()
        self._rows: Engine | None = None
        self._done = 0
        self.n_rows, self.n_features, self.n_targets = shape[:3]
        self.dtype, self.is_sparse, self.weighted, self.has_all_rows = shape[3:7]

    @property
    def room(self) -> float:
        """As it was when the fit began: its way must not depend on the memory of today."""
        return self._ask("room", None, (), lambda _: self._engine().room)

    @property
    def sizes(self) -> list[int]:
        return self._shape.sizes.tolist()

    def fold(self, task: Task, *arguments: Any) -> Any:
        def find(begun: Unfinished) -> Any:
            rows: Any = self._engine()
            if hasattr(rows, "fold_on"):
                return rows.fold_on(task, arguments, begun)
            return rows.fold(task, *arguments)

        return self._ask("fold", task, arguments, find)

    def walk(self, task: Task, state: Any, *arguments: Any) -> Any:
        def find(begun: Unfinished) -> Any:
            rows: Any = self._engine()
            if hasattr(rows, "walk_on"):
                return rows.walk_on(task, state, arguments, begun)
            return rows.walk(task, state, *arguments)

        return self._ask("walk", task, (state, *arguments), find)

    def keep(self, name: str, task: Task, *arguments: Any) -> Any:
        def find(_: Any) -> Any:
            found = self._engine().keep(name, _watching(task), task, arguments)
            self._done = self._log.count + 1
            return found

        words = (name, *arguments)
        total, looked_at = self._ask("keep", task, words, find)
        self._log.count += 1
        self._log.add(name, task, arguments, looked_at)
        return total

    def forget(self, name: str) -> None:
        self._log.forget(name)
        if self._rows is not None:
            self._rows.forget(name)

    def gather(self, task: Task, *arguments: Any) -> Any:
        return self._ask(
            "gather", task, arguments, lambda _: self._engine().gather(task, *arguments)
        )

    def take(self, rows: np.ndarray) -> Block:
        if len(rows) == self.n_rows:  # the table is written already
            return self._engine().take(rows)
        return self._ask("take", None, (rows,), lambda _: self._engine().take(rows))

    def some(self, rows: int) -> Block:
        return self._ask("some", None, (rows,), lambda _: self._engine().some(rows))

    def all_rows(self, who: str) -> Block:
        return self._engine().all_rows(who)

    def derive(self, task: Task, *arguments: Any) -> JournalEngine:
        return self._other("derive", task, arguments, lambda rows: rows.derive(task, *arguments))

    def cut(self, rows: int) -> JournalEngine:
        found = self._other("cut", None, (rows,), lambda engine: engine.cut(rows))
        return self if np.array_equal(found.sizes, self.sizes) else found

    def _other(self, verb: str, task: Any, words: tuple, make: Any) -> JournalEngine:
        """Another engine, made of this one when it is needed."""
        made: list[Engine] = []

        def find(_: Any) -> Shape:
            made.append(make(self._engine()))
            return shape_of(made[0])

        shape = self._ask(verb, task, words, find)
        kept = self._log.numbers

        def later() -> Engine:
            rows = self._engine()
            if self._log.numbers != kept:  # what the task looked at is there no more
                raise CheckpointError(
                    f"{self._journal.path} ends where this fit cannot go on: delete it to begin "
                    "again"
                )
            return make(rows)

        return JournalEngine(self._journal, made.pop if made else later, shape)

    def _engine(self) -> Engine:
        """The engine of the rows, with all that is kept for them by now."""
        if self._rows is None:
            self._rows = self._make()
            mine, theirs = self._shape, shape_of(self._rows)
            if mine[:-1] != theirs[:-1] or not np.array_equal(mine.sizes, theirs.sizes):
                raise CheckpointError(
                    f"{self._journal.path} is the checkpoint of a fit to other rows: delete it to "
                    "begin again"
                )
        for event in self._log.events:
            if event.number > self._done:
                self._rows.keep(event.name, event.task, *event.arguments)
        self._done = self._log.count
        return self._rows

    def _ask(self, verb: str, task: Any, words: tuple, find: Callable[[Any], Any]) -> Any:
        if self._journal.closed:  # the fit is over
            return find(_NOT_BEGUN)
        return self._journal.answer(verb, task, (self._number, words), find)

    def __reduce__(self) -> Any:
        return _same, (self._engine(),)


class _NotBegun:
    """A pass of which nothing is written."""

    begun = None

    def save(self, begun: Any) -> None:
        pass


_NOT_BEGUN = _NotBegun()


def _same(engine: Any) -> Any:
    return engine


class _Seen(dict):
    """What is kept for a block, and the names that were asked for."""

    def __init__(self, kept: Any) -> None:
        super().__init__()
        self._kept, self.names = kept, set[str]()

    def __missing__(self, name: str) -> Any:
        self.names.add(name)
        return self._kept[name]


def _watched(block: Block, task: Task, arguments: tuple) -> tuple[Any, tuple[Any, Names]]:
    """What a task of ``keep`` returns, and what it has looked at."""
    seen = _Seen(block.kept)
    kept, partial = task(Block(block.start, block.X, block.y, block.weight, seen), *arguments)
    return kept, (partial, Names(seen.names))


@light
def _watched_light(*words: Any) -> Any:
    return _watched(*words)


@blind
def _watched_blind(*words: Any) -> Any:
    return _watched(*words)


def _watching(task: Task) -> Task:
    if hasattr(task, "blind"):
        return _watched_blind
    return _watched_light if hasattr(task, "light") else _watched
