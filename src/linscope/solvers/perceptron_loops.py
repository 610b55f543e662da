"""The perceptron rule, compiled once for dense, sparse and Gram rows.

    single sample   w ← w + η_k y_i x_i                      for each visited mistake i
    mini-batch      w ← w + η_k Σ_{i ∈ M} y_i x_i            M the mistakes of one batch
    batch           the same with one batch, the whole set:  −∇J_p(w) = Σ_{i ∈ M} y_i x_i

with η_k = η_0, or η_0 / k where k counts updates from 1. Sample i is a mistake when

    y_i w·x_i < b,  or  y_i w·x_i = b and the tie rule says so    (b the margin, usually 0).

Scores of four rows at a time are computed by vector instructions. Where such a quick score lies
within its rounding bound of b, the textbook sum decides, so the updates are those of the plain
loop, however it is blocked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..data.rows import (
    REORDER,
    lanes,
    quick_norm2,
    quick_scores,
    row_add,
    row_dot,
    row_norm2,
    score_error,
)

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


@njit(cache=True, fastmath=REORDER)
def norm(w):
    """An upper bound of ‖w‖, within rounding."""
    total = 0.0
    for j in range(w.shape[0]):
        total += w[j] * w[j]
    return np.sqrt(total) * (1 + 1e-12)


@njit(cache=True)
def _copy(source, target):
    # `target[:] = source` would compile seconds of code for its error message.
    for j in range(source.shape[0]):
        target[j] = source[j]


@njit(cache=True)
def _exact_mistake(rows, i, label, margin, rule, w):
    exact = label * row_dot(rows, i, w)
    tie = rule.tie_positive if label > 0 else rule.tie_negative
    return exact < margin or (exact == margin and tie) or not np.isfinite(exact)


@njit(cache=True)
def _sample(order, position):
    return order[position] if order.shape[0] > 0 else position


@njit(cache=True)
def _slack(rows, length, radius, margin):
    # The last term covers the rounding of y·score − margin itself.
    error = score_error(rows)
    return error * length * radius + 2.3e-16 * margin if error > 0 else 0.0


@njit(cache=True)
def radius(rows, order, begin, end, known):
    """max(known, ‖x_i‖) over visits begin … end − 1; NaN or infinity shows in the result."""
    largest = known * known
    for at in range(begin, end):
        norm2 = row_norm2(rows, _sample(order, at))
        if not norm2 <= largest:
            largest = norm2
            if not np.isfinite(norm2):
                break
    return np.sqrt(largest)


@njit(cache=True)
def count_errors(rows, y, weight, rule, w, radius, limit):
    """Weighted number of samples that w gets wrong by the tie rule; gives up at ``limit``."""
    n = y.shape[0]
    slack = _slack(rows, norm(w), radius, 0.0)
    wrong = 0.0
    for at in range(0, n, lanes(rows)):
        last = min(at + lanes(rows), n) - 1
        scores = quick_scores(rows, at, min(at + 1, last), min(at + 2, last), last, w)
        for i in range(at, last + 1):
            score = scores[i - at] * y[i]
            if score <= slack and (score < -slack or _exact_mistake(rows, i, y[i], 0.0, rule, w)):
                wrong += weight[i] if weight.shape[0] > 0 else 1.0
        if wrong >= limit:
            break
    return wrong


@njit(cache=True)
def keep_best(rows, y, weight, rule, state):
    """Put w into the pocket if it makes fewer errors on all samples than the one there."""
    if state.sizes[ERRORS] > 0:
        wrong = count_errors(
            rows, y, weight, rule, state.w, state.sizes[RADIUS], state.sizes[ERRORS]
        )
        if wrong < state.sizes[ERRORS]:
            state.sizes[ERRORS] = wrong
            _copy(state.w, state.best)


@njit(cache=True, nogil=True)
def single_pass(rows, y, weight, order, rule, state, log, position):
    """One pass of the single-sample rule, up to the end of the streak if that ends the fit.

    ``position[0]`` tells a reader ahead, now and then, how far the pass is.
    """
    n = y.shape[0]
    counts, sizes, w, margin = state.counts, state.sizes, state.w, rule.margin
    begin, updates = counts[BATCHES], counts[UPDATES]
    streak, logged = counts[STREAK], counts[LOGGED]
    measure, length, longest = sizes[RADIUS] < 0, sizes[NORM], max(sizes[RADIUS], 0.0)
    slack = _slack(rows, length, longest, margin)
    at, publish = 0, 512
    while at < n:
        if at >= publish:
            position[0], publish = at, at + 512
        last = min(at + lanes(rows), n) - 1
        i, l = _sample(order, at), _sample(order, last)
        j, k = _sample(order, min(at + 1, last)), _sample(order, min(at + 2, last))
        if measure:
            norm2 = quick_norm2(rows, i, j, k, l)
            if not norm2 <= longest * longest:
                longest = np.sqrt(norm2)
                slack = _slack(rows, length, longest, margin)
                if not np.isfinite(longest):
                    return BAD_NUMBER
        a, b, c, d = quick_scores(rows, i, j, k, l, w)
        a, b, c, d = a * y[i] - margin, b * y[j] - margin, c * y[k] - margin, d * y[l] - margin
        if a <= slack and (a < -slack or _exact_mistake(rows, i, y[i], margin, rule, w)):
            mistake = i
        elif b <= slack and (b < -slack or _exact_mistake(rows, j, y[j], margin, rule, w)):
            at, streak, mistake = at + 1, streak + 1, j
        elif c <= slack and (c < -slack or _exact_mistake(rows, k, y[k], margin, rule, w)):
            at, streak, mistake = at + 2, streak + 2, k
        elif d <= slack and (d < -slack or _exact_mistake(rows, l, y[l], margin, rule, w)):
            at, streak, mistake = last, streak + last - at, l
        else:
            at, streak = last + 1, streak + last + 1 - at
            if rule.stop_streak and streak >= n:
                break
            continue
        if rule.stop_streak and streak >= n:
            break
        updates += 1
        step = y[mistake] * (rule.eta0 / updates if rule.inverse else rule.eta0)
        if weight.shape[0] > 0:
            step *= weight[mistake]
        row_add(rows, mistake, step, w)
        if rule.averaged:
            row_add(rows, mistake, step * (begin + at), state.u)
        if log.shape[0] > 0:
            log[logged] = begin + at
            logged += 1
        # ‖w + Δ‖ ≤ ‖w‖ + ‖Δ‖ is a cheap upper bound; now and then it is made exact.
        length = norm(w) if updates % 64 == 0 else length + abs(step) * longest
        slack = _slack(rows, length, longest, margin)
        if rule.pocket:
            keep_best(rows, y, weight, rule, state)
        at, streak = at + 1, 0
    finished = rule.stop_streak and streak >= n
    counts[BATCHES] = begin + at - (streak - n if finished else 0)
    counts[UPDATES], counts[STREAK], counts[LOGGED] = updates, streak, logged
    sizes[NORM], sizes[RADIUS] = norm(w), longest
    if not np.isfinite(sizes[NORM] * longest):
        return BAD_NUMBER
    return STREAK_DONE if finished else PASS_DONE


@njit(cache=True, nogil=True)
def add_mistakes(rows, y, weight, order, begin, end, rule, w, radius, total):
    """Add Σ y_i x_i over the mistakes among visits begin … end − 1 to ``total``; count them."""
    slack = _slack(rows, norm(w), radius, rule.margin)
    mistakes = 0
    for at in range(begin, end, lanes(rows)):
        last = min(at + lanes(rows), end) - 1
        i, l = _sample(order, at), _sample(order, last)
        j, k = _sample(order, min(at + 1, last)), _sample(order, min(at + 2, last))
        scores = quick_scores(rows, i, j, k, l, w)
        for position in range(at, last + 1):
            i = _sample(order, position)
            excess = scores[position - at] * y[i] - rule.margin
            if excess <= slack and (
                excess < -slack or _exact_mistake(rows, i, y[i], rule.margin, rule, w)
            ):
                mistakes += 1
                row_add(rows, i, y[i] * weight[i] if weight.shape[0] > 0 else y[i], total)
    return mistakes


@njit(cache=True, nogil=True)
def take_step(rows, y, weight, rule, state, log, total):
    """w ← w + η_k·total, with the lazy sum, the log and the pocket."""
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
    if rule.pocket:
        keep_best(rows, y, weight, rule, state)


@njit(cache=True, nogil=True)
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
            take_step(rows, y, weight, rule, state, log, total)
        else:
            counts[STREAK] += end - begin
        counts[BATCHES] += 1
        if rule.stop_streak and counts[STREAK] >= n:
            return STREAK_DONE
    return PASS_DONE if np.isfinite(state.sizes[NORM] * state.sizes[RADIUS]) else BAD_NUMBER


@njit(cache=True, nogil=True)
def scores_of(rows, w, radius, out):
    """w·x_i of every row: quick, but the textbook sum wherever the sign is in doubt."""
    n = out.shape[0]
    slack = _slack(rows, norm(w), radius, 0.0)
    for at in range(0, n, lanes(rows)):
        last = min(at + lanes(rows), n) - 1
        scores = quick_scores(rows, at, min(at + 1, last), min(at + 2, last), last, w)
        for i in range(at, last + 1):
            score = scores[i - at]
            out[i] = row_dot(rows, i, w) if abs(score) <= slack else score


@njit(cache=True, nogil=True)
def tally(rows, y, w, doubt):
    """Mistakes, samples with |w·x| ≤ doubt, and the smallest y w·x; NaN counts as doubtful."""
    n = y.shape[0]
    wrong, doubtful, smallest = 0, 0, np.inf
    for at in range(0, n, lanes(rows)):
        last = min(at + lanes(rows), n) - 1
        scores = quick_scores(rows, at, min(at + 1, last), min(at + 2, last), last, w)
        for i in range(at, last + 1):
            score = scores[i - at] * y[i]
            wrong += score < 0
            doubtful += not abs(score) > doubt
            smallest = min(smallest, score)
    return wrong, doubtful, smallest


@njit(cache=True, nogil=True)
def replay_updates(rows, samples, steps, w):
    """Apply logged single-sample updates to w: the arithmetic of ``single_pass``."""
    for k in range(samples.shape[0]):
        row_add(rows, samples[k], steps[k], w)


@njit(cache=True, nogil=True)
def replay_visits(rows, samples, steps, w, scores, weights):
    """Replay visits: the score before each, the weights after it. ``steps`` is 0 without update."""
    for t in range(samples.shape[0]):
        scores[t] = row_dot(rows, samples[t], w)
        if steps[t] != 0.0:
            row_add(rows, samples[t], steps[t], w)
        _copy(w, weights[t])


@njit(cache=True, nogil=True)
def replay_vectors(rows, samples, steps, w, vectors):
    """The weights after each logged update, one row an update."""
    for k in range(samples.shape[0]):
        row_add(rows, samples[k], steps[k], w)
        _copy(w, vectors[k])
