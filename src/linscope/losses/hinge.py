"""The hinge loss, as in the support vector machine with slack variables.

Of one sample with label y = ±1, score s = w·x + b and margin m = y s; the prediction h is the sign
of s:

    f(m)    =  max(0, 1 − m)                           the slack ξ of the sample
    f'(m)   =  −1 for m < 1,  0 for m > 1              (at the kink m = 1: all of [−1, 0])
    f''(m)  =  0 but at the kink
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
from numba.extending import register_jitable


@register_jitable(inline="always")
def slack(deficit):
    """ξ, from what the margin lacks to 1: f(m) = slack(1 − m).

    >>> slack(np.array([-1.0, 0.5]))
    array([0. , 0.5])
    """
    return np.maximum(deficit, 0.0)


@register_jitable(inline="always")
def loss(m):
    """f(m) = max(0, 1 − m).

    >>> loss(np.array([-1.0, 0.5, 1.0, 2.0]))
    array([2. , 0.5, 0. , 0. ])
    """
    return slack(1.0 - m)


def derivative(m: Any) -> Any:
    """f'(m); at the kink m = 1 it is 0, one of the subgradients.

    >>> derivative(np.array([-1.0, 1.0, 2.0]))
    array([-1.,  0.,  0.])
    """
    return np.where(m < 1.0, -1.0, 0.0)


def conjugate(a: Any) -> Any:
    """f*(−a) = −a on [0, 1], +∞ elsewhere.

    >>> conjugate(np.array([0.0, 0.25, 1.0, 1.5]))
    array([ 0.  , -0.25, -1.  ,   inf])
    """
    return np.where((a >= 0.0) & (a <= 1.0), 0.0 - a, np.inf)


# t f(m) + t f*(−α/t) + α m  ≥  0  for 0 ≤ α ≤ t; 0 exactly where −α/t is a slope of f at m.
def lack(m, alpha, top):
    """t f(m) − α (1 − m), what complementary slackness lacks, as terms that are not negative.

    >>> lack(np.array([0.0, 1.0, 3.0]), 0.5, 2.0)
    array([1.5, 0. , 1. ])
    """
    return unused(loss(m), slack(m - 1.0), alpha, top)


@register_jitable(inline="always")
def unused(xi, past, alpha, top):
    """``lack`` for those who have ξ = slack(1 − m), and slack(m − 1), already.

    >>> unused(1.0, 0.0, 0.5, 2.0)
    1.5
    """
    return (top - alpha) * xi + alpha * past


# The hinge with a penalty on how far α moves from a, max_α (α (1 − m) − (α − a)²/2k) over [0, t],
# is smooth, and −α is its slope. a = 0 and t = ∞ is the squared hinge, k/2 times.
@register_jitable(inline="always")
def pull(m, a, k):
    """r = a + k (1 − m): cut to [0, t] it is α. Curvature k where 0 < r < t, else none.

    >>> pull(np.array([0.0, 1.0]), 0.5, 4.0)
    array([4.5, 0.5])
    """
    return k * (1.0 - m) + a


# For the squared hinge q = 1/(2 C c), see its conjugate; for the hinge q = 0.
@register_jitable(inline="always")
def dual_slope(m, alpha, q):
    """∂(−D)/∂α = m − 1 + q α: a margin, and the slope of the conjugate there.

    >>> dual_slope(0.5, 1.0, 0.25)
    -0.25
    """
    return m - 1.0 + q * alpha
