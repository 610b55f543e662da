"""Maximum margins: Wolfe's method in floats, then as many exact steps as the proof needs.

The exact steps are the same method (see ``solvers.min_norm_point``) with fractions for the
coefficients. The affine minimiser of a corral solves

    G α = C'ν,  C α = 1,   G_ij = s_i·s_j,  C: one row of ones for each group,

by float solves with exact residuals (each step gains several digits), or by exact elimination
where the corral is small or too flat for floats.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..solvers.min_norm_point import affine_minimiser, min_norm_point
from .margins import Bounds, Margin, bounds, float_weights, group_of, normalised
from .rational import as_integers, power_of_two, solve, sqrt_down
from .signed_rows import SignedRows

ACCEPT = Fraction(1, 10**11)
# corrals up to this size are always solved exactly: short fractions, and margins without rounding
SMALL = 6
BITS = 200


class HullPoints:
    """The rows of the search: z_i, or y_i(x_i - c) for the geometric margin, times 2^-e."""

    def __init__(self, rows: SignedRows, kind: str):
        self.rows, self.kind = rows, kind
        self.exponent = int(
            np.frexp(rows.largest.max(initial=1.0 if kind == "augmented" else 0))[1]
        )
        middle = [Fraction(0)] * (rows.p - 1) if kind == "augmented" else rows.middle()
        self.middle = middle
        self._centre = np.array([float(c * power_of_two(-self.exponent)) for c in middle])

    def __len__(self) -> int:
        return self.rows.n

    def take(self, rows):
        S = np.ldexp(self.rows.raw(rows), -self.exponent) - self._centre
        if self.kind == "augmented":
            S = np.column_stack([np.full(len(S), np.ldexp(1.0, -self.exponent)), S])
        return S * self.rows.signs[rows, None]

    def dot(self, v):
        if not v.any():
            return np.zeros(len(self))
        exact = [Fraction(c) * power_of_two(-self.exponent) for c in v.tolist()]
        if self.kind == "geometric":
            shift = sum((c * m for c, m in zip(exact, self.middle, strict=True)), Fraction(0))
            exact = [-shift, *exact]
        f, _, e = self.rows.scores(exact)
        return np.ldexp(f, e)


def maximum_margin(rows: SignedRows, kind: str) -> tuple[Margin, Bounds]:
    """The maximum margin of rows that are known to be separable."""
    groups = None if kind == "augmented" else (rows.signs > 0).astype(np.intp)
    answer = min_norm_point(HullPoints(rows, kind), groups)
    support, coefficients, exact = answer.support, answer.coefficients, None
    proof = [Fraction(c) for c in coefficients.tolist()]
    found = bounds(rows, kind, support, proof)
    if found.gap > ACCEPT or len(support) <= SMALL:
        members, alpha, found = _wolfe(rows, kind, support.tolist(), proof)
        order = np.argsort(members)
        support, exact = np.array(members)[order], tuple(alpha[i] for i in order)
        coefficients = np.array([float(c) for c in exact])
    weights = float_weights(kind, found)
    margin = Margin(kind, weights, sqrt_down(found.low2), support, coefficients, exact)
    return margin, found


def _wolfe(rows, kind, members, alpha) -> tuple[list[int], list[Fraction], Bounds]:
    alpha = normalised(rows, kind, members, alpha)
    members, alpha = _restore(rows, kind, members, alpha, exact=False)
    exact = False
    while True:
        found = bounds(rows, kind, members, alpha)
        if found.gap <= ACCEPT:
            return members, alpha, found
        new = _deepest(rows, kind, members, alpha, found)
        if new in members:
            if exact:
                raise ArithmeticError("the exact corral is not at its affine minimiser")
            exact = True
        else:
            members, alpha = [*members, new], [*alpha, Fraction(0)]
        members, alpha = _restore(rows, kind, members, alpha, exact)


def _deepest(rows, kind, members, alpha, found: Bounds) -> int:
    """The row furthest below its group's plane."""
    total, unit = rows.exact_scores(np.asarray(members), found.direction)
    planes = [Fraction(0)] * len(found.lowest)
    for g, a, t in zip(group_of(rows, kind, members), alpha, total, strict=True):
        planes[g] += a * t * unit
    depth = [plane - value for plane, (_, value) in zip(planes, found.lowest, strict=True)]
    return found.lowest[depth.index(max(depth))][0]


def _restore(rows, kind, members, alpha, exact: bool):
    """Minor steps with fractions until the corral holds its affine minimiser."""
    while True:
        target = _affine_minimiser(rows, kind, members, exact)
        falling = [i for i, t in enumerate(target) if t <= 0]
        if not falling:
            return members, target
        theta = min(alpha[i] / (alpha[i] - target[i]) if alpha[i] else Fraction(0) for i in falling)
        moved = [a + theta * (t - a) for a, t in zip(alpha, target, strict=True)]
        keep = [i for i, a in enumerate(moved) if a > 0]
        members, alpha = [members[i] for i in keep], [moved[i] for i in keep]


def _affine_minimiser(rows, kind, members, exact: bool) -> list[Fraction]:
    support = np.asarray(members)
    groups = group_of(rows, kind, support)
    raw = rows.raw(support)
    block = raw if kind == "geometric" else np.column_stack([np.ones(len(raw)), raw])
    M, _ = as_integers(block, common=True)
    if kind == "geometric":
        M = M - M[0]
    M = M * rows.signs[support].astype(np.int64).astype(object)[:, None]
    if not exact and len(members) > SMALL:
        refined = _refined(M, groups)
        if refined is not None:
            return refined
    return _eliminated(M, groups)


def _eliminated(M, groups) -> list[Fraction]:
    """Exact solution of [G C'; C 0][α; -ν] = [0; 1]."""
    k, n_groups = len(M), int(groups.max()) + 1
    K = np.zeros((k + n_groups, k + n_groups), dtype=object)
    K[:k, :k] = M @ M.T
    K[np.arange(k), k + groups] = 1
    K[k + groups, np.arange(k)] = 1
    answer = solve(K, [0] * k + [1] * n_groups)
    if answer is None:
        raise ArithmeticError("the corral's coefficients are not determined")
    return answer[:k]


def _refined(M, groups) -> list[Fraction] | None:
    """The affine minimiser to about 50 digits by float solves with exact residuals, or None."""
    n_groups = int(groups.max()) + 1
    bits = max(int(abs(v)).bit_length() for v in M.ravel())
    S = (M / power_of_two(bits)).astype(np.float64)
    start = affine_minimiser(S, groups, n_groups, 1.0)
    if start is None:
        return None
    A = np.column_stack([np.equal.outer(groups, np.arange(n_groups)).astype(float), S])
    R = np.linalg.qr(A.T, mode="r")
    a = _fixed_point(start)
    for _ in range(12):
        _settle_sums(a, groups, n_groups)
        h = M @ (a @ M)
        norm = int(a @ h) >> BITS
        if norm == 0:
            return None
        base = [h[groups == g][0] for g in range(n_groups)]
        r = np.array([base[g] - v for g, v in zip(groups, h, strict=True)], dtype=object)
        if max(abs(int(v)) for v in r) << 60 <= norm:
            return [Fraction(int(v), 1 << BITS) for v in a]
        scale = max(abs(int(v)) for v in r).bit_length()
        residual = (r / power_of_two(scale)).astype(np.float64)
        delta = _correction(R, groups, n_groups, residual)
        # residuals carry 2^(2·bits + BITS): undo it, and return to fixed point
        up = scale - 2 * bits
        a = a + np.array(
            [int(Fraction(d) * power_of_two(up)) for d in delta.tolist()], dtype=object
        )
    return None


def _correction(R, groups, n_groups, residual) -> np.ndarray:
    """δ with S S'δ = residual + C'β and every group summing to 0."""
    C = np.equal.outer(groups, np.arange(n_groups)).astype(float)
    half = np.linalg.solve(R.T, np.column_stack([residual, C]))
    inverse = np.linalg.solve(R, half)
    beta = np.linalg.solve(C.T @ inverse[:, 1:], C.T @ inverse[:, 0])
    return inverse[:, 0] - inverse[:, 1:] @ beta


def _fixed_point(alpha) -> np.ndarray:
    unit = power_of_two(BITS)
    return np.array([int(Fraction(c) * unit) for c in alpha.tolist()], dtype=object)


def _settle_sums(a, groups, n_groups) -> None:
    """Give what is missing from a sum of 1 to the group's largest coefficient."""
    for g in range(n_groups):
        own = np.flatnonzero(groups == g)
        a[own[np.argmax(a[own])]] += (1 << BITS) - int(a[own].sum())
