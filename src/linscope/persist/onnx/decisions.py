"""From scores to class numbers, votes and probabilities; all tensors are (n, 1) or (n, K).

σ(s) = 1/(1 + e^−s)            max(e^−|s|, s ≥ 0) / (1 + e^−|s|), without overflow
log σ(s)                       min(s, 0) − log(1 + e^−|s|)
P_k = e^(s_k − m) / Σ_l e^(s_l − m)        m = max s
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from .graph import Graph

# (1 − 2^−53) v rounds to the float below v.
BELOW = np.array(1.0 - 2.0**-53)
ZERO, ONE = np.array(0.0), np.array(1.0)


def second_class(graph: Graph, score: str, at_zero: bool = False) -> str:
    """1 where the score of two classes is positive, else 0; ``at_zero``: also where it is 0."""
    return graph.flat(graph.whole(positive(graph, score, at_zero)))


def positive(graph: Graph, scores: str, at_zero: bool = False) -> str:
    return graph("GreaterOrEqual" if at_zero else "Greater", scores, ZERO)


def largest(graph: Graph, scores: str) -> str:
    """The number of the column with the largest score, the first of equals."""
    return graph("ArgMax", scores, axis=1, keepdims=0)


def pair_votes(graph: Graph, scores: str, won: str, n_classes: int) -> str:
    """Votes of a class in all pairs (a, b), a score above 0 being for b, and their confidence.

    votes + c/(3(|c| + 1)) with c the sum of the scores, so that it only decides between equals.
    """
    pairs = list(combinations(range(n_classes), 2))
    sides = np.zeros((len(pairs), n_classes))
    for row, (a, b) in enumerate(pairs):
        sides[row, [a, b]] = -1.0, 1.0
    limit = np.finfo(np.float64).max / 4 / n_classes  # sums must not overflow
    clipped = graph("Clip", scores, np.array(-limit), np.array(limit))
    confidence = graph.product(clipped, sides)
    size = graph("Add", graph("Abs", confidence), ONE)
    confidence = graph("Div", confidence, graph("Mul", size, np.array(3.0)))
    # A pair that is won counts +1, one that is lost −1: twice the votes, less K − 1.
    wins = graph.product(graph("Where", won, ONE, -ONE), sides)
    votes = graph("Mul", graph("Add", wins, np.array(n_classes - 1.0)), np.array(0.5))
    return graph("Add", votes, confidence)


def by_class(graph: Graph, scores: str, n_classes: int, whole: float = 0.0) -> str:
    """(n, K, K − 1): the scores of each class against every other, from those of all pairs.

    A pair (a, b) has the score s for b, and ``whole`` − s for a.
    """
    pairs = {pair: row for row, pair in enumerate(combinations(range(n_classes), 2))}
    others = [[l for l in range(n_classes) if l != k] for k in range(n_classes)]
    places = [[pairs[min(k, l), max(k, l)] for l in others[k]] for k in range(n_classes)]
    signs = [[1.0 if k > l else -1.0 for l in others[k]] for k in range(n_classes)]
    out = graph("Mul", graph.columns(scores, places), np.array(signs))
    return graph("Add", out, np.where(np.array(signs) < 0, whole, 0.0)) if whole else out


def sigmoid(graph: Graph, s: str) -> str:
    e = _small(graph, s)
    top = graph("Where", graph("GreaterOrEqual", s, ZERO), ONE, e)
    return graph("Div", top, graph("Add", e, ONE))


def log_sigmoid(graph: Graph, s: str) -> str:
    log = graph("Log", graph("Add", _small(graph, s), ONE))
    return graph("Sub", graph("Min", s, ZERO), log)


def _small(graph: Graph, s: str) -> str:
    return graph("Exp", graph("Neg", graph("Abs", s)))


def softmax(graph: Graph, logits: str) -> str:
    away = graph("Sub", logits, graph.reduced("ReduceMax", logits))
    e = graph("Exp", away)
    return graph("Div", e, graph.reduced("ReduceSum", e))


def log_sum_exp(graph: Graph, x: str) -> str:
    """log Σ e^x over the last axis of (n, K, m), as (n, K)."""
    most = graph.reduced("ReduceMax", x, 2)
    total = graph.reduced("ReduceSum", graph("Exp", graph("Sub", x, most)), 2)
    return graph("Squeeze", graph("Add", most, graph("Log", total)), np.array([2]))


def both(graph: Graph, score: str) -> str:
    """The score of two classes as one of each: [−s, s]."""
    return graph("Mul", score, np.array([[-1.0, 1.0]]))


def ordered(graph: Graph, P: str, scores: str) -> str:
    """P with the largest entry where the largest score is, as in ``class_probabilities``."""
    top = graph.reduced("ReduceMax", scores)
    behind = graph("Less", scores, top)
    held = graph("Where", behind, ZERO, P)  # of those with the largest score
    most = graph.reduced("ReduceMax", held)
    limit = graph("Where", behind, graph("Mul", most, BELOW), most)
    return graph("Min", P, limit)
