"""Which samples the kernel SVM's solver works on next, and which it may leave out for a while."""

from __future__ import annotations

import numpy as np

from .dual_problem import Ends


def choose(
    g: np.ndarray,
    can_grow: np.ndarray,
    can_shrink: np.ndarray,
    limits: Ends,
    size: int,
    before: np.ndarray,
) -> np.ndarray:
    """The newer half of the set before, then the worst violators, half of each kind.

    ``before`` has its newest members last, and so has the answer.
    """
    n = len(g)
    if n <= size:
        return np.arange(n)
    kept = before[len(before) // 2 :]
    grow, shrink = np.where(can_grow, g, np.inf), np.where(can_shrink, -g, np.inf)
    grow[kept] = shrink[kept] = np.inf
    count = (size - len(kept)) // 2
    first = _least(grow, count, limits.most)
    shrink[first] = np.inf
    second = _least(shrink, count, -limits.least)
    chosen = np.concatenate([kept, first, second])
    room = size - len(chosen)
    if room > 0:
        rest = np.setdiff1d(before, chosen, assume_unique=True)
        chosen = np.concatenate([rest[:room], chosen])
    return chosen


def _least(values: np.ndarray, count: int, below: float) -> np.ndarray:
    """Places of the ``count`` least values that are less than ``below``."""
    if count <= 0:
        return np.empty(0, dtype=np.int64)
    places = np.argpartition(values, min(count, len(values) - 1))[:count]
    return places[values[places] < below]


# At the lower bound with g ≥ max g of those that may shrink: it would not be chosen to grow.
def idle(g: np.ndarray, can_grow: np.ndarray, can_shrink: np.ndarray, limits: Ends) -> np.ndarray:
    """Samples at a bound that no pair would move now."""
    return (~can_shrink & (g > limits.most)) | (~can_grow & (g < limits.least))
