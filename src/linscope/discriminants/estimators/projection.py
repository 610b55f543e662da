"""Rows along directions, about a centre."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from linscope.data.tables import TableLike
from linscope.engines import choose
from linscope.rows.blocks import Block


def project(X: TableLike, centre: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """(X − centre) @ directions in the type of X, on threads."""
    return choose(X).gather(_block, centre, directions)


def _block(block: Block, centre: np.ndarray, directions: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):  # NaN in the data: the caller looks
        if sparse.issparse(block.X):
            out = block.X @ directions - centre @ directions
        else:
            out = (block.X - centre) @ directions
        return out.astype(block.X.dtype, copy=False)
