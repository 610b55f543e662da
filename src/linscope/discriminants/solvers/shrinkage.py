"""How much to shrink the covariance of each class: the formula of Ledoit and Wolf (2004).

For the rows z_i (i = 1 … n, d features, standardised) of a class with covariance C = Σ z zᵀ / n:

    μ = tr C / d      δ² = ‖C − μ I‖² / d      β² = (Σ ‖z_i‖⁴ / n − ‖C‖²) / (n d)
    s = min(β², δ²) / δ²      C_s = (1 − s) C + s μ I

A row of weight w counts as w rows. Standardising first makes s independent of units.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from linscope.engines import MemoryEngine
from linscope.rows.blocks import Block

from .fisher import Pooling, to_units
from .moments import ClassMoments


def ledoit_wolf_pooling(
    X: Any, codes: np.ndarray, weight: np.ndarray, moments: ClassMoments, priors: np.ndarray
) -> Pooling:
    """Σ = Σ_k π_k [(1 − s_k) C_k + s_k μ_k diag(C_k)], by a second pass over the rows.

    The moments must be of kind "separate".
    """
    variances = (
        np.diagonal(moments.scatter, axis1=1, axis2=2)
        / np.maximum(moments.weight, np.finfo(np.float64).tiny)[:, None]
    )
    spread = np.sqrt(np.maximum(variances, 0.0))
    inverse = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    fourth = _fourth_moments(X, codes, weight, moments, inverse)
    shrinkage = np.zeros(len(priors))
    for k in np.flatnonzero(moments.weight > 0):
        unit = moments.scatter[k] / moments.weight[k] * np.outer(inverse[k], inverse[k])
        shrinkage[k] = _share(unit, fourth[k], moments.weight[k])
    average = (spread > 0).mean(axis=1)
    # A column that is constant in a class counts with spread 1, in the units of the data.
    own = np.where(spread > 0, variances, to_units(np.ones_like(variances), moments))
    ridge = (priors * shrinkage * average) @ own
    factor = np.divide(priors, moments.weight, out=np.zeros_like(priors), where=priors > 0)
    return Pooling((1.0 - shrinkage) * factor, ridge, shrinkage)


def _share(covariance: np.ndarray, fourth: float, n: float) -> float:
    d = len(covariance)
    if d == 1:
        return 0.0
    mu, square = np.trace(covariance) / d, (covariance**2).sum()
    delta = (square - d * mu * mu) / d
    beta = min((fourth / n - square) / (n * d), delta)
    return float(max(beta / delta, 0.0)) if beta > 0 else 0.0


def _fourth_moments(X, codes, weight, moments: ClassMoments, inverse: np.ndarray) -> np.ndarray:
    """Σ w ‖z‖⁴ of each class."""
    scale = np.ldexp(1.0, -moments.exponent)
    function = partial(
        _block_fourth, means=(moments.origin, moments.offset), inverse=inverse * scale
    )
    engine = MemoryEngine(X, codes, weight if len(weight) else None)
    return engine.map_reduce(function, np.add)


def _block_fourth(block: Block, *, means, inverse) -> np.ndarray:
    codes = np.asarray(block.y)
    X = block.X.toarray() if sparse.issparse(block.X) else block.X
    z = ((X - means[0][codes]) - means[1][codes]) * inverse[codes]
    squares = np.einsum("ij,ij->i", z, z) ** 2
    squares = squares if not block.weighted else squares * block.weight
    return np.bincount(codes, squares, len(inverse))
