"""Arrays of numbers hi + lo of two floats, about 31 digits, in NumPy.

Each operation is wrong by at most ``LOSS`` of its result (sums: of the sizes of their terms); the
constants are far above what the algorithms of Dekker and Knuth lose. Numbers must stay away from
the ends of the range of floats.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .enclosures import two_prod, two_sum

LOSS = 2.0**-98
# ln 2 as a sum of three floats.
LN2 = (0.6931471805599453, 2.3190468138462996e-17, 5.707708438416212e-34)
TERMS, HALVINGS = 16, 6


class Pair(NamedTuple):
    """hi + lo with |lo| at most an ulp of hi."""

    hi: np.ndarray
    lo: np.ndarray

    @classmethod
    def of(cls, values) -> Pair:
        hi = np.asarray(values, dtype=np.float64)
        return cls(hi, np.zeros_like(hi))


def add(a: Pair, b: Pair) -> Pair:
    s, e = two_sum(a.hi, b.hi)
    t, f = two_sum(a.lo, b.lo)
    s, e = two_sum(s, e + t)
    return Pair(*two_sum(s, e + f))


def times(a: Pair, b: Pair) -> Pair:
    p, e = two_prod(a.hi, b.hi)
    return Pair(*two_sum(p, e + (a.hi * b.lo + a.lo * b.hi)))


def over(a: Pair, b: Pair) -> Pair:
    q = a.hi / b.hi
    r = add(a, times(Pair.of(-q), b))
    s, e = two_sum(q, r.hi / b.hi)
    r = add(r, times(Pair.of(-(r.hi / b.hi)), b))
    return Pair(*two_sum(s, e + r.hi / b.hi))


# 1/1 … 1/16, wrong by LOSS as a quotient is.
INVERSES = [over(Pair.of(1.0), Pair.of(float(term))) for term in range(1, TERMS + 1)]


# e^x = 2^k (e^r)^64 with x = k ln 2 + 64 r, |r| < 0.006: 16 terms of the series.
def exp(x: Pair) -> Pair:
    """For −700 < x < 700; wrong by at most (|x| + 64)·LOSS of itself."""
    k = np.rint(x.hi / LN2[0])
    r = x
    for part in LN2:
        r = add(r, times(Pair.of(-k), Pair.of(part)))
    r = Pair(np.ldexp(r.hi, -HALVINGS), np.ldexp(r.lo, -HALVINGS))
    value = one = Pair.of(np.ones_like(k))
    for term in range(TERMS, 0, -1):
        value = add(one, times(times(r, value), INVERSES[term - 1]))
    for _ in range(HALVINGS):
        value = times(value, value)
    whole = k.astype(np.int64)
    return Pair(np.ldexp(value.hi, whole), np.ldexp(value.lo, whole))
