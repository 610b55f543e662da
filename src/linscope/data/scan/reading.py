"""What a table in batches is, whatever holds it.

A table can be read again and again from its first row, or from the first row of a part (a row group
of a Parquet file). A batch is a number of rows and their columns: Arrow arrays, or NumPy arrays of
numbers and texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

# Bytes of a batch, about: small beside any memory, large beside the cost of a call. Batches of 4 MB
# take pyarrow a third longer to read than those of 16 MB, and larger ones nothing less.
BATCH_BYTES = 16 << 20
FEWEST_ROWS, MOST_ROWS = 256, 65_536
# Of a file that a fit comes back to, blocks of so many bytes are compared: the ends, and between.
HASHED_BLOCK, HASHED_BLOCKS = 1 << 18, 128


class Batch(NamedTuple):
    """Some rows: how many, and the columns that were asked for, in that order."""

    rows: int
    columns: list[Any]


class Parts(NamedTuple):
    """Where rows can be read from: numbers of rows, each the first of a part."""

    starts: tuple[int, ...] = (0,)


class ChangedTable(ValueError):
    """The table is not what it was when it was opened."""


class Stamp(NamedTuple):
    """What tells whether files are still what they were."""

    files: tuple[tuple[str, int, int], ...]

    @classmethod
    def of(cls, paths: list[Path]) -> Stamp:
        found = [(str(path), path.stat()) for path in paths]
        return cls(tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in found))

    def samples(self) -> tuple[str, ...]:
        """A hash of each file: of all bytes, or of blocks that are evenly spread over a large one.

        A file may be replaced by another of the same size and time.
        """
        self.check()
        return tuple(_hash(name, size) for name, size, _ in self.files)

    def check(self) -> None:
        """Raise ChangedTable that names the first file that is no longer the same."""
        for name, size, time in self.files:
            path = Path(name)
            if not path.exists():
                raise ChangedTable(f"{name} has vanished since it was opened: open it again")
            stat = path.stat()
            if (stat.st_size, stat.st_mtime_ns) != (size, time):
                raise ChangedTable(
                    f"{name} has changed since it was opened ({size:,} bytes then, "
                    f"{stat.st_size:,} now): nothing was fitted; open it again"
                )


def _hash(path: str, size: int) -> str:
    digest, last = hashlib.sha256(), max(0, size - HASHED_BLOCK)
    with open(path, "rb") as file:
        for number in range(HASHED_BLOCKS):
            file.seek(last * number // (HASHED_BLOCKS - 1))
            digest.update(file.read(HASHED_BLOCK))
    return digest.hexdigest()


class Table:
    """A table in batches.

    Attributes
    ----------
    where : what messages call it
    kinds : name of each column -> "float32", "number", "truth", "text" or why it has no numbers
    n_rows : number of rows, None while nobody has counted
    starts : numbers of rows from which it can be read
    numbered : whether its rows are those that the user has given
    at_once : bytes of a part that may be one batch, where that is faster
    in_memory : whether it is a table in memory
    """

    where = "the table"
    in_words = "in a table that is read in batches"
    kinds: dict[str, str]
    n_rows: int | None = None
    starts: tuple[int, ...] = (0,)
    numbered = True
    at_once = 0.0
    in_memory = False

    def batches(self, names: list[str], start: int = 0, rows: int | None = None) -> Iterator[Batch]:
        """The rows from ``start`` (one of ``starts``) on, with these columns.

        Who wants a few of them only says how many ``rows``.
        """
        raise NotImplementedError

    def check(self) -> None:
        """Raise ChangedTable if it is not what it was."""

    def fingerprint(self, plan: Any) -> Any:
        """What tells the table from others; where no file says so, by a pass over all rows."""
        from .plan import values_of

        found = [hashlib.sha256() for _ in plan.columns]
        for batch in self.batches(plan.columns):
            for digest, column in zip(found, batch.columns, strict=True):
                values = values_of(column)
                if values.dtype == object:
                    digest.update("".join(f"{one}\0" for one in values.tolist()).encode())
                else:
                    digest.update(np.ascontiguousarray(values).view(np.uint8).data)
        return [digest.hexdigest() for digest in found]


def rows_of_batch(columns: int) -> int:
    """Rows that make a batch of so many columns."""
    return min(MOST_ROWS, max(FEWEST_ROWS, BATCH_BYTES // (8 * max(1, columns))))


def arrow_kind(kind: Any) -> str:
    """What the models can make of an Arrow type."""
    import pyarrow.types as pt

    if pt.is_float16(kind) or pt.is_float32(kind):
        return "float32"
    if pt.is_floating(kind) or pt.is_integer(kind) or pt.is_decimal(kind):
        return "number"
    if pt.is_boolean(kind):
        return "truth"
    inner = kind.value_type if pt.is_dictionary(kind) else kind
    if pt.is_string(inner) or pt.is_large_string(inner) or pt.is_string_view(inner):
        return "text"
    return f"{kind}, which is no number and no text"


class ArrowStreams(Table):
    """Anything that gives a stream of Arrow record batches each time it is asked.

    Parameters
    ----------
    again : names of columns -> an iterator over record batches with at least these
    schema : of the table
    """

    def __init__(
        self, again: Callable[[list[str]], Iterator[Any]], schema: Any, where: str, in_words: str
    ) -> None:
        self._again, self.where, self.in_words = again, where, in_words
        self.kinds = {field.name: arrow_kind(field.type) for field in schema}

    def batches(self, names: list[str], start: int = 0, rows: int | None = None) -> Iterator[Batch]:
        most = rows_of_batch(len(names))
        for found in self._again(names):
            for first in range(0, found.num_rows, most):
                part = found.slice(first, most)
                yield Batch(part.num_rows, [part.column(name) for name in names])
