"""Which columns depend on others, without a doubt: the rank of N = AᵀCA in whole numbers.

*Independent*: elimination modulo a prime finds r pivots, and the rank modulo a prime is never above
the rank.

*Dependent*: no table of n rows has a rank above n; or a column is shown to be a combination of
others in fractions, N t = 0; or the rank is at most r modulo so many primes that their product
exceeds every principal minor of r + 1 columns (Hadamard: at most the product of their diagonal).
Such a minor is a whole number that all primes divide, so it is 0, and N, being positive
semidefinite, has no larger rank.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from linscope.arithmetic.modular import PRIME, largest_minor

from .definite import solve

# Steps of elimination modulo primes, (columns)³ for each prime, that take about two seconds.
MOST_STEPS = 600_000_000
MOST_TERMS = 30


class Rank(NamedTuple):
    """Independent columns (of all, the earliest); how the others are shown to depend on them.

    ``shares`` maps a dependent column to fractions, one for each kept column, if these are known.
    ``proven`` is False if the rank may be higher after all.
    """

    kept: np.ndarray
    shares: dict[int, list[Fraction]]
    proven: bool


def rank_of(N: np.ndarray, most: int) -> Rank:
    """The rank of an integer matrix AᵀCA that is known to be at most ``most``."""
    kept = largest_minor(N).columns
    rest = np.setdiff1d(np.arange(len(N)), kept)
    if not len(rest):
        return Rank(kept, {}, True)
    if len(kept) >= most:
        return Rank(kept, {}, True)
    shares = combinations(N, kept, rest)
    proven = len(shares) == len(rest) or _zero_minors(N, len(kept))
    return Rank(kept, shares, proven)


def combinations(N: np.ndarray, kept: np.ndarray, rest: np.ndarray) -> dict[int, list[Fraction]]:
    """Dependent columns as combinations of the kept ones, where short fractions do."""
    if not len(kept):
        return {int(j): [] for j in rest if not N[j, j]}
    found = solve(N[np.ix_(kept, kept)], N[np.ix_(kept, rest)])
    if found is None or not np.isfinite(found.distance).all():
        return {}
    out: dict[int, list[Fraction]] = {}
    for q, j in enumerate(rest.tolist()):
        far = Fraction(float(found.distance[q])) * Fraction(2) ** int(found.scale[q])
        shares: list[Fraction] = []
        for x, f in zip(found.numbers[:, q], found.f.tolist(), strict=True):
            share = simplest(Fraction(int(x), 1 << found.point), far / Fraction(2) ** int(f))
            if share is None:  # the others are hardly simpler
                return out
            shares.append(share)
        below = lcm(*(s.denominator for s in shares))
        whole = np.array([int(s * below) for s in shares], dtype=object)
        if (N[:, kept].dot(whole) == below * N[:, j]).all():
            out[j] = shares
    return out


def simplest(value: Fraction, radius: Fraction) -> Fraction | None:
    """The fraction with the least denominator in value ± radius (Stern and Brocot).

    None if that takes more than MOST_TERMS terms of its continued fraction.

    >>> simplest(Fraction(333333, 1000000), Fraction(1, 1000))
    Fraction(1, 3)
    """
    low, high = value - radius, value + radius
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        found = simplest(-value, radius)
        return None if found is None else -found
    whole: list[int] = []
    while True:
        if len(whole) > MOST_TERMS:
            return None
        floor = low.numerator // low.denominator
        if floor == low or floor + 1 <= high:
            whole.append(floor if floor == low else floor + 1)
            break
        whole.append(floor)
        low, high = 1 / (high - floor), 1 / (low - floor)
    out = Fraction(whole[-1])
    for part in whole[-2::-1]:
        out = part + 1 / out
    return out


def _zero_minors(N: np.ndarray, r: int) -> bool:
    """Whether enough primes agree that all minors of r + 1 columns are 0."""
    sizes = sorted((int(v).bit_length() for v in np.diag(N)), reverse=True)
    bits = sum(sizes[: r + 1]) + 1
    if (bits // 30 + 1) * len(N) ** 3 > MOST_STEPS:
        return False
    for prime in primes():
        if len(largest_minor(N, prime).columns) > r:
            return False
        bits -= 30  # the primes are between 2^30 and 2^31
        if bits < 0:
            return True
    return False


def primes() -> Iterator[int]:
    """Primes from 2^31 downwards, as far as 2^30."""
    for n in range(PRIME, 1 << 30, -2):
        if _is_prime(n):
            yield n


def _is_prime(n: int) -> bool:
    """Miller and Rabin's test, which these bases decide below 2^32 (Jaeschke 1993)."""
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 7, 61):
        x = pow(base, odd, n)
        if x in (1, n - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True
