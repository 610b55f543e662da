"""Row operations: the only place where dense, sparse and Gram rows differ.

Every compiled rule is written once over these operations:

``row_dot(rows, i, w)``            w·x_i, summed from left to right, bias first: the textbook score
``quick_dot(rows, i, w)``          the same by vector instructions, in any order of summation
``row_add(rows, i, step, w)``      w ← w + step·x_i
``row_norm2(rows, i)``             ‖x_i‖²
``row_size(rows, i, v)``           Σ_j |x_ij| v_j for v ≥ 0, in any order of summation
``quick_dots(rows, a, b, w, s)``   ``quick_dot`` of the rows a … b − 1, to s[0 …]
``add_rows_to(rows, a, b, s, w)``  ``row_add`` of these rows with the steps s[0 …], in any order
``score_error(rows)``              c with |quick − textbook| ≤ c·‖w‖·‖x‖; 0 if they are the same sum

The weight vector always has the bias in front, ``w[0]``; ``rows.bias`` is the constant that goes
with it: 1, or 0 for a model without intercept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import overload
from scipy import sparse

from linscope import _compiling  # noqa: F401  (announces compilations)

from .blocks import NO_WEIGHT as NO_WEIGHT

# No order: as given. Compiled loops take arrays, not None.
GIVEN_ORDER = np.zeros(0, np.int64)
# Sums may be reordered and fused, but NaN and infinity keep their meaning.
REORDER = {"reassoc", "contract", "nsz"}
# Rows that stay in the fastest cache.
TILE = 64
# Indices without a sign spare the check for negative ones.
ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


class DenseRows(NamedTuple):
    values: np.ndarray
    bias: float


class SparseRows(NamedTuple):
    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    bias: float


class GramRows(NamedTuple):
    """Rows of feature space, known only by their inner products.

    The state vector has length 2n: the scores of all n training rows, then their coefficients α.
    """

    gram: np.ndarray


Rows = DenseRows | SparseRows | GramRows


def as_rows(X, bias: float = 1.0) -> DenseRows | SparseRows:
    """View a C-contiguous array or a CSR matrix as rows for compiled code, without a copy."""
    if sparse.issparse(X):
        return SparseRows(frozen(X.data), frozen(X.indices), frozen(X.indptr), float(bias))
    return DenseRows(frozen(X), float(bias))


def frozen(array: np.ndarray) -> np.ndarray:
    """A contiguous read-only view: a memory map or a slice is then no new type to the compiler."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def n_rows(rows: Rows) -> int:
    if isinstance(rows, SparseRows):
        return len(rows.indptr) - 1
    return len(rows[0])


def row_dot(rows, i, w):
    raise NotImplementedError("for compiled code only")


def row_add(rows, i, step, w):
    raise NotImplementedError("for compiled code only")


def row_norm2(rows, i):
    raise NotImplementedError("for compiled code only")


def row_size(rows, i, v):
    raise NotImplementedError("for compiled code only")


def quick_dot(rows, i, w):
    raise NotImplementedError("for compiled code only")


def quick_dots(rows, a, b, w, s):
    raise NotImplementedError("for compiled code only")


def add_rows_to(rows, a, b, s, w):
    raise NotImplementedError("for compiled code only")


def score_error(rows):
    raise NotImplementedError("for compiled code only")


def _kind(rows):
    return getattr(rows, "instance_class", None)


@overload(row_dot)
def _row_dot(rows, i, w):
    def dense(rows, i, w):
        total = rows.bias * w[0]
        for j in range(rows.values.shape[1]):
            total += rows.values[i, j] * w[j + 1]
        return total

    def sparse(rows, i, w):
        total = rows.bias * w[0]
        for p in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])):
            total += rows.data[p] * w[np.uint64(rows.indices[p]) + ONE]
        return total

    def gram(rows, i, w):
        return w[i]

    return {DenseRows: dense, SparseRows: sparse, GramRows: gram}.get(_kind(rows))


@overload(row_add)
def _row_add(rows, i, step, w):
    def dense(rows, i, step, w):
        w[0] += step * rows.bias
        for j in range(rows.values.shape[1]):
            w[j + 1] += step * rows.values[i, j]

    def sparse(rows, i, step, w):
        w[0] += step * rows.bias
        for p in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])):
            w[np.uint64(rows.indices[p]) + ONE] += step * rows.data[p]

    def gram(rows, i, step, w):
        n = rows.gram.shape[0]
        for j in range(n):
            w[j] += step * rows.gram[i, j]
        w[n + i] += step

    return {DenseRows: dense, SparseRows: sparse, GramRows: gram}.get(_kind(rows))


@overload(row_norm2, jit_options={"fastmath": REORDER})
def _row_norm2(rows, i):
    def dense(rows, i):
        total = rows.bias * rows.bias
        for j in range(rows.values.shape[1]):
            total += np.float64(rows.values[i, j]) * rows.values[i, j]
        return total

    def sparse(rows, i):
        total = rows.bias * rows.bias
        for p in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])):
            total += np.float64(rows.data[p]) * rows.data[p]
        return total

    def gram(rows, i):
        return rows.gram[i, i]

    return {DenseRows: dense, SparseRows: sparse, GramRows: gram}.get(_kind(rows))


@overload(row_size, jit_options={"fastmath": REORDER})
def _row_size(rows, i, v):
    def dense(rows, i, v):
        total = rows.bias * v[0]
        for j in range(rows.values.shape[1]):
            total += np.abs(rows.values[i, j]) * v[j + 1]
        return total

    def sparse(rows, i, v):
        total = rows.bias * v[0]
        for p in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])):
            total += np.abs(rows.data[p]) * v[np.uint64(rows.indices[p]) + ONE]
        return total

    return {DenseRows: dense, SparseRows: sparse}.get(_kind(rows))


@overload(quick_dot, jit_options={"fastmath": REORDER})
def _quick_dot(rows, i, w):
    def dense(rows, i, w):
        total = rows.bias * w[0]
        for j in range(rows.values.shape[1]):
            total += rows.values[i, j] * w[j + 1]
        return total

    return dense if _kind(rows) is DenseRows else None


# An overload of its own: what a function compiles with, numba hands on to the overloads it calls,
# and within REORDER ``row_dot`` would no longer be the textbook's sum. A call takes as long as a
# row of ten entries, so the compiler is told to spare it.
@overload(quick_dot, jit_options={"forceinline": True})
def _quick_dot_by_hand(rows, i, w):
    def sparse(rows, i, w):
        a, b, c, d = rows.bias * w[0], 0.0, 0.0, 0.0
        p, end = np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])
        while p + FOUR <= end:  # four sums at once: no addition waits for the one before
            a += rows.data[p] * w[np.uint64(rows.indices[p]) + ONE]
            b += rows.data[p + ONE] * w[np.uint64(rows.indices[p + ONE]) + ONE]
            c += rows.data[p + TWO] * w[np.uint64(rows.indices[p + TWO]) + ONE]
            d += rows.data[p + THREE] * w[np.uint64(rows.indices[p + THREE]) + ONE]
            p += FOUR
        while p < end:
            a += rows.data[p] * w[np.uint64(rows.indices[p]) + ONE]
            p += ONE
        return (a + b) + (c + d)

    def gram(rows, i, w):
        return row_dot(rows, i, w)

    return {SparseRows: sparse, GramRows: gram}.get(_kind(rows))


# Four rows at a time: every number of w is read, or written, once for all of them. By numbers of
# rows, not by slices, which take the compiler longer than the loops do.
@overload(quick_dots, jit_options={"fastmath": REORDER})
def _quick_dots(rows, a, b, w, s):
    def dense(rows, a, b, w, s):
        X, i, k = rows.values, a, 0
        while i + 4 <= b:
            s0 = s1 = s2 = s3 = rows.bias * w[0]
            for j in range(X.shape[1]):
                v = w[j + 1]
                s0 += X[i, j] * v
                s1 += X[i + 1, j] * v
                s2 += X[i + 2, j] * v
                s3 += X[i + 3, j] * v
            s[k], s[k + 1], s[k + 2], s[k + 3] = s0, s1, s2, s3
            i, k = i + 4, k + 4
        while i < b:
            s[k] = quick_dot(rows, i, w)
            i, k = i + 1, k + 1

    def sparse(rows, a, b, w, s):
        for i in range(a, b):
            s[i - a] = quick_dot(rows, i, w)

    return {DenseRows: dense, SparseRows: sparse}.get(_kind(rows))


@overload(add_rows_to, jit_options={"fastmath": REORDER})
def _add_rows_to(rows, a, b, s, w):
    def dense(rows, a, b, s, w):
        X, i, k = rows.values, a, 0
        while i + 4 <= b:
            s0, s1, s2, s3 = s[k], s[k + 1], s[k + 2], s[k + 3]
            w[0] += rows.bias * ((s0 + s1) + (s2 + s3))
            for j in range(X.shape[1]):
                front, back = s0 * X[i, j] + s1 * X[i + 1, j], s2 * X[i + 2, j] + s3 * X[i + 3, j]
                w[j + 1] += front + back
            i, k = i + 4, k + 4
        while i < b:
            row_add(rows, i, s[k], w)
            i, k = i + 1, k + 1

    def sparse(rows, a, b, s, w):
        for i in range(a, b):
            row_add(rows, i, s[i - a], w)

    return {DenseRows: dense, SparseRows: sparse}.get(_kind(rows))


# |fl(w·x) − w·x| ≤ (d + 1)u/(1 − (d + 1)u) Σ|w_j x_j| for any order of summation, fused or not;
# two different orders differ by at most twice that, and Σ|w_j x_j| ≤ ‖w‖·‖x‖.
@overload(score_error)
def _score_error(rows):
    if _kind(rows) is DenseRows:
        return lambda rows: 2.02 * (rows.values.shape[1] + 3) * 1.1102230246251565e-16
    if _kind(rows) is SparseRows:  # no row has more entries than there are in all
        return lambda rows: 2.02 * (rows.data.shape[0] + 3) * 1.1102230246251565e-16
    return lambda rows: 0.0
