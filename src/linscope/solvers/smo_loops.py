"""Compiled loops of the kernel SVM's dual problem in signed coefficients β_i = y_i α_i.

    min ½ βᵀKβ + pᵀβ     Σβ = 0,  l ≤ β ≤ u           g = Kβ + p

i may grow if β_i < u_i, j may shrink if β_j > l_j. The pair (i, j): i has the least g of those
that may grow, j the largest gain (g_j − g_i)²/(K_ii + K_jj − 2K_ij) of those that may shrink.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Entries a block of a search: the best of each block is a vector operation, its place is looked
# for only in the best block.
BLOCK = 64
# Keeps a sample that may not move out of a search. Finite, as the loops assume finite numbers.
FAR, MOST = 1e30, 3e38
# Least curvature along a pair.
TAU = 1e-12
# No reassociation: a block's best must be found again to the last bit.
FINITE = {"nnan", "nsz", "contract"}


@njit(cache=True, nogil=True, fastmath=FINITE)
def _least(g, up, most):
    """Where g + up is least."""
    best, block = most, 0
    for start in range(0, len(g), BLOCK):
        low = most
        for k in range(start, start + BLOCK):
            v = g[k] + up[k]
            low = v if v < low else low
        if low < best:
            best, block = low, start
    for k in range(block, block + BLOCK):
        if g[k] + up[k] <= best:
            return k
    return block


@njit(cache=True, nogil=True, fastmath=FINITE)
def _best_gain(row, diagonal, kii, gi, g, down, gains, zero, tau):
    """The partner of i with the largest gain, and the largest g_j − g_i."""
    best, block, top = zero, 0, zero
    for start in range(0, len(g), BLOCK):
        high = zero
        for k in range(start, start + BLOCK):
            d = g[k] + down[k] - gi
            d = d if d > zero else zero
            top = d if d > top else top
            eta = kii + diagonal[k] - row[k] - row[k]
            eta = eta if eta > tau else tau
            v = d * d / eta
            gains[k] = v
            high = v if v > high else high
        if high > best:
            best, block = high, start
    for k in range(block, block + BLOCK):
        if gains[k] >= best:
            return k, top
    return block, top


@njit(cache=True, nogil=True, fastmath=FINITE)
def _move(g, up, row_i, row_j, t, most):
    """g += t(K_i − K_j), and where g + up is least then."""
    best, block = most, 0
    for start in range(0, len(g), BLOCK):
        low = most
        for k in range(start, start + BLOCK):
            v = g[k] + t * (row_i[k] - row_j[k])
            g[k] = v
            v += up[k]
            low = v if v < low else low
        if low < best:
            best, block = low, start
    for k in range(block, block + BLOCK):
        if g[k] + up[k] <= best:
            return k
    return block


@njit(cache=True, nogil=True)
def solve_pairs(K, diagonal, g, beta, lower, upper, tol, most):
    """Sequential minimal optimisation on a small Gram matrix; returns the number of steps.

    K is q × q with q a multiple of BLOCK; samples that fill up have lower = upper. ``g`` and
    ``beta`` change. It ends when max g of those that may shrink − min g of those that may grow
    is at most ``tol``, or after ``most`` steps.
    """
    q = len(g)
    up, down, gains = np.empty_like(g), np.empty_like(g), np.empty_like(g)
    for k in range(q):
        up[k] = 0.0 if beta[k] < upper[k] else FAR
        down[k] = 0.0 if beta[k] > lower[k] else -FAR
    kind = g.dtype.type
    zero, tau, most_g = kind(0.0), kind(TAU), kind(MOST)
    i = _least(g, up, most_g)
    for step in range(most):
        j, top = _best_gain(K[i], diagonal, diagonal[i], g[i], g, down, gains, zero, tau)
        if top <= tol or up[i] > 0.0 or gains[j] <= 0.0:
            return step
        eta = max(float(diagonal[i]) + float(diagonal[j]) - 2.0 * float(K[i, j]), TAU)
        t = (float(g[j]) - float(g[i])) / eta
        room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
        t = min(t, room_i, room_j)
        beta[i] = upper[i] if t == room_i else beta[i] + t
        beta[j] = lower[j] if t == room_j else beta[j] - t
        up[i] = FAR if t == room_i else 0.0
        up[j] = 0.0
        down[i] = 0.0
        down[j] = -FAR if t == room_j else 0.0
        i = _move(g, up, K[i], K[j], kind(t), most_g)
    return most
