"""The reflected rows z_i = y_i·[1, x_i] of a two-class problem, in floats and exactly.

A separating vector is one with z_i·W > 0 for every row. Here W is a vector of fractions (bias
first). Scores of all rows are first computed in float64 with a rigorous error bound; only rows
that the bound leaves undecided are computed again in integers.

Error bound. Let G be the float matrix with x_ij - c_j = G_ij·2^s_j up to one rounding. Then
z_i·W = y_i(Σ_j G_ij w_j + b) with w_j = W_j·2^s_j and b = W_0 + Σ_j W_j c_j, both formed exactly
and rounded once. For any order of summation, with u = 2^-53,

    |computed - true| <= (p + 8)·u·(Σ_j |G_ij||w_j| + |b|) + underflow,   underflow <= p·2^-940.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from operator import mul

import numpy as np
from scipy import sparse

from linscope.arithmetic.rational import (
    as_integers,
    clear_denominators,
    largest_magnitude,
    power_of_two,
    primitive,
    times_powers,
)
from linscope.verify.exact_signs import whole_scores

UNIT = 2.0**-53
UNDERFLOW = 2.0**-940
# G may be the data themselves (no copy) while exponents and offsets stay within these limits.
SAFE_EXPONENT = 100
SAFE_OFFSET = 8.0


class SignedRows:
    """Rows y_i·[1, x_i] of a dense or CSR float64 matrix with finite entries; signs are ±1."""

    def __init__(self, X, signs: np.ndarray):
        self.X = X
        self.signs = np.asarray(signs, dtype=np.float64)
        self.n, features = X.shape
        self.p = features + 1
        low, high = _column_range(X)
        self.largest = np.maximum(np.abs(low), np.abs(high))
        exponent = np.frexp(self.largest)[1]
        centre, spread = low / 2 + high / 2, high / 2 - low / 2
        self._middle = centre
        offset = (np.abs(centre) / SAFE_OFFSET > spread) & (spread > 0)
        extreme = (np.abs(exponent) > SAFE_EXPONENT) & (self.largest > 0)
        if extreme.any() or (offset.any() and not sparse.issparse(X)):
            self._rescale(exponent, centre)
        else:
            self.G = X
            self.shift = np.zeros(features, dtype=np.intc)
            self.unit = exponent
            self.centre = [Fraction(0)] * features
            self._reach = self.largest

    def _rescale(self, exponent, centre):
        """A copy with each column centred (dense only) and scaled by a power of two to about 1."""
        if sparse.issparse(self.X):
            self.G = self.X.copy()
            self.G.data = np.ldexp(self.X.data, -exponent[self.X.indices])
            self.centre = [Fraction(0)] * len(exponent)
            self.shift = exponent
        else:
            middle = np.ldexp(centre, -exponent)
            self.G = _times_power_of_two(self.X, -exponent)
            self.G -= middle
            low, high = _column_range(self.G)
            spread = np.frexp(np.maximum(-low, high))[1]
            self.G = _times_power_of_two(self.G, -spread, out=self.G)
            self.centre = times_powers(map(Fraction, middle.tolist()), exponent)
            self.shift = exponent + spread
        self.unit = np.zeros(len(exponent), dtype=np.intc)
        low, high = _column_range(self.G)
        self._reach = np.maximum(np.abs(low), np.abs(high))

    def take(self, rows) -> np.ndarray:
        """The rows as floats in guide coordinates: y_i·[1, (x_i - c)/2^(shift + unit)]."""
        block = self.G[rows]
        block = block.toarray() if sparse.issparse(block) else block
        out = np.ones((len(rows), self.p))
        out[:, 1:] = np.ldexp(block, -self.unit)
        return out * self.signs[rows, None]

    def raw(self, rows) -> np.ndarray:
        """Rows of X as a dense float64 array."""
        block = self.X[rows]
        return block.toarray() if sparse.issparse(block) else np.asarray(block)

    def middle(self) -> list[Fraction]:
        """A point near the middle of the data: the centre of each column's range."""
        return [Fraction(v) for v in self._middle.tolist()]

    def to_exact(self, u) -> list[Fraction]:
        """Weights W of the original features for weights u in guide coordinates."""
        w = times_powers(map(Fraction, u[1:]), -(self.shift + self.unit))
        return [Fraction(u[0]) - sum(map(mul, w, self.centre), Fraction(0)), *w]

    def to_guide(self, W) -> list[Fraction]:
        """The inverse of :meth:`to_exact`."""
        u = W[0] + sum(map(mul, W[1:], self.centre))
        return [u, *times_powers(W[1:], self.shift + self.unit)]

    def scores(self, W) -> tuple[np.ndarray, float, int]:
        """(f, bound, e): z_i·W = 2^e·(f_i ± bound) for every row."""
        w, b, e = self._float_weights(W)
        f = np.asarray(self.G @ w).ravel()
        f += b
        f *= self.signs
        return f, self._bound(float(self._reach @ np.abs(w)) + abs(b)), e

    def _bound(self, size):
        return (self.p + 8) * UNIT * size * (1 + 1e-9) + self.p * UNDERFLOW

    def _float_weights(self, W) -> tuple[np.ndarray, float, int]:
        b = W[0] + sum(map(mul, W[1:], self.centre), Fraction(0))
        pairs = zip(W[1:], self._reach, strict=True)
        w = times_powers([v if reach > 0 else Fraction(0) for v, reach in pairs], self.shift)
        e = largest_magnitude([b, *w], [0, *np.frexp(self._reach)[1].tolist()])
        unit = power_of_two(-e)
        return np.array([float(v * unit) for v in w]), float(b * unit), e

    def signs_of(self, W) -> np.ndarray:
        """The exact sign (-1, 0, 1) of z_i·W for every row."""
        W, _ = whole_numbers(W)
        f, bound, _ = self.scores(W)
        out = np.sign(f).astype(np.int8)
        doubtful = self._doubtful(W, np.flatnonzero(np.abs(f) <= bound), f)
        if len(doubtful):
            total, _ = self.exact_scores(doubtful, W)
            out[doubtful] = np.sign(total).astype(np.int8)
        return out

    def _doubtful(self, W, rows, f):
        """The rows among ``rows`` whose own error bound still leaves the sign open."""
        if len(rows) < 64:
            return rows
        if self._exact_in_floats(W):
            return rows[:0]
        return rows[np.abs(f[rows]) <= self._row_bound(W, rows)]

    def _row_bound(self, W, rows):
        w, b, _ = self._float_weights(W)
        return self._bound(np.asarray(abs(self.G[rows]) @ np.abs(w)).ravel() + abs(b))

    def _exact_in_floats(self, W) -> bool:
        """Whether whole numbers below 2^53 make the float scores exact; W must be whole."""
        largest = [1, *map(Fraction, self.largest.tolist())]
        if self.G is not self.X or sum(map(mul, map(abs, W), largest)) >= 2**53:
            return False
        needed = np.array([v != 0 for v in W[1:]], dtype=bool)
        return bool(self._integral[needed].all())

    @cached_property
    def _integral(self) -> np.ndarray:
        """Which columns hold whole numbers only."""
        if sparse.issparse(self.X):
            fraction = self.X.indices[self.X.data != np.rint(self.X.data)]
            return np.bincount(fraction, minlength=self.p - 1) == 0
        columns = range(self.p - 1)
        return np.array(
            [(self.X[:, j] == np.rint(self.X[:, j])).all() for j in columns], dtype=bool
        )

    def exact_scores(self, rows, W) -> tuple[np.ndarray, Fraction]:
        """Integers t and a unit q > 0 with z_i·W = t_i·q exactly, for the rows asked for."""
        total, unit = whole_scores(self.X[rows], W)
        return total * self.signs[rows].astype(np.int64).astype(object), unit

    def minimum(self, W, among=None) -> tuple[int, Fraction]:
        """(row, value) of the exact minimum of z_i·W over the rows where ``among`` is true."""
        W, factor = whole_numbers(W)
        f, bound, _ = self.scores(W)
        if among is not None:
            f = np.where(among, f, np.inf)
        rows = np.flatnonzero(f <= f.min() + 2 * bound)
        if len(rows) >= 64:
            if self._exact_in_floats(W):
                rows = rows[[np.argmin(f[rows])]]
            else:
                own = self._row_bound(W, rows)
                rows = rows[f[rows] - own <= (f[rows] + own).min()]
        total, unit = self.exact_scores(rows, W)
        best = int(np.argmin(total))
        return int(rows[best]), total[best] * unit * factor

    def exact_rows(self, rows, common: bool = False) -> tuple[np.ndarray, list[int]]:
        """Integers M and exponents e with z_ij = M_ij·2^e_j, bias column first."""
        block = np.column_stack([np.ones(len(rows)), self.raw(rows)])
        M, e = as_integers(block, common)
        return M * self.signs[rows].astype(np.int64).astype(object)[:, None], e


def _times_power_of_two(A, exponents, out=None) -> np.ndarray:
    """A·2^exponents column by column; plain products where the powers are floats (much faster)."""
    if np.abs(exponents).max(initial=0) <= 1000:
        return np.multiply(A, np.ldexp(1.0, exponents), out=out)
    return np.ldexp(A, exponents, out=out)


def whole_numbers(W) -> tuple[list[Fraction], Fraction]:
    """(V, q) with W = q·V, q > 0 and V whole numbers without a common factor."""
    whole, common = clear_denominators(W)
    short = primitive(whole)
    lead = next((i for i, v in enumerate(short) if v), 0)
    ratio = whole[lead] // short[lead] if short[lead] else 1
    return [Fraction(v) for v in short], Fraction(ratio, common)


def _column_range(X) -> tuple[np.ndarray, np.ndarray]:
    if sparse.issparse(X):
        low, high = X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
    else:
        low, high = X.min(axis=0), X.max(axis=0)
    return low.astype(np.float64), high.astype(np.float64)
