"""Models that are hyperplanes: scores w·[1, x], and what each model makes of them.

Rows beyond 2^400 are scaled by a power of two, which changes no digit, so that products do not
overflow to inf − inf; scores beyond the range of floats are the largest float with their sign.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import decisions
from .committees import votes_of_rows
from .distances import squared_distances
from .exact import settled
from .graph import Answer, Graph, dense

LARGE, SHRINK = np.array(2.0**400), np.array(2.0**-400)
MOST = np.finfo(np.float64).max


def regression(graph: Graph, model: Any, x: str) -> Answer:
    """ŷ = w·[1, x]."""
    out = hyperplanes(graph, x, model.coef_, model.intercept_)
    return Answer(prediction=graph.flat(out) if np.ndim(model.coef_) == 1 else out)


def hyperplanes(graph: Graph, x: str, coef: Any, intercept: Any) -> str:
    """Scores (n, problems), right to rounding; −inf for a class whose intercept is that."""
    weights, bias = np.atleast_2d(dense(coef)), np.atleast_1d(dense(intercept))
    endless = np.isinf(bias)
    weights, bias = np.where(endless[:, None], 0.0, weights), np.where(endless, 0.0, bias)
    rows, shrink = near_one(graph, x)
    scores = graph.product(rows, weights.T)
    scores = graph("Add", scores, graph("Mul", shrink, bias))
    scores = settled(graph, scores, rows, shrink, np.column_stack([weights, bias]))
    scores = graph("Div", scores, shrink)
    scores = graph("Clip", scores, np.array(-MOST), np.array(MOST))
    return graph("Add", scores, np.where(endless, -np.inf, 0.0)) if endless.any() else scores


def near_one(graph: Graph, x: str) -> tuple[str, str]:
    """The rows, those beyond 2^400 times 2^−400, and what each was multiplied with (n, 1)."""
    large = graph("Greater", graph.reduced("ReduceMax", graph("Abs", x)), LARGE)
    shrink = graph("Where", large, SHRINK, decisions.ONE)
    return graph("Mul", x, shrink), shrink


def perceptron(graph: Graph, model: Any, x: str) -> Answer:
    if model.output == "voted":
        scores = votes_of_rows(graph, model, *near_one(graph, x))
    else:
        scores = hyperplanes(graph, x, model.coef_, model.intercept_)
    return by_tie_rule(graph, model, scores)


def by_tie_rule(graph: Graph, model: Any, scores: str) -> Answer:
    """What perceptrons of both kinds make of the scores of their problems."""
    at_zero, count = model.tie != "negative", len(model.classes_)
    if count == 2:
        return Answer(decisions.second_class(graph, scores, at_zero), graph.flat(scores))
    if model.multi_class == "ovo":
        won = decisions.positive(graph, scores, at_zero)
        scores = decisions.pair_votes(graph, scores, won, count)
    return Answer(decisions.largest(graph, scores), scores)


def linear_svc(graph: Graph, model: Any, x: str) -> Answer:
    scores = hyperplanes(graph, x, model.coef_, model.intercept_)
    return by_sign(graph, scores, len(model.classes_), pairs=model.multi_class == "ovo")


def by_sign(graph: Graph, scores: str, count: int, pairs: bool = False) -> Answer:
    """Two classes: the second above 0. K classes: the largest score, or the votes of pairs."""
    if count == 2:
        return Answer(decisions.second_class(graph, scores), graph.flat(scores))
    if pairs:
        won = decisions.positive(graph, scores)
        scores = decisions.pair_votes(graph, scores, won, count)
    return Answer(decisions.largest(graph, scores), scores)


def logistic_regression(graph: Graph, model: Any, x: str) -> Answer:
    """P of two classes σ(s), softmax, or shares of one against the rest or of pairs."""
    scores = hyperplanes(graph, x, model.coef_, model.intercept_)
    count = len(model.classes_)
    if count == 2:
        answer = by_sign(graph, scores, 2)
        columns = decisions.both(graph, scores)
        P = decisions.sigmoid(graph, columns)
        return answer._replace(probabilities=decisions.ordered(graph, P, columns))
    decision, logits = scores, scores
    if model.multi_class == "ovr":
        logits = decisions.log_sigmoid(graph, scores)
    elif model.multi_class == "ovo":
        shares = decisions.by_class(graph, decisions.sigmoid(graph, scores), count, whole=1.0)
        shares = graph.reduced("ReduceSum", shares, 2)
        decision = graph("Squeeze", shares, np.array([2]))
        duels = decisions.by_class(graph, scores, count)
        logits = decisions.log_sum_exp(graph, decisions.log_sigmoid(graph, duels))
    P = decisions.ordered(graph, decisions.softmax(graph, logits), decision)
    return by_sign(graph, decision, count)._replace(probabilities=P)


def linear_scores(graph: Graph, model: Any, x: str) -> Answer:
    """LeastSquaresClassifier: the largest score."""
    scores = hyperplanes(graph, x, model.coef_, model.intercept_)
    return by_sign(graph, scores, len(model.classes_))


def posterior_scores(graph: Graph, model: Any, x: str) -> Answer:
    """FisherDiscriminant: scores that are log posteriors."""
    scores = hyperplanes(graph, x, model.coef_, model.intercept_)
    count = len(model.classes_)
    if count == 2:
        P = decisions.sigmoid(graph, decisions.both(graph, scores))
    else:
        P = decisions.softmax(graph, scores)
    return by_sign(graph, scores, count)._replace(probabilities=P)


# g_k(x) = ln P(C_k) − Σ ln(σ_kj √2π) − ½ Σ_j ((x_j − μ_kj)/σ_kj)²
def naive_bayes(graph: Graph, model: Any, x: str) -> Answer:
    gaussians = model._model
    scale = 1.0 / dense(gaussians.spreads)
    total = squared_distances(graph, x, dense(gaussians.means), scale)
    half = graph("Mul", total, np.array(0.5))
    with np.errstate(divide="ignore"):
        level = np.where(gaussians.priors > 0, gaussians.level, -np.inf)
    joint = graph("Sub", level, half)
    scores = joint
    if len(model.classes_) == 2:
        scores = graph.flat(graph("Sub", graph.columns(joint, [1]), graph.columns(joint, [0])))
    P = decisions.softmax(graph, joint)
    return Answer(decisions.largest(graph, joint), scores, P)
