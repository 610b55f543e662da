"""Rows in memory, blocks on threads."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from linscope.data import to_matrix
from linscope.rows.blocks import (
    SPARSE_ROWS,
    Block,
    block_rows_for,
    borders,
    every,
    stacked,
    take_rows,
    taken,
)
from linscope.rows.operations import NO_WEIGHT
from linscope.rows.threads import Workers, blas_limits, one_blas_thread

from .base import Task, Tree


class MemoryEngine:
    """Engine for a table that fits in memory.

    Parameters
    ----------
    X : table of any kind
    y : array with an entry (or row) for each sample, optional
    weight : array with an entry for each sample; empty or None if all are 1
    n_threads : int, optional
        Default: the environment variable LINSCOPE_THREADS, else the cores this process may use.
    block_rows : int, optional
        Rows of a block; by default about 2 MB of them. The results depend on it in the last bits,
        but never on the number of threads.
    start : int
        Number of the first row, where these rows are a part of a larger table.
    checked : bool
        Whether X is a matrix that ``to_matrix`` has made: sparse ones are looked at but once.

    Examples
    --------
    >>> engine = MemoryEngine([[1, 2], [3, 4], [5, 6]], n_threads=2, block_rows=1)
    >>> engine.fold(lambda block, power: (block.X**power).sum(axis=0), 2)
    array([35., 56.])
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        weight: Any = None,
        *,
        n_threads: int | None = None,
        block_rows: int | None = None,
        start: int = 0,
        checked: bool = False,
    ):
        # A part of a table may have no rows, a table of the user may not.
        empty = (sp.issparse(X) or type(X) is np.ndarray) and X.shape[0] == 0
        X = X if empty or checked else to_matrix(X)[0]
        y = _column(y, X, "y")
        c = NO_WEIGHT if weight is None else _column(weight, X, "weight", NO_WEIGHT)
        if block_rows is not None and block_rows < 1:
            raise ValueError(f"block_rows must be at least 1, got {block_rows!r}")
        self._start = start
        self._all: Block | None = Block(start, X, y, c)
        self._workers = Workers(n_threads)
        self.is_sparse = sp.issparse(X)
        self.n_rows, self.n_features = X.shape
        self.n_targets = _width(y)
        self.dtype, self.weighted = X.dtype, len(c) > 0
        self.borders = borders(self.n_rows, block_rows or self._default_rows()) or [(0, 0)]

    has_all_rows, room = True, np.inf

    @property
    def n_threads(self) -> int:
        return self._workers.n_threads

    @property
    def sizes(self) -> list[int]:
        return [stop - start for start, stop in self.borders]

    def fold(self, task: Task, *arguments: Any) -> Any:
        """The tasks' results, added in a tree over the blocks' numbers."""
        return self._fold(lambda block: task(block, *arguments), hasattr(task, "light"))

    def walk(self, task: Task, state: Any, *arguments: Any) -> Any:
        """The state after all blocks, one after the other."""
        with one_blas_thread():
            for block in self.blocks:
                state = task(block, state, *arguments)
        return state

    def keep(self, name: str, task: Task, *arguments: Any) -> Any:
        """The same for the partials of (kept, partial); kept is ``block.kept[name]`` from then."""

        def keeping(block: Block) -> Any:
            block.kept[name], partial = task(block, *arguments)
            return partial

        return self._fold(keeping, hasattr(task, "light"))

    def _fold(self, function: Any, light: bool) -> Any:
        if len(self.borders) == 1:  # small tables have no time for more
            if light or blas_limits.get():
                return function(self.blocks[0])
            with one_blas_thread():
                return function(self.blocks[0])
        tree = Tree()
        partials = self._map(function, light)
        # Closing at once, not when the garbage collector comes by, ends the work after an error.
        with closing(partials):
            for partial in partials:
                tree.add(partial)
        return tree.total()

    def _map(self, function: Any, light: bool) -> Generator[Any, None, None]:
        if not light:
            return self._workers.map(function, self.blocks)
        return (function(block) for block in self.blocks)

    def forget(self, name: str) -> None:
        """Nothing is kept under this name any more."""
        for block in self.blocks:
            block.kept.pop(name, None)

    def gather(self, task: Task, *arguments: Any) -> Any:
        """What the task returns for each row, of all rows: an array, or a tuple of arrays."""
        light = hasattr(task, "light")
        parts = list(self._map(lambda block: task(block, *arguments), light))
        if len(parts) == 1:
            return parts[0]
        if isinstance(parts[0], tuple):
            return tuple(np.concatenate(column) for column in zip(*parts, strict=True))
        return np.concatenate(parts)

    def derive(self, task: Task, *arguments: Any) -> MemoryEngine:
        """Blocks of the rows (X, y, weight) that the task makes of each block."""
        parts = list(self._workers.map(lambda block: task(block, *arguments), self.blocks))
        starts = list(accumulate((part[0].shape[0] for part in parts), initial=self._start))
        blocks = [Block(start, *part) for start, part in zip(starts, parts, strict=False)]
        out = object.__new__(MemoryEngine)
        out._all = blocks[0] if len(blocks) == 1 else None
        if self._all is not None and all(
            new.X is old.X for new, old in zip(blocks, self.blocks, strict=True)
        ):
            out._all = stacked(blocks, self._all.X)  # other targets or weights of the same table
        out._workers, out.blocks, out._start = self._workers, blocks, self._start
        first = blocks[0]
        out.is_sparse, out.dtype = sp.issparse(first.X), first.X.dtype
        out.n_rows, out.n_features = starts[-1] - self._start, first.X.shape[1]
        out.n_targets = _width(first.y)
        out.weighted = any(len(block.weight) > 0 for block in blocks)
        out.borders = [(a - self._start, b - self._start) for a, b in pairwise(starts)]
        return out

    def move(self, start: int) -> None:
        """From now on the first row has this number."""
        step, self._start = start - self._start, start
        if step and self._all is not None:
            self._all = _moved(self._all, step)
        if step and "blocks" in self.__dict__:
            self.blocks = [_moved(block, step) for block in self.blocks]

    def take(self, rows: np.ndarray) -> Block:
        """The rows with these numbers."""
        return taken(self.all_rows(), rows - self._start if self._start else rows)

    def cut(self, rows: int) -> MemoryEngine:
        """The same rows in blocks of so many."""
        if self.borders == (wanted := borders(self.n_rows, rows) or [(0, 0)]):
            return self
        out = object.__new__(MemoryEngine)
        out.__dict__.update(self.__dict__)
        out.__dict__.pop("blocks", None)
        out._all, out.borders = self.all_rows(), wanted
        return out

    def some(self, rows: int) -> Block:
        """Every k-th row."""
        step = max(1, self.n_rows // max(1, rows))
        if step == 1:
            return self.all_rows()
        if self._all is not None:
            return every(self._all, step)
        return stacked([every(block, step) for block in self.blocks])

    def all_rows(self, who: str = "") -> Block:
        """The table."""
        if self._all is None:
            self._all = stacked(self.blocks)
        return self._all

    @cached_property
    def blocks(self) -> list[Block]:
        """Views; made once, because solvers come back many times and sparse views take a while."""
        X, y, weight = (getattr(self._all, name) for name in ("X", "y", "weight"))
        if len(self.borders) == 1:
            return [Block(self._start, X, y, weight)]
        return [
            Block(self._start + a, take_rows(X, a, b), None if y is None else y[a:b], weight[a:b])
            for a, b in self.borders
        ]

    def _default_rows(self) -> int:
        # A sparse row's length is not known from the shape.
        return (
            SPARSE_ROWS if self.is_sparse else block_rows_for(self.n_features, self.dtype.itemsize)
        )


def _moved(block: Block, step: int) -> Block:
    return Block(block.start + step, block.X, block.y, block.weight, block.kept)


def _width(y: np.ndarray | None) -> int:
    return 0 if y is None else (y.shape[1] if y.ndim == 2 else 1)


def _column(values: Any, X: Any, name: str, nothing: Any = None) -> Any:
    if values is None:
        return nothing
    values = np.asarray(values)
    if name == "weight" and values.ndim and len(values) == 0:
        return nothing
    if values.ndim == 0 or len(values) != X.shape[0]:
        count = values.size if values.ndim == 0 else len(values)
        raise ValueError(f"X has {X.shape[0]} rows, but {name} has {count} entries")
    return values
