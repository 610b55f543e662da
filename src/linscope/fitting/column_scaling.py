"""Columns about their means and near 1, where they are far from it.

    s = v_0 + Σ_j v_j (x_j − m_j)·2^k_j
    w_j = 2^k_j v_j          w_0 = v_0 − Σ_j w_j m_j          ½ Σ w_j² = ½ Σ 4^k_j v_j²

Tables that are well-behaved already are used as they are. A penalty Σ|w_j| allows one exponent for
all columns only. Sparse tables keep their zeros, so they are not shifted, unless they have few.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linscope.arithmetic.enclosures import two_prod
from linscope.engines import Engine, check_rows
from linscope.rows.blocks import Block, Largest, blind
from linscope.rows.pilot import MILD_EXPONENT, Pilot, column_tops, look

# 4^k must stay in the range of floats, and columns scaled so far must not be much above 1.
MOST_EXPONENT, MOST_LEFT = 505, 4
# A sparse table with fewer zeros than numbers can as well be dense.
FEW_ZEROS = 2
# Squares of larger values do harm in float32, and their products in float64.
HUGE, ENORMOUS = 2.0**50, 2.0**250
# The largest of so many numbers is found in no time.
QUICK_LOOK = 4_000_000
# Below this a product and what rounding takes from it are both floats.
PRODUCTS = 2.0**960


class ColumnFrame(NamedTuple):
    """The rows to work on, shift m and exponents k that made them, and whether float32 holds them.

    ``largest`` bounds the numbers of the rows, 0 if nobody knows; ``tight`` if one is so large.
    """

    engine: Engine
    shift: np.ndarray
    exponent: np.ndarray
    modest: bool = True
    largest: float = 0.0
    tight: bool = False

    @property
    def X(self) -> Any:
        """The table, for those who need all rows at once."""
        return self.engine.all_rows("a solver of several folds at once").X

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
            for k in range(len(W) if self.shift.any() else 0):
                W[k, 0] = _exact_bias(np.r_[V[k, 0], -W[k, 1:]], self.shift)
        return W

    @property
    def largest_inside(self) -> float:
        """A bound of the numbers of the rows: the best where that is quick."""
        if self.tight or (self.largest and self.engine.fold(_entries) > QUICK_LOOK):
            return self.largest
        return float(self.engine.fold(_largest).value)

    def rounding(self, W: np.ndarray, V: np.ndarray) -> float:
        """How far a score of the weights W is from that of V = ``inside(W)`` at most.

        Weights are scaled by powers of two, so only the bias and the shifted columns are rounded.
        """
        if self.plain:
            return 0.0
        with np.errstate(all="ignore"):
            W = np.asarray(W, dtype=np.float64)
            if not np.array_equal(np.ldexp(V[:, 1:], self.exponent), W[:, 1:]):
                return np.inf
            if not np.abs(W[:, 1:] * self.shift).max(initial=0.0) < PRODUCTS:
                return np.inf
            exact = np.array([_exact_bias(w, self.shift) for w in W])
            off = np.abs(exact - V[:, 0]) + 2.0**-52 * np.abs(exact)
            size = self.largest_inside * np.abs(V[:, 1:]).sum(axis=1)
            return float(off.max()) + 2.0**-52 * float(size.max())

    def original_slope(self, slope: np.ndarray, doubt: float, largest: float) -> float:
        """The largest entry of a gradient in the original columns, from above.

        ``doubt`` is that about the slope of a column of ones, ``largest`` bounds the others.
        """
        with np.errstate(all="ignore"):
            bias = np.abs(slope[:, :1]) + doubt
            rest = np.ldexp(np.abs(slope[:, 1:]) + doubt * largest, -self.exponent)
            rest = rest + np.abs(self.shift) * bias
            return float(max(bias.max(), rest.max(initial=0.0)))

    def inside(self, W: np.ndarray) -> np.ndarray:
        """The other way round."""
        V = W.copy()
        for k in range(len(W) if self.shift.any() else 0):
            V[k, 0] = _exact_bias(W[k], self.shift)
        V[:, 1:] = np.ldexp(W[:, 1:], -self.exponent)
        return V


def _exact_bias(w: np.ndarray, shift: np.ndarray) -> float:
    """w_0 + Σ w_j m_j, rounded once: a large shift must cost no digits of the bias."""
    p, e = two_prod(w[1:], shift)
    parts = [float(w[0]), *p.tolist(), *e.tolist()]
    if not np.isfinite(parts).all():
        return float(w[0] + w[1:] @ shift)
    return math.fsum(parts)


def framed(
    engine: Engine,
    *,
    fit_intercept: bool,
    common: bool = False,
    penalised: bool = True,
    names: list[str] | None = None,
    largest: float | None = None,
) -> ColumnFrame:
    """Look at some rows; copy them only if offsets or sizes call for it.

    Parameters
    ----------
    engine : the rows
    fit_intercept : without a bias nothing can take up a shift
    common : whether all columns must be scaled alike
    penalised : whether a penalty has to be scaled with the columns
    names : of the columns, for the error if a number is not finite
    largest : a bound of the numbers, if somebody has seen that they are finite
    """
    d, given = engine.n_features, engine
    tops = column_tops(engine) if engine.is_sparse else None
    tight = tops is not None and bool(np.isfinite(tops).all())
    if tops is not None and tight:
        # That pass over sparse rows tells all that the check of dense rows does.
        largest = float(np.max(tops, initial=0.0))
    elif largest is None:
        largest = check_rows(engine, names)
    bound = largest
    nothing = np.zeros(d), np.zeros(d, dtype=np.int64)
    if fit_intercept and engine.is_sparse and _has_few_zeros(engine):
        engine = engine.derive(_opened)
    found = look(engine, targets=False, tops=tops)
    if engine.is_sparse:
        largest = 1.0
    if found.mild and not largest < ENORMOUS:  # in a row that the pilot did not see
        found = look(engine, everywhere=True, targets=False)
    plain = ColumnFrame(given, *nothing, largest < HUGE, bound, tight)
    extreme = np.abs(found.frame.exponent) > MILD_EXPONENT // 4
    if found.mild and not extreme.any():
        return plain
    shift = found.frame.shift if fit_intercept and not engine.is_sparse else nothing[0]
    exponent = _exponents(found, common, penalised)
    if not shift.any() and not (extreme.any() and exponent.any()):
        return plain
    # As one block, so that rows in memory stay one table.
    copy = engine.cut(max(1, engine.n_rows)).derive(_scaled, shift, np.ldexp(1.0, exponent))
    return ColumnFrame(copy, shift, exponent)


def _scaled(block: Block, shift: np.ndarray, factor: np.ndarray) -> tuple[Any, Any, np.ndarray]:
    if sparse.issparse(block.X):
        X = block.X.astype(np.float64, copy=True)
        X.data *= factor[X.indices]
    else:
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            X = (block.X - shift) * factor
    return X, block.y, block.weight


def _opened(block: Block) -> tuple[Any, Any, np.ndarray]:
    return block.X.toarray(), block.y, block.weight


def _has_few_zeros(engine: Engine) -> bool:
    """Whether the rows are sparse in name only."""
    return FEW_ZEROS * engine.fold(_entries) >= engine.n_rows * engine.n_features


@blind
def _entries(block: Block) -> int:
    return int(block.X.nnz if sparse.issparse(block.X) else block.X.size)


def _largest(block: Block) -> Largest:
    values = block.X.data if sparse.issparse(block.X) else block.X
    return Largest(max(values.max(initial=0.0), -values.min(initial=0.0)))


def _exponents(found: Pilot, common: bool, penalised: bool) -> np.ndarray:
    """k of each column; an error where the scaled penalty would leave the range of floats."""
    exponent = found.frame.exponent.astype(np.int64)
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
