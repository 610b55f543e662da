"""Fisher's discriminant from class moments.

    J(w) = wᵀ S_B w / wᵀ S_W w        largest for w ∝ S_W⁻¹ (m_2 − m_1)

For K classes S_B = Σ π_k (m_k − m̄)(m_k − m̄)ᵀ has rank K − 1, and the directions are the
generalised eigenvectors S_B v = λ Σ v. With T Tᵀ = Σ⁻¹ (``whitening.py``) they are T times the
right singular vectors of the whitened means, √π_k (m_k − m̄)ᵀ T.

As a classifier: Gaussian classes with the common covariance Σ have the linear scores
(m_k − m̄)ᵀ Σ⁻¹ (x − m̄) − ½ (m_k − m̄)ᵀ Σ⁻¹ (m_k − m̄) + ln π_k, up to a term that all share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from linscope.engines import Engine
from linscope.rows.blocks import Block

from .fisher_errors import error_of_means, errors_of_scores
from .moments import ClassMoments, in_units
from .whitening import Measure, Whitening, dependent_columns, spreads, whiten

# Variances along directions of the means, relative to the largest, that count as rounding.
NOTHING = 1e-12
# Below this share of its terms a sum has lost digits.
CANCELLED = 1e-6
# And below this share the rows themselves do not tell it: what is left is rounding.
BLURRED = 1e-16
# A variance that is added to a column is endless if it is so many times its mean square.
ENDLESS = 1e200


@dataclass(frozen=True, eq=False)
class Pooling:
    """Σ = Σ_k factor_k S_k + diag(ridge): how the class scatters make one covariance.

    Both in units 2^exponent of the moments. ``shrinkage`` (K,) is the share of the ridge in the
    covariance of each class. ``endless``: the ridge of some column is larger than it says.
    """

    factor: np.ndarray
    ridge: np.ndarray
    shrinkage: np.ndarray
    endless: bool = False

    @property
    def plain(self) -> bool:
        """Whether Σ is a multiple of S_W, so that its best direction has the largest J."""
        return not self.ridge.any() and bool((self.factor == self.factor[0]).all())

    def covariance(self, moments: ClassMoments) -> np.ndarray:
        same = moments.kind == "pooled"
        scatter = moments.pooled_scatter(None if same else self.factor)
        return (self.factor[0] * scatter if same else scatter) + np.diag(self.ridge)


@dataclass(frozen=True, eq=False)
class Discriminants:
    """The answer, in the units of the data.

    Attributes
    ----------
    coef, levels : (K, d) weights of the classes, and ln π_k − ½ ‖coef_k‖²_Σ, the score at the mean
        m̄; −inf for classes without samples
    scalings : (d, m) directions with scalingsᵀ Σ scalings = 1, the best first
    eigenvalues : (K − 1 or fewer,) their ratios of between to within variance
    base, shift : (d,) each; the mean m̄ = Σ π_k m_k is their sum
    covariance : (d, d)
    rank : of Σ
    constant, dependent : columns that do not vary within classes, and columns that are
        combinations of columns before them
    unbounded : whether the class means differ where Σ vanishes, so that J has no maximum
    criterion : J of the best direction, see ``criterion``
    error : a bound of the error of the scores of each class (for two classes, of their difference
        in the last place) in the norm of Σ, ∞ if none is known; ``turn`` of that of directions
    lengths : ‖coef_k‖_Σ, likewise
    least : a bound from below of the least eigenvalue of the correlations, 0 if not known
    """

    coef: np.ndarray
    levels: np.ndarray
    scalings: np.ndarray
    eigenvalues: np.ndarray
    base: np.ndarray
    shift: np.ndarray
    covariance: np.ndarray
    rank: int
    constant: list[int]
    dependent: list[int]
    unbounded: bool
    criterion: float
    error: np.ndarray
    lengths: np.ndarray
    least: float
    turn: float

    @property
    def centre(self) -> np.ndarray:
        return self.base + self.shift


def plain_pooling(moments: ClassMoments, priors: np.ndarray | None, shrinkage: float) -> Pooling:
    """Σ = (1 − s) C + s (tr C / d) I with C = S_W / W, or Σ π_k S_k / W_k for given priors."""
    if priors is None:
        factor = np.full(len(moments.weight), 1.0 / moments.total)
    else:
        factor = np.divide(priors, moments.weight, out=np.zeros_like(priors), where=priors > 0)
    bare = Pooling(factor, np.zeros(len(moments.exponent)), np.full(len(factor), shrinkage))
    if shrinkage == 0.0:
        return bare
    variances = in_units(np.diag(bare.covariance(moments)).copy(), moments.exponent)
    ridge = np.full(len(variances), shrinkage * variances.mean())
    units, own = to_units(ridge, moments), mean_squares(moments)
    endless = bool(((own > 0.0) & (units / (0.5 * ENDLESS) > own)).any())
    return Pooling((1.0 - shrinkage) * factor, units, bare.shrinkage, endless)


def to_units(variances: np.ndarray, moments: ClassMoments) -> np.ndarray:
    """Variances in the units of the data in the units 2^exponent of the moments.

    No more than 1e200 times the mean square of the column: that is endless already.
    """
    own = mean_squares(moments)
    with np.errstate(over="ignore"):
        most = np.where(own > 0, ENDLESS * own, 1.0)  # a column of zeros has any unit
        return np.minimum(np.ldexp(variances, -2 * moments.exponent), most)


def mean_squares(moments: ClassMoments) -> np.ndarray:
    """Of the columns, in units 2^exponent."""
    means = np.ldexp(moments.means, -moments.exponent)
    scatter = np.maximum(np.diag(moments.pooled_scatter()), 0.0)
    with np.errstate(over="ignore"):
        return scatter / moments.total + moments.shares @ means**2


def discriminants(
    moments: ClassMoments,
    pooling: Pooling,
    priors: np.ndarray,
    *,
    mean_difference: bool = False,
    measure: Measure | None = None,
    along: Measure | None = None,
) -> Discriminants:
    """Solve for the directions and the scores of the classes.

    Parameters
    ----------
    moments : of kind "pooled", or "separate" if the factors of the pooling differ
    priors : (K,) class probabilities; 0 for classes without samples
    mean_difference : directions along the differences of the means, as if Σ were a multiple of 1
    measure : measures Σ along axes by a pass over the rows, see ``whitening.whiten``
    along : the same for S_W, see ``criterion``
    """
    covariance = pooling.covariance(moments)
    apart, _ = moments.centred_means(priors)
    base, shift = moments.centre(priors)
    size = _sizes(moments, covariance)
    white = whiten(covariance, size, measure)
    flatness = 1.0
    if mean_difference:
        root, scalings, eigenvalues, flatness = _naive(apart, covariance, priors, moments.exponent)
    else:
        root = white.root
        scalings, eigenvalues = _directions(apart @ root, priors)
        scalings = root @ scalings
    heights = apart @ root
    heights[priors == 0] = 0.0  # a class without samples is ruled out by its level
    with np.errstate(divide="ignore", over="ignore"):  # weights out of range are refused
        coef = np.ldexp(heights @ root.T, -moments.exponent)
        own_scalings = np.ldexp(scalings, -moments.exponent[:, None])
        levels = np.log(priors) - 0.5 * (heights**2).sum(axis=1)
    plain = pooling.plain and not mean_difference
    w = heights[-1] @ root.T - heights[0] @ root.T if len(priors) == 2 else scalings[:, :1].sum(1)
    J = _best_criterion(heights, priors, moments) if plain else criterion(moments, w, True, along)
    spread = spreads(covariance)
    error, lengths, turn = errors_of_scores(moments, priors, covariance, white, apart)
    if pooling.endless:
        error = np.full_like(error, np.inf)
    if mean_difference:
        known = np.isfinite(error)  # and so is the rank
        lengths = np.linalg.norm(np.vstack([heights, heights[-1] - heights[0]]), axis=1)
        error = np.where(
            known, error_of_means(moments, covariance, root, flatness) * lengths, np.inf
        )
    return Discriminants(
        coef=coef,
        levels=levels,
        scalings=own_scalings,
        eigenvalues=eigenvalues,
        base=base,
        shift=shift,
        covariance=in_units(covariance, moments.exponent),
        rank=white.rank,
        constant=np.flatnonzero(spread == 0).tolist(),
        dependent=dependent_columns(white.null * spread[:, None]),
        unbounded=_separated(apart, white),
        criterion=J,
        error=error,
        lengths=lengths,
        least=white.least,
        turn=turn,
    )


def criterion(
    moments: ClassMoments, w: np.ndarray, scaled: bool = False, along: Measure | None = None
) -> float:
    """J(w) = wᵀ S_B w / wᵀ S_W w; w in the units of the data, or ``scaled`` to the moments'.

    Two classes: S_B = (m_2 − m_1)(m_2 − m_1)ᵀ, as in the notes; K classes: S_B = Σ W_k (m_k − m̄)
    (m_k − m̄)ᵀ. Infinite where the means differ but no class varies along w, and 0 for w = 0.
    ``along`` measures S_W again along w, for directions in which the sums cancel.
    """
    apart, _ = moments.centred_means(moments.shares)
    w = w if scaled else np.ldexp(w, moments.exponent)
    largest = np.abs(w).max(initial=0.0)
    if largest == 0.0 or (moments.weight > 0).sum() < 2:
        return 0.0
    w = w / largest
    means = apart @ w
    between = (means[1] - means[0]) ** 2 if len(means) == 2 else moments.weight @ means**2
    scatter = moments.pooled_scatter()
    size = float(np.abs(w) @ np.sqrt(np.maximum(np.diag(scatter), 0.0))) ** 2
    within = float(w @ scatter @ w)
    if along is not None and within < CANCELLED * size:
        within = float(along(w[:, None])[0, 0])
        within = within if within > BLURRED * size else 0.0
    else:  # no less than what rounding leaves
        within = max(within, len(w) * np.finfo(np.float64).eps * size)
    if within > 0.0:
        return float(between / within)
    return np.inf if between > 0.0 else 0.0


def _best_criterion(heights: np.ndarray, priors: np.ndarray, moments: ClassMoments) -> float:
    """J* = (m_2 − m_1)ᵀ S_W⁻¹ (m_2 − m_1), or the largest eigenvalue, without cancellation."""
    if (moments.weight > 0).sum() < 2:
        return 0.0
    if len(priors) == 2:
        return float(((heights[1] - heights[0]) ** 2).sum() / moments.total)
    return float(_directions(heights, priors)[1].max(initial=0.0))


def unit_vector(w: np.ndarray) -> np.ndarray:
    """w / ‖w‖, also where squares leave the range of floats; 0 stays 0."""
    size = np.abs(w).max(initial=0.0)
    if size == 0.0:
        return np.zeros_like(w)
    return w / size / np.linalg.norm(w / size)


def _directions(heights: np.ndarray, priors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Axes of the whitened class means (r, m), and the variance of the means along each."""
    rows = np.sqrt(priors)[:, None] * heights
    _, values, axes = np.linalg.svd(rows, full_matrices=False)
    m = min(len(priors) - 1, heights.shape[1])
    return _signed(axes[:m].T, heights), values[:m] ** 2


def _signed(axes: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Each axis turned so that the last class lies on its positive side."""
    side = heights[-1] @ axes
    return axes * np.where(side < 0, -1.0, 1.0)


def _naive(apart, covariance, priors, exponent):
    """Directions along which the means lie apart in the units of the data, whatever Σ is.

    Returns T with T Tᵀ = the inverse of Σ in the plane of these directions, the directions scaled
    to within-class variance 1, the variance of the means along them, and by what factor rounding
    grows in this plane. Directions that are only rounding beside the largest are left out.
    """
    unit = int((np.frexp(np.abs(apart).max(axis=0))[1] + exponent).max(initial=0))
    axes, values = _directions(np.ldexp(apart, exponent - unit), priors)
    apart_by = values > NOTHING * values.max(initial=0.0)
    axes = np.ldexp(axes[:, apart_by], exponent[:, None] - unit)
    spread = np.sqrt(np.maximum(np.einsum("ji,jk,ki->i", axes, covariance, axes), 0.0))
    seen = spread**2 > NOTHING * spread.max(initial=0.0) ** 2
    axes = axes[:, seen] / spread[seen]
    variance, turn = np.linalg.eigh(axes.T @ covariance @ axes)
    keep = variance > NOTHING
    root = axes @ (turn[:, keep] / np.sqrt(variance[keep]))
    flatness = (
        _ratio(values[apart_by]) * _ratio(spread[seen] ** 2) / variance[keep].min(initial=1.0)
    )
    return root, axes, priors @ (apart @ axes) ** 2, flatness


def _ratio(values: np.ndarray) -> float:
    """The largest over the smallest."""
    return float(values.max() / values.min()) if values.size else 1.0


def _separated(apart: np.ndarray, white: Whitening) -> bool:
    """Do the class means differ along a direction in which no class has any spread?"""
    return bool((np.abs(apart @ white.null) > 100.0 * white.noise).any())


def _sizes(moments: ClassMoments, covariance: np.ndarray) -> np.ndarray:
    means = np.ldexp(moments.means, -moments.exponent)
    with np.errstate(over="ignore"):  # of no size that floats have
        squares = (moments.shares[:, None] * means**2).sum(0)
    return np.sqrt(np.maximum(np.diag(covariance), 0.0) + squares)


def measurement(engine: Engine, moments: ClassMoments, pooling: Pooling | None = None) -> Measure:
    """A function that measures Σ (S_W without pooling) along axes by a pass over the rows."""
    if pooling is None:
        one = np.ones(len(moments.weight))
        pooling = Pooling(one, np.zeros(len(moments.exponent)), 0.0 * one)
    factor, scale, ridge = pooling.factor, np.ldexp(1.0, -moments.exponent), pooling.ridge

    def measure(axes: np.ndarray) -> np.ndarray:
        given = axes, moments.origin, moments.offset, factor, scale
        return engine.fold(_block_covariance, *given) + (axes.T * ridge) @ axes

    return measure


def _block_covariance(block: Block, axes, origin, offset, factor, scale) -> np.ndarray:
    X = block.X.toarray() if sparse.issparse(block.X) else block.X
    rows = (((X - origin[block.y]) - offset[block.y]) * scale) @ axes
    share = factor[block.y] if not block.weighted else factor[block.y] * block.weight
    rows *= np.sqrt(share)[:, None]
    return rows.T @ rows
