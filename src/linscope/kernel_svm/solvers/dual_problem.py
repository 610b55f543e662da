"""The dual problem of the kernel SVM in signed coefficients β_i = y_i α_i.

    min ½ βᵀKβ − yᵀβ       Σβ = 0,   0 ≤ y_i β_i ≤ C_i            g = Kβ − y

This is the notes' max Σα − ½ ΣΣ α_i α_j y_i y_j K(x_i, x_j). The signs are in the bounds, so the
kernel needs none. Optimal: every sample that may grow has g ≥ −b, every one that may shrink
g ≤ −b, so that max g (may shrink) ≤ −b ≤ min g (may grow). The decision is Σβ_j K(x, x_j) + b.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linscope.kernels.tiles import Tiles, make_tiles
from linscope.results import Result, Status

ROUNDING, NOT_SEPARABLE = 1e-10, 1e-13


@dataclass(frozen=True)
class SvmProblem:
    """Kernel, labels and bounds.

    Parameters
    ----------
    tiles : function of a dtype that gives the source of kernel values in it
    y : labels −1 and +1
    C : the largest α of each sample; may be infinite
    """

    tiles: Callable[[Any], Tiles]
    y: np.ndarray
    C: np.ndarray

    @classmethod
    def of(
        cls,
        X: Any,
        y: np.ndarray,
        C: Any = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: float = 1.0,
        degree: int = 3,
        coef0: float = 0.0,
    ) -> SvmProblem:
        """The problem of a table, or of a Gram matrix with ``kernel="precomputed"``."""
        y = np.asarray(y, dtype=np.float64)

        def tiles(dtype: Any) -> Tiles:
            return make_tiles(X, kernel, gamma=gamma, degree=degree, coef0=coef0, dtype=dtype)

        return cls(tiles, y, np.broadcast_to(np.asarray(C, dtype=np.float64), y.shape))

    @property
    def lower(self) -> np.ndarray:
        return np.where(self.y > 0, 0.0, -self.C)

    @property
    def upper(self) -> np.ndarray:
        return np.where(self.y > 0, self.C, 0.0)


class Ends(NamedTuple):
    """min g of those that may grow, max g of those that may shrink, and their difference."""

    least: float
    most: float
    gap: float


def ends(g: np.ndarray, can_grow: np.ndarray, can_shrink: np.ndarray) -> Ends:
    least = float(np.min(g, where=can_grow, initial=np.inf))
    most = float(np.max(g, where=can_shrink, initial=-np.inf))
    finite = np.isfinite(least) and np.isfinite(most)
    return Ends(least, most, most - least if finite else 0.0)


# b = −mean g of the free samples; if none is free, the middle of the interval that fits.
def bias(g: np.ndarray, beta: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> float:
    can_grow, can_shrink = beta < upper, beta > lower
    free = can_grow & can_shrink
    if free.any():
        return -float(g[free].mean())
    if not len(g):  # a pair of classes without samples
        return 0.0
    least, most, _ = ends(g, can_grow, can_shrink)
    if np.isfinite(least) and np.isfinite(most):
        return -0.5 * (least + most)
    return -(least if np.isfinite(least) else most)


def feasible(beta: Any, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """β within the bounds and with sum 0: the surplus is taken from the larger side in proportion.

    >>> feasible([2.0, 1.0, -1.0], np.array([0.0, 0.0, -9.0]), np.array([1.0, 1.0, 0.0]))
    array([ 0.5,  0.5, -1. ])
    """
    beta = np.clip(np.asarray(beta, dtype=np.float64), lower, upper)
    positive, negative = beta[beta > 0].sum(), -beta[beta < 0].sum()
    target = min(positive, negative)
    if target == 0.0:
        return np.zeros_like(beta)
    if abs(positive - negative) > ROUNDING * target:
        beta = np.where(beta > 0, beta * (target / positive), beta * (target / negative))
    # Rounding is left to one coefficient, if possible one that is not at its bound.
    surplus = float(beta.sum())
    side = np.flatnonzero(beta > 0 if surplus > 0 else beta < 0)
    size = np.abs(beta[side])
    free = (beta[side] > lower[side]) & (beta[side] < upper[side])
    beta[side[np.argmax(np.where(free, size, size * ROUNDING))]] -= surplus
    return beta


# With α unbounded, βᵀKβ/(Σα)² is ¼ of the squared distance of two points of the classes' hulls.
def is_unbounded(beta: np.ndarray, g: np.ndarray, y: np.ndarray, diagonal: np.ndarray) -> bool:
    """Whether βᵀKβ/(Σα)² is 0 to rounding: then no hyperplane separates the classes."""
    total = float(np.abs(beta).sum())
    distance2 = float(beta @ (g + y)) / total / total if total > 0 else np.inf
    return distance2 <= NOT_SEPARABLE * float(np.abs(diagonal).max(initial=1e-300))


def result_of(
    problem: SvmProblem, beta: np.ndarray, g: np.ndarray, gap: float, state: Any, **more: Any
) -> Result:
    """What a solver found: α, and of a state how it ended after how many steps and pairs."""
    details = {
        "gradient": g,
        "bias": bias(g, beta, problem.lower, problem.upper),
        "gap": gap,
        "objective": 0.5 * float(beta @ (g - problem.y)),
        "support": np.flatnonzero(beta),
        **more,
    }
    status = state.status or Status.MAX_ITER
    return Result(problem.y * beta, status, state.steps, state.pairs, None, details)
