"""How much to shrink the covariance of each class: the formula of Ledoit and Wolf (2004).

For the rows z_i (i = 1 … n, d features, standardised) of a class with covariance C = Σ z zᵀ / n:

    μ = tr C / d      δ² = ‖C − μ I‖² / d      β² = (Σ ‖z_i‖⁴ / n − ‖C‖²) / (n d)
    s = min(β², δ²) / δ²      C_s = (1 − s) C + s μ I

A row of weight w counts as w rows. Standardising first makes s independent of units.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from linscope.engines import Engine
from linscope.rows.blocks import Block

from .fisher import Pooling, to_units
from .moments import ClassMoments


def ledoit_wolf_pooling(engine: Engine, moments: ClassMoments, priors: np.ndarray) -> Pooling:
    """Σ = Σ_k π_k [(1 − s_k) C_k + s_k μ_k diag(C_k)], by a second pass over the rows.

    The moments must be of kind "separate".
    """
    variances = (
        np.diagonal(moments.scatter, axis1=1, axis2=2)
        / np.maximum(moments.weight, np.finfo(np.float64).tiny)[:, None]
    )
    spread = np.sqrt(np.maximum(variances, 0.0))
    inverse = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    scale = np.ldexp(1.0, -moments.exponent)
    with np.errstate(over="ignore"):
        scale = inverse * scale
    if not np.isfinite(scale).all():
        raise ValueError(
            "a column varies by less than floats can square: scale the columns, e.g. with "
            "sklearn.preprocessing.StandardScaler, or leave it out"
        )
    fourth = engine.fold(_fourth_moments, moments.origin, moments.offset, scale)
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


def _fourth_moments(block: Block, origin, offset, inverse: np.ndarray) -> np.ndarray:
    """Σ w ‖z‖⁴ of each class."""
    codes = block.y
    X = block.X.toarray() if sparse.issparse(block.X) else block.X
    z = ((X - origin[codes]) - offset[codes]) * inverse[codes]
    squares = np.einsum("ij,ij->i", z, z) ** 2
    squares = squares * block.weight if block.weighted else squares
    return np.bincount(codes, squares, len(inverse))
