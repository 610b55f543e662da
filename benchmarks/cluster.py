"""What a fit on partitions reads and moves, against the cost model of docs/clusters.md.

    python benchmarks/cluster.py [rows] [columns] [partitions]

Rows are made by the workers, so nothing but jobs and sums travels. Bytes are counted by pickling
what an executor would send; seconds are those of the processors, on 1, 2 and 4 workers.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pickle import dumps, loads
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

import linscope as ls
from linscope.engines import Source
from linscope.engines.cluster.dask import DaskCrew
from linscope.engines.cluster.engine import ClusterEngine, engine_of
from linscope.engines.cluster.executors import ExecutorCrew
from linscope.engines.cluster.shelf import Load

MODELS = {
    "least squares": (ls.LinearRegression(), False),
    "logistic, newton": (ls.LogisticRegression(solver="newton"), True),
    "logistic, trust region": (ls.LogisticRegression(solver="trust-region"), True),
    "squared hinge": (ls.LinearSVC(loss="squared_hinge"), True),
}


def rows(number: int, n: int, d: int, labels: bool) -> tuple:
    """A partition: X ~ N(0, 1), y = w·x + noise or its sign."""
    rng = np.random.default_rng(number)
    X = rng.standard_normal((n, d))
    y = X @ np.linspace(-1.0, 1.0, d) + rng.standard_normal(n)
    return X, (y > 0).astype(np.int64) if labels else y, None


class Counting(Executor):
    """Does the work at once, and counts what would have travelled."""

    def __init__(self) -> None:
        self.out = self.back = 0

    def submit(self, function, /, *args, **kwargs):
        sent = dumps(args)
        answer = dumps(function(*loads(sent), **kwargs))
        self.out, self.back = self.out + len(sent), self.back + len(answer)
        future: Future = Future()
        future.set_result(loads(answer))
        return future


def source(crew: Any, n: int, d: int, parts: int, labels: bool) -> Source:
    recipes = [Load(rows, (k, n // parts, d, labels), f"partition {k}") for k in range(parts)]
    return Source(engine_of(crew, crew.begin(recipes)))


class Verbs:
    """Counts what is asked of the engines."""

    def __enter__(self) -> Verbs:
        self.count, self._job = 0, ClusterEngine._job

        def job(engine, *args, **kwargs):
            self.count += 1
            return self._job(engine, *args, **kwargs)

        ClusterEngine._job = job
        return self

    def __exit__(self, *_: object) -> None:
        ClusterEngine._job = self._job


def count(n: int, d: int, parts: int) -> None:
    print(f"{n:,} rows, {d} columns, {parts} partitions: {8 * n * (d + 1) / 1e6:.1f} MB of rows")
    for name, (model, labels) in MODELS.items():
        executor = Counting()
        table = source(ExecutorCrew(executor, limit=4e9), n, d, parts, labels)
        with Verbs() as verbs:
            model.fit(table)
        moved = executor.out + executor.back
        print(
            f"  {name:24} {verbs.count:4} verbs  out {executor.out / 1e3:9.1f} kB  back "
            f"{executor.back / 1e3:9.1f} kB  moved/(verbs·partitions) "
            f"{moved / verbs.count / parts / 1e3:6.2f} kB"
        )


def measured(crew: Any, clock: Callable[[], float], sizes: tuple[int, int, int], who: str) -> None:
    """Of each model: a small fit, which compiles, and then the whole."""
    n, d, parts = sizes
    for name, (model, labels) in MODELS.items():
        model.fit(source(crew, 1000, d, parts, labels))
        before, began = clock(), time.perf_counter()
        model.fit(source(crew, n, d, parts, labels))
        took = time.perf_counter() - began
        print(f"  {name:24} {who}: {clock() - before:6.2f} CPU s on workers, {took:6.2f} s")


def on_processes(*sizes: int) -> None:
    for workers in (1, 2, 4):
        crew = ExecutorCrew.of_processes(workers)
        clocks = [pool.submit for pool in crew._pools]
        measured(
            crew, lambda own=clocks: sum(submit(time.process_time).result() for submit in own),
            sizes, f"{workers} processes",
        )  # fmt: skip


def on_dask(*sizes: int) -> None:
    for workers in (1, 2, 4):
        options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
        with LocalCluster(**options) as cluster, Client(cluster) as client:
            measured(
                DaskCrew(client), lambda own=client: sum(own.run(time.process_time).values()),
                sizes, f"Dask, {workers} workers",
            )  # fmt: skip


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    n, d, parts = (*given, *(400_000, 20, 8)[len(given) :])
    count(n, d, parts)
    on_processes(n, d, parts)
    on_dask(n, d, parts)
