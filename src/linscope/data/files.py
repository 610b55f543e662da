"""Read a table from a file.

CSV is read with NumPy and the standard library alone, so a file means the same on every machine.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .frame_columns import Table, columns_of
from .suggest import did_you_mean

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".data")
PARQUET_SUFFIXES = (".parquet", ".pq")
LIBSVM_SUFFIXES = (".svm", ".libsvm")
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.IGNORECASE)


def read_table(path: str | Path) -> Table:
    """Read a CSV, Parquet or LIBSVM file.

    Columns whose values are all numbers become float arrays; everything else stays text. Empty
    fields and NA, NaN, null, None or ? are missing. A CSV whose first line holds only numbers has
    no header, and its columns are called x1, x2, …. Where semicolons separate the fields, 1,5 is
    one and a half.

    Parameters
    ----------
    path : file name ending in .csv, .tsv, .txt, .parquet, .svm or .libsvm

    Returns
    -------
    Table

    Raises
    ------
    FileNotFoundError, ValueError
        The message says which file, and for CSV which line and column.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "students.csv"
    >>> _ = path.write_text("attendance,grade\\n1,A\\n-1,F\\n")
    >>> read_table(path).columns
    {'attendance': array([ 1., -1.]), 'grade': array(['A', 'F'], dtype=object)}
    """
    path = Path(path)
    _check_is_file(path)
    suffix = path.suffix.lower()
    if suffix in PARQUET_SUFFIXES:
        return _read_parquet(path)
    if suffix in LIBSVM_SUFFIXES:
        return _read_libsvm(path)
    if suffix in TEXT_SUFFIXES:
        return _read_csv(path)
    known = ", ".join((*TEXT_SUFFIXES, *PARQUET_SUFFIXES, *LIBSVM_SUFFIXES))
    raise ValueError(f"{path}: unknown kind of file {suffix!r}; known are {known}")


def _check_is_file(path: Path) -> None:
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name a file")
    if not path.exists():
        folder = path.parent if path.parent.is_dir() else Path()
        hint = did_you_mean(path.name, (entry.name for entry in folder.iterdir()))
        raise FileNotFoundError(f"{path} does not exist{hint}")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty")


def _read_csv(path: Path) -> Table:
    text = _read_text(path)
    delimiter = _delimiter(text.partition("\n")[0], path.suffix.lower())
    lines = _fields(text, delimiter, path)
    _, header = next(lines, (0, []))
    if not header:
        raise ValueError(f"{path} is empty: it needs a header line and at least one row")
    has_header = not all(is_number(field) for field in header)
    names = _column_names(header, path) if has_header else _numbered(len(header))
    numbers = _quick_numbers(text, delimiter, len(names), skip=int(has_header))
    if numbers is not None:
        return Table(dict(zip(names, numbers.T.copy(), strict=True)))
    rows = [] if has_header else [header]
    for line, fields in lines:
        if len(fields) != len(names):
            raise ValueError(
                f"{path}, line {line}: {len(fields)} fields where the header has {len(names)}"
            )
        rows.append(fields)
    if not rows:
        raise ValueError(f"{path} has a header but no rows")
    return Table(
        {
            name: _parse_column(fields)
            for name, fields in zip(names, zip(*rows, strict=True), strict=True)
        }
    )


def _read_text(path: Path) -> str:
    raw = path.read_bytes()
    if b"\0" in raw[:65536]:
        raise ValueError(f"{path} is a binary file, not a table of text")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}, line {line}: not UTF-8 text ({error.reason})") from None


def _delimiter(first_line: str, suffix: str) -> str:
    if suffix == ".tsv":
        return "\t"
    return max(",;\t|", key=first_line.count)


def _fields(text: str, delimiter: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        for fields in reader:
            if fields:
                stripped = [field.strip() for field in fields]
                yield reader.line_num, _with_points(stripped) if delimiter == ";" else stripped
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}") from None


def _with_points(fields: list[str]) -> list[str]:
    """Spreadsheets that write 1,5 for 1.5 separate the fields by semicolons."""
    return [f.replace(",", ".") if DECIMAL_COMMA.fullmatch(f) else f for f in fields]


def _column_names(header: list[str], path: Path) -> list[str]:
    names = [name or f"column_{j}" for j, name in enumerate(header)]
    for j, name in enumerate(names):
        if name in names[:j]:
            raise ValueError(
                f"{path}: columns {names.index(name)} and {j} are both called {name!r}"
            )
    return names


def _numbered(count: int) -> list[str]:
    return [f"x{j + 1}" for j in range(count)]


def is_number(field: str) -> bool:
    """Does the text read as a number?"""
    try:
        float(field)
    except ValueError:
        return False
    return True


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


def _parse_column(fields: tuple[str, ...]) -> np.ndarray:
    cleaned = [None if field.lower() in MISSING else field for field in fields]
    try:
        return np.array([np.nan if field is None else float(field) for field in cleaned])
    except ValueError:
        return np.array(cleaned, dtype=object)


def _read_parquet(path: Path) -> Table:
    for module, reader in (
        ("pyarrow.parquet", "read_table"),
        ("polars", "read_parquet"),
        ("pandas", "read_parquet"),
    ):
        try:
            library = __import__(module, fromlist=[reader])
        except ImportError:
            continue
        try:
            return columns_of(getattr(library, reader)(path))
        except Exception as error:
            raise ValueError(f"{path} is not a readable Parquet file: {error}") from error
    raise ImportError(f"{path}: Parquet needs pyarrow or polars; pip install 'linscope[scale]'")


def _read_libsvm(path: Path) -> Table:
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(str(path))
    except (ValueError, IndexError) as error:
        raise ValueError(f"{path} is not a readable LIBSVM file: {error}") from None
    return Table({"target": y}, sparse=X)
