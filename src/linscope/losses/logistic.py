"""The log loss of two classes.

Of one sample with score s = w·x and target y in {0, 1}:

    h(s)    =  σ(s)  =  1 / (1 + e^−s)                   the probability of y = 1
    f(s)    =  log(1 + e^s) − y s  =  max(s, 0) − y s + log(1 + e^−|s|)
    f'(s)   =  σ(s) − y
    f''(s)  =  σ(s) (1 − σ(s))  =  e^−|s| / (1 + e^−|s|)²  ≤  ¼
    f*(u)   =  p log p + (1 − p) log(1 − p),  p = u + y in [0, 1]      (+∞ outside)

There is no kink. Scaling: the objective of a fit is ½‖w‖² + C Σ_i c_i f_i (bias not penalised), or
Σ_i c_i f_i for C = ∞. The notes' λ‖w‖² is C = 1/(2λ); note 002 penalises w_0 too. Without a penalty
and with classes that a hyperplane separates, the infimum is not reached and the weights go to
infinity. ``logistic_tiles`` has the same for many rows at once, ``softmax`` for K classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

LARGEST_BEND = 0.25


@register_jitable(inline="always")
def sigmoid(s):
    """h(s) = σ(s), without overflow.

    >>> sigmoid(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    e = np.exp(-np.abs(s))
    return np.maximum(e, s >= 0.0) / (1.0 + e)  # e ≤ 1


@register_jitable(inline="always")
def log_sigmoid(s):
    """log σ(s), −f(s) for y = 1.

    >>> log_sigmoid(np.array([-800.0, np.inf]))
    array([-800.,    0.])
    """
    return np.minimum(s, 0.0) - np.log1p(np.exp(-np.abs(s)))


@register_jitable(inline="always")
def loss(s, y):
    """f(s) = log(1 + e^s) − y s.

    >>> loss(np.array([0.0, 800.0]), np.array([1, 0])).round(4)
    array([6.931e-01, 8.000e+02])
    """
    return np.maximum(s, 0.0) - y * s + np.log1p(np.exp(-np.abs(s)))


@register_jitable(inline="always")
def derivative(s, y):
    """f'(s) = σ(s) − y.

    >>> float(derivative(0.0, 1))
    -0.5
    """
    return sigmoid(s) - y


@register_jitable(inline="always")
def root_of_bend(s, c):
    """√(c f''(s)) = √(c σ(s) (1 − σ(s))).

    >>> float(root_of_bend(0.0, 4.0))
    1.0
    """
    e = np.exp(-np.abs(s))
    return np.sqrt(c * e) / (1.0 + e)


def conjugate(u: Any, y: Any) -> np.ndarray:
    """f*(u).

    >>> conjugate(np.array([-0.5, 0.0]), 1.0).round(4)
    array([-0.6931,  0.    ])
    """
    p = np.asarray(u + y, dtype=np.float64)
    inside = (p >= 0.0) & (p <= 1.0)
    q = np.where(inside, p, 0.0)
    return np.where(inside, xlogx(q) + xlogx(1.0 - q), np.inf)


def xlogx(p: np.ndarray) -> np.ndarray:
    """p log p, and 0 for p = 0."""
    return p * np.log(np.where(p > 0, p, 1.0))
