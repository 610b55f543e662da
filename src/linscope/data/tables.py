"""Tables of any kind in, one matrix out.

The matrix is a C-contiguous NumPy array or a canonical CSR matrix, float32 or float64. Nothing is
copied that already has that form.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from linscope.rows.finite import IMPUTE_ADVICE, place

from .datasets import Dataset

# An array, nested lists, a data frame of any kind or a sparse matrix: see ``to_matrix``.
TableLike: TypeAlias = Any

# Libraries of tables that are in memory as they stand.
AT_HAND = {"builtins", "numpy", "pandas", "scipy"}

ENCODE_ADVICE = (
    "encode text, categories and dates first, for instance with "
    "sklearn.preprocessing.OneHotEncoder (the linscope command does it by itself)"
)


def at_hand(X: Any) -> bool:
    """Whether it is a table in memory, and no data set or rows that are elsewhere.

    Of other libraries' tables it says no: who asks looks closer.
    """
    return type(X).__module__.partition(".")[0] in AT_HAND


def to_matrix(X: Any, *, name: str = "X", y: Any = None) -> tuple[Any, list[str] | None]:
    """Turn a table of any kind into a matrix of floats.

    Parameters
    ----------
    X : NumPy array, nested list, SciPy sparse matrix, or a pandas, polars or pyarrow table
        float32 and float64 stay what they are, float16 becomes float32, integers and booleans
        become float64.
    name : str
        What error messages call the table.
    y : what was given beside it, for an error that says so if the two were swapped

    Returns
    -------
    matrix : C-contiguous ndarray, or CSR matrix when ``X`` is sparse
    feature_names : list of str, or None when the table has no names

    Notes
    -----
    Whether the numbers are finite is not checked here, see :func:`check_finite`.

    Examples
    --------
    >>> to_matrix([[0, 1], [1, 0]])
    (array([[0., 1.],
           [1., 0.]]), None)
    """
    if _ready(X):
        return X, None
    try:
        return _converted(X, name)
    except (TypeError, ValueError):
        if y is None or not _swapped(X, y):
            raise
    raise ValueError(
        f"{name} is a vector and y a table: did you mean (X, y), the table of samples first?"
    )


def _converted(X: Any, name: str) -> tuple[Any, list[str] | None]:
    if isinstance(X, Dataset):
        return to_matrix(X[0], name=name)
    if sp.issparse(X):
        return _sparse_matrix(X, name), None
    if isinstance(X, np.ndarray):
        return _dense_matrix(X, name), None
    frame = as_frame(X, name=name)
    if frame is None:
        return _dense_matrix(X, name), None
    return _frame_matrix(frame, name), feature_names_of(frame.columns)


def _ready(X: Any) -> bool:
    """Is it the array we want already? Then nothing has to look at it."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in (np.float64, np.float32)
        and X.dtype.isnative
        and X.flags.c_contiguous
        and X.size > 0
    )


def _swapped(X: Any, y: Any) -> bool:
    """A vector where the table should be, and a table of as many rows beside it."""
    try:
        first, second = np.shape(X), np.shape(y)
    except ValueError:  # rows of different lengths
        return False
    return len(first) == 1 and len(second) == 2 and first[0] == second[0] and second[1] > 1


def as_frame(X: Any, *, name: str = "X") -> Any:
    """``X`` as an eager narwhals DataFrame, or None when it is no data frame."""
    import narwhals as nw

    if isinstance(X, list | tuple):
        return None
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"{name} has columns of the same name: rename them ({error})") from error
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"{name} is lazy ({type(X).__module__.partition('.')[0]} {type(X).__name__}): "
            f"load it first, for instance with {name}.collect()"
        )
    return frame if isinstance(frame, nw.DataFrame) else None


def feature_names_of(columns: Any) -> list[str] | None:
    """Column names when all are strings, None when none is; a mixture raises as in scikit-learn."""
    strings = [isinstance(column, str) for column in columns]
    if not any(strings):
        return None
    if all(strings):
        return list(columns)
    raise TypeError(
        "Feature names are only supported if all input features have string names: make the "
        "names strings, for instance X.columns = X.columns.astype(str)"
    )


def _sparse_matrix(X: Any, name: str) -> Any:
    # scikit-learn gives the messages for complex data and empty tables; its conversion to CSR
    # is not used because it would copy float16 and integers twice.
    if X.ndim == 2 and X.dtype.kind in "biuf":
        X = X.tocsr().astype(_float_dtype(X.dtype), copy=False)
    X = _check_array(X, name)
    try:  # compiled code trusts the indices
        X.check_format(full_check=True)
    except ValueError as error:
        raise ValueError(f"{name} is a damaged sparse matrix: {error}; build it again") from None
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return _narrow(X)


def _narrow(X: Any) -> Any:
    """The matrix with indices of 32 bits where they suffice: no kernel is compiled for both."""
    wide = any(each.dtype != np.int32 for each in (X.indices, X.indptr))
    if not wide or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    indices, indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    narrow = type(X)((X.data, indices, indptr), shape=X.shape)
    narrow.has_canonical_format = True
    return narrow


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


def _dense_matrix(X: Any, name: str) -> np.ndarray:
    array = without_mask(X, name) if isinstance(X, np.ndarray) else _as_array(X, name)
    if array.dtype.kind in "OUS" and array.ndim == 0:
        raise TypeError(
            f"{name} must be a table of numbers (array, data frame or sparse matrix), "
            f"got {type(X).__name__}"
        )
    if array.dtype.kind in "OUS" and array.ndim == 2:
        array = _numbers_from_objects(array, name)
    elif array.dtype.kind not in "biufcOUS":
        raise TypeError(f"{name} has dtype {array.dtype}: pass numbers, {ENCODE_ADVICE}")
    elif array.dtype == np.float16:
        array = array.astype(np.float32)
    return _check_array(array, name)


def _check_array(array: Any, name: str) -> Any:
    from sklearn.utils import check_array

    return check_array(
        array,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        order="C",
        ensure_all_finite=False,
        input_name=name,
    )


def _as_array(X: Any, name: str) -> np.ndarray:
    try:
        array = np.asarray(X)
    except ValueError as error:
        lengths = [len(row) if hasattr(row, "__len__") else 0 for row in X]
        for i, length in enumerate(lengths):
            if length != lengths[0]:
                raise ValueError(
                    f"{name} has rows of different lengths: row 0 has {lengths[0]} values, "
                    f"row {i} has {length}"
                ) from error
        raise
    # A list such as [[1, "a"]] would turn the number into a string.
    return np.asarray(X, dtype=object) if array.dtype.kind in "US" else array


def _numbers_from_objects(array: np.ndarray, name: str, names: Any = None) -> np.ndarray:
    """Python numbers as float64; strings are refused even when they look like numbers."""
    out = np.empty(array.shape)
    for (row, column), value in np.ndenumerate(array):
        if isinstance(value, complex | np.complexfloating):
            raise ValueError(f"Complex data not supported: {place(row, column, names)} of {name}")
        try:
            if isinstance(value, str | bytes):
                raise ValueError(f"could not convert string to float: {value!r}")
            out[row, column] = math.nan if value is None else float(value)
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"{name} has no number at {place(row, column, names)}: {error}; {ENCODE_ADVICE}"
            ) from None
    return out


def _frame_matrix(frame: Any, name: str) -> Any:
    """A narwhals frame as a matrix, filled a band of rows at a time to stay in the cache."""
    native = frame.to_native()
    if _is_sparse_pandas(native):
        if all(dtype.fill_value == 0 for dtype in native.dtypes):
            return _sparse_matrix(native.sparse.to_coo(), name)
        frame = as_frame(native.sparse.to_dense(), name=name)
    _refuse_columns_without_numbers(frame, name)
    columns = [_column(frame, j, name) for j in range(frame.shape[1])]
    small = bool(columns) and all(column.dtype == np.float32 for column in columns)
    out = np.empty((len(frame), len(columns)), dtype=np.float32 if small else np.float64)
    band = 4096
    for start in range(0, len(out), band):
        for j, column in enumerate(columns):
            out[start : start + band, j] = column[start : start + band]
    return _check_array(out, name)


def _is_sparse_pandas(native: Any) -> bool:
    dtypes = getattr(native, "dtypes", None)
    if not type(native).__module__.startswith("pandas") or dtypes is None or not len(dtypes):
        return False
    return all(type(dtype).__name__ == "SparseDtype" for dtype in dtypes)


def _refuse_columns_without_numbers(frame: Any, name: str) -> None:
    import narwhals as nw

    refused = [
        f"{column!r} ({dtype})"
        for column, dtype in frame.schema.items()
        if not (dtype.is_numeric() or dtype in (nw.Boolean, nw.Object, nw.Unknown))
    ]
    if refused:
        raise ValueError(
            f"{name} has columns that are not numbers: {', '.join(refused)}; {ENCODE_ADVICE}"
        )


def _column(frame: Any, j: int, name: str) -> np.ndarray:
    import narwhals as nw

    series, label = frame[:, j], frame.columns[j]
    if isinstance(series.dtype, nw.Decimal):
        series = series.cast(nw.Float64)
    plain = isinstance(getattr(series.to_native(), "dtype", None), np.dtype)
    if not plain and series.null_count():
        row = int(np.argmax(series.is_null().to_numpy()))
        raise ValueError(
            f"{name} has a missing value (NaN) at row {row}, column {label!r} ({j}): "
            f"{IMPUTE_ADVICE}"
        )
    values = series.to_numpy()
    if values.dtype.kind in "OUS":
        values = _numbers_from_objects(values[:, None], name, {0: f"{label!r} ({j})"})[:, 0]
    elif values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: column {label!r} of {name}")
    return values.astype(_float_dtype(values.dtype), copy=False)


def _float_dtype(dtype: np.dtype) -> np.dtype:
    small = dtype.kind == "f" and dtype.itemsize <= 4
    return np.dtype(np.float32 if small else np.float64)
