"""What a solver may ask of an engine, whether the rows are in memory, in a file or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np

from linscope.rows.blocks import Block

T = TypeVar("T")


@runtime_checkable
class Engine(Protocol):
    """Maps a function over row blocks and reduces the results in block order.

    The function takes a ``Block``. Parameters are bound with ``functools.partial`` to a
    module-level function, so that an engine can send it to another process. Results are combined
    strictly from the first block to the last, ``reduce(reduce(f(b0), f(b1)), f(b2)) …``, so that
    the bits do not depend on the number of threads.
    """

    @property
    def n_rows(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    @property
    def dtype(self) -> np.dtype: ...

    def map(self, function: Callable[[Block], T]) -> Iterator[T]:
        """The function of every block, in block order."""
        ...

    def map_reduce(self, function: Callable[[Block], T], reduce: Callable[[T, T], T]) -> T:
        """The results of all blocks combined from left to right."""
        ...
