"""Sums of products without rounding: G = Σ_i c_i a_i a_iᵀ in long integers.

Each column is cut into digits of 18 bits, x = 2^e Σ_k digit_k 2^(18k). Products of digits are whole
numbers below 2^36, so BLAS adds up 2^17 of them in floats without losing a bit:

    Σ_i a_ij a_ik = 2^(e_j + e_k) Σ_m 2^(18m) Σ_{p+q=m} Σ_i digit_p(a_ij) digit_q(a_ik)

Columns whose numbers span too many powers of two are added up as Python's integers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linscope.arithmetic.enclosures import two_prod
from linscope.arithmetic.rational import as_integers

DIGIT = 18
MOST_ROWS = 1 << 17
# Floats of a block of digits.
BLOCK = 1 << 22
# So many digits take no longer than Python's integers, and stay in the range of floats.
MOST_DIGITS = 24
# Products of Python's integers that take about a second.
MOST_PRODUCTS = 5_000_000
ZERO = np.iinfo(np.int64).max // 4


class TooWide(ValueError):
    """The numbers of a column span so many powers of two that exact sums would take too long."""


class ExactGram(NamedTuple):
    """G_jk = numbers_jk · 2^(exponent_j + exponent_k + power)."""

    numbers: np.ndarray
    exponent: np.ndarray
    power: int


def exact_gram(columns: Any, weight: np.ndarray | None = None) -> ExactGram:
    """G of the columns (n, p) of floats.

    >>> gram = exact_gram(np.array([[1.0, 0.5], [1.0, 2.0**-60]]))
    >>> gram.numbers[1, 1] == 4**59 + 1, gram.exponent.tolist(), gram.power
    (True, [0, -60], 0)
    """
    c = np.zeros(0) if weight is None else np.asarray(weight, dtype=np.float64)
    low, top = _range(columns)
    power, highest = 0, 0
    if len(c):
        (power,), (highest,) = (v.tolist() for v in _range(c[:, None]))
    count = int(np.max(top - low, initial=1)) // DIGIT + 1
    extra = (highest - power) // DIGIT + 2 if len(c) else 0
    if count + extra > MOST_DIGITS:
        return _by_integers(columns, c)
    step = max(64, min(MOST_ROWS, BLOCK // ((2 * count + extra) * len(low))))
    levels = np.zeros((2 * count + extra, len(low), len(low)), dtype=np.int64)
    for first in range(0, columns.shape[0], step):
        part = _dense(columns[first : first + step])
        _add_block(levels, part, c[first : first + step], low, count, power, extra)
    numbers = np.zeros(levels.shape[1:], dtype=object)
    for level in levels[::-1]:
        numbers = (numbers << DIGIT) + level.astype(object)
    return ExactGram(numbers, low, int(power))


def _dense(part: Any) -> np.ndarray:
    return np.asarray(part.toarray() if sparse.issparse(part) else part, dtype=np.float64)


def _range(columns: Any) -> tuple[np.ndarray, np.ndarray]:
    """Exponents of the lowest bit and above the highest of each column; 0 and 1 if it is 0."""
    p = columns.shape[1]
    low, top = np.full(p, ZERO), np.full(p, -ZERO)
    step = max(1, BLOCK // max(1, p))
    for first in range(0, columns.shape[0], step):
        mantissa, exponent = np.frexp(_dense(columns[first : first + step]))
        exponent = exponent.astype(np.int64)
        m = np.ldexp(mantissa, 53).astype(np.int64)
        lowest = np.frexp((m & -m).astype(np.float64))[1] - 54 + exponent
        low = np.minimum(low, np.where(m == 0, ZERO, lowest).min(axis=0, initial=ZERO))
        top = np.maximum(top, np.where(m == 0, -ZERO, exponent).max(axis=0, initial=-ZERO))
    return np.where(low == ZERO, 0, low), np.where(low == ZERO, 1, top)


def _digits(values: np.ndarray, low: np.ndarray, count: int) -> np.ndarray:
    """(n, count, p): digits of the values, lowest first, about 0."""
    out = np.empty((len(values), count, values.shape[1]))
    rest = np.ldexp(values, -(low + DIGIT * count))
    for k in range(count - 1, -1, -1):
        rest = rest * 2.0**DIGIT
        out[:, k] = np.rint(rest)
        rest = rest - out[:, k]
    return out


def _add_block(levels, A, c, low, count, power, extra) -> None:
    p = A.shape[1]
    right = _digits(A, low, count)
    left, wide = right, count
    if len(c):
        wide = count + extra
        # Near 1 nothing underflows; a power of two moves no bit.
        near = np.ldexp(A, -(low + DIGIT * count // 2))
        head, tail = two_prod(near, np.ldexp(c, -power - (extra * DIGIT) // 2)[:, None])
        scale = low + power - (low + DIGIT * count // 2) - power - (extra * DIGIT) // 2
        left = _digits(head, scale, wide) + _digits(tail, scale, wide)
    sums = left.reshape(len(A), -1).T @ right.reshape(len(A), -1)
    sums = sums.reshape(wide, p, count, p).astype(np.int64)
    for k in range(wide):
        for l in range(count):
            levels[k + l] += sums[k, :, l]


def _by_integers(columns: Any, c: np.ndarray) -> ExactGram:
    if columns.shape[0] * columns.shape[1] ** 2 > MOST_PRODUCTS:
        raise TooWide("a column spans too many powers of two")
    A, exponent = as_integers(_dense(columns))
    if not len(c):
        return ExactGram(A.T.dot(A), np.array(exponent), 0)
    C, power = as_integers(c.reshape(-1, 1))
    return ExactGram((A * C).T.dot(A), np.array(exponent), power[0])
