"""The inner search: parameters of a candidate, found on the training rows of one outer fold.

Every value of the grid is judged by the inner folds, and the best mean wins; of equals the most
regular. On large tables the search sees a sample, and the inner scores of the winner, by which
models are chosen, come from all training rows again, so that they compare with those of models
that have nothing to search.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline
from threadpoolctl import ThreadpoolController

from linscope._bridge import take_control
from linscope.results.certificate import without_proofs
from linscope.selection.path import fold_scores
from linscope.validation.splits import Split

from ..findings import LESS_IS_BETTER
from .balanced import BalancedDecision
from .candidates import Model, Setting
from .folds import Rows, check_all_classes, split
from .judging import Answers, answers_of, judge

SEARCH_ROWS = 4_000
SMALL = 500_000
# Means that differ by rounding only are equal.
EQUAL = 1e-12
# Of these it means something if the best value is the first or the last.
OPEN_ENDED = frozenset({"C", "gamma", "alpha"})


class Training(NamedTuple):
    """Prepared rows, their class codes or numbers, and what splitting must know of them."""

    X: Any
    y: np.ndarray
    rows: Rows

    def take(self, rows: np.ndarray) -> Training:
        return Training(self.X[rows], self.y[rows], self.rows.take(rows))


class Found(NamedTuple):
    """The parameters, the metric on each inner fold, and which parameters ended at an edge.

    edges : parameter -> -1 at the smallest value, +1 at the largest, 0 inside
    """

    parameters: dict[str, Any]
    inner: np.ndarray
    edges: dict[str, int]


def search(model: Model, setting: Setting, training: Training, folds: int) -> Found:
    """The best parameters for these rows."""
    splits = split(training.rows, folds, setting.seed)
    check_all_classes(training.rows, splits)
    if not model.grid:
        return Found({}, _inner(model, setting, training, splits, {}), {})
    part, part_splits = training, splits
    sampled = training.rows.n > SEARCH_ROWS
    if sampled:
        part = training.take(_sample(training.rows, setting.seed))
        part_splits = split(part.rows, folds, setting.seed)
    seen = setting._replace(rows=part.rows.n)
    grid = _grid(model, part.X)
    table = (_by_path if model.path else _by_fits)(model, seen, part, part_splits, grid)
    mean = np.nan_to_num(table.mean(axis=-1), nan=-np.inf)
    best = int(np.flatnonzero(mean.ravel() >= mean.max() - EQUAL)[0])
    place = np.unravel_index(best, mean.shape)
    values = {name: grid[name][i] for name, i in zip(grid, place, strict=True)}
    edges = {
        name: _edge(grid[name], values[name])
        for name in grid
        if name in OPEN_ENDED and len(grid[name]) > 2
    }
    inner = table.reshape(mean.size, -1)[best]
    if sampled:
        inner = _inner(model, setting, training, splits, values)
    elif setting.metric in LESS_IS_BETTER:
        inner = -inner
    return Found(values, inner, edges)


def fitted(
    model: Model, setting: Setting, X: Any, y: np.ndarray, parameters: dict[str, Any]
) -> Any:
    """The candidate with these parameters, fitted."""
    with alone(model, setting):
        return with_parameters(model.make(setting), parameters).fit(X, y)


def alone(model: Model, setting: Setting) -> Any:
    """On small tables the threads of gradient boosting wait for each other most of the time."""
    if model.family == "reference" and is_small(setting):
        take_control(_controller())
        return _controller().limit(limits=1, user_api="openmp")
    return nullcontext()


def is_small(setting: Setting) -> bool:
    """Whether threads inside a fit would wait for each other most of the time."""
    return setting.rows * setting.columns < SMALL


@cache
def _controller() -> ThreadpoolController:
    # It looks through the loaded libraries, which takes milliseconds: once, with those of boosting.
    import sklearn.ensemble  # noqa: F401

    return ThreadpoolController()


def with_parameters(estimator: Any, parameters: dict[str, Any]) -> Any:
    """Set parameters of the model inside a pipeline or a decision rule; degree is of the powers."""
    for name, value in parameters.items():
        if name == "degree":
            estimator.set_params(expand__numbers__powers__degree=value)
        else:
            core(estimator).set_params(**{name: value})
    return estimator


def core(estimator: Any) -> Any:
    """The model itself, without what stands before and around it; fitted if the whole is."""
    if isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    if isinstance(estimator, BalancedDecision):
        return getattr(estimator, "estimator_", estimator.estimator)
    return estimator


def _sample(rows: Rows, seed: int) -> np.ndarray:
    """Rows for the search: some of every class; whole groups; of a time series the last ones."""
    if rows.order is not None:
        return np.sort(np.argsort(rows.order, kind="stable")[-SEARCH_ROWS:])
    folds = -(-rows.n // SEARCH_ROWS)
    return split(rows, folds, seed)[0].test


def _grid(model: Model, X: Any) -> dict[str, tuple[Any, ...]]:
    """The values; those of γ are multiples of 1 / (d Var X), the γ of "scale"."""
    if "gamma" not in model.grid:
        return model.grid
    mean = X.mean()
    squares = X.multiply(X).mean() if hasattr(X, "multiply") else np.square(X).mean()
    scale = 1.0 / (X.shape[1] * max(float(squares - mean**2), 1e-300))
    return model.grid | {"gamma": tuple(float(f"{g * scale:.3g}") for g in model.grid["gamma"])}


def _score(setting: Setting, y: np.ndarray, answers: Answers) -> float:
    """The metric, turned so that more is better; NaN if the answers do not allow it."""
    value = judge(y, answers, setting.task, setting.classes).get(setting.metric, float("nan"))
    return -value if setting.metric in LESS_IS_BETTER else value


def _inner(
    model: Model,
    setting: Setting,
    training: Training,
    splits: list[Split],
    parameters: dict[str, Any],
) -> np.ndarray:
    """The metric itself on each inner fold."""
    found = []
    for train, test in splits:
        X, y = training.X[train], training.y[train]
        with without_proofs():
            one = fitted(model, setting, X, y, parameters)
        answers = answers_of(one, training.X[test], setting.task, setting.metric)
        value = _score(setting, training.y[test], answers)
        found.append(-value if setting.metric in LESS_IS_BETTER else value)
    return np.array(found)


def _by_fits(
    model: Model,
    setting: Setting,
    training: Training,
    splits: list[Split],
    grid: dict[str, tuple[Any, ...]],
) -> np.ndarray:
    """Scores (values of each parameter …, folds), a fit for each."""
    shape = (*(len(values) for values in grid.values()), len(splits))
    table = np.empty(shape)
    for place in product(*(range(length) for length in shape[:-1])):
        values = {name: grid[name][i] for name, i in zip(grid, place, strict=True)}
        inner = _inner(model, setting, training, splits, values)
        table[place] = -inner if setting.metric in LESS_IS_BETTER else inner
    return table


def _by_path(
    model: Model,
    setting: Setting,
    training: Training,
    splits: list[Split],
    grid: dict[str, tuple[Any, ...]],
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
        return _score(setting, y, answers_of(one, rows, setting.task, setting.metric))

    pairs = [(one.train, one.test) for one in splits]
    gammas = list(grid["gamma"]) if "gamma" in grid else None
    values = list(grid["C"])
    return fold_scores(estimator, X, training.y, Cs=values, gammas=gammas, cv=pairs, scoring=scorer)


def _edge(values: tuple[Any, ...], best: Any) -> int:
    return int(best == max(values)) - int(best == min(values))
