"""The last digits of a linear support vector machine: the equations of its support.

Which rows are *free* decides all: with α = 0 or α = C c for the others, the solution is that of

    w = Σ α_i y_i x_i,      y_i (w·x_i + b) = 1 for the free rows,      Σ α_i y_i = 0 (free bias),

linear equations in α of the free rows and b. For the squared hinge all rows with slack are free
and their margin is 1 − α_i / (2 C c_i). A gap of 10⁻¹³ leaves seven digits of w, these equations
all that floats hold. Rows whose α leaves its box or whose margin is on the wrong side change sides,
a few times; who asks judges the outcome by its gap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

from linscope.arithmetic.enclosures import products, scores
from linscope.losses.hinge import dual_slope
from linscope.rows.blocks import Block

from .hinge_bias import bias_of_slopes
from .objective import MarginObjective

MOST_FREE, MOST_ROUNDS = 400, 8
# Margins off by more put a row on the other side; α that far inside its box makes it free.
WRONG, INSIDE = 1e-9, 1e-9
# A direction of the equations that is shorter, relatively, is rounding.
SINGULAR = 1e-13
# Equations of columns lose no more digits than a second round gives back, if each row's own term
# is at least this share of the largest squared row.
BENT = 1e-6
# Numbers in a table up to which the last sums are made without rounding.
CAREFUL = 5_000


class Sides(NamedTuple):
    """Which rows are free, and which are at the top of their box."""

    free: np.ndarray
    top: np.ndarray


def active_set(
    objective: MarginObjective, W: np.ndarray, alpha: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Weights and dual coefficients from the equations of the support, or None if unfit.

    Parameters
    ----------
    objective : the problem
    W, alpha : weights (d + 1, bias first) and dual coefficients near the solution
    """
    own = objective.c if len(objective.c) else np.ones(objective.n)
    box = np.full(objective.n, np.inf) if objective.squared else objective.C * own
    bend = 0.5 / (objective.C * own) if objective.squared else np.zeros(objective.n)
    sides = _first_sides(objective, W, alpha, box)
    b, alpha = float(W[0]), np.where(sides.free, alpha, np.where(sides.top, box, 0.0))
    settled = False
    for _ in range(MOST_ROUNDS):
        if np.count_nonzero(sides.free) > MOST_FREE:
            return None
        b, alpha = _solve(objective, b, alpha, sides.free, bend)
        if not (np.isfinite(alpha).all() and np.isfinite(b)):
            return None
        margins = objective.evaluate(_weights(objective, alpha, b)).margins
        changed = _change(sides, alpha, margins, box)
        alpha = np.where(sides.top, box, np.where(sides.free, np.clip(alpha, 0.0, box), 0.0))
        if settled and not changed:
            break
        settled = not changed  # once more for the last digits
    return _last_weights(objective, alpha, b), alpha


def _last_weights(objective: MarginObjective, alpha: np.ndarray, b: float) -> np.ndarray:
    """w, and for the hinge the best free bias; of small tables each rounded only once."""
    V, careful = _weights(objective, alpha, b), objective.n * objective.d <= CAREFUL
    if careful:
        support = np.flatnonzero(alpha)
        own = objective.engine.take(support)
        sums = products(own.X, (alpha[support] * own.y)[:, None], precise=True).mid[0]
        first = 0 if objective.rho[0] > 0.0 else 1
        V[first:] = sums[first:] / objective.rho[first:]
    if objective.free_bias and not objective.squared:
        best = bias_of_slopes(objective.engine, _slopes, V[1:], careful)
        V[0] = V[0] if best is None else best
    return V


def _slopes(block: Block, w: np.ndarray, careful: bool) -> np.ndarray:
    """w·x of each row."""
    return scores(block.X, np.r_[0.0, w], precise=careful).mid[:, 0]


def _first_sides(objective: MarginObjective, W, alpha, box) -> Sides:
    if objective.squared:
        free = (alpha > 0.0) | (objective.evaluate(W).margins < 1.0 + WRONG)
        return Sides(free, np.zeros_like(free))
    top = alpha >= (1.0 - INSIDE) * box
    return Sides((alpha > INSIDE * alpha.max()) & ~top, top)


def _change(sides: Sides, alpha, margins, box) -> bool:
    """Rows that are not where they belong change sides, in place."""
    low, high = sides.free & (alpha < 0.0), sides.free & (alpha > box)
    idle = ~sides.free & ~sides.top
    join = (idle & (margins < 1.0 - WRONG)) | (sides.top & (margins > 1.0 + WRONG))
    sides.free[low | high], sides.top[high] = False, True
    sides.free[join], sides.top[join] = True, False
    return bool((low | high | join).any())


def _weights(objective: MarginObjective, alpha: np.ndarray, b: float) -> np.ndarray:
    """w = Σ α y x / ρ with the bias b, or a bias of its own."""
    V = objective.combine(alpha)
    first = 0 if objective.rho[0] > 0.0 else 1
    V[first:] /= objective.rho[first:]
    if first:
        V[0] = b if objective.intercept else 0.0
    return V


def _solve(objective: MarginObjective, b, alpha, free, bend) -> tuple[float, np.ndarray]:
    """b and α after one correction by the equations of the free rows."""
    rows = np.flatnonzero(free)
    if not len(rows):
        return b, alpha
    own = objective.engine.take(rows)
    V, y, X = _weights(objective, alpha, b), own.y, own.X
    X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    Z = X / np.sqrt(objective.rho[1:])
    if objective.rho[0] > 0.0:
        Z = np.column_stack([np.ones(len(rows)), Z])
    Z *= y[:, None]
    gap = -dual_slope(y * (X @ V[1:] + V[0]), alpha[rows], bend[rows])
    missing = -float(alpha @ objective.y)
    if Z.shape[1] < len(rows) and bend[rows].min() > BENT * np.square(Z).sum(axis=1).max():
        change, shift = _by_columns(Z, bend[rows], gap, y if objective.free_bias else None, missing)
        alpha = alpha.copy()
        alpha[rows] += change
        return b + shift, alpha
    A = Z @ Z.T
    A.flat[:: len(A) + 1] += bend[rows]
    # all in units of the rows, so that the bias is on a par with them
    unit = np.sqrt(max(float(A.diagonal().max()), np.finfo(float).tiny))
    A /= unit * unit
    right = gap
    if objective.free_bias:
        column = y[:, None] / np.sqrt(len(y))
        A = np.block([[A, column], [column.T, np.zeros((1, 1))]])
        right = np.r_[right, missing * unit * unit / np.sqrt(len(y))]
    change = linalg.lstsq(A, right, cond=SINGULAR, lapack_driver="gelsy", check_finite=False)[0]
    alpha = alpha.copy()
    alpha[rows] += change[: len(rows)] / (unit * unit)
    return (b + float(change[-1]) / np.sqrt(len(y)) if objective.free_bias else b), alpha


# (D + Z Zᵀ)⁻¹ r = D⁻¹ (r − Z (I + Zᵀ D⁻¹ Z)⁻¹ Zᵀ D⁻¹ r), and the bias β from yᵀ a = s in
# (D + Z Zᵀ) a + y β = r
def _by_columns(
    Z: np.ndarray, bend: np.ndarray, right: np.ndarray, y: np.ndarray | None, missing: float
) -> tuple[np.ndarray, float]:
    """The changes of α and of b by a system of columns, which are fewer than the free rows."""
    scaled = Z / bend[:, None]
    M = Z.T @ scaled
    M.flat[:: len(M) + 1] += 1.0
    both = right[:, None] if y is None else np.column_stack([right, y])
    inner = linalg.cho_solve(linalg.cho_factor(M, check_finite=False), scaled.T @ both)
    solved = (both - Z @ inner) / bend[:, None]
    if y is None:
        return solved[:, 0], 0.0
    shift = float((y @ solved[:, 0] - missing) / (y @ solved[:, 1]))
    return solved[:, 0] - shift * solved[:, 1], shift
