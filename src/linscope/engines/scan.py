"""``ls.scan``: a table that is larger than memory, for ``fit`` and all that takes a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from linscope.data.scan import open_table
from linscope.data.scan.plan import Feature, Plan, make_plan, read_columns, with_labels
from linscope.rows.memory_budget import memory_budget

from .base import Engine
from .checkpoint.front import is_journaled
from .choice import here
from .cluster.files import crew_of, file_engine
from .source import ROOM_SHARE, Source, as_numbers, need_target
from .stream import StreamEngine

# A table that takes no more than this share of the limit is held in memory: solvers come back.
SMALL_SHARE = 1 / 4


def scan(
    table: Any,
    target: str | None = None,
    *,
    columns: Iterable[str] | None = None,
    weight: str | None = None,
    memory_limit: float | None = None,
    executor: Any = None,
    checkpoint: Any = None,
    compress: bool | str = False,
) -> Scan:
    """A table in batches, larger than memory, for ``fit``, ``predict``, ``score`` and ``verify``.

    Nothing is held but a few blocks of rows; each pass of a solver reads the table again. The
    answer is the one that the same rows in memory give.

    Parameters
    ----------
    table : str, path, list of paths, or table
        A Parquet, CSV, JSON lines or Arrow file; a folder or a pattern of such
        (``"part-*.parquet"``); a pyarrow dataset or table, a polars lazy frame, a DuckDB relation,
        or anything with ``__arrow_c_stream__`` that gives the same rows each time it is asked.
    target : str, optional
        The column to predict.
    columns : names of the features, optional
        By default all columns but the target and the weights. Texts become one column of 0 and 1
        for each text but the first.
    weight : str, optional
        The column with the weights of the samples; see ``weight_kind`` of the models.
    memory_limit : int, optional
        Bytes to use at most; by default a quarter of what is free.
    executor : optional
        Who reads the rows and works on them, in partitions: a number of processes, any
        ``concurrent.futures.Executor``, or Dask's client, cluster or address. Workers must see the
        files by the same names.
    checkpoint : path, optional
        A fit to this table writes down how far it is, and goes on from there if the process dies
        and the same fit is begun again; see ``checkpoint``.
    compress : bool or "auto"
        Equal rows become one row with a weight, see ``compress``; with "auto" if a sample says that
        there are at least ten rows for each different one, and these fit in memory.

    Returns
    -------
    Scan

    Examples
    --------
    >>> import linscope as ls, pyarrow as pa
    >>> table = pa.table({"x": [0.0, 1.0, 2.0, 4.0], "y": [1.0, 3.0, 5.0, 9.0]})
    >>> ls.LinearRegression().fit(ls.scan(table, target="y")).coef_
    array([2.])
    """
    if compress:
        from .compress import few_rows

        if executor is not None:
            raise TypeError("the different rows come here, where no executor is needed: leave out "
                            "compress or executor")  # fmt: skip
        given = {"columns": columns, "weight": weight, "memory_limit": memory_limit}
        found = few_rows(table, target, sampled=_is_auto(compress), **given)
        if found is not None:
            found.checkpoint = checkpoint
            return found
    return Scan(table, target, columns, weight, memory_limit, executor, checkpoint)


def _is_auto(compress: bool | str) -> bool:
    if isinstance(compress, str) and compress != "auto":
        raise ValueError(f"compress must be True, False or 'auto', got {compress!r}")
    return compress == "auto"


class Scan(Source):
    """A table in batches; see ``scan``.

    Attributes
    ----------
    names : of the features, as the models see them
    shape : rows and features
    """

    def __init__(
        self,
        table: Any,
        target: Any,
        columns: Any,
        weight: Any,
        limit: Any,
        executor: Any = None,
        checkpoint: Any = None,
    ) -> None:
        self.checkpoint = checkpoint
        self._crew = None if executor is None else crew_of(executor)
        self._table, self._limit = open_table(table), memory_budget(limit)
        self._plan = make_plan(self._table, target, columns, weight)
        engine = StreamEngine(self._table, self._plan, self._limit)
        super().__init__(engine, self._plan.names, ["y"] if target is None else [target])

    def __repr__(self) -> str:
        n, d = self.shape
        return f"Scan({self._table.where}: {n:,} rows, {d:,} features, target {self.targets[0]!r})"

    @property
    def where(self) -> str:
        return self._table.in_words

    @property
    def in_memory(self) -> bool:
        return self._table.in_memory

    @property
    def room(self) -> float:
        return self._limit * ROOM_SHARE / 8

    def fingerprint(self) -> Any:
        return self._plan, self._table.fingerprint(self._plan)

    @property
    def features(self) -> tuple[Feature, ...]:
        """The columns of the table that are features, with their texts."""
        return self._plan.features

    def labelled(self, known: np.ndarray | None = None) -> tuple[np.ndarray, Engine]:
        need_target(self.engine)
        plan = with_labels(self._plan, self._table, known)
        assert plan.labels is not None
        return plan.labels, self._rows(plan)

    def numbered(self) -> Engine:
        need_target(self.engine)
        return self._rows(self._plan).derive(as_numbers)

    def plain(self) -> Engine:
        return self._rows(Plan(self._plan.features, self._plan.dtype))

    def sample(self) -> tuple[dict[str, Any], int, int]:
        """Columns in memory; of how many rows each is one, 1 if the table fits; and all rows.

        The features and the target as they stand in the table, evenly spread over its rows. Rows
        that stand for several are there as often.
        """
        names, again, n = [*self._plan.columns], None, self.engine.n_rows
        if self._plan.weight is not None:
            names.remove(self._plan.weight)
            if self.weight_kind == "frequency":
                again = read_columns(self._table, [self._plan.weight], 1)[self._plan.weight]
                n = int(again.sum())
        step = max(1, -int(-8 * n * len(names) // (self._limit * SMALL_SHARE)))
        if again is None:
            return read_columns(self._table, names, step), step, n
        rows = np.searchsorted(np.cumsum(again), np.arange(0, n, step), side="right")
        columns = read_columns(self._table, names, 1)
        return {name: values[rows] for name, values in columns.items()}, step, n

    def _rows(self, plan: Plan) -> Engine:
        """The rows in batches or partitions; in memory, if they are few beside the limit."""
        if self._crew is not None:
            return file_engine(self._crew, self._table, plan, self.shape[0])
        engine = StreamEngine(self._table, plan, self._limit)
        if is_journaled():  # the way of a fit must not depend on the memory that is free today
            return engine
        small = 8 * engine.n_rows * (engine.n_features + 2) <= self._limit * SMALL_SHARE
        return here(engine.loaded()) if small else engine
