"""Sums of floats without rounding, as whole numbers of 2⁻¹⁰⁷⁴, the least of all floats."""

from __future__ import annotations

import numpy as np

# Numbers of 53 bits are summed in halves, so many at a time that floats hold the sums.
HALF, MOST = 26, 1 << 25
# m 2^e with 53 bits in m is m 2^(e + PLACE) times the least float.
PLACE = 1074 - 53
ONE = 1 << 1074


def whole_sum(values: np.ndarray) -> int:
    """The sum of finite floats.

    >>> whole_sum(np.array([1e300, 3.0, -1e300])) == 3 * ONE
    True
    """
    total = 0
    for first in range(0, len(values), MOST):
        mantissa, exponent = np.frexp(values[first : first + MOST])
        whole = np.ldexp(mantissa, 53).astype(np.int64)
        lowest = int(exponent.min())
        place = exponent - lowest
        high = np.bincount(place, whole >> HALF)
        low = np.bincount(place, whole & ((1 << HALF) - 1))
        for k in np.flatnonzero((high != 0.0) | (low != 0.0)).tolist():
            part, shift = (int(high[k]) << HALF) + int(low[k]), k + lowest + PLACE
            total += part << shift if shift >= 0 else part >> -shift
    return total


def as_float(whole: int) -> float:
    """The nearest float; infinity beyond the largest.

    >>> as_float(3 * ONE)
    3.0
    """
    try:
        return whole / ONE
    except OverflowError:
        return np.inf if whole > 0 else -np.inf
