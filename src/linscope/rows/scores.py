"""Scores w·x of rows, which of them rounding leaves in doubt, and sums of rows."""

from __future__ import annotations

import numpy as np

from linscope._compiling import kernel

from .operations import REORDER, quick_dot, row_size

# Sums of larger terms may overflow; of smaller ones too much vanishes.
LARGEST, LEAST = 1e290, 1e-270
# So many scores tell how far all of them lie apart.
SOME = 64


@kernel(fastmath=REORDER)
def norm(w):
    """An upper bound of ‖w‖, within rounding."""
    total = 0.0
    for j in range(w.shape[0]):
        total += w[j] * w[j]
    return np.sqrt(total) * (1 + 1e-12)


@kernel
def plain_scores(rows, W, v, known, share, most, out, size, doubtful):
    """w_k·[1, x_i] in plain floats, and how many of them floats may leave wrong.

    ``out`` (n, K): the scores, made here unless they are ``known``. ``size`` (n): Σ_j |x_ij| v_j
    with v_j = max_k |w_kj|, so that ``share`` × size bounds the errors of a row. ``doubtful``
    (n, K): bounds beyond ``most`` × the score, or × how far the scores of the problem lie apart.
    """
    n, K = out.shape
    for i in range(n):
        size[i] = row_size(rows, i, v)
        if not known:
            for k in range(K):
                out[i, k] = quick_dot(rows, i, W[k])
    apart = np.empty(K)
    for k in range(K):
        apart[k] = _apart(out[:, k])
    count = 0
    for i in range(n):
        error = share * size[i] / most if LEAST < size[i] < LARGEST else np.inf
        for k in range(K):
            doubtful[i, k] = not error < min(abs(out[i, k]), apart[k])
            count += doubtful[i, k]
    return count


@kernel
def _apart(scores):
    """The mean distance from their mean, of some 64 of the scores."""
    step, count, mean, total = max(1, len(scores) // SOME), 0, 0.0, 0.0
    for i in range(0, len(scores), step):
        count, mean = count + 1, mean + scores[i]
    mean /= max(1, count)
    for i in range(0, len(scores), step):
        total += abs(scores[i] - mean)
    return total / max(1, count)


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
