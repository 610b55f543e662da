"""Gordan's alternative decided in integers.

For rows r_1 ... r_k exactly one of these exists (Gordan 1873):

    a direction u with r_i·u > 0 for every i, or
    a convex combination λ >= 0, Σ λ_i = 1 with Σ λ_i r_i = 0.

Phase one of the simplex method on the second system finds whichever it is. The tableau holds
integers over one common denominator D, so no step rounds; the first pivots take the steepest
column, later ones follow Bland's rule, which cannot cycle.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from linscope.arithmetic.rational import pivot, primitive


def gordan(R: np.ndarray) -> tuple[list[int] | None, dict[int, Fraction]]:
    """(u, {}) with R·u > 0, or (None, λ) with λ·R = 0; λ has at most rank + 1 entries, all > 0.

    >>> gordan(np.array([[1, 0], [1, 1]], dtype=object))[0]
    [2, -1]
    >>> gordan(np.array([[1], [-3]], dtype=object))[1]
    {0: Fraction(3, 4), 1: Fraction(1, 4)}
    """
    k, m = R.shape
    T, basis, D = _tableau(R), list(range(k, k + m + 1)), 1
    for step in range(10**9):
        column = _entering(T[-1, :k], bland=step >= 20 * (m + 1))
        if column is None:
            break
        row = _leaving(T, column, basis)
        D = pivot(T, row, column, D)
        basis[row] = column
    if T[-1, -1] != 0:
        # reduced costs 1 - y_i of the artificial columns give the Farkas vector u = -y
        return primitive([int(T[-1, k + i] - D) for i in range(m)]), {}
    solution = {b: Fraction(int(T[i, -1]), int(D)) for i, b in enumerate(basis) if T[i, -1] != 0}
    return None, dict(sorted(solution.items()))


def _tableau(R):
    """Rows Σ λ_i r_ij + a_j = 0, Σ λ_i + a_m = 1; last row: reduced costs of min Σ a."""
    k, m = R.shape
    T = np.zeros((m + 2, k + m + 2), dtype=object)
    T[:m, :k] = R.T
    T[m, :k] = 1
    T[m, -1] = 1
    T[m + 1] = -T[: m + 1].sum(axis=0)
    for i in range(m + 1):
        T[i, k + i] = 1
    return T


def _entering(costs, bland: bool) -> int | None:
    negative = np.flatnonzero(costs < 0)
    if len(negative) == 0:
        return None
    return int(negative[0] if bland else negative[np.argmin(costs[negative])])


def _leaving(T, column, basis) -> int:
    """Smallest ratio right side / entry over the positive entries; ties by smallest variable."""
    rows = [i for i in range(len(basis)) if T[i, column] > 0]
    best = rows[0]
    for i in rows[1:]:
        difference = T[i, -1] * T[best, column] - T[best, -1] * T[i, column]
        if difference < 0 or (difference == 0 and basis[i] < basis[best]):
            best = i
    return best
