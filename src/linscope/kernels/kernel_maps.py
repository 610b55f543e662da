"""From products of features to kernel values, a tile at a time, while it is in the cache.

Every kernel here is an elementwise map of an affine product of features, which BLAS computes:

    rbf       exp(−γ‖x − z‖²) = 2^t    t = (2γ x·z − γ‖x‖² − γ‖z‖²)·log₂e, at most 0
    sigmoid   tanh(t/(2 log₂e))              t = 2(γ x·z + c0)·log₂e
    poly      t^p                            t = γ x·z + c0
    linear    t                              t = x·z

Where that cancels, t = −γ log₂e Σ(x_k − z_k)² is summed from differences (``DISTANCE``).

Gaussian values in float32, which solvers ask for most, and long sums of others are worked out in
``gaussian``.
"""

from __future__ import annotations

import numpy as np

from linscope._compiling import kernel

from .gaussian import add_powers, exp2, fill_powers

IDENTITY, POWER, EXP2, TANH, DISTANCE = 0, 1, 2, 3, 4
# Tiles that are added: bytes of a column, and columns. Larger ones leave the cache, and threads
# that come back to Python for smaller ones wait for each other.
TILE_BYTES, TILE_COLUMNS = 1024, 640
# Tiles of a symmetric matrix: of those on the diagonal one half is not needed.
HALF_ROWS, HALF_COLUMNS = 128, 640
# Threads that come back to Python for small tiles wait for each other.
FILL_ROWS = 192

# Float64 values of a sum that are worth another compiled loop.
MANY = 1 << 20

LOG2E = 1.4426950408889634


# Powers of two are compiled; NumPy does the rest as well, and nobody waits for a compiler.
def values_of(T, code, degree):
    """Kernel values of products; T, an array in C order, may be overwritten by them."""
    if code == IDENTITY:
        return T
    if code == POWER:
        power = T.copy() if degree else np.ones_like(T)
        for _ in range(1, degree):
            power *= T
        return power
    if code == TANH:
        return np.tanh(T * (0.5 / LOG2E))
    exp2(T, 0.0)
    return T


def map_rows(T, code, degree, store, slots, start):
    """Kernel values of the products T[r, :], to store[slots[r], start:]."""
    own = np.array(T, dtype=store.dtype, order="C")
    store[slots, start : start + T.shape[1]] = values_of(own, code, degree)


# Differences lose nothing to what rows have in common; the factor is the last entry of a row.
@kernel(fastmath={"contract"})
def _distances(left, right, out):
    """out[i, j] = left[i, −1] Σ_k (left[i, k] − right[j, k])²."""
    d = left.shape[1] - 1
    columns = np.empty((d, right.shape[0]), dtype=right.dtype)
    for j in range(right.shape[0]):
        for k in range(d):
            columns[k, j] = right[j, k]
    for i in range(left.shape[0]):
        row = out[i]
        for j in range(len(row)):
            row[j] = 0.0
        for k in range(d):
            x, column = left[i, k], columns[k]
            for j in range(len(row)):
                away = x - column[j]
                row[j] += away * away
        factor = left[i, d]
        for j in range(len(row)):
            row[j] *= factor


def products(left, right, code, out):
    """What the map is applied to, for the features of rows and columns."""
    if code == DISTANCE:
        _distances(left, right, out)
    else:
        np.dot(left, right.T, out=out)


def add_products(left, right, code, degree, delta, total):
    """total += Σ_r delta[r]·K[r, :] for the features of rows and columns, tile by tile."""
    few = left.dtype == np.float64 and len(left) * len(right) < MANY
    if code == EXP2 and left.dtype == delta.dtype and not few:
        add_powers(left, right, delta, total)
        return
    tiles = _Tiles(left, right, code, degree, TILE_BYTES // left.itemsize, TILE_COLUMNS)
    for begin in range(0, right.shape[0], TILE_COLUMNS):
        end = min(begin + TILE_COLUMNS, right.shape[0])
        for first in range(0, left.shape[0], tiles.rows):
            stop = min(first + tiles.rows, left.shape[0])
            total[begin:end] += delta[first:stop] @ tiles.values(first, stop, begin, end)


class _Tiles:
    """Small parts of a kernel matrix, each in the same memory as the last."""

    def __init__(self, left, right, code, degree, rows, columns):
        self.left, self.right, self.code, self.degree = left, right, code, degree
        self.rows = max(1, min(rows, left.shape[0]))
        self.room = np.empty(self.rows * min(columns, right.shape[0]), left.dtype)

    def values(self, first, stop, begin, end):
        """K[first:stop, begin:end], until they are asked for again."""
        m, width = stop - first, end - begin
        T = self.room[: m * width].reshape(m, width)
        products(self.left[first:stop], self.right[begin:end], self.code, T)
        return values_of(T, self.code, self.degree)


def add_symmetric(left, right, code, degree, beta, first, stop, total):
    """total += Kβ, the part of K[r, c] and K[c, r] with first ≤ r < stop and r ≤ c.

    Of a tile on the diagonal all is used, of one beside it both it and its mirror image. Columns
    beyond the rows have β = 0: of their tiles there is no mirror image.
    """
    n, tiles = left.shape[0], _Tiles(left, right, code, degree, HALF_ROWS, HALF_COLUMNS)
    for r in range(first, stop, HALF_ROWS):
        begin, end = r, min(r + HALF_ROWS, stop)
        own = slice(begin, end)
        while begin < right.shape[0]:
            K = tiles.values(own.start, own.stop, begin, end)
            if begin < n:
                total[own] += K @ beta[begin:end]
            if begin > r:
                total[begin:end] += beta[own] @ K
            begin, end = end, min(end + HALF_COLUMNS, n if end < n else right.shape[0])


def fill_products(left, right, code, degree, store, slots, start):
    """store[slots[r], start:] = K[r, :] for the features of rows and columns, tile by tile."""
    if code == EXP2 and left.dtype == store.dtype == np.float32:
        fill_powers(left, right, store, slots, start)
        return
    T = np.empty((min(FILL_ROWS, left.shape[0]), right.shape[0]), dtype=left.dtype)
    for first in range(0, left.shape[0], FILL_ROWS):
        some = left[first : first + FILL_ROWS]
        part = T[: len(some)]
        products(some, right, code, part)
        place = slots[first : first + FILL_ROWS], slice(start, start + right.shape[0])
        store[place] = values_of(part, code, degree)


@kernel
def gather(K, rows, columns, store, slots, start):
    """store[slots[r], start:] = K[rows[r], columns]."""
    for r in range(len(rows)):
        source, target = K[rows[r]], store[slots[r]]
        for k in range(len(columns)):
            target[start + k] = source[columns[k]]
