"""Scores w·x of rows, and which of their signs are in doubt."""

from __future__ import annotations

import numpy as np
from numba import njit

from .operations import REORDER, quick_dot, row_norm2, score_error


@njit(cache=True, fastmath=REORDER)
def norm(w):
    """An upper bound of ‖w‖, within rounding."""
    total = 0.0
    for j in range(w.shape[0]):
        total += w[j] * w[j]
    return np.sqrt(total) * (1 + 1e-12)


@njit(cache=True, nogil=True)
def scores_of(rows, w, out, doubtful):
    """w·x_i of every row, and where rounding leaves its sign in doubt.

    Returns the largest ‖x_i‖²; NaN or infinity shows in it.
    """
    doubt2 = (score_error(rows) * norm(w)) ** 2
    largest = 0.0
    for i in range(out.shape[0]):
        score, norm2 = quick_dot(rows, i, w), row_norm2(rows, i)
        if not norm2 <= largest and largest < np.inf:
            largest = norm2
        out[i], doubtful[i] = score, score * score <= doubt2 * norm2
    return largest
