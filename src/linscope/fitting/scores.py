"""Scores w·x and votes, with the right sign also where products overflow or vanish."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from linscope._bridge import ovr_decision_function
from linscope.data.tables import TableLike
from linscope.rows.blocks import Block
from linscope.rows.operations import as_rows
from linscope.rows.scores import norm, scores_of
from linscope.verify.exact_signs import settled_scores

# Squares of larger values leave too little of the range of floats; smaller ones vanish.
LARGEST, SMALLEST = 1e150, 1e-150


def block_scores(block: Block, weights: np.ndarray, bias: float) -> np.ndarray:
    """w·[bias, x] of each row for each w; the sign is exactly that of the floats, also of 0."""
    rows, n = as_rows(block.X, bias), block.X.shape[0]
    out, doubtful = np.empty((len(weights), n)), np.empty(n, dtype=np.bool_)
    for k, w in enumerate(weights):
        radius = np.sqrt(scores_of(rows, w, out[k], doubtful))
        if not SMALLEST < radius * norm(w) < LARGEST:
            out[k] = _extreme_scores(block.X, w, bias)
            doubtful[:] = np.isfinite(out[k])
        open_rows = np.flatnonzero(doubtful)
        if len(open_rows):
            held = np.r_[bias * w[0], w[1:]]
            out[k, open_rows] = settled_scores(block.X[open_rows], held)
    return out.T


def _extreme_scores(X: TableLike, w: np.ndarray, bias: float) -> np.ndarray:
    """w·x where products may overflow or vanish: rows and weights are brought near 1 first."""
    largest = np.asarray(abs(X).max(axis=1).todense()).ravel() if sparse.issparse(X) else None
    largest = np.abs(X).max(axis=1) if largest is None else largest
    exponent = np.maximum(np.frexp(np.maximum(largest.astype(np.float64), bias))[1], -1000)
    shift = np.frexp(np.abs(w).max())[1]
    v = np.ldexp(w, -shift)
    scale = np.ldexp(1.0, -exponent)
    near_one = sparse.diags_array(scale) @ X if sparse.issparse(X) else X * scale[:, None]
    scores = np.asarray(near_one @ v[1:]).ravel() + bias * scale * v[0]
    with np.errstate(over="ignore"):
        signed = keep_sign(np.ldexp(scores, exponent + shift), scores)
    return np.where(np.isfinite(largest), signed, np.nan)


def keep_sign(values: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """``values`` with what overflowed or vanished replaced by the largest or smallest number."""
    info = np.finfo(values.dtype)
    size = np.clip(np.abs(values), info.smallest_subnormal, info.max)
    return np.where(signs == 0, values, np.copysign(size, signs).astype(values.dtype))


def into_range(scores: np.ndarray, dtype: Any) -> np.ndarray:
    """float64 scores in the data's own type, each with its sign."""
    if scores.dtype == dtype:
        return scores
    with np.errstate(over="ignore", under="ignore"):
        return keep_sign(scores.astype(dtype), scores)


def in_type(W: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The weights in the type of the data, if it can hold them."""
    with np.errstate(over="ignore"):
        out = W.astype(dtype)
    if not np.isfinite(out).all():
        raise ValueError(f"a weight is beyond the range of {dtype}: scale the columns of X")
    return out


def pair_votes(scores: np.ndarray, positive: np.ndarray, n_classes: int) -> np.ndarray:
    """One column per class from the scores of all pairs: its votes, ties by the sum of scores."""
    limit = np.finfo(np.float64).max / 4 / n_classes  # sums must not overflow
    confidences = np.clip(scores.astype(np.float64), -limit, limit)
    return ovr_decision_function(positive, confidences, n_classes).astype(scores.dtype)
