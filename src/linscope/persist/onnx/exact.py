"""Scores of hyperplanes that plain floats leave in doubt, worked out again.

The terms of w·x may cancel: 0.1·3 − 0.3 is not 0 in floats, nor need a sum have the sign of the
exact one. The rows with a score that may be off by more than 2⁻³⁶ of itself (of many features: by
``score_error``) are usually few. They are gathered, and w·x is summed from parts without rounding:

    x·w = p + e                 two floats, by splitting x and w into halves of 26 bits
    a + b = s + e               the rounding e of a sum is a float, too

Sums are made in a tree, their roundings are summed the same way, and the roundings of those last.
"""

from __future__ import annotations

import numpy as np

from .graph import Graph

SPLIT = np.array(2.0**27 + 1.0)
UNIT = 2.0**-53


def score_error(d: int) -> float:
    """How far rounding may move a score of d features, as a share of the score.

    Of many features a larger share, so that few rows have to be gathered.
    """
    return float(max(2.0**-36, 8 * d * (d + 3) * UNIT))


def settled(graph: Graph, scores: str, rows: str, one: str, weights: np.ndarray) -> str:
    """``scores`` of rows [x, one] and weights (K, d + 1), with those in doubt from exact parts."""
    terms = weights.shape[1]
    largest = (terms + 2) * UNIT / score_error(terms - 1) * np.abs(weights).max(axis=0)
    size = graph.product(graph("Abs", rows), largest[:-1, None])
    size = graph("Add", size, graph("Mul", one, largest[-1:]))
    doubt = graph("LessOrEqual", graph("Abs", scores), size)
    doubt = graph("Greater", graph.reduced("ReduceMax", graph.numbers(doubt)), np.array(0.5))
    places = graph("Squeeze", graph("NonZero", graph.flat(doubt)), np.array([0]))
    parts = [graph("Gather", part, places, axis=0) for part in (rows, one)]
    some = graph("Unsqueeze", graph("Concat", *parts, axis=1), np.array([1]))
    again = _dot(graph, some, weights)
    return graph("ScatterND", scores, graph("Unsqueeze", places, np.array([1])), again)


def _dot(graph: Graph, x: str, w: np.ndarray) -> str:
    """Σ_j x_j w_kj of x (r, 1, d) and w (K, d), as (r, K)."""
    p = graph("Mul", x, w)
    high, low = _halves(graph, x)
    w_high = _high(w)
    w_low = w - w_high
    e = graph("Sub", graph("Mul", high, w_high), p)
    for a, b in ((high, w_low), (low, w_high), (low, w_low)):
        e = graph("Add", e, graph("Mul", a, b))
    total, rest = _sum(graph, graph("Concat", p, e, axis=2), 2 * w.shape[1])
    second, rest = _sum(graph, rest, 2 * w.shape[1] - 1)
    if rest:
        second = graph("Add", second, graph.reduced("ReduceSum", rest, 2))
    return graph("Squeeze", graph("Add", total, second), np.array([2]))


def _halves(graph: Graph, x: str) -> tuple[str, str]:
    c = graph("Mul", x, SPLIT)
    high = graph("Sub", c, graph("Sub", c, x))
    return high, graph("Sub", x, high)


def _high(w: np.ndarray) -> np.ndarray:
    c = w * SPLIT
    return c - (c - w)


def _sum(graph: Graph, x: str, width: int) -> tuple[str, str]:
    """The sum along the last axis in floats, and its roundings, one less than there are terms."""
    roundings = []
    while width > 1:
        half = width // 2
        a, b = _part(graph, x, 0, half), _part(graph, x, half, 2 * half)
        s = graph("Add", a, b)
        other = graph("Sub", s, a)
        left = graph("Sub", a, graph("Sub", s, other))
        roundings.append(graph("Add", left, graph("Sub", b, other)))
        x = graph("Concat", s, _part(graph, x, 2 * half, width), axis=2) if width % 2 else s
        width -= half
    return x, graph("Concat", *roundings, axis=2) if roundings else ""


def _part(graph: Graph, x: str, start: int, stop: int) -> str:
    return graph("Slice", x, np.array([start]), np.array([stop]), np.array([2]))
