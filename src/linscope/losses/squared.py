"""The squared loss, as in least squares and its LMS rule.

Of one sample with score s = w·x and target y:

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

The targets may have several columns. Then w has as many, and J is the sum over the columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def loss(s: Any, y: Any) -> Any:
    """f(s) = ½ (s − y)².

    >>> loss([3.0, 4.0], 1.0)
    array([2. , 4.5])
    """
    return 0.5 * np.square(np.subtract(s, y, dtype=np.float64))


def derivative(s: Any, y: Any) -> Any:
    """f'(s) = s − y.

    >>> derivative([3.0, 4.0], 1.0)
    array([2., 3.])
    """
    return np.subtract(s, y, dtype=np.float64)


def second_derivative(s: Any, y: Any) -> Any:
    """f''(s) = 1.

    >>> second_derivative([3.0, 4.0], 1.0)
    array([1., 1.])
    """
    return np.ones_like(derivative(s, y))


def conjugate(u: Any, y: Any) -> Any:
    """f*(u) = ½ u² + u y.

    >>> conjugate([2.0, -1.0], 1.0)
    array([ 4. , -0.5])
    """
    u = np.asarray(u, dtype=np.float64)
    return 0.5 * u * u + u * np.asarray(y, dtype=np.float64)


def criterion(w: Any, X: Any, y: Any, weight: Any = None, alpha: float = 0.0) -> float:
    """J(w), the sum over all samples and target columns.

    Parameters
    ----------
    w : weights (p,) or (p, t), bias first
    X : augmented samples (n, p)
    y : targets (n,) or (n, t)
    weight : n weights of the samples, optional
    alpha : strength of the penalty, which spares the bias

    Examples
    --------
    >>> X, y = [[1, 1], [1, 2], [1, 3]], [1, 2, 2]
    >>> criterion([1, 0], X, y), criterion([1, 2], X, y, alpha=1.0)
    (1.0, 21.0)
    """
    w, X, y, c = _checked(w, X, y, weight)
    spread = (c * np.square(X @ w - y)).sum()
    return float(0.5 * spread + 0.5 * alpha * np.square(w[1:]).sum())


def gradient(w: Any, X: Any, y: Any, weight: Any = None, alpha: float = 0.0) -> np.ndarray:
    """∇J(w), of the shape of w; takes what :func:`criterion` takes.

    Examples
    --------
    >>> X, y = [[1, 1], [1, 2], [1, 3]], [1, 2, 2]
    >>> gradient([1, 0], X, y), gradient([1, 2], X, y, alpha=1.0)
    (array([-2., -5.]), array([10., 25.]))
    """
    shape = np.shape(w)
    w, X, y, c = _checked(w, X, y, weight)
    slope = X.T @ (c * (X @ w - y))
    slope[1:] += alpha * w[1:]
    return slope.reshape(shape)


def _checked(w: Any, X: Any, y: Any, weight: Any) -> tuple[np.ndarray, ...]:
    """All as float64, w and y as columns."""
    w, X, y = (np.asarray(value, dtype=np.float64) for value in (w, X, y))
    if X.ndim != 2 or w.ndim not in (1, 2) or len(w) != X.shape[1]:
        raise ValueError(
            f"w has shape {w.shape} and X has shape {X.shape}: X must be augmented, one column a "
            "weight (see linscope.augment)"
        )
    if y.shape != (len(X), *w.shape[1:]):
        raise ValueError(
            f"y has shape {y.shape}, but {len(X)} samples and weights of shape {w.shape} need "
            f"{(len(X), *w.shape[1:])}"
        )
    c = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64)
    if c.shape != (len(X),):
        raise ValueError(f"weight has shape {c.shape} for {len(X)} samples")
    return w.reshape(len(w), -1), X, y.reshape(len(y), -1), c[:, None]
