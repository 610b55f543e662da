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
        return cls(hi, np.zeros(hi.shape))

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
        out = Pair(np.array(self.hi, order="C"), np.array(self.lo, order="C"))
        _add_product(*ONE, *(part.reshape(1, -1) for part in (*other, *out)))
        return out

    def turned(self) -> Pair:
        """The transpose."""
        return Pair(np.ascontiguousarray(self.hi.T), np.ascontiguousarray(self.lo.T))

    def minus(self) -> Pair:
        return Pair(-self.hi, -self.lo)

    def finite(self) -> bool:
        return bool(np.isfinite(self.hi).all())


ONE = Pair.of([[1.0]])


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
def add_row(ah, al, Bh, Bl, i, Ch, Cl, j, first):
    """C_j ← C_j + a B_i, from the column ``first`` on."""
    for k in range(first, Bh.shape[1]):
        qh, ql = mul(ah, al, Bh[i, k], Bl[i, k])
        Ch[j, k], Cl[j, k] = add(Ch[j, k], Cl[j, k], qh, ql)


@kernel
def _add_product(Ah, Al, Bh, Bl, Ch, Cl):
    for i in range(Ah.shape[0]):
        for k in range(Ah.shape[1]):
            if Ah[i, k] != 0.0:
                add_row(Ah[i, k], Al[i, k], Bh, Bl, k, Ch, Cl, i, np.int64(0))


def product(A: Pair, B: Pair, start: Pair | None = None) -> Pair:
    """``start`` + A B, the terms added one by one; zeros in A cost nothing.

    The inner loop runs over the columns of B: of a product with one column take the transpose.

    >>> tiny = product(Pair.of([[1.0, 1e-20]]), Pair.of([[1.0], [1.0]]))
    >>> float(tiny.hi[0, 0]), float(tiny.lo[0, 0])
    (1.0, 1e-20)
    """
    shape = len(A.hi), B.hi.shape[1]
    start = Pair(np.zeros(shape), np.zeros(shape)) if start is None else start
    out = Pair(np.array(start.hi, order="C"), np.array(start.lo, order="C"))
    _add_product(*map(np.ascontiguousarray, (*A, *B)), *out)
    return out


@kernel
def add_gram(H, L, weight, Gh, Gl):
    """G ← G + Σ_i c_i a_i a_iᵀ, upper half, for rows a_i = H_i + L_i; no weights: all are 1.

    Two rows at a time, so that G is read and written half as often.
    """
    n, p = H.shape
    weighted = len(weight) > 0
    for first in range(0, n, 2):
        last = first + 1 if first + 1 < n else first
        c0, c1 = 1.0, 1.0
        if weighted:
            c0, c1 = weight[first], weight[last]
        if last == first:
            c1 = 0.0
        for j in range(p):
            a0, l0 = mul(H[first, j], L[first, j], c0, 0.0)
            a1, l1 = mul(H[last, j], L[last, j], c1, 0.0)
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
def _solve_upper(Rh, Rl, Bh, Bl):
    p, t = Bh.shape
    for j in range(p - 1, -1, -1):
        for i in range(j + 1, p):
            add_row(-Rh[j, i], -Rl[j, i], Bh, Bl, i, Bh, Bl, j, np.int64(0))
        for c in range(t):
            Bh[j, c], Bl[j, c] = div(Bh[j, c], Bl[j, c], Rh[j, j], Rl[j, j])


def solve_upper(R: Pair, B: Pair) -> Pair:
    """R Z = B for upper triangular R."""
    Z = Pair(np.array(B.hi, order="C"), np.array(B.lo, order="C"))
    _solve_upper(*map(np.ascontiguousarray, R), *Z)
    return Z


def solve_lower(R: Pair, B: Pair) -> Pair:
    """Rᵀ Z = B for upper triangular R: rows and columns in the order of the last first."""
    turned = Pair(R.hi.T[::-1, ::-1], R.lo.T[::-1, ::-1])
    Z = solve_upper(turned, Pair(B.hi[::-1], B.lo[::-1]))
    return Pair(Z.hi[::-1], Z.lo[::-1])
