"""A kernel SVM on its whole Gram matrix, from the first pair to the figures of its proof, compiled.

    min ½ βᵀKβ − yᵀβ       Σβ = 0,   0 ≤ y_i β_i ≤ C_i            s = Kβ,  g = s − y

Kernel values are float32 while the pairs are chosen. Then s is worked out again from float64
features where it matters: at the samples with β ≠ 0, and at those whose margin is below 1 + 4δ.
δ bounds the error of the float32 sums, so every other sample has no slack and, as β = 0, no part
in the objectives; in the KKT violation it counts with δ against us.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linscope._compiling import kernel
from linscope.kernels.kernel_maps import add_rows, add_symmetric, fill_products
from linscope.losses import hinge

from .pair_loops import solve_pairs

PAIRS_A_SAMPLE = 20
# Pairs are solved to this share of tol, as the sums afresh differ by rounding; so many times.
SHARE, ROUNDS = 0.95, 3
# Of so few samples with β ≠ 0 all kernel values are worked out: that K is symmetric saves less.
FEW = 192
# Unit roundoff of float32.
SINGLE = 2.0**-24
# Columns of the figures of a problem.
PRIMAL, DUAL, GAP, KKT, BIAS, ERROR, PAIRS, DONE = range(8)
FIGURES = 8


class Features(NamedTuple):
    """Rows and columns of a kernel as in ``FeatureTiles``; none for a Gram matrix that is given.

    ``error`` bounds |K32 − K64| and ``most`` |K|; ``error`` is 0 if solvers use float64 values.
    """

    left: np.ndarray
    right: np.ndarray
    code: int
    degree: int
    error: float
    most: float


class Bounds(NamedTuple):
    """The largest α of each sample in units of the solver; ``unit`` of them are 1 of the model."""

    C: np.ndarray
    unit: float
    tol: float


@kernel
def _interval(s, y, beta, C, exact, error):
    """min g of those that may grow, max g of those that may shrink; with room for the error."""
    least, most = np.inf, -np.inf
    for i in range(len(y)):
        g = s[i] - y[i]
        room = 0.0 if exact[i] else error
        if beta[i] < (C[i] if y[i] > 0 else 0.0):
            least = min(least, g - room)
        if beta[i] > (0.0 if y[i] > 0 else -C[i]):
            most = max(most, g + room)
    return least, most


# b = −mean g of the free samples; if none is free, the middle of the interval that fits.
@kernel
def _bias(s, y, beta, C, exact, error):
    total, count = 0.0, 0
    for i in range(len(y)):
        size = abs(beta[i])
        if 0.0 < size < C[i]:
            total += s[i] - y[i]
            count += 1
    if count:
        return -total / count
    least, most = _interval(s, y, beta, C, exact, error)
    if np.isfinite(least) and np.isfinite(most):
        return -0.5 * (least + most)
    return -least if np.isfinite(least) else -most


@kernel
def _quick_sums(K, y, C, error, most, beta, s, exact, used, delta):
    """s = Kβ from the values in K; returns δ and how many samples matter.

    ``used`` are those with β ≠ 0, then the others whose margin is below 1 + 4δ; ``exact`` says the
    same. Rows of K without β need not be whole.
    """
    m, size = 0, 0.0
    for i in range(len(y)):
        s[i], exact[i] = 0.0, True
        if beta[i] != 0.0:
            used[m], delta[m] = i, beta[i]
            size += abs(beta[i])
            m += 1
    add_rows(K, used[:m], delta[:m], np.int64(0), len(y), s)
    if error == 0.0 or m == 0:
        return 0.0, m, m
    doubt = size * (error + (m + 4) * SINGLE * most)
    b = _bias(s, y, beta, C, exact, 0.0)  # at most 2δ off
    count = m
    for i in range(len(y)):
        near = not y[i] * (s[i] + b) >= 1.0 + 4.0 * doubt
        exact[i] = near or beta[i] != 0.0
        if near and beta[i] == 0.0:
            used[count] = i
            count += 1
    return doubt, m, count


def _sums(K, y, C, features, places, beta, s):
    """s = Kβ: where it is from float64 values, and δ, the error of the others."""
    n = len(y)
    exact, used = np.empty(n, dtype=np.bool_), np.empty(n, dtype=np.int64)
    bounds = features.error, features.most
    delta = np.empty(n, dtype=K.dtype)
    error, m, count = _quick_sums(K, y, C, *bounds, beta, s, exact, used, delta)
    if error:
        used, total = used[:count], np.zeros(count)
        rows = places[used]
        left, right, some = features.left[rows[:m]], features.right[rows], beta[used[:m]]
        if m <= FEW:
            values = np.empty((m, count))
            fill_products(left, right, features.code, features.degree, values, np.arange(m), 0)
            np.dot(some, values, out=total)
        else:
            add_symmetric(left, right, features.code, features.degree, some, 0, m, total)
        s[used] = total
    return exact, error


@kernel
def judge(y, C, unit, beta, s, exact, error, out):
    """Both objectives, the gap, the KKT violation and the bias, without the rounding of float64."""
    b = _bias(s, y, beta, C, exact, error)
    norm2, alphas, price, gap, total = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(y)):
        alpha = abs(beta[i])
        margin = y[i] * (s[i] + b)
        slack = hinge.loss(margin) if exact[i] else 0.0
        norm2 += beta[i] * s[i]
        alphas += alpha
        total += beta[i]
        price += C[i] * slack
        gap += alpha * (margin - 1.0) + C[i] * slack
    least, most = _interval(s, y, beta, C, exact, error)
    out[PRIMAL] = (0.5 * norm2 + price) / unit
    out[DUAL] = (alphas - 0.5 * norm2) / unit
    out[GAP] = max(0.0, (gap - b * total) / unit)
    finite = np.isfinite(least) and np.isfinite(most)
    out[KKT] = max(0.0, most - least) if finite else 0.0
    out[BIAS], out[ERROR] = b, error


def solve_problem(K, diagonal, blocks, y, C, bounds, features, places, beta, s, out):
    """One problem: K has zeros beyond its n samples, up to a multiple of BLOCK columns.

    Or ``blocks`` has what K still lacks; it is None if K is whole. ``places`` are the rows of
    ``features`` of the samples. β, s and the figures are written.
    """
    q, n = K.shape[1], len(y)
    g, full = np.zeros(q, dtype=K.dtype), np.zeros((3, q))
    np.negative(y, out=g[:n], casting="same_kind")
    np.multiply(y, C, out=full[2, :n])
    np.minimum(full[2], 0.0, out=full[1])
    np.maximum(full[2], 0.0, out=full[2])
    pairs, most = 0, PAIRS_A_SAMPLE * q
    for _ in range(ROUNDS):
        target = SHARE * bounds.tol
        limits = full[1], full[2], target, most - pairs
        pairs += solve_pairs(K, diagonal, g, full[0], *limits, blocks)
        beta[:] = full[0, :n]
        exact, error = _sums(K, y, C, features, places, beta, s)
        judge(y, C, bounds.unit, beta, s, exact, error, out)
        if out[KKT] <= bounds.tol or pairs >= most:
            break
        g[:n] = s - y
    out[PAIRS], out[DONE] = pairs, 1.0
