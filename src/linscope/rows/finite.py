"""Are all numbers finite, and if not, where is the first that is not?"""

from __future__ import annotations

import math
from contextlib import closing
from typing import Any, NamedTuple, NoReturn

import numpy as np
import scipy.sparse as sp

from .threads import Workers

IMPUTE_ADVICE = "drop the row or impute the value (sklearn.impute.SimpleImputer)"
CHECK_BLOCK_VALUES, MANY_BLOCKS = 1 << 19, 4
# Squares above this did not vanish.
SAFE = 1e-30
# Weights of samples that are further apart are no weights: the small ones vanish in every sum.
LEAST_WEIGHT, MOST_WEIGHT = 1e-100, 1e100


def check_finite(matrix: Any, feature_names: list[str] | None = None, name: str = "X") -> float:
    """Raise ValueError that names the first row and column with NaN or infinity.

    Returns a number that is at least the largest |x|, and at most some hundred times that.

    Examples
    --------
    >>> check_finite(np.array([[1.0, np.nan]]), ["age", "height"])
    Traceback (most recent call last):
    ValueError: X has NaN at row 0, column 'height' (1): drop the row or impute the value
    (sklearn.impute.SimpleImputer)
    """
    found = first_not_finite(matrix)
    if isinstance(found, float):
        return found
    return complain(found, feature_names, name)


def check_weights(least: float, most: float) -> None:
    """Raise ValueError if the smallest or the largest positive weight is out of range.

    Examples
    --------
    >>> check_weights(1.0, 1e200)
    Traceback (most recent call last):
    ValueError: a sample has the weight 1e+200: positive weights must be between 1e-100 and 1e+100;
    divide all by the same number, and leave out samples that then count for nothing
    """
    wrong = most if most > MOST_WEIGHT else least
    if wrong < np.inf and not LEAST_WEIGHT <= wrong <= MOST_WEIGHT:
        raise ValueError(
            f"a sample has the weight {wrong:.4g}: positive weights must be between "
            f"{LEAST_WEIGHT:g} and {MOST_WEIGHT:g}; divide all by the same number, and leave out "
            "samples that then count for nothing"
        )


class NotFinite(NamedTuple):
    """Where a number is not finite, and what it is; the column is None in a vector."""

    row: int
    column: int | None
    value: float


def complain(found: NotFinite, feature_names: Any, name: str) -> NoReturn:
    """Raise ValueError that names the place."""
    row, column, value = found
    what = "NaN" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if column is None:
        where, advice = f"row {row}", "drop the row"
    elif what == "NaN":
        where, advice = place(row, column, feature_names), IMPUTE_ADVICE
    else:
        where, advice = place(row, column, feature_names), "drop the row or replace the value"
    raise ValueError(f"{name} has {what} at {where}: {advice}")


def first_not_finite(matrix: Any) -> float | NotFinite:
    """A bound of |x|; or the first NaN or infinity."""
    values = matrix.data if sp.issparse(matrix) else matrix
    width = max(1, values.shape[1]) if values.ndim == 2 else 1
    step = max(1, CHECK_BLOCK_VALUES // width)
    starts, largest = range(0, len(values), step), 0.0
    if len(starts) == 1 and isinstance(found := _look_at(values), float):
        return found
    workers = Workers(1 if len(starts) < MANY_BLOCKS else None)
    looks = workers.map(lambda start: _look_at(values[start : start + step]), starts)
    with closing(looks):
        for start, place in zip(starts, looks, strict=True):
            if isinstance(place, float):
                largest = max(largest, place)
                continue
            value, first = float(values[start:][place]), start + int(place[0])
            if sp.issparse(matrix):
                row = int(np.searchsorted(matrix.indptr, first, side="right")) - 1
                return NotFinite(row, int(matrix.indices[first]), value)
            return NotFinite(first, int(place[1]) if len(place) == 2 else None, value)
    return largest


def _look_at(block: np.ndarray) -> float | tuple[Any, ...]:
    """A bound of |x| in the block; or where its first NaN or infinity is."""
    if block.size == 0:
        return 0.0
    # A finite sum of squares proves finite terms, and its root bounds them, at the price of one
    # multiplication each; an infinite or undefined one (it may have overflowed) needs another look.
    if block.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            squares = float(np.vdot(block, block))
        if np.isfinite(squares) and squares > SAFE:
            return math.sqrt(squares) * (1.0 + 1e-3)
    bad = np.zeros(0) if block.dtype.kind in "iub" else ~np.isfinite(block)
    if bad.any():
        return np.unravel_index(int(np.argmax(bad)), block.shape)
    return float(np.abs(block).max())


def place(row: int, column: int, names: Any = None) -> str:
    if isinstance(names, dict):
        return f"row {row}, column {names[column]}"
    label = f"{column}" if names is None else f"{names[column]!r} ({column})"
    return f"row {row}, column {label}"
