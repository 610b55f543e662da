"""Rows in memory, blocks on threads."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from linscope.data import to_matrix
from linscope.rows.blocks import SPARSE_ROWS, Block, block_rows_for, borders, take_rows
from linscope.rows.threads import Workers, thread_count

T = TypeVar("T")


class MemoryEngine:
    """Engine for a table that fits in memory.

    Parameters
    ----------
    X : table of any kind
    y, weight : arrays with an entry (or row) a sample, optional
    n_threads : int, optional
        Default: the environment variable LINSCOPE_THREADS, else the cores this process may use.
    block_rows : int, optional
        Rows a block; by default about 2 MB of them. The results depend on it in the last bits,
        but never on the number of threads.

    Examples
    --------
    >>> import operator
    >>> engine = MemoryEngine([[1, 2], [3, 4], [5, 6]], n_threads=2, block_rows=1)
    >>> engine.map_reduce(lambda block: block.X.T @ block.X, operator.add)
    array([[35., 44.],
           [44., 56.]])
    >>> [block.start for block in engine.map(lambda block: block)]
    [0, 1, 2]
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        weight: Any = None,
        *,
        n_threads: int | None = None,
        block_rows: int | None = None,
    ):
        self.X, _ = to_matrix(X)
        self.y = self._column(y, "y")
        self.weight = self._column(weight, "weight")
        self._workers = Workers(n_threads)
        if block_rows is None:
            block_rows = self._default_rows()
        elif block_rows < 1:
            raise ValueError(f"block_rows must be at least 1, got {block_rows!r}")
        self.borders = borders(self.n_rows, block_rows)

    @property
    def n_rows(self) -> int:
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    @property
    def dtype(self) -> np.dtype:
        return self.X.dtype

    @property
    def n_threads(self) -> int:
        return self._workers.n_threads

    def map(self, function: Callable[[Block], T]) -> Generator[T, None, None]:
        """The function of every block, in block order."""
        return self._workers.map(function, self._blocks)

    def map_reduce(self, function: Callable[[Block], T], reduce: Callable[[T, T], T]) -> T:
        """The results of all blocks combined from left to right."""
        # Closing at once, not when the garbage collector comes by, ends the work after an error.
        with closing(self.map(function)) as results:
            return functools.reduce(reduce, results)

    @functools.cached_property
    def _blocks(self) -> list[Block]:
        """Views; made once, because solvers come back many times and sparse views take a while."""
        return [
            Block(
                start,
                take_rows(self.X, start, stop),
                None if self.y is None else self.y[start:stop],
                None if self.weight is None else self.weight[start:stop],
            )
            for start, stop in self.borders
        ]

    def _column(self, values: Any, name: str) -> np.ndarray | None:
        if values is None:
            return None
        values = np.asarray(values)
        if values.ndim == 0 or len(values) != self.n_rows:
            count = values.size if values.ndim == 0 else len(values)
            raise ValueError(f"X has {self.n_rows} rows, but {name} has {count} entries")
        return values

    @classmethod
    def in_few_blocks(cls, X: Any, y: Any = None) -> MemoryEngine:
        """Large blocks, a few for each thread: for results that do not depend on the blocking."""
        return cls(X, y, block_rows=max(4096, X.shape[0] // (4 * thread_count())))

    def _default_rows(self) -> int:
        # A sparse row's length is not known from the shape.
        if sp.issparse(self.X):
            return SPARSE_ROWS
        return block_rows_for(self.n_features, self.dtype.itemsize)
