"""The hypotheses of the one update, w ← w + η Σ (y − h(w·x)) x, each with its loss.

    code      h(s)                   f(s, y), where ∂f/∂s = h(s) − y        y          f'' at most
    SQUARED   s                      ½ (s − y)²                             number     1
    LOGISTIC  σ(s) = 1/(1 + e^−s)    log(1 + e^s) − y s                     0 or 1     ¼
    STEP      1 if s ≥ 0, else 0     max(s, 0) − y s                        0 or 1     0
    SOFTMAX   e^s_k / Σ_l e^s_l      y_k (log Σ_l e^s_l − s_k), over all k  1 of K     ½

So the update is the LMS rule, gradient ascent on the log likelihood of two or K classes, or the
perceptron rule, whose kink at s = 0 counts for y = 1. A softmax looks at the scores of all columns,
the others at each by itself.
"""

from __future__ import annotations

import numpy as np
from numba import njit

SQUARED, LOGISTIC, STEP, SOFTMAX = 0, 1, 2, 3
# f'' is at most this; of a softmax the largest eigenvalue of diag(p) − pp'.
BENDS = {SQUARED: 1.0, LOGISTIC: 0.25, STEP: 0.0, SOFTMAX: 0.5}


def at_zero(loss: int, columns: int) -> float:
    """The loss of a sample at w = 0, where it does not depend on y; else 0."""
    return float({LOGISTIC: np.log(2.0), SOFTMAX: np.log(columns)}.get(loss, 0.0))


@njit(cache=True)
def hypothesis(loss, score):
    """h(w·x) of one score; a new loss is a new branch here and in ``loss_of``."""
    if loss == SQUARED:
        return score
    if loss == LOGISTIC:
        e = np.exp(-abs(score))
        return (1.0 if score >= 0 else e) / (1.0 + e)
    if loss == STEP:
        return 1.0 if score >= 0 else 0.0
    return np.nan


@njit(cache=True)
def loss_of(loss, score, y):
    """The loss of one sample and one score."""
    if loss == SQUARED:
        return 0.5 * (score - y) * (score - y)
    if loss == LOGISTIC:
        return max(score, 0.0) - y * score + np.log1p(np.exp(-abs(score)))
    if loss == STEP:
        return max(score, 0.0) - y * score
    return np.nan


@njit(cache=True)
def _above_top(scores, row):
    """The largest score of a row, and Σ_l e^(s_l − largest) less the 1 of the largest itself."""
    best = 0
    for k in range(1, scores.shape[1]):
        if scores[row, k] > scores[row, best]:
            best = k
    rest = 0.0
    for k in range(scores.shape[1]):
        if k != best:
            rest += np.exp(scores[row, k] - scores[row, best])
    return scores[row, best], rest


@njit(cache=True)
def errors_of(loss, scores, y, order, begin, end):
    """Put y − h in the place of the scores of the samples at visits begin … end − 1."""
    for at in range(begin, end):
        i, row = order[at] if order.shape[0] > 0 else at, at - begin
        if loss == SOFTMAX:
            top, rest = _above_top(scores, row)
            for k in range(scores.shape[1]):
                scores[row, k] = y[i, k] - np.exp(scores[row, k] - top) / (1.0 + rest)
        else:
            for k in range(scores.shape[1]):
                scores[row, k] = y[i, k] - hypothesis(loss, scores[row, k])


@njit(cache=True)
def add_losses(loss, scores, y, weight, begin, end, value):
    """Add c times the loss of samples begin … end − 1, whose scores are given, by column."""
    for i in range(begin, end):
        c, row = weight[i] if weight.shape[0] > 0 else 1.0, i - begin
        if loss == SOFTMAX:
            top, rest = _above_top(scores, row)
            for k in range(scores.shape[1]):
                if y[i, k] != 0.0:
                    value[k] += c * y[i, k] * (top - scores[row, k] + np.log1p(rest))
        else:
            for k in range(scores.shape[1]):
                value[k] += c * loss_of(loss, scores[row, k], y[i, k])


@njit(cache=True)
def predictions(loss, scores):
    """h of every row of scores."""
    out, given_order = scores.copy(), np.zeros(0, np.int64)
    errors_of(loss, out, np.zeros_like(scores), given_order, 0, len(out))
    return 0.0 - out  # and not −0
