"""The numbers of a derivation: fractions that are never rounded, or floats where there are many.

A table is read in one of three ways. ``exact=True`` reads each float as its shortest decimal.
Otherwise a small table is calculated in fractions of the stored floats and rounded only to be
shown, so that every digit of every step is right; a large one is calculated in floats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import fsum, isqrt
from typing import Any

import numpy as np
from scipy import sparse

from linscope.arithmetic.rational import clear_denominators, sqrt_down, sqrt_up

from .fractions import fractions, rational

# Products n·(d + 1)² in fractions: exact=True refuses more, otherwise more are done in floats.
MOST_EXACT_PRODUCTS, FEW_PRODUCTS = 3_000_000, 50_000
# Elimination makes fractions long: so many unknowns take some seconds.
MOST_EXACT_UNKNOWNS, FEW_UNKNOWNS = 60, 12
# Beyond this many, a matrix of sums is not something to look at.
MOST_UNKNOWNS = 2_000
ROWS_AT_ONCE = 16_384
OUT_OF_RANGE = "a sum of squares is beyond the range of floats: scale very large or very small "
# Squares of smaller numbers lose digits.
SMALLEST = 1e-140


@dataclass(frozen=True, eq=False)
class Samples:
    """Rows of numbers: columns of X, then the targets.

    Attributes
    ----------
    X : array or CSR matrix (n, d) of floats, or an object array of fractions
    Y : array (n, t) of the same kind
    weight : n weights of the same kind, None if all are 1
    """

    X: Any
    Y: np.ndarray
    weight: np.ndarray | None

    @property
    def rational(self) -> bool:
        return bool(self.Y.dtype == object)

    @property
    def n(self) -> int:
        return int(self.Y.shape[0])

    @property
    def width(self) -> int:
        return int(self.X.shape[1])

    def rows(self, start: int, stop: int) -> np.ndarray:
        """[X, Y] of some rows, dense."""
        X = self.X[start:stop]
        X = X.toarray() if sparse.issparse(X) else X
        kind = object if self.rational else np.float64
        return np.column_stack([X, self.Y[start:stop]]).astype(kind, copy=False)

    def c(self, start: int, stop: int) -> np.ndarray:
        """The weights of some rows as a column."""
        if self.weight is not None:
            return self.weight[start:stop, None]
        return constant(1, (stop - start, 1), self.rational)

    def blocks(self) -> Iterator[tuple[int, int]]:
        size = self.n if self.rational else ROWS_AT_ONCE
        return ((at, min(at + size, self.n)) for at in range(0, self.n, size))

    def total(self, function: Callable[[int, int], Any]) -> Any:
        """Σ over row blocks of function(start, stop)."""
        parts = [function(*block) for block in self.blocks()]
        return sum(parts[1:], start=parts[0])

    @cached_property
    def weights(self) -> Any:
        """Σ c_i; the number of samples when all weigh the same."""
        if self.weight is None:
            return Fraction(self.n) if self.rational else float(self.n)
        return sum(self.weight, Fraction(0)) if self.rational else fsum(self.weight)

    def means(self) -> np.ndarray:
        """Σ c_i z_i / Σ c_i of every column; in floats with a second pass that takes up rounding.

        >>> samples = Samples(np.array([[1.0], [2.0]]), np.array([[3.0], [7.0]]), None)
        >>> samples.means()
        array([1.5, 5. ])
        """

        def mean(shift: Any) -> Any:
            return self.total(
                lambda a, b: ((self.rows(a, b) - shift) * self.c(a, b)).sum(axis=0) / self.weights
            )

        first = mean(constant(0, self.width + self.Y.shape[1], self.rational))
        return first if self.rational else first + mean(first)

    def squares(self, centre: np.ndarray) -> np.ndarray:
        """Σ c_i (z_i − centre)(z_i − centre)ᵀ over all rows."""

        def block(start: int, stop: int) -> np.ndarray:
            z = self.rows(start, stop) - centre
            return gram(z * self.c(start, stop), z)

        if self.rational:
            return np.asarray(self.total(block))
        with np.errstate(over="ignore", invalid="ignore"):
            sums = np.asarray(self.total(block))
            peak = np.max(
                [np.abs(self.rows(*b) - centre).max(axis=0) for b in self.blocks()], axis=0
            )
        varies = peak > 8.0 * np.finfo(float).eps * np.abs(centre)
        if not np.isfinite(sums).all() or (peak[varies] < SMALLEST).any():
            raise ValueError(OUT_OF_RANGE + "columns by a power of 2")
        # A column whose deviations are all rounding does not vary.
        sums[~varies, :] = sums[:, ~varies] = 0.0
        return sums


def read_samples(
    X: Any, Y: Any, weight: Any, *, exact: bool, unknowns: int, rough: bool = False
) -> Samples:
    """The table in the numbers that suit it.

    Parameters
    ----------
    X, Y, weight : as the estimator has read them; an empty ``weight`` means that all are 1
    exact : read floats as decimals, and never round
    unknowns : size of the system that will be solved
    rough : in floats, though it is small
    """
    products = X.shape[0] * (1 + X.shape[1]) ** 2
    if exact and (products > MOST_EXACT_PRODUCTS or unknowns > MOST_EXACT_UNKNOWNS):
        raise ValueError(
            f"a table of {X.shape[0]:,} samples and {X.shape[1]:,} features is too large for exact "
            "arithmetic: take fewer, or trace without exact=True"
        )
    if unknowns > MOST_UNKNOWNS:
        raise ValueError(
            f"the derivation of {unknowns:,} unknowns is not shown: trace at most "
            f"{MOST_UNKNOWNS:,} features"
        )
    few = products <= FEW_PRODUCTS and unknowns <= FEW_UNKNOWNS and not rough
    given = np.asarray(weight) if len(weight) else None
    if not exact and not few:
        return Samples(X, np.asarray(Y, dtype=np.float64), given)
    X = X.toarray() if sparse.issparse(X) else X
    read: Callable[[Any], Fraction] = rational if exact else _stored
    return Samples(
        fractions(X, read), fractions(Y, read), None if given is None else fractions(given, read)
    )


def _stored(value: Any) -> Fraction:
    return Fraction(float(value))


def constant(value: int, shape: Any, in_fractions: bool) -> np.ndarray:
    return np.full(shape, Fraction(value) if in_fractions else float(value))


def gram(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """AᵀB; fractions by way of integers, which is much quicker.

    >>> half = fractions([[0.5], [1.5]])
    >>> gram(half, half)
    array([[Fraction(5, 2)]], dtype=object)
    """
    if A.dtype != object:
        return A.T @ B
    a, below_a = _integers(A)
    b, below_b = _integers(B)
    sums = a.T.dot(b)
    out = np.empty(sums.shape, dtype=object)
    for j, k in np.ndindex(*sums.shape):
        out[j, k] = Fraction(int(sums[j, k]), below_a[j] * below_b[k])
    return out


def _integers(A: np.ndarray) -> tuple[np.ndarray, list[int]]:
    columns, below = zip(*(clear_denominators(column) for column in A.T), strict=True)
    return np.array(columns, dtype=object).reshape(A.shape[1], -1).T, list(below)


def root(value: Any) -> Any:
    """√value; a fraction only if that is exact.

    >>> root(Fraction(9, 4)), root(2.0), root(Fraction(2))
    (Fraction(3, 2), 1.4142135623730951, 1.4142135623730951)
    """
    if not isinstance(value, Fraction):
        return float(np.sqrt(value))
    top, below = isqrt(value.numerator), isqrt(value.denominator)
    if top * top == value.numerator and below * below == value.denominator:
        return Fraction(top, below)
    low, high = sqrt_down(value), sqrt_up(value)
    return low if 4 * value < (Fraction(low) + Fraction(high)) ** 2 else high


def shown(values: Any, exact: bool) -> Any:
    """What a reader gets: the fractions themselves, or floats."""
    if isinstance(values, np.ndarray):
        if exact or values.dtype != object:
            return values
        return np.reshape([shown(v, exact) for v in values.ravel()], values.shape).astype(float)
    if exact or not isinstance(values, Fraction):
        return values
    try:
        near = float(values)
    except OverflowError:
        near = 0.0
    if values and abs(near) < np.finfo(float).tiny:
        raise ValueError(OUT_OF_RANGE + "columns by a power of 2, or trace with exact=True")
    return near
