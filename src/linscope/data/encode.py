"""Tables with text columns as numbers: one column per category."""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.rows.finite import IMPUTE_ADVICE

from .files import Table, columns_of, is_number
from .suggest import did_you_mean

MAX_CATEGORIES = 1000


def encode_frame(
    frame: Any, target: str | None, feature_names: list[str] | None = None
) -> tuple[Any, np.ndarray | None, list[str] | None]:
    """Split a table into features and target; each text column becomes one column per category.

    Parameters
    ----------
    frame : Table from ``read_table``, data frame of any library, or dict of columns
    target : str or None
        The column to predict; None when there is none.
    feature_names : list of str, optional
        The columns a model was fitted with: the result has exactly these, in this order.

    Returns
    -------
    X : ndarray, or CSR matrix for a LIBSVM file
    y : ndarray or None; whole numbers as integers, truth values as bool
    feature_names : list of str, "colour=red" for the category red of the column colour; None for
        a LIBSVM file

    Examples
    --------
    >>> X, y, names = encode_frame({"size": [1, 2], "colour": ["red", "blue"], "y": [0, 1]}, "y")
    >>> names
    ['size', 'colour=blue', 'colour=red']
    >>> X
    array([[1., 0., 1.],
           [2., 1., 0.]])
    """
    table = columns_of(frame)
    y = None if target is None else _target(table, target)
    if table.sparse is not None:
        return table.sparse, y, None
    columns = {name: values for name, values in table.columns.items() if name != target}
    if not columns:
        raise ValueError(f"the table has no column beside the target {target!r}")
    blocks, names = [], []
    for name, values in columns.items():
        block, block_names = _encode_column(name, values, feature_names)
        blocks.append(block)
        names += block_names
    X = np.hstack(blocks)
    if feature_names is not None:
        X, names = _select(X, names, feature_names), list(feature_names)
    return X, y, names


def _target(table: Table, target: str) -> np.ndarray:
    if target not in table.columns:
        raise ValueError(
            f"the table has no column {target!r} among {', '.join(table.names)}"
            f"{did_you_mean(target, table.names)}"
        )
    y = table.columns[target]
    missing = np.array([value is None for value in y]) if y.dtype == object else np.isnan(y)
    if missing.any():
        raise ValueError(
            f"the target column {target!r} has a missing value (NaN) at row "
            f"{int(np.argmax(missing))}: drop the row"
        )
    if y.dtype == object:
        return y.astype(str)
    if target in table.truth:
        return y.astype(bool)
    whole = bool((np.abs(y) < 2**53).all() and (y == np.rint(y)).all())
    return y.astype(np.int64) if whole else y


def _encode_column(
    name: str, values: np.ndarray, feature_names: list[str] | None
) -> tuple[np.ndarray, list[str]]:
    if values.dtype != object:
        return values[:, None], [name]
    for row, value in enumerate(values):
        if value is None:
            raise ValueError(
                f"column {name!r} has a missing value (NaN) at row {row}: {IMPUTE_ADVICE}"
            )
    prefix = f"{name}="
    if feature_names is None:
        categories = sorted(set(values))
    else:
        categories = [f.removeprefix(prefix) for f in feature_names if f.startswith(prefix)]
    if len(categories) > MAX_CATEGORIES:
        raise ValueError(
            f"column {name!r} has {len(categories)} different texts (at most {MAX_CATEGORIES}): it "
            "looks like an identifier; take it out of the table"
        )
    if feature_names is not None and name in feature_names:
        row = next(i for i, value in enumerate(values) if not is_number(value))
        raise ValueError(
            f"column {name!r} has {values[row]!r} at row {row}, where the model expects a number"
        )
    if feature_names is not None and categories:
        _refuse_unknown(name, values, categories)
    block = np.asarray(values[:, None] == np.array(categories, dtype=object), dtype=np.float64)
    return block.reshape(len(values), len(categories)), [prefix + c for c in categories]


def _refuse_unknown(name: str, values: np.ndarray, categories: list[str]) -> None:
    known = set(categories)
    for row, value in enumerate(values):
        if value not in known:
            raise ValueError(
                f"column {name!r} has {value!r} at row {row}, which the model has not seen; it "
                f"knows {', '.join(categories)}"
            )


def _select(X: np.ndarray, names: list[str], wanted: list[str]) -> np.ndarray:
    place = {name: j for j, name in enumerate(names)}
    missing = [name for name in wanted if name not in place]
    if missing:
        raise ValueError(
            f"the table lacks the feature {missing[0]!r} that the model was fitted with"
            f"{did_you_mean(missing[0], names)}"
        )
    return np.ascontiguousarray(X[:, [place[name] for name in wanted]])
