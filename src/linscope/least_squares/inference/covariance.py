"""How uncertain are the coefficients together?

Classic, if all errors have variance σ²/cᵢ:

    Cov(w) = σ² (AᵀCA)⁻¹,     σ² = rss/(n − p)

Robust (White's sandwich), if they do not; with uᵢ = √cᵢ eᵢ and the coordinates of ``basis.py``
(for frequencies uᵢ = eᵢ, and hᵢ = ‖qᵢ‖²/cᵢ is the leverage of one of cᵢ equal rows)

    Cov(w) = P (Σ sᵢ qᵢqᵢᵀ) Pᵀ,   HC0: sᵢ = uᵢ²              HC1: sᵢ = uᵢ² n/(n − p)
                                   HC2: sᵢ = uᵢ²/(1 − hᵢ)     HC3: sᵢ = uᵢ²/(1 − hᵢ)²

HC3 is the careful choice for a few hundred rows; with many rows all four agree. Where rows of a
group belong together: ``clustered.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linscope.rows.blocks import Block

from . import clustered
from .basis import Basis, basis_of
from .fit import LinearFit
from .rows import leverages, scores

ROBUST = ("HC0", "HC1", "HC2", "HC3", "cluster")
# Below this, 1 − h is rounding: the row alone decides a coefficient and its residual is 0.
NO_SLACK = 1e-10


def covariance(fit: LinearFit, robust: str | None = None) -> np.ndarray:
    """The covariance matrix of the coefficients.

    Parameters
    ----------
    fit : LinearFit
    robust : None for the classic one, or one of "HC0", "HC1", "HC2", "HC3", "cluster"

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
    C = P @ _middle(fit, basis, robust) @ P.T
    return (C + C.T) / 2  # symmetric to the last bit


def check_robust(robust: str | None) -> str | None:
    """The kind of standard errors; an unknown one is refused."""
    if robust is not None and robust not in ROBUST:
        raise ValueError(f"robust must be None or one of {', '.join(ROBUST)}, got {robust!r}")
    return robust


def _middle(fit: LinearFit, basis: Basis, robust: str) -> np.ndarray:
    """Σ sᵢ qᵢqᵢᵀ, or that of the groups."""
    assert fit.n is not None
    if robust == "cluster":
        if fit.groups is None:
            raise ValueError(clustered.NO_GROUPS)
        sums = fit.engine(fit.groups).fold(clustered.group_sums, fit.weights, basis)
        return clustered.middle(sums, fit.n, fit.p)
    middle, least = fit.engine().fold(_outer_products, fit.weights, basis, robust, fit.frequency)
    if least.slack < NO_SLACK:
        raise ValueError(
            f"robust={robust!r} is not defined: row {fit.row_number(least.row)} has leverage 1, it "
            "alone decides a coefficient; use 'HC1', or drop the row or the feature"
        )
    return middle * (fit.n / (fit.n - fit.p)) if robust == "HC1" else middle


class _Slack(NamedTuple):
    """The least 1 − h, and in which row."""

    slack: float
    row: int

    def plus(self, other: _Slack) -> _Slack:
        return other if other.slack < self.slack else self


def _outer_products(
    block: Block, weights: np.ndarray, basis: Basis, robust: str, frequency: bool
) -> tuple[np.ndarray, _Slack]:
    """Σ sᵢ qᵢqᵢᵀ over a block."""
    assert block.y is not None
    Q = basis.rows(block)
    u = block.y - scores(block.X, weights, basis.fit_intercept)
    if block.weighted and not frequency:
        u *= np.sqrt(block.weight)
    least = _Slack(1.0, 0)
    if robust in ("HC2", "HC3") and len(Q):
        slack = 1 - leverages(Q, block, frequency)
        row = int(slack.argmin())
        least = _Slack(float(slack[row]), block.start + row)
        slack = np.maximum(slack, NO_SLACK)
        u /= np.sqrt(slack) if robust == "HC2" else slack
    Q *= u[:, None]
    return Q.T @ Q, least
