"""The hinge loss, as in the support vector machine with slack variables.

Of one sample with label y = ±1, score s = w·x + b and margin m = y s:

    f(m)    =  max(0, 1 − m)                           the slack ξ of the sample
    f'(m)   =  −1 for m < 1,  0 for m > 1              (at the kink m = 1: all of [−1, 0])
    f*(−a)  =  −a for 0 ≤ a ≤ 1,  +∞ elsewhere

Of all samples, with weights c_i and a strength C, bias not penalised (or ρ = 1: penalised):

    P(w, b)  =  ½‖w‖² + ½ρ b² + C Σ_i c_i f(m_i)
    D(α)     =  Σ_i α_i − ½‖Σ_i α_i y_i x_i‖² − ½ρ (Σ_i α_i y_i)²
                0 ≤ α_i ≤ C c_i,   and Σ_i α_i y_i = 0 where ρ = 0
    P − D    =  Σ_i (C c_i f(m_i) − α_i (1 − m_i))     for w = Σ α_i y_i x_i

C = ∞ forbids any slack: the hard margin, with α_i ≥ 0 unbounded.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def loss(m: Any) -> np.ndarray:
    """f(m) = max(0, 1 − m).

    >>> loss([-1.0, 0.5, 1.0, 2.0])
    array([2. , 0.5, 0. , 0. ])
    """
    return np.maximum(0.0, 1.0 - np.asarray(m, dtype=np.float64))


def derivative(m: Any) -> np.ndarray:
    """f'(m); at the kink m = 1 it is 0, one of the subgradients.

    >>> derivative([-1.0, 1.0, 2.0])
    array([-1.,  0.,  0.])
    """
    return np.where(np.asarray(m, dtype=np.float64) < 1.0, -1.0, 0.0)


def conjugate(a: Any) -> np.ndarray:
    """f*(−a) = −a on [0, 1], +∞ elsewhere.

    >>> conjugate([0.0, 0.25, 1.0, 1.5])
    array([ 0.  , -0.25, -1.  ,   inf])
    """
    a = np.asarray(a, dtype=np.float64)
    return np.where((a >= 0.0) & (a <= 1.0), 0.0 - a, np.inf)
