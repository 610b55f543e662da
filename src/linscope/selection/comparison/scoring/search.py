"""The inner search: parameters of a candidate, found on the training rows of one outer fold.

Every value of the grid is judged by the inner folds, and the best mean wins; of equals the most
regular. On large tables the search sees a sample, and the inner scores of the winner, by which
models are chosen, come from all training rows again, so that they compare with those of models
that have nothing to search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..findings import LESS_IS_BETTER
from .candidates import Model, Setting
from .fits import Training, inner_scores
from .folds import Rows, check_all_classes, split
from .grids import Grid, grid_scores

SEARCH_ROWS = 4_000
# Means that differ by rounding only are equal.
EQUAL = 1e-12
# Of these it means something if the best value is the first or the last.
OPEN_ENDED = frozenset({"C", "gamma", "alpha"})


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
        return Found({}, inner_scores(model, setting, training, splits, {}), {})
    part, part_splits = training, splits
    sampled = training.rows.n > SEARCH_ROWS
    if sampled:
        part = training.take(_sample(training.rows, setting.seed))
        part_splits = split(part.rows, folds, setting.seed)
    seen = setting._replace(rows=part.rows.n)
    grid = _grid(model, part.X)
    table = grid_scores(model, seen, part, part_splits, grid)
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
        inner = inner_scores(model, setting, training, splits, values)
    elif setting.metric in LESS_IS_BETTER:
        inner = -inner
    return Found(values, inner, edges)


def _sample(rows: Rows, seed: int) -> np.ndarray:
    """Rows for the search: some of every class; whole groups; of a time series the last ones."""
    if rows.order is not None:
        return np.sort(np.argsort(rows.order, kind="stable")[-SEARCH_ROWS:])
    folds = -(-rows.n // SEARCH_ROWS)
    return split(rows, folds, seed)[0].test


def _grid(model: Model, X: Any) -> Grid:
    """The values; those of γ are multiples of 1 / (d Var X), the γ of "scale"."""
    if "gamma" not in model.grid:
        return model.grid
    mean = X.mean()
    squares = X.multiply(X).mean() if hasattr(X, "multiply") else np.square(X).mean()
    scale = 1.0 / (X.shape[1] * max(float(squares - mean**2), 1e-300))
    return model.grid | {"gamma": tuple(float(f"{g * scale:.3g}") for g in model.grid["gamma"])}


def _edge(values: tuple[Any, ...], best: Any) -> int:
    return int(best == max(values)) - int(best == min(values))
