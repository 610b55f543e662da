"""A matrix T with T Tᵀ = Σ⁺, from a covariance Σ and, where that is not enough, from the rows.

Columns are first divided by their standard deviations, so nothing here depends on units. A
Cholesky factor then gives T at once. When the columns are close to dependent, Σ has lost the digits
that matter (it squares the condition number). The rows are then measured again along the axes of
Σ: along these axes they are nearly uncorrelated, and what is small is measured by itself, so that
the answer is as good as that of a singular value decomposition of the rows.

A direction is *null* when the rows do not vary along it by more than the rounding of their values;
whether it is so without rounding is for the certificate to prove. A column that does not vary at
all has a variance of exactly 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

EPS = float(np.finfo(np.float64).eps)
# Reciprocal condition number of the correlations above which the Cholesky factor is good enough.
WELL_CONDITIONED = 1e-6
# Values are known to this many units in the last place.
ROUNDING = 8.0
MOST_PASSES = 3

Measure = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class Whitening:
    """T (d, r) with T Tᵀ = Σ⁺, and a basis (d, d − r) of the null directions.

    ``noise`` (d − r,) is how far rounding may move a value along each null direction; ``passes``
    is how often the rows were measured again; ``least`` is a bound from below of the least
    eigenvalue of the correlations that were factored, 0 if that is not known.
    """

    root: np.ndarray
    null: np.ndarray
    noise: np.ndarray
    condition: float
    passes: int = 0
    least: float = 0.0

    @property
    def rank(self) -> int:
        return self.root.shape[1]


def whiten(covariance: np.ndarray, size: np.ndarray, measure: Measure | None = None) -> Whitening:
    """Factor a covariance matrix.

    Parameters
    ----------
    covariance : (d, d)
    size : (d,) root mean square of the values themselves, offsets included
    measure : takes axes (d, p) and returns the covariance (p, p) of the rows along them

    Examples
    --------
    >>> found = whiten(np.array([[4.0, 0.0], [0.0, 0.0]]), np.ones(2))
    >>> found.root, found.null
    (array([[0.5], [0. ]]), array([[0.], [1.]]))
    """
    d = len(covariance)
    spread = spreads(covariance)
    varies = spread > 0
    used, unit = np.flatnonzero(varies), spread[varies]

    def embed(axes: np.ndarray) -> np.ndarray:
        """From the columns that vary, in units of their spread, to all columns."""
        out = np.zeros((d, axes.shape[1]))
        out[used] = axes / unit[:, None]
        return out

    correlation = covariance[np.ix_(used, used)] / np.outer(unit, unit)
    found = _by_cholesky(correlation)
    if found is None:
        again = None if measure is None else lambda axes: measure(embed(axes))
        found = _by_axes(correlation, size[used] / unit, again)
    constant = np.eye(d)[:, ~varies]
    return replace(
        found,
        root=embed(found.root),
        null=np.hstack([embed(found.null), constant]),
        noise=np.r_[found.noise, ROUNDING * EPS * size[~varies]],
    )


def spreads(covariance: np.ndarray) -> np.ndarray:
    """Standard deviations."""
    return np.sqrt(np.maximum(np.diag(covariance), 0.0))


def _by_cholesky(correlation: np.ndarray) -> Whitening | None:
    p = len(correlation)
    if p == 0:
        return Whitening(np.zeros((0, 0)), np.zeros((0, 0)), np.zeros(0), 1.0, 0, 1.0)
    lower, failed = linalg.lapack.dpotrf(correlation, lower=1)
    if failed:
        return None
    reciprocal, _ = linalg.lapack.dpocon(lower, np.abs(correlation).sum(axis=0).max(), uplo="L")
    if reciprocal < WELL_CONDITIONED:
        return None
    inverse, _ = linalg.lapack.dtrtri(lower, lower=1)
    inverse = np.tril(inverse)
    least = 0.9 / float((inverse * inverse).sum()) - 8 * p * p * EPS
    condition = float(reciprocal**-0.5)
    nothing = np.zeros((p, 0))
    return Whitening(inverse.T, nothing, np.zeros(0), condition, 0, max(least, 0.0))


def _by_axes(correlation: np.ndarray, size: np.ndarray, measure: Measure | None) -> Whitening:
    """Along principal axes, measured again until the small ones are known as well as the large."""
    p = len(correlation)
    floor = 16 * p * EPS
    variance, axes = linalg.eigh(correlation)
    if measure is None:
        noise = np.maximum(_noise(axes, size), np.sqrt(floor))
        return _split(axes, variance, noise, variance > floor)
    axes = axes / np.sqrt(np.maximum(variance, floor))
    null, noise = np.zeros((p, 0)), np.zeros(0)
    passes = 0
    while passes < MOST_PASSES:
        passes += 1
        variance, turn = linalg.eigh(measure(axes))
        axes = axes @ turn
        error = _noise(axes, size)
        found = _split(axes, variance, error, variance > np.maximum(error**2, floor * variance[-1]))
        null, noise = np.hstack([null, found.null]), np.r_[noise, found.noise]
        axes = _apart_from(null, found.root)
        if found.rank == 0 or found.condition**-2 > WELL_CONDITIONED:
            break
    lengths = np.linalg.norm(axes, axis=0)
    condition = float(lengths.max() / lengths.min()) if lengths.size else 1.0
    return Whitening(axes, null, noise, condition, passes)


def _split(axes, variance, noise, keep) -> Whitening:
    root, kept = axes[:, keep] / np.sqrt(variance[keep]), variance[keep]
    condition = float(np.sqrt(kept.max() / kept.min())) if kept.size else 1.0
    return Whitening(root, axes[:, ~keep], noise[~keep], condition)


def _apart_from(null: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """The axes without their part along null directions, where the rows do not vary anyway."""
    if null.shape[1] == 0:
        return axes
    basis, _ = np.linalg.qr(null)
    return axes - basis @ (basis.T @ axes)


def _noise(axes: np.ndarray, size: np.ndarray) -> np.ndarray:
    """How far the rounding of values of this size may move a row along each axis."""
    return ROUNDING * EPS * (np.abs(axes).T @ size)


def dependent_columns(null: np.ndarray, most: int = 500) -> list[int]:
    """Columns that are combinations of columns before them, as the null directions say.

    A combination Σ n_j x_j = 0 makes the last column in it dependent. [] for very wide tables.

    >>> dependent_columns(np.array([[1.0], [-1.0], [0.0]]))
    [1]
    """
    d = len(null)
    sizes = np.abs(null).max(axis=0, initial=0.0)
    rest = null[:, sizes > 0] / sizes[sizes > 0]
    if rest.shape[1] == 0 or d > most:
        return []
    found: list[int] = []
    for j in range(d - 1, -1, -1):
        if rest.shape[1] == 0:
            break
        best = int(np.argmax(np.abs(rest[j])))
        if abs(rest[j, best]) < 1e-6:
            continue
        found.append(j)
        chosen = rest[:, best] / rest[j, best]
        rest = np.delete(rest, best, axis=1)
        rest = rest - np.outer(chosen, rest[j])
        sizes = np.abs(rest).max(axis=0)
        rest = rest / np.where(sizes > 0, sizes, 1.0)
    return found[::-1]
