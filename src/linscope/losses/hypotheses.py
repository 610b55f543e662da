"""The hypotheses of the one update, w ← w + η Σ (y − h(w·x)) x, each with its loss, by code.

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

from linscope._compiling import kernel

from . import logistic, perceptron, softmax, squared
from .softmax import class_loss, exponentials

SQUARED, LOGISTIC, STEP, SOFTMAX = 0, 1, 2, 3
BENDS = {
    SQUARED: squared.LARGEST_BEND,
    LOGISTIC: logistic.LARGEST_BEND,
    STEP: perceptron.LARGEST_BEND,
    SOFTMAX: softmax.LARGEST_BEND,
}


def at_zero(loss: int, columns: int) -> float:
    """The loss of a sample at w = 0, where it does not depend on y; else 0."""
    return float({LOGISTIC: np.log(2.0), SOFTMAX: np.log(columns)}.get(loss, 0.0))


@kernel
def hypothesis(loss, score):
    """h(w·x) of one score; a new loss is a new branch here and in ``loss_of``."""
    if loss == SQUARED:
        return score
    if loss == LOGISTIC:
        return logistic.sigmoid(score)
    if loss == STEP:
        return perceptron.step(score)
    return np.nan


@kernel
def loss_of(loss, score, y):
    """The loss of one sample and one score."""
    if loss == SQUARED:
        return squared.loss(score, y)
    if loss == LOGISTIC:
        return logistic.loss(score, y)
    if loss == STEP:
        return perceptron.loss(score if y > 0.0 else -score)
    return np.nan


@kernel
def errors_of(loss, scores, y, order, begin, end):
    """Put y − h in the place of the scores of the samples at visits begin … end − 1."""
    for at in range(begin, end):
        i, row = order[at] if order.shape[0] > 0 else at, at - begin
        if loss == SOFTMAX:
            _, size = exponentials(scores, row, scores, row)
            for k in range(scores.shape[1]):
                scores[row, k] = y[i, k] - scores[row, k] / size
        else:
            for k in range(scores.shape[1]):
                scores[row, k] = y[i, k] - hypothesis(loss, scores[row, k])


@kernel
def add_losses(loss, scores, y, weight, begin, end, value):
    """Add c times the loss of samples begin … end − 1, whose scores are given, by column."""
    room = np.empty((1, scores.shape[1] if loss == SOFTMAX else 0))
    for i in range(begin, end):
        c, row = weight[i] if weight.shape[0] > 0 else 1.0, i - begin
        if loss == SOFTMAX:
            top, size = exponentials(scores, row, room, 0)
            for k in range(scores.shape[1]):
                if y[i, k] != 0.0:
                    rest = (room[0, :k].sum() + room[0, k + 1 :].sum()) / size
                    value[k] += c * y[i, k] * class_loss(top - scores[row, k], size, rest)
        else:
            for k in range(scores.shape[1]):
                value[k] += c * loss_of(loss, scores[row, k], y[i, k])


@kernel
def predictions(loss, scores):
    """h of every row of scores."""
    out, given_order = scores.copy(), np.zeros(0, np.int64)
    errors_of(loss, out, np.zeros_like(scores), given_order, 0, len(out))
    return 0.0 - out  # and not −0
