"""A table as named columns: what every file and every data frame becomes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Table:
    """Columns by name: float arrays (NaN is missing) or object arrays of text (None is missing).

    A LIBSVM file has its features in the CSR matrix ``sparse`` instead, and one column, "target".
    Columns named in ``truth`` are 1 and 0 here and were true and false: classes are called so.
    """

    columns: dict[str, np.ndarray]
    sparse: Any = None
    truth: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @property
    def names(self) -> list[str]:
        return list(self.columns)


def columns_of(frame: Any) -> Table:
    """Any eager data frame (narwhals, pandas, polars, pyarrow) or dict of columns as a Table.

    Truth values become 1 and 0, dates their ISO text, durations seconds.

    >>> columns_of({"size": [1, 2], "colour": ["red", None]}).columns
    {'size': array([1., 2.]), 'colour': array(['red', None], dtype=object)}
    """
    from .tables import as_frame

    if isinstance(frame, Table):
        return frame
    if isinstance(frame, dict):
        return table_of(frame)
    table = as_frame(frame, name="the table")
    if table is None:
        raise TypeError(f"expected a data frame, got {type(frame).__name__}")
    columns = {str(name): _column_of_series(table[name], str(name)) for name in table.columns}
    return Table(columns, truth=_truth_of({str(name): table[name] for name in table.columns}))


def table_of(columns: dict[Any, Any]) -> Table:
    """Columns of values of any kind, all of one length.

    >>> table_of({"ill": [True, False], "age": [31, 50]}).truth
    frozenset({'ill'})
    """
    named = {str(name): values for name, values in columns.items()}
    made = {name: column_of(values) for name, values in named.items()}
    return _same_length(made, _truth_of(named))


def _truth_of(columns: dict[str, Any]) -> frozenset[str]:
    return frozenset(name for name, values in columns.items() if is_truth(values))


def is_truth(values: Any) -> bool:
    """Are all values that are there true or false?"""
    import narwhals as nw

    if isinstance(values, nw.Series):
        if values.dtype == nw.Boolean:
            return True
        if values.dtype != nw.Object:
            return False
        values = values.to_list()
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    if kind != "O":
        return bool(kind == "b")
    present = (value for value in values if not _is_missing(value))
    first = next(present, None)
    return isinstance(first, bool | np.bool_) and all(
        isinstance(value, bool | np.bool_) for value in present
    )


def truth_texts(values: np.ndarray) -> np.ndarray:
    """The words for a column of 1 and 0; None is missing.

    >>> truth_texts(np.array([1.0, np.nan, 0.0])).tolist()
    ['True', None, 'False']
    """
    return _objects(None if value != value else str(value == 1) for value in values.tolist())


def _column_of_series(series: Any, name: str) -> np.ndarray:
    import narwhals as nw

    dtype = series.dtype
    if isinstance(dtype, nw.Decimal | nw.Boolean):
        series = series.cast(nw.Float64)
    elif isinstance(dtype, nw.Duration):
        series = series.dt.total_microseconds().cast(nw.Float64) / 1e6
    elif dtype.is_temporal():
        return column_of(series.to_list())
    elif dtype.is_nested():
        raise ValueError(f"column {name!r} has nested values ({dtype}): flatten it first")
    return column_of(series.to_numpy())


def _same_length(columns: dict[str, np.ndarray], truth: frozenset[str]) -> Table:
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        words = ", ".join(f"{name} has {length:,}" for name, length in list(lengths.items())[:12])
        raise ValueError(f"the columns have different numbers of rows: {words}")
    return Table(columns, truth=truth)


def column_of(values: Any) -> np.ndarray:
    """Values of any kind as a column: numbers, or else texts.

    >>> column_of([1, None, True]), column_of([1, "a", 2.5, None])
    (array([ 1., nan,  1.]), array(['1', 'a', '2.5', None], dtype=object))
    """
    array = values if isinstance(values, np.ndarray) else _objects(values)
    if array.ndim != 1:
        raise ValueError(f"expected a column, got values of shape {array.shape}")
    if array.dtype.kind in "biuf":
        small = array.dtype.kind == "f" and array.dtype.itemsize <= 4
        return array.astype(np.float32 if small else np.float64, copy=False)
    if array.dtype.kind in "Mm":
        array = array.astype(f"{array.dtype.kind}8[us]")
    present = [None if _is_missing(value) else value for value in array.tolist()]
    kinds = {type(value) for value in present} - {type(None)}
    if all(issubclass(kind, int | float | np.number | np.bool_ | Decimal) for kind in kinds):
        return np.array([np.nan if value is None else float(value) for value in present])
    return _objects(_texts(present, kinds))


def _objects(values: Iterable[Any]) -> np.ndarray:
    """A list as it is: NumPy would turn the 1 of [1, "a"] into text."""
    return np.fromiter(values, dtype=object)


def _is_missing(value: Any) -> bool:
    # Missing entries arrive as None, NaN, NaT or pandas.NA, which is not equal to anything.
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _texts(values: list[Any], kinds: set[type]) -> list[str | None]:
    """Texts as they are; dates in ISO form, without the hour if it is midnight in all rows."""
    texts = [None if value is None else _text(value) for value in values]
    if all(hasattr(kind, "hour") and hasattr(kind, "year") for kind in kinds):
        midnight = " 00:00:00"
        if all(text is None or text.endswith(midnight) for text in texts):
            return [text and text.removesuffix(midnight) for text in texts]
    return texts


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
