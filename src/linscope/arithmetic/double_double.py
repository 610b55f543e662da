"""Double-double arithmetic: a number is the sum hi + lo of two floats, about 32 digits.

The building blocks are free of error: ``two_sum`` and ``two_prod`` return the rounded result and
exactly what rounding lost. Products use the fused multiply-add, so nothing here may be compiled
with ``fastmath``.

    a + b = s + e          s = fl(a + b)
    a · b = p + e          p = fl(a · b),  e = fma(a, b, −p)

One operation on pairs loses at most a few units of u² (u = 2⁻⁵³).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from linscope._compiling import kernel

# Relative error of one operation on pairs, with room to spare.
UNIT = 2.0**-53
UNIT2 = 2.0**-104


class Pair(NamedTuple):
    """An array of numbers hi + lo."""

    hi: np.ndarray
    lo: np.ndarray

    @classmethod
    def of(cls, values) -> Pair:
        hi = np.array(values, dtype=np.float64)
        return cls(hi, np.zeros_like(hi))

    @classmethod
    def of_fractions(cls, values: np.ndarray) -> Pair:
        """Fractions rounded to pairs."""
        hi = np.array(values, dtype=np.float64)
        rest = [v - Fraction(h) for v, h in zip(values.ravel(), hi.ravel().tolist(), strict=True)]
        return cls(hi, np.array(rest, dtype=np.float64).reshape(hi.shape))

    def scaled(self, exponents) -> Pair:
        """Times powers of two: exact, unless a number leaves the range of floats."""
        return Pair(np.ldexp(self.hi, exponents), np.ldexp(self.lo, exponents))

    def part(self, *where) -> Pair:
        return Pair(np.ascontiguousarray(self.hi[where]), np.ascontiguousarray(self.lo[where]))

    def plus(self, other: Pair) -> Pair:
        """Elementwise sum.

        >>> tiny = Pair.of([1.0]).plus(Pair.of([1e-20]))
        >>> float(tiny.hi[0]), float(tiny.lo[0])
        (1.0, 1e-20)
        """
        hi, lo = np.empty_like(self.hi), np.empty_like(self.lo)
        _add_arrays(
            self.hi.ravel(),
            self.lo.ravel(),
            other.hi.ravel(),
            other.lo.ravel(),
            hi.ravel(),
            lo.ravel(),
        )
        return Pair(hi, lo)

    def times(self, factor) -> Pair:
        """Elementwise product with floats."""
        factor = np.broadcast_to(factor, self.hi.shape).ravel()
        hi, lo = np.empty_like(self.hi), np.empty_like(self.lo)
        _multiply_arrays(self.hi.ravel(), self.lo.ravel(), factor, hi.ravel(), lo.ravel())
        return Pair(hi, lo)

    def finite(self) -> bool:
        return bool(np.isfinite(self.hi).all())


@intrinsic
def _fma(typingctx, a, b, c):
    """a·b + c with one rounding."""

    def codegen(context, builder, signature, arguments):
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), codegen


fma: Any = _fma


@kernel
def two_sum(a, b):
    s = a + b
    z = s - a
    return s, (a - (s - z)) + (b - z)


@kernel
def quick_two_sum(a, b):
    """two_sum for |a| ≥ |b|."""
    s = a + b
    return s, b - (s - a)


@kernel
def two_prod(a, b):
    p = a * b
    return p, fma(a, b, -p)


@kernel
def add(ah, al, bh, bl):
    s, e = two_sum(ah, bh)
    t, f = two_sum(al, bl)
    s, e = quick_two_sum(s, e + t)
    return quick_two_sum(s, e + f)


@kernel
def mul(ah, al, bh, bl):
    p, e = two_prod(ah, bh)
    return quick_two_sum(p, e + (ah * bl + al * bh))


@kernel
def div(ah, al, bh, bl):
    q = ah / bh
    ph, pl = mul(q, 0.0, bh, bl)
    rh, rl = add(ah, al, -ph, -pl)
    return quick_two_sum(q, (rh + rl) / bh)


@kernel
def root(ah, al):
    """√a for a > 0, by one Newton step from the float."""
    s = np.sqrt(ah)
    ph, pl = two_prod(s, s)
    rh, rl = add(ah, al, -ph, -pl)
    return quick_two_sum(s, (rh + rl) / (2.0 * s))


@kernel
def _add_arrays(ah, al, bh, bl, hi, lo):
    for i in range(len(ah)):
        hi[i], lo[i] = add(ah[i], al[i], bh[i], bl[i])


@kernel
def _multiply_arrays(ah, al, factor, hi, lo):
    for i in range(len(ah)):
        hi[i], lo[i] = mul(ah[i], al[i], factor[i], 0.0)


@kernel
def add_gram(H, L, weight, Gh, Gl):
    """G ← G + Σ_i c_i a_i a_iᵀ, upper half, for rows a_i = H_i + L_i; no weights: all are 1.

    Two rows at a time, so that G is read and written half as often.
    """
    n, p = H.shape
    weighted = len(weight) > 0
    left, rest = np.zeros((2, p)), np.zeros((2, p))
    for first in range(0, n, 2):
        last = min(first + 1, n - 1)
        for r in range(2):
            i = first + r
            for j in range(p):
                if i >= n:
                    left[r, j], rest[r, j] = 0.0, 0.0
                elif weighted:
                    left[r, j], rest[r, j] = mul(H[i, j], L[i, j], weight[i], 0.0)
                else:
                    left[r, j], rest[r, j] = H[i, j], L[i, j]
        for j in range(p):
            a0, l0, a1, l1 = left[0, j], rest[0, j], left[1, j], rest[1, j]
            for k in range(j, p):
                s, e = Gh[j, k], Gl[j, k]
                b = H[first, k]
                q = a0 * b
                t = s + q
                z = t - s
                e += (fma(a0, b, -q) + (a0 * L[first, k] + l0 * b)) + ((s - (t - z)) + (q - z))
                s = t
                b = H[last, k]
                q = a1 * b
                t = s + q
                z = t - s
                e += (fma(a1, b, -q) + (a1 * L[last, k] + l1 * b)) + ((s - (t - z)) + (q - z))
                h = t + e
                Gh[j, k] = h
                Gl[j, k] = e - (h - t)


@kernel
def solve_lower(R: Pair, B: Pair):
    """Rᵀ Z = B for upper triangular R, in place of B."""
    p, t = B.hi.shape
    for c in range(t):
        for j in range(p):
            h, l = B.hi[j, c], B.lo[j, c]
            for i in range(j):
                qh, ql = mul(R.hi[i, j], R.lo[i, j], B.hi[i, c], B.lo[i, c])
                h, l = add(h, l, -qh, -ql)
            B.hi[j, c], B.lo[j, c] = div(h, l, R.hi[j, j], R.lo[j, j])


@kernel
def solve_upper(R: Pair, B: Pair):
    """R Z = B for upper triangular R, in place of B."""
    p, t = B.hi.shape
    for c in range(t):
        for j in range(p - 1, -1, -1):
            h, l = B.hi[j, c], B.lo[j, c]
            for i in range(j + 1, p):
                qh, ql = mul(R.hi[j, i], R.lo[j, i], B.hi[i, c], B.lo[i, c])
                h, l = add(h, l, -qh, -ql)
            B.hi[j, c], B.lo[j, c] = div(h, l, R.hi[j, j], R.lo[j, j])


@kernel
def product(A: Pair, B: Pair, out: Pair):
    """out = A B."""
    n, p = A.hi.shape
    t = B.hi.shape[1]
    for i in range(n):
        for c in range(t):
            h, l = 0.0, 0.0
            for j in range(p):
                qh, ql = mul(A.hi[i, j], A.lo[i, j], B.hi[j, c], B.lo[j, c])
                h, l = add(h, l, qh, ql)
            out.hi[i, c], out.lo[i, c] = h, l
