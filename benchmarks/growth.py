"""How the cost of linscope grows: n/4, n, 4n and d/2, d, 2d, and the fitted exponents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .case import Case
from .run import timed

# Seconds that one point may take; larger points are left out.
LONGEST = 60.0


@dataclass
class Growth:
    case: Case
    by_rows: dict[int, float]
    by_features: dict[int, float]

    @property
    def exponents(self) -> tuple[float | None, float | None]:
        return exponent(self.by_rows), exponent(self.by_features)


def exponent(points: dict[int, float]) -> float | None:
    """The p of seconds ≈ c·size^p, by least squares on logarithms; None for one point."""
    if len(points) < 2:
        return None
    sizes, seconds = np.log(list(points)), np.log(list(points.values()))
    return float(np.polyfit(sizes, seconds, 1)[0])


def measure_growth(case: Case, size: tuple[int, int] | None = None) -> Growth:
    """One warm fit a point, linscope only."""
    n, d = size or case.size
    rows = _points(case, [(k, d) for k in (n // 4, n, 4 * n)])
    features = _points(case, [(n, k) for k in (d // 2, d, 2 * d)])
    return Growth(
        case,
        {n: seconds for (n, _), seconds in rows.items()},
        {d: seconds for (_, d), seconds in features.items()},
    )


def _points(case: Case, sizes: list[tuple[int, int]]) -> dict[tuple[int, int], float]:
    timed(case.ours, case.make(64, max(2, sizes[0][1])))  # compiled before the clock starts
    found: dict[tuple[int, int], float] = {}
    for size in sizes:
        if found and max(found.values()) * 8 > LONGEST:
            break
        found[size] = timed(case.ours, case.make(*size))[0]
    return found
