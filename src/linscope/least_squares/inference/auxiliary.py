"""Auxiliary regressions: how much of some response do some columns describe?

Many tests regress a by-product of the fit (a residual, its square) on the features, their products
or powers. Only the explained sum of squares is needed, so one pass over the rows suffices: with
columns Z, response r and weights c

    G = Zᵀ C Z,  g = Zᵀ C r   (both centred if there is a constant),   explained = gᵀ G⁺ g

The columns are built from the coordinates of ``basis.py``, which are nearly orthonormal, so the
normal equations lose no digits that matter.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from linscope.engines import Engine
from linscope.rows.blocks import Block

# Eigenvalues of the scaled Gram matrix below this share are columns that repeat others.
RANK_SHARE = 1e-11


class Sums(NamedTuple):
    """Cross products of [1, Z, r]: what an auxiliary regression needs of the rows."""

    matrix: np.ndarray
    constant: bool

    def on(self, columns: int | None = None) -> Explained:
        """The regression on the first ``columns`` columns of Z; on all by default."""
        q = self.matrix.shape[0] - 2
        keep = list(range(1, 1 + (q if columns is None else columns)))
        M, r = self.matrix, q + 1
        G, g, total = M[np.ix_(keep, keep)], M[keep, r], float(M[r, r])
        raw = np.diag(G)
        if self.constant:
            sums, count = M[0, keep], M[0, 0]
            G = G - np.outer(sums, sums) / count
            g = g - sums * (M[0, r] / count)
            total -= float(M[0, r] ** 2 / count)
        return _explained(G, g, raw, max(total, 0.0))


class Explained(NamedTuple):
    """Sum of squares of the response (about its mean, if there is a constant), the part of it
    that the columns describe, and how many of the columns count."""

    total: float
    explained: float
    rank: int

    @property
    def share(self) -> float:
        """R² of the auxiliary regression."""
        return self.explained / self.total if self.total > 0 else 0.0


def cross_products(
    engine: Engine,
    columns: Callable[[Block], np.ndarray],
    response: np.ndarray,
    weight: np.ndarray,
    *,
    constant: bool = True,
) -> Sums:
    """Sum the cross products over all rows."""
    matrix = engine.fold(partial(_block, columns, response, weight))
    return Sums(matrix, constant)


def _block(
    columns: Callable[[Block], np.ndarray],
    response: np.ndarray,
    weight: np.ndarray,
    block: Block,
) -> np.ndarray:
    Z, r = columns(block), response[block.rows]
    ends = np.column_stack([np.ones(len(r)), r])
    root = np.sqrt(weight[block.rows])[:, None]
    Z, ends = Z * root, ends * root
    q = Z.shape[1]
    out = np.empty((q + 2, q + 2))
    out[1:-1, 1:-1] = Z.T @ Z
    out[1:-1, [0, -1]] = cross = Z.T @ ends
    out[[0, -1], 1:-1] = cross.T
    out[np.ix_([0, -1], [0, -1])] = ends.T @ ends
    return out


def _explained(G: np.ndarray, g: np.ndarray, raw: np.ndarray, total: float) -> Explained:
    scale = np.sqrt(np.maximum(np.diag(G), 0.0))
    vary = scale**2 > 1e-13 * raw  # else the column is constant
    G, g, scale = G[np.ix_(vary, vary)], g[vary], scale[vary]
    if not len(g):
        return Explained(total, 0.0, 0)
    values, vectors = np.linalg.eigh(G / scale[:, None] / scale)
    keep = values > RANK_SHARE * values[-1]
    along = vectors[:, keep].T @ (g / scale)
    explained = float(np.sum(along**2 / values[keep]))
    return Explained(total, min(explained, total), int(keep.sum()))
