"""Dual coordinate descent for linear support vector machines: the compiled pass.

    G_i = y_i w·x_i − 1 + q α_i/c_i            the derivative of −D by α_i
    α_i ← α_i − G_i / (‖x_i‖² + q/c_i), cut to [0, u c_i]
    w   ← w + Δα_i y_i x_i                      so that always w = Σ α_i y_i x_i

The hinge is q = 0, u = C; the squared hinge q = 1/(2C), u = ∞.

Shrinking: a variable at a bound whose derivative points outward, beyond what the last pass saw, is
set aside; it comes back when the rest has converged.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linscope._compiling import kernel
from linscope.losses import hinge
from linscope.rows.operations import row_add, row_dot, row_norm2


class Box(NamedTuple):
    """Weights c (empty: ones), the quadratic term q and the bound u."""

    c: np.ndarray
    q: float
    u: float


@kernel
def square_lengths(rows, n):
    """‖x_i‖² of every row, bias included."""
    out = np.empty(n)
    for i in range(n):
        out[i] = row_norm2(rows, i)
    return out


@kernel
def derivative(rows, y, box, alpha, i, w):
    """G_i, with α_i = ``alpha``."""
    bend = box.q / box.c[i] if len(box.c) else box.q
    return hinge.dual_slope(y[i] * row_dot(rows, i, w), alpha, bend)


@kernel
def descend_pass(rows, y, box, lengths, order, highest, lowest, alpha, w, places, values, logged):
    """One pass over ``order``; α and w are changed in place.

    ``highest`` and ``lowest`` are the extreme projected derivatives of the pass before (±∞: no
    shrinking). Rows that stay are moved to the front of ``order``. Where ``places`` is not empty,
    the place in the pass and the new α_i of every change are written down, from ``logged`` on.
    Returns how many rows stay, the two extremes of this pass and the new number of logged changes.
    """
    kept, top, bottom = 0, -np.inf, np.inf
    for place in range(len(order)):
        i = order[place]
        own = box.c[i] if len(box.c) else 1.0
        bound, bend, old = box.u * own, box.q / own, alpha[i]
        G = derivative(rows, y, box, old, i, w)
        if (old == 0.0 and highest < G) or (old == bound and lowest > G):
            continue
        order[kept] = i
        kept += 1
        projected = G
        if old == 0.0:
            projected = min(G, 0.0)
        elif old == bound:
            projected = max(G, 0.0)
        top, bottom = max(top, projected), min(bottom, projected)
        if projected == 0.0:
            continue
        if lengths[i] + bend > 0.0:
            alpha[i] = min(max(old - G / (lengths[i] + bend), 0.0), bound)
        else:  # a row of zeros: D is a straight line
            alpha[i] = bound if G < 0.0 else 0.0
        if alpha[i] == old:
            continue
        row_add(rows, i, (alpha[i] - old) * y[i], w)
        if len(places):
            places[logged], values[logged] = place, alpha[i]
            logged += 1
    return kept, top, bottom, logged


@kernel
def replay_steps(rows, y, samples, before, after, w, out):
    """The same additions in the same order: w as the descent had it, bit for bit.

    Row t of ``out`` becomes w after step t, unless ``out`` has no rows.
    """
    for t in range(len(samples)):
        i = samples[t]
        row_add(rows, i, (after[t] - before[t]) * y[i], w)
        if len(out):
            for j in range(len(w)):
                out[t, j] = w[j]


@kernel
def derivatives_at(rows, y, box, samples, alphas, versions, states, margins, out):
    """y w·x and G of each visit, w the state in force before it."""
    for t in range(len(samples)):
        i, w = samples[t], states[versions[t]]
        margins[t] = y[i] * row_dot(rows, i, w)
        out[t] = derivative(rows, y, box, alphas[t], i, w)
