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
from scipy import sparse

from .dependence import changing_columns, independent_columns
from .enclosures import UNIT, gamma, products
from .logistic_values import Place, Problem, near_one, residuals, shifted

# Multiplications that are worth a bound.
MOST_WORK, MOST_WEIGHTS = 5_000_000_000, 1500
# λR below this: the rough bound of R will do.
SMALL = 0.01


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
    try:
        return _bound(problem, place, kept, precise)
    except (np.linalg.LinAlgError, ValueError):
        return np.inf


def _bound(problem: Problem, place: Place, kept: np.ndarray, precise: bool) -> float:
    Z, _ = shifted(problem, place.p)
    Z, _ = near_one(Z[:, kept].toarray() if sparse.issparse(Z) else Z[:, kept])
    full = products(Z, residuals(problem, place.p), precise=precise)
    doubt = _score_doubt(problem, place, Z)
    first = int(not problem.intercept)
    others = slice(0, 1) if problem.n_classes == 2 else slice(1, None)
    g, wrong = full.mid[others, first:], (full.rad + doubt)[others, first:]
    A = Z if first else np.column_stack([np.ones(len(Z)), Z])
    if A.shape[1] == 0:  # no column matters, and there is no bias: nothing can be better
        return 0.0
    H = information(problem, place.p, A)
    unit = 1.0 / np.sqrt(np.diag(H))
    if not (np.isfinite(unit).all() and np.isfinite(H).all()):
        return np.inf
    B, N = H * unit[:, None] * unit, len(H)
    share = gamma(len(A) + 3 * problem.n_classes + 24) + 4 * float(place.doubt.max())
    error = (share + 2 * problem.doubt) * N
    low = least_eigenvalue(B, error)
    if not low > 0:
        return np.inf
    size = decrement(B, unit * g.ravel(), unit * wrong.ravel(), low, error)
    units = unit.reshape(g.shape)
    reach = _rough_reach(A, units, low)
    if not size * reach < SMALL:
        reach = min(reach, _reach(B, A, units, low, error))
    return newton_bound(size, reach)


def _score_doubt(problem: Problem, place: Place, Z: np.ndarray) -> np.ndarray:
    """What the doubt about the probabilities adds to that about the gradient."""
    rest = place.doubt[:, None] * place.p * (1.0 - place.p + UNIT)
    R = (2.0 * rest * problem.c[:, None])[:, problem.shown]
    return 1.001 * np.column_stack([R.sum(axis=0), (np.abs(Z).T @ R).T])


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
