"""Row operations in double-double, beside those of ``rows.py``.

A row is taken about a shift m: its entries are x_j − m_j, which a pair holds exactly. Sparse rows
are not shifted.

``residual(rows, i, shift, w, start)``        start − Σ_j (x_ij − m_j) w_j
``add_multiple(rows, i, shift, step, g)``     g_j ← g_j + step·(x_ij − m_j)
``row_terms(rows, i)``                        how many numbers the row has, zeros left out
``exact_terms(rows, i, w, p, e)``             p + e = the terms w_j x_ij, without the bias; how many

``w``, ``start``, ``step`` and ``g`` are pairs; w[0] and g[0] belong to the bias.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from linscope._compiling import kernel
from linscope.arithmetic.double_double import Pair, add, mul, two_prod, two_sum

from .operations import DenseRows, SparseRows, _kind


def residual(rows, i, shift, wh, wl, h, l):
    raise NotImplementedError("for compiled code only")


def add_multiple(rows, i, shift, sh, sl, gh, gl):
    raise NotImplementedError("for compiled code only")


def row_terms(rows, i):
    raise NotImplementedError("for compiled code only")


def exact_terms(rows, i, w, p, e):
    raise NotImplementedError("for compiled code only")


@overload(row_terms)
def _row_terms(rows, i):
    if _kind(rows) is DenseRows:
        return lambda rows, i: rows.values.shape[1]
    return lambda rows, i: np.int64(rows.indptr[i + 1]) - np.int64(rows.indptr[i])


@overload(exact_terms)
def _exact_terms(rows, i, w, p, e):
    def dense(rows, i, w, p, e):
        for j in range(rows.values.shape[1]):
            p[j], e[j] = two_prod(np.float64(rows.values[i, j]), w[j + 1])
        return rows.values.shape[1]

    def sparse(rows, i, w, p, e):
        first = np.int64(rows.indptr[i])
        for place in range(first, np.int64(rows.indptr[i + 1])):
            value = np.float64(rows.data[place])
            p[place - first], e[place - first] = two_prod(value, w[rows.indices[place] + 1])
        return np.int64(rows.indptr[i + 1]) - first

    return {DenseRows: dense, SparseRows: sparse}.get(_kind(rows))


@overload(residual)
def _residual(rows, i, shift, wh, wl, h, l):
    def dense(rows, i, shift, wh, wl, h, l):
        h, l = add(h, l, -rows.bias * wh[0], -rows.bias * wl[0])
        for j in range(rows.values.shape[1]):
            a, b = two_sum(np.float64(rows.values[i, j]), -shift[j])
            qh, ql = mul(a, b, wh[j + 1], wl[j + 1])
            h, l = add(h, l, -qh, -ql)
        return h, l

    def sparse(rows, i, shift, wh, wl, h, l):
        h, l = add(h, l, -rows.bias * wh[0], -rows.bias * wl[0])
        for place in range(rows.indptr[i], rows.indptr[i + 1]):
            j = rows.indices[place] + 1
            qh, ql = mul(np.float64(rows.data[place]), 0.0, wh[j], wl[j])
            h, l = add(h, l, -qh, -ql)
        return h, l

    return {DenseRows: dense, SparseRows: sparse}.get(_kind(rows))


@overload(add_multiple)
def _add_multiple(rows, i, shift, sh, sl, gh, gl):
    def dense(rows, i, shift, sh, sl, gh, gl):
        gh[0], gl[0] = add(gh[0], gl[0], rows.bias * sh, rows.bias * sl)
        for j in range(rows.values.shape[1]):
            a, b = two_sum(np.float64(rows.values[i, j]), -shift[j])
            qh, ql = mul(a, b, sh, sl)
            gh[j + 1], gl[j + 1] = add(gh[j + 1], gl[j + 1], qh, ql)

    def sparse(rows, i, shift, sh, sl, gh, gl):
        gh[0], gl[0] = add(gh[0], gl[0], rows.bias * sh, rows.bias * sl)
        for place in range(rows.indptr[i], rows.indptr[i + 1]):
            j = rows.indices[place] + 1
            qh, ql = mul(np.float64(rows.data[place]), 0.0, sh, sl)
            gh[j], gl[j] = add(gh[j], gl[j], qh, ql)

    return {DenseRows: dense, SparseRows: sparse}.get(_kind(rows))


@kernel
def gradient_pass(rows, Y, weight, shift, w: Pair, g: Pair, rss: Pair):
    """r_i = y_i − w·[1, x_i − m]; g ← g + Σ_i c_i r_i [1, x_i − m]; rss ← rss + Σ_i c_i r_i².

    One column of Y, w (t, d+1) and g (t, d+1) a target; no weights: all are 1.
    """
    weighted = len(weight) > 0
    for i in range(Y.shape[0]):
        for t in range(Y.shape[1]):
            rh, rl = residual(rows, i, shift, w.hi[t], w.lo[t], Y[i, t], 0.0)
            sh, sl = rh, rl
            if weighted:
                sh, sl = mul(rh, rl, weight[i], 0.0)
            add_multiple(rows, i, shift, sh, sl, g.hi[t], g.lo[t])
            qh, ql = mul(rh, rl, sh, sl)
            rss.hi[t], rss.lo[t] = add(rss.hi[t], rss.lo[t], qh, ql)


@kernel
def shifted(X, shift, scale, H, L):
    """H + L = (x − m)·2^k, exactly."""
    n, d = X.shape
    for i in range(n):
        for j in range(d):
            h, l = two_sum(np.float64(X[i, j]), -shift[j])
            H[i, j], L[i, j] = h * scale[j], l * scale[j]


@kernel
def times(H, L, S, B):
    """B = (H + L) S, accumulated in pairs and rounded once."""
    n, p = H.shape
    high, low = np.zeros(S.shape[1]), np.zeros(S.shape[1])
    for i in range(n):
        for k in range(S.shape[1]):
            high[k], low[k] = 0.0, 0.0
        for j in range(p):
            a, b = H[i, j], L[i, j]
            for k in range(S.shape[1]):
                q, e = two_prod(a, S[j, k])
                s, f = two_sum(high[k], q)
                high[k] = s
                low[k] += f + (e + b * S[j, k])
        for k in range(S.shape[1]):
            B[i, k] = high[k] + low[k]


@kernel
def careful_scores(rows, places, problems, W, low, out):
    """w_k·[1, x_i] + low_k for pairs (i, k), as if summed in twice the precision.

    The terms are added in a tree, whose loops the compiler turns into vector instructions. With m
    terms in l levels, rounding to the result included, and size = Σ |terms|:

        |error| ≤ u |result| + (2l + 4)(l + 2) u² size      (and what products lose that vanish)
    """
    most = 0
    for t in range(len(places)):
        most = max(most, row_terms(rows, places[t]))
    p, e = np.empty(most + 1), np.empty(most + 1)
    for t in range(len(places)):
        k = problems[t]
        m = exact_terms(rows, places[t], W[k], p, e)
        p[m], e[m] = rows.bias * W[k, 0], low[k]
        m += 1
        while m > 1:
            half = (m + 1) // 2
            for j in range(m - half):
                s, r = two_sum(p[j], p[half + j])
                p[j] = s
                e[j] = (e[j] + e[half + j]) + r
            m = half
        out[places[t], k] = p[0] + e[0]
