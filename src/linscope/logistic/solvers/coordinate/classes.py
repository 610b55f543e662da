"""Coordinate descent on the quadratic model of the softmax loss, all classes of a column together.

With z the change of the scores of a sample, p its probabilities and c its weight, the state is the
derivative of the model by the scores,

    u_k = c (p_k − y_k) + c p_k (z_k − Σ_l p_l z_l)

A step of weight (k, j) changes z_k by x_ij times the step, and so all u_l of a row. A row of U is
contiguous, so that this costs little more than the change of one.
"""

from __future__ import annotations

import numpy as np

from linscope._compiling import kernel

from .loops import column_entries, column_entry


@kernel
def class_moments(columns, own, P, c):
    """Σ_i c p_k (1 − p_k) x_ij² of each class k and each column j of ``own``."""
    K = P.shape[1]
    squares = np.zeros((len(own), K))
    for t in range(len(own)):
        first, last = column_entries(columns, own[t])
        for p in range(first, last):
            i, x = column_entry(columns, own[t], p)
            v = c[i] * x * x
            for k in range(K):
                squares[t, k] += v * P[i, k] * (1.0 - P[i, k])
    return squares


@kernel
def _dots(columns, j, U, g):
    """g_k = x_j·u_k."""
    for k in range(len(g)):
        g[k] = 0.0
    first, last = column_entries(columns, j)
    for p in range(first, last):
        i, x = column_entry(columns, j, p)
        for k in range(len(g)):
            g[k] += x * U[i, k]


@kernel
def _step(columns, j, k, step, P, c, U, g):
    """The weight of class k and column j changes by ``step``; g stays x_j·U."""
    first, last = column_entries(columns, j)
    for p in range(first, last):
        i, x = column_entry(columns, j, p)
        v = step * x * c[i] * P[i, k]
        U[i, k] += v
        g[k] += x * v
        for l in range(len(g)):
            w = v * P[i, l]
            U[i, l] -= w
            g[l] -= x * w


@kernel
def _bias(inverse, P, c, U, b):
    """The biases go to the minimum of the model; returns the squared length of the step."""
    n, K = U.shape
    g, step = np.zeros(K), np.zeros(K)
    for i in range(n):
        for k in range(K):
            g[k] += U[i, k]
    length = 0.0
    for k in range(K):
        for l in range(K):
            step[k] -= inverse[k, l] * g[l]
        b[k] += step[k]
        length -= step[k] * g[k]
    for i in range(n):
        mean = 0.0
        for k in range(K):
            mean += P[i, k] * step[k]
        for k in range(K):
            U[i, k] += c[i] * P[i, k] * (step[k] - mean)
    return length


@kernel
def descend_classes(columns, own, may, U, P, c, w, squares, inverse, b, l1, l2, accuracy, most):
    """Sweeps over the columns ``own`` as in ``descend``; ``may`` (t, k) says which weights move.

    ``inverse`` is that of the model's curvature by the biases, or empty without them. ``w`` (t, k),
    ``U`` and ``b`` are changed in place. Returns the number of sweeps.
    """
    T, K = w.shape
    g, everything, first, sweeps = np.empty(K), True, 0.0, 0
    while sweeps < most:
        moved = _bias(inverse, P, c, U, b) if len(inverse) else 0.0
        for t in range(T):
            wanted = False
            for k in range(K):
                wanted |= may[t, k] and (everything or w[t, k] != 0.0)
            if not wanted:
                continue
            _dots(columns, own[t], U, g)
            for k in range(K):
                old = w[t, k]
                if not may[t, k] or (old == 0.0 and not everything):
                    continue
                curvature = squares[t, k]
                if curvature + l2 == 0.0:
                    w[t, k] = 0.0  # a column of zeros
                    continue
                target = curvature * old - g[k]
                new = max(abs(target) - l1, 0.0) / (curvature + l2)
                if target < 0.0 and new > 0.0:  # no −0
                    new = -new
                if new != old:
                    w[t, k] = new
                    _step(columns, own[t], k, new - old, P, c, U, g)
                    moved += (curvature + l2) * (new - old) ** 2
        first = max(first, moved)
        sweeps += 1
        if moved <= accuracy * first:
            if everything:
                break
            everything = True
        else:
            everything = False
    return sweeps
