"""Evidence that a kernel is an inner product on the rows of a table, or that it is not.

Formulas that always are one need none. Others (the sigmoid, a polynomial with coef0 < 0, a given
matrix, a function) are factored, with a ridge as large as rounding; where that fails, the vector of
the least eigenvalue shows why. ``verify.inner_product`` checks both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from linscope.verify.kernel_values import Values

from ..verify.check import kernel_matrix, ways
from ..verify.duality import Held
from ..verify.inner_product import MOST, energy, raised_is_inner_product, rounding_of

# Rows among which a vector is looked for first.
FEW = 300
# A ridge larger than this share of the sum of the diagonal proves too little, unless it is nothing.
SHARE, NOTHING = 1e-10, 1e-290


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
        found = _witness(kernel_matrix(held, some), some)
        if found is not None:
            return Evidence(None, found)
    if n > MOST:
        return Evidence(None, None)
    shown = Evidence(None, None)
    for precise in ways(held, n):
        shown = _shown(kernel_matrix(held, precise=precise))
        if shown != (None, None):
            break
    return shown


def _shown(K: Values) -> Evidence:
    """What these values prove."""
    ridge = 4.0 * rounding_of(K)
    trace = float(np.abs(K.layers[0].diagonal()).sum())
    if ridge <= SHARE * trace + NOTHING and raised_is_inner_product(K, ridge):
        return Evidence(ridge, None)
    return Evidence(None, _witness(K, np.arange(len(K.rad))))


def _witness(K: Values, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """A vector of negative energy of the values of these rows, or None."""
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
