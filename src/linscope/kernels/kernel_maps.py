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
from numba.extending import intrinsic, overload

from linscope._compiling import kernel

IDENTITY, POWER, EXP2, TANH, DISTANCE = 0, 1, 2, 3, 4
# A tile of products and one of kernel values, in float32, are together less than an L2 cache.
TILE_ROWS, TILE_COLUMNS = 64, 640
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


@kernel(fastmath={"contract"})
def _exp2_single(t, most):
    t = min(max(t, LEAST32), most)
    n = np.floor(t + HALF32)
    f = t - n
    p = ((((A5 * f + A4) * f + A3) * f + A2) * f + A1) * f + A0
    return (p * f + ONE32) * _power_of_two(n)  # type: ignore[call-arg]


@kernel(fastmath={"contract"})
def _exp2_double(t, most):
    t = min(max(t, -1022.0), most)
    n = np.floor(t + 0.5)
    f = t - n
    p = ((((B13 * f + B12) * f + B11) * f + B10) * f + B9) * f + B8
    p = (((((((p * f + B7) * f + B6) * f + B5) * f + B4) * f + B3) * f + B2) * f) + B1
    return (p * f + 1.0) * _power_of_two(n)  # type: ignore[call-arg]


def _exp2(t, most):
    """2^t for t up to ``most``, in the type of t; compiled code only."""
    raise NotImplementedError


@overload(_exp2)
def _exp2_of_type(t, most):
    if t == types.float32:
        return lambda t, most: _exp2_single(t, np.float32(most))
    return lambda t, most: _exp2_double(t, most)


@kernel
def _exp2_row(t, most, out):
    kind = out.dtype.type
    for k in range(len(t)):
        out[k] = _exp2(kind(t[k]), most)


@kernel
def _power_row(t, degree, out):
    for k in range(len(t)):
        value = t[k]
        power = value
        for _ in range(1, degree):
            power *= value
        out[k] = power if degree else 1.0


# tanh u = 1 − 2/(1 + e^{2u})
@kernel
def _tanh_of_exp2(out):
    one = out[:1].dtype.type(1.0)
    two = one + one
    for k in range(len(out)):
        out[k] = one - two / (one + out[k])


@kernel
def _exp2_rows(T, most, store, slots, start):
    for r in range(T.shape[0]):
        _exp2_row(T[r], most, store[slots[r], start : start + T.shape[1]])


@kernel
def _tanh_rows(T, most, store, slots, start):
    for r in range(T.shape[0]):
        row = store[slots[r], start : start + T.shape[1]]
        _exp2_row(T[r], most, row)
        _tanh_of_exp2(row)


@kernel
def _power_rows(T, degree, store, slots, start):
    for r in range(T.shape[0]):
        _power_row(T[r], degree, store[slots[r], start : start + T.shape[1]])


# A kernel of each kind: who uses one kind does not wait for the others to be compiled.
def map_rows(T, code, degree, store, slots, start):
    """Kernel values of the products T[r, :], to store[slots[r], start:]."""
    if code == IDENTITY:
        store[slots, start : start + T.shape[1]] = T
    elif code == POWER:
        _power_rows(T, degree, store, slots, start)
    elif code == TANH:
        _tanh_rows(T, MOST32 if store.itemsize == 4 else MOST64, store, slots, start)
    else:
        _exp2_rows(T, 0.0, store, slots, start)


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
    tiles = _Tiles(left, right, code, degree)
    if code == EXP2:
        _add_exp2_products(left, right, delta, tiles.T, tiles.K, tiles.places, total)
        return
    for begin in range(0, right.shape[0], TILE_COLUMNS):
        end = min(begin + TILE_COLUMNS, right.shape[0])
        for first in range(0, left.shape[0], TILE_ROWS):
            stop = min(first + TILE_ROWS, left.shape[0])
            K, places = tiles.values(first, stop, begin, end)
            add_rows(K, places, delta[first:stop], 0, end - begin, total[begin:end])


# The same for the most usual kernel, which predictions wait for: one call for all tiles, as threads
# that come back to Python for each wait for each other.
@kernel
def _add_exp2_products(left, right, delta, T, K, places, total):
    for begin in range(0, right.shape[0], TILE_COLUMNS):
        end = min(begin + TILE_COLUMNS, right.shape[0])
        width = end - begin
        for first in range(0, left.shape[0], TILE_ROWS):
            stop = min(first + TILE_ROWS, left.shape[0])
            m = stop - first
            tile = T[: m * width].reshape(m, width)
            np.dot(left[first:stop], right[begin:end].T, tile)
            for r in range(m):
                _exp2_row(tile[r], 0.0, K[r, :width])
            add_rows(K, places[:m], delta[first:stop], np.int64(0), width, total[begin:end])


class _Tiles:
    """Small parts of a kernel matrix, each in the same memory as the last."""

    def __init__(self, left, right, code, degree):
        self.left, self.right, self.code, self.degree = left, right, code, degree
        rows, columns = min(TILE_ROWS, left.shape[0]), min(TILE_COLUMNS, right.shape[0])
        self.T = np.empty(rows * columns, dtype=left.dtype)
        self.K = np.empty((rows, columns), dtype=left.dtype)
        self.places = np.arange(rows)

    def values(self, first, stop, begin, end):
        """K[first:stop, begin:end] in the first rows and columns of a store, and their numbers."""
        m, width = stop - first, end - begin
        T, places = self.T[: m * width].reshape(m, width), self.places[:m]
        products(self.left[first:stop], self.right[begin:end], self.code, T)
        map_rows(T, self.code, self.degree, self.K, places, 0)
        return self.K, places


def add_symmetric(left, right, code, degree, beta, first, stop, total):
    """total += Kβ, the part of K[r, c] and K[c, r] with first ≤ r < stop and r ≤ c.

    Of a tile on the diagonal all is used, of one beside it both it and its mirror image. Columns
    beyond the rows have β = 0: of their tiles there is no mirror image.
    """
    n, tiles = left.shape[0], _Tiles(left, right, code, degree)
    for r in range(first, stop, TILE_ROWS):
        begin, end = r, min(r + TILE_ROWS, stop)
        own = slice(begin, end)
        while begin < right.shape[0]:
            width = end - begin
            K, places = tiles.values(own.start, own.stop, begin, end)
            if begin < n:
                total[own] += K[: len(places), :width] @ beta[begin:end]
            if begin > r:
                add_rows(K, places, beta[own], 0, width, total[begin:end])
            begin, end = end, min(end + TILE_COLUMNS, n if end < n else right.shape[0])


def fill_products(left, right, code, degree, store, slots, start):
    """store[slots[r], start:] = K[r, :] for the features of rows and columns, tile by tile."""
    T = np.empty((min(FILL_ROWS, left.shape[0]), right.shape[0]), dtype=left.dtype)
    for first in range(0, left.shape[0], FILL_ROWS):
        some = left[first : first + FILL_ROWS]
        part = T[: len(some)]
        products(some, right, code, part)
        map_rows(part, code, degree, store, slots[first : first + FILL_ROWS], start)


@kernel
def gather(K, rows, columns, store, slots, start):
    """store[slots[r], start:] = K[rows[r], columns]."""
    for r in range(len(rows)):
        source, target = K[rows[r]], store[slots[r]]
        for k in range(len(columns)):
            target[start + k] = source[columns[k]]
