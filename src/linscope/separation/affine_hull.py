"""The least norm point of an affine hull, exactly or to as many digits as a proof needs.

The rows s_i of a corral are integers; the coefficients solve

    G α = C'ν,   C α = 1,   G_ij = s_i·s_j,   C: one row of ones for each group.

Three ways, from quick to certain: float solves with exact residuals, each of which gains several
digits; elimination in long fractions, for corrals too flat for floats; exact elimination.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from linscope.arithmetic.rational import power_of_two, solve
from linscope.verify import definite

from .min_norm_point import affine_minimiser

BITS = 200


def affine_minimiser_exact(M: np.ndarray, groups: np.ndarray, exact: bool) -> list[Fraction]:
    """Coefficients that sum to 1 in each group; without ``exact`` they may be rounded."""
    for attempt in () if exact else (_refined, _in_fractions):
        answer = attempt(M, groups)
        if answer is not None:
            return answer
    return _eliminated(M, groups)


def _system(M, groups) -> np.ndarray:
    """[G C'; C 0] with integer entries."""
    k, n_groups = len(M), int(groups.max()) + 1
    K = np.zeros((k + n_groups, k + n_groups), dtype=object)
    K[:k, :k] = M @ M.T
    K[np.arange(k), k + groups] = 1
    K[k + groups, np.arange(k)] = 1
    return K


def _refined(M, groups) -> list[Fraction] | None:
    """The affine minimiser to about 50 digits by float solves with exact residuals, or None."""
    n_groups = int(groups.max()) + 1
    bits = _bits(M)
    S = (M / power_of_two(bits)).astype(np.float64)
    start = affine_minimiser(S, groups, n_groups, 1.0)
    if start is None:
        return None
    A = np.column_stack([np.equal.outer(groups, np.arange(n_groups)).astype(float), S])
    R = np.linalg.qr(A.T, mode="r")
    a = _fixed_point(start)
    for _ in range(12):
        _settle_sums(a, groups, n_groups, BITS)
        r, norm = _residual(M, groups, a, BITS)
        worst = max(abs(int(v)) for v in r)
        if _good_enough(M, a, worst, norm, BITS):
            return [Fraction(int(v), 1 << BITS) for v in a]
        scale = worst.bit_length()
        residual = (r / power_of_two(scale)).astype(np.float64)
        delta = _correction(R, groups, n_groups, residual)
        # residuals carry 2^(2·bits + BITS): undo it, and return to fixed point
        up = scale - 2 * bits
        a = a + np.array(
            [int(Fraction(d) * power_of_two(up)) for d in delta.tolist()], dtype=object
        )
    return None


def _residual(M, groups, a, bits) -> tuple[np.ndarray, int]:
    """How far the rows' scores s_i·v lie from their group's first, and ‖v‖², both times 2^bits."""
    h = M @ (a @ M)
    first = [h[groups == g][0] for g in range(int(groups.max()) + 1)]
    r = np.array([first[g] - v for g, v in zip(groups, h, strict=True)], dtype=object)
    return r, int(a @ h) >> bits


def _good_enough(M, a, worst, norm, bits) -> bool:
    """Scores equal to 2^-60 of ‖v‖²; where v may be 0 (and so α is not a corral), of 2^-bits/2."""
    if worst << 60 <= norm and norm:
        return True
    return bool(min(a) < 0) and worst <= 1 << (2 * _bits(M) + bits // 2)


def _bits(M) -> int:
    return max(int(abs(v)).bit_length() for v in M.ravel())


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


def _settle_sums(a, groups, n_groups, bits) -> None:
    """Give what is missing from a sum of 1 to the group's largest coefficient."""
    for g in range(n_groups):
        own = np.flatnonzero(groups == g)
        a[own[np.argmax(a[own])]] += (1 << bits) - int(a[own].sum())


def _eliminated(M, groups) -> list[Fraction]:
    """Exact solution."""
    k, n_groups = len(M), int(groups.max()) + 1
    answer = solve(_system(M, groups), [0] * k + [1] * n_groups)
    if answer is None:
        raise ArithmeticError("the corral's coefficients are not determined")
    return answer[:k]


def _in_fractions(M, groups) -> list[Fraction] | None:
    """With N = G + κC'C, positive definite, N α = C'(ν + κ1): elimination in long fractions."""
    C = np.equal.outer(groups, np.arange(int(groups.max()) + 1)).astype(np.int64).astype(object)
    N = M @ M.T
    N = N + int(max(N.diagonal())) * (C @ C.T)
    f = definite.halves(N)
    for bits in (BITS + 2 * _bits(M), BITS + 5 * _bits(M)):
        factor = definite.by_fractions(N, f, bits, proven=False)
        if factor is None:
            continue
        found, _ = definite.refined(N, C, f, factor, bits)
        shares = solve(C.T @ found.numbers, [1] * C.shape[1])
        if shares is None:
            continue
        whole = [int(share * (1 << bits + found.point)) for share in shares]
        a = (found.numbers @ np.array(whole, dtype=object)) >> found.point
        _settle_sums(a, groups, C.shape[1], bits)
        r, norm = _residual(M, groups, a, bits)
        if _good_enough(M, a, max(abs(int(v)) for v in r), norm, bits):
            return [Fraction(int(v), 1 << bits) for v in a]
    return None
