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

import sys
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy import linalg

from linscope._compiling import kernel
from linscope.arithmetic.double_double import (
    UNIT,
    UNIT2,
    Pair,
    add_row,
    div,
    product,
    root,
    solve_lower,
    solve_upper,
)
from linscope.rows.pilot import Frame

from .moments import Moments

DEPENDENT = 4.0
# Squared distance, relative to the column, below which dependence is looked into.
SUSPICIOUS = 1e-20
# The same, in units of the rounding of the stored numbers, not squared.
SPREAD = 32.0
# Means of columns, relative to their spread, that a condition number may not notice.
OFFSET = 0.1
# A column does not take part in a dependence when its share is below this.
NO_PART = 1e-9


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


def factor_exactly(
    moments: Moments, gram: Pair, columns: np.ndarray, alpha: float, unit: float = UNIT
) -> Factor:
    """Cholesky in double-double of what ``penalised`` gives, dependent columns set aside.

    Stored numbers are right to ``unit``, relatively.
    """
    p = len(columns)
    norm2 = np.diag(gram.hi).copy()
    # How large the stored numbers are, whatever was subtracted from them.
    stored = np.ldexp(np.abs(moments.frame.shift), moments.frame.exponent)
    stored = np.concatenate([[0.0], stored])[columns]
    raw = np.sqrt(norm2 + moments.total_weight * stored**2)
    # n rows have no more than n independent columns, whatever rounding makes of the rest.
    most = moments.n if moments.n and alpha == 0 else p
    R, found = _cholesky(gram, raw, 64.0 * moments.rounding, most, unit)
    kept, dependent = np.arange(p), {}
    if found:
        kept = np.setdiff1d(kept, list(found))
        dependent = {int(columns[j]): np.pad(t, (0, len(kept) - len(t))) for j, t in found.items()}
        R = R.part(*np.ix_(kept, kept))
    S = solve_upper(R, Pair.of(np.eye(len(kept))))
    norms = np.sqrt(norm2[kept])
    return Factor(columns[kept], R, S, norms, condition_of(R.hi, norms), dependent)


@np.errstate(over="ignore", invalid="ignore")
def _cholesky(
    gram: Pair, raw: np.ndarray, noise: float, most: int, unit: float
) -> tuple[Pair, dict[int, np.ndarray]]:
    """R, whose rows of dependent columns are 0, and these as combinations of those kept before."""
    p, j = len(raw), 0
    kept: list[int] = []
    found: dict[int, np.ndarray] = {}
    R = Pair(np.zeros((p, p)), np.zeros((p, p)))
    square = np.diag(gram.hi)
    floor = max(SUSPICIOUS, (SPREAD * unit) ** 2) * square + (unit * raw) ** 2
    while True:
        stop = _factor_rows(*gram, *R, floor, j, min(p, j + most - len(kept)))
        kept += range(j, stop)
        if stop == p:
            return R, found
        j, full = stop, len(kept) == most
        t, at = np.zeros(0), np.array(kept, dtype=np.intp)
        if kept:
            t = linalg.solve_triangular(R.hi[np.ix_(at, at)], R.hi[at, j], check_finite=False)
        size = raw[j] + np.abs(t) @ raw[at]
        if full or R.hi[j, j] <= max((DEPENDENT * unit * size) ** 2, noise * square[j]):
            found[j], R.hi[j], R.lo[j] = t, 0.0, 0.0
            j += 1
        else:
            floor[j] = -np.inf


@kernel
def _factor_rows(Gh, Gl, Rh, Rl, floor, first, stop):
    """Rows of R from ``first`` on: R_jk = (G_jk − Σ_i R_ij R_ik) / R_jj.

    Returns where it stopped: before ``stop`` if a column is nearly dependent, and then its squared
    distance is in R_jj.
    """
    p = Gh.shape[0]
    for j in range(first, stop):
        for k in range(j, p):
            Rh[j, k], Rl[j, k] = Gh[j, k], Gl[j, k]
        for i in range(j):
            if Rh[i, j] != 0.0:
                add_row(-Rh[i, j], -Rl[i, j], Rh, Rl, i, Rh, Rl, j, j)
        if Rh[j, j] <= floor[j]:
            return j
        Rh[j, j], Rl[j, j] = root(Rh[j, j], Rl[j, j])
        for k in range(j + 1, p):
            Rh[j, k], Rl[j, k] = div(Rh[j, k], Rl[j, k], Rh[j, j], Rl[j, j])
    return stop


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
    scaled = np.asfortranarray(np.triu(R / norms))  # LU factors, with L = I
    reciprocal, _ = linalg.lapack.dgecon(scaled, np.abs(scaled).sum(axis=0).max())
    return float(1.0 / max(reciprocal, sys.float_info.min))


def solve(moments: Moments, factor: Factor) -> Pair:
    """v (columns in use, targets): the solution in the frame of the moments, dependent ones 0."""
    d, t = moments.n_features, moments.n_targets
    right = moments.gram.part(factor.kept, slice(1 + d, None))
    if moments.rounding > UNIT2 * 1e6:
        kept = Pair.of(factor.correction(right.hi))
    else:
        kept = solve_upper(factor.R, solve_lower(factor.R, right))
    v = Pair.of(np.zeros((1 + d, t)))
    v.hi[factor.kept], v.lo[factor.kept] = kept.hi, kept.lo
    return v


def residual_squares(moments: Moments, v: Pair) -> tuple[np.ndarray, np.ndarray]:
    """Σ c r² of each target in its frame = u·u + v·(G v − 2g), and how wrong that may be."""
    form = moments.form
    rss = form.at(v.turned())
    spread = form.norms + form.lengths @ np.abs(v.hi)
    rounding = moments.rounding + 16 * (1 + len(form.lengths)) * UNIT2
    return np.maximum(rss, 0.0), rounding * spread * spread


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


def inverse_root(frame: Frame, factor: Factor) -> np.ndarray | None:
    """U (kept, kept) with U Uᵀ = (AᵀCA + αP)⁻¹ in original units; None if columns depend.

    w = Tv, so U = T S; the row of the bias is S_0 − Σ_j m_j 2^k_j S_j.
    """
    if factor.dependent:
        return None
    exponents = np.concatenate([[0], frame.exponent[frame.features]])[factor.kept][:, None]
    U = factor.S.scaled(exponents)
    if factor.kept[0] == 0:
        U.hi[0] = product(frame.back, U).hi[0]
    return U.hi if factor.M is None else U.hi @ factor.M


def dependences(
    moments: Moments, factor: Factor, unit: float = UNIT
) -> dict[int, dict[int, float]]:
    """Each dependent feature as a combination of others: {feature: {other or -1 (constant): c}}.

    (x_j − m_j) 2^k_j = t_0 + Σ t_k (x_k − m_k) 2^k_k
    """
    frame = moments.frame
    found = {}
    for j, t in factor.dependent.items():
        share = np.abs(t) * np.sqrt(np.diag(moments.gram.hi))[factor.kept]
        parts: dict[int, float] = {}
        constant = float(frame.shift[j - 1])
        for column, value, part in zip(factor.kept.tolist(), t, share, strict=True):
            if part <= max(NO_PART, SPREAD * unit) * share.max(initial=0.0):
                continue
            if column == 0:
                constant += float(np.ldexp(value, -frame.exponent[j - 1]))
                continue
            c = float(np.ldexp(value, frame.exponent[column - 1] - frame.exponent[j - 1]))
            parts[column - 1] = c
            constant -= c * float(frame.shift[column - 1])
        size = abs(frame.shift[j - 1]) + sum(abs(c * frame.shift[k]) for k, c in parts.items())
        if abs(constant) > max(NO_PART, SPREAD * unit) * size:
            parts[-1] = constant
        found[j - 1] = parts
    return found
