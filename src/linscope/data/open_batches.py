"""Any table in pieces: text by lines, Parquet and Arrow by record batches, others as a whole."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .batches import BOM, DelimitedBatches, JsonBatches, Piece, quoted, text_of
from .files import JSON_SUFFIXES, Table, check_is_file, columns_of, read_table
from .kinds import number_text

TEXT = (".csv", ".tsv", ".txt", ".dat", ".data", *JSON_SUFFIXES)
ARROW = (".parquet", ".pq", ".arrow", ".ipc")
ROWS = 50_000

Batches = Any  # DelimitedBatches, JsonBatches or FrameBatches


class FrameBatches:
    """Tables, one below the other, whose records are written as CSV."""

    json, delimiter, newline = False, ",", "\n"

    def __init__(self, tables: Iterable[Table], where: str) -> None:
        self.where = where
        self._tables = iter(tables)
        self._first = next(self._tables, None)
        if self._first is None:
            raise ValueError(f"{where} has no rows")
        self.sparse = self._first.sparse is not None
        self.names = self._first.names
        self.head = ",".join(map(quoted, self.names))

    def pieces(self, wanted: dict[str, str]) -> Iterator[Piece]:
        """The rows; of each column the kind that it has."""
        table, first = self._first, 1
        while table is not None:
            columns = [_fields(values) for values in table.columns.values()]
            records = [",".join(fields) for fields in zip(*columns, strict=True)]
            chosen = {name: table.columns[name] for name in wanted if name in table.columns}
            yield Piece(Table(chosen, sparse=table.sparse), records, first)
            first += len(records)
            table = next(self._tables, None)


def _fields(values: np.ndarray) -> list[str]:
    """A column as fields of a CSV text; what is missing is empty."""
    if values.dtype != object:
        return ["" if value != value else _plain(value) for value in values.tolist()]
    texts = {text: "" if text is None else quoted(text) for text in set(values.tolist())}
    return [texts[text] for text in values.tolist()]


def _plain(value: float) -> str:
    return number_text(value) if abs(value) != float("inf") else str(value)


def open_batches(word: str) -> Batches:
    """The table of a file, or of standard input (``-``), in pieces.

    Text is read by lines, Parquet and Arrow by record batches, everything else as a whole.

    Parameters
    ----------
    word : path, or "-"

    Returns
    -------
    an object with ``names``, ``head``, ``delimiter``, ``newline`` and ``pieces(wanted)``

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "t.csv"
    >>> _ = path.write_text('size,colour\\n1.50,red\\n2,"light, blue"\\n')
    >>> batches = open_batches(str(path))
    >>> piece = next(batches.pieces({"size": "number"}))
    >>> piece.table.columns, piece.records
    ({'size': array([1.5, 2. ])}, ['1.50,red', '2,"light, blue"'])
    """
    if word == "-":
        return _of_text(sys.stdin.buffer, "standard input", "")
    path = Path(word)
    check_is_file(path)
    suffix = path.suffix.lower()
    if suffix in TEXT:
        return _of_text(path.open("rb"), word, suffix)
    if suffix in ARROW:
        return FrameBatches(_arrow_tables(path), word)
    return FrameBatches(slices(read_table(path)), word)


def _of_text(raw: Any, where: str, suffix: str) -> Batches:
    text, start = text_of(raw, where)
    if not suffix and start.removeprefix(BOM).lstrip()[:1] in (b"{", b"["):
        suffix = JSON_SUFFIXES[0]
    if suffix in JSON_SUFFIXES:
        return JsonBatches(text, where)
    batches = DelimitedBatches(text, where, "\t" if suffix == ".tsv" else None)
    if start.startswith(BOM) and batches.head is not None:
        batches.head = f"\ufeff{batches.head}"
    return batches


def slices(table: Table) -> Iterator[Table]:
    """A table that is in memory, some rows at a time."""
    n = len(table) if table.sparse is None else table.sparse.shape[0]
    for begin in range(0, n, ROWS):
        rows = slice(begin, begin + ROWS)
        some = {name: values[rows] for name, values in table.columns.items()}
        yield Table(some, sparse=None if table.sparse is None else table.sparse[rows])


def _arrow_tables(path: Path) -> Iterator[Table]:
    try:
        import pyarrow
        from pyarrow import ipc, parquet
    except ImportError:  # polars, or a word on what to install
        yield from slices(read_table(path))
        return
    try:
        with path.open("rb") as file:
            if path.suffix.lower() in (".parquet", ".pq"):
                found = parquet.ParquetFile(file).iter_batches(batch_size=ROWS)
            elif file.read(6) == b"ARROW1":
                whole = ipc.open_file(file)
                found = (whole.get_batch(i) for i in range(whole.num_record_batches))
            else:
                file.seek(0)
                found = iter(ipc.open_stream(file))
            for batch in found:
                yield from slices(columns_of(pyarrow.Table.from_batches([batch])))
    except pyarrow.ArrowException as error:
        words = str(error).partition("\n")[0]
        raise ValueError(f"{path} is not a readable file of its kind: {words}") from error
