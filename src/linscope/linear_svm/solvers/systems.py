"""The Newton system of a margin objective, solved in one of three ways.

    H D = −g,     H = diag(ρ) + k Σ_{i active} c_i z_i z_iᵀ,     z_i = y_i [1, x_i]

- ``ColumnSystem``: H itself, (d + 1)². Σ c z zᵀ is kept; rows that became active are added and
  rows that no longer are taken away, so most steps are cheap.
- ``RowSystem``: few active rows, many columns. With λ = k c ∘ (Z D) the unknowns are λ and the
  change of the bias:
      (diag(1/kc) + Z_w R⁻¹ Z_wᵀ) λ − y D_0 = −Z_w R⁻¹ g_w,      y·λ + ρ_0 D_0 = −g_0
- ``ProductSystem``: both are large: conjugate gradients, preconditioned by the diagonal of H.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import lapack

from linscope.engines import choose
from linscope.rows.blocks import NO_WEIGHT, Block
from linscope.rows.curvature import diagonal_block, product_block
from linscope.rows.threads import one_blas_thread

from .blocks import Pieces
from .objective import MarginObjective, Point

MOST_COLUMNS, MOST_ROWS, MOST_SPREAD = 1200, 3000, 8_000_000
# Conjugate gradients end when the residual is this small against the first, or after so many.
RESIDUAL, MOST_PRODUCTS = 1e-2, 400
# A bias that no active row holds: its curvature, as a share of what all rows would give.
LOOSE_BIAS = 1e-6
MOST_RIDGE = 1e9


def make_system(objective: MarginObjective) -> ColumnSystem | WideSystem:
    """Columns up to some hundred, else whatever the active rows of a step call for."""
    if objective.d < MOST_COLUMNS and objective.d <= objective.n:
        return ColumnSystem(objective)
    return WideSystem(objective)


class ColumnSystem:
    """Keeps Σ c [1, x][1, x]ᵀ over the active rows of the last step."""

    def __init__(self, objective: MarginObjective):
        self.objective = objective
        self.active: np.ndarray | None = None
        self.gram = np.zeros((objective.d + 1,) * 2)
        self.changed = 0

    def direction(self, point: Point, pieces: Pieces, tol: float = 0.0) -> np.ndarray:
        self._follow(point.active)
        H = pieces.k * self.gram
        H.flat[:: len(H) + 1] += self.objective.held
        if not self.objective.intercept:
            H[0], H[:, 0], H[0, 0] = 0.0, 0.0, 1.0
        elif H[0, 0] <= 0.0:
            H[0, 0] = LOOSE_BIAS * pieces.k * self.objective.n
        with one_blas_thread():
            return -_solve(H, point.gradient)

    def _follow(self, active: np.ndarray) -> None:
        whole = self.objective
        if self.active is not None:
            came = np.flatnonzero(active & ~self.active)
            left = np.flatnonzero(self.active & ~active)
            self.changed = len(came) + len(left)
            if 2 * self.changed < np.count_nonzero(active):
                if len(came):
                    self.gram += whole.gram(came)
                if len(left):
                    self.gram -= whole.gram(left)
                self.active = active
                return
        self.gram = whole.gram(np.flatnonzero(active))
        self.active = active


class WideSystem:
    """The system of the active rows, or conjugate gradients where there are too many."""

    def __init__(self, objective: MarginObjective):
        self.objective = objective

    def direction(self, point: Point, pieces: Pieces, tol: float = RESIDUAL) -> np.ndarray:
        rows = np.flatnonzero(point.active)
        X = self.objective.X[rows]
        k = pieces.k * (pieces.c[rows] if len(pieces.c) else np.ones(len(rows)))
        if len(rows) == 0:
            return self._steepest(point, pieces)
        with one_blas_thread():
            if len(rows) <= MOST_ROWS:
                return self._by_rows(point, X, self.objective.y[rows], k)
        return self._by_products(point, X, k, tol)

    def _steepest(self, point: Point, pieces: Pieces) -> np.ndarray:
        rho = self.objective.held.copy()
        if rho[0] == 0.0:
            rho[0] = LOOSE_BIAS * pieces.k * self.objective.n
        return -point.gradient / rho

    def _by_rows(self, point: Point, X: Any, y: np.ndarray, k: np.ndarray) -> np.ndarray:
        rho, g = self.objective.held, point.gradient
        scaled = g[1:] / rho[1:]
        M = _inner_products(X, rho[1:])
        M *= np.outer(y, y)
        M.flat[:: len(M) + 1] += 1.0 / k
        both = np.column_stack([y, y * (X @ scaled)])
        of_bias, of_slope = _solve(M, both).T
        D = np.empty_like(g)
        D[0] = 0.0
        if self.objective.intercept:
            D[0] = (y @ of_slope - g[0]) / (y @ of_bias + rho[0])
        D[1:] = -scaled - (X.T @ (y * (D[0] * of_bias - of_slope))) / rho[1:]
        return D

    def _by_products(self, point: Point, X: Any, k: np.ndarray, tol: float) -> np.ndarray:
        engine = choose(X, None, k).cut(max(256, -(-len(k) // 8)))
        rho, g = self.objective.held, point.gradient
        diagonal = engine.fold(_diagonal)[0] + rho
        D, R = np.zeros_like(g), -g
        Z = R / diagonal
        V, rz = Z.copy(), float(R @ Z)
        enough = tol * tol * rz
        for _ in range(MOST_PRODUCTS):
            if not rz > enough:
                break
            HV = engine.fold(_product, V[None, :])[0] + rho * V
            HV[0] *= self.objective.intercept
            t = rz / float(V @ HV)
            D += t * V
            R -= t * HV
            Z = R / diagonal
            rz, old = float(R @ Z), rz
            V = Z + (rz / old) * V
        return D


def _inner_products(X: Any, rho: np.ndarray) -> np.ndarray:
    """X R⁻¹ Xᵀ; sparse rows are spread out over the columns they use where that is quicker."""
    if sparse.issparse(X):
        used = np.unique(X.indices)
        if X.shape[0] * len(used) > MOST_SPREAD:
            return (X @ sparse.diags_array(1.0 / rho) @ X.T).toarray()
        X, rho = X[:, used].toarray(), rho[used]
    Z = X / np.sqrt(rho)
    return Z @ Z.T


def _solve(H: np.ndarray, right: np.ndarray) -> np.ndarray:
    """H⁻¹ right, from the lower triangle of H; with a ridge if rounding leaves H singular.

    H.T is in the order that LAPACK likes, and its upper triangle is H's lower one. LAPACK is
    called without SciPy's checks, which take longer than a system of a hundred equations.
    """
    ridge = 0.0
    while True:
        A = H.copy()
        A.flat[:: len(A) + 1] += ridge * H.diagonal()
        factor, info = lapack.dpotrf(A.T, overwrite_a=1, clean=0)
        if info == 0:
            return lapack.dpotrs(factor, right)[0].reshape(right.shape)
        if ridge > MOST_RIDGE:  # numbers beyond the range of floats: who asks will notice
            return np.full_like(right, np.nan)
        ridge = max(100.0 * ridge, 1e-15)


def _diagonal(block: Block) -> np.ndarray:
    return diagonal_block(block.X, block.weight[None, :])


def _product(block: Block, V: np.ndarray) -> np.ndarray:
    return product_block(block.X, V, block.weight, NO_WEIGHT)
