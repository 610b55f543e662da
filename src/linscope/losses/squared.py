"""The squared loss, as in least squares and its LMS rule.

Of one sample with score s = w·x and target y, which the score itself predicts, h(s) = s:

    f(s)    =  ½ (s − y)²
    f'(s)   =  s − y
    f''(s)  =  1
    f*(u)   =  sup_s (u s − f(s))  =  ½ u² + u y        (reached at s = y + u)

Of all samples, with weights c_i (all 1 if not given) and a penalty that spares the bias w_0:

    J(w)    =  ½ Σ_i c_i (w·x_i − y_i)²  +  ½ α Σ_{j≥1} w_j²
    ∇J(w)   =  −Σ_i c_i (y_i − w·x_i) x_i  +  α [0, w_1 … w_d]

Scaling: J is a sum over the samples, not a mean, and has the factor ½ of the notes. So −∇J of one
sample without penalty is (y − w·x) x, the least mean squares (LMS) direction.

The loss is smooth and strictly convex in s: there is no kink. J is convex in w, and every local
minimum is a global one; it is unique exactly when the columns of X are independent or α takes care
of those that are not.
"""

from __future__ import annotations

from numba.extending import register_jitable

LARGEST_BEND = 1.0


@register_jitable(inline="always")
def loss(s, y):
    """f(s) = ½ (s − y)².

    >>> loss(3.0, 1.0)
    2.0
    """
    return 0.5 * (s - y) * (s - y)


@register_jitable(inline="always")
def derivative(s, y):
    """f'(s) = s − y.

    >>> derivative(3.0, 1.0)
    2.0
    """
    return s - y


def conjugate(u, y):
    """f*(u) = ½ u² + u y.

    >>> conjugate(2.0, 1.0)
    4.0
    """
    return 0.5 * u * u + u * y
