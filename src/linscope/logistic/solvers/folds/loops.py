"""One look at the rows for all folds: scores, losses and gradients of several weights at once.

A block of rows stays in the cache while every fold's weights visit it, so memory is read once for
all folds.
"""

from __future__ import annotations

import numpy as np

from linscope.losses.logistic_tiles import binary_terms
from linscope.rows.scores import add_rows, add_scores


def fold_pass(X, codes, c, W, train, place, held, loss, G):
    """Add what these rows give to ``loss`` (folds,) and ``G`` (folds, d + 1).

    ``train[m]`` says whether problem m learns from them; where ``place[m]`` is not −1 they are held
    out from m, and their scores go to that column of ``held``.
    """
    s, residual, curvature = np.empty((3, len(X)))
    for m in np.flatnonzero(train | (place >= 0)).tolist():
        add_scores(X, W[m], s)
        if place[m] >= 0:
            held[:, place[m]] = s
        if train[m]:
            loss[m] += binary_terms(s, codes, c, residual, curvature)
            add_rows(X, residual, G[m])
