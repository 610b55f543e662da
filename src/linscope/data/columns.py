"""From any table with the same columns to one matrix of floats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .datasets import Dataset
from .delimited import numbered
from .files import Table, columns_of, is_number
from .kinds import NO_YES, Kind, kind_of, number_text
from .suggest import did_you_mean
from .tables import _as_array, to_matrix

_ZERO_OR_ONE = {text: float(value) for pair in NO_YES for value, text in enumerate(pair)}


class TableColumns(TransformerMixin, BaseEstimator):
    """Read the columns of a table: numbers as they are, categories as codes, dates as days.

    Which columns are features, and of what kind, is found in ``fit`` (see ``data/kinds.py``). A
    missing value is NaN. A category is its place 0 … m−1 among the sorted texts of the training
    table; a text that was not there is m. Yes/no is 1 or 0; any other text is NaN. A date is the
    days since the first date of the training table.

    Parameters
    ----------
    leave_out : names of columns that are no features, such as the target
    keep : names of columns that are features even if they look like identifiers, texts or constants

    Attributes
    ----------
    kinds_ : dict from every column's name to its ``Kind``
    categories_ : dict from the place of a column in the matrix to its texts
    unknown_ : dict from names of columns to how many texts the last ``transform`` did not know
    feature_names_in_ : names of the features, in the order of the matrix
    n_features_in_ : int

    Notes
    -----
    A plain array of numbers, or a sparse matrix, with as many columns as there are features is
    taken as read already.

    Examples
    --------
    >>> table = {"age": [31, 18, 50], "plan": ["basic", "plus", "basic"], "id": [11, 12, 13]}
    >>> reader = TableColumns().fit(table)
    >>> reader.get_feature_names_out().tolist()
    ['age', 'plan']
    >>> reader.transform({"plan": ["plus", "gold"], "age": [20, 40]})
    array([[20.,  1.],
           [40.,  2.]])
    >>> reader.unknown_
    {'plan': 1}
    """

    def __init__(self, leave_out: Iterable[str] = (), keep: Iterable[str] = ()) -> None:
        self.leave_out = leave_out
        self.keep = keep

    def fit(self, X: Any, y: Any = None) -> TableColumns:
        """Find the kinds of the columns."""
        table = as_table(X)
        self.columns_in_ = [name for name in table.names if name not in self.leave_out]
        self.unknown_: dict[str, int] = {}
        if table.sparse is not None:
            names = numbered(table.sparse.shape[1])
            self.kinds_: dict[str, Kind] = {}
            self.columns_in_ = names
        else:
            self.kinds_ = {
                name: kind_of(name, table.columns[name], keep=name in self.keep)
                for name in self.columns_in_
            }
            names = [name for name, kind in self.kinds_.items() if kind.is_feature]
        self.feature_names_in_ = np.array(names, dtype=object)
        self.n_features_in_ = len(names)
        self.categories_ = {
            place: list(self.kinds_[name].values)
            for place, name in enumerate(names if self.kinds_ else [])
            if self.kinds_[name].kind == "category"
        }
        return self

    def transform(self, X: Any) -> Any:
        """The features as a float64 matrix; a CSR matrix for sparse rows."""
        check_is_fitted(self)
        self.unknown_ = {}
        if sp.issparse(X) or isinstance(X, np.ndarray | list | tuple | Dataset):
            matrix = self._matrix(X)
            if matrix is not None:
                return matrix
        table = as_table(X, self.columns_in_)
        if table.sparse is not None:
            return self._same_width(table.sparse)
        if not self.kinds_ and self.n_features_in_:
            raise TypeError("these columns were read from sparse rows: give sparse rows again")
        out = np.empty((len(table), self.n_features_in_))
        for place, name in enumerate(self.feature_names_in_):
            if name not in table.columns:
                hint = did_you_mean(name, table.names)
                raise ValueError(f"the table has no column {name!r}, which the model needs{hint}")
            out[:, place] = self._values(name, table.columns[name])
        return out

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the features."""
        check_is_fitted(self)
        return self.feature_names_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags

    def _matrix(self, X: Any) -> Any:
        """Rows of numbers that have the features' width; None for what has to be read."""
        if isinstance(X, list | tuple | Dataset):
            X = X[0] if isinstance(X, Dataset) else _as_array(X, "the table")
        if not sp.issparse(X) and (X.dtype.kind not in "biuf" or X.ndim != 2):
            return None
        if X.shape[1] != self.n_features_in_ and X.shape[1] == len(self.columns_in_):
            return None
        return self._same_width(to_matrix(X)[0].astype(np.float64, copy=False))

    def _same_width(self, X: Any) -> Any:
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"the rows have {X.shape[1]} columns, but the model was fitted with "
                f"{self.n_features_in_} features: {', '.join(self.feature_names_in_[:12])}"
            )
        return X

    def _values(self, name: str, values: np.ndarray) -> np.ndarray:
        kind = self.kinds_[name]
        if kind.kind == "number":
            return _numbers(name, values)
        texts = _texts(values)
        distinct = set(texts) - {None}
        codes: dict[Any, float] = {None: np.nan}
        if kind.kind == "yes/no":
            if values.dtype != object:
                return np.where(np.isin(values, (0.0, 1.0)), values, np.nan)
            codes |= {text: _ZERO_OR_ONE.get(text.lower(), np.nan) for text in distinct}
            unknown = {text for text in distinct if np.isnan(codes[text])}
        elif kind.kind == "date":
            codes |= {text: _days(name, kind, text, texts) for text in distinct}
            unknown = set()
        else:
            codes |= {text: float(code) for code, text in enumerate(kind.values)}
            unknown = distinct - codes.keys()
            codes |= dict.fromkeys(unknown, float(len(kind.values)))
        if unknown:
            self._count(name, sum(map(unknown.__contains__, texts)))
        return np.fromiter(map(codes.__getitem__, texts), np.float64, len(texts))

    def _count(self, name: str, unknown: int) -> None:
        if unknown:
            self.unknown_[name] = int(unknown)


def as_table(X: Any, names: list[str] | None = None) -> Table:
    """Anything with columns as a ``Table``; columns without names are called x1, x2, …"""
    if isinstance(X, Table | dict):
        return columns_of(X)
    if sp.issparse(X):
        return Table({}, sparse=to_matrix(X)[0].astype(np.float64, copy=False))
    if isinstance(X, Dataset):
        X = X[0]
    if isinstance(X, list | tuple):
        X = _as_array(X, "the table")
    if not isinstance(X, np.ndarray):
        return columns_of(X)
    if X.ndim != 2 or not X.size:
        raise ValueError(f"expected a table of rows and columns, got an array of shape {X.shape}")
    if names is not None and len(names) != X.shape[1]:
        raise ValueError(f"the rows have {X.shape[1]} columns, but {len(names)} are expected")
    names = names if names is not None else numbered(X.shape[1])
    return columns_of(dict(zip(names, X.T, strict=True)))


def _numbers(name: str, values: np.ndarray) -> np.ndarray:
    if values.dtype != object:
        return values
    for row, text in enumerate(values):
        if text is not None and not is_number(text):
            raise ValueError(f"column {name!r} has {text!r} at row {row}, where a number is needed")
    return np.array([np.nan if text is None else float(text) for text in values])


def _texts(values: np.ndarray) -> list[Any]:
    if values.dtype == object:
        return values.tolist()
    return [None if value != value else number_text(value) for value in values.tolist()]


def _days(name: str, kind: Kind, text: str, texts: list[Any]) -> float:
    assert kind.dates is not None
    days = kind.dates.days(text)
    if days is None:
        raise ValueError(
            f"column {name!r} has {text!r} at row {texts.index(text)}, where a date such as "
            f"{kind.examples[0]} is needed"
        )
    return days
