"""The cross-entropy of K classes, the log loss of more than two.

Of one sample with scores s_1 … s_K and class y, e_y the unit vector of the class:

    h(s)    =  p,  p_k = e^s_k / Σ_l e^s_l                the probabilities of the classes
    f(s)    =  log Σ_l e^s_l − s_y
    ∇f(s)   =  p − e_y
    ∇²f(s)  =  diag(p) − p pᵀ                             (no eigenvalue above ½)
    f*(u)   =  Σ_k p_k log p_k,  p = u + e_y in the simplex            (+∞ outside)

There is no kink. A number added to all K scores changes nothing. Exponentials are taken of
s_k − max_l s_l ≤ 0, so they do not overflow. Scaling as in ``logistic``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from linscope._compiling import kernel

from . import logistic

LARGEST_BEND = 0.5
# From here on log Σ e_k has all but some bits of its digits, and is quicker than log1p.
NEARLY_SURE = 0.0625


def softmax(s: Any) -> np.ndarray:
    """h(s) of each row of scores.

    >>> softmax([[1000.0, 1000.0], [0.0, -2000.0]])
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    s = np.asarray(s, dtype=np.float64)
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def log_softmax(s: np.ndarray) -> np.ndarray:
    """log p of each row of scores.

    >>> log_softmax(np.array([[0.0, -2000.0]]))
    array([[    0., -2000.]])
    """
    below = s - s.max(axis=1, keepdims=True)
    return below - np.log(np.exp(below).sum(axis=1, keepdims=True))


def probabilities(scores: np.ndarray) -> np.ndarray:
    """(n, K) of each row, also for two classes, whose scores are one column.

    >>> probabilities(np.array([[0.0], [-1000.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    if scores.shape[1] > 1:
        return softmax(scores)
    return np.column_stack([logistic.sigmoid(-scores), logistic.sigmoid(scores)])


def loss(scores: Any, codes: Any) -> np.ndarray:
    """f(s) of each row, also for two classes, whose scores are one column.

    >>> loss([[0.0], [800.0]], [1, 0]).round(4), loss([[1.0, 1.0]], [0]).round(4)
    (array([6.931e-01, 8.000e+02]), array([0.6931]))
    """
    s, y = np.asarray(scores, dtype=np.float64), np.asarray(codes)
    if s.shape[1] == 1:
        return logistic.loss(s[:, 0], y)
    return -log_softmax(s)[np.arange(len(s)), y]


def derivative(s: Any, codes: Any) -> np.ndarray:
    """∇f(s) of each row of scores.

    >>> derivative([[0.0, 0.0]], [1])
    array([[ 0.5, -0.5]])
    """
    p = softmax(s)
    p[np.arange(len(p)), codes] -= 1.0
    return p


def entropy(p: np.ndarray) -> np.ndarray:
    """f* as a function of p: Σ_k p_k log p_k of each row.

    >>> entropy(np.array([[0.5, 0.5], [1.0, 0.0]])).round(4)
    array([-0.6931,  0.    ])
    """
    return np.sum(logistic.xlogx(p), axis=1)


@register_jitable(inline="always")
def exponentials(S, row, E, to):
    """e^(s_k − top) of one row to a row of E, perhaps the same; top, the largest, and Σ_k."""
    top, size = S[row, 0], 0.0
    for k in range(1, S.shape[1]):
        top = max(top, S[row, k])
    for k in range(S.shape[1]):
        E[to, k] = np.exp(S[row, k] - top)
        size += E[to, k]
    return top, size


@register_jitable(inline="always")
def class_loss(below, size, rest):
    """f = −log p_y, from below = top − s_y, Σ e_k, and 1 − p_y without cancellation."""
    return -np.log1p(-rest) if rest < NEARLY_SURE else below + np.log(size)


@kernel
def softmax_terms(S, codes, c, P, residual):
    """Σ c f(s), with the probabilities P and c (p − e_y) of each sample written down."""
    weighted, total = len(c) > 0, 0.0
    n, K = S.shape
    for i in range(n):
        top, size = exponentials(S, i, P, i)
        y, rest = codes[i], 0.0
        own = c[i] if weighted else 1.0
        for k in range(K):
            P[i, k] /= size
            residual[i, k] = own * P[i, k]
            if k != y:
                rest += P[i, k]
        residual[i, y] = -own * rest
        total += own * class_loss(top - S[i, y], size, rest)
    return total
