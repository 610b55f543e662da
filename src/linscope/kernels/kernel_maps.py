"""From products of features to kernel values, a tile at a time, while it is in the cache.

Every kernel here is an elementwise map of an affine product of features, which BLAS computes:

    rbf       exp(−γ‖x − z‖²) = 2^t    t = (2γ x·z − γ‖x‖² − γ‖z‖²)·log₂e, at most 0
    sigmoid   tanh(u) = 1 − 2/(1 + 2^t)      t = 2(γ x·z + c0)·log₂e
    poly      t^p                            t = γ x·z + c0
    linear    t                              t = x·z

Where that cancels, t = −γ log₂e Σ(x_k − z_k)² is summed from differences (``DISTANCE``).

2^t = 2^n 2^f with n the nearest integer and |f| ≤ ½; 2^f is a polynomial, 2^n an exponent field.
The loops hold no calls, so that the compiler makes vectors of them: some times faster than
``np.exp``, and at most 2 units of the last place off.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from linscope._compiling import kernel

IDENTITY, POWER, EXP2, TANH, DISTANCE = 0, 1, 2, 3, 4
# Tiles that are added: bytes of a column, and columns. Larger ones leave the cache, and threads
# that come back to Python for smaller ones wait for each other.
TILE_BYTES, TILE_COLUMNS = 1024, 640
# Tiles of a symmetric matrix: of those on the diagonal one half is not needed.
HALF_ROWS, HALF_COLUMNS = 128, 640
# Threads that come back to Python for small tiles wait for each other.
FILL_ROWS = 192

# 2^f = 1 + f·(A0 + A1 f + …): interpolation at Chebyshev points, relative error 5e-9.
A0, A1, A2 = np.float32(0.69314718803), np.float32(0.24022650761), np.float32(0.055503571142)
A3, A4, A5 = np.float32(0.0096180825573), np.float32(0.0013390863365), np.float32(1.5453162940e-4)
ONE32, HALF32, LEAST32 = (np.float32(v) for v in (1.0, 0.5, -126.0))
# Largest exponents, in float32 and float64.
MOST32, MOST64 = np.float32(127.0), 1023.0
# The same in float64: the Taylor series (ln 2)^k/k!.
LN2 = np.log(2.0)
B1 = LN2
B2 = B1 * LN2 / 2
B3 = B2 * LN2 / 3
B4 = B3 * LN2 / 4
B5 = B4 * LN2 / 5
B6 = B5 * LN2 / 6
B7 = B6 * LN2 / 7
B8 = B7 * LN2 / 8
B9 = B8 * LN2 / 9
B10 = B9 * LN2 / 10
B11 = B10 * LN2 / 11
B12 = B11 * LN2 / 12
B13 = B12 * LN2 / 13


@intrinsic
def _power_of_two(typingctx: Any, n: Any) -> Any:
    """2^n for a float that holds a whole number: n + bias in the exponent field."""
    if n == types.float32:
        return types.float32(n), _exponent_field(ir.IntType(32), 127, 23, ir.FloatType())
    return types.float64(n), _exponent_field(ir.IntType(64), 1023, 52, ir.DoubleType())


def _exponent_field(integer: Any, bias: int, shift: int, real: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # By way of 32 bits: AVX2 has no conversion from float64 to 64-bit integers.
        whole = builder.fptosi(arguments[0], ir.IntType(32))
        if integer.width > 32:
            whole = builder.sext(whole, integer)
        field = builder.shl(builder.add(whole, integer(bias)), integer(shift))
        return builder.bitcast(field, real)

    return codegen


# t ← 2^t for t up to ``most``, in place: what leaves the cache costs more than the arithmetic.
# Loops in functions of their own: inside another one the compiler runs out of registers.
@kernel(fastmath={"contract"})
def _exp2_single(t, most):
    for k in range(len(t)):
        x = min(max(t[k], LEAST32), most)
        n = np.floor(x + HALF32)
        f = x - n
        p = ((((A5 * f + A4) * f + A3) * f + A2) * f + A1) * f + A0
        t[k] = (p * f + ONE32) * _power_of_two(n)


@kernel(fastmath={"contract"})
def _exp2_double(t, most):
    for k in range(len(t)):
        x = min(max(t[k], -1022.0), most)
        n = np.floor(x + 0.5)
        f = x - n
        p = ((((B13 * f + B12) * f + B11) * f + B10) * f + B9) * f + B8
        p = (((((((p * f + B7) * f + B6) * f + B5) * f + B4) * f + B3) * f + B2) * f) + B1
        t[k] = (p * f + 1.0) * _power_of_two(n)


def _exp2(T, most32, most64):
    flat = T.reshape(-1)
    if T.itemsize == 4:
        _exp2_single(flat, np.float32(most32))
    else:
        _exp2_double(flat, np.float64(most64))


# Exponentials are compiled; NumPy does the rest as well, and nobody waits for a compiler.
def values_of(T, code, degree):
    """Kernel values of products; T, an array in C order, may be overwritten by them."""
    if code == IDENTITY:
        return T
    if code == POWER:
        power = T.copy() if degree else np.ones_like(T)
        for _ in range(1, degree):
            power *= T
        return power
    if code == TANH:  # tanh u = 1 − 2/(1 + e^{2u})
        _exp2(T, MOST32, MOST64)
        return 1.0 - 2.0 / (1.0 + T)
    _exp2(T, 0.0, 0.0)
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


@kernel(fastmath={"contract"})
def add_rows(store, slots, delta, start, stop, total):
    """total += Σ_s delta[s]·store[slots[s], start:stop], four rows at a time."""
    width = stop - start
    sums = np.zeros(width, dtype=store.dtype)
    m = len(slots) - len(slots) % 4
    for s in range(0, m, 4):
        a, b = store[slots[s], start:stop], store[slots[s + 1], start:stop]
        c, d = store[slots[s + 2], start:stop], store[slots[s + 3], start:stop]
        da, db, dc, dd = delta[s], delta[s + 1], delta[s + 2], delta[s + 3]
        for k in range(width):
            sums[k] += (da * a[k] + db * b[k]) + (dc * c[k] + dd * d[k])
    for s in range(m, len(slots)):
        a, da = store[slots[s], start:stop], delta[s]
        for k in range(width):
            sums[k] += da * a[k]
    for k in range(width):
        total[k] += sums[k]


def add_products(left, right, code, degree, delta, total):
    """total += Σ_r delta[r]·K[r, :] for the features of rows and columns, tile by tile."""
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
