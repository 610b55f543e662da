"""One pass over row blocks: first and second sums of each class about given origins."""

from __future__ import annotations

import itertools
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

from linscope.engines import Engine
from linscope.rows.blocks import (
    SPARSE_ROWS,
    Block,
    block_rows_for,
    borders,
    by_columns,
)
from linscope.rows.column_products import STRIP
from linscope.rows.operations import as_rows, frozen

from . import class_loops as loops

Kind = Literal["pooled", "separate", "squares"]

# The centred copy of a few rows should stay in the cache, but a product needs rows to be fast.
STEP_BYTES, STEP_ROWS = 400_000, 256
# Sums over columns side by side look at every number for each class.
FEW_CLASSES = 8
# Sparse blocks are few, because each has a full matrix of its own.
SPARSE_BLOCKS = 16


class ClassSums(NamedTuple):
    """Σ w (K,), and with z = (x − origin)/2^exponent: Σ w z (K, d) and Σ w z zᵀ or Σ w z².

    ``second`` is (1, d, d) for "pooled", (K, d, d) for "separate", (K, d) for "squares".
    """

    weight: np.ndarray
    first: np.ndarray
    second: np.ndarray

    def plus(self, other: ClassSums) -> ClassSums:
        for mine, theirs in zip(self, other, strict=True):
            mine += theirs  # a matrix for each class may be large
        return self


def in_blocks(engine: Engine) -> Engine:
    """Blocks that depend on the shape only."""
    if engine.is_sparse:
        return engine.cut(max(SPARSE_ROWS, -(-engine.n_rows // SPARSE_BLOCKS)))
    rows = block_rows_for(engine.n_features, engine.dtype.itemsize)
    return engine.cut(4 * max(rows, STEP_ROWS))


def additions(engine: Engine, kind: Kind) -> int:
    """How many a number may go through: within its step or block, over these, in the weight."""
    longest, blocks = max(engine.sizes, default=0), len(engine.sizes)
    if engine.is_sparse or kind == "squares":
        path = longest
    else:
        step = _step(engine.n_features)
        path = min(longest, step) + (longest // step + 1) * -(-step // STRIP)
    return path + blocks + (longest + blocks if engine.weighted else 0)


def _step(d: int) -> int:
    return max(STEP_ROWS, STEP_BYTES // (8 * d))


def sums_of(engine: Engine, kind: Kind, origin: np.ndarray, scale: np.ndarray) -> ClassSums:
    """``block_sums`` of all blocks; of columns side by side where that is quicker."""
    if kind == "pooled" and len(origin) <= FEW_CLASSES:
        return engine.fold(_pooled, origin, scale)
    return engine.fold(block_sums, kind, origin, scale)


@by_columns
def _pooled(block: Block, origin: np.ndarray, scale: np.ndarray) -> ClassSums:
    """The sums of all classes together, of rows or of columns side by side."""
    if sparse.issparse(block.X) or block.X.flags.c_contiguous:
        return block_sums(block, "pooled", origin, scale)
    return _of_columns(block, origin, scale)


def block_sums(block: Block, kind: Kind, origin: np.ndarray, scale: np.ndarray) -> ClassSums:
    (n_classes, d), groups = origin.shape, 1 if kind == "pooled" else len(origin)
    shape = (n_classes, d) if kind == "squares" else (groups, d, d)
    out = ClassSums(weights_of(block, n_classes), np.zeros((n_classes, d)), np.zeros(shape))
    if sparse.issparse(block.X):
        _sparse(block, origin, scale, kind, out)
    elif kind == "squares":
        rows = as_rows(block.X).values  # type: ignore[union-attr]
        loops.dense_squares(rows, block.y, block.weight, origin, scale, out.first, out.second)
    else:
        _dense_gram(block, origin, scale, out)
    return out


def weights_of(block: Block, n_classes: int) -> np.ndarray:
    """Σ w of each class."""
    weight = block.weight if block.weighted else None
    return np.bincount(block.y, weight, n_classes).astype(np.float64)


def _dense_gram(block: Block, origin, scale, out: ClassSums) -> None:
    X, codes, weight = as_rows(block.X).values, block.y, block.weight  # type: ignore[union-attr]
    n, d = X.shape
    ends = [0, n]
    if len(out.second) > 1:  # rows of a class side by side: each class has its own product
        order = np.argsort(codes, kind="stable")
        X, codes = X[order], codes[order]
        weight = weight[order] if len(weight) else weight
        ends = np.searchsorted(codes, range(len(origin) + 1)).tolist()
    step, sums = _step(d), np.empty_like(out.first)
    Z, product = np.empty((min(step, n), d)), np.empty((d, d))
    for target, (first, last) in zip(out.second, itertools.pairwise(ends), strict=True):
        for a, b in borders(last - first, step):
            rows = slice(first + a, first + b)
            z = Z[: b - a]
            own = weight[rows] if len(weight) else weight
            sums[:] = 0.0
            loops.centre_rows(X[rows], codes[rows], own, origin, scale, z, sums)
            out.first[:] += sums
            target += np.matmul(z.T, z, out=product)


def _of_columns(block: Block, origin, scale) -> ClassSums:
    (n_classes, d), total = origin.shape, weights_of(block, len(origin))
    first, upper = np.zeros((d, n_classes)), np.zeros((d, d))
    P, codes, root = frozen(block.X.T), frozen(block.y), frozen(np.sqrt(block.weight))
    loops.pooled_columns(P, codes, root, origin, scale, _step(d), first, upper)
    second = np.triu(upper) + np.triu(upper, 1).T
    return ClassSums(total, first.T.copy(), second[None])


def _sparse(block: Block, origin, scale, kind: Kind, out: ClassSums) -> None:
    rows: Any = as_rows(block.X)
    entries = rows.data, rows.indices, rows.indptr, block.y, block.weight, origin, scale
    if kind != "squares":
        full = np.flatnonzero(origin.any(axis=0))
        loops.sparse_gram(*entries, full, out.first, out.second, kind == "pooled")
        for half in out.second:
            diagonal = half.diagonal().copy()
            half += half.T.copy()
            np.fill_diagonal(half, diagonal)
        return
    seen = np.zeros_like(origin)
    loops.sparse_squares(*entries, out.first, out.second, seen)
    if origin.any():
        # Entries that are not stored are 0: each adds z = −origin·scale.
        unseen, zero = out.weight[:, None] - seen, -origin * scale
        out.first[:] += unseen * zero
        out.second[:] += unseen * zero * zero
