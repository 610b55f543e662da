"""How far an unpenalised logistic loss is from its minimum: the Newton decrement, rigorously.

Let g and H be gradient and Hessian at θ, λ = √(gᵀH⁻¹g), and R the largest √(aᵀH⁻¹a) over rows and
pairs of classes, a = (e_k − e_l) ⊗ z_i. The third derivative of a row's loss along U is at most
the range of U z_i, that is R‖U‖_H, times the second. So for q = λR < 1 a minimum exists, and

    L(θ) − min L  ≤  (q + (1 − q) log(1 − q)) / R²                      about ½λ² for small q

Weights are those against the first class; z = [1, x − m] over columns that span all others exactly.

Rounding. B = SHS has the diagonal 1 (S is diagonal). Each entry of the computed B is wrong by ε at
most, ε the relative error of its terms, so ‖ΔB‖ ≤ εN for N weights. If the Cholesky factor of
B − tI exists in floats, λ_min(B) ≥ t − εN − (N + 2)N u. For any v, with r = Sg − Bv,

    λ ≤ √(vᵀBv) + ‖r‖/√λ_min          aᵀH⁻¹a ≤ bᵀMb + ‖b‖² ‖I − BM‖/λ_min,   b = Sa
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy import linalg

from linscope.arithmetic.enclosures import UNIT, Ball, dense, gamma, products, scores
from linscope.verify.dependence import changing_columns, independent_columns

from .values import Place, Problem, near_one, residuals, shifted

# Multiplications that are worth a bound.
MOST_WORK, MOST_WEIGHTS = 5_000_000_000, 1500
# λR below this: the rough bound of R will do.
SMALL = 0.01
# Rounds of combining columns, and multiplications they may cost.
ROUNDS, MOST_CAREFUL = 2, 2_000_000


def decrement_bound(problem: Problem, place: Place, *, precise: bool = False) -> float:
    """A bound on L(W) − min L of the losses alone; ∞ where none can be proven."""
    size = (problem.n_classes - 1) * (problem.X.shape[1] + 1)
    if not place.known or size > MOST_WEIGHTS or len(problem.codes) * size**2 > MOST_WORK:
        return np.inf
    if not (problem.class_totals > 0).all():
        return np.inf
    with np.errstate(all="ignore"):
        all_columns = changing_columns(problem.X, problem.intercept)
        found = _try(problem, place, all_columns, precise)
        if np.isinf(found):
            kept = independent_columns(problem.X, problem.intercept)
            if len(kept) < len(all_columns):
                found = _try(problem, place, kept, precise)
        return found


def _try(problem: Problem, place: Place, kept: np.ndarray, precise: bool) -> float:
    """With the columns as they are, or else with combinations of them that are hardly correlated.

    Columns that are nearly combinations of others become what is left of them, in double-double:
    the floats of a triangular T are exact, so [1, X] T spans what [1, X] does.
    """
    try:
        A, T = _columns(problem, place, kept)
        if A.mid.shape[1] == 0:  # no column matters, and there is no bias: nothing can be better
            return 0.0
        found = _bound(problem, place, A, precise)
        for _ in range(ROUNDS if A.mid.size * A.mid.shape[1] <= MOST_CAREFUL else 0):
            if np.isfinite(found):
                break
            T = T @ _whitening(problem, place, A.mid)
            bias = T[:1] if problem.intercept else np.zeros((1, len(T)))
            W = np.vstack([bias, T[int(problem.intercept) :]]).T
            A = scores(dense(problem.X[:, kept]), W, precise=True)
            found = _bound(problem, place, A, precise)
        return found
    except (np.linalg.LinAlgError, linalg.LinAlgError, ValueError):
        return np.inf


def _columns(problem: Problem, place: Place, kept: np.ndarray) -> tuple[Ball, np.ndarray]:
    """[1, (x − m)·2^−e] with the rounding of the difference, and T with [1, x] T = that."""
    Z, mean = shifted(problem, place.p)
    Z, exponent = near_one(dense(Z[:, kept]))
    moved = mean[kept] != 0
    A = Ball(Z, np.where(moved, 2 * UNIT, 0.0) * np.abs(Z))
    T = np.diag(np.ldexp(1.0, -exponent))
    if problem.intercept:
        ones = np.ones((len(Z), 1))
        A = Ball(np.hstack([ones, A.mid]), np.hstack([0.0 * ones, A.rad]))
        T = np.vstack([np.zeros(len(kept)), T])
        T = np.hstack([np.eye(len(kept) + 1, 1), T])
        T[0, 1:] = -np.ldexp(mean[kept], -exponent)
    return A, T


def _whitening(problem: Problem, place: Place, A: np.ndarray) -> np.ndarray:
    """R⁻¹ of the columns, rows weighted as their losses are curved."""
    D = problem.c / problem.c.max() * (place.p * (1.0 - place.p)).sum(axis=1)
    R = np.linalg.qr(np.sqrt(D)[:, None] * A, mode="r")
    inverse = np.triu(linalg.solve_triangular(R, np.eye(len(R))))
    if not (np.isfinite(inverse).all() and np.diag(inverse).all()):
        raise np.linalg.LinAlgError("the columns depend on each other")
    return inverse


def _bound(problem: Problem, place: Place, A: Ball, precise: bool) -> float:
    """The bound for columns A."""
    others = slice(0, 1) if problem.n_classes == 2 else slice(1, None)
    R = residuals(problem, place.p)
    rest = 2.002 * place.doubt[:, None] * place.p * (1.0 - place.p + UNIT)
    rest = (rest * problem.c[:, None])[:, problem.shown] + R.rad
    g = products(A.mid, Ball(R.mid, 0.0 * R.mid), precise=precise)
    wrong = g.rad[:, 1:] + 1.001 * ((np.abs(A.mid) + A.rad).T @ rest + A.rad.T @ np.abs(R.mid)).T
    slope, wrong = g.mid[others, 1:], wrong[others]
    H = information(problem, place.p, A.mid)
    unit = 1.0 / np.sqrt(np.diag(H))
    if not (np.isfinite(unit).all() and np.isfinite(H).all()):
        return np.inf
    B, N = H * unit[:, None] * unit, len(H)
    share = gamma(len(A.mid) + 3 * problem.n_classes + 24) + 4 * float(place.doubt.max())
    units = unit.reshape(slope.shape)
    share += 2.2 * _column_doubt(problem, place, A, units) + 2 * problem.doubt
    low = least_eigenvalue(B, share * N)
    if not low > 0:
        return np.inf
    size = decrement(B, unit * slope.ravel(), unit * wrong.ravel(), low, share * N)
    reach = _rough_reach(np.abs(A.mid) + A.rad, units, low)
    if not size * reach < SMALL:
        extra = _rough_reach(A.rad, units, low)
        reach = min(reach, _reach(B, A.mid, units, low, share * N) + 2 * extra)
    return newton_bound(size, reach)


def _column_doubt(problem: Problem, place: Place, A: Ball, units: np.ndarray) -> float:
    """How wrong a column is at most, relatively, in the norm of H."""
    if not A.rad.any():
        return 0.0
    P = place.p[:, 1:]
    D = problem.c[:, None] * P * (1.0 - P + UNIT)
    return 1.01 * float((np.sqrt(D.T @ (A.rad * A.rad)) * units).max())


def newton_bound(size: float, reach: float) -> float:
    """The bound for λ and R, rounded up; ∞ where λR ≥ 1."""
    q = size * reach
    if not q < 1.0:
        return np.inf
    if q < 1e-3:  # the series, where the difference would cancel
        return size * size * (0.5 + q / 6 + q * q) * (1 + 1e-9)
    return float(q + (1.0 - q) * np.log1p(-q)) / reach**2 * (1 + 1e-6)


def information(problem: Problem, p: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Σ c (diag p − p pᵀ) ⊗ z zᵀ over the classes but the first; 1 − p without cancellation."""
    P = p[:, 1:]
    rest = np.stack([np.delete(p, k, axis=1).sum(axis=1) for k in range(1, p.shape[1])], axis=1)
    R, size = P.shape[1], A.shape[1]
    H = np.empty((R, size, R, size))
    for k in range(R):
        for l in range(k + 1):
            D = problem.c * P[:, k] * (rest[:, k] if k == l else -P[:, l])
            H[k, :, l, :] = (A * D[:, None]).T @ A
            H[l, :, k, :] = H[k, :, l, :].T
    return H.reshape(R * size, R * size)


def least_eigenvalue(B: np.ndarray, error: float) -> float:
    """A lower bound, proven by a Cholesky factor."""
    N = len(B)
    guess = 0.9 * float(np.linalg.eigvalsh(B)[0])
    rounding = 1.1 * (N + 4) * N * UNIT
    if not guess > error + rounding:
        return 0.0
    np.linalg.cholesky(B - guess * np.eye(N))  # raises if there is none
    return guess - error - rounding


def decrement(B: np.ndarray, g: np.ndarray, wrong: np.ndarray, low: float, error: float) -> float:
    """λ, from above."""
    v = np.linalg.solve(B, g)
    length, N = float(np.linalg.norm(v)), len(B)
    left = np.abs(g - B @ v) + gamma(N + 4) * (np.abs(B) @ np.abs(v) + np.abs(g)) + wrong
    r = float(np.linalg.norm(left)) + error * length
    inner = max(float(v @ (B @ v)), 0.0) + (error + gamma(2 * N + 4) * N) * length**2
    return (float(np.sqrt(inner)) + r / float(np.sqrt(low))) * (1 + 1e-9)


def _rough_reach(A: np.ndarray, unit: np.ndarray, low: float) -> float:
    """R ≤ max ‖Sa‖/√λ_min."""
    squares = np.sort((A * A) @ (unit * unit).T, axis=1)[:, -2:].sum(axis=1)
    return float(np.sqrt(squares.max() / low)) * (1 + 1e-9)


def _reach(B: np.ndarray, A: np.ndarray, unit: np.ndarray, low: float, error: float) -> float:
    """R, from above."""
    M, N = np.linalg.inv(B), len(B)
    M = (M + M.T) / 2
    off = float(np.linalg.norm(np.eye(N) - B @ M)) + N * (gamma(N + 4) + error) * float(
        np.linalg.norm(M)
    )
    parts = [A * s for s in unit]
    size = A.shape[1]
    block = M.reshape(len(unit), size, len(unit), size)
    largest = 0.0
    pairs = [(k,) for k in range(len(unit))] + list(combinations(range(len(unit)), 2))
    for pair in pairs:
        sides = [(k, 1.0 if at == 0 else -1.0) for at, k in enumerate(pair)]
        form = np.zeros(len(A))
        for k, s in sides:
            for l, t in sides:
                form += s * t * np.einsum("ij,ij->i", parts[k] @ block[k, :, l, :], parts[l])
        norms = sum(np.einsum("ij,ij->i", parts[k], parts[k]) for k in pair)
        room = gamma(4 * N + 8) * N * float(np.abs(M).max()) + off / low
        largest = max(largest, float(np.max(form + room * norms)))
    return float(np.sqrt(max(largest, 0.0))) * (1 + 1e-9)
