"""Scores w·x of rows, which of their signs are in doubt, and sums of rows."""

from __future__ import annotations

import numpy as np

from linscope._compiling import kernel

from .operations import REORDER, quick_dot, row_norm2, score_error


@kernel(fastmath=REORDER)
def norm(w):
    """An upper bound of ‖w‖, within rounding."""
    total = 0.0
    for j in range(w.shape[0]):
        total += w[j] * w[j]
    return np.sqrt(total) * (1 + 1e-12)


@kernel
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


@kernel(fastmath=REORDER)
def add_scores(X, w, s):
    """s = w·[1, x] of each row, four at a time."""
    n, d = X.shape
    whole = n - n % 4
    for i in range(0, whole, 4):
        a, b, e, f = w[0], w[0], w[0], w[0]
        for j in range(d):
            v = w[j + 1]
            a += X[i, j] * v
            b += X[i + 1, j] * v
            e += X[i + 2, j] * v
            f += X[i + 3, j] * v
        s[i], s[i + 1], s[i + 2], s[i + 3] = a, b, e, f
    for i in range(whole, n):
        a = w[0]
        for j in range(d):
            a += X[i, j] * w[j + 1]
        s[i] = a


@kernel(fastmath=REORDER)
def add_rows(X, residual, g):
    """g ← g + Σ residual·[1, x], four rows at a time."""
    n, d = X.shape
    whole = n - n % 4
    for i in range(0, whole, 4):
        a, b, e, f = residual[i], residual[i + 1], residual[i + 2], residual[i + 3]
        g[0] += (a + b) + (e + f)
        for j in range(d):
            g[j + 1] += (a * X[i, j] + b * X[i + 1, j]) + (e * X[i + 2, j] + f * X[i + 3, j])
    for i in range(whole, n):
        g[0] += residual[i]
        for j in range(d):
            g[j + 1] += residual[i] * X[i, j]
