"""Are all numbers finite, and if not, where is the first that is not?"""

from __future__ import annotations

import math
from contextlib import closing
from typing import Any

import numpy as np
import scipy.sparse as sp

from .threads import Workers

IMPUTE_ADVICE = "drop the row or impute the value (sklearn.impute.SimpleImputer)"
CHECK_BLOCK_VALUES, MANY_BLOCKS = 1 << 19, 4


def check_finite(matrix: Any, feature_names: list[str] | None = None, name: str = "X") -> None:
    """Raise ValueError that names the first row and column with NaN or infinity.

    Examples
    --------
    >>> check_finite(np.array([[1.0, np.nan]]), ["age", "height"])
    Traceback (most recent call last):
    ValueError: X has NaN at row 0, column 'height' (1): drop the row or impute the value
    (sklearn.impute.SimpleImputer)
    """
    found = _first_not_finite(matrix)
    if found is None:
        return
    row, column, value = found
    what = "NaN" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if column is None:
        where, advice = f"row {row}", "drop the row"
    elif what == "NaN":
        where, advice = place(row, column, feature_names), IMPUTE_ADVICE
    else:
        where, advice = place(row, column, feature_names), "drop the row or replace the value"
    raise ValueError(f"{name} has {what} at {where}: {advice}")


def without_mask(array: np.ndarray, name: str = "X") -> np.ndarray:
    """The array itself; of a masked array the data, if nothing is masked."""
    if not isinstance(array, np.ma.MaskedArray):
        return array
    masked = np.argwhere(np.ma.getmaskarray(array))
    if len(masked):
        row, *column = masked[0].tolist()
        where = place(row, column[0]) if column else f"row {row}"
        raise ValueError(f"{name} has a masked value (missing, NaN) at {where}: drop the row")
    return array.data


def _first_not_finite(matrix: Any) -> tuple[int, int | None, float] | None:
    """Row, column and value of the first NaN or infinity; the column is None for a vector."""
    values = matrix.data if sp.issparse(matrix) else matrix
    width = max(1, values.shape[1]) if values.ndim == 2 else 1
    step = max(1, CHECK_BLOCK_VALUES // width)
    starts = range(0, len(values), step)
    workers = Workers(1 if len(starts) < MANY_BLOCKS else None)
    found = workers.map(lambda start: _first_in(values[start : start + step]), starts)
    with closing(found):
        for start, place in zip(starts, found, strict=True):
            if place is None:
                continue
            value, first = float(values[start:][place]), start + int(place[0])
            if sp.issparse(matrix):
                row = int(np.searchsorted(matrix.indptr, first, side="right")) - 1
                return row, int(matrix.indices[first]), value
            return first, (int(place[1]) if len(place) == 2 else None), value
    return None


def _first_in(block: np.ndarray) -> tuple[Any, ...] | None:
    """Where in the block the first NaN or infinity is."""
    # A finite sum proves finite terms at the price of one addition each; only an
    # infinite or undefined sum (it may have overflowed) needs the closer look.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(block.sum()):
            return None
    bad = ~np.isfinite(block)
    return np.unravel_index(int(np.argmax(bad)), block.shape) if bad.any() else None


def place(row: int, column: int, names: Any = None) -> str:
    if isinstance(names, dict):
        return f"row {row}, column {names[column]}"
    label = f"{column}" if names is None else f"{names[column]!r} ({column})"
    return f"row {row}, column {label}"
