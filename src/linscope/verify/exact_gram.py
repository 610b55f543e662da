"""Sums of products without rounding: G = Σ_i c_i a_i a_iᵀ in long integers.

Each column is cut into digits of 18 bits, x = 2^e Σ_k digit_k 2^(18k). Products of digits are whole
numbers below 2^36, so BLAS adds up 2^17 of them in floats without losing a bit:

    Σ_i a_ij a_ik = 2^(e_j + e_k) Σ_m 2^(18m) Σ_{p+q=m} Σ_i digit_p(a_ij) digit_q(a_ik)

Columns whose numbers span too many powers of two are added up as Python's integers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linscope.arithmetic.enclosures import dense, two_prod
from linscope.arithmetic.rational import as_integers
from linscope.rows.blocks import Block, Largest, Least

DIGIT = 18
MOST_ROWS = 1 << 17
# Floats of a block of digits.
BLOCK = 1 << 22
# Sums of products of digits are whole numbers of 64 bits for so many rows.
MOST_SUMMED = 1 << 24
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


def exact_gram(engine: Any, *, ones: bool = False) -> ExactGram:
    """G of the columns [1,] X, y of an engine's rows; the 1 only with ``ones``.

    >>> gram = gram_of(np.array([[1.0, 0.5], [1.0, 2.0**-60]]), np.zeros(0))
    >>> gram.numbers[1, 1] == 4**59 + 1, gram.exponent.tolist(), gram.power
    (True, [0, -60], 0)
    """
    if engine.n_rows > MOST_SUMMED:
        raise TooWide(f"more than {MOST_SUMMED:,} rows leave the range of the sums")
    low, top, power, highest = (each.value for each in engine.fold(_ranges, ones))
    low, top = np.where(low == ZERO, 0, low), np.where(low == ZERO, 1, top)
    power, highest = (int(power), int(highest)) if engine.weighted else (0, 0)
    count = int(np.max(top - low, initial=1)) // DIGIT + 1
    extra = (highest - power) // DIGIT + 2 if engine.weighted else 0
    if count + extra > MOST_DIGITS:
        return _by_integers(engine, ones, len(low))
    levels = engine.fold(_levels, ones, low, count, power, extra)
    numbers = np.zeros(levels.shape[1:], dtype=object)
    for level in levels[::-1]:
        numbers = (numbers << DIGIT) + level.astype(object)
    return ExactGram(numbers, low, power)


def gram_of(columns: np.ndarray, weight: np.ndarray) -> ExactGram:
    """G of columns that are here, with weights or none."""
    return exact_gram(_Here(Block(0, columns, None, weight)))


class _Here:
    """As much of an engine as the sums need, for one block."""

    def __init__(self, block: Block):
        self.block, self.n_rows, self.weighted = block, len(block.X), block.weighted

    def fold(self, task: Any, *arguments: Any) -> Any:
        return task(self.block, *arguments)

    def all_rows(self, who: str) -> Block:
        return self.block


def _columns(block: Block, ones: bool, rows: slice) -> np.ndarray:
    """[1,] X, y of some rows of a block."""
    X = dense(block.X[rows])
    parts = [np.ones((len(X), int(ones))), X]
    return np.hstack(parts if block.y is None else [*parts, block.y[rows]])


def _pieces(block: Block, step: int) -> list[slice]:
    return [slice(first, first + step) for first in range(0, block.X.shape[0], step)]


def _ranges(block: Block, ones: bool) -> tuple[Least, Largest, Least, Largest]:
    """Exponents of the lowest bit and above the highest of each column, and of the weights."""
    p = _columns(block, ones, slice(0, 0)).shape[1]
    low, top = np.full(p, ZERO), np.full(p, -ZERO)
    for rows in _pieces(block, max(1, BLOCK // max(1, p))):
        lowest, highest = _range(_columns(block, ones, rows))
        low, top = np.minimum(low, lowest), np.maximum(top, highest)
    least, most = _range(block.weight[:, None])
    return Least(low), Largest(top), Least(least[0]), Largest(most[0])


def _range(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mantissa, exponent = np.frexp(columns)
    exponent = exponent.astype(np.int64)
    m = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = np.frexp((m & -m).astype(np.float64))[1] - 54 + exponent
    low = np.where(m == 0, ZERO, lowest).min(axis=0, initial=ZERO)
    return low, np.where(m == 0, -ZERO, exponent).max(axis=0, initial=-ZERO)


def _levels(block: Block, ones: bool, low: np.ndarray, count: int, power: int, extra: int):
    levels = np.zeros((2 * count + extra, len(low), len(low)), dtype=np.int64)
    step = max(64, min(MOST_ROWS, BLOCK // ((2 * count + extra) * len(low))))
    for rows in _pieces(block, step):
        part = _columns(block, ones, rows)
        _add_block(levels, part, block.weight[rows], low, count, power, extra)
    return levels


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


def _by_integers(engine: Any, ones: bool, p: int) -> ExactGram:
    if engine.n_rows * p**2 > MOST_PRODUCTS:
        raise TooWide("a column spans too many powers of two")
    block = engine.all_rows("a sum of numbers that span so many powers of two")
    A, exponent = as_integers(_columns(block, ones, slice(None)))
    if not block.weighted:
        return ExactGram(A.T.dot(A), np.array(exponent), 0)
    C, power = as_integers(block.weight.reshape(-1, 1))
    return ExactGram((A * C).T.dot(A), np.array(exponent), power[0])
