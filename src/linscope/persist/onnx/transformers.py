"""Steps of a pipeline before its model; each is linscope's or scikit-learn's own arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)

from linscope.data import RadialFeatures
from linscope.data.columns import TableColumns
from linscope.validation.preparation import Categories, Preparation

from . import kernels
from .decisions import ONE, ZERO
from .distances import squared_distances
from .graph import Graph, dense
from .one_hot import one_hot


def transformed(graph: Graph, step: Any, x: str) -> str:
    """What ``step.transform`` makes of the rows x."""
    if step is None or step == "passthrough":
        return x
    write = TRANSFORMERS.get(type(step))
    if write is None:
        known = ", ".join(sorted(kind.__name__ for kind in TRANSFORMERS))
        raise TypeError(
            f"a step {type(step).__name__} cannot be written as ONNX; these can: {known}"
        )
    return write(graph, step, x)


def _standard_scaler(graph: Graph, step: Any, x: str) -> str:
    if step.with_mean:
        x = graph("Sub", x, dense(step.mean_))
    return graph("Div", x, dense(step.scale_)) if step.with_std else x


def _max_abs_scaler(graph: Graph, step: Any, x: str) -> str:
    x = graph("Div", x, dense(step.scale_))
    return graph("Clip", x, -ONE, ONE) if step.clip else x


def _simple_imputer(graph: Graph, step: Any, x: str) -> str:
    missing = _missing(graph, step, x)
    values = dense(step.statistics_)
    filled = graph("Where", missing, np.nan_to_num(values), x)
    kept = np.flatnonzero(~np.isnan(values))
    if len(kept) < len(values) and step.strategy != "constant" and not step.keep_empty_features:
        filled = graph.columns(filled, kept)
    if not step.add_indicator:
        return filled
    marks = graph.columns(graph.numbers(missing), step.indicator_.features_)
    return graph("Concat", filled, marks, axis=1)


def _missing_indicator(graph: Graph, step: Any, x: str) -> str:
    return graph.columns(graph.numbers(_missing(graph, step, x)), step.features_)


def _missing(graph: Graph, step: Any, x: str) -> str:
    mark = step.missing_values
    if isinstance(mark, str) or mark is None:
        raise TypeError(
            f"{type(step).__name__}(missing_values={mark!r}) is no number: in ONNX a missing "
            "value is NaN or another number"
        )
    return graph("IsNaN", x) if np.isnan(mark) else graph("Equal", x, np.array(float(mark)))


def _polynomial_features(graph: Graph, step: Any, x: str) -> str:
    """A product of t features is the first of them times a product of t − 1, as in scikit-learn."""
    wanted = [tuple(np.repeat(np.arange(len(row)), row).tolist()) for row in step.powers_]
    levels: list[set[tuple[int, ...]]] = [set() for _ in range(max(map(len, wanted)) + 1)]
    for product in wanted:
        for start in range(len(product)):
            levels[len(product) - start].add(product[start:])
    before = graph("Pow", graph.columns(x, [0]), ZERO)  # 1, the product of no features
    parts = [before]
    order: list[tuple[int, ...]] = [()]
    place: dict[tuple[int, ...], int] = {(): 0}
    for level in levels[1:]:
        products = sorted(level)
        first = graph.columns(x, [product[0] for product in products])
        rest = graph.columns(before, [place[product[1:]] for product in products])
        before = graph("Mul", first, rest)
        place = {product: at for at, product in enumerate(products)}
        parts.append(before)
        order += products
    place = {product: at for at, product in enumerate(order)}
    return graph.columns(graph("Concat", *parts, axis=1), [place[product] for product in wanted])


def _radial_features(graph: Graph, step: Any, x: str) -> str:
    new = squared_distances(graph, x, dense(step.centers_))
    if step.gamma is not None:
        new = graph("Exp", graph("Mul", new, np.array(-float(step.gamma))))
    return graph("Concat", x, new, axis=1)


def _column_transformer(graph: Graph, step: Any, x: str) -> str:
    names = list(getattr(step, "feature_names_in_", []))
    weights = step.transformer_weights or {}
    parts = []
    for name, part, columns in step.transformers_:
        places = _places(columns, names, step.n_features_in_)
        if (isinstance(part, str) and part == "drop") or not len(places):
            continue
        out = transformed(graph, part, graph.columns(x, places))
        parts.append(graph("Mul", out, np.array(float(weights[name]))) if name in weights else out)
    if not parts:
        raise ValueError("a ColumnTransformer without columns leaves nothing for the model")
    return graph("Concat", *parts, axis=1)


def _places(columns: Any, names: list[str], width: int) -> np.ndarray:
    """Numbers of columns, from numbers, names, truth values or a slice of one of these."""
    if isinstance(columns, slice):
        ends = [names.index(e) if isinstance(e, str) else e for e in (columns.start, columns.stop)]
        last = ends[1] + 1 if isinstance(columns.stop, str) else ends[1]  # a name is included
        return np.arange(width)[slice(ends[0], last, columns.step)]
    chosen: list[Any] = [columns] if np.isscalar(columns) else list(columns)
    if chosen and isinstance(chosen[0], str):
        chosen = [names.index(name) for name in chosen]
    return np.arange(width)[np.asarray(chosen) if chosen else []].astype(np.int64)


def _pipeline(graph: Graph, step: Any, x: str) -> str:
    for _, part in step.steps:
        x = transformed(graph, part, x)
    return x


def _as_read(graph: Graph, step: Any, x: str) -> str:
    """A matrix of numbers and codes is taken as read."""
    return x


def _function(graph: Graph, step: Any, x: str) -> str:
    """How scikit-learn keeps "passthrough"."""
    if step.func is not None:
        raise TypeError("a FunctionTransformer runs Python, which ONNX cannot: use another step")
    return x


def _frozen(graph: Graph, step: Any, x: str) -> str:
    return transformed(graph, step.estimator, x)


TRANSFORMERS: dict[type, Any] = {
    Categories: one_hot,
    ColumnTransformer: _column_transformer,
    FrozenEstimator: _frozen,
    FunctionTransformer: _function,
    MaxAbsScaler: _max_abs_scaler,
    MissingIndicator: _missing_indicator,
    Nystroem: kernels.nystroem,
    OneHotEncoder: one_hot,
    Pipeline: _pipeline,
    PolynomialFeatures: _polynomial_features,
    Preparation: _column_transformer,
    RBFSampler: kernels.random_features,
    RadialFeatures: _radial_features,
    SimpleImputer: _simple_imputer,
    StandardScaler: _standard_scaler,
    TableColumns: _as_read,
}
