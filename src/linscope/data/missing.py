"""Which rows of a table can be used: missing values and infinite numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .columns import TableColumns
from .frame_columns import Table

MISSING_ADVICE = (
    "choose missing='drop' to leave these rows out, or missing='impute' to fill in medians, and a "
    "category of its own, from the training rows"
)


def read_features(reader: TableColumns, table: Table, name: str) -> Any:
    """The features of all rows; infinite numbers are refused, NaN is missing."""
    if not reader.n_features_in_:
        left = "; ".join(f"{column}: {kind.why}" for column, kind in reader.kinds_.items())
        why = f"{left}): name those to use, keep=['…']" if left else "it has only the target)"
        raise ValueError(f"{name} has no column left to predict from ({why}")
    X = reader.transform(table)
    numbers = X.data if table.sparse is not None else X
    if np.isinf(numbers).any():
        if table.sparse is not None:
            raise ValueError(f"{name} has infinite numbers: replace them, or drop their rows")
        row, place = np.argwhere(np.isinf(X))[0]
        raise ValueError(
            f"column {reader.feature_names_in_[place]!r} has an infinite number at row {row}: "
            "replace it, or drop the row"
        )
    return X


def complete_rows(
    X: Any, reader: TableColumns, keys: dict[str, np.ndarray], missing: str | None, name: str
) -> tuple[np.ndarray, str]:
    """The rows to use, and what was done about missing values.

    Without a target, group or time a row is of no use.
    """
    for column, values in keys.items():
        if values.dtype != object and np.isinf(values).any():
            row = int(np.argmax(np.isinf(values)))
            raise ValueError(f"column {column!r} has an infinite number at row {row}")
    gaps = {column: _is_missing(values) for column, values in keys.items()}
    holes = np.isnan(X) if isinstance(X, np.ndarray) else np.zeros((X.shape[0], 0), dtype=bool)
    useless = np.logical_or.reduce(list(gaps.values()))
    incomplete = useless | holes.any(axis=1)
    if incomplete.any() and missing is None:
        counts = dict(zip(reader.feature_names_in_, holes.sum(axis=0).tolist(), strict=False))
        counts |= {column: int(gap.sum()) for column, gap in gaps.items()}
        raise ValueError(_missing_words(counts, int(incomplete.sum()), len(useless), name))
    if useless.all():
        raise ValueError(
            f"every row of {name} lacks {' or '.join(c for c in gaps if gaps[c].any())}"
        )
    rows = np.flatnonzero(~(incomplete if missing == "drop" else useless))
    if not len(rows):
        raise ValueError(
            f"every row of {name} has a missing value, so none is left: choose "
            "missing='impute', or drop the columns that are mostly empty"
        )
    if missing == "impute" and holes[rows].any():
        return rows, "impute"
    return rows, "drop" if len(rows) < len(useless) else "none"


def _missing_words(counts: dict[str, int], rows: int, n: int, name: str) -> str:
    found = sorted(((c, k) for c, k in counts.items() if k), key=lambda pair: -pair[1])
    words = ", ".join(f"{column}: {count:,}" for column, count in found[:12])
    words += f" and {len(found) - 12} more columns" if len(found) > 12 else ""
    return f"{name} has missing values in {rows:,} of {n:,} rows ({words}): {MISSING_ADVICE}"


def _is_missing(values: np.ndarray) -> np.ndarray:
    if values.dtype == object:
        return np.array([value is None for value in values.tolist()])
    return np.isnan(values)
