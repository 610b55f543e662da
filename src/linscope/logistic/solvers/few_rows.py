"""A first guess for tables with far fewer rows than columns: the minimum in the rows' coordinates.

    S = X D^−½,   S Sᵀ = L Lᵀ,   w = D^−½ Sᵀ L^−ᵀ v           D = diag(ρ), n × n triangular L

Then X w = L v and Σ ρ w² = ‖v‖²: the same objective with n columns in place of d. Weights of the
minimum are always of this form, as what is orthogonal to all rows changes no score.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas, lapack

from linscope.engines import here
from linscope.rows.blocks import Block

from .objective import LogisticObjective

# So many times more columns than rows make it worth while, if there are so many rows at most: more
# of them take longer to multiply with each other than conjugate gradients. Numbers of a table that
# may be copied.
COLUMNS_A_ROW, MOST_ROWS, MOST_NUMBERS = 3, 500, 20_000_000


def in_few_columns(
    whole: LogisticObjective,
) -> tuple[LogisticObjective, np.ndarray, np.ndarray] | None:
    """The objective of v, with S and L; None where that does not pay, or rows are dependent."""
    few = whole.n <= min(MOST_ROWS, whole.d // COLUMNS_A_ROW) and whole.n * whole.d <= MOST_NUMBERS
    if not few or whole.is_sparse or not whole.engine.has_all_rows or not np.all(whole.rho):
        return None
    rows = whole.engine.all_rows("a first guess")
    with np.errstate(over="ignore", invalid="ignore"):
        S = np.asarray(rows.X, dtype=np.float64) / np.sqrt(whole.rho)
        K = blas.dsyrk(1.0, S.T, trans=1, lower=1)
    if not np.isfinite(K).all():
        return None
    L, failed = lapack.dpotrf(K, lower=1, clean=1)
    if failed:
        return None
    table = here(Block(0, np.ascontiguousarray(L), rows.y, rows.weight))
    return LogisticObjective(table, whole.n_classes, 1.0, whole.intercept, whole.float32), S, L


def in_all_columns(
    whole: LogisticObjective, V: np.ndarray, S: np.ndarray, L: np.ndarray
) -> np.ndarray:
    """The weights of the table."""
    A, _ = lapack.dtrtrs(L, V[:, 1:].T, lower=1, trans=1)
    return np.column_stack([V[:, 0], (A.T @ S) / np.sqrt(whole.rho)])
