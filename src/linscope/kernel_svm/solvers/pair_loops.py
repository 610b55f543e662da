"""Compiled loops of the kernel SVM's dual problem in signed coefficients β_i = y_i α_i.

    min ½ βᵀKβ + pᵀβ     Σβ = 0,  l ≤ β ≤ u           g = Kβ + p

i may grow if β_i < u_i, j may shrink if β_j > l_j. The pair (i, j): i has the least g of those
that may grow, j the largest gain (g_j − g_i)²/(K_ii + K_jj − 2K_ij) of those that may shrink.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linscope._compiling import kernel

# Entries a block of a search: the best of each block is a vector operation, its place is looked
# for only in the best block.
BLOCK = 64
# Keeps a sample that may not move out of a search. Finite, as the loops assume finite numbers.
FAR = 1e30
# Least curvature along a pair.
TAU = 1e-12
FINITE = {"nnan", "nsz", "contract"}


# Rows of the room for what is known of samples: FAR where β may not grow, −FAR where it may not
# shrink, (g_j − g_i)₊ and the gain of every j as the partner of i, g + up.
UP, DOWN, AHEAD, GAIN, KEY = range(5)
# By the bytes of a float: where the sign of the integer is, all other bits, 0 and TAU.
NUMBERS: dict[int, Any] = {
    4: (np.int32(31), np.int32(2**31 - 1), np.float32(0.0), np.float32(TAU)),
    8: (np.int64(63), np.int64(2**63 - 1), 0.0, TAU),
}


class Blocks(NamedTuple):
    """K_aa and K_bb of [K_aa, K_ab; K_ba, K_bb]; K_ab is in its place. ``ready`` rows are whole."""

    first: np.ndarray
    second: np.ndarray
    ready: np.ndarray


def solve_pairs(K, diagonal, g, beta, lower, upper, tol, most, blocks=None):
    """Sequential minimal optimisation on a small Gram matrix; returns the number of steps.

    K is q × q with q a multiple of BLOCK; samples that fill up have lower = upper. ``g`` and
    ``beta`` change. It ends when max g of those that may shrink − min g of those that may grow
    is at most ``tol``, or after ``most`` steps. A row that ``blocks`` has not ready is put together
    from them when it is first needed.
    """
    if blocks is None:
        blocks = Blocks(K[:0, :0], K[:0, :0], np.ones(len(K), dtype=np.bool_))
    room, numbers = np.empty((5, len(g)), dtype=g.dtype), NUMBERS[g.itemsize]
    whole = numbers[0].dtype
    limits = beta, lower, upper, tol, most
    return _solve(K, diagonal, g, *limits, *blocks, room, room.view(whole), *numbers)


def solve_some_pairs(K, diagonal, g, beta, lower, upper, tol, most):
    """``solve_pairs`` for fewer samples than K has rows: their new β, and the number of steps."""
    full = np.zeros((5, len(K)))
    full[:, : len(g)] = diagonal, g, beta, lower, upper
    diagonal, g = full[:2].astype(K.dtype)
    pairs = solve_pairs(K, diagonal, g, full[2], full[3], full[4], tol, most)
    return full[2, : len(beta)], pairs


@kernel
def _put_together(K, i, first, second, ready):
    """Row i of the Gram matrix of two classes, with zeros up to the last column."""
    ready[i] = True
    m = len(first)
    n = m + len(second)
    if i < m:
        for k in range(m):
            K[i, k] = first[i, k]
    else:
        for k in range(m):
            K[i, k] = K[k, i]
        for k in range(m, n):
            K[i, k] = second[i - m, k - m]
    for k in range(n, K.shape[1]):
        K[i, k] = 0.0


# Compilers turn the search for the largest integer into vector instructions, but not that for the
# largest float. Floats of one sign are ordered as their bits; for the others all but the sign of a
# negative number is turned round. One function without slices: in parts, it would take the compiler
# half as long again.
@kernel(fastmath=FINITE, error_model="numpy")
def _solve(
    K, diagonal, g, beta, lower, upper, tol, most, first, second, ready, room, bits, sign, others,
    zero, tau,
):  # fmt: skip
    """``room`` and ``bits`` are one memory, as floats and as integers."""
    q = len(g)
    for k in range(q):
        room[UP, k] = 0.0 if beta[k] < upper[k] else FAR
        room[DOWN, k] = 0.0 if beta[k] > lower[k] else -FAR
        room[KEY, k] = g[k] + room[UP, k]
    for step in range(most):
        # i: the least key.
        for k in range(q):
            b = bits[KEY, k]
            bits[KEY, k] = b ^ ((b >> sign) & others)
        best, i = bits[KEY, 0], 0
        for start in range(0, q, BLOCK):
            low = bits[KEY, start]
            for k in range(start, start + BLOCK):
                low = bits[KEY, k] if bits[KEY, k] < low else low
            if low < best:
                best, i = low, start
        while bits[KEY, i] != best:
            i += 1
        if not ready[i]:
            _put_together(K, i, first, second, ready)
        # j: the largest gain.
        own, gi = diagonal[i], g[i]
        for k in range(q):
            d = g[k] + room[DOWN, k] - gi
            d = d if d > zero else zero
            eta = own + diagonal[k] - K[i, k] - K[i, k]
            eta = eta if eta > tau else tau
            room[AHEAD, k] = d
            room[GAIN, k] = d * d / eta
        best, far, j = bits[GAIN, 0], bits[AHEAD, 0], 0
        for start in range(0, q, BLOCK):
            high = bits[GAIN, start]
            for k in range(start, start + BLOCK):
                high = bits[GAIN, k] if bits[GAIN, k] > high else high
                far = bits[AHEAD, k] if bits[AHEAD, k] > far else far
            if high > best:
                best, j = high, start
        while bits[GAIN, j] != best:
            j += 1
        bits[AHEAD, 0] = far
        if room[AHEAD, 0] <= tol or room[UP, i] > 0.0 or room[GAIN, j] <= 0.0:
            return step
        if not ready[j]:
            _put_together(K, j, first, second, ready)
        curve = diagonal[i] + diagonal[j] - 2.0 * K[i, j]
        t = (g[j] - g[i]) / (curve if curve > TAU else TAU)
        room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
        t = room_i if room_i < t else t
        t = room_j if room_j < t else t
        beta[i] = upper[i] if t == room_i else beta[i] + t
        beta[j] = lower[j] if t == room_j else beta[j] - t
        room[UP, i], room[UP, j] = FAR if t == room_i else 0.0, 0.0
        room[DOWN, i], room[DOWN, j] = 0.0, -FAR if t == room_j else 0.0
        room[GAIN, 0] = t
        move = room[GAIN, 0]  # in the type of g
        for k in range(q):
            g[k] += move * (K[i, k] - K[j, k])
            room[KEY, k] = g[k] + room[UP, k]
    return most
