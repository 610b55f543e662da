"""Coordinate descent on a quadratic model with an ℓ1 penalty, over columns.

    min_δ,b   u·z + ½ Σ_i h_i z_i² + l1 Σ_j |w_j + δ_j| + ½ l2 Σ_j (w_j + δ_j)²,   z = Xδ + b

The loop is written once over column operations; dense, sparse and Gram columns differ only in
them:

``column_dot(columns, j, u)``            x_j·u
``column_add(columns, j, step, h, u)``   u ← u + step·(h ∘ x_j)
``column_square(columns, j, h)``         Σ_i h_i x_ij²; not for Gram columns
``column_entries(columns, j)``           the range of its entries; not for Gram columns
``column_entry(columns, j, p)``          row and value of entry p

The state u is the derivative of the model by the scores. For Gram columns it is the derivative by
the weights, so that a step costs as many operations as there are columns, not rows.

The bias is eliminated, not descended on: after a step δ_j it answers with −δ_j m_j, where m_j is
the mean of column j under the weights h. So columns act as if they were centred, at no cost.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from scipy import sparse

from linscope._compiling import kernel
from linscope.rows.operations import REORDER

# A centred column's curvature is a difference: below this share of the minuend it is rounding.
ROUNDING = 1e-10


class DenseColumns(NamedTuple):
    values: np.ndarray  # (d, n): a column of X is contiguous


class SparseColumns(NamedTuple):
    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


class GramColumns(NamedTuple):
    gram: np.ndarray


def as_columns(X: Any) -> DenseColumns | SparseColumns:
    """The columns of X in one piece each, in float64: a copy."""
    if sparse.issparse(X):
        columns = X.tocsc().astype(np.float64, copy=False)
        columns.sum_duplicates()
        return SparseColumns(columns.data, columns.indices, columns.indptr)
    return DenseColumns(np.ascontiguousarray(X.T, dtype=np.float64))


def column_dot(columns, j, u):
    raise NotImplementedError("for compiled code only")


def column_add(columns, j, step, h, u):
    raise NotImplementedError("for compiled code only")


def column_entries(columns, j):
    raise NotImplementedError("for compiled code only")


def column_entry(columns, j, p):
    raise NotImplementedError("for compiled code only")


def column_square(columns, j, h):
    raise NotImplementedError("for compiled code only")


def _kind(columns):
    return getattr(columns, "instance_class", None)


@overload(column_dot, jit_options={"fastmath": REORDER})
def _column_dot(columns, j, u):
    def dense(columns, j, u):
        total = 0.0
        for i in range(len(u)):
            total += columns.values[j, i] * u[i]
        return total

    def sparse(columns, j, u):
        total = 0.0
        for p in range(np.uint64(columns.indptr[j]), np.uint64(columns.indptr[j + 1])):
            total += columns.data[p] * u[np.uint64(columns.indices[p])]
        return total

    def gram(columns, j, u):
        return u[j]

    return {DenseColumns: dense, SparseColumns: sparse, GramColumns: gram}.get(_kind(columns))


@overload(column_add)
def _column_add(columns, j, step, h, u):
    def dense(columns, j, step, h, u):
        for i in range(len(u)):
            u[i] += step * h[i] * columns.values[j, i]

    def sparse(columns, j, step, h, u):
        for p in range(np.uint64(columns.indptr[j]), np.uint64(columns.indptr[j + 1])):
            i = np.uint64(columns.indices[p])
            u[i] += step * h[i] * columns.data[p]

    def gram(columns, j, step, h, u):
        for i in range(len(u)):
            u[i] += step * columns.gram[j, i]

    return {DenseColumns: dense, SparseColumns: sparse, GramColumns: gram}.get(_kind(columns))


@overload(column_entries)
def _column_entries(columns, j):
    def dense(columns, j):
        return 0, columns.values.shape[1]

    def sparse(columns, j):
        return columns.indptr[j], columns.indptr[j + 1]

    return {DenseColumns: dense, SparseColumns: sparse}.get(_kind(columns))


@overload(column_entry, inline="always")
def _column_entry(columns, j, p):
    def dense(columns, j, p):
        return p, columns.values[j, p]

    def sparse(columns, j, p):
        return columns.indices[p], columns.data[p]

    return {DenseColumns: dense, SparseColumns: sparse}.get(_kind(columns))


@overload(column_square, jit_options={"fastmath": REORDER})
def _column_square(columns, j, h):
    def dense(columns, j, h):
        total = 0.0
        for i in range(len(h)):
            total += h[i] * columns.values[j, i] * columns.values[j, i]
        return total

    def sparse(columns, j, h):
        total = 0.0
        for p in range(np.uint64(columns.indptr[j]), np.uint64(columns.indptr[j + 1])):
            total += h[np.uint64(columns.indices[p])] * columns.data[p] * columns.data[p]
        return total

    return {DenseColumns: dense, SparseColumns: sparse}.get(_kind(columns))


@kernel
def column_moments(columns, own, h):
    """Σ h x² and Σ h x of each of the columns ``own``."""
    squares, sums = np.empty(len(own)), np.empty(len(own))
    for t in range(len(own)):
        squares[t] = column_square(columns, own[t], h)
        sums[t] = column_dot(columns, own[t], h)
    return squares, sums


@kernel
def descend(columns, own, u, h, w, squares, sums, mass, b, l1, l2, accuracy, most):
    """Sweeps over the columns ``own``: all of them, then the nonzero ones, then all again.

    ``w`` and ``u`` are changed in place. ``mass`` is Σ h, or 0 without a bias, ``b`` the change
    of the bias so far, which ``u`` does not contain. It ends when a sweep over all columns moves,
    in squared length under the model, at most ``accuracy`` times what the first one did.
    Returns b and the number of sweeps.
    """
    everything, first, sweeps = True, 0.0, 0
    while sweeps < most:
        moved = 0.0
        for t in range(len(own)):
            old = w[t]
            if old == 0.0 and not everything:
                continue
            mean = sums[t] / mass if mass > 0.0 else 0.0
            curvature = max(squares[t] - mean * sums[t], ROUNDING * squares[t])
            if curvature + l2 == 0.0:
                w[t] = 0.0  # a column of zeros
                continue
            g = column_dot(columns, own[t], u) + b * mean * mass
            target = curvature * old - g
            new = max(abs(target) - l1, 0.0) / (curvature + l2)
            if target < 0.0 and new > 0.0:  # no −0
                new = -new
            step = new - old
            if step != 0.0:
                w[t] = new
                column_add(columns, own[t], step, h, u)
                b -= step * mean
                moved += (curvature + l2) * step * step
        if sweeps == 0:
            first = moved
        sweeps += 1
        if moved <= accuracy * first:
            if everything:
                break
            everything = True
        else:
            everything = False
    return b, sweeps
