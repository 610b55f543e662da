"""The perceptron rule, compiled once for dense, sparse and Gram rows.

    single sample   w ← w + η_k y_i x_i                      for each visited mistake i
    mini-batch      w ← w + η_k Σ_{i ∈ M} y_i x_i            M the mistakes of one batch
    batch           the same with one batch, the whole set:  −∇J_p(w) = Σ_{i ∈ M} y_i x_i

with η_k = η_0, or η_0 / k where k counts updates from 1. Sample i is a mistake when

    y_i w·x_i < b,  or  y_i w·x_i = b and the tie rule says so    (b the margin, usually 0).

A score is first computed by vector instructions, in any order of summation. Where such a quick
score lies within its rounding bound of b, the textbook sum decides, so the updates are those of the
plain loop.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linscope._compiling import kernel
from linscope.losses.perceptron import is_mistake
from linscope.rows.operations import quick_dot, row_add, row_dot, row_norm2, score_error
from linscope.rows.scores import norm

PASS_DONE, STREAK_DONE, BAD_NUMBER = 0, 1, 2
BATCHES, UPDATES, STREAK, LOGGED = 0, 1, 2, 3
RADIUS, NORM, ERRORS = 0, 1, 2


class Rule(NamedTuple):
    """What the compiled loops need to know of a perceptron."""

    eta0: float
    inverse: bool
    margin: float
    tie_positive: bool  # is y·score = margin a mistake for y = +1?
    tie_negative: bool  # and for y = -1?
    stop_streak: bool
    averaged: bool
    pocket: bool


class Progress(NamedTuple):
    """State that the compiled loops change in place.

    w : weights. u : Σ t·Δ_t, the lazy sum of averaging. best : the pocket.
    counts : batches visited, updates, streak of correct visits, entries of the log.
    sizes : max ‖x‖ (-1: not measured yet), upper bound of ‖w‖, errors of the pocket.
    """

    w: np.ndarray
    u: np.ndarray
    best: np.ndarray
    counts: np.ndarray
    sizes: np.ndarray


def start(initial: np.ndarray, rule: Rule) -> Progress:
    """Progress before the first visit."""
    w = np.array(initial, dtype=np.float64)
    u = np.zeros_like(w) if rule.averaged else np.zeros(0)
    best = w.copy() if rule.pocket else np.zeros(0)
    return Progress(w, u, best, np.zeros(4, np.int64), np.array([-1.0, norm(w), np.inf]))


@kernel
def _copy(source, target):
    # `target[:] = source` would compile seconds of code for its error message.
    for j in range(source.shape[0]):
        target[j] = source[j]


@kernel
def _exact_mistake(rows, i, label, margin, rule, w):
    exact = label * row_dot(rows, i, w)
    tie = rule.tie_positive if label > 0 else rule.tie_negative
    return is_mistake(exact, margin, tie) or not np.isfinite(exact)


@kernel
def _sample(order, position):
    return order[position] if order.shape[0] > 0 else position


@kernel
def _slack(rows, length, radius, margin):
    # The last term covers the rounding of y·score − margin itself.
    error = score_error(rows)
    if error == 0:
        return 0.0
    # Lengths below 1e-150 vanish when they are squared.
    return error * (length + 1e-150) * (radius + 1e-150) + 2.3e-16 * margin


@kernel
def radius(rows, n):
    """max ‖x_i‖ over the first n rows; NaN or infinity shows in the result."""
    largest = 0.0
    for i in range(n):
        norm2 = row_norm2(rows, i)
        if not norm2 <= largest:
            largest = norm2
            if not np.isfinite(norm2):
                break
    return np.sqrt(largest)


@kernel
def count_errors(rows, y, weight, rule, w, radius, limit):
    """Weighted number of samples that w gets wrong by the tie rule; gives up at ``limit``."""
    slack = _slack(rows, norm(w), radius, 0.0)
    wrong = 0.0
    for i in range(y.shape[0]):
        score = y[i] * quick_dot(rows, i, w)
        if score <= slack and (score < -slack or _exact_mistake(rows, i, y[i], 0.0, rule, w)):
            wrong += weight[i] if weight.shape[0] > 0 else 1.0
            if wrong >= limit:
                break
    return wrong


@kernel
def keep_best(rows, y, weight, rule, state):
    """Put w into the pocket if it makes fewer errors on all samples than the one there."""
    if state.sizes[ERRORS] > 0:
        wrong = count_errors(
            rows, y, weight, rule, state.w, state.sizes[RADIUS], state.sizes[ERRORS]
        )
        if wrong < state.sizes[ERRORS]:
            state.sizes[ERRORS] = wrong
            _copy(state.w, state.best)


@kernel
def single_pass(rows, y, weight, order, rule, state, log):
    """One pass of the single-sample rule, up to the end of the streak if that ends the fit."""
    n = y.shape[0]
    counts, sizes, w, margin = state.counts, state.sizes, state.w, rule.margin
    begin, updates = counts[BATCHES], counts[UPDATES]
    streak, logged = counts[STREAK], counts[LOGGED]
    measure, length, longest = sizes[RADIUS] < 0, sizes[NORM], max(sizes[RADIUS], 0.0)
    slack = _slack(rows, length, longest, margin)
    at, refresh = 0, max(64, w.shape[0])
    while at < n and not (rule.stop_streak and streak >= n):
        i = _sample(order, at)
        if measure:
            norm2 = row_norm2(rows, i)
            if not norm2 <= longest * longest:
                longest = np.sqrt(norm2)
                slack = _slack(rows, length, longest, margin)
                if not np.isfinite(longest):
                    return BAD_NUMBER
        excess = y[i] * quick_dot(rows, i, w) - margin
        if excess <= slack and (excess < -slack or _exact_mistake(rows, i, y[i], margin, rule, w)):
            updates += 1
            step = y[i] * (rule.eta0 / updates if rule.inverse else rule.eta0)
            if weight.shape[0] > 0:
                step *= weight[i]
            row_add(rows, i, step, w)
            if rule.averaged:
                row_add(rows, i, step * (begin + at), state.u)
            if log.shape[0] > 0:
                log[logged] = begin + at
                logged += 1
            # ‖w + Δ‖ ≤ ‖w‖ + ‖Δ‖ is a cheap upper bound; now and then it is made exact.
            length = norm(w) if updates % refresh == 0 else length + abs(step) * longest
            slack = _slack(rows, length, longest, margin)
            if rule.pocket:
                keep_best(rows, y, weight, rule, state)
            streak = 0
        else:
            streak += 1
        at += 1
    counts[BATCHES], counts[UPDATES] = begin + at, updates
    counts[STREAK], counts[LOGGED] = streak, logged
    sizes[NORM], sizes[RADIUS] = norm(w), longest
    if not np.isfinite(sizes[NORM] * longest):
        return BAD_NUMBER
    return STREAK_DONE if rule.stop_streak and streak >= n else PASS_DONE


@kernel
def add_mistakes(rows, y, weight, order, begin, end, rule, w, radius, total):
    """Add Σ y_i x_i over the mistakes among visits begin … end − 1 to ``total``; count them."""
    margin = rule.margin
    slack = _slack(rows, norm(w), radius, margin)
    mistakes = 0
    for at in range(begin, end):
        i = _sample(order, at)
        excess = y[i] * quick_dot(rows, i, w) - margin
        if excess <= slack and (excess < -slack or _exact_mistake(rows, i, y[i], margin, rule, w)):
            mistakes += 1
            row_add(rows, i, y[i] * weight[i] if weight.shape[0] > 0 else y[i], total)
    return mistakes


@kernel
def take_step(rule, state, log, total):
    """w ← w + η_k·total, with the lazy sum and the log."""
    counts, w = state.counts, state.w
    counts[UPDATES] += 1
    eta = rule.eta0 / counts[UPDATES] if rule.inverse else rule.eta0
    for j in range(w.shape[0]):
        w[j] += eta * total[j]
    if rule.averaged:
        for j in range(w.shape[0]):
            state.u[j] += counts[BATCHES] * eta * total[j]
    if log.shape[0] > 0:
        log[counts[LOGGED]] = counts[BATCHES]
        counts[LOGGED] += 1
    counts[STREAK] = 0
    state.sizes[NORM] = norm(w)


@kernel
def batch_pass(rows, y, weight, order, batch_size, rule, state, log):
    """One pass of the mini-batch rule; ``state.sizes[RADIUS]`` must be known."""
    n = y.shape[0]
    counts = state.counts
    total = np.zeros_like(state.w)
    for begin in range(0, n, batch_size):
        end = min(begin + batch_size, n)
        total[:] = 0.0
        if add_mistakes(
            rows, y, weight, order, begin, end, rule, state.w, state.sizes[RADIUS], total
        ):
            take_step(rule, state, log, total)
            if rule.pocket:
                keep_best(rows, y, weight, rule, state)
        else:
            counts[STREAK] += end - begin
        counts[BATCHES] += 1
        if rule.stop_streak and counts[STREAK] >= n:
            return STREAK_DONE
    return PASS_DONE if np.isfinite(state.sizes[NORM] * state.sizes[RADIUS]) else BAD_NUMBER


@kernel
def tally(rows, y, w, doubt):
    """Mistakes, samples with |w·x| ≤ doubt, and the smallest y w·x; NaN counts as doubtful."""
    wrong, doubtful, smallest = 0, 0, np.inf
    for i in range(y.shape[0]):
        score = quick_dot(rows, i, w) * y[i]
        wrong += score < 0
        doubtful += not abs(score) > doubt
        smallest = min(smallest, score)
    return wrong, doubtful, smallest


@kernel
def replay_updates(rows, samples, steps, w):
    """Apply logged single-sample updates to w: the arithmetic of ``single_pass``."""
    for k in range(samples.shape[0]):
        row_add(rows, samples[k], steps[k], w)


@kernel
def replay_vectors(rows, samples, steps, w, vectors):
    """The weights after each logged update, one row per update."""
    for k in range(samples.shape[0]):
        row_add(rows, samples[k], steps[k], w)
        _copy(w, vectors[k])
