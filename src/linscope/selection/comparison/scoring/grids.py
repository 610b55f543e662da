"""What every value of a grid is worth on the inner folds.

Three ways: all folds and values on one path (``linscope.selection.path``), all penalties of a ridge
regression from one Gram matrix, or a fit for each.
"""

from __future__ import annotations

from itertools import product
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline

from linscope.least_squares.path.ridge import ridge_answers
from linscope.selection.path import fold_scores
from linscope.validation.splits import Split

from ..findings import LESS_IS_BETTER
from .balanced import BalancedDecision
from .candidates import Model, Setting
from .fits import Training, inner_scores, score, with_parameters
from .judging import Answers, answers_of

Grid: TypeAlias = dict[str, tuple[Any, ...]]


def grid_scores(
    model: Model, setting: Setting, training: Training, splits: list[Split], grid: Grid
) -> np.ndarray:
    """Scores (values of each parameter …, folds), where more is better."""
    way = _by_path if model.path else _by_fits
    if "alpha" in grid and not sp.issparse(training.X):
        way = _by_penalties
    return way(model, setting, training, splits, grid)


def _by_penalties(
    model: Model, setting: Setting, training: Training, splits: list[Split], grid: Grid
) -> np.ndarray:
    """Ridge regression, with powers of some degrees or without."""
    degrees = grid.get("degree", (None,))
    table = np.empty((len(degrees), len(grid["alpha"]), len(splits)))
    for place, degree in enumerate(degrees):
        X = training.X
        if degree is not None:
            X = with_parameters(model.make(setting), {"degree": degree})[:-1].fit_transform(X)
        for fold, (train, test) in enumerate(splits):
            found = ridge_answers(X[train], training.y[train], X[test], grid["alpha"])
            for row, values in enumerate(found):
                table[place, row, fold] = score(setting, training.y[test], Answers(values))
    return table if "degree" in grid else table[0]


def _by_fits(
    model: Model, setting: Setting, training: Training, splits: list[Split], grid: Grid
) -> np.ndarray:
    """Scores (values of each parameter …, folds), a fit for each."""
    shape = (*(len(values) for values in grid.values()), len(splits))
    table = np.empty(shape)
    for place in product(*(range(length) for length in shape[:-1])):
        values = {name: grid[name][i] for name, i in zip(grid, place, strict=True)}
        inner = inner_scores(model, setting, training, splits, values)
        table[place] = -inner if setting.metric in LESS_IS_BETTER else inner
    return table


def _by_path(
    model: Model, setting: Setting, training: Training, splits: list[Split], grid: Grid
) -> np.ndarray:
    """Scores (values of C, perhaps of γ, folds): the folds share their work."""
    estimator = model.make(setting)
    X = training.X
    if isinstance(estimator, Pipeline):
        X = estimator[:-1].fit_transform(X)
        estimator = estimator.steps[-1][1]
    shares = None
    if isinstance(estimator, BalancedDecision):
        estimator = estimator.estimator
        shares = np.bincount(training.y) / len(training.y)

    def scorer(fit: Any, rows: Any, y: np.ndarray) -> float:
        one = fit if shares is None else BalancedDecision.of(fit, shares)
        return score(setting, y, answers_of(one, rows, setting.task, setting.metric))

    pairs = [(one.train, one.test) for one in splits]
    gammas = list(grid["gamma"]) if "gamma" in grid else None
    values = list(grid["C"])
    return fold_scores(estimator, X, training.y, Cs=values, gammas=gammas, cv=pairs, scoring=scorer)
