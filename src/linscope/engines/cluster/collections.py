"""Dask arrays and data frames as tables: their partitions stay where Dask has them."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import scipy.sparse as sp

from linscope.data import to_matrix
from linscope.rows.threads import thread_count

from ..source import Source
from .dask import DaskCrew
from .engine import engine_of
from .executors import ExecutorCrew
from .partition import load
from .shelf import Load

FAMILIES = {"dask", "dask_expr"}


def is_collection(thing: Any) -> bool:
    """Whether it is an array, a series or a data frame of Dask."""
    family = type(thing).__module__.partition(".")[0]
    return family in FAMILIES and hasattr(thing, "__dask_graph__") and hasattr(thing, "to_delayed")


class Collection(Source):
    """A Dask table, with its target and weights."""

    parts: tuple = ()

    def fingerprint(self) -> Any:
        """Dask's own: of the graph, which names files with their times, and of arrays in it."""
        from dask.base import tokenize

        return [tokenize(part) for part in self.parts]

    @property
    def where(self) -> str:
        return "in a Dask collection"


def collection_of(X: Any, y: Any = None, weight: Any = None) -> Collection:
    """A Dask array or data frame at the door.

    Parameters
    ----------
    X : Dask array (n, d) or data frame
    y : the same for the targets; the name of a column of a data frame; an array; or None
    weight : the same for the weights of the samples
    """
    names = None
    if hasattr(X, "columns"):
        X, y, weight = _columns(X, y, weight)
        names = _names(X)
    elif X.ndim != 2:
        raise ValueError(f"X must have rows and columns, got a Dask array of {X.ndim} dimensions")
    X = _whole_rows(X)
    pieces = [_pieces(X)]
    for name, column in (("y", y), ("sample_weight", weight)):
        pieces.append([None] * len(pieces[0]) if column is None else _aligned(column, X, name))
    rows = list(zip(*pieces, strict=True))
    found = Collection(_engine(rows), names, _targets(y))
    found.parts = X, y, weight
    return found


def _columns(X: Any, y: Any, weight: Any) -> tuple[Any, Any, Any]:
    """Targets and weights that are named are columns of the data frame, not features."""
    named = [one for one in (y, weight) if isinstance(one, str)]
    for one in named:
        if one not in X.columns:
            raise ValueError(f"the data frame has no column {one!r}, only {list(X.columns)}")
    y, weight = (X[one] if isinstance(one, str) else one for one in (y, weight))
    return X[[column for column in X.columns if column not in named]], y, weight


def _names(X: Any) -> list[str] | None:
    names = list(X.columns)
    return names if all(isinstance(name, str) for name in names) else None


def _targets(y: Any) -> list[str]:
    columns = getattr(y, "columns", None)
    if columns is not None:
        return [str(name) for name in columns]
    if getattr(y, "ndim", 1) == 2:
        width = y.shape[1]
        return ["y"] if width == 1 else [f"y{k + 1}" for k in range(width)]
    name = getattr(y, "name", None)
    return [name if isinstance(name, str) and hasattr(y, "divisions") else "y"]


def _whole_rows(table: Any) -> Any:
    """An array whose blocks have all columns."""
    many = getattr(table, "numblocks", (1, 1))
    return table.rechunk({1: -1}) if len(many) == 2 and many[1] > 1 else table


def _pieces(table: Any) -> list:
    return list(np.ravel(table.to_delayed()))


def _aligned(column: Any, X: Any, name: str) -> list:
    """The parts of a column that belong to the partitions of X."""
    sizes = X.chunks[0] if hasattr(X, "chunks") else (np.nan,)
    known = not np.isnan(sizes).any()
    if not is_collection(column):
        column = np.asarray(column)
        if not known:
            raise TypeError(
                f"X has partitions of unknown lengths, so {name} must be a Dask collection with "
                "the same partitions"
            )
        if len(column) != sum(sizes):
            raise ValueError(f"X has {sum(sizes)} rows, but {name} has {len(column)} entries")
        return np.split(column, np.cumsum(sizes)[:-1])
    column = _whole_rows(column)
    own = column.chunks[0] if hasattr(column, "chunks") else (np.nan,)
    if known and not np.isnan(own).any() and own != sizes:
        if sum(own) != sum(sizes):
            raise ValueError(f"X has {sum(sizes)} rows, but {name} has {sum(own)} entries")
        column = column.rechunk({0: sizes})
    pieces, number = _pieces(column), len(_pieces(X))
    if len(pieces) != number:
        raise ValueError(
            f"X has {number} partitions, {name} has {len(pieces)}: both need the same rows in each"
        )
    return pieces


def _engine(rows: list[tuple]) -> Any:
    """On the active client, else on threads of this process."""
    import dask

    wheres = [f"partition {number}" for number in range(len(rows))]
    client = _active_client()
    if client is not None:
        make = dask.delayed(load, pure=False)
        parts = [make(_rows, row, where) for row, where in zip(rows, wheres, strict=True)]
        crew = DaskCrew(client)
        return engine_of(crew, crew.adopt(parts))
    loads = [Load(_computed, row, where) for row, where in zip(rows, wheres, strict=True)]
    pool = ExecutorCrew(ThreadPoolExecutor(thread_count(), thread_name_prefix="linscope"))
    pool.where = "in a Dask collection"
    return engine_of(pool, pool.begin(loads))


def _active_client() -> Any:
    if "distributed" not in sys.modules:  # then nobody has one
        return None
    from distributed import get_client

    try:
        return get_client()
    except ValueError:
        return None


def _computed(*row: Any) -> tuple:
    import dask

    return _rows(*dask.compute(*row, scheduler="synchronous"))


def _rows(X: Any, y: Any, weight: Any) -> tuple:
    """A partition as matrix, targets and weights."""
    n = X.shape[0]
    for name, column in (("y", y), ("sample_weight", weight)):
        if column is not None and len(column) != n:
            raise ValueError(f"X has {n} rows, but {name} has {len(column)} entries")
    matrix = matrix_of(X)
    y = None if y is None else np.asarray(y)
    return matrix, y, None if weight is None else np.asarray(weight, dtype=np.float64)


def matrix_of(X: Any) -> Any:
    """A partition as a matrix; it may have no rows."""
    if X.shape[0]:
        return to_matrix(X)[0]
    dtype = np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
    return sp.csr_array(X.shape, dtype=dtype) if sp.issparse(X) else np.zeros(X.shape, dtype)


def lazy_rows(X: Any) -> tuple[Any, list[str] | None]:
    """A Dask collection as an array whose blocks have all columns, and the names of these."""
    if not hasattr(X, "columns"):
        return _whole_rows(X), None
    meta = np.zeros((0, len(X.columns)), dtype=matrix_of(X._meta_nonempty).dtype)
    return X.map_partitions(matrix_of, meta=meta), _names(X)
