"""Row operations in double-double, beside those of ``rows.py``.

A row is taken about a shift m: its entries are x_j − m_j, which a pair holds exactly. Sparse rows
are not shifted.

``residual(rows, i, shift, w, start)``        start − Σ_j (x_ij − m_j) w_j
``add_multiple(rows, i, shift, step, g)``     g_j ← g_j + step·(x_ij − m_j)

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
