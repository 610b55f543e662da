"""Huber's loss, quadratic near 0 and linear beyond ε: an outlier pulls as ε does, not further.

Of one sample with residual r = y − w·x, which the score itself predicts (h(s) = s), and z = r/σ:

    H(z)    =  z² for |z| ≤ ε,  2ε|z| − ε² beyond
    H'(z)   =  2z cut to ±2ε                           (no kink: H' is continuous)
    H''(z)  =  2 for |z| < ε,  0 for |z| > ε           (it jumps at ±ε)
    H*(u)   =  u²/4 for |u| ≤ 2ε,  +∞ elsewhere

The scale σ ≥ 0 of the residuals is found with the weights:

    f(r, σ)      =  σ + σ H(r/σ),  convex in both;  f(r, 0) = 2ε|r|
    f(r, σ)      ≥  u r + (1 − H*(u)) σ,  with = for u = H'(r/σ)

    P(w, b, σ)   =  Σ_i c_i f(r_i, σ) + α‖w‖²          a sum over samples, the bias not penalised
    D(u)         =  Σ_i c_i u_i y_i − ‖Σ_i c_i u_i x_i‖²/(4α)
                    |u_i| ≤ 2ε,  Σ c_i u_i² ≤ 4 Σ c_i,  Σ c_i u_i = 0;  for α = 0: Σ c_i u_i x_i = 0

At the minimum σ² is the mean square of the residuals cut at εσ. It is 0 where more than a share
1 − 1/ε² of the samples can be met exactly; then the weights are those of least absolute residuals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable


@register_jitable(inline="always")
def loss(z, epsilon):
    """H(z) = z² near 0, 2ε|z| − ε² beyond.

    >>> loss(np.array([0.5, -3.0]), 1.0)
    array([0.25, 5.  ])
    """
    near = np.minimum(np.abs(z), epsilon)
    return near * (2.0 * np.abs(z) - near)


@register_jitable(inline="always")
def derivative(z, epsilon):
    """H'(z) = 2z cut to ±2ε.

    >>> derivative(np.array([0.5, -3.0]), 1.0)
    array([ 1., -2.])
    """
    return 2.0 * np.minimum(np.maximum(z, -epsilon), epsilon)


@register_jitable(inline="always")
def is_outlier(r, sigma, epsilon):
    """Whether |r| > εσ: the loss is linear there.

    >>> is_outlier(np.array([1.0, -3.0]), 2.0, 1.0)
    array([False,  True])
    """
    return np.abs(r) > epsilon * sigma


def total(sigma: float, epsilon: float, mass: float, outside: float, squares: float, beyond: float):
    """Σ c f(r, σ) from sums over the rows: Σ c, and Σ c of outliers, Σ c r² of the others, Σ c |r|.

    >>> r = np.array([0.5, -3.0])
    >>> total(1.0, 1.0, 2.0, 1.0, 0.25, 3.0), float(np.sum(1.0 + loss(r, 1.0)))
    (7.25, 7.25)
    """
    near = squares / sigma if sigma > 0 else 0.0
    return sigma * (mass - epsilon**2 * outside) + near + 2.0 * epsilon * beyond


def conjugate(u: Any, epsilon: Any) -> Any:
    """H*(u) = u²/4 for |u| ≤ 2ε, +∞ elsewhere.

    >>> conjugate(np.array([1.0, 3.0]), 1.0)
    array([0.25,  inf])
    """
    return np.where(np.abs(u) <= 2.0 * epsilon, 0.25 * u * u, np.inf)
