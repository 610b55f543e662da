"""What the figures of regressions read: a linear model as a ``LinearFit``."""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.data import to_matrix
from linscope.rows.finite import check_finite

from ..inference.fit import LinearFit


def linear_fit(estimator: Any, X: Any = None, y: Any = None, output: Any = 0) -> LinearFit:
    """The fit of a linear model with its rows.

    Parameters
    ----------
    estimator : fitted ``LinearRegression`` or ``Ridge``, any linear model with ``coef_`` and
        ``intercept_``, or a ``LinearFit``
    X, y : the training data, needed unless the model has them at hand
    output : which target, by number or name
    """
    if isinstance(estimator, LinearFit):
        return estimator
    if hasattr(estimator, "_linear_fit"):
        return estimator._linear_fit(output, X, y, rows=True)
    if not hasattr(estimator, "coef_") or not hasattr(estimator, "intercept_"):
        raise TypeError(
            f"this figure needs a fitted linear model with coef_ and intercept_, got "
            f"{type(estimator).__name__}"
        )
    if X is None or y is None:
        raise ValueError(f"{type(estimator).__name__} does not keep its data: give X and y")
    return _from_coefficients(estimator, X, y)


def _from_coefficients(estimator: Any, X: Any, y: Any) -> LinearFit:
    matrix, names = to_matrix(X)
    check_finite(matrix, names)
    target = np.asarray(y, dtype=np.float64)
    slopes = np.asarray(estimator.coef_, dtype=np.float64)
    if slopes.ndim > 1 and slopes.shape[0] == 1:
        slopes = slopes[0]
    if slopes.shape != (matrix.shape[1],) or target.shape != (matrix.shape[0],):
        raise ValueError(
            f"X is {matrix.shape[0]} × {matrix.shape[1]}, y has shape {target.shape} and coef_ "
            f"{np.shape(estimator.coef_)}: one target and a coefficient per feature are needed"
        )
    check_finite(target, name="y")
    intercept = bool(getattr(estimator, "fit_intercept", True))
    bias = float(np.ravel(estimator.intercept_)[0])
    residuals = target - (matrix @ slopes + bias)
    centre = target.mean() if intercept else 0.0
    return LinearFit(
        names=["intercept"] * intercept + (names or [f"x{j + 1}" for j in range(len(slopes))]),
        weights=np.append([bias] * intercept, slopes),
        rss=float(residuals @ residuals),
        tss=float(np.sum((target - centre) ** 2)),
        fit_intercept=intercept,
        n=len(target),
        refused="the model was fitted elsewhere",
        target=str(getattr(y, "name", None) or "y"),
        X=matrix,
        y=target,
    )
