"""What stands for a table, a column or a choice of rows whose rows are not here.

An estimator hands its table on to ``choose`` and asks for its shape, its type and how many labels
there are. That much is known of rows that are elsewhere, too: in a file, or on other machines.

    FarRows      stands where X stands; its engine has the rows, with targets and weights
    FarColumn    stands where y, class numbers or weights stand: a task makes it of each block
    FarChoice    stands where row numbers stand: a task takes these rows of each block

Whoever asks for the numbers themselves is told that they are elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .blocks import NO_WEIGHT, Block, blind, selects
from .finite import NotFinite, complain, first_not_finite

# Numbers of a far table that may be brought here where that is simpler: 16 MB.
MOST_BROUGHT = 2_000_000


class RowsElsewhere(ValueError):
    """The rows are not here, and whoever asks needs all of them."""


@dataclass(frozen=True)
class FarChoice:
    """Some of the rows: ``task(block, *words)`` gives them as (X, y, weight)."""

    task: Any
    words: tuple = ()


@dataclass(frozen=True, eq=False)
class FarRows:
    """A table whose rows an engine has."""

    engine: Any
    ndim = 2

    @property
    def shape(self) -> tuple[int, int]:
        return self.engine.n_rows, self.engine.n_features

    @property
    def dtype(self) -> np.dtype:
        return self.engine.dtype

    def column(self, task: Any, *words: Any) -> FarColumn:
        """What ``task(block, *words)`` returns for each row."""
        return FarColumn(self, task, words)

    @property
    def weight(self) -> Any:
        """The weights of the rows; empty if all are 1."""
        return self.column(given_weight) if self.engine.weighted else NO_WEIGHT

    def __len__(self) -> int:
        return self.engine.n_rows

    def __getitem__(self, rows: Any) -> FarRows:
        if not isinstance(rows, FarChoice):
            raise RowsElsewhere("rows by their numbers need all rows in memory")
        return FarRows(self.engine.derive(rows.task, *rows.words))

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.engine.all_rows("this").X, dtype)


@dataclass(frozen=True, eq=False)
class FarColumn:
    """Something of each row: ``task(block, *words)``; of some rows only, if there is a choice."""

    rows: FarRows
    task: Any
    words: tuple = ()
    choice: FarChoice | None = None
    length: int | None = None

    def __len__(self) -> int:
        return len(self.rows) if self.length is None else self.length

    @property
    def shape(self) -> tuple[int, ...]:
        many = self.task is given_target and self.rows.engine.n_targets > 1
        return (len(self), self.rows.engine.n_targets) if many else (len(self),)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __getitem__(self, place: Any) -> FarColumn:
        """One of several targets, ``Y[:, k]``; or the entries of some rows."""
        if isinstance(place, FarChoice):
            return replace(self, choice=place)
        if isinstance(place, tuple) and place[0] == slice(None):
            return replace(self, task=one_target, words=(place[1],))
        raise RowsElsewhere("single rows need all rows in memory")

    def read(self) -> np.ndarray:
        """The numbers, brought here."""
        rows = self.rows if self.choice is None else self.rows[self.choice]
        return rows.engine.gather(self.task, *self.words)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.read(), dtype)


@blind
def given_target(block: Block) -> np.ndarray:
    """The targets as the engine has them."""
    return block.y


@blind
def given_weight(block: Block) -> np.ndarray:
    """The weights as the engine has them."""
    return block.weight


@blind
def one_target(block: Block, k: int) -> np.ndarray:
    """The k-th of several targets."""
    return np.ascontiguousarray(block.y[:, k])


@blind
def sign_of(block: Block, positive: int) -> np.ndarray:
    """+1.0 for a class, −1.0 for all others."""
    return np.where(block.y == positive, 1.0, -1.0)


@blind
def is_class(block: Block, positive: int) -> np.ndarray:
    """1 for a class, 0 for all others."""
    return (block.y == positive).astype(np.int64)


@selects
def of_two_classes(block: Block, a: int, b: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """The rows of two classes."""
    rows = np.flatnonzero((block.y == a) | (block.y == b))
    return block.X[rows], block.y[rows], block.weight[rows] if block.weighted else block.weight


@selects
def with_weight(block: Block) -> tuple[Any, np.ndarray, np.ndarray]:
    """The rows whose weight is not 0."""
    rows = np.flatnonzero(block.weight)
    X = block.X[rows]
    if len(rows) < len(block.weight) and isinstance(found := first_not_finite(X), NotFinite):
        complain(found._replace(row=block.start + int(rows[found.row])), None, "X")
    return X, block.y[rows], block.weight[rows]


def brought(
    X: FarRows, y: FarColumn | None, weight: Any, room: float = 0.0
) -> tuple[Any, Any, Any] | None:
    """A small far table, brought here as arrays; None if it has more numbers than there is room."""
    if X.shape[0] * X.shape[1] > max(MOST_BROUGHT, room):
        return None
    rows = engine_of(X, y, weight)
    block = rows.take(np.arange(rows.n_rows))
    return block.X, block.y, block.weight


def engine_of(X: FarRows, y: Any, weight: Any) -> Any:
    """An engine of far rows with these columns as targets and weights."""
    engine, weighted = X.engine, isinstance(weight, FarColumn)
    same = not engine.n_targets if y is None else y.task is given_target
    if same and weighted == engine.weighted:
        return engine
    task, words = (None, ()) if y is None else (y.task, y.words)
    return engine.derive(_columns, task, words, weighted)


def _columns(block: Block, task: Any, words: tuple, weighted: bool) -> tuple:
    """The rows with another column as target, with or without their weights."""
    y = None if task is None else task(block, *words)
    return block.X, y, block.weight if weighted else NO_WEIGHT
