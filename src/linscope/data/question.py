"""A table and a target: what is asked, in the form that models take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .columns import TableColumns, as_table
from .datasets import Dataset
from .files import Table, columns_of, is_number
from .fingerprint import sha256
from .frame_columns import column_of, is_truth, truth_texts
from .kinds import Column, kind_of
from .missing import complete_rows, read_features
from .roles import check_column, described, group_codes, roles_of, sort_keys
from .target import read_target


@dataclass(frozen=True, eq=False)
class Question:
    """Features, target and what else a study needs to know of a table.

    Attributes
    ----------
    name : of the table
    table : Table, all rows and columns as read
    columns : one ``Column`` for each column of the table, in its order
    X : float64 array of shape (n, p), NaN is missing, categories are codes; CSR for sparse rows
    names : of the columns of X
    numeric, yes_no, categorical : places of columns of X; ``yes_no`` (1 or 0) is part of numeric
    categories : dict from the place of a categorical column to its texts, in the order of the codes
    target : its name
    y : texts, whole numbers, truth values, or float64 for the task "number"
    task : "two classes", "classes" or "number"
    classes : labels in sorted order, but of two the positive one is the second; () for numbers
    positive : of two classes the one that is looked for, else None
    groups : codes of the group column, or None
    order : sort keys of the time column, or None
    group, time : their names, or None
    rows : places of the rows in the table; those with missing values may have been dropped
    missing : "none", "drop" or "impute"
    dropped : how many rows were left out
    sha256 : of all columns as read, and the target
    reader : fitted ``TableColumns``, which makes X of any table with the same columns
    notes : sentences that say what was found and assumed
    """

    name: str
    table: Table
    columns: tuple[Column, ...]
    X: Any
    names: tuple[str, ...]
    numeric: tuple[int, ...]
    yes_no: tuple[int, ...]
    categorical: tuple[int, ...]
    categories: dict[int, list[str]]
    target: str
    y: np.ndarray
    task: str
    classes: tuple[Any, ...]
    positive: Any
    groups: np.ndarray | None
    order: np.ndarray | None
    group: str | None
    time: str | None
    rows: np.ndarray
    missing: str
    dropped: int
    sha256: str
    reader: TableColumns
    notes: tuple[str, ...]

    @property
    def codes(self) -> np.ndarray:
        """Places of the labels among ``classes``: 1 is the positive one of two."""
        place = {label: code for code, label in enumerate(self.classes)}
        return np.array([place[label] for label in self.y.tolist()])

    @property
    def counts(self) -> tuple[int, ...]:
        """Rows of each class."""
        return tuple(np.bincount(self.codes, minlength=len(self.classes)).tolist())


def read_question(
    table: Any,
    target: str | None = None,
    *,
    target_values: Any = None,
    positive: Any = None,
    missing: str | None = None,
    group: str | None = None,
    time: str | None = None,
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    task: str | None = None,
    split: bool = True,
    name: str = "the table",
) -> Question:
    """What is asked of a table: which columns are features, what is to be predicted.

    Parameters
    ----------
    table : Table, data frame of any library, dict of columns, Dataset; array or sparse matrix
    target : name of the column to predict; with ``target_values`` what to call them
    target_values : what to predict, where it is no column of the table
    positive : the class of two that is looked for; yes, true and 1 are found by themselves
    missing : None, "drop" or "impute"
        Missing values are an error unless one of these says what to do. Rows without a target, a
        group or a time are dropped with either.
    group, time : columns whose rows stay together, or stay in order, when the table is split
    drop : columns to leave out
    keep : columns to use although they look like identifiers, texts or constants
    task : None, "classes" or "number"
        How to read a target of whole numbers.
    split : bool
        The rows will be split, so a class with a single row is an error.
    name : str
        Of the table, for messages.

    Examples
    --------
    >>> table = {"age": [31, 18, 50, 44], "plan": ["basic", "plus", "basic", "plus"],
    ...          "churn": ["no", "yes", "no", "yes"]}
    >>> question = read_question(table, "churn")
    >>> question.task, question.classes, question.names
    ('two classes', ('no', 'yes'), ('age', 'plan'))
    >>> question.X
    array([[31.,  0.],
           [18.,  1.],
           [50.,  0.],
           [44.,  1.]])
    """
    _check_choice("missing", missing, ("drop", "impute"))
    _check_choice("task", task, ("classes", "number"))
    if isinstance(table, Dataset):
        table, target, target_values, positive = of_dataset(table, target, target_values, positive)
    plain = isinstance(table, np.ndarray | list | tuple)
    table = as_table(table)
    target, values, truth = _target_values(table, target, target_values, name)
    roles = roles_of(table, target, group, time, _names(drop))
    keep = _names(keep)
    for column in keep:
        check_column(table, column, "keep")
    if plain:  # numbers without names are meant as numbers
        keep += [c for c, v in table.columns.items() if kind_of(c, v).kind != "constant"]
    reader = TableColumns(leave_out=list(roles), keep=keep).fit(table)
    X = read_features(reader, table, name)
    keys = {c: table.columns[c] for c in (group, time) if c is not None} | {target: values}
    rows, how = complete_rows(X, reader, keys, missing, name)
    answer = read_target(values[rows], target, positive, task, truth=truth, split=split)
    places = range(reader.n_features_in_)
    kinds = [reader.kinds_[c].kind if reader.kinds_ else "number" for c in reader.feature_names_in_]
    outside = values if target_values is not None else None
    columns = described(table, reader, roles, target, values)
    return Question(
        name=name,
        table=table,
        columns=columns,
        X=X[rows] if len(rows) < len(values) else X,
        names=tuple(reader.feature_names_in_),
        numeric=tuple(j for j in places if kinds[j] != "category"),
        yes_no=tuple(j for j in places if kinds[j] == "yes/no"),
        categorical=tuple(j for j in places if kinds[j] == "category"),
        categories=reader.categories_,
        target=target,
        y=answer.y,
        task=answer.task,
        classes=answer.classes,
        positive=answer.positive,
        groups=None if group is None else group_codes(group, table.columns[group][rows]),
        order=None if time is None else sort_keys(time, table.columns[time][rows]),
        group=group,
        time=time,
        rows=rows,
        missing=how,
        dropped=len(values) - len(rows),
        sha256=sha256(table, target, outside),
        reader=reader,
        notes=(*answer.notes, *_notes(columns, reader)),
    )


def _names(given: Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _check_choice(word: str, given: str | None, known: tuple[str, ...]) -> None:
    if given is not None and given not in known:
        raise ValueError(f"{word} must be {' or '.join(map(repr, known))}, got {given!r}")


def of_dataset(
    data: Dataset, target: str | None, values: Any, positive: Any
) -> tuple[Any, str, Any, Any]:
    """The table of a built-in data set; labels by their names, where these say more."""
    X, y = data
    if values is not None or target is not None:
        raise TypeError(f"the data set {data.name!r} has a target of its own: leave target out")
    if data.columns:
        return columns_of(data.columns), data.target, None, positive
    labels = sorted(set(y.tolist()))
    names = [data.target_names.get(label, "") for label in labels]
    if all(names) and not all(map(is_number, names)):
        y = column_of([data.target_names[label] for label in y.tolist()])
        # The larger of two labels is the positive one, whatever its name.
        positive = names[1] if positive is None and len(names) == 2 else positive
    return Table(dict(zip(data.feature_names, X.T, strict=True))), "target", y, positive


def table_with_target(data: Dataset) -> Table:
    """The table of a built-in data set with its target as the last column."""
    table, target, values, _ = of_dataset(data, None, None, None)
    return table if values is None else Table({**table.columns, target: column_of(values)})


def _target_values(
    table: Table, target: str | None, values: Any, name: str
) -> tuple[str, np.ndarray, bool]:
    """Name and values of the target, and whether they are truth values; these as words."""
    if values is None:
        if target is None and table.sparse is not None:
            target = "target"
        if target is None:
            known = ", ".join(table.names[:12]) + (", …" if len(table.names) > 12 else "")
            raise ValueError(
                f"{name}: which column is to be predicted? Name it with target='…', one of {known}"
            )
        check_column(table, target, "target")
        values, truth = table.columns[target], target in table.truth
    else:
        target = str(target or getattr(values, "name", None) or "y")
        values = np.asarray(values)
        if values.ndim != 1:
            raise ValueError(f"the target must be one column, got an array of shape {values.shape}")
        truth, values = is_truth(values), column_of(values)
        _check_name(table, target, values)
    n = len(table) if table.sparse is None else table.sparse.shape[0]
    if not n:
        raise ValueError(f"{name} has no rows")
    if len(values) != n:
        raise ValueError(f"{name} has {n:,} rows, but the target {target!r} has {len(values):,}")
    return target, truth_texts(values) if truth else values, truth


def _check_name(table: Table, target: str, values: np.ndarray) -> None:
    """Values from outside may be a column of the table once more, but no other one's name."""
    column = table.columns.get(target)
    if column is not None and not _equal(column, values):
        raise ValueError(
            f"the table has a column {target!r} with other values than the target: give the target "
            "another name, target='…'"
        )


def _equal(a: np.ndarray, b: np.ndarray) -> bool:
    if a.dtype == object or b.dtype == object:
        return a.tolist() == b.tolist()
    return np.array_equal(a, b, equal_nan=True)


def _notes(columns: tuple[Column, ...], reader: TableColumns) -> Iterator[str]:
    """What a person should know of the columns."""
    left = [
        f"{c.name} ({c.kind})" for c in columns if c.role == "left out" and c.name in reader.kinds_
    ]
    if left:
        more = f" and {len(left) - 8} more" if len(left) > 8 else ""
        yield f"left out: {', '.join(left[:8])}{more}; --keep NAME uses one all the same"
    for name, kind in reader.kinds_.items():
        if kind.dates is not None and kind.dates.assumed:
            yield f"{name!r}: in dates such as {kind.examples[0]} the day is taken to come first"
