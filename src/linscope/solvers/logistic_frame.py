"""Columns about their means and near 1, where they are far from it.

    s = v_0 + Σ_j v_j (x_j − m_j)·2^k_j
    w_j = 2^k_j v_j          w_0 = v_0 − Σ_j w_j m_j          ½ Σ w_j² = ½ Σ 4^k_j v_j²

Tables that are well-behaved already are used as they are. A penalty Σ|w_j| allows one exponent for
all columns only. Sparse tables keep their zeros, so they are not shifted, unless they have few.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..data import check_finite
from .moments import MILD_EXPONENT, Pilot, pilot

# 4^k must stay in the range of floats, and columns scaled so far must not be much above 1.
MOST_EXPONENT, MOST_LEFT = 505, 4
# A sparse table with fewer zeros than numbers can as well be dense.
FEW_ZEROS = 2
# Squares of larger values do harm in float32, and their products in float64.
HUGE, ENORMOUS = 2.0**50, 2.0**250


class LogisticFrame(NamedTuple):
    """The table to work on, shift m and exponents k that made it, and whether float32 holds it."""

    X: Any
    shift: np.ndarray
    exponent: np.ndarray
    modest: bool = True

    @property
    def plain(self) -> bool:
        return not (self.shift.any() or self.exponent.any())

    def pull(self, rho: float) -> float | np.ndarray:
        """The penalty of each v_j."""
        return rho if self.plain or rho == 0 else rho * np.ldexp(1.0, 2 * self.exponent)

    def strengths(self, l1: float, l2: float) -> tuple[float, float]:
        """l1 and l2 for the v_j, where all columns have the same exponent."""
        k = int(self.exponent[0]) if len(self.exponent) else 0
        return float(np.ldexp(l1, k)), float(np.ldexp(l2, 2 * k))

    def original(self, V: np.ndarray) -> np.ndarray:
        """Weights of the original columns, bias first."""
        W = V.copy()
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # who asks will look
            W[:, 1:] = np.ldexp(V[:, 1:], self.exponent)
            W[:, 0] -= W[:, 1:] @ self.shift
        return W

    def inside(self, W: np.ndarray) -> np.ndarray:
        """The other way round."""
        V = W.copy()
        V[:, 0] += W[:, 1:] @ self.shift
        V[:, 1:] = np.ldexp(W[:, 1:], -self.exponent)
        return V


def logistic_frame(
    X: Any,
    *,
    fit_intercept: bool,
    common: bool = False,
    penalised: bool = True,
    names: list[str] | None = None,
) -> LogisticFrame:
    """Look at some rows; copy the table only if offsets or sizes call for it.

    Parameters
    ----------
    X : C-contiguous array or CSR matrix
    fit_intercept : without a bias nothing can take up a shift
    common : whether all columns must be scaled alike
    penalised : whether a penalty has to be scaled with the columns
    names : of the columns, for the error if a number is not finite
    """
    d, largest = X.shape[1], check_finite(X, names)
    plain = LogisticFrame(X, np.zeros(d), np.zeros(d, dtype=np.int64))
    table = _few_zeros(X) if fit_intercept else X
    look = pilot(table, np.zeros((X.shape[0], 0)))
    if sparse.issparse(table):
        largest = 1.0
    if look.mild and not largest < ENORMOUS:  # in a row that the pilot did not see
        look = pilot(table, np.zeros((X.shape[0], 0)), rows=None)
    plain = plain._replace(modest=largest < HUGE)
    extreme = np.abs(look.frame.exponent) > MILD_EXPONENT // 4
    if look.mild and not extreme.any():
        return plain
    shift = look.frame.shift if fit_intercept and not sparse.issparse(table) else np.zeros(d)
    exponent = _exponents(look, common, penalised)
    if not shift.any() and not (extreme.any() and exponent.any()):
        return plain
    factor = np.ldexp(1.0, exponent)
    if sparse.issparse(table):
        copy = table.astype(np.float64).copy()
        copy.data *= factor[copy.indices]
    else:
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            copy = (table - shift) * factor
    return LogisticFrame(copy, shift, exponent)


def _few_zeros(X: Any) -> Any:
    """X, dense if it is sparse in name only."""
    few = sparse.issparse(X) and FEW_ZEROS * X.nnz >= X.shape[0] * X.shape[1]
    return X.toarray() if few else X


def _exponents(look: Pilot, common: bool, penalised: bool) -> np.ndarray:
    """k of each column; an error where the scaled penalty would leave the range of floats."""
    exponent = look.frame.exponent.astype(np.int64)
    if common:
        one = int(exponent.min())
        exponent = np.full_like(exponent, one if abs(one) > MILD_EXPONENT else 0)
    if not (penalised or common):
        return exponent
    allowed = np.clip(exponent, -MOST_EXPONENT, MOST_EXPONENT)
    far = np.flatnonzero(allowed - exponent > MOST_LEFT)
    if len(far):
        raise ValueError(
            f"column {far[0]} has values of about 2^{-exponent[far[0]]}, too large for a penalty "
            "in floats: scale the columns of X"
        )
    return allowed
