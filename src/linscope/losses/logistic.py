"""The log loss of two classes and the cross-entropy of K classes.

Two classes, y in {0, 1}, score s = w·x:

    P(y = 1 | x) = σ(s) = 1 / (1 + e^−s)
    f(s)    =  log(1 + e^s) − y s
    f'(s)   =  σ(s) − y
    f''(s)  =  σ(s) (1 − σ(s))
    f*(u)   =  p log p + (1 − p) log(1 − p),  p = u + y in [0, 1]      (+∞ outside)

K classes, scores s_1 … s_K, p = softmax(s), p_k = e^s_k / Σ_l e^s_l:

    f(s)    =  log Σ_l e^s_l − s_y
    ∇f(s)   =  p − e_y
    ∇²f(s)  =  diag(p) − p pᵀ
    f*(u)   =  Σ_k p_k log p_k,  p = u + e_y in the simplex            (+∞ outside)

Scaling: the objective of a fit is ½‖w‖² + C Σ_i c_i f_i (bias not penalised), or Σ_i c_i f_i for
C = ∞. The notes' λ‖w‖² is C = 1/(2λ); note 002 penalises w_0 too.

Both are smooth and convex in the scores; without a penalty and with classes that a hyperplane
separates, the infimum is not reached and the weights go to infinity.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from linscope.rows.operations import REORDER, TILE

from .logistic_tiles import scratch, tile_terms


def sigmoid(s: Any) -> np.ndarray:
    """σ(s), without overflow.

    >>> sigmoid([-1000.0, 0.0, 1000.0])
    array([0. , 0.5, 1. ])
    """
    s = np.asarray(s, dtype=np.float64)
    e = np.exp(-np.abs(s))
    return np.where(s >= 0, 1.0, e) / (1.0 + e)


def softmax(s: Any) -> np.ndarray:
    """Probabilities of each row of scores.

    >>> softmax([[1000.0, 1000.0], [0.0, -2000.0]])
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    s = np.asarray(s, dtype=np.float64)
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def loss(s: Any, y: Any) -> np.ndarray:
    """f(s) of each sample: s (n,) with y 0 or 1, or s (n, K) with class numbers y.

    >>> loss([0.0, 800.0], [1, 0]).round(4)
    array([6.931e-01, 8.000e+02])
    """
    s, y = np.asarray(s, dtype=np.float64), np.asarray(y)
    if s.ndim == 1:
        return np.logaddexp(0.0, s) - y * s
    return np.logaddexp.reduce(s, axis=1) - s[np.arange(len(s)), y]


def derivative(s: Any, y: Any) -> np.ndarray:
    """f'(s) or ∇f(s) of each sample.

    >>> derivative([0.0], [1])
    array([-0.5])
    """
    s, y = np.asarray(s, dtype=np.float64), np.asarray(y)
    if s.ndim == 1:
        return sigmoid(s) - y
    p = softmax(s)
    p[np.arange(len(s)), y] -= 1.0
    return p


def entropy(p: Any) -> np.ndarray:
    """Σ_k p_k log p_k of each sample, the conjugate; p (n,) or (n, K).

    >>> entropy([0.5, 1.0]).round(4)
    array([-0.6931,  0.    ])
    """
    p = np.asarray(p, dtype=np.float64)
    if p.ndim == 1:
        p = np.column_stack([p, 1.0 - p])
    return np.sum(p * np.log(np.where(p > 0, p, 1.0)), axis=1)


@njit(cache=True, nogil=True)
def binary_terms(s, codes, c, residual, curvature):
    """Σ c f(s), with c (σ − y) and c σ(1 − σ) of each sample written down; no c: all are 1."""
    total, room = 0.0, scratch()
    for a in range(0, len(s), TILE):
        b = min(len(s), a + TILE)
        own = c[a:b] if len(c) else c
        total += tile_terms(s[a:b], codes[a:b], own, residual[a:b], curvature[a:b], room)
    return total


@njit(cache=True, nogil=True, fastmath=REORDER)
def add_scores(X, w, s):
    """s = w·[1, x] of each row, four at a time."""
    n, d = X.shape
    whole = n - n % 4
    for i in range(0, whole, 4):
        a, b, e, f = w[0], w[0], w[0], w[0]
        for j in range(d):
            v = w[j + 1]
            a += X[i, j] * v
            b += X[i + 1, j] * v
            e += X[i + 2, j] * v
            f += X[i + 3, j] * v
        s[i], s[i + 1], s[i + 2], s[i + 3] = a, b, e, f
    for i in range(whole, n):
        a = w[0]
        for j in range(d):
            a += X[i, j] * w[j + 1]
        s[i] = a


@njit(cache=True, nogil=True, fastmath=REORDER)
def add_rows(X, residual, g):
    """g ← g + Σ residual·[1, x], four rows at a time."""
    n, d = X.shape
    whole = n - n % 4
    for i in range(0, whole, 4):
        a, b, e, f = residual[i], residual[i + 1], residual[i + 2], residual[i + 3]
        g[0] += (a + b) + (e + f)
        for j in range(d):
            g[j + 1] += (a * X[i, j] + b * X[i + 1, j]) + (e * X[i + 2, j] + f * X[i + 3, j])
    for i in range(whole, n):
        g[0] += residual[i]
        for j in range(d):
            g[j + 1] += residual[i] * X[i, j]


@njit(cache=True, nogil=True)
def binary_pass(X, w, codes, c, s, residual, curvature, g):
    """Scores, ``binary_terms`` and g ← g + Σ residual·[1, x], some rows at a time.

    The rows are still in the cache when they are needed again, so memory is read once.
    """
    total, room = 0.0, scratch()
    for a in range(0, len(s), TILE):
        b = min(len(s), a + TILE)
        own = c[a:b] if len(c) else c
        add_scores(X[a:b], w, s[a:b])
        total += tile_terms(s[a:b], codes[a:b], own, residual[a:b], curvature[a:b], room)
        add_rows(X[a:b], residual[a:b], g)
    return total


@njit(cache=True, nogil=True)
def softmax_terms(S, codes, c, P, residual):
    """Σ c f(s), with the probabilities P and c (p − e_y) of each sample written down."""
    weighted, total = len(c) > 0, 0.0
    n, K = S.shape
    for i in range(n):
        top = S[i, 0]
        for k in range(1, K):
            top = max(top, S[i, k])
        size = 0.0
        for k in range(K):
            P[i, k] = np.exp(S[i, k] - top)
            size += P[i, k]
        y, rest = codes[i], 0.0
        own = c[i] if weighted else 1.0
        for k in range(K):
            P[i, k] /= size
            residual[i, k] = own * P[i, k]
            if k != y:
                rest += P[i, k]
        residual[i, y] = -own * rest  # 1 − p_y without cancellation
        total += own * (top - S[i, y] + np.log(size))
    return total
