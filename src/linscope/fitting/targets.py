"""Reading what a regressor is given: features, targets of one or several columns, weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from linscope._bridge import check_feature_names, check_n_features, check_sample_weight
from linscope.data import to_matrix
from linscope.data.tables import at_hand, without_mask
from linscope.engines import Source, source_of
from linscope.engines.checkpoint.front import journaled
from linscope.engines.source import weighed
from linscope.rows.far import FarRows, given_target

from .training import adopt_columns, kept_rows, need_rows


class Regression(NamedTuple):
    """Validated training data: rows with weight 0 are gone, ``weight`` is empty if all are 1.

    ``Y`` always has columns; ``single`` says that y was a vector. ``rows`` are the numbers of the
    rows in use, None for all. ``targets`` are the names of the targets. X, Y and weight may stand
    for rows that are elsewhere (``rows.far``).
    """

    X: Any
    Y: Any
    weight: Any
    single: bool
    rows: np.ndarray | None
    targets: list[str]


def read_regression(estimator, X, y, sample_weight=None, *, reset: bool = True) -> Regression:
    """Check and convert what ``fit`` or ``partial_fit`` was given; numbers may still be NaN."""
    source = None if at_hand(X) else source_of(X, y, sample_weight)
    if source is not None:
        return _far_regression(estimator, source, reset)
    matrix, _ = to_matrix(X, y=y)
    Y = _targets(y, matrix.shape[0])
    check_feature_names(estimator, X, reset=reset)
    check_n_features(estimator, matrix, reset=reset)
    names = _names(y, Y)
    # Writable, whatever was given: else loops would be compiled once more.
    single, Y = Y.ndim == 1, np.require(Y.reshape(len(Y), -1), requirements=["C", "W"])
    if sample_weight is None:
        return Regression(matrix, Y, np.zeros(0), single, None, names)
    weight = check_sample_weight(
        sample_weight, matrix, dtype=np.float64, ensure_non_negative=True
    ).copy()
    keep = np.flatnonzero(weight)
    if len(keep) == len(weight):
        return Regression(matrix, Y, weight, single, None, names)
    matrix, Y = kept_rows(estimator, matrix, keep), Y[keep]
    need_rows(matrix)
    return Regression(matrix, Y, weight[keep], single, keep, names)


def _far_regression(estimator, source: Source, reset: bool) -> Regression:
    """The same for rows that are elsewhere."""
    adopt_columns(estimator, source, reset=reset)
    engine, ignored = weighed(journaled(source.numbered()))
    X, n = FarRows(engine), engine.n_rows + len(ignored)
    rows = np.delete(np.arange(n), ignored) if len(ignored) else None
    need_rows(X)
    single = len(source.targets) == 1
    return Regression(X, X.column(given_target), X.weight, single, rows, source.targets)


def _targets(y, n: int) -> np.ndarray:
    if y is None:
        raise ValueError(
            "this estimator requires y to be passed, but the target y is None: pass one number per "
            "sample, or a data set in place of X and y"
        )
    if sparse.issparse(y):
        raise TypeError("y is sparse: pass y.toarray()")
    if isinstance(y, np.ndarray):
        y = without_mask(y, "y")
    try:
        Y = check_array(
            y, ensure_2d=False, allow_nd=False, dtype=np.float64, ensure_all_finite=False,
            input_name="y",
        )  # fmt: skip
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        raise ValueError(
            f"y has text ({error}), and a regression predicts numbers: use a classifier"
        ) from None
    if Y.ndim == 0 or Y.ndim > 2:
        raise ValueError(f"y must be a vector or a matrix of targets, got {Y.ndim} dimensions")
    if len(Y) != n:
        raise ValueError(
            f"X has {n} rows, but y has {len(Y)} entries: one target per row is needed"
        )
    if Y.ndim == 2 and Y.shape[1] == 0:
        raise ValueError("y has no columns")
    return Y


def _names(y, Y: np.ndarray) -> list[str]:
    if Y.ndim == 1:
        name = getattr(y, "name", None)
        return [name if isinstance(name, str) and name else "y"]
    columns = list(getattr(y, "columns", []))
    if len(columns) == Y.shape[1] and all(isinstance(column, str) for column in columns):
        return columns
    return ["y"] if Y.shape[1] == 1 else [f"y{k + 1}" for k in range(Y.shape[1])]
