"""Gradient steps, compiled once for dense and sparse rows.

    w ← w + η_k ( Σ_{i ∈ B} c_i (y_i − h(w·x_i)) x_i  −  α |B|/n [0, w_1 … w_d] )

B is one batch of the visiting order: one sample for the stochastic rule, ``size`` samples for
mini-batches. η_k = η_0, or η_0 / k where k counts updates from 1. Linear regression, logistic
regression and the perceptron differ only in the hypothesis h, see ``hypotheses``.

The penalty shrinks all weights at every step, but a sparse sample should touch only its own. So
the weights are kept as w = [w_0, σ v]: shrinking multiplies the number σ, and v takes the samples.
The rows here have ``bias`` 0: the weight w_0 is not shrunk and is looked after by itself.

The sum of all iterates, for their average, is as cheap. With σ_t v_t after update t, where update t
added a_t x_t to v,

    Σ_t σ_t v_t  =  P_T v_T − Σ_t P_{t−1} a_t x_t,        P_t = σ_1 + … + σ_t.

A score may be summed in any order. Nothing here depends on its last bits, and a replay calls the
same compiled function, so it gets the same bits as the fit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linscope._compiling import kernel
from linscope.losses.hypotheses import add_losses, errors_of
from linscope.rows.operations import quick_dot, row_add, row_norm2

SMALLEST_SCALE = 1e-9
ROWS_IN_CACHE = 64


class Rule(NamedTuple):
    """What the compiled loops need to know of a gradient rule."""

    loss: int
    eta0: float
    inverse: bool
    alpha: float
    bias: float  # 1, or 0 without intercept


class Iterates(NamedTuple):
    """Weights and the sum of iterates, changed in place; one row per target column.

    W : [w_0, v]. scale : [σ, P], with w = [w_0, σ v]. total, lazy : Σ of the iterates so far is
    total + [0, P v] − lazy; both are empty if no average is wanted.
    """

    W: np.ndarray
    scale: np.ndarray
    total: np.ndarray
    lazy: np.ndarray


def start(initial: np.ndarray, average: bool = False) -> Iterates:
    """Iterates before the first update, from weights (t, d + 1)."""
    W = np.array(initial, dtype=np.float64, order="C")
    shape = W.shape if average else (0, 0)
    return Iterates(W, np.array([1.0, 0.0]), np.zeros(shape), np.zeros(shape))


@kernel
def rate(rule, k):
    """η_k, k counted from 1."""
    return rule.eta0 / k if rule.inverse else rule.eta0


@kernel
def fold(state):
    """Make σ = 1 again: w is then W itself, and the sum of iterates is ``total``."""
    sigma, summed = state.scale[0], state.scale[1]
    for k in range(state.W.shape[0]):
        for j in range(1, state.W.shape[1]):
            if state.total.shape[0] > 0:
                state.total[k, j] += summed * state.W[k, j] - state.lazy[k, j]
                state.lazy[k, j] = 0.0
            state.W[k, j] *= sigma
    state.scale[0], state.scale[1] = 1.0, 0.0


@kernel
def _step(rows, weight, order, begin, end, eta, shrink, rule, state, errors):
    """Move the weights along the samples of one batch, whose errors y − h are known."""
    state.scale[0] *= shrink
    if abs(state.scale[0]) < SMALLEST_SCALE:
        fold(state)
    sigma, summed = state.scale[0], state.scale[1]
    for at in range(begin, end):
        i = order[at] if order.shape[0] > 0 else at
        c = weight[i] if weight.shape[0] > 0 else 1.0
        for k in range(state.W.shape[0]):
            step = eta * (c * errors[at - begin, k])
            state.W[k, 0] += step * rule.bias
            row_add(rows, i, step / sigma, state.W[k])
            if state.total.shape[0] > 0:
                row_add(rows, i, summed * (step / sigma), state.lazy[k])
    state.scale[1] += sigma
    if state.total.shape[0] > 0:
        for k in range(state.W.shape[0]):
            state.total[k, 0] += state.W[k, 0]


@kernel
def visit(rows, y, weight, order, first, last, size, rule, updates, state, scores, history):
    """Batches ``first`` … ``last`` − 1 of one pass, ``updates`` updates after the start.

    ``scores`` takes w·x of every visited sample before its batch's update, ``history`` the weights
    after each update; both may be empty. Call ``fold`` after the last batch of a pass.
    """
    n = y.shape[0]
    errors = np.empty((size, y.shape[1]))
    for b in range(first, last):
        begin, end = b * size, min(b * size + size, n)
        for at in range(begin, end):
            i = order[at] if order.shape[0] > 0 else at
            for k in range(y.shape[1]):
                score = rule.bias * state.W[k, 0] + state.scale[0] * quick_dot(rows, i, state.W[k])
                errors[at - begin, k] = score
                if scores.shape[0] > 0:
                    scores[at - first * size, k] = score
        errors_of(rule.loss, errors, y, order, begin, end)
        updates += 1
        eta = rate(rule, updates)
        shrink = 1.0 - eta * (rule.alpha * (end - begin) / n)
        _step(rows, weight, order, begin, end, eta, shrink, rule, state, errors)
        if history.shape[0] > 0:
            for k in range(y.shape[1]):
                history[b - first, k, 0] = state.W[k, 0]
                for j in range(1, state.W.shape[1]):
                    history[b - first, k, j] = state.scale[0] * state.W[k, j]
    return updates


@kernel
def add_descent(rows, y, weight, loss, W, total, value):
    """Add Σ_i c_i (y_i − h(w·x_i)) x_i to ``total`` and Σ_i c_i f_i to ``value``.

    Here the rows have the bias of the model, and W is the weights.
    """
    scores, given_order = np.empty((ROWS_IN_CACHE, y.shape[1])), np.zeros(0, np.int64)
    for begin in range(0, y.shape[0], ROWS_IN_CACHE):
        end = min(begin + ROWS_IN_CACHE, y.shape[0])
        for i in range(begin, end):
            for k in range(y.shape[1]):
                scores[i - begin, k] = quick_dot(rows, i, W[k])
        add_losses(loss, scores, y, weight, begin, end, value)
        errors_of(loss, scores, y, given_order, begin, end)
        for i in range(begin, end):
            c = weight[i] if weight.shape[0] > 0 else 1.0
            for k in range(y.shape[1]):
                row_add(rows, i, c * scores[i - begin, k], total[k])


@kernel
def weighted_norms(rows, weight, out):
    """c_i ‖x_i‖² of every row."""
    for i in range(out.shape[0]):
        out[i] = (weight[i] if weight.shape[0] > 0 else 1.0) * row_norm2(rows, i)


@kernel
def add_product(rows, weight, v, total):
    """Add Σ_i c_i (x_i·v) x_i to ``total``."""
    for i in range(weight.shape[0]):
        row_add(rows, i, weight[i] * quick_dot(rows, i, v), total)
