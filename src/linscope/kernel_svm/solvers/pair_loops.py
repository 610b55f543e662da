"""Compiled loops of the kernel SVM's dual problem in signed coefficients β_i = y_i α_i.

    min ½ βᵀKβ + pᵀβ     Σβ = 0,  l ≤ β ≤ u           g = Kβ + p

i may grow if β_i < u_i, j may shrink if β_j > l_j. The pair (i, j): i has the least g of those
that may grow, j the largest gain (g_j − g_i)²/(K_ii + K_jj − 2K_ij) of those that may shrink.
"""

from __future__ import annotations

from typing import NamedTuple

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


# Compilers turn the search for the largest integer into vector instructions, but not that for the
# largest float. Floats of one sign are ordered as their bits; for the others all but the sign of a
# negative number is turned round.
@kernel
def _place_of_largest(bits):
    best, block = bits[0], 0
    for start in range(0, len(bits), BLOCK):
        high = bits[start]
        for k in range(start, start + BLOCK):
            high = max(high, bits[k])
        if high > best:
            best, block = high, start
    for k in range(block, block + BLOCK):
        if bits[k] == best:
            return k
    return block


@kernel
def _place_of_least(bits):
    """Where the float is least; the bits of negative ones are turned round."""
    kind = bits.dtype.type
    sign = kind(8 * bits.itemsize - 1)
    others = kind(~(kind(1) << sign))
    for k in range(len(bits)):
        b = bits[k]
        bits[k] = b ^ ((b >> sign) & others)
    best, block = bits[0], 0
    for start in range(0, len(bits), BLOCK):
        low = bits[start]
        for k in range(start, start + BLOCK):
            low = min(low, bits[k])
        if low < best:
            best, block = low, start
    for k in range(block, block + BLOCK):
        if bits[k] == best:
            return k
    return block


@kernel(fastmath=FINITE, error_model="numpy")
def _gains(row, diagonal, kii, gi, g, down, ahead, gains, zero, tau):
    """(g_j − g_i)₊ and the gain of every j as the partner of i."""
    for k in range(len(g)):
        d = g[k] + down[k] - gi
        d = d if d > zero else zero
        eta = kii + diagonal[k] - row[k] - row[k]
        eta = eta if eta > tau else tau
        ahead[k] = d
        gains[k] = d * d / eta


@kernel(fastmath=FINITE)
def _move(g, up, row_i, row_j, t, keys):
    """g += t(K_i − K_j), and g + up, whose least entry is the next i."""
    for k in range(len(g)):
        v = g[k] + t * (row_i[k] - row_j[k])
        g[k] = v
        keys[k] = v + up[k]


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
    room = np.empty((5, len(g)), dtype=g.dtype)
    bits = room.view(np.int32 if g.dtype == np.float32 else np.int64)
    return _solve(K, diagonal, g, beta, lower, upper, tol, most, blocks, room, bits)


def solve_some_pairs(K, diagonal, g, beta, lower, upper, tol, most):
    """``solve_pairs`` for fewer samples than K has rows: their new β, and the number of steps."""
    full = np.zeros((5, len(K)))
    full[:, : len(g)] = diagonal, g, beta, lower, upper
    diagonal, g = full[:2].astype(K.dtype)
    pairs = solve_pairs(K, diagonal, g, full[2], full[3], full[4], tol, most)
    return full[2, : len(beta)], pairs


@kernel
def _put_together(K, i, blocks):
    """Row i of the Gram matrix of two classes, with zeros up to the last column."""
    blocks.ready[i] = True
    m = len(blocks.first)
    n = m + len(blocks.second)
    left, right, rest = K[i, :m], K[i, m:n], K[i, n:]
    if i < m:
        own = blocks.first[i]
        for k in range(m):
            left[k] = own[k]
    else:
        own = blocks.second[i - m]
        for k in range(m):
            left[k] = K[k, i]
        for k in range(n - m):
            right[k] = own[k]
    for k in range(len(rest)):
        rest[k] = 0.0


@kernel
def _solve(K, diagonal, g, beta, lower, upper, tol, most, blocks, room, bits):
    """``room`` has five rows for what is known of samples; ``bits`` are the same as integers."""
    q = len(g)
    up, down, ahead, gains, keys = room[0], room[1], room[2], room[3], room[4]
    ahead_bits, gain_bits, key_bits = bits[2], bits[3], bits[4]
    for k in range(q):
        up[k] = 0.0 if beta[k] < upper[k] else FAR
        down[k] = 0.0 if beta[k] > lower[k] else -FAR
    kind = g.dtype.type
    zero, tau = kind(0.0), kind(TAU)
    for k in range(q):
        keys[k] = g[k] + up[k]
    i = _place_of_least(key_bits)
    for step in range(most):
        if not blocks.ready[i]:
            _put_together(K, i, blocks)
        _gains(K[i], diagonal, diagonal[i], g[i], g, down, ahead, gains, zero, tau)
        j = _place_of_largest(gain_bits)
        most_ahead = ahead[_place_of_largest(ahead_bits)]
        if most_ahead <= tol or up[i] > 0.0 or gains[j] <= 0.0:
            return step
        if not blocks.ready[j]:
            _put_together(K, j, blocks)
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
        _move(g, up, K[i], K[j], kind(t), keys)
        i = _place_of_least(key_bits)
    return most
