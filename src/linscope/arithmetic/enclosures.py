"""Numbers with a proven bound on their error.

A ``Ball`` is an array of midpoints and radii: the true value lies within ``mid ± rad``. Radii are
rounded up; where a midpoint leaves the range of floats the radius is infinite. With u = 2⁻⁵³:

    fl(a ∘ b) = (a ∘ b)(1 + ε),  |ε| ≤ u            one operation
    |fl(Σ x_j w_j) − Σ x_j w_j| ≤ γ_k Σ |x_j w_j|    k operations on a path, γ_k = ku / (1 − ku)

in any order of summation, with or without fused operations. A product or a quotient that
underflows loses at most 2⁻¹⁰⁷⁴ besides. Where that is too coarse, ``precise=True`` keeps what
each operation loses (two_sum, two_prod) and adds it at the end: the error of a sum is then about
u² times what plain floats lose, and its bound is measured, not estimated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np
import scipy.sparse as sp

UNIT = 2.0**-53
TINY = 2.0**-1074
# exp, log and their kin are within so much of the truth, relatively (NumPy promises 4 units).
LIBRARY = 16 * UNIT
# Numbers that a block of rows may hold.
BLOCK = 1 << 18
# Dots of so few rows are summed row by row.
FEW_ROWS = 64
# Veltkamp's constant splits a float in two halves of 26 bits.
SPLIT = 2.0**27 + 1.0


@dataclass(frozen=True)
class Ball:
    """mid ± rad; arrays of the same shape.

    >>> third = Ball.of(1.0).over(Ball.of(3.0))
    >>> bool(third.low < 1 / 3 < third.high), bool(third.rad < 1e-16)
    (True, True)
    """

    mid: Any
    rad: Any
    __array_ufunc__ = None  # array ∘ ball is the ball's business

    def __iter__(self) -> Iterator[Any]:
        return iter((self.mid, self.rad))

    @classmethod
    def of(cls, values) -> Ball:
        """Floats as they are: no error."""
        mid = np.asarray(values, dtype=np.float64)
        return cls(mid, np.zeros_like(mid))

    @classmethod
    def safe(cls, mid, rad) -> Ball:
        """Radii rounded up (they were summed in floats); ∞ where something left the range."""
        with np.errstate(all="ignore"):
            mid, rad = np.asarray(mid, np.float64), np.asarray(rad, np.float64) * (1 + 16 * UNIT)
            fine = np.isfinite(mid) & (rad >= 0)
            return cls(np.where(fine, mid, 0.0), np.where(fine, rad, np.inf))

    @property
    def low(self) -> np.ndarray:
        with np.errstate(all="ignore"):
            return np.nextafter(self.mid - self.rad, -np.inf)

    @property
    def high(self) -> np.ndarray:
        with np.errstate(all="ignore"):
            return np.nextafter(self.mid + self.rad, np.inf)

    @property
    def size(self) -> np.ndarray:
        """The largest absolute value."""
        with np.errstate(all="ignore"):
            return np.nextafter(np.abs(self.mid) + self.rad, np.inf)

    def __neg__(self) -> Ball:
        return Ball(-self.mid, self.rad)

    def __add__(self, other) -> Ball:
        other = as_ball(other)
        with np.errstate(all="ignore"):
            mid = self.mid + other.mid
            return Ball.safe(mid, self.rad + other.rad + UNIT * np.abs(mid))

    def __sub__(self, other) -> Ball:
        return self + (-as_ball(other))

    def __mul__(self, other) -> Ball:
        a, b = self, as_ball(other)
        with np.errstate(all="ignore"):
            mid = a.mid * b.mid
            rad = _spread(a.mid, b.rad) + _spread(b.mid, a.rad) + _spread(a.rad, b.rad)
            return Ball.safe(mid, rad + UNIT * np.abs(mid) + 4 * TINY * (mid == mid))

    __radd__ = plus = __add__
    __rmul__ = __mul__

    def over(self, other) -> Ball:
        """Quotient; no bound where the divisor may be 0."""
        a, b = self, as_ball(other)
        with np.errstate(all="ignore"):
            mid = a.mid / b.mid
            least = np.nextafter(np.abs(b.mid) - b.rad, -np.inf)
            rad = (a.rad + _spread(mid, b.rad)) / least + 2 * UNIT * np.abs(mid) + 4 * TINY
            return Ball.safe(mid, np.where(least > 0, rad, np.inf))

    def positive_part(self) -> Ball:
        """max(0, ·)."""
        return Ball(np.maximum(self.mid, 0.0), np.where(self.high <= 0, 0.0, self.rad))

    def take(self, rows) -> Ball:
        return Ball(self.mid[rows], self.rad[rows])


def as_ball(value) -> Ball:
    return value if isinstance(value, Ball) else Ball.of(value)


def _spread(a, b):
    """|a|·b where 0·∞ is 0: a value that is exactly 0 spreads nothing."""
    a = np.abs(a)
    return np.where((a == 0) | (b == 0), 0.0, a * b + TINY)


def gamma(operations: int) -> float:
    """γ_k, rounded up."""
    share = operations * UNIT
    return share / (1.0 - share) * (1 + 4 * UNIT) if share < 0.01 else np.inf


def total(terms) -> Ball:
    """The sum of all entries: correctly rounded, so only the terms' own errors count.

    >>> total(Ball.of([1e100, 1.0, -1e100])).mid
    1.0
    """
    terms = as_ball(terms)
    try:
        mid = fsum(np.ravel(terms.mid).tolist())
        rad = fsum(np.ravel(terms.rad).tolist())
    except (OverflowError, ValueError):
        return Ball(0.0, np.inf)
    ball = Ball.safe(mid, rad + UNIT * abs(mid))
    return Ball(float(ball.mid), float(ball.rad))


def scores(X, W, *, precise: bool = False) -> Ball:
    """W [1, x] for each row, shape (n, rows of W).

    Parameters
    ----------
    X : array or CSR matrix (n, d)
    W : (rows, d + 1) floats, bias first
    precise : keep what rounding loses, for scores much smaller than their terms

    >>> X, W = np.array([[1e8, 1.0]]), np.array([[-1e16, 1e8, 0.5]])
    >>> rough, fine = scores(X, W), scores(X, W, precise=True)
    >>> float(fine.mid[0, 0]), bool(fine.rad[0, 0] < 1e-15 < rough.rad[0, 0])
    (0.5, True)
    """
    W = np.atleast_2d(np.asarray(W, dtype=np.float64))
    n, d = X.shape
    mid, rad = np.empty((n, len(W))), np.empty((n, len(W)))
    method = _precise_scores if precise else _plain_scores
    step = max(1, BLOCK // max(1, d))
    with np.errstate(all="ignore"):
        for first in range(0, n, step):
            block = slice(first, min(n, first + step))
            mid[block], rad[block] = method(_floats(X[block]), W)
    return Ball.safe(mid, rad)


def dense(X: Any) -> np.ndarray:
    """The numbers of a dense or sparse matrix as an array of float64."""
    return np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)


def _floats(X):
    return X.astype(np.float64) if sp.issparse(X) else np.asarray(X, dtype=np.float64)


def _plain_scores(X, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    d = X.shape[1]
    mid = X @ W[:, 1:].T + W[:, 0]
    size = abs(X) @ np.abs(W[:, 1:]).T + np.abs(W[:, 0])
    return mid, gamma(d + 4) * size + (d + 4) * TINY


def _precise_scores(X, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One column of all rows at a time; sparse rows are filled up with zeros."""
    values, columns = _entries(X)
    sums = [_dot(values, w[1:][columns], w[0]) for w in W]
    return np.column_stack([s[0] for s in sums]), np.column_stack([s[1] for s in sums])


def _entries(X) -> tuple[np.ndarray, np.ndarray]:
    """Values and their columns, (n, most entries of a row)."""
    if not sp.issparse(X):
        return X, np.broadcast_to(np.arange(X.shape[1]), X.shape)
    X = X.tocsr()
    counts = np.diff(X.indptr)
    place = np.arange(counts.max(initial=0))
    used = place < counts[:, None]
    values, columns = np.zeros(used.shape), np.zeros(used.shape, dtype=np.int64)
    values[used], columns[used] = X.data, X.indices
    return values, columns


def _dot(values: np.ndarray, w: np.ndarray, bias: float) -> tuple[np.ndarray, np.ndarray]:
    """Σ_j values_ij w_ij + bias, with the error of its rows; powers of two keep it in range."""
    e = _exponents(values).max(axis=1, initial=-4000), _exponents(w).max(axis=1, initial=-4000)
    top = np.maximum(np.maximum(sum(e), _exponents(np.float64(bias))), -2000)
    half = top // 2
    # |values| ≤ 2^(…) after this: no product is above 4, and each underflow loses at most TINY.
    x = np.ldexp(values, -(e[0] + (top - sum(e)) // 2)[:, None])
    v = np.ldexp(w, -(e[1] + (top - sum(e)) - (top - sum(e)) // 2)[:, None])
    head = np.ldexp(np.ldexp(np.full(len(values), bias), -half), -(top - half))
    k = values.shape[1]
    if len(values) < FEW_ROWS:
        mid, rad = _column_sums(np.concatenate([head[None, :], *two_prod(x.T, v.T)]))
    else:
        mid, rad = _summed(x, v, head)
    rad = rad + 8 * (k + 1) * TINY
    both = np.ldexp(np.ldexp(np.stack([mid, rad]), half), top - half)
    return both[0], both[1] + 2 * TINY


def _summed(x: np.ndarray, v: np.ndarray, head: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """head + Σ_j x_ij v_ij of many rows, a column at a time; what rounding loses is summed too."""
    tail, lost = np.zeros(len(x)), np.zeros(len(x))
    for j in range(x.shape[1]):
        p, e1 = two_prod(x[:, j], v[:, j])
        head, e2 = two_sum(head, p)
        tail += e1 + e2
        lost += np.abs(e1) + np.abs(e2)
    mid = head + tail
    return mid, UNIT * np.abs(mid) + gamma(2 * x.shape[1] + 2) * lost


def _exponents(values) -> np.ndarray:
    """e with |value| ≤ 2^e; far below all others for 0."""
    return np.where(values == 0, -4000, np.frexp(values)[1]).astype(np.int64)


def two_sum(a, b):
    """a + b = s + e exactly."""
    s = a + b
    z = s - a
    return s, (a - (s - z)) + (b - z)


def two_prod(a, b):
    """a·b = p + e exactly, unless a product of halves leaves the range of floats."""
    p = a * b
    ah, bh = _high(a), _high(b)
    al, bl = a - ah, b - bh
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def _high(a):
    t = SPLIT * a
    return t - (t - a)


def products(X, R, *, precise: bool = False) -> Ball:
    """Σ_i r_i [1, x_i] for each column of R, shape (columns of R, d + 1): a gradient.

    Parameters
    ----------
    X : array or CSR matrix (n, d)
    R : Ball or floats (n, columns)
    precise : keep what rounding loses, for sums much smaller than their terms
    """
    R = as_ball(R)
    d = X.shape[1]
    mid, rad = np.empty((R.mid.shape[1], d + 1)), np.empty((R.mid.shape[1], d + 1))
    with np.errstate(all="ignore"):
        for k in range(R.mid.shape[1]):
            bias = total(Ball(R.mid[:, k], R.rad[:, k]))
            mid[k, 0], rad[k, 0] = bias
            columns = _precise_products if precise else _plain_products
            mid[k, 1:], rad[k, 1:] = columns(X, R.mid[:, k], R.rad[:, k])
    return Ball.safe(mid, rad)


def _plain_products(X, r: np.ndarray, doubt: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n, d = X.shape
    mid, rad = np.zeros(d), np.zeros(d)
    step = max(1, BLOCK // max(1, d))
    for first in range(0, n, step):
        block = slice(first, min(n, first + step))
        part = _floats(X[block])
        mid += part.T @ r[block]
        rad += abs(part).T @ (gamma(n + 2) * np.abs(r[block]) + doubt[block])
    return mid, rad * (1 + gamma(n + 2)) + (n + 2) * TINY


def _precise_products(X, r: np.ndarray, doubt: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One column at a time: products without error, summed by fsum."""
    d, doubtful = X.shape[1], doubt.any()
    if not doubtful and not sp.issparse(X) and X.size <= BLOCK:
        return _exact_dots(np.asarray(X, dtype=np.float64), r)
    X = X.tocsc() if sp.issparse(X) else X
    mid, rad = np.zeros(d), np.zeros(d)
    for j in range(d):
        rows, x = _column(X, j)
        mid[j : j + 1], rad[j : j + 1] = _exact_dots(x[:, None], r[rows])
        if doubtful:
            rad[j] += total(Ball.of(np.abs(x)) * Ball.of(doubt[rows])).high
    return mid, rad


def _column(X, j: int) -> tuple[Any, np.ndarray]:
    if sp.issparse(X):
        part = slice(X.indptr[j], X.indptr[j + 1])
        return X.indices[part], X.data[part].astype(np.float64)
    return slice(None), np.asarray(X[:, j], dtype=np.float64)


def _exact_dots(X: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Σ_i x_ij r_i of each column, all factors first brought near 1 by powers of two."""
    a = _exponents(X).max(axis=0, initial=-4000)
    b = int(_exponents(r).max(initial=-4000))
    terms = np.concatenate(two_prod(np.ldexp(X, -a), np.ldexp(r, -b)[:, None]))
    mid, rad = _column_sums(terms)
    half = (a + b) // 2
    scaled = np.stack([mid, rad + 8 * (len(X) + 1) * TINY])
    both = np.ldexp(np.ldexp(scaled, half), a + b - half)
    return both[0], both[1] + 2 * TINY


def _column_sums(terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Correctly rounded sums of the columns, with their rounding; NaN for those out of range."""
    mid = np.array([_correct_sum(column) for column in terms.T.tolist()])
    return mid, UNIT * np.abs(mid)


def _correct_sum(terms: list[float]) -> float:
    try:
        return fsum(terms)
    except (OverflowError, ValueError):
        return float("nan")
