"""The discriminants Σ x_k = δ_k in fractions, with a proven bound of what is left of their error.

Where Σ is singular, Σ n = 0, two things are fixed so that there is one answer, both in units of the
spreads D² = diag Σ: of all solutions the shortest is taken, n·D²x = 0; and if some δ_k is not in
the range of Σ (the means differ where no class varies), its part along the null directions is left
out,

    T_k = δ_k − D²n (nᵀD²n)⁻¹ nᵀδ_k            Σ x_k = T_k
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm, sqrt
from typing import NamedTuple

import numpy as np

from linscope.arithmetic.rational import as_float, clear_denominators, dot
from linscope.arithmetic.rational import solve as solve_exactly
from linscope.verify.definite import Solution, solve
from linscope.verify.exact_rank import combinations, rank_of

from .class_scatter import Scatter

Vector = list[Fraction]


class Optimum(NamedTuple):
    """x_k (K, d) in the units of the scatter.

    Attributes
    ----------
    kept : columns that are not combinations of columns before them
    constant : columns that do not vary within classes
    separated : whether class means differ along a null direction
    null : null vectors, one for each column that varies but is not kept
    x, doubt : the discriminants, and how far each may be off in the norm of Σ
    least : proven bound of the least eigenvalue of Σ, its diagonal brought near 1
    """

    kept: list[int]
    constant: list[int]
    separated: bool
    null: list[Vector]
    x: list[Vector]
    doubt: list[float]
    least: float

    @property
    def rank(self) -> int:
        return len(self.kept)


def optimum(scatter: Scatter, most: int) -> Optimum | None:
    """None if the rank cannot be proven; it is known to be at most ``most``."""
    N, d = scatter.N, len(scatter.exponent)
    rank = rank_of(N, min(most, d))
    kept = [int(j) for j in rank.kept]
    rest = [j for j in range(d) if j not in set(kept)]
    shares = rank.shares
    if len(rest) > len(shares):
        shares = combinations(N, rank.kept, np.array(rest))
    if not rank.proven or any(j not in shares for j in rest):
        return None
    constant = [j for j in rest if not N[j, j]]
    null = [_null_vector(j, kept, shares[j], d) for j in rest if N[j, j]]
    targets, separated = _targets(scatter, null, constant)
    if not kept:
        zero = [[Fraction(0)] * d for _ in targets]
        return Optimum(kept, constant, separated, null, zero, [0.0] * len(zero), 1.0)
    below = [lcm(*(t[j].denominator for j in kept)) for t in targets]
    right = np.array(
        [
            [int(t[j] * b) * scatter.scale for t, b in zip(targets, below, strict=True)]
            for j in kept
        ],
        dtype=object,
    )
    found = solve(N[np.ix_(kept, kept)], right)
    if found is None:
        return None
    x = []
    for k, b in enumerate(below):
        vector = [Fraction(0)] * d
        for row, j in enumerate(kept):
            vector[j] = Fraction(int(found.numbers[row, k]), b << found.point)
        x.append(_shortest(vector, null, N))
    doubt = [_doubt(found, k, b, scatter.scale) for k, b in enumerate(below)]
    return Optimum(kept, constant, separated, null, x, doubt, found.least)


def _doubt(found: Solution, k: int, below: int, scale: int) -> float:
    """‖x − x*‖_Σ ≤ 2√r ‖2^f (x − x*)‖ / √scale, as the scaled N has a diagonal below 4."""
    far = Fraction(float(found.distance[k])) * Fraction(2) ** int(found.scale[k]) / below
    square = 4 * len(found.f) * far * far / scale
    return sqrt(as_float(square)) * (1 + 1e-12) if square else 0.0


def _null_vector(j: int, kept: list[int], shares: list[Fraction], d: int) -> Vector:
    out = [Fraction(0)] * d
    out[j] = Fraction(1)
    for i, share in zip(kept, shares, strict=True):
        out[i] = -share
    return out


def _targets(scatter: Scatter, null: list[Vector], constant: list[int]) -> tuple[list, bool]:
    """T_k, and whether a mean differs along a null direction."""
    separated, targets = False, []
    for delta in scatter.delta:
        target = list(delta)
        separated = separated or any(delta[j] for j in constant)
        for j in constant:
            target[j] = Fraction(0)
        heights = [dot(n, target) for n in null]
        if any(heights):
            separated = True
            target = _less(target, null, heights, scatter.N, diagonal=True)
        targets.append(target)
    return targets, separated


def _shortest(x: Vector, null: list[Vector], N: np.ndarray) -> Vector:
    if not null:
        return x
    heights = [sum((a * int(N[j, j]) * x[j] for j, a in enumerate(n)), Fraction(0)) for n in null]
    return _less(x, null, heights, N, diagonal=False)


def _less(vector: Vector, null, heights: Vector, N: np.ndarray, diagonal: bool) -> Vector:
    """vector − (D²) n (nᵀD²n)⁻¹ heights, with or without the first D²."""
    D = [int(N[j, j]) for j in range(len(vector))]
    gram = [[sum((a * b * w for a, b, w in zip(m, n, D, strict=True)), Fraction(0)) for n in null]
            for m in null]  # fmt: skip
    shares = _solve_small(gram, heights)
    out = list(vector)
    for n, share in zip(null, shares, strict=True):
        for j, a in enumerate(n):
            if a:
                out[j] -= share * a * (D[j] if diagonal else 1)
    return out


def _solve_small(A: list[Vector], b: Vector) -> Vector:
    """A x = b for a positive definite matrix of fractions."""
    rows = [clear_denominators([*row, value])[0] for row, value in zip(A, b, strict=True)]
    found = solve_exactly([row[:-1] for row in rows], [row[-1] for row in rows])
    assert found is not None
    return found


def forms(scatter: Scatter, U: list[Vector], V: list[Vector]) -> np.ndarray:
    """UᵀΣV of vectors in the units of the scatter, rounded once."""
    right = []
    for v in V:
        numbers, below = clear_denominators(v)
        whole = np.array(numbers, dtype=object)
        right.append([Fraction(int(a), below * scatter.scale) for a in scatter.N.dot(whole)])
    return np.array([[as_float(dot(u, r)) for r in right] for u in U])


def in_units(w: np.ndarray, exponent: list[int]) -> Vector:
    """Weights (d,) of floats as fractions in the units of the scatter."""
    return [Fraction(float(v)) * Fraction(2) ** e for v, e in zip(w, exponent, strict=True)]
