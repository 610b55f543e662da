"""Jobs on a Dask cluster: they run where the rows are, and sums go up a tree on the workers.

A partition is a future of what a worker holds. When a worker dies, Dask makes its partitions again
from what they were made of, and each job says what has to be kept for them (``partition.py``). A
job goes to the scheduler once, as a future too; all partitions share it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pickle import dumps, loads
from typing import Any
from uuid import uuid4

from ..base import Tree
from .partition import Job, PartitionError, load, work
from .shelf import Load

# So many partial sums are added by one task: fewer tasks, and the same tree on any cluster.
FAN_IN = 8
# A job of fewer bytes goes with each task; a larger one is fetched by the workers from each other.
SMALL_JOB = 50_000


class DaskCrew:
    """Jobs on the workers of a ``distributed.Client``."""

    where = "on a Dask cluster"

    def __init__(self, client: Any) -> None:
        self.client = client

    @property
    def workers(self) -> int:
        """Threads of all workers."""
        return max(1, sum(self.client.nthreads().values()))

    def begin(self, recipes: list[Load]) -> list:
        """Partitions of recipes, read by the workers."""
        return self._submit("load", load, recipes)

    def adopt(self, delayed: list) -> list:
        """Partitions of delayed values, each what a worker holds."""
        return self.client.compute(delayed)

    def made(self, parts: list, job: Job) -> list:
        shared: Any = dumps(job)
        if len(shared) > SMALL_JOB:
            shared = self.client.submit(_same, shared, key=f"linscope-job-{uuid4().hex}")
        return self._submit(job.verb, _work, [(part, shared, k) for k, part in enumerate(parts)])

    def total(self, parts: list, job: Job) -> Any:
        level = self.made(parts, job)
        while len(level) > 1:
            groups = [(level[k : k + FAN_IN],) for k in range(0, len(level), FAN_IN)]
            level = self._submit("sum", _added, groups)
        with _told():
            return level[0].result()

    def each(self, parts: list, job: Job) -> list:
        with _told():
            return self.client.gather(self.made(parts, job))

    def _submit(self, verb: str, function: Any, calls: list) -> list:
        run = uuid4().hex
        return [
            self.client.submit(function, *call, key=f"linscope-{verb}-partition-{k}-{run}")
            for k, call in enumerate(calls)
        ]


@contextmanager
def _told() -> Iterator[None]:
    """What Dask says of workers that died, in words of partitions."""
    from distributed.scheduler import KilledWorker

    try:
        yield
    except KilledWorker as error:
        name = str(error.task).partition("-partition-")[2].partition("-")[0]
        which = f"partition {name}" if name else "a partition"
        raise PartitionError(
            f"the workers that had {which} died again and again; is there too little memory? Give "
            "the workers more of it, or make smaller partitions"
        ) from error


def _work(held: Any, job: bytes, part: int) -> Any:
    return work(held, loads(job), part)


def _same(job: bytes) -> bytes:
    return job


def _added(partials: list) -> Any:
    tree = Tree()
    for partial in partials:
        tree.add(partial)
    return tree.total()
