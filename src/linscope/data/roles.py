"""Columns that are no features: target, group, time, and those that are left out."""

from __future__ import annotations

import numpy as np

from .columns import TableColumns
from .dates import find_dates
from .frame_columns import Table
from .kinds import Column, kind_of
from .suggest import did_you_mean


def check_column(table: Table, column: str, word: str) -> None:
    """Refuse the name of a column that the table does not have; ``word`` says what it is for."""
    if column not in table.columns:
        known = ", ".join(table.names[:12]) + (", …" if len(table.names) > 12 else "")
        raise ValueError(
            f"the table has no column {column!r} ({word}) among {known}"
            f"{did_you_mean(column, table.names)}"
        )


def roles_of(
    table: Table, target: str, group: str | None, time: str | None, drop: list[str]
) -> dict[str, str]:
    """What a column is, where it is no feature."""
    roles = {target: "target"}
    given = [("group", group), ("time", time), *(("drop", column) for column in drop)]
    for word, column in given:
        if column is None:
            continue
        check_column(table, column, word)
        if column in roles:
            raise ValueError(f"the column {column!r} cannot be both {roles[column]} and {word}")
        roles[column] = word
    return roles


def group_codes(name: str, values: np.ndarray) -> np.ndarray:
    """Numbers of the groups."""
    texts = values.astype(str) if values.dtype == object else values
    groups, codes = np.unique(texts, return_inverse=True)
    if len(groups) < 2:
        raise ValueError(f"the group column {name!r} has one group, {groups[0]}: two are needed")
    return codes


def sort_keys(name: str, values: np.ndarray) -> np.ndarray:
    """Sort keys of a time column: its numbers, or days."""
    if values.dtype != object:
        return values.astype(np.float64)
    dates = find_dates(sorted(set(values.tolist())))
    if dates is None:
        raise ValueError(
            f"the time column {name!r} has texts such as {values[0]!r}, which are neither "
            "numbers nor dates"
        )
    days = {text: dates.days(text) for text in set(values.tolist())}
    return np.array([days[text] for text in values.tolist()], dtype=np.float64)


def described(
    table: Table, reader: TableColumns, roles: dict[str, str], target: str, values: np.ndarray
) -> tuple[Column, ...]:
    """Every column of the table in its order; a target from outside comes last."""
    words = {
        "target": "what is predicted",
        "group": "its rows stay together",
        "time": "earlier rows are learned from, later ones tested on",
        "drop": "left out as asked",
    }
    columns = table.columns | {target: values}
    found = []
    if table.sparse is not None:
        width = table.sparse.shape[1]
        some = Column(f"x1 … x{width}", "number", "feature", f"{width:,} numbers", 0, 0, ())
        found.append(some)
    for name, column in columns.items():
        if name in roles:
            role = "left out" if roles[name] == "drop" else roles[name]
            kind = kind_of(name, column, keep=role == "target")
            found.append(kind.column(name, role, words[roles[name]]))
        else:
            found.append(reader.kinds_[name].column(name))
    return tuple(found)
