"""Jobs on any ``concurrent.futures.Executor``: a pool of processes or threads, loky, others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor
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
    """Jobs on an executor.

    Parameters
    ----------
    executor : Executor, or a function that starts one; a function is called again where workers
        have died
    limit : bytes of partitions that a worker may hold; by default its share of the free memory
    """

    where = "in partitions on an executor"

    def __init__(
        self, executor: Executor | Callable[[], Executor], limit: float | None = None
    ) -> None:
        self._start = None if isinstance(executor, Executor) else executor
        self._executor: Any = executor if self._start is None else self._start()
        workers = getattr(self._executor, "_max_workers", None) or thread_count()
        self._limit = memory_budget() / workers if limit is None else limit
        self._gone: deque[str] = deque(maxlen=MOST_GONE)

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
        for partial in self._results(parts, job):
            tree.add(partial)
        return tree.total()

    def each(self, parts: list, job: Job) -> list:
        return list(self._results(parts, job))

    def _results(self, parts: list, job: Job) -> Iterator[Any]:
        """In the order of the partitions; a new pool goes on with those that are missing."""
        done, starts = 0, 1
        while done < len(parts):
            futures: list = []
            try:
                self._submit(parts[done:], job, futures)
                for future in futures:
                    yield future.result()
                    done += 1
            except BrokenExecutor as error:
                if self._start is None or starts == MOST_STARTS:
                    raise _lost(parts[done].recipe.where, starts) from error
                self._executor, starts = self._start(), starts + 1
            finally:
                for future in futures:
                    future.cancel()

    def _submit(self, parts: list, job: Job, futures: list) -> None:
        gone = frozenset(self._gone)
        for part in parts:
            futures.append(self._executor.submit(do, part, job, gone, self._limit))


class _Parts(list):
    """Partitions; when nobody has them any more, the workers drop them."""


def _drop(family: str, gone: deque[str]) -> None:
    gone.append(family)
    shelf.drop(frozenset([family]))  # where threads of this process have them


def _lost(where: str, times: int) -> PartitionError:
    often = "" if times == 1 else f", {times} times"
    return PartitionError(
        f"a worker process died while {where} was waited for{often}; is there too little memory? "
        "Start a new executor with fewer workers, or make smaller partitions"
    )
