"""Least squares in whole numbers: nothing is rounded until the weights become floats.

Sums, rank and solution are those of ``verify.normal_equations``; here is what a fit needs
besides: whether that is affordable, and how to round. Rounding each weight to the nearest float
keeps most digits of the weights. Where columns nearly cancel each other, that may move the
residuals by more than they are; then the weights are rounded one after the other, and those still
to come make up for what was lost (Babai 1986). With N = LDLᵀ,

    (u − u*)ᵀ N (u − u*) = Σ_i D_i (δ_i + Σ_{k>i} L_ki δ_k)²,     δ = u − u*

so each sum in brackets can be made as small as the spacing of the floats, the last i first. Columns
with the largest terms come last, where D_i is least.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from linscope.arithmetic.rational import as_float
from linscope.engines import Engine, RowsElsewhere
from linscope.verify.definite import MOST_LONG, eliminated
from linscope.verify.exact_gram import TooWide

from ..verify.facts import Facts, bias_of, facts, minimum
from ..verify.normal_equations import Normal, Optimum, normal_equations, optimum

# Products n·(d + 2)² of a table that is worth it: seconds at most.
MOST_PRODUCTS = 200_000_000
BITS = 448


@dataclass
class WholeFit:
    """The equations and their proven solution."""

    normal: Normal
    best: Optimum
    known: tuple[np.ndarray, Facts] | None = None

    def __call__(self, W: np.ndarray) -> Facts:
        if self.known is None or not np.array_equal(self.known[0], W):
            self.known = W.copy(), facts(self.normal, self.best, W)
        return self.known[1]

    @property
    def unique(self) -> bool:
        return self.best.unique

    @property
    def condition(self) -> float | None:
        return self.best.condition if np.isfinite(self.best.condition) else None

    @property
    def rank(self) -> int:
        return len(self.best.rank.kept)

    def dependences(self) -> dict[int, dict[int, float]]:
        """Each dependent feature as a combination: {feature: {other or -1 (constant): c}}.

        x_j = Σ_k c_k x_k + constant, with c_k = share_k 2^(e_j − e_k)
        """
        normal, rank = self.normal, self.best.rank
        means = [Fraction(int(s), normal.total) * Fraction(2) ** int(e)
                 for s, e in zip(normal.sums, normal.e, strict=False)]  # fmt: skip
        found = {}
        for j, shares in rank.shares.items():
            parts = {
                int(k): share * Fraction(2) ** int(normal.e[j] - normal.e[k])
                for k, share in zip(rank.kept, shares, strict=True)
                if share
            }
            constant = means[j] - sum((c * means[k] for k, c in parts.items()), Fraction(0))
            if constant:
                parts[-1] = constant
            found[j] = {k: as_float(c) for k, c in parts.items()}
        return found

    @property
    def least_squares(self) -> np.ndarray:
        """Σ c r² of the solution (without penalty), for each target."""
        return np.array(
            [as_float(minimum(self.normal, self.best, k)) for k in range(self.normal.t)]
        )


def affordable(engine: Engine) -> bool:
    columns = 1 + engine.n_features + engine.n_targets
    return engine.n_features <= MOST_LONG and engine.n_rows * columns**2 <= MOST_PRODUCTS


def whole_fit(engine: Engine, *, fit_intercept: bool, alpha: float) -> WholeFit | None:
    """None if it would take too long, or if no solution can be proven."""
    if not affordable(engine):
        return None
    try:
        normal = normal_equations(engine, fit_intercept=fit_intercept, alpha=alpha)
    except (TooWide, RowsElsewhere):
        return None
    best = optimum(normal)
    return None if best is None else WholeFit(normal, best)


def rounded(fit: WholeFit) -> np.ndarray:
    """Each weight (targets, d + 1) as the nearest float; 0 where it may be 0."""
    normal, best = fit.normal, fit.best
    W = np.zeros((normal.t, normal.d + 1))
    for k in range(normal.t):
        unit = Fraction(2) ** int(normal.e_y[k])
        if normal.intercept:
            W[k, 0] = as_float(bias_of(normal, best.numbers[:, k], best.point, k) * unit)
        for j in range(normal.d):
            u = Fraction(int(best.numbers[j, k]), 1 << best.point)
            if abs(u) > best.radius[j, k]:
                W[k, 1 + j] = as_float(u * unit / Fraction(2) ** int(normal.e[j]))
    return W


def carefully_rounded(fit: WholeFit, W: np.ndarray, lengths: np.ndarray) -> np.ndarray | None:
    """Weights whose objective is nearly as small as floats allow; None if there is no way."""
    normal, best = fit.normal, fit.best
    if not best.unique:
        return None
    out = W.copy()
    for k in range(normal.t):
        order = np.argsort(lengths[1:] * np.abs(W[k, 1:]), kind="stable")
        factor = eliminated(normal.N[np.ix_(order, order)], BITS)
        if factor is None:
            return None
        try:
            out[k] = _one_by_one(fit, k, order, *factor)
        except OverflowError:  # a weight has left the range of floats
            return None
    return out


def _one_by_one(fit: WholeFit, k: int, order: np.ndarray, L: np.ndarray, f: np.ndarray):
    """L of the matrix 2^(−f_i − f_j) N_ij, times 2^BITS."""
    normal, best = fit.normal, fit.best
    w, delta = np.zeros(normal.d + 1), [Fraction(0)] * normal.d
    unit = Fraction(2) ** int(normal.e_y[k])
    for i in range(normal.d - 1, -1, -1):
        j, scale = int(order[i]), Fraction(2) ** int(f[i])
        exact = Fraction(int(best.numbers[j, k]), 1 << best.point)
        back = sum((Fraction(int(L[m, i]), 1 << BITS) * delta[m] for m in range(i + 1, normal.d)),
                   Fraction(0)) / scale  # fmt: skip
        step = unit / Fraction(2) ** int(normal.e[j])
        w[1 + j] = as_float((exact - back) * step)
        delta[i] = (Fraction(float(w[1 + j])) / step - exact) * scale
    if normal.intercept:
        held = sum((Fraction(float(v)) / unit * Fraction(2) ** int(e) * int(s)
                    for v, e, s in zip(w[1:], normal.e, normal.sums, strict=False)),
                   Fraction(0))  # fmt: skip
        w[0] = as_float((int(normal.sums[normal.d + k]) - held) / normal.total * unit)
    return w
