"""The kernel SVM's free samples solved as linear equations.

With the bounded samples fixed, the free ones F move to

    min ½ ΔᵀKΔ + gᵀΔ     ΣΔ = 0,  Δ_R = c          KΔ + g + ν1 + E_R μ = 0

R are those that the equations would carry past a bound: they are put there, and leave R again if
their multiplier μ says that they want to come back. K = LLᵀ is factored once; every choice of R
takes only a system of |R| + 1 equations in columns of K⁻¹. What is wrong with the bounds of the
other samples is left to sequential minimal optimisation.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scipy import linalg

ROUNDS, MOST_SHARE = 20, 0.15
# Relative to the rounding of the kernel values.
RIDGES = (0.0, 50.0, 5e4)


class Rows(Protocol):
    """Kernel values of samples: K[rows, rows] to be overwritten, and g += K[:, rows]·delta."""

    def block(self, rows: np.ndarray, size: int) -> np.ndarray: ...

    def add_product(self, rows: np.ndarray, delta: np.ndarray, g: np.ndarray) -> None: ...


def polish(
    rows: Rows, beta: np.ndarray, g: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """β and g after the equations of the free samples; None if that is no better.

    ``rows`` must be of the same samples as β. float32 will do if the equations need not be exact.
    """
    free = np.flatnonzero((beta > lower) & (beta < upper))
    if len(free) < 2:
        return None
    start, low, high = beta[free], lower[free], upper[free]
    factor = _factor(rows, free)
    if factor is None:
        return None
    try:
        change = _bounded_change(factor, g[free], low - start, high - start)
    except np.linalg.LinAlgError:  # the fixed samples do not determine their multipliers
        return None
    if change is None or not np.isfinite(change).all():
        return None
    moved = np.clip(start + change, low, high)
    # Rounding of the sum is left to the sample with most room.
    room = np.minimum(moved - low, high - moved)
    most, surplus = int(np.argmax(room)), float((moved - start).sum())
    if not abs(surplus) < room[most]:
        return None
    moved[most] -= surplus
    after = g.copy()
    rows.add_product(free, moved - start, after)
    # The objective is quadratic: its change is that of β times the mean gradient.
    if not 0.5 * (g + after)[free] @ (moved - start) < 0.0:
        return None
    beta = beta.copy()
    beta[free] = moved
    return beta, after


def _factor(rows: Rows, free: np.ndarray) -> Any:
    """Cholesky factor of K_FF; with a tiny ridge if samples are the same. None if K has none."""
    for ridge in RIDGES:
        K = rows.block(free, len(free))
        rounding = float(np.finfo(K.dtype).eps) * float(np.trace(K)) / len(K)
        K.flat[:: len(K) + 1] += K.dtype.type(ridge * rounding)
        try:
            # The transpose is the same matrix in the order that LAPACK overwrites.
            return linalg.cho_factor(K.T, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            continue
    return None


def _bounded_change(
    factor: Any, g: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray | None:
    """Δ with low ≤ Δ ≤ high; None if the guesses of R do not settle."""
    n = len(g)
    along, ones = linalg.cho_solve(factor, np.stack([-g, np.ones(n)], axis=1), check_finite=False).T
    columns = np.empty((0, n))  # K⁻¹ e_r for every r that was ever in R
    place = np.full(n, -1)
    side = np.zeros(n)  # +1 at the upper bound, −1 at the lower, 0 inside
    change = along - ones * (along.sum() / ones.sum())
    for _ in range(ROUNDS):
        out = (change > high) & (side == 0), (change < low) & (side == 0)
        side[out[0]], side[out[1]] = 1.0, -1.0
        R = np.flatnonzero(side)
        if not (out[0].any() or out[1].any()):
            return change
        if len(R) > MOST_SHARE * n + 16 or len(R) >= n - 1:
            return None
        fresh = R[place[R] < 0]
        place[fresh] = len(columns) + np.arange(len(fresh))
        units = np.zeros((n, len(fresh)), order="F")
        units[fresh, np.arange(len(fresh))] = 1.0
        solved = linalg.cho_solve(factor, units, overwrite_b=True, check_finite=False)
        columns = np.vstack([columns, solved.T])
        change, mu = _with_fixed(
            along, ones, columns[place[R]], R, np.where(side > 0, high, low)[R]
        )
        side[R[mu * side[R] < 0.0]] = 0.0
    return None


def _with_fixed(along, ones, columns, R, fixed) -> tuple[np.ndarray, np.ndarray]:
    """Δ = K⁻¹(−g − ν1 − E_R μ) with Δ_R = fixed and ΣΔ = 0, and μ."""
    k = len(R)
    A, right = np.empty((k + 1, k + 1)), np.empty(k + 1)
    A[:k, :k], A[:k, k] = columns[:, R].T, ones[R]
    A[k, :k], A[k, k] = columns.sum(axis=1), ones.sum()
    right[:k], right[k] = along[R] - fixed, along.sum()
    multipliers = np.linalg.solve(A, right)
    mu, nu = multipliers[:k], multipliers[k]
    change = along - nu * ones - mu @ columns
    change[R] = fixed
    return change, mu
