"""The two bounds of the convergence proof along a path of weights; nothing is drawn here."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linscope.data.tables import TableLike
from linscope.reports.cells import text, vector
from linscope.separation.question import separability
from linscope.separation.verdicts import Separable


class Proof(NamedTuple):
    """After k updates: w·w_opt in ``progress``, ‖w‖ in ``length``; γ, R and R²/γ²."""

    k: np.ndarray
    progress: np.ndarray
    length: np.ndarray
    gamma: float
    radius: float
    bound: float


def proof(weights: np.ndarray, model: Any, X: TableLike, y: Any, eta0: float = 1.0) -> Proof:
    """The numbers of a path (updates + 1, d + 1); an error says why the bound does not hold.

    model : the perceptron whose path it is, None if it is not known
    """
    if model is not None:
        reason = model._no_bound(np.zeros(0), weights[0])
        if model.class_weight is not None:
            reason = reason or "it needs equal weights"
        if not model.fit_intercept:
            reason = reason or "γ is the margin with a bias: use fit_intercept=True"
        if reason:
            raise ValueError(f"the convergence bound does not apply to this model: {reason}")
        eta0 = float(model.eta0)
    if weights[0].any():
        raise ValueError(
            f"w_path starts at {text(vector(weights[0]))}: the proof needs a start from "
            "zeros; pass the path with its first row, and init='zeros'"
        )
    verdict = separability(X, y)
    if not isinstance(verdict, Separable):
        raise ValueError(
            "the classes are not linearly separable, so there is no margin γ and no bound: "
            "see linscope.plot.margin(linscope.separability(X, y), X, y) for the reason"
        )
    return Proof(
        k=np.arange(len(weights)),
        progress=weights / eta0 @ verdict.augmented.weights,
        length=np.linalg.norm(weights / eta0, axis=1),
        gamma=float(verdict.gamma),
        radius=float(verdict.radius),
        bound=float(verdict.bound),
    )
