"""The rows of a report in a table that came another way.

A data frame, two arrays or a built-in set may be saved as CSV or Parquet, with the target anywhere
and with more columns; true and false may be words or 1 and 0. The hash says whether it is the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.data.columns import as_table
from linscope.data.datasets import Dataset
from linscope.data.delimited import numbered
from linscope.data.files import Table
from linscope.data.fingerprint import sha256
from linscope.data.question import table_with_target
from linscope.selection.comparison.findings import Column, Data

TRUTH = frozenset({"true", "false"})


class OtherRows(ValueError):
    """The table is not that of the report; the message says why."""


def rows_of_report(content: Any, data: Data, name: str) -> Table:
    """The table as the report has read it: its columns, in its order, with its hash.

    Parameters
    ----------
    content : Table, or a built-in Dataset
    data : what the report says of its table
    name : of the table, for messages

    Raises
    ------
    OtherRows
    """
    table = table_with_target(content) if isinstance(content, Dataset) else as_table(content)
    table = _as_reported(table, data, name)
    rows, there = len(table), data.rows + data.dropped
    if rows != there:
        raise OtherRows(_not(f"{name} has {rows:,} rows, the report {there:,}"))
    found = sha256(table, data.target)
    if found != data.sha256:
        raise OtherRows(
            _not(
                f"{name} has as many rows and the same columns, but other values "
                f"(SHA-256 {found[:12]}… here, {data.sha256[:12]}… there). If it was saved with "
                "rounded numbers, or has texts that look like numbers, save it as Parquet"
            )
        )
    return table


def unused_columns(table: Any, data: Data) -> list[str]:
    """Columns of a table that the report does not have."""
    names = [] if table.sparse is not None else table.names
    known = {column.name for column in data.columns}
    return [] if len(names) == len(known) else [column for column in names if column not in known]


def _not(why: str) -> str:
    return f"these are not the rows of the report: {why}"


def _as_reported(table: Table, data: Data, name: str) -> Table:
    columns, wanted = table.columns, [column.name for column in data.columns]
    if table.sparse is not None:  # rows of a LIBSVM file, whose target has no name
        return Table({data.target: next(iter(columns.values()))}, table.sparse)
    if table.names == numbered(len(wanted)):  # a file without a header
        columns = dict(zip(wanted, columns.values(), strict=True))
    gone = [column for column in wanted if column not in columns]
    if gone:
        more = ", …" if len(gone) > 5 else ""
        raise OtherRows(_not(f"{name} has no column {', '.join(map(repr, gone[:5]))}{more}"))
    return Table({each.name: _spelled(columns[each.name], each) for each in data.columns})


def _spelled(values: np.ndarray, column: Column) -> np.ndarray:
    """True and false as the report has them: as 1 and 0, or in its own letters.

    >>> flag = Column("flag", "yes/no", "feature", "", 0, 2, ("True", "False"))
    >>> _spelled(np.array([1.0, 0.0, np.nan]), flag).tolist()
    ['True', 'False', None]
    """
    there, codes = {example.lower() for example in column.examples}, _truth(values)
    if not there or codes is None:
        return values
    if there <= {"0", "1"}:
        return np.array([np.nan if code is None else float(code) for code in codes])
    if not there <= TRUTH:
        return values
    first = column.examples[0]
    write = str.upper if first.isupper() else str.lower if first.islower() else str.title
    words = [None if code is None else write(str(code)) for code in codes]
    return np.array(words, dtype=object)


def _truth(values: np.ndarray) -> list[bool | None] | None:
    """True, False and None where the values are missing, if they can be read so."""
    codes: dict[Any, bool | None] = {None: None, 1.0: True, 0.0: False}
    if values.dtype == object:
        words = [None if value is None else value.lower() for value in values.tolist()]
        codes = {None: None, "true": True, "false": False}
    else:
        words = [None if value != value else value for value in values.tolist()]
    return [codes[word] for word in words] if set(words) <= codes.keys() else None
