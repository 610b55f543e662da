"""Row blocks: small enough for the cache, with borders that depend on the shape only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

# Measured for a Gram matrix of 500,000 × 50: below 1 MB the calls cost, above 4 MB nothing is won.
BLOCK_BYTES = 2 << 20
SPARSE_ROWS = 2048
NO_WEIGHT = np.zeros(0)


@dataclass(slots=True)
class Block:
    """Some rows of a table: number of the first, features, targets, weights (empty: all are 1).

    ``kept`` is what solvers keep for these rows, ``rows`` where they are in the whole table.
    """

    start: int
    X: Any
    y: Any = None
    weight: np.ndarray = field(default_factory=lambda: NO_WEIGHT)
    kept: dict[str, Any] = field(default_factory=dict)
    rows: slice = field(init=False)
    weighted: bool = field(init=False)

    def __post_init__(self) -> None:
        self.rows = slice(self.start, self.start + self.X.shape[0])
        self.weighted = len(self.weight) > 0


def block_rows_for(d: int, itemsize: int) -> int:
    """How many rows of ``d`` numbers of ``itemsize`` bytes make a block.

    >>> block_rows_for(64, 8)
    4096
    """
    return max(1, BLOCK_BYTES // (max(1, d) * itemsize))


def block_borders(n: int, d: int, itemsize: int = 8) -> list[tuple[int, int]]:
    """First and last-plus-one row of each block of an n × d table.

    >>> block_borders(10_000, 64)
    [(0, 4096), (4096, 8192), (8192, 10000)]
    """
    return borders(n, block_rows_for(d, itemsize))


def borders(n: int, rows: int) -> list[tuple[int, int]]:
    """0 … n cut into pieces of ``rows``; the last may be shorter."""
    return [(start, min(start + rows, n)) for start in range(0, n, rows)]


def take_rows(matrix: Any, start: int, stop: int) -> Any:
    """Rows ``start`` to ``stop``, sharing memory with ``matrix``."""
    if not sp.issparse(matrix):
        return matrix[start:stop]
    first, last = matrix.indptr[start], matrix.indptr[stop]
    # The usual constructor would copy a small part of a large array.
    part = type(matrix)((stop - start, matrix.shape[1]), dtype=matrix.dtype)
    part.data = matrix.data[first:last]
    part.indices = matrix.indices[first:last]
    part.indptr = matrix.indptr[start : stop + 1] - first
    if matrix.has_canonical_format:
        part.has_canonical_format = True
    return part


def every(block: Block, step: int) -> Block:
    """The rows of a block whose numbers in the whole table are multiples of ``step``."""
    rows = slice(-block.start % step, None, step)
    X = block.X[rows] if sp.issparse(block.X) else np.ascontiguousarray(block.X[rows])
    y = None if block.y is None else np.ascontiguousarray(block.y[rows])
    return Block(block.start, X, y, np.ascontiguousarray(block.weight[rows]))


def light(task: Any) -> Any:
    """Marks a task that reads a few numbers per row only: it is not worth a thread."""
    task.light = True
    return task


def blind(task: Any) -> Any:
    """Marks a light task that looks at no feature: a table in a file need not read them for it.

    Of X it may ask the shape and the type only.
    """
    task.blind = True
    return light(task)


def by_columns(task: Any) -> Any:
    """Marks a task that is at home with columns side by side: then X may be in Fortran's order.

    A file has its numbers in columns, and to copy them as they are takes less time. A step of
    ``derive`` that is marked leaves X in its order.
    """
    task.by_columns = True
    return task


def selects(task: Any) -> Any:
    """Marks a task of ``derive`` that leaves out rows: how many are left must be counted."""
    task.selects = True
    return task


def with_columns(block: Block, columns: np.ndarray) -> tuple:
    """The rows with some of their columns."""
    X = block.X[:, columns]
    return X if sp.issparse(X) else np.ascontiguousarray(X), block.y, block.weight


def taken(block: Block, rows: np.ndarray) -> Block:
    """These rows of a block."""
    y = None if block.y is None else block.y[rows]
    return Block(0, block.X[rows], y, block.weight[rows] if block.weighted else block.weight)


def stacked(blocks: list[Block], X: Any = None) -> Block:
    """One block of all their rows; X is the table, if there is one already."""
    if X is None:
        parts = [block.X for block in blocks]
        X = sp.vstack(parts, "csr") if sp.issparse(parts[0]) else np.vstack(parts)
    y = None if blocks[0].y is None else np.concatenate([block.y for block in blocks])
    return Block(blocks[0].start, X, y, np.concatenate([block.weight for block in blocks]))


def largest_value(block: Block) -> Largest:
    """The largest |x|."""
    return Largest(float(abs(block.X).max()) if min(block.X.shape) else 0.0)


def scaled_rows(block: Block, c: float) -> tuple[Any, Any, np.ndarray]:
    """The rows times c, in float64."""
    return block.X.astype(np.float64) * c, block.y, block.weight


class Least(NamedTuple):
    """The smallest of the blocks' numbers."""

    value: Any

    def plus(self, other: Least) -> Least:
        return Least(np.minimum(self.value, other.value))


class Largest(NamedTuple):
    """The largest of the blocks' numbers."""

    value: Any

    def plus(self, other: Largest) -> Largest:
        return Largest(np.maximum(self.value, other.value))
