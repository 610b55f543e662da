"""Compiled loops of ``inverse_proof.py``; M and G are upper halves, hi and lo of double-doubles.

``first`` is 0 with a bias and 1 without: the first column in use of G, whose columns are 1, the
features and the targets. W is (targets, d + 1), v and w are (d + 1, targets).
"""

from __future__ import annotations

import math

import numpy as np

from linscope._compiling import kernel
from linscope.arithmetic.double_double import UNIT2, add, mul

ROOM = 1 + 1e-12


@kernel
def scaled(value, power):
    return math.ldexp(value, np.int32(power))  # type: ignore[arg-type]


@kernel
def _entry(Mh, Ml, j, k):
    return (Mh[j, k], Ml[j, k]) if j <= k else (Mh[k, j], Ml[k, j])


@kernel
def off_unit(Mh, Ml, S, norms, rounding, lengths):
    """η and κ of M (upper half) and S; ‖S_j‖ goes into ``lengths``."""
    p = len(norms)
    Th, Tl = np.zeros((p, p)), np.zeros((p, p))
    for i in range(p):
        for k in range(p):
            a, b = _entry(Mh, Ml, i, k)
            for j in range(p):
                if S[k, j] != 0.0:
                    qh, ql = mul(a, b, S[k, j], 0.0)
                    Th[i, j], Tl[i, j] = add(Th[i, j], Tl[i, j], qh, ql)
    away, reach = 0.0, 0.0
    for i in range(p):
        s = 0.0
        for k in range(p):
            s += norms[k] * abs(S[k, i])
            lengths[i] += S[i, k] * S[i, k]
        lengths[i] = math.sqrt(lengths[i]) * (1.0 + p * 2.0**-50)
        reach += s * s
        for j in range(p):
            h, l = (-1.0, 0.0) if i == j else (0.0, 0.0)
            for k in range(p):
                if S[k, i] != 0.0:
                    qh, ql = mul(Th[k, j], Tl[k, j], S[k, i], 0.0)
                    h, l = add(h, l, qh, ql)
            away += h * h
    reach *= 1.0 + p * 2.0**-50
    return (math.sqrt(away) + rounding * reach) * (1.0 + p * 2.0**-49), math.sqrt(reach)


@kernel
def gradient_at(Mh, Ml, Gh, Gl, first, vh, vl, rho):
    """ρ = g − Mv of the columns from ``first`` on, rounded to floats."""
    p, t = rho.shape
    for c in range(t):
        for j in range(p):
            h, l = Gh[first + j, first + p + c], Gl[first + j, first + p + c]
            for k in range(p):
                a, b = _entry(Mh, Ml, j, k)
                qh, ql = mul(a, b, vh[first + k, c], vl[first + k, c])
                h, l = add(h, l, -qh, -ql)
            rho[j, c] = h


@kernel
def reach_of(S, rho, out):
    """‖Sᵀρ‖ of each target, with the rounding of ρ and of the sum."""
    p, t = rho.shape
    for c in range(t):
        total = 0.0
        for j in range(p):
            value, size = 0.0, 0.0
            for k in range(p):
                value += S[k, j] * rho[k, c]
                size += abs(S[k, j] * rho[k, c])
            value = abs(value) + (p + 4) * 2.0**-52 * size
            total += value * value
        out[c] = math.sqrt(total)


@kernel
def sizes_of(norms, Gh, first, vh, out):
    """‖u‖ + Σ_k ‖a_k‖|v_k| of each target."""
    p = len(norms)
    for c in range(vh.shape[1]):
        at = first + p + c
        out[c] = math.sqrt(max(Gh[at, at], 0.0))
        for k in range(p):
            out[c] += norms[k] * abs(vh[first + k, c])


@kernel
def gradient_reach(Mh, Ml, Gh, Gl, S, norms, first, vh, vl, rounding):
    """‖Sᵀρ‖ of each target at most, where sums are wrong by ``rounding`` / κ."""
    t = vh.shape[1]
    rho, reach, size = np.zeros((len(norms), t)), np.zeros(t), np.zeros(t)
    gradient_at(Mh, Ml, Gh, Gl, first, vh, vl, rho)
    reach_of(S, rho, reach)
    sizes_of(norms, Gh, first, vh, size)
    return (reach + rounding * size) * ROOM


@kernel
def squares_at(Gh, Gl, d, vh, vl, rounding, rss, off):
    """Σ c r² = u·u − 2v·g + v·Gv of each target, and how wrong that may be."""
    for c in range(vh.shape[1]):
        y = 1 + d + c
        rh, rl, spread = Gh[y, y], Gl[y, y], math.sqrt(max(Gh[y, y], 0.0))
        for j in range(d + 1):
            spread += math.sqrt(max(Gh[j, j], 0.0)) * abs(vh[j, c])
            h, l = -2.0 * Gh[j, y], -2.0 * Gl[j, y]
            for k in range(d + 1):
                a, b = _entry(Gh, Gl, j, k)
                qh, ql = mul(a, b, vh[k, c], vl[k, c])
                h, l = add(h, l, qh, ql)
            qh, ql = mul(h, l, vh[j, c], vl[j, c])
            rh, rl = add(rh, rl, qh, ql)
        rss[c] = max(rh, 0.0)
        off[c] = (rounding + 16 * (2 + d) * UNIT2) * spread * spread


@kernel
def into_frame(W, shift, units, vh, vl, lost):
    """v of weights W (targets, d + 1), and by how much v_0 may be wrong.

    v_0 = 2^k_y (w_0 + Σ_j m_j w_j − m_y)
    """
    t, p = W.shape
    for c in range(t):
        size = abs(W[c, 0]) + abs(shift[p - 1 + c])
        h, l = add(W[c, 0], 0.0, -shift[p - 1 + c], 0.0)
        for j in range(1, p):
            vh[j, c] = scaled(W[c, j], -units[j, c])
            qh, ql = mul(shift[j - 1], 0.0, W[c, j], 0.0)
            h, l = add(h, l, qh, ql)
            size += abs(shift[j - 1] * W[c, j])
        vh[0, c], vl[0, c] = (
            scaled(h, -units[0, c]),
            scaled(l, -units[0, c]),
        )
        lost[c] = scaled(8 * UNIT2 * (p + 2) * size, -units[0, c])


@kernel
def out_of_frame(vh, vl, shift, units, wh, wl):
    """w (d + 1, targets) of v: w_0 = m_y + 2^−k_y v_0 − Σ_j m_j w_j."""
    p, t = vh.shape
    for c in range(t):
        a, b = (
            scaled(vh[0, c], units[0, c]),
            scaled(vl[0, c], units[0, c]),
        )
        h, l = add(shift[p - 1 + c], 0.0, a, b)
        for j in range(1, p):
            wh[j, c] = scaled(vh[j, c], units[j, c])
            wl[j, c] = scaled(vl[j, c], units[j, c])
            qh, ql = mul(-shift[j - 1], 0.0, wh[j, c], wl[j, c])
            h, l = add(h, l, qh, ql)
        wh[0, c], wl[0, c] = h, l


@kernel
def errors_at(W, wh, wl, shift, units, far, lengths, first, out):
    """|W − w*| (targets, d + 1) at most: how far w is from W, and v from the solution.

    v_j is wrong by ``lengths``_j · ``far``.
    """
    t, p = W.shape
    for c in range(t):
        bias, size = 0.0, abs(wh[0, c]) + abs(shift[p - 1 + c])
        for j in range(1, p):
            off = scaled(lengths[j - first] * far[c], units[j, c]) * ROOM
            h, _ = add(wh[j, c], wl[j, c], -W[c, j], 0.0)
            out[c, j] = off + abs(h) * ROOM + (2.0**-1073 if far[c] > 0 or h != 0 else 0.0)
            bias += abs(shift[j - 1]) * off
            size += abs(shift[j - 1] * wh[j, c])
        if first == 0:
            h, _ = add(wh[0, c], wl[0, c], -W[c, 0], 0.0)
            bias += scaled(lengths[0] * far[c], units[0, c])
            bias += abs(h) + 8 * UNIT2 * (p + 2) * size
            out[c, 0] = bias * ROOM + (2.0**-1073 if far[c] > 0 or h != 0 else 0.0)
        else:
            out[c, 0] = 0.0
