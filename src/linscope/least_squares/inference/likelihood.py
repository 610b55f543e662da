"""The probabilistic view: least squares is maximum likelihood with normal errors.

With εᵢ ~ N(0, σ²/cᵢ) (precisions cᵢ; all 1 without sample weights)

    ℓ(w, σ²) = Σᵢ log[ √(cᵢ/(2πσ²)) exp(−cᵢ (yᵢ − w·xᵢ)²/(2σ²)) ]
             = −(n/2) log(2πσ²) + ½ Σ log cᵢ − rss(w)/(2σ²)

Frequencies cᵢ repeat the term of row i: −(n/2) log(2πσ²) − rss(w)/(2σ²) with n = Σ cᵢ.

For every σ² the w that maximises ℓ minimises rss, and then σ² = rss/n maximises it. That σ² is
smaller than the unbiased rss/(n − p).
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from linscope.engines import choose
from linscope.rows.blocks import Block
from linscope.rows.far import FarRows

from .rows import scores


def log_likelihood(
    weights: Any,
    sigma2: float | None,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    frequency: bool = False,
    fit_intercept: bool = True,
) -> float:
    """ℓ(w, σ²) of the data.

    Parameters
    ----------
    weights : the coefficients, intercept first when there is one
    sigma2 : variance of the errors; None for the most likely one, rss/n
    X, y : features and targets
    sample_weight : positive weights cᵢ, optional
    frequency : whether they are frequencies; by default they are precisions
    fit_intercept : whether ``weights`` begins with an intercept

    Examples
    --------
    The weights of the least squares line make five points most likely:

    >>> X, y = [[1], [2], [-1], [3], [4]], [2, 4, 0, 4, 6]
    >>> round(log_likelihood([41 / 37, 43 / 37], None, X, y), 3)
    -2.547
    >>> round(log_likelihood([1, 1], None, X, y), 3)
    -4.804
    """
    if sigma2 is not None and not sigma2 > 0:
        raise ValueError(f"sigma2 must be above 0, got {sigma2!r}: a density needs some variance")
    c = None if sample_weight is None else _positive(sample_weight)
    w = np.asarray(weights, dtype=np.float64)
    if isinstance(X, FarRows):
        engine = choose(X, y, sample_weight)
    else:
        engine = choose(X, np.asarray(y, dtype=np.float64), c)
    need = engine.n_features + int(fit_intercept)
    if w.shape != (need,):
        raise ValueError(
            f"weights has shape {w.shape}, but {need} numbers are needed for {engine.n_features} "
            f"features{' and an intercept' if fit_intercept else ''}"
        )
    rss = engine.fold(partial(_rss, w, fit_intercept))
    n, logs = float(engine.n_rows), 0.0
    if c is not None:
        n, logs = (float(c.sum()), 0.0) if frequency else (n, float(np.log(c).sum()))
    if sigma2 is None:
        return maximum(rss, n, logs)
    return _value(rss, n, sigma2, logs)


def sigma2_ml(rss: float, n: float) -> float:
    """The σ² that maximises ℓ: rss/n.

    >>> sigma2_ml(0.8, 5)
    0.16
    """
    return rss / n


def maximum(rss: float, n: float, logs: float = 0.0) -> float:
    """ℓ at σ² = rss/n, with Σ log cᵢ; inf if the fit is exact."""
    return math.inf if rss == 0 else _value(rss, n, sigma2_ml(rss, n), logs)


def _value(rss: float, n: float, sigma2: float, logs: float) -> float:
    return -n / 2 * math.log(2 * math.pi * sigma2) + logs / 2 - rss / (2 * sigma2)


def _rss(w: np.ndarray, fit_intercept: bool, block: Block) -> float:
    assert block.y is not None
    e = block.y - scores(block.X, w, fit_intercept)
    return float(e @ e if not block.weighted else e @ (block.weight * e))


def _positive(sample_weight: Any) -> np.ndarray:
    c = np.asarray(sample_weight, dtype=np.float64)
    bad = np.flatnonzero(~(c > 0))
    if len(bad):
        raise ValueError(
            f"sample_weight of row {bad[0]} is {c[bad[0]]}: a likelihood needs positive weights, "
            "drop rows of weight 0"
        )
    return c
