"""Files in partitions: each is a range of rows, which a worker reads by itself."""

from __future__ import annotations

from bisect import bisect_right
from concurrent.futures import Executor
from itertools import pairwise
from pickle import PicklingError, dumps
from typing import Any

from linscope.data.scan.plan import Plan, read_batch
from linscope.data.scan.reading import ChangedTable, Table

from ..stream import Pieces
from .dask import DaskCrew
from .engine import ClusterEngine, engine_of
from .executors import ExecutorCrew
from .shelf import Load

# Partitions for each worker: some to spare where one is slower.
FOR_EACH_WORKER = 4
# Bytes of a partition at most.
MOST_BYTES = 256 << 20


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
    cuts = row_borders(table.starts, n_rows, crew.workers, len(plan.names))
    loads = [
        Load(read_rows, (table, plan, a, b), f"partition {k} ({table.where}, rows {a:,} to {b:,})")
        for k, (a, b) in enumerate(pairwise(cuts))
    ]
    return engine_of(crew, crew.begin(loads))


def row_borders(starts: tuple[int, ...], n: int, workers: int, width: int) -> list[int]:
    """0 … n cut into partitions, at the first row of a row group where one is near.

    >>> row_borders((0, 60, 120, 180), 240, 1, 4), row_borders((0,), 10, 1, 4)
    ([0, 60, 120, 180, 240], [0, 3, 6, 9, 10])
    """
    most = max(1, MOST_BYTES // (8 * (width + 2)))
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
    parts = []
    for batch in table.batches(plan.columns, at):
        begin, end = max(first - at, 0), min(last - at, batch.rows)
        if begin < end:
            parts.append((read_batch(plan, batch, at), begin, end))
        at += batch.rows
        if at >= last:
            break
    if at < last:
        raise ChangedTable(f"{table.where} has {at:,} rows now: open it again")
    block = Pieces(0, first, parts).filled(plan, len(plan.names))
    return block.X, block.y, block.weight


def _check_sendable(table: Table) -> None:
    try:
        dumps(table)
    except (PicklingError, TypeError, AttributeError):
        raise TypeError(
            f"{table.where} is not in files, so workers cannot read it: write it to Parquet files"
        ) from None
