"""The normal equations of least squares in whole numbers, and their solution with a proven bound.

    minimise J(w) = ½ Σ_i c_i (y_i − b − x_i·w)² + ½ α‖w‖²

With an intercept the best bias is b = ȳ − x̄·w, and about the means, in whole numbers,

    N u = r        N = W·(ΣcxxᵀT) − s sᵀ + penalty,   W = Σc,  s = Σcx

in units u_j = w_j 2^(e_j − e_y), where x_j = 2^e_j · (whole numbers). If columns depend on each
other, the shortest solution is a combination of rows: with k the independent columns,

    w = P z,   PᵀP z = r_k,   P = N_{·k}
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from linscope.verify.definite import WANTED, Solution, by_floats, halves, shifted, solve
from linscope.verify.exact_gram import ExactGram, exact_gram
from linscope.verify.exact_rank import Rank, rank_of

MOST_OFFSET = 700


class Normal(NamedTuple):
    """The equations N u = r, times 2^raised; the sums they came from (columns [1,] X, Y)."""

    N: np.ndarray
    r: np.ndarray
    gram: ExactGram
    intercept: bool
    alpha: float
    raised: int
    rows: int

    @property
    def d(self) -> int:
        return len(self.N)

    @property
    def total(self) -> int:
        """W in whole numbers; 1 without an intercept."""
        return int(self.gram.numbers[0, 0]) if self.intercept else 1

    @property
    def sums(self) -> np.ndarray:
        """s of the features and targets."""
        return (
            self.gram.numbers[0, 1:] if self.intercept else np.zeros(len(self.e) + self.t, object)
        )

    @property
    def e(self) -> np.ndarray:
        first = int(self.intercept)
        return self.gram.exponent[first : first + self.d].astype(object)

    @property
    def e_y(self) -> np.ndarray:
        return self.gram.exponent[int(self.intercept) + self.d :].astype(object)

    @property
    def t(self) -> int:
        return self.r.shape[1]


class Optimum(NamedTuple):
    """u_jk = numbers_jk · 2^−point, within ``radius`` of the solution (the shortest of several).

    ``rank`` says which columns are independent; ``unique`` whether there is one solution only;
    ``condition`` is about that of the columns scaled to length 1.
    """

    numbers: np.ndarray
    point: int
    radius: np.ndarray
    rank: Rank
    unique: bool
    condition: float


def normal_equations(engine: Any, *, fit_intercept: bool, alpha: float) -> Normal:
    """From the rows of an engine."""
    n, d = engine.n_rows, engine.n_features
    gram = exact_gram(engine, ones=fit_intercept)
    G, first = gram.numbers, int(fit_intercept)
    x, y = slice(first, first + d), slice(first + d, None)
    N, r = G[x, x], G[x, y]
    if fit_intercept:
        s = G[0]
        N = s[0] * N - np.multiply.outer(s[x], s[x])
        r = s[0] * r - np.multiply.outer(s[x], s[y])
    raised = 0
    if alpha > 0:
        pull = Fraction(alpha) * (int(G[0, 0]) if fit_intercept else 1)
        power = [-gram.power - 2 * int(e) for e in gram.exponent[x]]
        raised = max(0, max(pull.denominator.bit_length() - 1 - k for k in power))
        add = [int(pull * Fraction(2) ** (k + raised)) for k in power]
        N, r = N << raised, r << raised
        N[np.diag_indices(d)] += np.array(add, dtype=object)
    return Normal(N, r, gram, fit_intercept, alpha, raised, n)


def optimum(normal: Normal) -> Optimum | None:
    """The solution, if it can be proven; None if not."""
    N, r, d = normal.N, normal.r, normal.d
    everything = Rank(np.arange(d), {}, True)
    if normal.alpha == 0 and by_floats(N, halves(N)) is None:
        rank = rank_of(N, normal.rows - int(normal.intercept))
        if not rank.proven:
            return None
        if len(rank.kept) < d:
            return _shortest(normal, rank)
    found = solve(N, r, WANTED + _offset_bits(normal))
    if found is None or not np.isfinite(found.distance).all():
        return None
    radius = np.multiply.outer(_powers(-found.f), _distances(found, found.distance))
    return Optimum(
        found.numbers, found.point, radius, everything, True, max(1.0, found.least**-0.5)
    )


def _offset_bits(normal: Normal) -> int:
    """Bits that the bias loses where columns are far from 0, compared with their spread."""
    sizes = [int(s).bit_length() for s in normal.sums[: normal.d]]
    bits = max(0, *(s - int(f) for s, f in zip(sizes, halves(normal.N), strict=True)))
    return min(bits, MOST_OFFSET)


def _shortest(normal: Normal, rank: Rank) -> Optimum | None:
    kept = rank.kept
    if not len(kept):
        zero = np.zeros((normal.d, normal.t), dtype=object)
        return Optimum(zero, 0, zero + Fraction(0), rank, False, np.inf)
    up = (normal.e - min(normal.e)).reshape(-1, 1)
    P = normal.N[:, kept] << up
    found = solve(P.T.dot(P), normal.r[kept])
    if found is None or not np.isfinite(found.residual).all():
        return None
    far = _distances(found, found.residual / np.sqrt(found.least))
    radius = np.multiply.outer(_powers(up.ravel()), far)
    return Optimum(P.dot(found.numbers) << up, found.point, radius, rank, False, np.inf)


def _power(k: Any) -> Fraction:
    return Fraction(2) ** int(k)


def _powers(exponents: np.ndarray) -> np.ndarray:
    return np.array([_power(k) for k in exponents], dtype=object)


def _distances(found: Solution, distance: np.ndarray) -> np.ndarray:
    """distance · 2^scale with room for the rounding of the distance."""
    with np.errstate(over="ignore"):
        far = np.where(distance > 0, np.nextafter(distance * (1 + 1e-12), np.inf), 0.0)
    return np.array(
        [Fraction(float(a)) * _power(s) for a, s in zip(far, found.scale, strict=True)],
        dtype=object,
    )


class Held(NamedTuple):
    """Weights as whole numbers in the units of the equations: u and the bias, both · 2^point."""

    u: np.ndarray
    bias: np.ndarray
    point: int


def held(normal: Normal, W: np.ndarray) -> Held:
    """The floats W (targets, d + 1), bias first, without rounding."""
    mantissa, exponent = np.frexp(np.asarray(W, dtype=np.float64).T)
    whole = np.ldexp(mantissa, 53).astype(np.int64).astype(object)
    units = np.concatenate([[0], normal.e])[:, None] - normal.e_y
    power = exponent.astype(object) - 53 + units
    point = int(max(0, -min(power[whole != 0], default=0)))
    numbers = shifted(whole, np.where(whole == 0, 0, power + point))
    return Held(numbers[1:], numbers[0], point)
