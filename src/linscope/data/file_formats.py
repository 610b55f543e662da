"""Tables in the formats of other programs: Parquet, Arrow, JSON lines, Excel, LIBSVM."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from .delimited import MISSING, column_names, is_number, numbered
from .frame_columns import Table, columns_of, table_of
from .suggest import did_you_mean

# Of each kind of file, who reads it: the first that is installed.
_PARQUET = (("pyarrow.parquet", "read_table"), ("polars", "read_parquet"))
_ARROW_FILE = (("pyarrow.feather", "read_table"), ("polars", "read_ipc"))
_ARROW_STREAM = (("pyarrow.ipc", "open_stream"), ("polars", "read_ipc_stream"))
_EXCEL_ERRORS = frozenset({"#n/a", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!"})


def read_parquet(path: Path) -> Table:
    """All columns of a Parquet file."""
    return _read_by(_PARQUET, path, "Parquet")


def read_arrow(path: Path) -> Table:
    """An Arrow file, also called Feather, or the stream form of it."""
    with path.open("rb") as file:
        whole = file.read(6) in (b"ARROW1", b"FEA1\0\0") or path.suffix.lower() == ".feather"
    return _read_by(_ARROW_FILE if whole else _ARROW_STREAM, path, "Arrow")


def _read_by(readers: tuple[tuple[str, str], ...], path: Path, kind: str) -> Table:
    for module, function in readers:
        try:
            read = getattr(import_module(module), function)
        except ImportError:
            continue
        try:
            with path.open("rb") as file:
                found = read(file)
                found = found.read_all() if function == "open_stream" else found
        except Exception as error:  # each library has its own
            words = str(error).partition("\n")[0]
            raise ValueError(f"{path} is not a readable {kind} file: {words}") from error
        return _checked(found, path)
    raise ImportError(f"{path}: {kind} needs pyarrow or polars; pip install 'linscope[scale]'")


def _checked(frame: Any, path: Path) -> Table:
    try:
        table = columns_of(frame)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if not len(table):
        raise ValueError(f"{path} has no rows")
    return table


def read_json_lines(text: str, where: str) -> Table:
    """One object on each line; a key that a line does not have is missing there."""
    if text.lstrip().startswith("["):
        raise ValueError(f"{where} is a JSON array: write one object on each line, without [ and ,")
    rows = []
    for line, words in enumerate(text.splitlines(), start=1):
        if words.strip():
            rows.append(json_object(words, f"{where}, line {line}"))
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise ValueError(f'{where} is empty: it needs an object such as {{"a": 1}} on each line')
    return table_of({name: [row.get(name) for row in rows] for name in names})


def json_object(words: str, place: str) -> dict[str, Any]:
    try:
        row = json.loads(words)
    except ValueError as error:
        raise ValueError(f"{place}: not JSON ({error})") from None
    if not isinstance(row, dict):
        raise ValueError(f'{place}: expected an object such as {{"a": 1}}, got {words[:40]}')
    for name, value in row.items():
        if isinstance(value, dict | list):
            raise ValueError(f"{place}: column {name!r} has nested values: flatten it first")
    return row


def read_excel(path: Path, sheet: str | None = None) -> Table:
    """The first sheet of an Excel file, or the one of this name."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise ImportError(
            f"{path}: Excel needs openpyxl; pip install openpyxl, or save the sheet as CSV"
        ) from None
    try:
        book = load_workbook(path, read_only=True, data_only=True)
        sheets = {each.title: each for each in book.worksheets}
        chosen = book.worksheets[0] if sheet is None else sheets.get(sheet)
        rows = [list(row) for row in chosen.iter_rows(values_only=True)] if chosen else []
        book.close()
    except Exception as error:  # a zip file's, XML's or openpyxl's own
        raise ValueError(f"{path} is not a readable Excel file: {error}") from error
    if chosen is None:
        raise ValueError(
            f"{path} has no sheet {sheet!r}{did_you_mean(str(sheet), sheets)}: its sheets are "
            f"{', '.join(map(repr, sheets))}"
        )
    where = f"{path}, sheet {chosen.title!r}"
    return _from_cells([row for row in map(_cells, rows) if row], where)


def _cells(row: list[Any]) -> list[Any]:
    """Values of a line, without the empty cells at its end."""
    cells = [None if isinstance(v, str) and _is_blank(v) else v for v in row]
    while cells and cells[-1] is None:
        cells.pop()
    return cells


def _is_blank(text: str) -> bool:
    return text.strip().lower() in MISSING | _EXCEL_ERRORS


def _from_cells(rows: list[list[Any]], where: str) -> Table:
    if not rows:
        raise ValueError(
            f"{where} is empty: it needs a header and at least one row, or name another "
            "sheet, sheet='…'"
        )
    header = ["" if cell is None else str(cell).strip() for cell in rows[0]]
    has_header = not all(is_number(name) for name in header)
    names = column_names(header, where) if has_header else numbered(len(header))
    body = rows[int(has_header) :]
    if not body:
        raise ValueError(f"{where} has a header but no rows")
    for number, row in enumerate(body, start=1):
        if len(row) > len(names):
            raise ValueError(
                f"{where}: row {number} of the table has {len(row)} cells where the header has "
                f"{len(names)}"
            )
        row.extend([None] * (len(names) - len(row)))
    return table_of({n: list(c) for n, c in zip(names, zip(*body, strict=True), strict=True)})


def read_libsvm(path: Path) -> Table:
    """Labels and sparse rows."""
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(str(path))
    except (ValueError, IndexError) as error:
        raise ValueError(f"{path} is not a readable LIBSVM file: {error}") from None
    return Table({"target": y}, sparse=X)
