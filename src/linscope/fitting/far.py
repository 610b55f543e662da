"""What a fitted model says of rows that are elsewhere: it goes to them, its answers come back."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from linscope.engines import RowsElsewhere, Source, source_of
from linscope.engines.checkpoint.front import one_fit
from linscope.engines.cluster.collections import (
    collection_of,
    is_collection,
    lazy_rows,
    matrix_of,
)
from linscope.engines.source import ROOM_SHARE
from linscope.rows.blocks import Block
from linscope.rows.far import FarRows, brought, given_target, given_weight
from linscope.rows.memory_budget import memory_budget

from .training import adopt_columns, check_columns

# Methods of rows alone.
OF_ROWS = ["predict", "predict_proba", "predict_log_proba", "decision_function", "transform"]
OF_ROWS += ["discriminants", "predict_joint_log_proba", "predict_interval"]
OF_ROWS += ["prediction_error_bound"]
# What a fit leaves that no prediction needs; some of it is as long as the table.
NOT_SENT: tuple[str, ...] = (
    "_training",
    "_counts",
    "_seen",
    "_last",
    "_moments",
    "_progress",
    "certificate_",
    "result_",
    "results_",
)
NOT_SENT += ("alphas_", "slack_", "support_", "outliers_", "feature_names_in_", "_skl_callbacks")


def opens_collections(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of X and y that also takes Dask collections, which it is given as a source."""
    parameters = signature(method)

    @wraps(method)
    def opened(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = kwargs.get("X", args[0] if args else None)
        if not is_collection(given):
            return method(self, *args, **kwargs)
        words = parameters.bind(self, *args, **kwargs).arguments
        found = [words.pop(name, None) for name in ("X", "y", "sample_weight")]
        others = dict(list(words.items())[1:])
        return method(self, X=collection_of(*found), **others)

    return opened


def goes_on(method: Callable[..., Any]) -> Callable[..., Any]:
    """A fit that goes on from its checkpoint, where the rows are elsewhere and it has one."""

    @wraps(method)
    def opened(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = args[0] if args else kwargs.get("X")
        if not isinstance(given, Source):
            return method(self, *args, **kwargs)
        with one_fit(self, given):
            return method(self, *args, **kwargs)

    return opened


def answers_far_rows(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of X that also takes rows that are elsewhere."""
    name = method.__name__

    @wraps(method)
    def opened(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if is_collection(X):
            return _lazily(self, X, name, args, kwargs)
        source = source_of(X)
        if source is None:
            return method(self, X, *args, **kwargs)
        return answers(self, source, name, args, kwargs)

    opened.answers_far_rows = True  # type: ignore[attr-defined]
    return opened


def answers(model: Any, source: Source, name: str, args: tuple = (), kwargs: Any = None) -> Any:
    """What a method of the model returns for all rows of a source, in one array."""
    adopt_columns(model, source, reset=False)
    return source.plain().gather(_answers, _bare(model), name, args, kwargs or {})


def _lazily(model: Any, X: Any, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
    """What a method returns for a Dask collection: a Dask array that is not worked out yet."""
    check_is_fitted(model)
    rows, names = lazy_rows(X)
    check_columns(model, rows.shape[1], names)
    words = _bare(model), name, args, kwargs
    example = _answers(Block(0, np.zeros((1, rows.shape[1]), rows.dtype)), *words)
    shape: dict[str, Any] = {"drop_axis": 1} if example.ndim == 1 else {}
    if example.ndim == 2:
        shape["chunks"] = (rows.chunks[0], (example.shape[1],))
    meta = np.zeros((0,) * example.ndim, dtype=example.dtype)
    return rows.map_blocks(_of_chunk, *words, dtype=example.dtype, meta=meta, **shape)


def _of_chunk(X: Any, *words: Any) -> Any:
    return _answers(Block(0, matrix_of(X)), *words)


def _bare(model: Any) -> Any:
    """The model without what it does not need: it may travel far."""
    bare = copy.copy(model)
    for name in NOT_SENT:
        vars(bare).pop(name, None)
    for name, inner in vars(bare).items():
        if name.endswith("_") and hasattr(inner, "certificate_"):  # a model inside
            setattr(bare, name, _bare(inner))
    return bare


def _answers(block: Block, model: Any, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
    X, n = block.X, block.X.shape[0]
    if n == 0:  # models refuse to predict nothing
        X = np.zeros((1, X.shape[1]), dtype=X.dtype)
    return getattr(model, name)(X, *args, **kwargs)[:n]


def scores_far_rows(method: Callable[..., float]) -> Callable[..., float]:
    """``score`` that also takes rows that are elsewhere."""

    @wraps(method)
    def opened(self: Any, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        source = source_of(X, y, sample_weight)
        return method(self, X, y, sample_weight) if source is None else _score(self, source)

    return opened


def _score(model: Any, source: Source) -> float:
    """Accuracy of a classifier, R² of a regression."""
    found = answers(model, source, "predict")
    if is_classifier(model):
        _, engine = source.labelled(model.classes_)
        predicted = np.searchsorted(model.classes_, found)
        right = predicted == engine.gather(given_target)
        return float(np.average(right, weights=_weights(engine)))
    from sklearn.metrics import r2_score  # the module takes longer to import than most fits

    engine = source.numbered()
    return float(r2_score(engine.gather(given_target), found, sample_weight=_weights(engine)))


def _weights(engine: Any) -> np.ndarray | None:
    return engine.gather(given_weight) if engine.weighted else None


def here(source: Source, *, classes: bool) -> tuple[Any, Any, Any]:
    """A small source as X, y and sample_weight; RowsElsewhere for a large one."""
    known = np.zeros(0)
    if classes:
        known, engine = source.labelled()
    else:
        engine = source.numbered()
    rows = FarRows(engine)
    X, y, weight = all_here(rows, rows.column(given_target), rows.weight, source.room)
    y = known[y] if classes else y[:, 0] if y.shape[1] == 1 else y
    return X, y, weight if len(weight) else None


def all_here(X: FarRows, y: Any, weight: Any, room: float | None = None) -> tuple[Any, Any, Any]:
    """Rows, targets and weights of far rows in memory; RowsElsewhere for too many."""
    found = brought(X, y, weight, memory_budget() * ROOM_SHARE / 8 if room is None else room)
    if found is None:
        n, d = X.shape
        raise RowsElsewhere(
            f"this needs all rows in memory, and there are {n:,} of {d:,} features: take a part of "
            "them, or raise the limit (ls.scan(…, memory_limit=…))"
        )
    return found
