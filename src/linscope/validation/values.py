"""The values of C and γ that were asked for, and what an observer sees of them."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from linscope.results import Status

MOST = 10_000


class Progress(NamedTuple):
    """What an observer sees after each value."""

    note: str
    status: Status | None = None


def read_values(
    name: str, given: Any, least: float, most: float, *, infinite: bool = False
) -> np.ndarray:
    """Rising values, from an array or from how many there should be between two of them.

    >>> read_values("Cs", 3, 0.1, 10.0).tolist()
    [0.1, 1.0, 10.0]
    """
    if isinstance(given, Integral) and not isinstance(given, bool):
        if not 1 <= int(given) <= MOST:
            raise ValueError(f"{name}={given}: how many values, 1 to {MOST}, or an array of values")
        return np.logspace(np.log10(least), np.log10(most), int(given))
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if isinstance(given, bool) or values.ndim != 1 or not 1 <= len(values) <= MOST:
        raise ValueError(f"{name} must be a number of values or an array of them, got {given!r}")
    good = values > 0 if infinite else (values > 0) & (values < np.inf)
    bad = np.flatnonzero(~good)
    if len(bad):
        one = name[:-1]
        kind = "positive" if infinite else "positive and finite"
        why = " (C = inf has no place on this path)" * (name == "Cs" and not infinite)
        raise ValueError(f"{name}[{bad[0]}] is {values[bad[0]]}: every {one} must be {kind}{why}")
    return np.unique(values)
