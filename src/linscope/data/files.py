"""Read a table from a file, or from standard input.

CSV is read with NumPy and the standard library alone, so a file means the same on every machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from .delimited import is_number, read_delimited
from .file_formats import read_arrow, read_excel, read_json_lines, read_libsvm, read_parquet
from .frame_columns import Table, columns_of
from .suggest import did_you_mean

__all__ = ["Table", "columns_of", "is_number", "read_table"]

JSON_SUFFIXES = (".jsonl", ".ndjson")
EXCEL_SUFFIXES = (".xlsx", ".xlsm")
READERS: dict[tuple[str, ...], Callable[[Path], Table]] = {
    (".csv", ".tsv", ".txt", ".dat", ".data"): lambda path: _read_text_file(path),
    (".parquet", ".pq"): read_parquet,
    (".arrow", ".feather", ".ipc"): read_arrow,
    JSON_SUFFIXES: lambda path: _read_text_file(path),
    EXCEL_SUFFIXES: read_excel,
    (".svm", ".libsvm"): read_libsvm,
}


def read_table(path: str | Path, *, sheet: str | None = None) -> Table:
    """Read a table from a CSV, Parquet, Arrow, JSON lines, Excel or LIBSVM file.

    Columns whose values are all numbers become float arrays; everything else stays text. In CSV and
    Excel empty fields and NA, NaN, null, None or ? are missing. A first line that holds only
    numbers is no header, and the columns are called x1, x2, …. Where semicolons separate the
    fields, 1,5 is one and a half.

    Parameters
    ----------
    path : file name, or "-"
        The kind of file is told by its name's end: .csv, .tsv, .txt, .parquet, .arrow, .feather,
        .jsonl, .ndjson, .xlsx, .svm or .libsvm. "-" is standard input, with CSV, TSV or JSON lines.
    sheet : str, optional
        Of an Excel file the sheet to read; the first one by default.

    Returns
    -------
    Table

    Raises
    ------
    FileNotFoundError, ValueError
        The message says which file, and for text which line and column.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "students.csv"
    >>> _ = path.write_text("attendance,grade\\n1,A\\n-1,F\\n")
    >>> read_table(path).columns
    {'attendance': array([ 1., -1.]), 'grade': array(['A', 'F'], dtype=object)}
    """
    suffix = Path(path).suffix.lower()
    if sheet is not None and suffix not in EXCEL_SUFFIXES:
        raise ValueError(f"{path} has no sheets: sheet {sheet!r} is for Excel files (.xlsx, .xlsm)")
    if str(path) == "-":
        return _read_standard_input()
    path = Path(path)
    check_is_file(path)
    if suffix in EXCEL_SUFFIXES:
        return read_excel(path, sheet)
    for suffixes, reader in READERS.items():
        if suffix in suffixes:
            return reader(path)
    known = ", ".join(known for suffixes in READERS for known in suffixes)
    raise ValueError(f"{path}: unknown kind of file {suffix!r}; known are {known}{_advice(suffix)}")


def _advice(suffix: str) -> str:
    if suffix == ".xls":
        return "; save it as .xlsx"
    if suffix == ".json":
        return "; JSON lines (.jsonl) has one object on each line"
    return "; unpack it first" if suffix in (".gz", ".zip", ".bz2", ".xz", ".zst") else ""


def check_is_file(path: Path) -> None:
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name a file")
    if not path.exists():
        folder = path.parent if path.parent.is_dir() else Path()
        hint = did_you_mean(path.name, (entry.name for entry in folder.iterdir()))
        raise FileNotFoundError(f"{path} does not exist{hint}")
    if path.is_file() and path.stat().st_size == 0:
        raise ValueError(f"{path} is empty")


def _read_text_file(path: Path) -> Table:
    text = _decoded(path.read_bytes(), str(path))
    suffix = path.suffix.lower()
    if suffix in JSON_SUFFIXES:
        return read_json_lines(text, str(path))
    return read_delimited(text, str(path), "\t" if suffix == ".tsv" else None)


def _read_standard_input() -> Table:
    where = "standard input"
    text = _decoded(sys.stdin.buffer.read(), where)
    if text.lstrip().startswith(("{", "[")):
        return read_json_lines(text, where)
    return read_delimited(text, where)


def _decoded(raw: bytes, where: str) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):  # as spreadsheets save "Unicode text"
        try:
            return raw.decode("utf-16")
        except UnicodeDecodeError as error:
            raise ValueError(f"{where}: not UTF-16 text ({error.reason})") from None
    if b"\0" in raw[:65536]:
        raise ValueError(f"{where} is a binary file, not a table of text")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{where}, line {line}: not UTF-8 text ({error.reason}); save it as UTF-8, for "
            "instance with iconv -f latin1 -t utf8"
        ) from None
