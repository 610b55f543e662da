"""A table of text in pieces, so that it may be larger than memory.

A piece has the columns that are asked for, read as they are asked for, and its records as they
stand in the file. Borders of records are found by the same reader that reads a whole file
(``csv``), so quoted fields may have line breaks in them.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
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
from .file_formats import json_object
from .frame_columns import Table, column_of

PIECE = 4_000_000  # characters
FIRST = 1000  # rows of the first piece


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows of a table.

    table : the columns that were asked for
    records : each row as it stands in the file, without its line end
    first : number of the first line
    """

    table: Table
    records: list[str]
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
        self._kept: list[str] = []
        first = next((line for line in text if line.strip("\r\n")), "")
        self.delimiter = delimiter or separator(first)
        self.newline = first[len(first.rstrip("\r\n")) :] or "\n"
        self._reader = csv.reader(
            self._lines(chain([first] if first else [], text)),
            delimiter=self.delimiter,
            skipinitialspace=True,
        )
        header = self._read(1)
        if not header:
            raise ValueError(f"{where} is empty: it needs a header line and at least one row")
        names = [self._point(field.strip()) for field in header[0]]
        has_header = not all(map(is_number, names))
        self.names = column_names(names, where) if has_header else numbered(len(names))
        self.head = "".join(self._kept).rstrip("\r\n") if has_header else None
        self._pending = [] if has_header else header
        if has_header:
            self._kept.clear()

    def _point(self, field: str) -> str:
        return with_point(field) if self.delimiter == ";" else field

    def _lines(self, lines: Any) -> Iterator[str]:
        for line in lines:
            self._kept.append(line)
            yield line

    def _read(self, count: int) -> list[list[str]]:
        """Up to so many rows; blank lines are none."""
        try:
            while rows := list(islice(self._reader, count)):
                rows = rows if all(rows) else [row for row in rows if row]
                if rows:
                    break
        except csv.Error as error:
            raise ValueError(f"{self.where}, line {self._reader.line_num}: {error}") from None
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{self.where}, after line {self._reader.line_num:,}: not UTF-8 text "
                f"({error.reason}); save it as UTF-8, for instance with iconv -f latin1 -t utf8"
            ) from None
        return rows

    def pieces(self, wanted: dict[str, str]) -> Iterator[Piece]:
        """The rows; ``wanted`` says of each column whether it is "number", "text" or "any"."""
        first = self._reader.line_num + 1 - len(self._pending)
        rows = self._pending or self._read(FIRST)
        if not rows:
            raise ValueError(f"{self.where} has a header but no rows")
        while rows:
            lines, self._kept[:] = list(self._kept), []
            if set(map(len, rows)) != {len(self.names)}:
                self._refuse_ragged(lines, first)
            if len(rows) != len(lines):  # line breaks in quotes, or blank lines
                records = self._records(lines)
            else:
                records = [line.rstrip("\r\n") for line in lines]
            yield Piece(Table(self._columns(rows, wanted, first)), records, first)
            first = self._reader.line_num + 1
            rows = self._read(max(1, PIECE * len(rows) // sum(map(len, lines))))

    def _columns(
        self, rows: list[list[str]], wanted: dict[str, str], first: int
    ) -> dict[str, np.ndarray]:
        found = {}
        for name, how in wanted.items():
            place = self.names.index(name)
            fields = [row[place] for row in rows]
            if how == "number":
                found[name] = self._numbers(name, fields, first)
            elif how == "text":
                clean = {field: clean_text(self._point(field.strip())) for field in set(fields)}
                found[name] = np.array([clean[field] for field in fields], dtype=object)
            else:
                found[name] = parse_column([self._point(field.strip()) for field in fields])
        return found

    def _numbers(self, name: str, fields: list[str], first: int) -> np.ndarray:
        try:
            return np.fromiter(map(float, fields), np.float64, len(fields))
        except ValueError:
            pass
        values = parse_column([self._point(field.strip()) for field in fields])
        if values.dtype == object:
            pairs = enumerate(values.tolist())
            row = next(i for i, text in pairs if text is not None and not is_number(text))
            raise ValueError(
                f"{self.where}, about line {first + row:,}: column {name!r} has "
                f"{values[row]!r}, where a number is needed"
            )
        return values

    def _again(self, lines: list[str]) -> Iterator[tuple[int, int, list[str]]]:
        """Rows with the first and the last of their lines."""
        reader = csv.reader(lines, delimiter=self.delimiter, skipinitialspace=True)
        begin = 0
        for row in reader:
            if row:
                yield begin, reader.line_num, row
            begin = reader.line_num

    def _records(self, lines: list[str]) -> list[str]:
        return ["".join(lines[a:b]).rstrip("\r\n") for a, b, _ in self._again(lines)]

    def _refuse_ragged(self, lines: list[str], first: int) -> None:
        for begin, _, row in self._again(lines):
            if len(row) != len(self.names):
                raise ValueError(
                    f"{self.where}, line {first + begin:,}: {len(row)} fields where the header has "
                    f"{len(self.names)}"
                )


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


def text_of(raw: IO[bytes], where: str) -> tuple[IO[str], bool]:
    """Bytes as text, and whether they begin with the mark that Excel puts before UTF-8."""
    buffered = raw if hasattr(raw, "peek") else io.BufferedReader(raw)  # type: ignore[type-var]
    start = buffered.peek(65536)  # type: ignore[attr-defined]
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return io.TextIOWrapper(buffered, "utf-16", newline=""), False
    if b"\0" in start:
        raise ValueError(f"{where} is a binary file, not a table of text")
    marked = start.startswith(b"\xef\xbb\xbf")
    if marked:
        buffered.read(3)
    return io.TextIOWrapper(buffered, "utf-8", newline=""), marked
