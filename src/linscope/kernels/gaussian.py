"""Gaussian kernel values from products of features, and sums of them, in one compiled call.

    2^t = 2^n 2^f        t = left·right, n the nearest integer, |f| ≤ ½

2^f is a polynomial, 2^n an exponent field: loops without calls, so that the compiler makes vectors
of them; some times faster than ``np.exp``, and at most 2 units of the last place off.

A tile's products, values and sums are one call, with the products of SciPy's BLAS: threads that
come back to Python in between wait for each other.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import get_cython_function_address, intrinsic, overload

from linscope._compiling import kernel

# Tiles of values: larger ones leave the cache.
ROWS, COLUMNS = 64, 640
NO_PLACES, NO_SUMS = np.empty(0, np.int64), np.empty(0)

# 2^f = 1 + f·(A0 + A1 f + …): interpolation at Chebyshev points, relative error 5e-9.
A0, A1, A2 = np.float32(0.69314718803), np.float32(0.24022650761), np.float32(0.055503571142)
A3, A4, A5 = np.float32(0.0096180825573), np.float32(0.0013390863365), np.float32(1.5453162940e-4)
ZERO32, ONE32, HALF32, LEAST32 = (np.float32(v) for v in (0.0, 1.0, 0.5, -126.0))
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


# In place: what leaves the cache costs more than the arithmetic. Loops in functions of their own:
# inside another one the compiler runs out of registers.
@kernel(fastmath={"contract"})
def _exp2_single(t, count, most):
    for k in range(count):
        x = min(max(t[k], LEAST32), most)
        n = np.floor(x + HALF32)
        f = x - n
        p = ((((A5 * f + A4) * f + A3) * f + A2) * f + A1) * f + A0
        t[k] = (p * f + ONE32) * _power_of_two(n)


@kernel(fastmath={"contract"})
def _exp2_double(t, count, most):
    for k in range(count):
        x = min(max(t[k], -1022.0), most)
        n = np.floor(x + 0.5)
        f = x - n
        p = ((((B13 * f + B12) * f + B11) * f + B10) * f + B9) * f + B8
        p = (((((((p * f + B7) * f + B6) * f + B5) * f + B4) * f + B3) * f + B2) * f) + B1
        t[k] = (p * f + 1.0) * _power_of_two(n)


def exp2(t, most):
    """t ← 2^t for t up to ``most``; t is an array in C order."""
    flat = t.reshape(-1)
    if t.itemsize == 4:
        _exp2_single(flat, len(flat), np.float32(most))
    else:
        _exp2_double(flat, len(flat), np.float64(most))


def _powers(t, count):
    """t[:count] ← 2^t for t up to 0; compiled code only."""
    raise NotImplementedError


@overload(_powers)
def _powers_of_type(t, count):
    if t.dtype == types.float32:
        return lambda t, count: _exp2_single(t, count, ZERO32)
    return lambda t, count: _exp2_double(t, count, 0.0)


@cache
def _gemm(kind: np.dtype) -> int:
    """The address of BLAS's product of matrices of floats."""
    name = "sgemm" if kind == np.float32 else "dgemm"
    return get_cython_function_address("scipy.linalg.cython_blas", name)


# BLAS sees matrices by columns: outᵀ = right leftᵀ, where ``right`` is to be turned round.
@intrinsic
def _times(typingctx: Any, gemm: Any, left: Any, first: Any, m: Any, right: Any, begin: Any,
           width: Any, out: Any) -> Any:  # fmt: skip
    """out[:m, :width] = left[first : first + m] right[begin : begin + width]ᵀ."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, _, start, rows, _, at, columns, _ = arguments
        a, b, c = (
            context.make_array(signature.args[k])(context, builder, arguments[k]) for k in (1, 4, 7)
        )
        short, byte = ir.IntType(32), ir.IntType(8)
        real = context.get_value_type(signature.args[1].dtype)
        depth = builder.extract_value(a.shape, 1)

        def number(value: Any, kind: Any) -> Any:
            with builder.goto_entry_block():  # inside a loop each turn would take more of the stack
                place = builder.alloca(kind)
            builder.store(value, place)
            return place

        def size(value: Any) -> Any:
            return number(builder.trunc(value, short), short)

        B, S, R = (kind.as_pointer() for kind in (byte, short, real))
        kind = ir.FunctionType(ir.VoidType(), [B, B, S, S, S, R, R, S, R, S, R, R, S])
        function = builder.inttoptr(address, kind.as_pointer())
        k, step = size(depth), size(builder.extract_value(c.shape, 1))
        x = builder.gep(a.data, [builder.mul(start, depth)])
        z = builder.gep(b.data, [builder.mul(at, depth)])
        builder.call(function, [
            number(byte(ord("T")), byte), number(byte(ord("N")), byte), size(columns), size(rows),
            k, number(real(1.0), real), z, k, x, k, number(real(0.0), real), c.data, step,
        ])  # fmt: skip
        return context.get_dummy_value()

    long = types.int64
    places = long, left, long, long, right, long, long, out
    return types.void(*places), codegen


def add_rows(store, slots, delta, start, stop, total):
    """total += Σ_s delta[s]·store[slots[s], start:stop]."""
    _add_rows(store, slots, delta, start, np.empty(stop - start, store.dtype), total)


# ``sums`` is room for a row: compilers take their time over new arrays.
@kernel(fastmath={"contract"})
def _add_rows(store, slots, delta, start, sums, total):
    """Four rows at a time, in the precision of the values."""
    width = len(sums)
    stop, m = start + width, len(slots) - len(slots) % 4
    for k in range(width):
        sums[k] = 0.0
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


@kernel
def _tiles(gemm, left, right, tile, flat, store, slots, start, delta, places, sums, total):
    """Tile by tile: values to ``store``, if there are ``slots``; to ``total``, if ``delta``.

    ``tile`` and ``flat`` are one memory.
    """
    rows, columns = tile.shape
    for begin in range(0, len(right), columns):
        w, at = min(columns, len(right) - begin), start + begin
        for first in range(0, len(left), rows):
            m = min(rows, len(left) - first)
            _times(gemm, left, first, m, right, begin, w, tile)
            _powers(flat, m * columns)
            if len(slots):
                for i in range(m):
                    target, source = store[slots[first + i], at : at + w], tile[i]
                    for k in range(w):
                        target[k] = source[k]
            else:
                own, part = delta[first : first + m], total[begin : begin + w]
                _add_rows(tile, places[:m], own, places[0], sums[:w], part)


def fill_powers(left, right, store, slots, start):
    """store[slots[r], start:] = 2^(left[r]·right), all of one type of floats."""
    nothing = np.empty(0, store.dtype)
    _run(left, right, (store, slots, start), (nothing, NO_PLACES, nothing, NO_SUMS))


def add_powers(left, right, delta, total):
    """total += Σ_r delta[r]·2^(left[r]·right), for features and coefficients of one type."""
    nothing, sums = np.empty((0, 0), left.dtype), np.empty(COLUMNS, left.dtype)
    _run(left, right, (nothing, NO_PLACES, 0), (delta, np.arange(ROWS), sums, total))


def _run(left, right, filled, added):
    # Tiles of one width: the values of all columns of a tile are worked out, used or not.
    m, n = max(1, min(ROWS, len(left))), max(1, len(right))
    tile = np.zeros((m, -(-n // -(-n // COLUMNS))), left.dtype)
    _tiles(_gemm(left.dtype), left, right, tile, tile.reshape(-1), *filled, *added)
