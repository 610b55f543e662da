"""M ≈ ∇²P(W) that is easy to invert, for conjugate gradients.

    few columns    M = blockdiag(H_1 … H_K),  H_k = Σ c p_k (1 − p_k) [1, x][1, x]ᵀ + diag(0, ρ)
    many columns   M = diag(∇²P)

H_k only has to be roughly right, so a share of the rows and float32 will do. With p_k the same for
all samples the blocks are off by the factor K / (K − 1) only, once the directions that change no
probability are projected out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack

from linscope.rows.curvature import mirrored

from .objective import LogisticObjective, Point

MOST_COLUMNS, MOST_NUMBERS = 600, 20_000_000
# Of a column sparse rows tell less, and of a class its rows alone.
ROWS_A_COLUMN, MORE_ROWS_A_COLUMN, FEWEST_ROWS = 20, 40, 2048
# If a solution takes more products than these and those that H_k would cost, it is made anew.
FEW_PRODUCTS = 6
# Columns are scaled to a unit diagonal first; rounding leaves errors of about these sizes.
RIDGES = ((np.float32, 1e-6), (np.float64, 1e-12))


@dataclass
class Preconditioner:
    """Either ``inverse`` (rows, d + 1, d + 1) or one over the ``diagonal`` (rows, d + 1)."""

    inverse: np.ndarray | None
    diagonal: np.ndarray | None
    patience: float = FEW_PRODUCTS
    products: int = 0  # how many the last solution took

    def solve(self, R: np.ndarray) -> np.ndarray:
        """M⁻¹R in the directions that change a probability."""
        if self.inverse is None:
            return without_common(R * self.diagonal)
        if len(R) == 1:  # half the numbers to read
            return blas.dsymv(1.0, self.inverse[0].T, R[0], lower=0)[None, :]
        return without_common(np.matmul(self.inverse, R[:, :, None]).reshape(R.shape))


def without_common(W: np.ndarray) -> np.ndarray:
    """K rows of weights less their mean: what is common to all changes no probability."""
    return W if len(W) == 1 else W - W.mean(axis=0)


def make_preconditioner(
    objective: LogisticObjective, point: Point, *, plain: bool = False
) -> Preconditioner:
    """The one that suits the shape; plain: the diagonal in any case."""
    rows, p = objective.shape
    if not (plain or p > min(MOST_COLUMNS, objective.n) or rows * p * p > MOST_NUMBERS):
        part, there = _share(objective, point)
        for dtype, ridge in RIDGES:
            inverse = _inverses(part.class_hessians(there, dtype, whole=False), ridge)
            if inverse is not None:
                cost = p * part.n / (4 * objective.n)
                return Preconditioner(inverse, None, FEW_PRODUCTS + cost)
    return Preconditioner(None, 1.0 / _positive(objective.diagonal(point)))


def _share(objective: LogisticObjective, point: Point) -> tuple[LogisticObjective, Point]:
    """Rows enough for H_k, and the point there."""
    more = objective.is_sparse or objective.rows > 1
    each = MORE_ROWS_A_COLUMN if more else ROWS_A_COLUMN
    enough = max(FEWEST_ROWS, each * objective.shape[1])
    part = objective.share(enough) if objective.n > 2 * enough else None
    return (objective, point) if part is None else (part, part.evaluate(point.W))


def _inverses(H: np.ndarray, ridge: float) -> np.ndarray | None:
    """H⁻¹ of each class from its lower triangle; None if rounding made H indefinite."""
    k = np.arange(H.shape[1])
    scale = 1.0 / np.sqrt(_positive(H[:, k, k]))
    H *= scale[:, :, None] * scale[:, None, :]
    H[:, k, k] = 1.0 + ridge
    if not np.isfinite(H).all():
        return None
    for own, size in zip(H, scale, strict=True):
        factor, wrong = lapack.dpotrf(own, lower=1, clean=0)
        inverse, singular = lapack.dpotri(factor, lower=1, overwrite_c=1) if not wrong else (own, 1)
        if wrong or singular:
            return None
        np.multiply(inverse.T, size[:, None] * size, out=own)
    return mirrored(np.tril(H.transpose(0, 2, 1)))


def _positive(diagonal: np.ndarray) -> np.ndarray:
    """A weight without any curvature is not moved by the gradient: any number will do."""
    return np.where(diagonal > 0, diagonal, 1.0)
