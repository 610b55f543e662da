"""Evidence that a kernel is an inner product on the rows of a table, or that it is not.

Formulas that always are one need none. Others (the sigmoid, a polynomial with coef0 < 0, a given
matrix, a function) are factored, with a ridge as large as rounding; where that fails, the vector of
the least eigenvalue shows why. ``verify.inner_product`` checks both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from ..verify.inner_product import energy, raised_is_inner_product, rounding_of
from ..verify.kernel_duality import Held
from ..verify.kernel_svm import kernel_matrix

# Rows that are factored at most, and those among which a vector is looked for first.
MOST, FEW = 2000, 300
# A ridge larger than this share of the sum of the diagonal proves too little.
SHARE = 1e-10


class Evidence(NamedTuple):
    """``ridge`` on the diagonal makes it one, None if that is not known; or (rows, v): vᵀKv < 0."""

    ridge: float | None
    witness: tuple[np.ndarray, np.ndarray] | None


def evidence(held: Held) -> Evidence:
    """What can be proven about the kernel on the rows of a problem."""
    n = len(held.y)
    if held.kernel.inner_product or n == 0:
        return Evidence(0.0, None)
    some = np.unique(np.linspace(0, n - 1, FEW).astype(np.int64)) if n > FEW else np.arange(n)
    if n > FEW:
        found = _witness(held, some)
        if found is not None:
            return Evidence(None, found)
    if n > MOST:
        return Evidence(None, None)
    K = kernel_matrix(held)
    ridge = 4.0 * rounding_of(K)
    trace = float(np.abs(K.layers[0].diagonal()).sum())
    if ridge <= SHARE * trace and raised_is_inner_product(K, ridge):
        return Evidence(ridge, None)
    return Evidence(None, _witness(held, np.arange(n)))


def _witness(held: Held, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """A vector of negative energy on these rows, or None."""
    K = kernel_matrix(held, rows)
    A = 0.5 * (K.layers[0] + K.layers[0].T)
    if not np.isfinite(A).all():
        return None
    try:
        least, vectors = linalg.eigh(A, subset_by_index=[0, 0])
    except linalg.LinAlgError:
        return None
    v = vectors[:, 0]
    if not (least[0] < 0.0 and energy(K, v).high < 0.0):
        return None
    return rows, v
