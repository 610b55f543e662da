"""Exact arithmetic: a float64 is a rational number m·2^e, and these routines never round it.

Matrices of Python integers are NumPy object arrays. Elimination is fraction-free (Bareiss): every
entry that appears is a minor of the matrix, so numbers stay as short as they can and every
division is exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd, isqrt, lcm

import numpy as np

from .dixon import solve_by_lifting

# square systems from this size on are solved by lifting instead of elimination
LARGE = 16


def power_of_two(exponent: int) -> Fraction:
    """2^exponent for any integer exponent.

    >>> power_of_two(-2)
    Fraction(1, 4)
    """
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def times_powers(values: Iterable, exponents: Iterable[int]) -> list[Fraction]:
    """v_j·2^e_j for each j.

    >>> times_powers([3, Fraction(1, 3)], [-1, 1])
    [Fraction(3, 2), Fraction(2, 3)]
    """
    return [v * power_of_two(int(e)) for v, e in zip(values, exponents, strict=True)]


def magnitude(value: Fraction) -> int:
    """An exponent e with 2^(e-1) < |value| < 2^(e+1); value must not be 0."""
    return abs(value.numerator).bit_length() - value.denominator.bit_length()


def largest_magnitude(values: Iterable[Fraction], exponents: Iterable[int]) -> int:
    """The largest magnitude of v_j·2^e_j; 0 if all are 0."""
    pairs = zip(values, exponents, strict=True)
    return max((magnitude(v) + e for v, e in pairs if v), default=0)


def as_integers(A, common: bool = False) -> tuple[np.ndarray, list[int]]:
    """Integers M and exponents e with A[i, j] = M[i, j]·2^e[j] exactly.

    With ``common=True`` all columns share one exponent.

    >>> M, e = as_integers([[0.5, 3.0], [2.0, 12.0]])
    >>> M.tolist(), e
    ([[1, 3], [4, 12]], [-1, 0])
    """
    mantissa, exponent = np.frexp(np.asarray(A, dtype=np.float64))
    m = np.ldexp(mantissa, 53).astype(np.int64)
    zeros = np.frexp((m & -m).astype(np.float64))[1] - 1
    zeros[m == 0] = 0
    m >>= zeros
    e = exponent.astype(np.int64) - 53 + zeros
    nothing = np.iinfo(np.int64).max
    e[m == 0] = nothing
    low = e.min(axis=0, initial=nothing)
    if common:
        low[:] = low.min(initial=nothing)
    low[low == nothing] = 0
    shift = np.where(m == 0, 0, e - low)
    return m.astype(object) << shift.astype(object), [int(v) for v in low]


def dot(a: Iterable[Fraction], b: Iterable[Fraction]) -> Fraction:
    """Σ a_i b_i."""
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), Fraction(0))


def clear_denominators(values) -> tuple[list[int], int]:
    """Integers v·L and the common denominator L of some fractions.

    >>> clear_denominators([Fraction(1, 2), Fraction(2, 3)])
    ([3, 4], 6)
    """
    common = lcm(*(v.denominator for v in values))
    return [v.numerator * (common // v.denominator) for v in values], common


def echelon(matrix) -> tuple[np.ndarray, list[int], int]:
    """Fraction-free Gauss-Jordan elimination of an integer matrix.

    Returns (E, pivots, D): row r of E has D in column pivots[r] and 0 in the other pivot columns;
    E/D is the reduced row echelon form and has len(pivots) = rank rows.
    """
    E = np.array(matrix, dtype=object, copy=True)
    pivots: list[int] = []
    previous = 1
    for column in range(E.shape[1]):
        r = len(pivots)
        if r == len(E):
            break
        below = [i for i in range(r, len(E)) if E[i, column] != 0]
        if not below:
            continue
        best = min(below, key=lambda i: abs(E[i, column]))
        if best != r:
            E[[r, best]] = E[[best, r]]
        previous = pivot(E, r, column, previous)
        pivots.append(column)
    return E[: len(pivots)], pivots, previous


def pivot(E: np.ndarray, r: int, c: int, previous: int) -> int:
    """One fraction-free step in place: clear column c outside row r; returns the new divisor."""
    p, row = E[r, c], E[r].copy()
    used = np.flatnonzero(row != 0)
    column = E[:, c].copy()
    if p != previous:
        rest = np.flatnonzero(row == 0)
        E[:, rest] = E[:, rest] * p // previous
    E[:, used] = (E[:, used] * p - np.multiply.outer(column, row[used])) // previous
    E[r] = row
    return p


def null_space(matrix) -> list[list[int]]:
    """Basis of {u : matrix·u = 0}, as integer vectors without common factor.

    >>> null_space([[1, 2, 3], [2, 4, 6]])
    [[-2, 1, 0], [-3, 0, 1]]
    """
    E, pivots, D = echelon(matrix)
    width = np.shape(matrix)[1]
    basis = []
    for free in sorted(set(range(width)) - set(pivots)):
        u = [0] * width
        u[free] = D
        for r, c in enumerate(pivots):
            u[c] = -E[r, free]
        basis.append(primitive(u if D > 0 else [-v for v in u]))
    return basis


def primitive(vector) -> list[int]:
    """The integer vector divided by its greatest common divisor."""
    common = gcd(*vector) or 1
    return [int(v) // common for v in vector]


def solve(matrix, right) -> list[Fraction] | None:
    """One solution of matrix·x = right (free unknowns 0), None if there is none.

    >>> solve([[2, 1], [0, 4]], [3, 2])
    [Fraction(5, 4), Fraction(1, 2)]
    """
    A = np.array(matrix, dtype=object)
    if len(A) == A.shape[1] >= LARGE:
        lifted = solve_by_lifting(A, np.array(right, dtype=object))
        if lifted is not None:
            return [Fraction(v, lifted[1]) for v in lifted[0]]
    E, pivots, D = echelon(np.column_stack([A, np.array(right, dtype=object)]))
    if pivots and pivots[-1] == A.shape[1]:
        return None
    x = [Fraction(0)] * A.shape[1]
    for r, c in enumerate(pivots):
        x[c] = Fraction(int(E[r, -1]), int(D))
    return x


def sqrt_down(value: Fraction) -> float:
    """The square root rounded to a float64 that is not above it (relative error < 2^-51).

    >>> sqrt_down(Fraction(9, 4))
    1.5
    """
    return _sqrt(value, up=False)


def sqrt_up(value: Fraction) -> float:
    """The square root rounded to a float64 that is not below it (relative error < 2^-51)."""
    return _sqrt(value, up=True)


def _sqrt(value: Fraction, up: bool) -> float:
    if value == 0:
        return 0.0
    # shift so that the integer root has at least 64 bits, by an even power of two
    half = (130 - magnitude(value)) // 2 + 1
    scaled = value * power_of_two(2 * half)
    root = isqrt(scaled.numerator // scaled.denominator)
    try:
        near = float(Fraction(root) * power_of_two(-half))
    except OverflowError:
        raise ValueError("a norm exceeds float64: divide X by a power of 2, say 2.0**200") from None
    square = Fraction(near) ** 2
    if up and square < value:
        return float(np.nextafter(near, np.inf))
    if not up and square > value:
        return float(np.nextafter(near, 0.0))
    return near


def as_float(value: Fraction) -> float:
    """The nearest float; ±∞ beyond their range."""
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def round_up(value: Fraction) -> float | int:
    """A float64 not below the value; a Python integer where no float64 is large enough."""
    try:
        near = float(value)
    except OverflowError:
        return -(-value.numerator // value.denominator)
    return near if Fraction(near) >= value else float(np.nextafter(near, np.inf))
