"""Columns as a data frame of whatever library is installed."""

from __future__ import annotations

import contextlib
import csv
import importlib.util
import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from linscope.results.caller import warn_caller

BACKENDS = ("pandas", "polars", "pyarrow")


def to_backend(columns: dict[str, np.ndarray], backend: str | None) -> Any:
    """A data frame of the named library, or of the first that is installed."""
    if backend == "dict":
        return columns
    if backend is not None and backend not in BACKENDS:
        raise ValueError(f"backend={backend!r} is unknown: choose from {', '.join(BACKENDS)}, dict")
    with contextlib.suppress(ImportError) if backend is None else contextlib.nullcontext():
        name = first_installed() if backend is None else backend
        return _frame(importlib.import_module(name), name, columns)
    warn_caller(
        "no data frame library is installed, so a dict of arrays is returned: install pandas, "
        "polars or pyarrow, or say backend='dict'",
        UserWarning,
    )
    return columns


def with_names(X: np.ndarray, names: Sequence[str]) -> Any:
    """The columns of a matrix in a data frame; as they are, if no library is installed."""
    with contextlib.suppress(ImportError):
        return to_backend(dict(zip(names, X.T, strict=True)), first_installed())
    return X


def first_installed() -> str:
    """The name of a data frame library that can be imported."""
    for name in BACKENDS:
        if importlib.util.find_spec(name) is not None:
            return name
    raise ImportError(f"none of {', '.join(BACKENDS)} is installed")


def _frame(library, name: str, columns: dict[str, np.ndarray]):
    if name == "pandas":
        return library.DataFrame(columns)
    if name == "polars":
        return library.DataFrame({key: _polars(library, columns[key]) for key in columns})
    # Arrow has no fractions: they become text such as "-3/4".
    return library.table(
        {
            key: [str(value) for value in column] if column.dtype == object else column
            for key, column in columns.items()
        }
    )


def _polars(library, column: np.ndarray):
    """Text as text; fractions stay objects."""
    if column.dtype != object:
        return column
    text = all(isinstance(value, str) for value in column)
    return library.Series(list(column), dtype=library.String if text else library.Object)


def join(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Parts of a table, one below the other."""
    if len(parts) == 1:
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def to_csv(columns: dict[str, np.ndarray]) -> str:
    """Text with commas."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    return text.getvalue()
