"""Categories: the place of each value in a list, and from places to columns of 0 and 1.

The encoder itself says which columns a category has, by encoding each of them once; so dropped and
rare categories need no rules of their own here.
"""

from __future__ import annotations

import warnings
from collections import Counter
from copy import copy
from typing import Any

import numpy as np

from .graph import Graph, dense


def place_of(graph: Graph, column: str, values: np.ndarray) -> str:
    """For each row of column (n, 1) the place of its value among m values, m for none, as (n, 1).

    The place k of a value scores m − k, and the largest score is m less the place.
    """
    m = len(values)
    equal = graph("Equal", column, values[None])
    if values.dtype.kind == "f" and np.isnan(values).any():
        gap = graph("And", graph("IsNaN", column), np.isnan(values)[None])
        equal = graph("Or", equal, gap)
    score = graph("Mul", graph.numbers(equal), m - np.arange(float(m)))
    return graph("Sub", np.array(float(m)), graph.reduced("ReduceMax", score))


def one_hot(graph: Graph, step: Any, x: str) -> str:
    """One column per category; a value that an encoder refuses makes the graph fail, too."""
    parts = []
    tables = _tables(step)
    for j, (values, table) in enumerate(zip(step.categories_, tables, strict=True)):
        place = place_of(graph, graph.columns(x, [j]), dense(values))
        rows = graph.whole(graph.flat(place))
        if table.shape[1]:
            parts.append(graph("Gather", table, rows, axis=0))
    return graph("Concat", *parts, axis=1)


def _tables(step: Any) -> list[np.ndarray]:
    """For each column its part of the encoded row, by category; last for an unknown one."""
    if any(values.dtype.kind not in "biuf" for values in step.categories_):
        raise TypeError(
            f"{type(step).__name__} was fitted to texts, but the input of an ONNX model is a "
            "matrix of numbers: encode numbers, or read the table with linscope's TableColumns"
        )
    encoder = _plain(step)
    widths = Counter(encoder.get_feature_names_out().tolist())
    first = np.array([values[0] for values in step.categories_], dtype=np.float64)
    tables, start = [], 0
    for j, values in enumerate(map(dense, step.categories_)):
        cases = values if step.handle_unknown == "error" else np.append(values, _other(values))
        rows = np.repeat(first[None], len(cases), axis=0)
        rows[:, j] = cases
        stop = start + widths[f"x{j}"]
        tables.append(_encoded(encoder, rows)[:, start:stop])
        start = stop
    return tables


def _plain(step: Any) -> Any:
    """The encoder for arrays, whose columns are named x0, x1, … like the input that they are of."""
    encoder = copy(step)
    vars(encoder).pop("feature_names_in_", None)
    encoder.feature_name_combiner = lambda column, category: column
    return encoder.set_output(transform="default")


def _encoded(encoder: Any, rows: np.ndarray) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of unknown categories, which are meant here
        return dense(encoder.transform(rows))


def _other(values: np.ndarray) -> float:
    """A number that is not among the values."""
    return float(np.nextafter(np.max(values, initial=0.0, where=~np.isnan(values)), np.inf))
