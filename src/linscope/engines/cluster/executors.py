"""Jobs on any ``concurrent.futures.Executor``: a pool of processes or threads, loky, others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from functools import partial
from typing import Any
from uuid import uuid4
from weakref import finalize

from linscope.rows.memory_budget import memory_budget
from linscope.rows.threads import thread_count

from ..base import Tree
from .partition import Job, PartitionError
from .shelf import Load, Made, Part, do, shelf

# How often a pool that we started is started again.
MOST_STARTS = 3
# Workers hear of so many engines that are gone, those that went last.
MOST_GONE = 64


class ExecutorCrew:
    """Jobs on an executor, or on several of one worker each.

    An executor does not say which of its workers does a job, so each may come to hold all
    partitions. Of several executors, each always has the same partitions.

    Parameters
    ----------
    executor : Executor, or a function that starts one; a function is called again where workers
        have died
    several : how many executors to start
    limit : bytes of partitions that a worker may hold; by default its share of the free memory
    """

    where = "in partitions on an executor"

    def __init__(
        self,
        executor: Executor | Callable[[], Executor],
        several: int = 1,
        limit: float | None = None,
    ) -> None:
        self._start = None if isinstance(executor, Executor) else executor
        self._pools: list[Any] = [
            self._start() if self._start else executor for _ in range(several)
        ]
        own = getattr(self._pools[0], "_max_workers", None) or thread_count()
        self.workers = several * own
        self._limit = memory_budget() / self.workers if limit is None else limit
        self._gone: deque[str] = deque(maxlen=MOST_GONE)
        if self._start is not None:
            finalize(self, _shut_down, self._pools)

    @classmethod
    def of_processes(cls, workers: int) -> ExecutorCrew:
        """Processes of our own."""
        from joblib.externals.loky import ProcessPoolExecutor

        return cls(partial(ProcessPoolExecutor, 1, initializer=_may_hold_rows), workers)

    def begin(self, loads: list[Load]) -> list:
        """Partitions of recipes; nothing is read yet."""
        return self._family(loads)

    def made(self, parts: list, job: Job) -> list:
        return self._family([Made(part, job) for part in parts])

    def _family(self, recipes: list) -> list:
        name = uuid4().hex
        parts = _Parts(Part(name, number, recipe) for number, recipe in enumerate(recipes))
        finalize(parts, _drop, name, self._gone)
        return parts

    def total(self, parts: list, job: Job) -> Any:
        tree = Tree()
        for found in self._results(parts, job):
            tree.add(found)
        return tree.total()

    def each(self, parts: list, job: Job) -> list:
        return list(self._results(parts, job))

    def _results(self, parts: list, job: Job) -> Iterator[Any]:
        """In the order of the partitions; a new executor goes on where one has died."""
        futures, starts = [self._submitted(part, job) for part in parts], 1
        try:
            for k, part in enumerate(parts):
                while isinstance(answer := _answer(futures[k]), BrokenExecutor):
                    if self._start is None or starts == MOST_STARTS:
                        raise _lost(part.recipe.where, starts) from answer
                    starts += 1
                    self._start_again(parts, job, futures, k)
                yield answer
        finally:
            for future in futures:
                future.cancel()

    def _start_again(self, parts: list, job: Job, futures: list, k: int) -> None:
        """The executor of partition k; its partitions from there on are to be done again."""
        assert self._start is not None
        place = k % len(self._pools)
        self._pools[place] = self._start()
        for later in range(k, len(parts), len(self._pools)):
            futures[later] = self._submitted(parts[later], job)

    def _submitted(self, part: Part, job: Job) -> Future:
        pool = self._pools[part.number % len(self._pools)]
        try:
            return pool.submit(do, part, job, frozenset(self._gone), self._limit)
        except BrokenExecutor as error:
            future: Future = Future()
            future.set_exception(error)
            return future


def _answer(future: Future) -> Any:
    """The result; the error, if its executor is broken."""
    try:
        return future.result()
    except BrokenExecutor as error:
        return error


def _may_hold_rows() -> None:
    """Loky takes what a process holds for a leak of memory, and would start another."""
    from joblib.externals.loky import process_executor

    process_executor._USE_PSUTIL = False


class _Parts(list):
    """Partitions; when nobody has them any more, the workers drop them."""


def _drop(family: str, gone: deque[str]) -> None:
    gone.append(family)
    shelf.forget(family)  # where threads of this process have them


def _lost(where: str, times: int) -> PartitionError:
    often = "" if times == 1 else f", {times} times"
    return PartitionError(
        f"a worker process died while {where} was waited for{often}; is there too little memory? "
        "Start a new executor with fewer workers, or make smaller partitions"
    )


def _shut_down(pools: list) -> None:
    for pool in pools:
        pool.shutdown(wait=False)
