"""The log loss of many rows at once.

Exponentials and logarithms are written out, because only then does the compiler work on several
rows at a time:

    e^−a = 2^−k e^r,  k = round(a log₂e),  r = k ln2 − a in ±0.35   (Taylor to r¹³)
    log(1 + e) = 2 artanh z,  z = e / (2 + e) ≤ 1/3                 (series to z³³)

Both are right to a few units in the last place.

Products with the rows and the terms are kernels of their own, one after the other for some thousand
rows: they are compiled once for all who need them, and the rows are still in the cache.
"""

from __future__ import annotations

import numpy as np

from linscope._compiling import kernel
from linscope.rows.operations import REORDER
from linscope.rows.scores import add_rows, add_scores

LOG2_E, LN2_HIGH, LN2_LOW = 1.4426950408889634, 0.693147180369123816490, 1.90821492927058770e-10
# Adding this to a small number leaves its nearest integer in the last bits.
ROUNDER = 1.5 * 2.0**52
# Beyond this e^−a has no more influence on 1 + e^−a, nor on any sum.
LARGEST = 700.0
# Rows of which all that is known stays in the cache, and takes no new pages of memory.
ROWS = 2048


@kernel(fastmath=REORDER, error_model="numpy")
def terms(s, codes, c, residual, curvature, u, power, bits):
    """``binary_terms`` of as many rows as there is room for, or fewer.

    ``power`` and ``bits`` are one buffer, as floats and integers.
    """
    n, total = len(s), 0.0
    for i in range(n):
        a = abs(s[i])
        u[i] = a if a < LARGEST else LARGEST
        power[i] = u[i] * LOG2_E + ROUNDER
    for i in range(n):
        k = power[i] - ROUNDER
        r = k * LN2_HIGH - u[i] + k * LN2_LOW
        t = 1.0 / 6227020800.0
        t = t * r + 1.0 / 479001600.0
        t = t * r + 1.0 / 39916800.0
        t = t * r + 1.0 / 3628800.0
        t = t * r + 1.0 / 362880.0
        t = t * r + 1.0 / 40320.0
        t = t * r + 1.0 / 5040.0
        t = t * r + 1.0 / 720.0
        t = t * r + 1.0 / 120.0
        t = t * r + 1.0 / 24.0
        t = t * r + 1.0 / 6.0
        t = t * r + 0.5
        u[i] = (t * r + 1.0) * r + 1.0
    for i in range(n):
        bits[i] = (1023 - (bits[i] & 2047)) << 52  # the float 2^−k
    for i in range(n):
        u[i] *= power[i]  # e^−|s|
    for i in range(n):
        z = u[i] / (2.0 + u[i])
        y = z * z
        q = 1.0 / 33.0
        q = q * y + 1.0 / 31.0
        q = q * y + 1.0 / 29.0
        q = q * y + 1.0 / 27.0
        q = q * y + 1.0 / 25.0
        q = q * y + 1.0 / 23.0
        q = q * y + 1.0 / 21.0
        q = q * y + 1.0 / 19.0
        q = q * y + 1.0 / 17.0
        q = q * y + 1.0 / 15.0
        q = q * y + 1.0 / 13.0
        q = q * y + 1.0 / 11.0
        q = q * y + 1.0 / 9.0
        q = q * y + 1.0 / 7.0
        q = q * y + 0.2
        q = q * y + 1.0 / 3.0
        side = 1.0 if codes[i] == 1 else -1.0
        wrong = -side * s[i]
        # 1 − σ of the true class: u p where it wins, p where it loses; no cancellation.
        p = 1.0 / (1.0 + u[i])
        residual[i] = -side * (p if wrong > 0.0 else u[i] * p)
        curvature[i] = u[i] * p * p
        u[i] = 2.0 * z * (q * y + 1.0) + (wrong if wrong > 0.0 else 0.0)
    if len(c):
        for i in range(n):
            residual[i] *= c[i]
            curvature[i] *= c[i]
            total += c[i] * u[i]
    else:
        for i in range(n):
            total += u[i]
    return total


def binary_terms(s, codes, c, residual, curvature):
    """Σ c f(s), with c (σ − y) and c σ(1 − σ) of each sample written down; no c: all are 1."""
    total, room = 0.0, _room(len(s))
    for a in range(0, len(s), ROWS):
        some = slice(a, a + ROWS)
        total += terms(s[some], codes[some], c[some], residual[some], curvature[some], *room)
    return total


def binary_pass(X, w, codes, c, s, residual, curvature, g):
    """Scores, ``binary_terms`` and g ← g + Σ residual·[1, x]."""
    total, room = 0.0, _room(len(s))
    for a in range(0, len(s), ROWS):
        some = slice(a, a + ROWS)
        rows, scores, own = X[some], s[some], residual[some]
        add_scores(rows, w, scores)
        total += terms(scores, codes[some], c[some], own, curvature[some], *room)
        add_rows(rows, own, g)
    return total


def _room(n):
    room = np.empty((2, min(n, ROWS)))
    return room[0], room[1], room.view(np.int64)[1]
