"""Classes whose samples have no weight: the likelihood never stops growing as they are ruled out.

With a bias of −b for a class without samples, the loss of every other sample falls as b grows, so
no finite weights maximise the likelihood. If the classes that are there are separated completely by
v, so are all: the bias of the absent ones only has to be low enough.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..verify.separation import Direction


def absent_direction(largest: np.ndarray, n_classes: int, present: np.ndarray, inner) -> Direction:
    """(K, d + 1) bias first; ``inner`` is a complete separation of the present classes, or None.

    ``largest`` is the largest |x| of each column.

    >>> absent_direction(np.ones(1), 3, np.array([0, 2]), None)[1]
    (Fraction(-1, 1), Fraction(0, 1))
    """
    out = [[Fraction(0)] * (len(largest) + 1) for _ in range(n_classes)]
    low = Fraction(-1)
    if inner is not None:
        for k, row in zip(present.tolist(), inner, strict=True):
            out[k] = list(row)
            terms = (abs(v) * Fraction(x) for v, x in zip(row[1:], largest.tolist(), strict=True))
            low = min(low, -1 - abs(row[0]) - sum(terms))
    for k in np.setdiff1d(np.arange(n_classes), present).tolist():
        out[k][0] = low
    return tuple(tuple(row) for row in out)
