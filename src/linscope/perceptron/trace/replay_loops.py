"""Compiled replay: what the log leaves out, worked out again by the arithmetic of the fit.

A *state* is the vector that a rule changes: the weights, or for Gram rows the scores of all
training rows and their coefficients. ``states[k]`` is the state after k updates.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from linscope.rows.operations import row_dot

from ..solvers.loops import add_mistakes


@njit(cache=True, nogil=True)
def scores_at(rows, samples, versions, states, scores):
    """w·x of each visit, w the state in force before it."""
    for t in range(samples.shape[0]):
        scores[t] = row_dot(rows, samples[t], states[versions[t]])


@njit(cache=True, nogil=True)
def replay_batches(
    rows, y, weight, order, batches, size, rule, first_update, w, radius, out, wrong
):
    """The weights after each of these batches of one pass, all of which caused an update."""
    total = np.zeros_like(w)
    for k in range(batches.shape[0]):
        begin = batches[k] * size
        end = min(begin + size, y.shape[0])
        total[:] = 0.0
        wrong[k] = add_mistakes(rows, y, weight, order, begin, end, rule, w, radius, total)
        eta = rule.eta0 / (first_update + k + 1) if rule.inverse else rule.eta0
        for j in range(w.shape[0]):
            w[j] += eta * total[j]
        out[k, :] = w


@njit(cache=True)
def _excess(rows, i, y, rule, w):
    """(is sample i a mistake of w, b − y_i w·x_i)."""
    normalized = y[i] * row_dot(rows, i, w)
    tie = rule.tie_positive if y[i] > 0 else rule.tie_negative
    wrong = normalized < rule.margin or (normalized == rule.margin and tie)
    return wrong, rule.margin - normalized


@njit(cache=True, nogil=True)
def measure(rows, y, weight, rule, states, mistakes, criterion):
    """Number of mistakes of each state and J_p = Σ over mistakes of c_i (b − y_i w·x_i)."""
    for k in range(states.shape[0]):
        mistakes[k], criterion[k] = 0, 0.0
        for i in range(y.shape[0]):
            wrong, excess = _excess(rows, i, y, rule, states[k])
            if wrong:
                mistakes[k] += 1
                criterion[k] += (weight[i] if weight.shape[0] > 0 else 1.0) * excess


@njit(cache=True, nogil=True)
def changes(rows, y, rule, states, mended, broken):
    """How many samples each update turned from wrong to right, and from right to wrong."""
    for k in range(states.shape[0] - 1):
        mended[k], broken[k] = 0, 0
        for i in range(y.shape[0]):
            before, _ = _excess(rows, i, y, rule, states[k])
            after, _ = _excess(rows, i, y, rule, states[k + 1])
            mended[k] += before and not after
            broken[k] += after and not before


@njit(cache=True, nogil=True)
def still_wrong(rows, y, rule, samples, states, wrong):
    """Is the sample that caused update k still a mistake of the state after it?"""
    for k in range(samples.shape[0]):
        wrong[k], _ = _excess(rows, samples[k], y, rule, states[k + 1])
