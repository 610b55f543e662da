"""Labels of any kind in, class numbers out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linscope.rows.finite import check_finite

from .tables import without_mask

# Integers spread over fewer values than this are counted instead of sorted.
SMALL_RANGE = 1 << 12


class Labels(NamedTuple):
    """Sorted classes, and for each sample the number of its class (0 … K−1)."""

    classes: np.ndarray
    codes: np.ndarray


def encode_labels(y: Any, *, n_samples: int | None = None, fewest: int = 2) -> Labels:
    """Number the classes 0 … K−1 in sorted order.

    Parameters
    ----------
    y : labels of any kind, or a one-hot (0/1) or ±1 matrix of shape (n, K)
        Integers, whole floats, strings, booleans or objects; lists, arrays, pandas, polars or
        pyarrow series, also categorical. A matrix means classes 0 … K−1.
    n_samples : int, optional
        How many labels there must be.
    fewest : int
        How many classes there must be: 2 to fit a classifier, 1 for what it predicts.

    Returns
    -------
    Labels
        ``classes`` and ``codes`` with ``classes[codes]`` equal to ``y``.

    Examples
    --------
    >>> encode_labels(["A", "F", "F", "A"])
    Labels(classes=array(['A', 'F'], dtype='<U1'), codes=array([0, 1, 1, 0]))
    >>> encode_labels([[-1, 1], [1, -1]]).codes
    array([1, 0])
    """
    if y is None:
        raise ValueError(
            "A classifier requires y to be passed, but the target y is None: pass one label per "
            "sample, or a data set in place of X and y"
        )
    array = _label_array(y)
    if n_samples is not None and len(array) != n_samples:
        raise ValueError(
            f"X and y have inconsistent numbers of samples: X has {n_samples} rows, "
            f"y has {len(array)} labels"
        )
    if len(array) == 0:
        raise ValueError("y is empty: found 0 sample(s) while a minimum of 2 is required")
    labels = _from_matrix(array) if array.ndim == 2 else _from_vector(array)
    if len(labels.classes) < fewest:
        raise ValueError(
            f"y has only one class, {labels.classes.tolist()[0]!r}: a classifier needs samples of "
            "at least two classes"
        )
    return labels


def places(classes: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, int | None]:
    """The number of each label's class, and the first row whose label is not among the classes.

    >>> places(np.array([3, 5]), np.array([5, 3, 4]))
    (array([1, 0, 0]), 2)
    """
    if len(classes) == 2:  # a search would take ten times as long
        second = y == classes[1]
        codes, wrong = second.astype(np.int64), ~(second | (y == classes[0]))
    else:
        codes = np.searchsorted(classes, y).astype(np.int64, copy=False)
        wrong = classes[np.minimum(codes, len(classes) - 1)] != y
    return codes, int(np.argmax(wrong)) if wrong.any() else None


def signs(codes: np.ndarray) -> np.ndarray:
    """Class numbers 0 and 1 as −1.0 and +1.0.

    >>> signs(np.array([0, 1, 1]))
    array([-1.,  1.,  1.])
    """
    out = codes.astype(np.float64)
    out *= 2.0
    out -= 1.0
    return out


def _label_array(y: Any) -> np.ndarray:
    """``y`` as an array of one dimension, or of two when it is a matrix of several columns."""
    if sp.issparse(y):
        y = y.toarray()
    array = without_mask(y, "y") if isinstance(y, np.ndarray) else _array_of(y)
    if array.ndim == 0:
        raise ValueError(
            f"Expected array-like (array or non-string sequence), got {y!r}: y needs one label "
            "per sample"
        )
    if array.ndim == 1:
        return array
    if array.ndim == 2 and array.shape[1] == 1:
        from sklearn.utils import column_or_1d

        return column_or_1d(array, warn=True)
    if array.ndim == 2:
        return array
    raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead")


def _array_of(y: Any) -> np.ndarray:
    import narwhals as nw

    if not isinstance(y, list | tuple):
        column = nw.from_native(y, pass_through=True, allow_series=True, eager_only=True)
        if isinstance(column, nw.Series | nw.DataFrame):
            return np.asarray(column.to_numpy())
    try:
        array = np.asarray(y)
    except ValueError as error:
        message = f"y has entries of different lengths: pass one label per sample ({error})"
        raise ValueError(message) from error
    if array.dtype.kind == "f" and array.ndim == 1 and _rounded(array):
        return np.asarray(y, dtype=object)
    if array.dtype.kind in "US" and array.ndim == 1:
        objects = np.asarray(y, dtype=object)
        # A list such as [1, "a"] has become strings altogether; show the caller what it holds.
        if not all(isinstance(label, str | bytes) for label in objects):
            return objects
    return array


def _from_matrix(matrix: np.ndarray) -> Labels:
    """One-hot or ±1 rows: the class is the column of the only positive entry."""
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"y should be a 1d array, got an array of shape {matrix.shape} instead")
    check_finite(matrix, name="y")
    on, off = matrix == 1, min(matrix.min(), 0)
    if off < -1 or not (on | (matrix == off)).all():
        raise ValueError(
            f"y should be a 1d array, got an array of shape {matrix.shape} instead, which is "
            "neither a one-hot matrix of 0 and 1 nor a matrix of -1 and +1"
        )
    positives = on.sum(axis=1)
    if (positives != 1).any():
        row = int(np.argmax(positives != 1))
        raise ValueError(
            f"Row {row} of the matrix y has {positives[row]} positive entries: each row needs "
            "exactly one (samples of several classes are not supported)"
        )
    return _from_integers(on.argmax(axis=1))


def _from_vector(y: np.ndarray) -> Labels:
    kind = y.dtype.kind
    if kind == "b":
        classes, codes = _from_integers(y.view(np.uint8))
        return Labels(classes.astype(bool), codes)
    if kind in "iu":
        return _from_integers(y)
    if kind == "f":
        return _from_floats(y)
    if kind == "c":
        raise ValueError("Complex data not supported: y has complex labels")
    if kind in "UST":
        return _from_sortable(y.tolist(), str if kind == "T" else y.dtype)
    if kind == "O":
        return _from_objects(y)
    raise ValueError(f"Unknown label type: {y.dtype}; turn the labels into strings or integers")


def _from_integers(y: np.ndarray) -> Labels:
    low, high = y.min(), y.max()
    span = int(high) - int(low) + 1
    if span > SMALL_RANGE:
        classes, codes = np.unique(y, return_inverse=True)
        return Labels(classes, codes.astype(np.int64, copy=False))
    codes = np.subtract(y, low, dtype=np.int64, casting="unsafe")
    present = np.bincount(codes, minlength=span) > 0
    classes = np.flatnonzero(present).astype(y.dtype) + low
    if len(classes) == 2:
        codes = (y == high).astype(np.int64)
    elif len(classes) < span:
        codes = (np.cumsum(present) - 1)[codes]
    return Labels(classes, codes)


def _from_floats(y: np.ndarray) -> Labels:
    check_finite(y, name="y")
    if not (y == np.rint(y)).all():
        row = int(np.argmax(y != np.rint(y)))
        raise ValueError(
            f"Unknown label type: continuous. y has {y[row]} at row {row}, but a classifier needs "
            "classes: use a regression model, or bin the values"
        )
    if np.abs(y).max() < 2**53:
        classes, codes = _from_integers(y.astype(np.int64))
        return Labels(classes.astype(y.dtype), codes)
    classes, codes = np.unique(y, return_inverse=True)
    return Labels(classes, codes)


def _from_objects(y: np.ndarray) -> Labels:
    values = y.tolist()
    for row, value in enumerate(values):
        if _is_missing(value):
            raise ValueError(f"y has a missing label ({value}, NaN) at row {row}: drop the row")
    if all(isinstance(value, str) for value in values):
        return _from_sortable(values, y.dtype)
    if all(isinstance(value, bool | int | float | np.number | np.bool_) for value in values):
        return _from_numbers(values)
    kinds = [type(value) for value in values]
    for row, kind in enumerate(kinds):
        if kind is not kinds[0]:
            raise ValueError(
                f"Unknown label type: mixed. y has {values[0]!r} ({kinds[0].__name__}) at row 0 "
                f"but {values[row]!r} ({kind.__name__}) at row {row}: make the labels all of one "
                "type, for instance strings"
            )
    return _from_sortable(values, y.dtype)


def _from_numbers(values: list) -> Labels:
    """Python numbers; those that no NumPy number holds exactly stay objects."""
    array = np.asarray(values)
    if array.dtype.kind == "O" or (array.dtype.kind == "f" and _rounded(array)):
        return _from_sortable(values, object)
    return _from_vector(array)


def _rounded(array: np.ndarray) -> bool:
    """Whether integers may have changed when they became these floats."""
    return bool(np.isfinite(array).all() and np.abs(array).max(initial=0.0) >= 2**53)


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _from_sortable(values: list, dtype: Any) -> Labels:
    """Hashing is several times faster than sorting 500,000 strings."""
    try:
        ordered = sorted(set(values))
        number = {value: code for code, value in enumerate(ordered)}
    except TypeError as error:
        raise ValueError(
            f"Unknown label type: {type(values[0]).__name__} ({error}); turn the labels into "
            "strings or integers"
        ) from None
    classes = np.empty(len(ordered), dtype=dtype)
    classes[:] = ordered
    return Labels(classes, np.fromiter(map(number.__getitem__, values), np.int64, len(values)))
