"""Least squares from moments: (G_xx + Λ) v = G_xy by Cholesky, G_xx + Λ = RᵀR.

Moments in double-double are factored in double-double, which is as good as a QR factorisation in
floats even where the condition number of the columns is 1e14. Moments in floats are factored by
LAPACK.

A column is *dependent* when it equals a combination of the columns before it as far as the stored
numbers can tell: the distance is no more than their rounding, DEPENDENT·u·Σ|t_k|‖x_k‖. That does
not change when columns are scaled. Among all solutions the one of least norm (without the bias)
is returned.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy import linalg

from linscope._compiling import kernel
from linscope.arithmetic.double_double import (
    UNIT,
    UNIT2,
    Pair,
    add,
    div,
    mul,
    product,
    root,
    solve_lower,
    solve_upper,
)

from .moments import Moments

DEPENDENT = 4.0
# Squared distance, relative to the column, below which dependence is looked into.
SUSPICIOUS = 1e-20
# Means of columns, relative to their spread, that a condition number may not notice.
OFFSET = 0.1


@dataclass(frozen=True, eq=False)
class Factor:
    """(G_xx + Λ) of the kept columns is RᵀR, and its inverse (S M)(S M)ᵀ with S = R⁻¹, M = 1.

    ``kept`` and ``dependent`` are columns of the augmented matrix, 0 for the bias; ``dependent``
    maps each to its combination of the kept ones. ``norms`` are the lengths of the kept columns.
    """

    kept: np.ndarray
    R: Pair
    S: Pair
    norms: np.ndarray
    condition: float
    dependent: dict[int, np.ndarray] = field(default_factory=dict)
    M: np.ndarray | None = None

    @cached_property
    def inverse_root(self) -> np.ndarray:
        return self.S.hi if self.M is None else self.S.hi @ self.M

    @property
    def condition_about_means(self) -> float:
        """The condition number of the columns less their means, if the bias comes first.

        Then R without its first row and column belongs to these.
        """
        if not len(self.kept) or self.kept[0] != 0:
            return self.condition
        inner = self.R.hi[1:, 1:]
        lengths = np.sqrt(np.einsum("ij,ij->j", inner, inner))
        far = np.abs(self.R.hi[0, 1:]) > OFFSET * lengths
        return condition_of(inner, lengths) if far.any() else self.condition

    @property
    def inverse(self) -> np.ndarray:
        return self.inverse_root @ self.inverse_root.T

    def correction(self, g: np.ndarray) -> np.ndarray:
        """The step that a gradient g of the kept columns asks for."""
        return self.inverse_root @ (self.inverse_root.T @ g)

    def corrected(self, S: np.ndarray, M: np.ndarray) -> Factor:
        return replace(self, S=Pair.of(S), M=M)


def penalised(moments: Moments, fit_intercept: bool, alpha: float) -> tuple[Pair, np.ndarray]:
    """G_xx + Λ (upper half) of the columns in use, and which columns these are.

    The penalty α‖w‖² of the original weights w_j = 2^k_j v_j is α 4^k_j v_j².
    """
    d = moments.n_features
    columns = np.arange(0 if fit_intercept else 1, 1 + d)
    used = slice(int(not fit_intercept), 1 + d)
    gram = Pair(moments.gram.hi[used, used].copy(), moments.gram.lo[used, used].copy())
    if alpha == 0:
        return gram, columns
    diagonal = np.arange(len(columns))[int(fit_intercept) :]
    penalty = np.ldexp(alpha, 2 * moments.frame.exponent[:d])
    ridge = Pair.of(np.zeros_like(gram.hi))
    ridge.hi[diagonal, diagonal] = penalty
    return gram.plus(ridge), columns


def factor_exactly(moments: Moments, gram: Pair, columns: np.ndarray, alpha: float) -> Factor:
    """Cholesky in double-double of what ``penalised`` gives, dependent columns set aside."""
    p = len(columns)
    norm2 = np.diag(gram.hi).copy()
    # How large the stored numbers are, whatever was subtracted from them.
    stored = np.r_[0.0, np.ldexp(np.abs(moments.frame.shift), moments.frame.exponent)][columns]
    raw = np.sqrt(norm2 + moments.total_weight * stored**2)
    R = Pair(np.zeros((p, p)), np.zeros((p, p)))
    coefficients = np.zeros((p, p))
    keep = np.zeros(p, dtype=np.bool_)
    noise = 64.0 * moments.rounding
    # n rows have no more than n independent columns, whatever rounding makes of the rest.
    most = moments.n if moments.n and alpha == 0 else p
    _cholesky(gram, R, keep, coefficients, raw, noise, most)
    kept, dependent = np.arange(p), {}
    if not keep.all():
        kept = np.flatnonzero(keep)
        dependent = {int(columns[j]): coefficients[j, kept] for j in np.flatnonzero(~keep)}
        R = R.part(*np.ix_(kept, kept))
    S = Pair.of(np.eye(len(kept)))
    solve_upper(R, S)
    norms = np.sqrt(norm2[kept])
    return Factor(columns[kept], R, S, norms, condition_of(R.hi, norms), dependent)


@kernel
def _cholesky(gram: Pair, R: Pair, keep, coefficients, raw, noise, most):
    p, count = gram.hi.shape[0], 0
    for j in range(p):
        h, l = gram.hi[j, j], gram.lo[j, j]
        for i in range(j):
            qh, ql = mul(R.hi[i, j], R.lo[i, j], R.hi[i, j], R.lo[i, j])
            h, l = add(h, l, -qh, -ql)
        if count == most or h <= SUSPICIOUS * gram.hi[j, j] + UNIT2 * raw[j] * raw[j]:
            t = coefficients[j]
            for i in range(j - 1, -1, -1):
                if keep[i]:
                    value = R.hi[i, j]
                    for k in range(i + 1, j):
                        value -= R.hi[i, k] * t[k]
                    t[i] = value / R.hi[i, i]
            size = raw[j]
            for i in range(j):
                size += abs(t[i]) * raw[i]
            rounding = max((DEPENDENT * UNIT * size) ** 2, noise * gram.hi[j, j])
            if count == most or h <= rounding:
                continue
        keep[j] = True
        count += 1
        for k in range(p):
            coefficients[j, k] = 0.0
        R.hi[j, j], R.lo[j, j] = root(h, l)
        for k in range(j + 1, p):
            h, l = gram.hi[j, k], gram.lo[j, k]
            for i in range(j):
                qh, ql = mul(R.hi[i, j], R.lo[i, j], R.hi[i, k], R.lo[i, k])
                h, l = add(h, l, -qh, -ql)
            R.hi[j, k], R.lo[j, k] = div(h, l, R.hi[j, j], R.lo[j, j])


def factor_quickly(moments: Moments, *, fit_intercept: bool, alpha: float = 0.0) -> Factor | None:
    """Cholesky by LAPACK; None when the columns are too close to dependent for it."""
    gram, columns = penalised(moments, fit_intercept, alpha)
    norms = np.sqrt(np.diag(gram.hi))
    if not (np.isfinite(norms).all() and (norms > 0).all()):
        return None
    unit = gram.hi / np.outer(norms, norms)
    R, failed = linalg.lapack.dpotrf(unit, lower=0)
    if failed:
        return None
    S, _ = linalg.lapack.dtrtri(R, lower=0)
    R = np.triu(R) * norms
    inverse = Pair.of(np.triu(S) / norms[:, None])
    return Factor(columns, Pair.of(R), inverse, norms, condition_of(R, norms))


def condition_of(R: np.ndarray, norms: np.ndarray) -> float:
    """Condition number (1-norm, estimated) of the columns scaled to length 1."""
    if not len(norms):
        return 1.0
    reciprocal, _ = linalg.lapack.dtrcon(np.asfortranarray(R / norms))
    return float(1.0 / max(reciprocal, np.finfo(float).tiny))


def solve(moments: Moments, factor: Factor) -> Pair:
    """v (columns in use, targets): the solution in the frame of the moments, dependent ones 0."""
    d, t = moments.n_features, moments.n_targets
    right = moments.gram.part(factor.kept, slice(1 + d, None))
    if moments.rounding > UNIT2 * 1e6:
        kept = Pair.of(factor.correction(right.hi))
    else:
        solve_lower(factor.R, right)
        solve_upper(factor.R, right)
        kept = right
    v = Pair.of(np.zeros((1 + d, t)))
    v.hi[factor.kept], v.lo[factor.kept] = kept.hi, kept.lo
    return v


def symmetric(upper: Pair) -> Pair:
    """The whole matrix of its upper half."""
    return Pair(*(np.triu(part) + np.triu(part, 1).T for part in upper))


def target_norms(moments: Moments) -> np.ndarray:
    d = moments.n_features
    return np.sqrt(np.maximum(np.diag(moments.gram.hi)[1 + d :], 0.0))


def residual_squares(moments: Moments, v: Pair) -> tuple[np.ndarray, np.ndarray]:
    """Σ c r² of each target in its frame = u·u − 2 v·g + v·G v, and how wrong that may be."""
    d = moments.n_features
    full = moments.full
    rss, error = [], []
    for k in range(moments.n_targets):
        used = np.arange(2 + d)
        used[-1] += k
        part = full.part(used[:, None], used)
        c = Pair.of(np.ones((2 + d, 1)))
        c.hi[:-1, 0], c.lo[:-1, 0] = -v.hi[:, k], -v.lo[:, k]
        Gc, value = Pair.of(np.zeros_like(c.hi)), Pair.of(np.zeros((1, 1)))
        product(part, c, Gc)
        product(Pair(c.hi.T.copy(), c.lo.T.copy()), Gc, value)
        norms = np.sqrt(np.maximum(np.diag(part.hi), 0.0))
        rss.append(max(float(value.hi[0, 0]), 0.0))
        spread = float(np.sum(norms * np.abs(c.hi[:, 0]))) ** 2
        error.append((moments.rounding + 8 * len(norms) * UNIT2) * spread)
    return np.array(rss), np.array(error)


def least_norm(factor: Factor, moments: Moments, v: Pair) -> Pair:
    """Move v along the null space to the weights of least norm in original units.

    Every dependent column gives a null vector e_j − Σ t_k e_k.
    """
    if not factor.dependent:
        return v
    null = np.zeros((1 + moments.n_features, len(factor.dependent)))
    for q, (j, t) in enumerate(factor.dependent.items()):
        null[j, q] = 1.0
        null[factor.kept, q] = -t
    # Equal lengths make the small problem as well-conditioned as it can be, and powers of two keep
    # it in the range of floats.
    B, down = _in_units(null, moments)
    lengths = np.linalg.norm(B, axis=0)
    lengths[lengths == 0] = 1.0
    right, up = _in_units(v.hi, moments)
    move = -np.linalg.lstsq(B / lengths, right, rcond=None)[0]
    return v.plus(Pair.of(np.ldexp((np.ldexp(null, -down) / lengths) @ move, up)))


def _in_units(v: np.ndarray, moments: Moments) -> tuple[np.ndarray, np.ndarray]:
    """Slopes of the columns of v in original units, less a power of two for each column."""
    exponent = moments.frame.exponent[: moments.n_features, None]
    size = np.where(v[1:] != 0, np.frexp(v[1:])[1] + exponent, np.iinfo(np.int32).min // 2)
    top = np.where((v[1:] != 0).any(axis=0), size.max(axis=0), 0)
    return np.ldexp(v[1:], exponent - top), top
