"""Gaussian naive Bayes from class moments, and its discriminant functions.

    g_k(x) = ln P(x | C_k) + ln P(C_k)
           = ln π_k − Σ_j [ ln(σ_kj √(2π)) + ½ ((x_j − μ_kj) / σ_kj)² ]

The features are independent given the class. If the classes share their variances, σ_kj = σ_j, the
squares of x cancel in differences, and with any centre c the posterior is a softmax of

    w_k·[1, x]      w_kj = (μ_kj − c_j) / σ_j²      w_k0 = ln π_k − ½ Σ_j (μ_kj² − c_j²) / σ_j²
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import fsum
from typing import Any

import numpy as np
from scipy import sparse

from linscope._compiling import kernel
from linscope.engines import choose
from linscope.rows.blocks import Block
from linscope.rows.operations import REORDER, as_rows

from .moments import ClassMoments

# Stored entries correct the sum of an empty row, if that cancels no more digits than this.
MOST_CANCELLED = 1e6
NORMAL, UNIT = float(np.finfo(np.float64).tiny), 2.0**-53
HALF_LOG_TWO_PI = 0.9189385332046727


@dataclass(frozen=True, eq=False)
class Gaussians:
    """Means and variances (K, d) of the classes in the units of the data.

    ``floored`` (K, d) says which variances were 0 and have been replaced, ``accuracy`` how far
    means (in deviations) and variances (relatively) may be off.
    """

    priors: np.ndarray
    means: np.ndarray
    variances: np.ndarray
    floored: np.ndarray = field(default_factory=lambda: np.zeros(0, bool), repr=False)
    accuracy: float = np.nan

    @property
    def spreads(self) -> np.ndarray:
        return np.sqrt(self.variances)

    @property
    def alike(self) -> bool:
        """Whether the classes with samples share their variances."""
        own = self.variances[self.priors > 0]
        return bool((own == own[0]).all())

    @property
    def level(self) -> np.ndarray:
        """ln π_k − Σ_j ln(σ_kj √(2π)), what g_k is at the mean of the class."""
        with np.errstate(divide="ignore"):
            return np.log(self.priors) - (0.5 * np.log(self.variances) + HALF_LOG_TWO_PI).sum(
                axis=1
            )


def gaussians(moments: ClassMoments, priors: np.ndarray, shared: bool) -> Gaussians:
    """Maximum likelihood: the moments of the samples, of all classes together if ``shared``.

    n samples that are all equal (or differ by less than squares of floats can say) tell only that
    the variance is small. It becomes V/(n + 1), as if one more sample had come, as far away as
    samples of the column (of variance V) usually are.
    """
    count = np.full_like(moments.weight, moments.total) if shared else moments.weight
    scatter = np.maximum(moments.pooled_scatter() if shared else moments.scatter, 0.0)
    variances = scatter / np.maximum(count, NORMAL)[:, None]
    apart, _ = moments.centred_means(moments.shares)
    with np.errstate(over="ignore"):  # variances out of range are refused
        total = (moments.pooled_scatter() + moments.weight @ apart**2) / moments.total
    own = _in_range(variances, moments.exponent)
    least = total / (count + 1.0)[:, None]
    with np.errstate(over="ignore", under="ignore"):
        variances = np.ldexp(np.where(own, variances, least), 2 * moments.exponent)
    # a total that underflows leaves variances of 0, which are refused
    variances = np.where(own | (total > 0) | (apart != 0).any(axis=0), variances, 1.0)
    floored = ~own & (moments.weight > 0)[:, None]
    return Gaussians(priors, moments.means, variances, floored, _accuracy(moments, variances))


def _in_range(variances: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Whether a variance is a normal float in the units of the data, too."""
    with np.errstate(over="ignore", under="ignore"):
        return (variances >= NORMAL) & (np.ldexp(variances, 2 * exponent) >= NORMAL)


def _accuracy(moments: ClassMoments, variances: np.ndarray) -> float:
    """How far means (in deviations) and variances (relatively) may be off, by rounding."""
    seen = moments.weight > 0
    with np.errstate(all="ignore"):  # variances out of range are refused
        steps = np.abs(moments.offset[seen]) / np.sqrt(variances[seen])
    far = float(steps.max(initial=0.0))
    return 1e-11 + 2 * (moments.rounding + moments.drift) + 8 * UNIT * far


def discriminants(X, model: Gaussians) -> np.ndarray:
    """g_k(x) for every row and class, (n, K); −inf for classes without samples."""
    inverse = 1.0 / model.spreads
    level = np.where(model.priors > 0, model.level, 0.0)
    engine, task = choose(X), _block
    if sparse.issparse(X):
        size = float(((model.means * inverse) ** 2).sum(axis=1).max())
        if size > MOST_CANCELLED:
            engine, task = engine.cut(max(1, (1 << 20) // X.shape[1])), _opened
    out = engine.gather(task, model.means, inverse, level)
    out[:, model.priors == 0] = -np.inf
    return out


# A square ((x − μ)/σ)² is off by 10 u of itself, a logarithm by 16 u, a sum by u for each term.
# Of sparse rows the terms x (x − 2μ)/σ² are at most 3 ((x − μ)/σ)² + 5 (μ/σ)².
def rounding_errors(scores: np.ndarray, model: Gaussians, is_sparse: bool) -> np.ndarray:
    """How far ``discriminants`` may be from the g_k of these floats, at most."""
    d, level = model.means.shape[1], np.where(model.priors > 0, model.level, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(model.priors > 0, np.abs(np.log(model.priors)), 0.0)
    logs = logs + (0.5 * np.abs(np.log(model.variances)) + HALF_LOG_TWO_PI).sum(axis=1)
    half = np.where(np.isfinite(scores), np.abs(scores), 0.0) + np.abs(level)
    if is_sparse:
        half = 3.0 * half + 3.0 * ((model.means / model.spreads) ** 2).sum(axis=1)
    return 1.01 * UNIT * ((2 * d + 30) * half + (d + 20) * logs)


def _opened(block: Block, means, inverse, level) -> np.ndarray:
    """A sparse block as a dense one, where means are large against the spread."""
    return _block(Block(block.start, block.X.toarray()), means, inverse, level)


def _block(block: Block, means, inverse, level) -> np.ndarray:
    out = np.empty((block.X.shape[0], len(level)))
    with np.errstate(over="ignore", invalid="ignore"):
        if sparse.issparse(block.X):
            rows: Any = as_rows(block.X)
            empty = level - 0.5 * ((means * inverse) ** 2).sum(axis=1)
            _sparse_scores(rows.data, rows.indices, rows.indptr, means, inverse, empty, out)
        else:
            dense: Any = as_rows(block.X)
            _dense_scores(dense.values, means, inverse, level, out)
    return out


@kernel(fastmath=REORDER)
def _dense_scores(X, means, inverse, level, out):
    for i in range(X.shape[0]):
        for k in range(len(level)):
            total = 0.0
            for j in range(X.shape[1]):
                z = (X[i, j] - means[k, j]) * inverse[k, j]
                total += z * z
            out[i, k] = level[k] - 0.5 * total


@kernel
def _sparse_scores(data, indices, indptr, means, inverse, empty, out):
    for i in range(len(indptr) - 1):
        for k in range(len(empty)):
            total = 0.0
            for p in range(indptr[i], indptr[i + 1]):
                j = indices[p]
                # (x − μ)² − μ² = x (x − 2μ)
                x = data[p] * inverse[k, j]
                total += x * (x - 2.0 * means[k, j] * inverse[k, j])
            out[i, k] = empty[k] - 0.5 * total


def logistic_weights(model: Gaussians) -> np.ndarray:
    """Softmax weights (K, d + 1) of the posterior, bias first, for classes of equal variances.

    The centre is the mean of the means, so that offsets of the data cancel before they round.
    """
    seen = model.priors > 0
    base = model.means[int(np.argmax(seen))]
    apart = np.where(seen[:, None], model.means - base, 0.0)
    apart = apart - model.priors @ apart
    z = apart / model.spreads
    weights = z / model.spreads
    centre = base + model.priors @ (model.means - base)
    out = np.empty((len(seen), 1 + len(base)))
    out[:, 1:] = weights
    with np.errstate(divide="ignore"):
        prior = np.log(model.priors)
    for k in range(len(seen)):
        terms = [*(-0.5 * z[k] * z[k]), *(-weights[k] * centre)]
        out[k, 0] = prior[k] + fsum(terms) if seen[k] else -np.inf
    return out
