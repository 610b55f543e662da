"""The best bias of given weights for the hinge: a weighted quantile.

    Σ_i c_i max(0, 1 − y_i (s_i + b)),      kinks at b = t_i = y_i − s_i

Its slope is −Σ_{y_i=+1} c_i at b = −∞ and rises by c_i at every kink. So it is 0 where the weights
of the kinks up to b add up to those of the positive class: at one kink, or between two, and then
the middle is taken. The bias of a support vector machine need not be unique; this one is.
"""

from __future__ import annotations

import numpy as np

# Sums of weights that differ by less, relatively, are equal.
EQUAL = 1e-12


def hinge_bias(scores: np.ndarray, y: np.ndarray, c: np.ndarray) -> float:
    """The middle of all b that minimise the sum; both classes must be there.

    Parameters
    ----------
    scores : w·x of each row, without bias
    y : labels −1.0 and +1.0
    c : weights of the rows, or empty

    Examples
    --------
    >>> hinge_bias(np.array([-3.0, 0.0, 1.0]), np.array([-1.0, -1.0, 1.0]), np.zeros(0))
    -0.5
    """
    kinks = y - scores
    if not len(c):
        count = int(np.count_nonzero(y > 0))
        low, high = np.partition(kinks, [count - 1, count])[[count - 1, count]]
        return 0.5 * float(low) + 0.5 * float(high)
    order = np.argsort(kinks)
    sums, wanted = np.cumsum(c[order]), float(c[y > 0].sum())
    room = EQUAL * float(sums[-1])
    first = int(np.searchsorted(sums, wanted - room))
    last = int(np.searchsorted(sums, wanted + room, side="right"))
    last = min(last, len(order) - 1)
    return 0.5 * float(kinks[order[first]]) + 0.5 * float(kinks[order[last]])
