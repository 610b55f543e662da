"""Voted perceptrons: the votes of all weight vectors, weighted by how long each survived.

The scores of all vectors at x are running sums of s_k (x_{i_k}·x): ``perceptron/solvers/voted``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import decisions
from .graph import Graph, dense


def votes_of_rows(graph: Graph, model: Any, x: str, shrink: str) -> str:
    """Of weight vectors; ``shrink`` (n, 1) is what the rows were multiplied with."""
    bias = 1.0 if model.fit_intercept else 0.0

    def products(support: np.ndarray) -> str:
        return _with_bias(graph, x, shrink, support, np.full(len(support), bias))

    def start(committee: Any) -> str:
        w = dense(committee.initial)[None]
        return _with_bias(graph, x, shrink, w[:, 1:], bias * w[:, 0])

    return votes(graph, model, products, start)


def _with_bias(graph: Graph, x: str, shrink: str, rows: np.ndarray, bias: np.ndarray) -> str:
    plain = graph.product(x, rows.T)
    return graph("Add", plain, graph("Mul", shrink, bias))


def votes(
    graph: Graph, model: Any, products: Callable[[Any], str], start: Callable[[Any], str]
) -> str:
    """s(x) / Σ c_k of each problem, (n, problems).

    ``products(support)`` gives the products of x with the rows of updates, ``start(committee)`` the
    scores of its first vector.
    """
    at_zero = model.tie != "negative"
    columns = []
    for committee in model.committees_:
        scores = start(committee)
        if len(committee.samples):
            similarity = products(dense(committee.support))
            steps = graph.columns(similarity, committee.samples)
            steps = graph("Mul", steps, dense(committee.steps))
            steps = graph("Concat", scores, steps, axis=1)
            scores = graph("CumSum", steps, np.array(1))
        voted = decisions.positive(graph, scores, at_zero)
        signs = graph("Where", voted, decisions.ONE, -decisions.ONE)
        total = graph.product(signs, dense(committee.survival)[:, None])
        count = max(float(np.sum(committee.survival)), 1.0)
        columns.append(graph("Div", total, np.array(count)))
    return graph("Concat", *columns, axis=1)
