"""Least squares in rational arithmetic: every float is m·2^e, and nothing is rounded.

    (AᵀCA + αP) w = AᵀCy        A = [1, X],  P = diag(0, 1, …, 1)

The columns become integers, the normal equations are eliminated without fractions (Bareiss).
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..data.rational import as_integers, clear_denominators, echelon, power_of_two

# Products n·(d + 1)² that take about a second.
WORTH_FRACTIONS = 1_000_000


class RationalFit(NamedTuple):
    """weights (d + 1, targets) with the bias first, (AᵀCA + αP)⁻¹, and Σ c r² of each target."""

    weights: np.ndarray
    inverse: np.ndarray
    rss: list[Fraction]


def rational_least_squares(
    X: Any, Y: Any, weight: Any = (), *, fit_intercept: bool = True, alpha: float = 0.0
) -> RationalFit | None:
    """The exact solution of the table as stored; None if the columns are dependent.

    Without intercept the bias is 0, and its row and column of the inverse are 0.

    >>> x, y = [[1], [2], [-1], [3], [4]], [[2], [4], [0], [4], [6]]
    >>> fit = rational_least_squares(x, y)
    >>> [str(w) for w in fit.weights[:, 0]], str(fit.rss[0])
    (['41/37', '43/37'], '30/37')
    """
    values = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    Y = np.asarray(Y, dtype=np.float64)
    n, d = values.shape
    A, a = as_integers(np.column_stack([np.ones(n), values, Y]))
    c, e = as_integers(np.asarray(weight, dtype=np.float64).reshape(-1, 1))
    weighted = A if not len(c) else A * c
    size = power_of_two(e[0] if len(c) else 0)
    used = np.arange(0 if fit_intercept else 1, 1 + d)
    p, t = len(used), Y.shape[1]
    G = weighted.T.dot(A)
    # α w_j² in the units of the integer columns, over the common denominator ``below``.
    ridge = [Fraction(alpha) / (size * power_of_two(2 * a[j])) if j else Fraction(0) for j in used]
    below = lcm(*(r.denominator for r in ridge))
    system = np.zeros((p, p + t + p), dtype=object)
    system[:, :p] = G[np.ix_(used, used)] * below
    for i, pull in enumerate(ridge):
        system[i, i] += pull.numerator * (below // pull.denominator)
        system[i, p + t + i] = below
    system[:, p : p + t] = G[np.ix_(used, np.arange(1 + d, 1 + d + t))] * below
    E, pivots, D = echelon(system)
    if pivots[:p] != list(range(p)):
        return None
    weights = np.full((1 + d, t), Fraction(0), dtype=object)
    inverse = np.full((1 + d, 1 + d), Fraction(0), dtype=object)
    for r, j in enumerate(used):
        for k in range(t):
            weights[j, k] = Fraction(int(E[r, p + k]), int(D)) * power_of_two(a[1 + d + k] - a[j])
        for q, k in enumerate(used):
            unit = power_of_two(-a[j] - a[k]) / size
            inverse[j, k] = Fraction(int(E[r, p + t + q]), int(D)) * unit
    units = [power_of_two(v) for v in a]
    return RationalFit(weights, inverse, [_squares(G, weights, units, k) * size for k in range(t)])


def _squares(G: np.ndarray, weights: np.ndarray, units: list[Fraction], k: int) -> Fraction:
    """Σ r² = bᵀGb with b = [−w, 1 for target k] in the units of the integer columns."""
    d = len(weights) - 1
    b = [-w * unit for w, unit in zip(weights[:, k], units, strict=False)]
    used = [*range(1 + d), 1 + d + k]
    numbers, below = clear_denominators([*b, units[1 + d + k]])
    v = np.array(numbers, dtype=object)
    return Fraction(int(v.dot(G[np.ix_(used, used)]).dot(v)), below * below)
