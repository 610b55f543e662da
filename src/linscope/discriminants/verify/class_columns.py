"""Mean and variance of every column within every class, with a bound of their errors.

    m = Σ w x / W        v = Σ w (x − m)² / W = Σ w z² / W − δ²      z = x − a,  δ = Σ w z / W

for any float a; near the mean δ is small and nothing cancels. Sums are taken over blocks, so that
a number goes through about 2√n additions at most, which bounds the rounding. Where that leaves a
question open, ``exact_column`` answers it in whole numbers.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from linscope.arithmetic.enclosures import Ball, dense, gamma
from linscope.arithmetic.rational import as_integers, power_of_two
from linscope.rows.blocks import Block, Largest

from .class_rows import ClassRows

# Tables of fewer numbers are looked at in whole numbers at once.
SMALL = 20_000
# Numbers in a block of rows.
BLOCK = 1 << 20
# With such distances from the mean nothing leaves the range of floats, and with such sums of
# squares what underflows does not count.
LEAST, MOST = 1e-250, 1e120


class Moments(NamedTuple):
    """Of one class: its mean is ``origin + offset``."""

    origin: np.ndarray
    offset: Ball
    variance: Ball


class Sums(NamedTuple):
    """Σ w z, Σ w |z|, Σ w z² and the largest |z| of each column."""

    powers: np.ndarray
    largest: np.ndarray

    def plus(self, other: Sums) -> Sums:
        return Sums(self.powers + other.powers, np.maximum(self.largest, other.largest))


def class_moments(rows: ClassRows, k: int) -> Moments:
    """Moments of the columns of class k in floats; no bound (∞) where squares leave the range."""
    engine, d = rows.engines[k], rows.n_features
    unit = -int(np.frexp(engine.fold(_heaviest).value)[1]) if engine.weighted else 0
    total = np.ldexp(rows.totals[k], unit)
    step = max(1, min(BLOCK // max(1, d), max(256, int(engine.n_rows**0.5))))
    origin = np.zeros(d)
    for _ in range(2):  # the first time about 0, then about the mean that came out
        sums, largest = engine.fold(_block_sums, origin, unit, step)
        last, origin = origin, origin + sums[0] / total
    longest = max(engine.sizes)
    path = gamma(max(8, min(step, longest)) + longest // step + 1 + len(engine.sizes) + 8)
    offset = Ball.safe(sums[0] / total, path * sums[1] / total)
    square = Ball.safe(sums[2] / total, path * sums[2] / total)
    variance = square - offset * offset
    fine = (largest == 0) | ((sums[2] > LEAST) & (largest < MOST))
    return Moments(last, offset, Ball(variance.mid, np.where(fine, variance.rad, np.inf)))


def _heaviest(block: Block) -> Largest:
    return Largest(block.weight.max(initial=0.0))


def _block_sums(block: Block, origin: np.ndarray, unit: int, step: int) -> Sums:
    """About the origin, with weights times 2^unit; ``step`` rows at a time."""
    out = Sums(np.zeros((3, len(origin))), np.zeros(len(origin)))
    for first in range(0, block.X.shape[0], step):
        rows = slice(first, first + step)
        z = dense(block.X[rows]) - origin
        wz = np.ldexp(block.weight[rows], unit)[:, None] * z if block.weighted else z
        powers = np.array([wz.sum(axis=0), np.abs(wz).sum(axis=0), (wz * z).sum(axis=0)])
        out = out.plus(Sums(powers, np.abs(z).max(axis=0)))
    return out


class Column(NamedTuple):
    """Of a column within a class, without rounding."""

    total: Fraction
    mean: Fraction
    variance: Fraction


def exact_column(rows: ClassRows, k: int, j: int) -> Column:
    """Moments of column j of class k.

    >>> from linscope.engines import choose
    >>> rows = ClassRows(["a"], np.array([0]), [choose([[1.0], [2.0], [6.0]])], np.array([3.0]))
    >>> exact_column(rows, 0, 0)
    Column(total=Fraction(3, 1), mean=Fraction(3, 1), variance=Fraction(14, 3))
    """
    total, first, second = rows.engines[k].fold(_exact_sums, j)
    mean = first / total
    return Column(total, mean, second / total - mean * mean)


def _exact_sums(block: Block, j: int) -> tuple[Fraction, Fraction, Fraction]:
    """Σ w, Σ w x and Σ w x² of column j."""
    if block.X.shape[0] == 0:
        return Fraction(0), Fraction(0), Fraction(0)
    column = dense(block.X[:, [j]]).ravel()
    x, e = _integers(column)
    w, f = _integers(block.weight) if block.weighted else ([1] * len(x), 0)
    wx = [a * b for a, b in zip(w, x, strict=True)]
    second = sum(a * b for a, b in zip(wx, x, strict=True))
    heavy, unit = power_of_two(f), power_of_two(e)
    return sum(w) * heavy, sum(wx) * heavy * unit, second * heavy * unit * unit


def _integers(values: np.ndarray) -> tuple[list[int], Any]:
    numbers, exponent = as_integers(values[:, None])
    return numbers[:, 0].tolist(), exponent[0]
