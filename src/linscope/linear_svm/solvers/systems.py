"""The Newton system of a margin objective, solved in one of three ways.

    H D = −g,     H = diag(ρ) + k Σ_{i active} c_i z_i z_iᵀ,     z_i = y_i [1, x_i]

- ``ColumnSystem``: H itself, (d + 1)². Σ c z zᵀ is kept; rows that became active are added and
  rows that no longer are taken away, so most steps are cheap.
- ``RowSystem``: few active rows, many columns. With λ = k c ∘ (Z D) the unknowns are λ and the
  change of the bias:
      (diag(1/kc) + Z_w R⁻¹ Z_wᵀ) λ − y D_0 = −Z_w R⁻¹ g_w,      y·λ + ρ_0 D_0 = −g_0
- products: both are large, or the rows are sparse: conjugate gradients, preconditioned by the
  diagonal of H. Where the system of the rows is an alternative they may cost as much as that:

      rows        m²·min(d, E)·GRAM + m³·FACTOR, or m²·PLACE in place of the first if that is sparse
      a product   E·PRODUCT + d·MOVE + CALL                    m active rows with E entries in all
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import lapack

from linscope.engines import Engine

from .blocks import (
    Pieces,
    active_block,
    active_rows,
    compare_block,
    curved_block,
    curves_block,
    facts_block,
    follow_block,
    take_active_block,
)
from .objective import MarginObjective, Point

MOST_COLUMNS, MOST_ROWS, MOST_SPREAD = 1200, 3000, 8_000_000
# Nanoseconds on one thread of a core of 2020: a multiplication of Z Zᵀ, m³ of a Cholesky factor, a
# place of Z Zᵀ by sparse products; an entry read twice, a weight moved, the calls for one product.
GRAM, FACTOR, PLACE = 0.03, 0.02, 5.0
PRODUCT, MOVE, CALL = 2.2, 4.0, 60_000.0
# Conjugate gradients end when the residual is this small against the first, or after so many.
RESIDUAL, MOST_PRODUCTS = 1e-2, 400
# A bias that no active row holds: its curvature, as a share of what all rows would give.
LOOSE_BIAS = 1e-6
MOST_RIDGE = 1e9
# The name under which the activity of the rows in the kept Gram matrix is known.
FOLLOWED = "followed"


def make_system(objective: MarginObjective) -> ColumnSystem | WideSystem:
    """Columns up to some hundred, else whatever the active rows of a step call for."""
    if objective.d < MOST_COLUMNS and objective.d <= objective.n:
        return ColumnSystem(objective)
    return WideSystem(objective)


class ColumnSystem:
    """Keeps Σ c [1, x][1, x]ᵀ over the active rows of the last step."""

    def __init__(self, objective: MarginObjective):
        self.objective = objective
        self.gram = np.zeros((objective.d + 1,) * 2)
        self.followed = False
        self.changed = 0

    def direction(self, point: Point, pieces: Pieces, tol: float = 0.0) -> np.ndarray:
        self._follow(point)
        H = pieces.k * self.gram
        H.flat[:: len(H) + 1] += self.objective.held
        if not self.objective.intercept:
            H[0], H[:, 0], H[0, 0] = 0.0, 0.0, 1.0
        elif H[0, 0] <= 0.0:
            H[0, 0] = LOOSE_BIAS * pieces.k * self.objective.n
        return -_solve(H, point.gradient)

    def _follow(self, point: Point) -> None:
        engine = self.objective.engine
        if self.followed:
            active, self.changed = engine.fold(compare_block, FOLLOWED, point.name)
            if 2 * self.changed < active:
                if self.changed:
                    self.gram += engine.keep(FOLLOWED, follow_block, FOLLOWED, point.name)
                return
        self.gram = engine.keep(FOLLOWED, active_block, point.name)
        self.followed = True


class WideSystem:
    """The system of the active rows, or conjugate gradients where there are too many."""

    def __init__(self, objective: MarginObjective):
        self.objective = objective
        self.too_hard = False  # conjugate gradients have taken too long before

    def direction(self, point: Point, pieces: Pieces, tol: float = RESIDUAL) -> np.ndarray:
        engine = self.objective.engine
        count = engine.fold(compare_block, point.name, point.name)[0]
        if count == 0:
            return self._steepest(point, pieces)
        if count > MOST_ROWS or (engine.is_sparse and not self.too_hard):
            active = engine.derive(take_active_block, point.name)
            most = MOST_PRODUCTS if count > MOST_ROWS else _affordable(active)
            D = self._by_products(point, active, pieces.k, tol, most)
            if D is not None:
                return D
            self.too_hard = True
        rows = engine.take(engine.gather(active_rows, point.name))
        k = pieces.k * (rows.weight if rows.weighted else np.ones(len(rows.y)))
        return self._by_rows(point, rows.X, rows.y, k)

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

    def _by_products(
        self, point: Point, active: Engine, k: float, tol: float, most: int
    ) -> np.ndarray | None:
        """None if so many products were not enough, but for MOST_PRODUCTS, which always are."""
        rho, g = self.objective.held, point.gradient
        diagonal = rho + active.fold(curves_block, k)
        D, R = np.zeros_like(g), -g
        Z = R / diagonal
        V, rz = Z.copy(), float(R @ Z)
        enough = tol * tol * rz
        for _ in range(most):
            if not rz > enough:
                return D
            HV = rho * V + active.fold(curved_block, V, k)
            HV[0] *= self.objective.intercept
            t = rz / float(V @ HV)
            D += t * V
            R -= t * HV
            Z = R / diagonal
            rz, old = float(R @ Z), rz
            V = Z + (rz / old) * V
        return D if most == MOST_PRODUCTS or not rz > enough else None


def _affordable(active: Engine) -> int:
    """Products that take no longer than the system of the active rows."""
    m, d, entries = active.n_rows, active.n_features, active.fold(facts_block)[1]
    used = min(d, entries)
    gram = m * m * (PLACE if m * used > MOST_SPREAD else used * GRAM)
    product = entries * PRODUCT + d * MOVE + CALL
    return min(int((gram + m**3 * FACTOR) / product), MOST_PRODUCTS - 1)


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
