"""One look at the rows for all folds: scores, losses and gradients of several weights at once.

A tile of rows stays in the cache while every fold's weights visit it, so memory is read once for
all folds.
"""

from __future__ import annotations

import numpy as np

from linscope._compiling import kernel
from linscope.losses.logistic_tiles import ROWS, terms
from linscope.rows.scores import add_rows, add_scores

# Bytes of the rows of a tile.
BYTES = 1 << 17


def fold_pass(X, codes, c, W, train, place, held, loss, G):
    """Add what these rows give to ``loss`` (folds,) and ``G`` (folds, d + 1).

    ``train[m]`` says whether problem m learns from them; where ``place[m]`` is not −1 they are held
    out from m, and their scores go to that column of ``held``.
    """
    tile = min(ROWS, max(64, BYTES // (8 * X.shape[1])))
    room = np.empty((5, tile))
    _pass(X, codes, c, W, train, place, held, loss, G, room, room.view(np.int64))


@kernel
def _pass(X, codes, c, W, train, place, held, loss, G, room, whole):
    """Compiled for all folds: threads that come back to Python for each wait for each other."""
    n, tile = len(X), room.shape[1]
    for a in range(0, n, tile):
        b = min(a + tile, n)
        rows, own, part = X[a:b], codes[a:b], c[a:b]
        scores, residual = room[0, : b - a], room[1, : b - a]
        for m in range(len(W)):
            if not train[m] and place[m] < 0:
                continue
            add_scores(rows, W[m], scores)
            if place[m] >= 0:
                for i in range(a, b):
                    held[i, place[m]] = scores[i - a]
            if train[m]:
                more = room[2], room[3], room[4], whole[4]
                loss[m] += terms(scores, own, part, residual, *more)
                add_rows(rows, residual, G[m])
