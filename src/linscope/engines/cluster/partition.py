"""A partition on a worker: its rows, what is kept for them, and the jobs it does.

Workers die, and a pool of processes may give a partition to another worker each time. So nothing on
a worker is the only copy: rows come from a recipe, and every job carries the events whose results
are still needed. A worker that lacks some does them first; one that has done more begins again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linscope.rows.blocks import Block, every, taken
from linscope.rows.threads import one_blas_thread

from ..memory import MemoryEngine


class Event(NamedTuple):
    """Something was kept: by which task, under which name.

    ``number`` counts the events of an engine from 1, ``reads`` has the numbers of those that the
    task has looked at.
    """

    number: int
    name: str
    task: Any
    arguments: tuple
    reads: frozenset[int] = frozenset()


class Job(NamedTuple):
    """What every partition of an engine does next.

    starts : number of the first row of each partition
    done : events so far; those of them that matter still are in ``log``
    names : under which something is kept
    """

    verb: str
    task: Any = None
    arguments: tuple = ()
    name: str = ""
    starts: tuple[int, ...] = ()
    done: int = 0
    log: tuple[Event, ...] = ()
    names: frozenset[str] = frozenset()


class Facts(NamedTuple):
    """What is to be known of a partition."""

    sizes: list[int]
    n_features: int
    n_targets: int
    dtype: np.dtype
    is_sparse: bool
    weighted: bool


class Names(frozenset):
    """Names that tasks have looked at."""

    def plus(self, other: Names) -> Names:
        return Names(self | other)


class PartitionError(RuntimeError):
    """A partition could not be read, or its worker is gone; the text says which."""


class _Kept(dict):
    """What is kept for a block; ``looked_at`` are the names that were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.looked_at: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.looked_at.add(name)
        return super().__getitem__(name)


class Held:
    """The rows of a partition on a worker.

    Parameters
    ----------
    engine : the rows
    where : which partition this is, for messages
    """

    def __init__(self, engine: MemoryEngine, where: str) -> None:
        self.engine, self.where = engine, where
        self._ready()

    def _ready(self) -> None:
        """Nothing is kept yet."""
        self.lock, self.done = RLock(), 0
        for block in self.engine.blocks:
            block.kept = _Kept()

    @property
    def nbytes(self) -> int:
        """Of the rows, and what is kept for them."""
        blocks = self.engine.blocks
        return sum(_size((block.X, block.y, block.weight, dict(block.kept))) for block in blocks)

    def __sizeof__(self) -> int:  # Dask asks
        return 1000 + self.nbytes

    def __getstate__(self) -> tuple:
        # What is kept is made again elsewhere.
        with self.lock:
            rows, borders = self.engine.all_rows(), self.engine.borders
            return rows.start, rows.X, rows.y, rows.weight, borders, self.where

    def __setstate__(self, state: tuple) -> None:
        start, X, y, weight, borders, self.where = state
        self.engine = MemoryEngine(X, y, weight, n_threads=1, start=start)
        self.engine.borders = borders
        self._ready()

    def catch_up(self, job: Job) -> None:
        """Do what was done before the job, if that was not here; forget what is not needed."""
        keeps = job.verb == "keep"
        if self.done > job.done - keeps:  # a job of before comes again
            self._ready()
        for event in job.log:
            if event.number > self.done:
                self.engine.keep(event.name, event.task, *event.arguments)
                self.done = event.number
        self.done = job.done - keeps
        for block in self.engine.blocks:
            for name in block.kept.keys() - job.names:
                del block.kept[name]


def work(held: Held, job: Job, part: int) -> Any:
    """Do a job for partition number ``part``; an error says which one it was."""
    with told_where(held.where), held.lock, one_blas_thread(), np.errstate(all="ignore"):
        held.engine.move(job.starts[part] if job.starts else 0)
        held.catch_up(job)
        return VERBS[job.verb](held, job)


def load(function: Any, arguments: tuple, where: str) -> Held:
    """A partition of the rows ``function(*arguments)``, which returns (X, y, weight)."""
    with told_where(where):
        return Held(MemoryEngine(*function(*arguments), n_threads=1), where)


@contextmanager
def told_where(where: str) -> Iterator[None]:
    """An error says in which partition it was."""
    try:
        yield
    except Exception as error:
        if where in str(error):
            raise
        if len(error.args) == 1 and isinstance(error.args[0], str):
            error.args = (f"{error.args[0]} (in {where})",)
            raise
        raise PartitionError(f"{where} failed: {type(error).__name__}: {error}") from error


def _fold(held: Held, job: Job) -> Any:
    return held.engine.fold(job.task, *job.arguments)


def _keep(held: Held, job: Job) -> tuple[Names, Any]:
    """What the task has looked at, and the sum of its partials."""
    kept: list[Any] = [block.kept for block in held.engine.blocks]
    for each in kept:
        each.looked_at.clear()
    partial = held.engine.keep(job.name, job.task, *job.arguments)
    held.done = job.done
    return Names(set().union(*(each.looked_at for each in kept))), partial


def _gather(held: Held, job: Job) -> Any:
    return held.engine.gather(job.task, *job.arguments)


def _derive(held: Held, job: Job) -> Held:
    return Held(held.engine.derive(job.task, *job.arguments), held.where)


def _cut(held: Held, job: Job) -> Held:
    """The same rows in other blocks."""
    rows, n = held.engine.all_rows(), job.arguments[0]
    engine = MemoryEngine(rows.X, rows.y, rows.weight, n_threads=1, block_rows=n, start=rows.start)
    return Held(engine, held.where)


def _take(held: Held, job: Job) -> Block:
    """Of the rows with these numbers those that are here."""
    rows, here = job.arguments[0], held.engine.all_rows()
    first, last = np.searchsorted(rows, (here.rows.start, here.rows.stop))
    return taken(here, rows[first:last] - here.start)


def _some(held: Held, job: Job) -> Block:
    return every(held.engine.all_rows(), job.arguments[0])


def _facts(held: Held, job: Job) -> Facts:
    e = held.engine
    return Facts(e.sizes, e.n_features, e.n_targets, e.dtype, e.is_sparse, e.weighted)


VERBS = {
    "fold": _fold,
    "keep": _keep,
    "gather": _gather,
    "derive": _derive,
    "cut": _cut,
    "take": _take,
    "some": _some,
    "facts": _facts,
}


def _size(thing: Any) -> int:
    """Bytes of the arrays in it."""
    if sp.issparse(thing):
        return thing.data.nbytes + thing.indices.nbytes + thing.indptr.nbytes
    if isinstance(thing, dict):
        thing = tuple(thing.values())
    if isinstance(thing, tuple | list):
        return sum(map(_size, thing))
    return getattr(thing, "nbytes", 0)
