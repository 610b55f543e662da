"""What a solver may ask of an engine, whether the rows are in memory, in a file or on a cluster.

An engine knows the rows, a solver knows the mathematics. A task is a function of a module that
takes a ``Block`` and some arguments, changes neither, and can be sent to another process.

    fold      what the tasks return, added up: all that a sum over rows can tell
    walk      a state that goes from block to block: rules that visit rows in their order
    keep      the same, and something for each row stays where the row is: scores, residuals
    gather    something for each row, brought here: predictions, margins
    take      some rows themselves
    derive    other rows made of these: columns scaled, another target, fewer rows

Whoever needs more (rows in an order, a Gram matrix) asks for ``all_rows`` and says who asks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from linscope.rows.blocks import Block
from linscope.rows.far import RowsElsewhere

__all__ = ["Engine", "RowsElsewhere", "Task", "Tree", "plus"]

Task = Callable[..., Any]


@runtime_checkable
class Engine(Protocol):
    """Rows with targets and weights, in blocks."""

    @property
    def n_rows(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    @property
    def n_targets(self) -> int:
        """Columns of y."""
        ...

    @property
    def dtype(self) -> np.dtype: ...

    @property
    def is_sparse(self) -> bool: ...

    @property
    def weighted(self) -> bool: ...

    @property
    def has_all_rows(self) -> bool:
        """Whether ``all_rows`` can be asked for."""
        ...

    @property
    def room(self) -> float:
        """Numbers of the table that may be brought here at once."""
        ...

    @property
    def sizes(self) -> list[int]:
        """Rows of each block: what bounds of rounding depend on."""
        ...

    def fold(self, task: Task, *arguments: Any) -> Any:
        """``task(block, *arguments)`` of all blocks, added in a tree over the blocks' numbers.

        Numbers and arrays are added, tuples entry by entry; other things have a method ``plus``.
        """
        ...

    def walk(self, task: Task, state: Any, *arguments: Any) -> Any:
        """``state = task(block, state, *arguments)`` of all blocks, one after the other.

        The one verb that knows an order; RowsElsewhere where rows have none.
        """
        ...

    def keep(self, name: str, task: Task, *arguments: Any) -> Any:
        """The tasks return (kept, partial): later tasks find ``block.kept[name]``.

        The partials are folded. What was kept under this name before is forgotten.
        """
        ...

    def forget(self, name: str) -> None:
        """Nothing is kept under this name any more."""
        ...

    def gather(self, task: Task, *arguments: Any) -> Any:
        """What the task returns for each row, of all rows: an array, or a tuple of arrays."""
        ...

    def derive(self, task: Task, *arguments: Any) -> Engine:
        """An engine of the rows ``task(block, *arguments)``, which returns (X, y, weight).

        It has a row for each row, unless the task is marked by ``rows.blocks.selects``.
        """
        ...

    def cut(self, rows: int) -> Engine:
        """The same rows in blocks of so many, where the engine may choose."""
        ...

    def take(self, rows: np.ndarray) -> Block:
        """The rows with these numbers, which are sorted, here."""
        ...

    def some(self, rows: int) -> Block:
        """About so many rows, evenly spread, here."""
        ...

    def all_rows(self, who: str) -> Block:
        """All rows, here; else RowsElsewhere, which says what to use."""
        ...


def plus(a: Any, b: Any) -> Any:
    """The sum of what two blocks gave.

    >>> plus((1, 2.0), (3, 4.0))
    (4, 6.0)
    """
    kind = type(a)
    if kind is np.ndarray or kind is float:  # most are; asking an array for a method takes longer
        return a + b
    if kind is tuple:
        return tuple(map(plus, a, b))
    return a.plus(b) if hasattr(a, "plus") else a + b


class Tree:
    """Adds in a tree that depends on how many are added only: the bits are always the same.

    Partial sums of 1, 2, 4, 8 … blocks wait for their neighbour, as the digits of a binary number.
    """

    def __init__(self, sums: list[tuple[int, Any]] | None = None) -> None:
        self._sums = [] if sums is None else sums

    @property
    def sums(self) -> list[tuple[int, Any]]:
        """How many were added, and to what: all that is needed to go on."""
        return self._sums

    @property
    def count(self) -> int:
        return sum(size for size, _ in self._sums)

    def add(self, partial: Any) -> None:
        size = 1
        while self._sums and self._sums[-1][0] == size:
            partial, size = plus(self._sums.pop()[1], partial), 2 * size
        self._sums.append((size, partial))

    def total(self) -> Any:
        """Of nothing: None."""
        total = None
        for _, partial in reversed(self._sums):
            total = partial if total is None else plus(partial, total)
        return total
