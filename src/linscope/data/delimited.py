"""Tables of text: fields with commas, semicolons, tabs or bars between them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence

import numpy as np

from .frame_columns import Table

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.IGNORECASE)


def read_delimited(text: str, where: str, delimiter: str | None = None) -> Table:
    """A table of text; ``where`` names it in messages.

    >>> read_delimited("size;colour\\n1,5;red\\n?;blue\\n", "the text").columns
    {'size': array([1.5, nan]), 'colour': array(['red', 'blue'], dtype=object)}
    """
    first_line = text.lstrip("\r\n").partition("\n")[0]
    delimiter = delimiter or separator(first_line)
    _, header = next(_numbered_rows(text, delimiter, where), (0, []))
    if not header:
        raise ValueError(f"{where} is empty: it needs a header line and at least one row")
    clean = with_point if delimiter == ";" else str
    header = [clean(field.strip()) for field in header]
    has_header = not all(is_number(field) for field in header)
    names = column_names(header, where) if has_header else numbered(len(header))
    numbers = _quick_numbers(text, delimiter, len(names), skip=int(has_header))
    if numbers is not None:
        return Table(dict(zip(names, numbers.T.copy(), strict=True)))
    rows = [fields for _, fields in _numbered_rows(text, delimiter, where)]
    if {len(fields) for fields in rows} != {len(names)}:
        _refuse_ragged(text, delimiter, where, len(names))
    columns = [list(column) for column in zip(*rows[int(has_header) :], strict=True)]
    if not columns:
        raise ValueError(f"{where} has a header but no rows")
    parse = _parse_with_commas if delimiter == ";" else parse_column
    return Table({name: parse(column) for name, column in zip(names, columns, strict=True)})


def separator(line: str) -> str:
    """What stands between the fields of a line, most probably."""
    return max(",;\t|", key=line.count)


def _quick_numbers(text: str, delimiter: str, width: int, skip: int) -> np.ndarray | None:
    """All rows at once when every field is a number, else None."""
    # NumPy warns about a file without rows; the slow way has the better message.
    if '"' in text or not text.partition("\n")[2].strip():
        return None
    try:
        numbers = np.loadtxt(
            io.StringIO(text), delimiter=delimiter, skiprows=skip, ndmin=2, comments=None
        )
    except ValueError:
        return None
    return numbers if numbers.shape[1] == width else None


def _numbered_rows(text: str, delimiter: str, where: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        for fields in reader:
            if fields:
                yield reader.line_num, fields
    except csv.Error as error:
        raise ValueError(f"{where}, line {reader.line_num}: {error}") from None


def _refuse_ragged(text: str, delimiter: str, where: str, width: int) -> None:
    for line, fields in _numbered_rows(text, delimiter, where):
        if len(fields) != width:
            raise ValueError(
                f"{where}, line {line}: {len(fields)} fields where the header has {width}"
            )


def column_names(header: Sequence[str], where: str) -> list[str]:
    """The names of a header; columns without one are called column_0, …"""
    names = [name or f"column_{j}" for j, name in enumerate(header)]
    for j, name in enumerate(names):
        if name in names[:j]:
            raise ValueError(
                f"{where}: columns {names.index(name)} and {j} are both called {name!r}"
            )
    return names


def numbered(count: int) -> list[str]:
    """Names for columns that have none."""
    return [f"x{j + 1}" for j in range(count)]


def is_number(field: str) -> bool:
    """Does the text read as a number?"""
    try:
        float(field)
    except ValueError:
        return False
    return True


def parse_column(fields: list[str]) -> np.ndarray:
    """Numbers where all texts are, or are missing; else texts without the spaces around them."""
    try:
        return np.array(list(map(float, fields)))
    except ValueError:
        pass
    # A column of text has few different ones, or is about to be left out anyway.
    clean = {field: clean_text(field) for field in set(fields)}
    try:
        numbers = {field: np.nan if text is None else float(text) for field, text in clean.items()}
    except ValueError:
        return np.array([clean[field] for field in fields], dtype=object)
    return np.array([numbers[field] for field in fields])


def clean_text(field: str) -> str | None:
    """A text without the spaces around it; None where it says that something is missing."""
    text = field.strip()
    return None if text.lower() in MISSING else text


def _parse_with_commas(fields: list[str]) -> np.ndarray:
    return parse_column([with_point(field.strip()) for field in fields])


def with_point(field: str) -> str:
    """Spreadsheets that write 1,5 for 1.5 separate the fields by semicolons."""
    return field.replace(",", ".") if DECIMAL_COMMA.fullmatch(field) else field
