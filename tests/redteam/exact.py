"""Rationals, balls and exact linear programs, on python-flint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

ZERO, ONE = fmpq(0), fmpq(1)


@contextmanager
def precision(bits: int) -> Iterator[None]:
    before, ctx.prec = ctx.prec, bits
    try:
        yield
    finally:
        ctx.prec = before


def q(value: Any) -> fmpq:
    """The rational number that a float is."""
    return fmpq(*float(value).as_integer_ratio())


def rationals(values: Iterable) -> list[fmpq]:
    return [q(value) for value in values]


def table(X: np.ndarray) -> list[list[fmpq]]:
    return [rationals(row) for row in X]


def dot(a: Sequence, b: Sequence) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True)), 0 * a[0] if len(a) else ZERO)


def ball(value: Any) -> arb:
    return arb(value) if isinstance(value, fmpq) else arb(float(value))


def middle(value: arb) -> arb:
    return value.mid()


def number(value: Any) -> float:
    """A float near a rational or a ball, for messages."""
    try:
        if isinstance(value, fmpq):
            return float(arb(value))
        return float(value)
    except (OverflowError, ValueError):
        return float("nan")


def rank(rows: list[list[fmpq]]) -> int:
    return fmpq_mat(rows).rank() if rows and rows[0] else 0


def solve(A: list[list[fmpq]], B: list[list[fmpq]]) -> list[list[fmpq]]:
    """A⁻¹ B of a regular matrix."""
    return fmpq_mat(A).solve(fmpq_mat(B)).tolist()


def pivots(A: list[list[fmpq]]) -> tuple[list[int], list[list[fmpq]]]:
    """Columns that are not combinations of columns before them, and a basis of {v : Av = 0}."""
    if not A or not A[0]:
        return [], []
    reduced, r = fmpq_mat(A).rref()
    rows = reduced.tolist()[:r]
    kept = [next(j for j, v in enumerate(row) if v != 0) for row in rows]
    null = []
    for free in (j for j in range(len(A[0])) if j not in kept):
        v = [ZERO] * len(A[0])
        v[free] = ONE
        for j, row in zip(kept, rows, strict=True):
            v[j] = -row[free]
        null.append(v)
    return kept, null


def gram(rows: list[list[fmpq]], c: Sequence[fmpq]) -> list[list[fmpq]]:
    """Σ c_i x_i x_iᵀ."""
    A = fmpq_mat(rows)
    weighted = fmpq_mat([[v * ci for v in row] for row, ci in zip(rows, c, strict=True)])
    return (A.transpose() * weighted).tolist()


def approximate_solution(A: arb_mat, b: arb_mat) -> arb_mat:
    """A⁻¹ b to about the working precision; no bound."""
    return A.mid().solve(b.mid(), algorithm="approx").mid()


def separation(rows: list[list[fmpq]]) -> int:
    """2: some w has a_i·w > 0 for all rows; 1: a_i·w ≥ 0 for all, > 0 for some; 0: neither.

    max Σ s_i subject to s_i ≤ a_i·w, 0 ≤ s_i ≤ 1, by the simplex method with Bland's rule: the
    maximum is n, between, or 0. The space of all (a_i·w) has a basis of rows B_j that are 1 in a
    column of their own and 0 in those of the others, so their coefficients are not negative.
    """
    n = len(rows)
    reduced, r = fmpq_mat(rows).transpose().rref()
    if r == 0:
        return 0
    basis = reduced.tolist()[:r]
    constraints = []
    for i in range(n):
        unit = [ONE if k == i else ZERO for k in range(n)]
        constraints.append(([ZERO] * r + unit, ONE))
        constraints.append(([-row[i] for row in basis] + unit, ZERO))
    best = maximum(constraints, [ZERO] * r + [ONE] * n)
    return 2 if best == n else int(best > 0)


def maximum(constraints: list[tuple[list[fmpq], fmpq]], goal: list[fmpq]) -> fmpq:
    """max goal·w subject to a·w ≤ b (b ≥ 0), w ≥ 0, bounded; Bland's rule."""
    m, r = len(constraints), len(goal)
    tableau = [
        [*a, *(ONE if k == i else ZERO for k in range(m)), b]
        for i, (a, b) in enumerate(constraints)
    ]
    cost = [-v for v in goal] + [ZERO] * (m + 1)
    basic = list(range(r, r + m))
    while True:
        enter = next((j for j in range(r + m) if cost[j] < 0), None)
        if enter is None:
            return cost[-1]
        leave = None
        for i, row in enumerate(tableau):
            if row[enter] > 0:
                ratio = row[-1] / row[enter]
                if (
                    leave is None
                    or ratio < leave[0]
                    or (ratio == leave[0] and basic[i] < basic[leave[1]])
                ):
                    leave = ratio, i
        assert leave is not None, "the program is bounded"
        i = leave[1]
        pivot = tableau[i][enter]
        tableau[i] = [v / pivot for v in tableau[i]]
        for k, row in enumerate(tableau):
            if k != i and row[enter] != 0:
                factor = row[enter]
                tableau[k] = [
                    v - factor * u if u != 0 else v for v, u in zip(row, tableau[i], strict=True)
                ]
        factor = cost[enter]
        cost = [v - factor * u for v, u in zip(cost, tableau[i], strict=True)]
        basic[i] = enter
