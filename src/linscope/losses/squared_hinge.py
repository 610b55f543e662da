"""The squared hinge loss.

Of one sample with label y = ±1, score s = w·x + b and margin m = y s; the prediction h is the sign
of s:

    f(m)    =  max(0, 1 − m)²
    f'(m)   =  −2 max(0, 1 − m)
    f''(m)  =  2 for m < 1,  0 for m > 1               (it jumps at m = 1; f' does not)
    f*(−a)  =  a²/4 − a for a ≥ 0,  +∞ elsewhere

Of all samples, with weights c_i and a strength C, bias not penalised (or ρ = 1: penalised):

    P(w, b)  =  ½‖w‖² + ½ρ b² + C Σ_i c_i f(m_i)
    D(α)     =  Σ_i (α_i − α_i² / (4 C c_i)) − ½‖Σ_i α_i y_i x_i‖² − ½ρ (Σ_i α_i y_i)²
                α_i ≥ 0,   and Σ_i α_i y_i = 0 where ρ = 0

At the minimum α_i = 2 C c_i max(0, 1 − m_i). There is no factor ½: the convention of LIBLINEAR.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from . import hinge


@register_jitable(inline="always")
def loss(m):
    """f(m) = max(0, 1 − m)².

    >>> loss(np.array([-1.0, 0.5, 1.0, 2.0]))
    array([4.  , 0.25, 0.  , 0.  ])
    """
    xi = hinge.loss(m)
    return xi * xi


def derivative(m: Any) -> Any:
    """f'(m) = −2 max(0, 1 − m).

    >>> derivative(np.array([-1.0, 0.5]))
    array([-4., -1.])
    """
    return -2.0 * hinge.loss(m)


def bend(alpha: Any, top: Any) -> Any:
    """α²/(4 t): what the conjugate t f*(−α/t) has beside −α, for t = C c.

    >>> bend(np.array([0.0, 2.0]), 1.0)
    array([0., 1.])
    """
    return alpha * alpha / (4.0 * top)


def conjugate(a: Any) -> Any:
    """f*(−a) = a²/4 − a for a ≥ 0, +∞ elsewhere.

    >>> conjugate(np.array([0.0, 2.0, -1.0]))
    array([ 0., -1., inf])
    """
    return np.where(a >= 0.0, bend(a, 1.0) - a, np.inf)
