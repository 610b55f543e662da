"""Mean and variance of every column within every class, with a bound of their errors.

    m = Σ w x / W        v = Σ w (x − m)² / W = Σ w z² / W − δ²      z = x − a,  δ = Σ w z / W

for any float a; near the mean δ is small and nothing cancels. Sums are taken over blocks, so that
a number goes through about 2√n additions at most, which bounds the rounding. Where that leaves a
question open, ``exact_column`` answers it in whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from linscope.arithmetic.enclosures import Ball, gamma
from linscope.arithmetic.rational import as_integers, power_of_two

from .class_rows import ClassRows, dense

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


def class_moments(rows: ClassRows, k: int) -> Moments:
    """Moments of the columns of class k in floats; no bound (∞) where squares leave the range."""
    part, unit = rows.parts[k], -int(np.frexp(rows.weights[k].max())[1])
    w, total = np.ldexp(rows.weights[k], unit), np.ldexp(rows.totals[k], unit)
    n, d = part.shape
    origin = np.zeros(d)
    for _ in range(2):  # the first time about 0, then about the mean that came out
        sums, path = np.zeros((3, d)), 8
        largest = np.zeros(d)
        for block in _blocks(n, d):
            z = dense(part[block]) - origin
            wz = w[block, None] * z
            sums += [wz.sum(axis=0), np.abs(wz).sum(axis=0), (wz * z).sum(axis=0)]
            largest = np.maximum(largest, np.abs(z).max(axis=0))
            path = max(path, block.stop - block.start) + 1
        last, origin = origin, origin + sums[0] / total
    step = gamma(path + 8)
    offset = Ball.safe(sums[0] / total, step * sums[1] / total)
    square = Ball.safe(sums[2] / total, step * sums[2] / total)
    variance = square - offset * offset
    fine = (largest == 0) | ((sums[2] > LEAST) & (largest < MOST))
    return Moments(last, offset, Ball(variance.mid, np.where(fine, variance.rad, np.inf)))


def _blocks(n: int, d: int) -> Iterator[slice]:
    step = max(1, min(BLOCK // max(1, d), max(256, int(n**0.5))))
    yield from (slice(first, min(n, first + step)) for first in range(0, n, step))


class Column(NamedTuple):
    """Of a column within a class, without rounding."""

    total: Fraction
    mean: Fraction
    variance: Fraction


def exact_column(rows: ClassRows, k: int, j: int) -> Column:
    """Moments of column j of class k.

    >>> part = np.array([[1.0], [2.0], [6.0]])
    >>> rows = ClassRows(["a"], np.array([0]), [part], [np.ones(3)], np.array([3.0]))
    >>> exact_column(rows, 0, 0)
    Column(total=Fraction(3, 1), mean=Fraction(3, 1), variance=Fraction(14, 3))
    """
    x, e = _integers(dense(rows.parts[k][:, [j]]).ravel())
    w, f = _integers(rows.weights[k])
    wx = [a * b for a, b in zip(w, x, strict=True)]
    total, first = sum(w), sum(wx)
    second = sum(a * b for a, b in zip(wx, x, strict=True))
    unit = power_of_two(e)
    mean = Fraction(first, total)
    variance = Fraction(second, total) - mean * mean
    return Column(total * power_of_two(f), mean * unit, variance * unit * unit)


def _integers(values: np.ndarray) -> tuple[list[int], Any]:
    numbers, exponent = as_integers(values[:, None])
    return numbers[:, 0].tolist(), exponent[0]
