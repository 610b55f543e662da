"""Longer strides for the kernel SVM: the best point along the last steps' directions.

    min over t of f(β + Σ t_i Δ_i)        Δ_i = β − β_i of recent steps,  KΔ_i = g − g_i

The products KΔ_i are known, so that the best t takes a few equations and no kernel values. Where
β + ΔT leaves its bounds it is put on them, and Σβ is restored by those with most room; only
what these samples were moved by needs their rows of kernel values.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

# Steps remembered; samples that restore the sum; share of the samples that may be put on a bound.
MEMORY, HELPERS, MOST_SHARE = 4, 16, 0.1
# Directions may be almost the same.
RIDGE = 1e-10


class Momentum:
    """The last few points of a run and their gradients."""

    def __init__(self) -> None:
        self.points: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=MEMORY)

    def forget(self) -> None:
        self.points.clear()

    def remember(self, beta: np.ndarray, g: np.ndarray) -> None:
        self.points.append((beta.copy(), g.copy()))

    def stride(
        self,
        add_product: Callable[[np.ndarray, np.ndarray, np.ndarray], None],
        beta: np.ndarray,
        g: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """β and g further along; None if that is no better or takes too many kernel values.

        ``add_product(rows, delta, g)`` must add Σ_r delta[r]·K[rows[r], :] to g.
        """
        if not self.points:
            return None
        ways = np.array([beta - point for point, _ in self.points])
        products = np.array([g - gradient for _, gradient in self.points])
        t = _best(ways, products, g)
        target = beta + t @ ways
        moved = _within(target, lower, upper, float(beta.sum()))
        if moved is None:
            return None
        put = np.flatnonzero(moved != target)
        if len(put) > MOST_SHARE * len(beta) + HELPERS:
            return None
        after = g + t @ products
        add_product(put, (moved - target)[put], after)
        # The objective is quadratic: its change is that of β times the mean gradient.
        if not 0.5 * (g + after) @ (moved - beta) < 0.0:
            return None
        return moved, after


def _best(ways: np.ndarray, products: np.ndarray, g: np.ndarray) -> np.ndarray:
    A = ways @ products.T
    A = 0.5 * (A + A.T)
    A.flat[:: len(A) + 1] += RIDGE * np.trace(A)
    return np.linalg.lstsq(A, -(ways @ g), rcond=None)[0]


def _within(
    target: np.ndarray, lower: np.ndarray, upper: np.ndarray, total: float
) -> np.ndarray | None:
    """The target put within its bounds; its sum is ``total`` if those with most room allow it."""
    moved = np.clip(target, lower, upper)
    room = np.minimum(moved - lower, upper - moved)
    helpers = np.argpartition(room, -HELPERS)[-HELPERS:] if len(room) > HELPERS else slice(None)
    share = (float(moved.sum()) - total) / len(room[helpers])
    if not abs(share) < room[helpers].min():
        return None
    moved[helpers] -= share
    return moved
