"""One look at the rows for all folds: scores, losses and gradients of several weights at once.

A tile of rows stays in the fastest cache while every fold's weights visit it, so memory is read
once for all folds.
"""

from __future__ import annotations

import numpy as np

from linscope._compiling import kernel
from linscope.losses.logistic import root_of_bend
from linscope.losses.logistic_tiles import small_exponentials, terms
from linscope.rows.operations import REORDER, TILE
from linscope.rows.scores import add_rows, add_scores


@kernel
def fold_pass(X, side, c, W, train, place, held, loss, G):
    """Add what these rows give to ``loss`` (folds,) and ``G`` (folds, d + 1).

    ``train[m]`` says whether problem m learns from them; where ``place[m]`` is not −1 they are held
    out from m, and their scores go to that column of ``held``.
    """
    n = X.shape[0]
    scores, u, power = np.empty(TILE), np.empty(TILE), np.empty(TILE)
    residual, bits = np.empty(TILE), power.view(np.int64)
    for a in range(0, n, TILE):
        b = min(n, a + TILE)
        own = c[a:b] if len(c) else c
        for m in range(len(W)):
            if not train[m] and place[m] < 0:
                continue
            s = scores[: b - a]
            add_scores(X[a:b], W[m], s)
            if place[m] >= 0:
                for i in range(a, b):
                    held[i, place[m]] = s[i - a]
            if train[m]:
                small_exponentials(s, power, bits, u)
                loss[m] += terms(s, side[a:b], own, u, residual)
                add_rows(X[a:b], residual[: b - a], G[m])


@kernel(fastmath=REORDER, error_model="numpy")
def roots_of_curvature(X, w, c, s, root):
    """√(c σ(1 − σ)) of each row at the weights w."""
    add_scores(X, w, s)
    for i in range(len(s)):
        root[i] = root_of_bend(s[i], c[i] if len(c) else 1.0)
