"""Polynomial fits of several degrees, and their predictions of samples they have not seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures

# Of one feature and of several, where high degrees have many terms, and take long.
HIGHEST, HIGHEST_OF_SEVERAL = 12, 8
MOST_TERMS = 1000


def polynomial(degree: int, regression: Any) -> Pipeline:
    """A regression on all powers and products up to a degree.

    The features are scaled to −1 … 1 first: the polynomials are the same, their powers stay small.

    >>> import linscope as ls
    >>> model = polynomial(2, ls.LinearRegression())
    >>> model = model.fit([[0], [1], [2], [3]], [1, 2, 5, 10])  # y = 1 + x²
    >>> model.predict([[4], [10]]).round(9)
    array([ 17., 101.])
    """
    powers = PolynomialFeatures(degree, include_bias=False)
    return make_pipeline(MinMaxScaler((-1, 1)), powers, clone(regression))


def terms(degrees: Iterable[int], d: int) -> np.ndarray:
    """How many weights the polynomials of d features have.

    >>> terms([1, 2, 3], 2)
    array([ 3,  6, 10])
    """
    return np.array([comb(d + degree, degree) for degree in degrees])


def check_degrees(degrees: Iterable[int] | None, n: int, d: int) -> list[int]:
    if degrees is None:
        highest = HIGHEST if d == 1 else HIGHEST_OF_SEVERAL
        # As far as the weights can be told apart by the samples.
        few = [p for p in range(1, highest + 1) if comb(d + p, p) <= min(0.8 * n, MOST_TERMS)]
        return few or [1]
    given = list(degrees)
    chosen = sorted({int(degree) for degree in given})
    if not chosen or chosen[0] < 1 or any(degree != int(degree) for degree in given):
        raise ValueError(f"degrees must be whole numbers from 1, got {given!r}")
    if comb(d + chosen[-1], chosen[-1]) > MOST_TERMS:
        raise ValueError(
            f"degree {chosen[-1]} of {d} features has {comb(d + chosen[-1], chosen[-1]):,} terms "
            f"(at most {MOST_TERMS:,} are drawn): lower the degrees"
        )
    return chosen


def partition(
    cv: Any, X: np.ndarray, y: np.ndarray, *, classes: bool = False
) -> Sequence[tuple[np.ndarray, np.ndarray]]:
    """Training and validation rows; whole numbers shuffle, since samples may be sorted.

    With classes each part has its share of every class.
    """
    if isinstance(cv, int | np.integer):
        if not 2 <= cv <= len(y):
            raise ValueError(f"cv={cv}, but it must be from 2 to the {len(y)} samples")
        cv = (StratifiedKFold if classes else KFold)(int(cv), shuffle=True, random_state=0)
    splits = list(check_cv(cv).split(X, y))
    tested = np.concatenate([test for _, test in splits])
    if len(tested) != len(y) or len(np.unique(tested)) != len(y):
        raise ValueError("cv must predict each sample once: choose a partition such as KFold")
    return splits


def unseen_predictions(model: Any, X: np.ndarray, y: np.ndarray, splits: Any) -> np.ndarray:
    """Of each sample by a fit that has not seen it."""
    out = np.empty(len(y))
    for train, test in splits:
        out[test] = clone(model).fit(X[train], y[train]).predict(X[test])
    return out


def rmse(y: np.ndarray, predicted: np.ndarray) -> float:
    return float(np.sqrt(np.mean((y - predicted) ** 2)))


def places_between(X: np.ndarray, new: np.ndarray) -> np.ndarray:
    if X.shape[1] > 1:
        return np.zeros(0)
    both = np.concatenate([X[:, 0], new[:, 0]])
    return np.linspace(both.min(), both.max(), 300)
