"""Columns about their means and near 1, where they are far from it.

    s = v_0 + Σ_j v_j (x_j − m_j)·2^k_j
    w_j = 2^k_j v_j          w_0 = v_0 − Σ_j w_j m_j          ½ Σ w_j² = ½ Σ 4^k_j v_j²

Tables that are well-behaved already are used as they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from .moments import MILD_EXPONENT, pilot


class LogisticFrame(NamedTuple):
    """The table to work on, and the shift m and exponents k that made it."""

    X: Any
    shift: np.ndarray
    exponent: np.ndarray

    @property
    def plain(self) -> bool:
        return not (self.shift.any() or self.exponent.any())

    def pull(self, rho: float) -> float | np.ndarray:
        """The penalty of each v_j."""
        return rho if self.plain or rho == 0 else rho * np.ldexp(1.0, 2 * self.exponent)

    def original(self, V: np.ndarray) -> np.ndarray:
        """Weights of the original columns, bias first."""
        W = V.copy()
        W[:, 1:] = np.ldexp(V[:, 1:], self.exponent)
        W[:, 0] -= W[:, 1:] @ self.shift
        return W

    def inside(self, W: np.ndarray) -> np.ndarray:
        """The other way round."""
        V = W.copy()
        V[:, 0] += W[:, 1:] @ self.shift
        V[:, 1:] = np.ldexp(W[:, 1:], -self.exponent)
        return V


def logistic_frame(X: Any, *, fit_intercept: bool, scale: bool = True) -> LogisticFrame:
    """Look at some rows; copy the table only if offsets or sizes call for it.

    Parameters
    ----------
    X : C-contiguous array or CSR matrix
    fit_intercept : without a bias nothing can take up a shift
    scale : whether columns may be scaled (a penalty Σ|w_j| would have to be, too)
    """
    d = X.shape[1]
    look = pilot(X, np.zeros((X.shape[0], 0)))
    extreme = np.abs(look.frame.exponent) > MILD_EXPONENT // 4
    if look.mild and not extreme.any():
        return LogisticFrame(X, np.zeros(d), np.zeros(d, dtype=np.int64))
    shift = look.frame.shift if fit_intercept and not sparse.issparse(X) else np.zeros(d)
    exponent = look.frame.exponent if scale else np.zeros(d, dtype=np.int64)
    if not shift.any() and not extreme.any():
        return LogisticFrame(X, np.zeros(d), np.zeros(d, dtype=np.int64))
    factor = np.ldexp(1.0, exponent)
    if sparse.issparse(X):
        copy = X.astype(np.float64).copy()
        copy.data *= factor[copy.indices]
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            copy = (X - shift) * factor
    return LogisticFrame(copy, shift, exponent)
