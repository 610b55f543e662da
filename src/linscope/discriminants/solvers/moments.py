"""Moments of each class: weights, means, scatter. One pass over the rows.

    W_k = Σ w_i      m_k = Σ w_i x_i / W_k      S_W = Σ_k Σ w_i (x_i − m_k)(x_i − m_k)ᵀ

Fisher's discriminant, Gaussian naive Bayes and the least squares classifier need nothing else of
the data. The sums are taken about an origin near each class mean, so large offsets cost no digits,
and in units 2^exponent a column where squares would leave the range of floats.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linscope.engines import Engine, check_rows
from linscope.rows.blocks import Block, Largest

from . import class_loops as loops
from .class_sums import Kind, additions, in_blocks, sums_of
from .settled_columns import constants, fine_means, settle

# Larger values have squares that leave too little of the range of floats.
LARGEST = 1e150
# Rows that tell where each class roughly is.
PILOT_ROWS = 1024
# A sum of squares below this may have lost digits to underflow.
TINY = 1e-280
# Classes of less weight need columns near 1.
LIGHT = 1e-20
# Sums of squares should be right to this; else the rows are looked at again.
PRECISE = 1e-10
UNIT = 2.0**-53
# Centred squares below this share of the raw ones have lost digits to the choice of the origin.
CANCELLED = 2.0**-12


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Weights, means and centred second moments of K classes.

    Attributes
    ----------
    weight : (K,) sum of the weights
    origin, offset : (K, d) each; the mean of a class is origin + offset. They are kept apart
        because differences of means are then accurate to the spread, not to the size, of the data
    scatter : within-class scatter in units 2^exponent: (d, d) of all classes together
        ("pooled"), (K, d, d) of each ("separate"), or (K, d) its diagonals ("squares")
    exponent : (d,) the unit of each column; 0 unless the values are extreme
    rows : how many rows were read
    additions : how many a number in these sums may have gone through
    kind : {"pooled", "separate", "squares"}
    rounding : the scatter of two columns i, j is wrong by at most this times √(S_ii S_jj)
    drift : a mean is wrong by at most this times √(S_jj / W_k), besides one rounding of itself
    """

    weight: np.ndarray
    origin: np.ndarray
    offset: np.ndarray
    scatter: np.ndarray
    exponent: np.ndarray
    rows: int
    additions: int
    kind: Kind = "pooled"
    rounding: float = 0.0
    drift: float = 0.0

    @property
    def total(self) -> float:
        return float(self.weight.sum())

    @property
    def means(self) -> np.ndarray:
        """The class means (K, d); 0 for a class without rows."""
        return self.origin + self.offset

    @property
    def shares(self) -> np.ndarray:
        """W_k / Σ W: the usual prior probabilities."""
        return self.weight / self.total

    def centred_means(self, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """m_k − m̄ in units 2^exponent, and m̄ = Σ share_k m_k, without loss to offsets."""
        base = self.origin[int(np.argmax(share))]
        apart = np.where(self.weight[:, None] > 0, (self.origin - base) + self.offset, 0.0)
        mean = share @ apart
        return np.ldexp(apart - mean, -self.exponent), base + mean

    def centre(self, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """m̄ = Σ share_k m_k as a row of the data and what is missing to it."""
        base = self.origin[int(np.argmax(share))]
        apart = np.where(self.weight[:, None] > 0, (self.origin - base) + self.offset, 0.0)
        return base, share @ apart

    def variances(self) -> np.ndarray:
        """The largest variance of each column in a class (pooled: in all), in units 2^exponent."""
        if self.kind == "pooled":
            return np.maximum(np.diag(self.scatter), 0.0) / self.total
        own = (
            self.scatter if self.kind == "squares" else np.diagonal(self.scatter, axis1=1, axis2=2)
        )
        seen = self.weight > 0
        return np.maximum(own[seen] / self.weight[seen, None], 0.0).max(axis=0)

    def pooled_scatter(self, factor: np.ndarray | None = None) -> np.ndarray:
        """Σ_k factor_k S_k in units 2^exponent; S_W (or its diagonal) without factors."""
        if self.kind == "pooled":
            if factor is not None:
                raise ValueError("factors need the scatter of each class: kind='separate'")
            return self.scatter
        if factor is None:
            return self.scatter.sum(axis=0)
        return np.tensordot(factor, self.scatter, axes=1)

    def within_scatter(self) -> np.ndarray:
        """S_W (d, d) in the units of the data."""
        return in_units(self.pooled_scatter(), self.exponent)

    def between_scatter(self) -> np.ndarray:
        """S_B = Σ W_k (m_k − m̄)(m_k − m̄)ᵀ (d, d) in the units of the data."""
        apart, _ = self.centred_means(self.shares)
        return in_units((apart.T * self.weight) @ apart, self.exponent)

    def merge(self, other: ClassMoments) -> ClassMoments:
        """The moments of both sets of rows: S = S_a + S_b + Σ_k (W_a W_b / W)_k δ_k δ_kᵀ."""
        if self.kind != other.kind or self.origin.shape != other.origin.shape:
            raise ValueError("moments of different kinds, classes or features cannot be merged")
        exponent = np.maximum(self.exponent, other.exponent)
        a, b = self.in_exponent(exponent), other.in_exponent(exponent)
        weight = a.weight + b.weight
        share = np.divide(b.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        seen = (a.weight > 0)[:, None]  # a class not seen before takes the other's origin
        delta = np.where(seen, (b.origin - a.origin) + (b.offset - a.offset), 0.0)
        step = np.ldexp(delta, -exponent)
        return replace(
            a,
            weight=weight,
            origin=np.where(seen, a.origin, b.origin),
            offset=np.where(seen, a.offset + share[:, None] * delta, b.offset),
            scatter=a.scatter + b.scatter + _outer(step, a.weight * share, a.kind),
            rows=a.rows + b.rows,
            additions=max(a.additions, b.additions) + 1,
            # S gains 2 (W_a W_b / W) |δ| times the error of δ, which the sum of all squares covers.
            rounding=max(a.rounding, b.rounding) + 2 * max(a.drift, b.drift) + 16 * UNIT,
            drift=max(a.drift, b.drift) + 8 * UNIT,
        )

    def in_exponent(self, exponent: np.ndarray) -> ClassMoments:
        """The same moments in other units."""
        if np.array_equal(exponent, self.exponent):
            return self
        move = self.exponent - exponent
        square = 2 * move if self.kind == "squares" else move[:, None] + move
        return replace(self, scatter=np.ldexp(self.scatter, square), exponent=exponent)


def class_moments(
    engine: Engine, n_classes: int, *, kind: Kind = "pooled", feature_names: Any = None
) -> ClassMoments:
    """The moments of each class.

    Parameters
    ----------
    engine : rows whose targets are class numbers, 0 … n_classes−1; all weights are positive
    kind : {"pooled", "separate", "squares"}
        One scatter matrix of all classes, one of each, or only the diagonals of each.
    feature_names : for the message about values that are not finite

    Raises
    ------
    ValueError
        NaN, infinities, and values beyond 1e150, whose squares leave the range of floats.

    Examples
    --------
    >>> from linscope.engines import choose
    >>> X = np.array([[1.0, 2.0], [3.0, 2.0], [5.0, 9.0]])
    >>> moments = class_moments(choose(X, np.array([0, 0, 1])), 2)
    >>> moments.means
    array([[2., 2.], [5., 9.]])
    >>> moments.within_scatter()
    array([[2., 0.], [0., 0.]])
    """
    engine = in_blocks(engine)
    origin, exponent = _first_origin(engine, n_classes), np.zeros(engine.n_features, np.int64)
    moments, raw = _one_pass(engine, kind, origin, exponent)
    if not np.isfinite(moments.total):
        raise ValueError("the sum of sample_weight leaves the range of floats: scale it down")
    if _out_of_range(moments, raw):
        check_rows(engine, feature_names)
        exponent = _exponents(engine)
        moments, raw = _one_pass(engine, kind, origin, exponent)
        if not (np.isfinite(moments.scatter).all() and np.isfinite(moments.means).all()):
            raise ValueError("sample_weight times squares of X leaves the range of floats: scale")
    doubt = UNIT * (moments.additions + 16)
    poor = np.any(_diagonal(moments) < max(CANCELLED, doubt / PRECISE) * raw, axis=0)
    if poor.any():
        better = np.where(poor, moments.means, origin)
        moments, raw = _one_pass(engine, kind, better, exponent)
    return fine_means(_settled(moments, raw, engine, doubt), engine)


def _first_origin(engine: Engine, n_classes: int) -> np.ndarray:
    """A typical row of each class, from some rows; zeros keep a sparse table sparse."""
    if engine.is_sparse:
        return np.zeros((n_classes, engine.n_features))
    rows = engine.some(PILOT_ROWS)
    X, codes = np.array(rows.X, dtype=np.float64), np.array(rows.y)
    missing = np.bincount(codes, minlength=n_classes) == 0
    if missing.any() and len(codes) < engine.n_rows:
        first, seen = engine.fold(_first_rows, n_classes)
        codes = np.r_[codes, np.flatnonzero(missing & seen)]
        X = np.vstack([X, first[missing & seen]])
    with np.errstate(over="ignore", invalid="ignore"):
        return loops.typical_values(X, codes, n_classes)


class _First(NamedTuple):
    """The first row of each class (K, d), and whether there is one."""

    rows: np.ndarray
    seen: np.ndarray

    def plus(self, other: _First) -> _First:
        mine = self.seen[:, None]
        return _First(np.where(mine, self.rows, other.rows), self.seen | other.seen)


def _first_rows(block: Block, n_classes: int) -> _First:
    first = loops.first_rows(block.y, n_classes)
    rows, seen = np.zeros((n_classes, block.X.shape[1])), first >= 0
    rows[seen] = block.X[first[seen]]
    return _First(rows, seen)


def _one_pass(engine: Engine, kind: Kind, origin, exponent) -> tuple[ClassMoments, np.ndarray]:
    """The moments, and the sums of squares (groups, d) before they were centred."""
    # Overflow shows in the sums and is dealt with by the caller.
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        scale = np.ldexp(1.0, -exponent)
        total, first, second = sums_of(engine, kind, origin, scale)
        share = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
        offset = first * share[:, None]
        raw = second.copy() if kind == "squares" else np.diagonal(second, axis1=1, axis2=2).copy()
        scatter = second[0] if kind == "pooled" else second
        scatter -= _outer(offset, total, kind)
        offset = np.ldexp(offset, exponent)
    counts = engine.n_rows, additions(engine, kind)
    return ClassMoments(total, origin, offset, scatter, exponent, *counts, kind), raw


def _outer(step: np.ndarray, factor: np.ndarray, kind: Kind) -> np.ndarray:
    """factor_k δ_k δ_kᵀ, summed over the classes for "pooled"; factor_k δ_k² for "squares"."""
    if kind == "pooled":
        return (step.T * factor) @ step
    if kind == "squares":
        return factor[:, None] * step * step
    return factor[:, None, None] * step[:, :, None] * step[:, None, :]


def _diagonal(moments: ClassMoments) -> np.ndarray:
    """The centred sums of squares, (groups, d)."""
    if moments.kind == "squares":
        return moments.scatter
    return np.atleast_2d(np.diagonal(moments.scatter, axis1=-2, axis2=-1))


def _out_of_range(moments: ClassMoments, raw: np.ndarray) -> bool:
    finite = np.isfinite(moments.scatter).all() and np.isfinite(moments.means).all()
    sizes = np.abs(moments.offset)
    sizes = sizes.max(axis=0) if moments.kind == "pooled" else sizes
    light = moments.weight[moments.weight > 0].min(initial=1.0) < LIGHT  # w x may underflow
    return bool(not finite or light or ((raw < TINY) & ((raw > 0) | (sizes > 0))).any())


def _exponents(engine: Engine) -> np.ndarray:
    """Units that bring every column near 1."""
    largest = engine.fold(_block_largest).value
    worst = int(np.argmax(largest))
    if largest[worst] > LARGEST:
        raise ValueError(
            f"X has values up to {largest[worst]:.3g} in column {worst}, beyond {LARGEST:g}: their "
            "squares leave the range of floating point. Scale the columns, e.g. with "
            "sklearn.preprocessing.StandardScaler"
        )
    return np.where(largest > 0, np.frexp(largest)[1], 0).astype(np.int64)


def _block_largest(block: Block) -> Largest:
    """The largest |x| of each column."""
    X = block.X
    if X.shape[0] == 0:
        return Largest(np.zeros(X.shape[1]))
    low, high = X.min(axis=0), X.max(axis=0)
    if sparse.issparse(X):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    return Largest(np.maximum(-low, high).astype(np.float64))


def _settled(moments: ClassMoments, raw, engine: Engine, doubt: float) -> ClassMoments:
    """Constants are exactly 0, and what cancelled is summed afresh; with a bound of the rounding.

    Rounding changes a sum of squares by ``doubt`` times the raw sum at most.
    """
    diagonal, lost = _diagonal(moments), doubt * raw
    if engine.is_sparse and engine.weighted:
        # The weight of rows that store nothing is a difference of two sums.
        zero = np.ldexp(moments.origin, -moments.exponent)
        lost = lost + 4 * doubt * _diagonal(_with_squares(moments, zero))
    need = (lost > 0) & ~(lost <= PRECISE * diagonal)
    if moments.kind == "squares":
        need |= (moments.exponent != 0) & (raw < TINY) & (moments.weight > 0)[:, None]
        if need.any():
            moments = settle(moments, engine, need)
            diagonal, lost = (
                _diagonal(moments),
                np.where(need, 64 * UNIT * _diagonal(moments), lost),
            )
    elif need.any():
        constant, moments = constants(moments, engine, need.any(axis=0))
        if moments.kind == "pooled":
            constant = np.logical_and.reduce(constant, axis=0, keepdims=True)
        moments = _zeroed(moments, constant)
        diagonal = _diagonal(moments)
    varies = diagonal > 0
    share = np.divide(lost, diagonal, out=np.zeros_like(diagonal), where=varies).max(initial=0.0)
    return replace(moments, rounding=float(share) + 16 * UNIT, drift=float(share) + 16 * UNIT)


def _with_squares(moments: ClassMoments, step: np.ndarray) -> ClassMoments:
    return replace(moments, scatter=_outer(step, moments.weight, moments.kind))


def _zeroed(moments: ClassMoments, constant: np.ndarray) -> ClassMoments:
    """Without the rows and columns of features that are constant, (groups, d)."""
    apart = constant[:, :, None] | constant[:, None, :]
    apart = apart[0] if moments.kind == "pooled" else apart
    return replace(moments, scatter=np.where(apart, 0.0, moments.scatter))


def in_units(matrix: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """A matrix (or its diagonal) in units 2^exponent, in the units of the data."""
    if not exponent.any():
        return matrix.copy()
    return np.ldexp(matrix, exponent[:, None] + exponent if matrix.ndim == 2 else 2 * exponent)
