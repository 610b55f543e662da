"""Files in partitions: each is a range of rows, which a worker reads by itself."""

from __future__ import annotations

from bisect import bisect_right
from concurrent.futures import Executor
from itertools import pairwise
from pickle import PicklingError, dumps
from typing import Any

import numpy as np

from linscope.data.scan.plan import Plan, read_batch
from linscope.data.scan.reading import ChangedTable, Table
from linscope.rows.blocks import NO_WEIGHT, block_rows_for, borders

from ..stream import StreamEngine
from .dask import DaskCrew
from .engine import ClusterEngine
from .executors import ExecutorCrew
from .partition import Facts
from .shelf import Load

# Partitions for each worker: some to spare where one is slower.
FOR_EACH_WORKER = 4
# Bytes of a partition at most.
MOST_BYTES = 128 << 20
# Bytes for a look at some rows.
SAMPLE = 1 << 29


def crew_of(executor: Any) -> ExecutorCrew | DaskCrew:
    """Who does the jobs.

    Parameters
    ----------
    executor : number of processes to start; any ``concurrent.futures.Executor``; Dask's client, its
        cluster or the address of its scheduler
    """
    if isinstance(executor, bool) or executor == 0:
        raise TypeError(f"executor must be an executor or a number of processes, got {executor!r}")
    if isinstance(executor, int):
        return ExecutorCrew.of_processes(executor)
    if isinstance(executor, str) or hasattr(executor, "scheduler_address"):
        from distributed import Client

        return DaskCrew(Client(executor, set_as_default=False))
    client = getattr(executor, "_client", executor)  # of ``client.get_executor()``
    if hasattr(client, "scheduler_info"):
        return DaskCrew(client)
    if isinstance(executor, Executor):
        return ExecutorCrew(executor)
    raise TypeError(
        f"executor is {type(executor).__name__}: give a concurrent.futures.Executor, a number of "
        "processes, or a Dask client, cluster or address"
    )


def file_engine(crew: Any, table: Table, plan: Plan, n_rows: int) -> ClusterEngine:
    """The rows of files in partitions.

    Parameters
    ----------
    crew : does the jobs
    table, plan : what is read, and what becomes of the columns
    """
    _check_sendable(table)
    width = len(plan.names)
    most = max(1, MOST_BYTES // (8 * (width + 2)))
    cuts = row_borders(table.starts, n_rows, crew.workers, most)
    loads = [
        Load(read_rows, (table, plan, a, b), f"partition {k} ({table.where}, rows {a:,} to {b:,})")
        for k, (a, b) in enumerate(pairwise(cuts))
    ]
    rows = block_rows_for(width, plan.dtype.itemsize)
    targets, weighted = int(plan.target is not None), plan.weight is not None
    rest = width, targets, plan.dtype, False, weighted
    facts = [Facts([j - i for i, j in borders(b - a, rows)], *rest) for a, b in pairwise(cuts)]
    return ClusterEngine(crew, crew.begin(loads), facts, StreamEngine(table, plan, SAMPLE))


def row_borders(starts: tuple[int, ...], n: int, workers: int, most: int) -> list[int]:
    """0 … n cut into partitions, at the first row of a row group where one is near.

    >>> row_borders((0, 60, 120, 180), 240, 1, 100), row_borders((0,), 10, 1, 100)
    ([0, 60, 120, 180, 240], [0, 3, 6, 9, 10])
    """
    rows = min(most, -(-n // (FOR_EACH_WORKER * workers)))
    cuts = {0}
    for wanted in range(rows, n, rows):
        near = starts[bisect_right(starts, wanted) - 1]
        cuts.add(near if wanted - near < rows // 2 else wanted)
    return [*sorted(cuts), n]


def read_rows(table: Table, plan: Plan, first: int, last: int) -> tuple:
    """The rows from ``first`` to before ``last``: X, y and weight."""
    table.check()
    at = table.starts[bisect_right(table.starts, first) - 1]
    X = np.empty((last - first, len(plan.names)), plan.dtype)
    rest = []  # y and weight: a batch is let go as soon as its rows are copied
    for batch in table.batches(plan.columns, at):
        begin, end = max(first - at, 0), min(last - at, batch.rows)
        if begin < end:
            columns = read_batch(plan, batch, at)
            columns.copy(begin, end, X, at + begin - first)
            rest.append(
                [None if part is None else np.array(part[begin:end])
                 for part in (columns.target, columns.weight)]
            )  # fmt: skip
        at += batch.rows
        if at >= last:
            break
    if at < last:
        raise ChangedTable(f"{table.where} has {at:,} rows now: open it again")
    y, weight = (
        None if parts[0] is None else np.concatenate(parts) for parts in zip(*rest, strict=True)
    )
    return X, y, NO_WEIGHT if weight is None else weight


def _check_sendable(table: Table) -> None:
    try:
        dumps(table)
    except (PicklingError, TypeError, AttributeError):
        raise TypeError(
            f"{table.where} is not in files, so workers cannot read it: write it to Parquet files"
        ) from None
