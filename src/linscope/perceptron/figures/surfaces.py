"""Losses over the weights, computed for many weights at once, and where they are least.

Of all samples, without a penalty; y is −1 or +1, of the squared loss also any number:

    perceptron   J_p(w)  =  Σ_i max(0, −y_i w·x_i)          mistakes    how many are wrong
    logistic     E(w)    =  Σ_i log(1 + e^(−y_i w·x_i))     likelihood  l(w) = −E(w)
    squared      J(w)    =  ½ Σ_i (w·x_i − y_i)²
    hinge        H(w)    =  Σ_i max(0, 1 − y_i w·x_i)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from linscope.display.geometry import Box
from linscope.losses import hinge, logistic, perceptron, squared

from .held_weights import WeightPlane

# So near its infimum, as a share of its value at 0, a loss without minimum is drawn.
GONE = 0.01


class Surface(NamedTuple):
    """A loss: how to compute it for many weights at once, its name and its message.

    steps : piecewise constant
    zero : what it means that the loss is 0, where it can be
    summit : whether the largest value is sought; None if a minimum is nothing special
    """

    compute: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    name: str
    message: str
    steps: bool = False
    zero: str = ""
    summit: bool | None = None


def _number_of_mistakes(W: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return perceptron.mistakes(W, X, y).sum(axis=-1)


def _log_loss(W: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return logistic.loss(W @ X.T, y > 0).sum(axis=-1)


def _log_likelihood(W: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return -_log_loss(W, X, y)


def _squares(W: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return squared.loss(W @ X.T, y).sum(axis=-1)


def _hinge(W: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return hinge.loss(y * (W @ X.T)).sum(axis=-1)


RIGHT = "0: solutions"
# A new loss is one line here.
SURFACES = {
    "perceptron": Surface(perceptron.criterion, "J_p", "J_p has a slope to follow", zero=RIGHT),
    "mistakes": Surface(
        _number_of_mistakes, "mistakes", "The count of mistakes is flat", True, zero=RIGHT
    ),
    "logistic": Surface(
        _log_loss,
        "E(w) = −l(w)",
        "The log loss E(w) is convex: one valley",
        summit=False,
    ),
    "likelihood": Surface(
        _log_likelihood,
        "l(w)",
        "The log likelihood l(w) is concave: one hill",
        summit=True,
    ),
    "squared": Surface(_squares, "J(w)", "The squared loss J(w) is a bowl", summit=False),
    "hinge": Surface(
        _hinge,
        "Σ max(0, 1 − y w·x)",
        "The hinge loss is convex and piecewise linear",
        zero="0: every margin at least 1",
        summit=False,
    ),
}


class Lowest(NamedTuple):
    """Where a descent over the two weights ends, and whether that is a minimum."""

    end: np.ndarray
    found: bool


def lowest_of(surface: Surface, plane: WeightPlane, y: np.ndarray) -> Lowest | None:
    """The minimum (or the summit) over the two weights; None for losses of which it tells nothing.

    Where a hyperplane separates the classes there may be none: the end is then where the loss has
    nearly reached its infimum.
    """
    if surface.summit is None:
        return None
    rows, pair = plane.samples.augmented, list(plane.pair)
    if surface is SURFACES["squared"]:  # has it in closed form, unless it is a valley
        left = y - rows[:, plane.rest] @ plane.current[plane.rest]
        end, _, rank, _ = np.linalg.lstsq(rows[:, pair], left, rcond=None)
        if rank == len(pair):
            return Lowest(end, True)
    from scipy.optimize import minimize  # takes long to import

    sign = -1.0 if surface.summit else 1.0
    back = np.linalg.pinv(np.linalg.qr(rows[:, pair], mode="r"))  # from scores, of one scale

    def value(scores: np.ndarray) -> float:
        w = plane.current.copy()
        w[pair] = back @ scores
        return sign * float(surface.compute(w, rows, y))

    simplex = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    unit = value(simplex[0]) or 1.0
    options = {"initial_simplex": simplex, "xatol": 1e-7, "fatol": 1e-10 * unit, "maxiter": 1000}
    end = minimize(value, simplex[0], method="Nelder-Mead", options=options).x
    size = max(float(np.linalg.norm(end)), 1.0)
    around = size * np.array([[1, 0], [-1, 0], [0, 1], [0, -1], end / size])
    if all(value(end + away) > value(end) + 1e-4 * unit for away in around if away.any()):
        return Lowest(back @ end, True)
    least = value(end)
    while end.any() and value(end / 2) < least + GONE * unit:
        end = end / 2
    return Lowest(back @ end, False)


def surface_box(plane: WeightPlane, lowest: Lowest | None) -> Box:
    """About the end of the path, or the minimum, with the origin; each axis has its own scale."""
    if lowest is None:
        return plane.box()
    points = np.vstack([np.zeros(2), plane.path if len(plane.path) else lowest.end])
    middle = points[-1]
    columns = plane.samples.augmented[:, list(plane.pair)]
    far = float(np.linalg.norm(columns @ middle))
    slack = far * np.sqrt(np.diag(np.linalg.pinv(columns.T @ columns)))  # as far along each axis
    half = np.maximum(1.15 * np.abs(points - middle).max(axis=0), 0.6 * slack)
    half = np.where(half > 0, half, 1.0)
    (x0, y0), (x1, y1) = (middle - half).tolist(), (middle + half).tolist()
    return x0, x1, y0, y1
