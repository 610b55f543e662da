"""Scores w·[1, x] that are right to rounding, and votes.

``linear_scores`` computes the scores of all linear models. In plain floats the error of a row is at
most

    γ_m Σ_j |x_j| max_k |w_kj|        m terms, γ_m = m u / (1 − m u), u = 2⁻⁵³

Where this bound exceeds 2⁻³⁶ of the score, or of the typical distance between the scores of the
problem, the score is computed again in twice the precision, with an error of at most about
u |score| + u² Σ |x_j w_j|. Where that is too much, or terms leave the range of floats, the score is
computed in integers and rounded once. The sign of a score is therefore exact, also for a score of
0. Rows in float32 are scored in float64.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linscope._bridge import ovr_decision_function
from linscope.arithmetic.enclosures import TINY, UNIT, Ball, gamma
from linscope.rows.blocks import SPARSE_ROWS, take_rows
from linscope.rows.double_operations import careful_scores
from linscope.rows.operations import as_rows
from linscope.rows.scores import LARGEST as LARGEST_SUM
from linscope.rows.scores import LEAST, plain_scores
from linscope.rows.threads import Workers
from linscope.verify.exact_signs import rounded_scores
from linscope.verify.kernel_signs import given_values
from linscope.verify.kernel_values import Kernel, kernel_sums, matrix_sums

# Squares of larger values leave too little of the range of floats; smaller ones vanish.
LARGEST, SMALLEST = 1e150, 1e-150
# The largest error of plain scores, as a share of the score and of the distance between scores.
MOST = 2.0**-36
# Numbers of the rows that are scored at a time.
NUMBERS = 1 << 20


class Scored(NamedTuple):
    """Scores (n, K) in float64, and bounds of their errors if those were asked for."""

    scores: np.ndarray
    errors: np.ndarray | None = None


class Problems(NamedTuple):
    """The weights (K, d + 1), bias first, of K problems.

    ``largest`` (d + 1): max_k |w_kj|. ``columns``: the weights without bias, of sparse rows a
    weight of all problems at once. ``low`` (K): what is added to the biases, far below them.
    """

    W: np.ndarray
    largest: np.ndarray
    columns: np.ndarray | None
    low: np.ndarray | None


def linear_scores(X: Any, W: np.ndarray, low: Any = None, *, bounds: bool = False) -> Scored:
    """w_k·[1, x_i] (+ low_k, far below the bias) of all rows of a matrix; NaN of bad rows.

    Parameters
    ----------
    X : C-contiguous array or CSR matrix (n, d)
    W : (K, d + 1) finite float64, bias first
    """
    (n, d), W = X.shape, np.ascontiguousarray(W)
    columns = np.ascontiguousarray(W[:, 1:].T) if sparse.issparse(X) and len(W) > 1 else None
    problems = Problems(W, np.abs(W).max(axis=0), columns, low)
    out, errors = np.empty((n, len(W))), np.empty((n, len(W))) if bounds else None
    step = SPARSE_ROWS if sparse.issparse(X) else max(1, NUMBERS // d)
    if n <= step:
        _score(X, problems, out, errors)
        return Scored(out, errors)

    def part(start: int) -> None:
        rows = slice(start, min(start + step, n))
        own = None if errors is None else errors[rows]
        _score(take_rows(X, rows.start, rows.stop), problems, out[rows], own)

    with closing(Workers().map(part, range(0, n, step))) as parts:
        for _ in parts:
            pass
    return Scored(out, errors)


def row_scores(X: Any, w: np.ndarray) -> np.ndarray:
    """w·[1, x] of the rows of a block."""
    return linear_scores(X, np.array([w], dtype=np.float64)).scores[:, 0]


def kernel_errors(
    scores: np.ndarray, kernel: Kernel, X: Any, Z: Any, beta: np.ndarray, bias: float
) -> np.ndarray:
    """Bounds of |score − (Σ_j β_j K(x, z_j) + b)|; without Z the rows of X are kernel values."""
    if Z is None:
        near = matrix_sums(given_values(X), beta, bias)
    else:
        near = kernel_sums(kernel, X, Z, beta, bias)
    return (Ball.of(scores) - near).size


def _score(X: Any, problems: Problems, out: np.ndarray, errors: Any) -> None:
    """The scores of some rows to ``out``, bounds of their errors to ``errors``."""
    terms, W = 1 + _most_entries(X), problems.W
    known = problems.columns is not None
    if known:
        with np.errstate(over="ignore", invalid="ignore"):
            out[:] = X @ problems.columns + W[:, 0]
    size, doubtful = np.empty(len(out)), np.empty(out.shape, dtype=np.bool_)
    share = gamma(terms + 3) * (1.0 + gamma(terms + 3))
    rows, largest = as_rows(X), problems.largest
    count = plain_scores(rows, W, largest, known, share, MOST, out, size, doubtful)
    if errors is not None:
        errors[:] = _rounded_up(share * size[:, None], terms)
    if count:
        with np.errstate(over="ignore", invalid="ignore"):
            _rescored(X, W, problems.low, terms, size, np.nonzero(doubtful), out, errors)


def _rescored(
    X: Any, W: np.ndarray, low: Any, terms: int, size: Any, pairs: Any, out: Any, errors: Any
) -> None:
    """The scores of these pairs (row, problem) again, with bounds of their errors if asked for."""
    inside = (size[pairs[0]] > LEAST) & (size[pairs[0]] < LARGEST_SUM)
    places, problems = pairs[0][inside], pairs[1][inside]
    tails = np.zeros(len(W)) if low is None else low
    careful_scores(as_rows(X), places, problems, W, tails, out)
    levels = np.ceil(np.log2(terms))
    found = np.abs(out[places, problems])
    away = (2 * levels + 4) * (levels + 2) * UNIT**2 * size[places]
    if errors is not None:
        errors[places, problems] = _rounded_up(away + UNIT * found, terms)
    if low is None:
        inside[inside] = away <= UNIT * found
    if not inside.all():
        _in_integers(X, W, pairs[0][~inside], pairs[1][~inside], out, errors)


def _in_integers(X: Any, W: np.ndarray, places: Any, problems: Any, out: Any, errors: Any) -> None:
    """Scores of these pairs, rounded once."""
    for k in np.unique(problems):
        rows, found = places[problems == k], np.zeros(np.count_nonzero(problems == k))
        bad = ~_finite(X[rows])
        found[bad] = np.nan
        terms = np.asarray((X[rows] != 0.0) @ (W[k, 1:] != 0.0).astype(np.int64))
        some = np.flatnonzero(~bad & ((terms > 0) | (W[k, 0] != 0.0)))  # of the others all are 0
        found[some] = rounded_scores(X[rows[some]], W[k])
        out[rows, k] = found
        if errors is not None:
            near = np.abs(found) < np.finfo(np.float64).max
            errors[rows, k] = np.where(near, _rounded_up(UNIT * np.abs(found), 1), np.inf)


def _most_entries(X: Any) -> int:
    """The most numbers of a row."""
    return int(np.diff(X.indptr).max(initial=0)) if sparse.issparse(X) else X.shape[1]


def _finite(X: Any) -> np.ndarray:
    """Whether all numbers of a row are."""
    if not sparse.issparse(X):
        return np.isfinite(X).all(axis=1)
    return np.asarray(abs(X).max(axis=1).toarray()).ravel() < np.inf  # NaN is not


def _rounded_up(errors: np.ndarray, terms: int) -> np.ndarray:
    """With the roundings of the bound itself, and products that vanish."""
    return errors * (1.0 + 1e-12) + 4 * terms * TINY


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
        out = scores.astype(dtype)
    vanished = np.count_nonzero(out) != np.count_nonzero(scores)
    return keep_sign(out, scores) if vanished or not np.isfinite(out).all() else out


def rounding_to(scores: np.ndarray, dtype: Any) -> np.ndarray:
    """How far ``into_range`` may move a score, at most."""
    if scores.dtype == dtype:
        return np.zeros(scores.shape)
    info = np.finfo(dtype)
    size = np.abs(scores)
    with np.errstate(over="ignore"):
        near = size * (0.5 * float(info.eps)) * (1.0 + 1e-12) + float(info.smallest_subnormal)
        return np.where(size < float(info.max), near, np.inf)


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
