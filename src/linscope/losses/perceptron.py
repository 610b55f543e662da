"""The perceptron criterion.

Of one sample with label y = ±1, score s = w·x and m = y s; the prediction h is the class on whose
side s lies, and as a number 1 for s ≥ 0, else 0:

    f(m)    =  max(0, −m)
    f'(m)   =  −1 for m < 0,  0 for m > 0              (at the kink m = 0: all of [−1, 0])
    f''(m)  =  0 but at the kink
    f*(−a)  =  0 for 0 ≤ a ≤ 1,  +∞ elsewhere

Of all samples, with M the samples that w gets wrong, y_i w·x_i < 0:

    J_p(w)  =  Σ_{i ∈ M} −y_i w·x_i  =  Σ_i max(0, −y_i w·x_i)
            =  ‖w‖ · Σ_{i ∈ M} (distance of x_i to the hyperplane w·x = 0)

    ∇J_p(w) =  −Σ_{i ∈ M} y_i x_i

J_p is never negative, convex, piecewise linear, and 0 exactly where no sample is wrong, w = 0
included. Its steepest descent is the perceptron's batch rule w ← w + η Σ_{i ∈ M} y_i x_i; one
mistake at a time is the single-sample rule. (The plain number of mistakes |M| is piecewise
constant: its gradient is 0 wherever it exists, and tells a descent nothing.)

The kink: where a score is exactly 0 the sample adds 0 to J_p, but −y_i x_i or nothing to the
gradient; every mixture of the two is a subgradient. The tie rule decides, as in the perceptron:
"update" takes −y_i x_i (score 0 is a mistake), "positive" and "negative" read score 0 as +1 or −1.
At w = 0 all samples are at the kink, and with "update" the first batch step is Σ y_i x_i.

Distances are those of the augmented rows, where the hyperplane passes through the origin. With a
bias the same sum is ‖[w1 … wd]‖ times the distances in feature space, since both are |w·x_i|
before they are divided by a length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

LARGEST_BEND = 0.0
# tie -> is score 0 a mistake for y = +1, for y = −1?
TIES = {"update": (True, True), "positive": (False, True), "negative": (True, False)}


@register_jitable(inline="always")
def step(s):
    """h(s) = 1 for s ≥ 0, else 0.

    >>> step(-0.5), step(0.0)
    (0.0, 1.0)
    """
    return 1.0 * (s >= 0.0)


@register_jitable(inline="always")
def loss(m):
    """f(m) = max(0, −m).

    >>> loss(np.array([-2.0, 3.0]))
    array([2., 0.])
    """
    return np.maximum(0.0, -m)


@register_jitable(inline="always")
def is_mistake(m, margin, at_tie):
    """Whether a sample with y w·x = m moves w: m below the margin (0, usually), or a tie.

    >>> is_mistake(np.array([-1.0, 0.0, 1.0]), 0.0, True)
    array([ True,  True, False])
    """
    return (m < margin) | ((m == margin) & at_tie)


def derivative(m: Any, at_tie: Any = True) -> Any:
    """f'(m), the tie rule deciding at the kink.

    >>> derivative(np.array([-1.0, 0.0, 1.0]))
    array([-1., -1.,  0.])
    """
    return np.where(is_mistake(m, 0.0, at_tie), -1.0, 0.0)


def conjugate(a: Any) -> Any:
    """f*(−a) = 0 on [0, 1], +∞ elsewhere.

    >>> conjugate(np.array([0.5, 1.5]))
    array([ 0., inf])
    """
    return np.where((a >= 0.0) & (a <= 1.0), 0.0, np.inf)


def mistakes(w: Any, X: Any, y: Any, tie: str = "update") -> np.ndarray:
    """Which samples w gets wrong.

    Parameters
    ----------
    w : weights (p,), or several of them (..., p)
    X : augmented samples (n, p)
    y : n labels, −1 or +1
    tie : {"update", "positive", "negative"}
        What score 0 means: a mistake, class +1, or class −1.

    Returns
    -------
    Boolean array (n,), or (..., n) for several weights

    Examples
    --------
    >>> X, y = [[1, 2, 1], [1, 4, 3], [1, 1, 3]], [1, 1, -1]
    >>> mistakes([1, 2, -1], X, y), mistakes([1, 2, -1], X, y, tie="negative")
    (array([False, False,  True]), array([False, False, False]))
    """
    if tie not in TIES:
        raise ValueError(f"tie must be one of {', '.join(map(repr, TIES))}, got {tie!r}")
    signed, y = _signed_scores(w, X, y)
    return is_mistake(signed, 0.0, np.where(y > 0, *TIES[tie]))


def criterion(w: Any, X: Any, y: Any) -> Any:
    """J_p(w) = Σ_i max(0, −y_i w·x_i).

    Parameters
    ----------
    w : weights (p,), or several of them (..., p)
    X, y : augmented samples (n, p) and labels ±1

    Returns
    -------
    float, or an array (...) for several weights

    Examples
    --------
    >>> X, y = [[1, 2, 1], [1, 4, 3], [1, 1, 3]], [1, 1, -1]
    >>> criterion([1, 1, 1], X, y)
    5.0
    >>> criterion([[1, 1, 1], [0, 0, -2]], X, y)
    array([5., 8.])
    """
    signed, _ = _signed_scores(w, X, y)
    total = loss(signed).sum(axis=-1)
    return float(total) if np.ndim(total) == 0 else total


def gradient(w: Any, X: Any, y: Any, tie: str = "update") -> np.ndarray:
    """∇J_p(w) = −Σ_{i ∈ M} y_i x_i, a subgradient where some score is 0.

    Parameters
    ----------
    w : weights (p,)
    X, y : augmented samples (n, p) and labels ±1
    tie : whether samples with score 0 belong to M, see :func:`mistakes`

    Examples
    --------
    >>> X, y = [[1, 2, 1], [1, 4, 3], [1, 1, 3]], [1, 1, -1]
    >>> gradient([1, 1, 1], X, y)
    array([1., 1., 3.])
    """
    wrong = mistakes(w, X, y, tie)
    return -(np.where(wrong, np.asarray(y, dtype=np.float64), 0.0) @ np.asarray(X, np.float64))


def distances(w: Any, X: Any, y: Any) -> np.ndarray:
    """Distance of each mistake to the hyperplane w·x = 0; 0 for samples on the right side.

    Parameters
    ----------
    w : weights (p,), not all 0
    X, y : augmented samples (n, p) and labels ±1

    Examples
    --------
    >>> X, y = [[1, 2, 1], [1, 4, 3], [1, 1, 3]], [1, 1, -1]
    >>> distances([0, 3, 4], X, y)
    array([0., 0., 3.])
    """
    signed, _ = _signed_scores(w, X, y)
    length = float(np.linalg.norm(w))
    if length == 0.0:
        raise ValueError("w is 0 and has no hyperplane: distances need some weight other than 0")
    return loss(signed) / length


def _signed_scores(w: Any, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """y_i w·x_i, with the shapes checked."""
    w, X, y = (np.asarray(value, dtype=np.float64) for value in (w, X, y))
    if X.ndim != 2 or w.ndim < 1 or w.shape[-1] != X.shape[1]:
        raise ValueError(
            f"w has shape {w.shape} and X has shape {X.shape}: X must be augmented, one column per "
            "weight (see linscope.augment)"
        )
    if y.shape != (len(X),) or not np.isin(y, (-1.0, 1.0)).all():
        raise ValueError(f"y must be {len(X)} labels that are −1 or +1, one for each row of X")
    return y * (w @ X.T), y
