"""A table of text in pieces, so that it may be larger than memory.

A piece has the columns that are asked for, read as they are asked for, and its records as they
stand in the file. Borders of records are found by the same reader that reads a whole file
(``csv``), so quoted fields may have line breaks in them.
"""

from __future__ import annotations

import csv
import gc
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any

import numpy as np

from .delimited import (
    clean_text,
    column_names,
    is_number,
    numbered,
    parse_column,
    separator,
    with_point,
)
from .fields import Texts, split_records
from .file_formats import json_object
from .frame_columns import Table, column_of

PIECE = 4_000_000  # characters
QUICK = 1_000_000  # shorter ones are read before the compiled loops are loaded
FIRST = 1000  # rows of the first piece of JSON lines

Fields = Sequence[str] | Texts


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows of a table.

    table : the columns that were asked for
    records : each row as it stands in the file, without its line end
    first : number of the first line
    """

    table: Table
    records: list[str] | Texts
    first: int


class DelimitedBatches:
    """Rows of a CSV text in pieces.

    Attributes
    ----------
    names : of all columns
    head : the header as it stands in the file, or None if there is none
    delimiter, newline : as they are in the file
    """

    json = False

    def __init__(self, text: IO[str], where: str, delimiter: str | None = None) -> None:
        self.where = where
        self._text = text
        self._line = 1  # number of the next line
        lines = self._lines()
        while lines and not lines[0].strip("\r\n"):
            lines = self._lines()
        first = lines[0] if lines else ""
        self.delimiter = delimiter or separator(first)
        self.newline = first[len(first.rstrip("\r\n")) :] or "\n"
        header, records = self._parse(lines)
        if not header:
            raise ValueError(f"{where} is empty: it needs a header line and at least one row")
        names = [self._point(field.strip()) for field in header[0]]
        has_header = not all(map(is_number, names))
        self.names = column_names(names, where) if has_header else numbered(len(names))
        self.head = records[0] if has_header else None
        self._pending = [] if has_header else lines
        self._line -= len(self._pending)

    def _point(self, field: str) -> str:
        return with_point(field) if self.delimiter == ";" else field

    def _read(self, characters: int = 0) -> str:
        """The next line, or so many characters and the rest of the line."""
        try:
            return (self._text.read(characters) if characters else "") + self._text.readline()
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{self.where}, after line {self._line - 1:,}: not UTF-8 text ({error.reason}); "
                "save it as UTF-8, for instance with iconv -f latin1 -t utf8"
            ) from None

    def _lines(self, text: str | None = None) -> list[str]:
        """The lines of a text, or the next one of the file."""
        lines = io.StringIO(self._read() if text is None else text, newline="").readlines()
        self._line += len(lines)
        return lines

    def _parse(self, lines: list[str]) -> tuple[list[list[str]], list[str]]:
        """Rows and their records; if the last one goes on, its lines are added to the list."""
        simple = not any('"' in line for line in lines)
        if simple and (rows := list(self._rows(lines))) and all(rows):
            return rows, [line.rstrip("\r\n") for line in lines]
        found, records, begin = [], [], 0
        count = len(lines)
        reader = self._rows(self._more(lines))
        for row in reader:
            if row:
                found.append(row)
                records.append("".join(lines[begin : reader.line_num]).rstrip("\r\n"))
            begin = reader.line_num
            if begin >= count:
                break
        return found, records

    def _more(self, lines: list[str]) -> Iterator[str]:
        """The lines of a list, and as many more as are asked for."""
        yield from list(lines)
        while more := self._lines():
            lines += more
            yield from more

    def _rows(self, lines: Iterable[str]) -> Any:
        return csv.reader(lines, delimiter=self.delimiter, skipinitialspace=True)

    def pieces(self, wanted: dict[str, str]) -> Iterator[Piece]:
        """The rows; ``wanted`` says of each column whether it is "number", "text" or "any"."""
        some = False
        while True:
            first, block = self._line, self._read(PIECE)
            piece = self._quick_piece(block, wanted) or self._piece(block, wanted)
            if piece is not None:
                some = True
                yield piece
            elif first == self._line:
                break
        if not some:
            raise ValueError(f"{self.where} has a header but no rows")

    def _piece(self, block: str, wanted: dict[str, str]) -> Piece | None:
        first, lines = self._line, self._pending + self._lines(block)
        self._line += len(self._pending)
        self._pending = []
        try:
            rows, records = self._parse(lines)
        except csv.Error as error:
            raise ValueError(f"{self.where}, after line {first:,}: {error}") from None
        if not rows:
            return None
        if set(map(len, rows)) != {len(self.names)}:
            self._refuse_ragged(rows, records, first)
        columns = dict(zip(self.names, zip(*rows, strict=True), strict=True))
        return Piece(Table(self._columns(columns, wanted, first)), records, first)

    def _quick_piece(self, block: str, wanted: dict[str, str]) -> Piece | None:
        """By compiled loops what ``_piece`` does; None where only that one can tell."""
        if len(block) < QUICK or self._pending or '"' in block:
            return None
        if block.count("\r") != block.count("\r\n"):
            return None
        places = [self.names.index(name) for name in wanted]
        found = split_records(block.encode(), self.delimiter, len(self.names), places)
        if found is None:
            return None
        first, (records, fields) = self._line, found
        self._line += len(records)
        columns = dict(zip(wanted, fields, strict=True))
        return Piece(Table(self._columns(columns, wanted, first)), records, first)

    def _columns(
        self, columns: Mapping[str, Fields], wanted: dict[str, str], first: int
    ) -> dict[str, np.ndarray]:
        found = {}
        for name, how in wanted.items():
            if how == "number":
                found[name] = self._numbers(name, columns[name], first)
            else:
                found[name] = (self._texts if how == "text" else self._any)(columns[name])
        return found

    def _texts(self, fields: Fields) -> np.ndarray:
        if isinstance(fields, Texts):
            codes, different = fields.coded()
            return self._texts(different.tolist())[codes]
        clean = {field: clean_text(self._point(field.strip())) for field in set(fields)}
        return np.array(list(map(clean.__getitem__, fields)), dtype=object)

    def _any(self, fields: Fields) -> np.ndarray:
        if not isinstance(fields, Texts):
            stripped = self.delimiter == ";"
            return parse_column([self._point(f.strip()) for f in fields] if stripped else [*fields])
        values, left = fields.floats(decimal_comma=self.delimiter == ";")
        codes, different = fields.take(left).coded()
        rest = self._any(different.tolist())
        if rest.dtype == object:
            return self._texts(fields)
        values[left] = rest[codes]
        return values

    def _numbers(self, name: str, fields: Fields, first: int) -> np.ndarray:
        if not isinstance(fields, Texts):
            with suppress(ValueError):
                return np.fromiter(map(float, fields), np.float64, len(fields))
        values = self._any(fields)
        if values.dtype == object:
            pairs = enumerate(values.tolist())
            row = next(i for i, text in pairs if text is not None and not is_number(text))
            raise ValueError(
                f"{self.where}, about line {first + row:,}: column {name!r} has "
                f"{values[row]!r}, where a number is needed"
            )
        return values

    def _refuse_ragged(self, rows: list[list[str]], records: list[str], first: int) -> None:
        line = first
        for row, record in zip(rows, records, strict=True):
            if len(row) != len(self.names):
                raise ValueError(
                    f"{self.where}, line {line:,}: {len(row)} fields where the header has "
                    f"{len(self.names)}"
                )
            line += 1 + record.count("\n")


class JsonBatches:
    """Rows of JSON lines in pieces; the columns are those of the first of them."""

    json, head, delimiter, newline = True, None, ",", "\n"

    def __init__(self, text: IO[str], where: str) -> None:
        self.where = where
        self._lines = enumerate(text, start=1)
        self._first = self._read(FIRST)
        self.names = list(dict.fromkeys(name for _, _, row in self._first for name in row))
        if not self.names:
            raise ValueError(
                f'{where} is empty: it needs an object such as {{"a": 1}} on each line'
            )

    def _read(self, count: int) -> list[tuple[int, str, dict[str, Any]]]:
        try:
            lines = list(islice(((n, line) for n, line in self._lines if line.strip()), count))
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.where}: not UTF-8 text ({error.reason})") from None
        if lines and lines[0][0] == 1 and lines[0][1].lstrip().startswith("["):
            raise ValueError(
                f"{self.where} is a JSON array: write one object on each line, without [ and ,"
            )
        return [
            (n, line.strip(), json_object(line, f"{self.where}, line {n}")) for n, line in lines
        ]

    def pieces(self, wanted: dict[str, str]) -> Iterator[Piece]:
        """The rows; kinds of the values are JSON's."""
        rows = self._first
        while rows:
            columns = {name: column_of([row.get(name) for _, _, row in rows]) for name in wanted}
            records = [line for _, line, _ in rows]
            yield Piece(Table(columns), records, rows[0][0])
            rows = self._read(max(1, PIECE * len(rows) // sum(map(len, records))))


@contextmanager
def no_collecting() -> Iterator[None]:
    """While pieces are read: their millions of small lists are in no cycles, but looked through."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def append_json(record: str, fields: dict[str, Any]) -> str:
    """An object's text with more keys at its end.

    >>> append_json('{"a": 1}', {"p": 0.5})
    '{"a": 1, "p": 0.5}'
    """
    more = json.dumps(fields, ensure_ascii=False)[1:]
    inside = record.rstrip()[:-1].rstrip()
    return f"{inside}{'' if inside.endswith('{') else ', '}{more}"


def quoted(text: str, delimiter: str = ",") -> str:
    """A field of a CSV text, in quotes where it needs them.

    >>> quoted("a,b"), quoted("plain")
    ('"a,b"', 'plain')
    """
    if any(mark in text for mark in (delimiter, '"', "\n", "\r")) or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text


BOM = b"\xef\xbb\xbf"  # Excel puts it before UTF-8


def text_of(raw: IO[bytes], where: str) -> tuple[IO[str], bytes]:
    """Bytes as text, and the first of them."""
    buffered: Any = raw if hasattr(raw, "peek") else io.BufferedReader(raw)
    start = buffered.peek(65536)
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return io.TextIOWrapper(buffered, "utf-16", newline=""), start
    if b"\0" in start:
        raise ValueError(f"{where} is a binary file, not a table of text")
    if start.startswith(BOM):
        buffered.read(len(BOM))
    return io.TextIOWrapper(buffered, "utf-8", newline=""), start
