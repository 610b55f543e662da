"""How uncertain are the coefficients together?

Classic, if all errors have variance σ²/cᵢ:

    Cov(w) = σ² (AᵀCA)⁻¹,     σ² = rss/(n − p)

Robust (White's sandwich), if they do not; with uᵢ = √cᵢ eᵢ and the coordinates of ``basis.py``

    Cov(w) = P (Σ sᵢ qᵢqᵢᵀ) Pᵀ,   HC0: sᵢ = uᵢ²              HC1: sᵢ = uᵢ² n/(n − p)
                                   HC2: sᵢ = uᵢ²/(1 − hᵢ)     HC3: sᵢ = uᵢ²/(1 − hᵢ)²

HC3 is the careful choice for a few hundred rows; with many rows all four agree.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from linscope.rows.blocks import Block

from .basis import Basis, basis_of
from .fit import LinearFit
from .rows import scores

ROBUST = ("HC0", "HC1", "HC2", "HC3")
# Below this, 1 − h is rounding: the row alone decides a coefficient and its residual is 0.
NO_SLACK = 1e-10


def covariance(fit: LinearFit, robust: str | None = None) -> np.ndarray:
    """The covariance matrix of the coefficients.

    Parameters
    ----------
    fit : LinearFit
    robust : None for the classic one, or one of "HC0", "HC1", "HC2", "HC3"

    Returns
    -------
    (p, p) array
    """
    check_robust(robust)
    assert fit.n is not None
    df = fit.n - fit.p
    if robust is None and fit.inverse_root is not None:
        # The root of the exact solver is right to the last digits, however bad the condition.
        return fit.rss / df * (fit.inverse_root @ fit.inverse_root.T)
    basis = basis_of(fit)
    P = basis.matrix
    if robust is None:
        return fit.rss / df * (P @ P.T)
    middle = fit.engine().fold(partial(_middle, fit, basis, robust))
    if robust == "HC1":
        middle *= fit.n / df
    C = P @ middle @ P.T
    return (C + C.T) / 2  # symmetric to the last bit


def check_robust(robust: str | None) -> None:
    """Refuse an unknown kind of standard errors."""
    if robust is not None and robust not in ROBUST:
        raise ValueError(f"robust must be None or one of {', '.join(ROBUST)}, got {robust!r}")


def _middle(fit: LinearFit, basis: Basis, robust: str, block: Block) -> np.ndarray:
    """Σ sᵢ qᵢqᵢᵀ over a block."""
    assert block.y is not None
    Q = basis.rows(block)
    u = block.y - scores(block.X, fit.weights, fit.fit_intercept)
    if block.weighted:
        u *= np.sqrt(block.weight)
    if robust in ("HC2", "HC3"):
        slack = 1 - np.einsum("ij,ij->i", Q, Q)
        if slack.min(initial=1.0) < NO_SLACK:
            row = fit.row_number(block.start + int(slack.argmin()))
            raise ValueError(
                f"robust={robust!r} is not defined: row {row} has leverage 1, it alone decides a "
                "coefficient; use 'HC1', or drop the row or the feature"
            )
        u /= np.sqrt(slack) if robust == "HC2" else slack
    Q *= u[:, None]
    return Q.T @ Q
