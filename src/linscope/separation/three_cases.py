"""Which of the three cases holds: strictly separable, quasi-separable or not at all.

If λ >= 0 and Σ λ_i z_i = 0, any W with all z_i·W >= 0 must have z_i·W = 0 where λ_i > 0. So each
combination found restricts W to the vectors orthogonal to its rows, and the question is asked again
for the rows that are not forced to 0 yet. It ends with a strict direction for those rows (quasi-
separable), or with none left: then the rows of the combination span all rows (not separable).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import sparse

from linscope.arithmetic.modular import Minor, largest_minor
from linscope.arithmetic.rational import clear_denominators, null_space, solve, times_powers

from .margins import combine
from .signed_rows import SignedRows
from .spanning_combination import solve_on, spanning_combination
from .strict_separation import Direction, Subspace, alternative

# Fewer dimensions that are left are settled one combination after the other.
FEW_DIMENSIONS = 5


@dataclass(frozen=True)
class Outcome:
    """``weights``: W with z_i·W >= 0, not all 0, or None; ``circuit``: the first combination, {} if
    separation is strict; ``combination``: all of them as one."""

    weights: list[Fraction] | None
    circuit: dict[int, Fraction]
    combination: dict[int, Fraction]


def decide(rows: SignedRows) -> Outcome:
    """Settle the three-way question exactly."""
    space, active = Subspace(rows), np.ones(rows.n, dtype=bool)
    circuit: dict[int, Fraction] = {}
    combination: dict[int, Fraction] = {}
    while True:
        answer = alternative(space, active)
        if isinstance(answer, Direction):
            return Outcome(answer.weights, circuit, combination)
        first, circuit = not circuit, circuit or answer.multipliers
        combination = _merge(rows, combination, answer.multipliers)
        orthogonal = orthogonal_vectors(rows, list(combination))
        active &= free_rows(rows, orthogonal)
        if first and len(orthogonal) > FEW_DIMENSIONS and active.any():
            large = spanning_combination(rows)
            if large is not None:  # it settles all dimensions that any combination can
                combination, orthogonal = large, orthogonal_vectors(rows, list(large))
                active = free_rows(rows, orthogonal)
        if not active.any():
            return Outcome(None, circuit, combination)
        space = Subspace(rows, orthogonal)


def orthogonal_vectors(rows: SignedRows, support) -> list[list[Fraction]]:
    """Basis of the W with z_i·W = 0 on the support rows."""
    M, e = rows.exact_rows(np.asarray(support, dtype=np.intp))
    basis = M[largest_minor(M).rows]
    if len(basis) == rows.p:
        return []
    vectors = null_space(basis)
    if len(basis) < len(M) and (M @ np.array(vectors, dtype=object).T != 0).any():
        vectors = null_space(M)  # the prime hid a row
    return [times_powers(vector, np.negative(e)) for vector in vectors]


def free_rows(rows: SignedRows, vectors) -> np.ndarray:
    """Rows that are not orthogonal to all the vectors."""
    free = np.zeros(rows.n, dtype=bool)
    for vector in vectors:
        free |= rows.signs_of(vector) != 0
    return free


def _merge(rows: SignedRows, known, new) -> dict[int, Fraction]:
    """One combination with both supports.

    Σ new_i z_i lies in the span of the known rows, Σ μ_j z_j; so new + K·known - μ sums to 0, and
    is positive for K large enough.
    """
    if not known:
        return dict(new)
    support = list(known)
    g = combine(rows, list(new), list(new.values()))
    M, e = rows.exact_rows(np.asarray(support, dtype=np.intp))
    right, common = clear_denominators(times_powers(g, np.negative(e)))
    minor = largest_minor(M)
    mu = solve_on(M, minor, right)
    if mu is None:  # the prime hid a row
        minor, mu = Minor(np.arange(len(M)), minor.columns), solve(M.T, right)
    if mu is None:
        raise ArithmeticError("the new combination is not orthogonal to the subspace")
    used = {support[k]: m / common for k, m in zip(minor.rows, mu, strict=True)}
    K = 1 + max(max(m / known[i] for i, m in used.items()), Fraction(0))
    merged = {i: K * v - used.get(i, Fraction(0)) for i, v in known.items()}
    for i, v in new.items():
        merged[i] = merged.get(i, Fraction(0)) + v
    total = sum(merged.values())
    return {i: v / total for i, v in sorted(merged.items())}


def shared_point(rows: SignedRows) -> tuple[int, int] | None:
    """Rows (negative, positive) of one identical point in both classes, if there is one."""
    # The same operations on the same numbers: identical rows have identical keys.
    key = np.zeros(rows.n)
    multiplier = np.random.default_rng(0).uniform(0.5, 1.0, rows.p - 1)
    columns = rows.X.tocsc() if sparse.issparse(rows.X) else rows.X
    for j in range(rows.p - 1):
        column = columns[:, [j]]
        column = (column.toarray() if sparse.issparse(column) else column).ravel()
        key += np.ldexp(column, -int(np.frexp(rows.largest[j])[1])) * multiplier[j]
    negative, positive = np.flatnonzero(rows.signs < 0), np.flatnonzero(rows.signs > 0)
    candidates = positive[np.isin(key[positive], key[negative])]
    partners = negative[np.argsort(key[negative], kind="stable")]
    for i in candidates[:1000]:
        start = np.searchsorted(key[partners], key[i])
        for j in partners[start : start + 8]:
            if (rows.raw([i]) == rows.raw([j])).all():
                return int(j), int(i)
    return None
