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
from numba import njit

from linscope.kernels.kernel_maps import add_products, add_rows, add_symmetric
from linscope.losses import hinge

from .pair_loops import solve_pairs_of_blocks

PAIRS_A_SAMPLE = 20
# Pairs are solved to this share of tol, as the sums afresh differ by rounding; so many times.
SHARE, ROUNDS = 0.95, 3
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


@njit(cache=True, nogil=True)
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
@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _sums(K, y, C, features, places, beta, s, exact):
    """s = Kβ, ``exact`` where it is from float64 values; returns δ, the error of the others.

    Rows of K without β need not be whole.
    """
    n = len(y)
    used = np.flatnonzero(beta)
    some = beta[used]
    for i in range(n):
        s[i], exact[i] = 0.0, True
    add_rows(K, used, some.astype(K.dtype), 0, n, s)
    if features.error == 0.0 or len(used) == 0:
        return 0.0
    rounding = (len(used) + 4) * SINGLE * features.most
    error = np.abs(some).sum() * (features.error + rounding)
    b = _bias(s, y, beta, C, exact, 0.0)  # at most 2δ off
    for i in range(n):
        exact[i] = beta[i] != 0.0 or not y[i] * (s[i] + b) >= 1.0 + 4.0 * error
    near = np.flatnonzero(exact & (beta == 0.0))
    left, total = features.left[places[used]], np.zeros(n)
    own, others = total[: len(used)], total[len(used) : len(used) + len(near)]
    right = features.right[places[used]]
    add_symmetric(left, right, features.code, features.degree, some, 0, len(used), own)
    add_products(left, features.right[places[near]], features.code, features.degree, some, others)
    for k in range(len(used)):
        s[used[k]] = own[k]
    for k in range(len(near)):
        s[near[k]] = others[k]
    return error


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def solve_problem(K, diagonal, blocks, y, C, bounds, features, places, beta, s, out):
    """One problem: K has zeros beyond its n samples, up to a multiple of BLOCK columns.

    Or ``blocks`` has what K still lacks; it is () if K is whole. ``places`` are the rows of
    ``features`` of the samples. β, s and the figures are written.
    """
    q, n = K.shape[1], len(y)
    g = np.zeros(q, dtype=K.dtype)
    full, lower, upper = np.zeros(q), np.zeros(q), np.zeros(q)
    exact = np.ones(n, dtype=np.bool_)
    for i in range(n):
        g[i] = -y[i]
        lower[i], upper[i] = min(0.0, y[i] * C[i]), max(0.0, y[i] * C[i])
    pairs, most = 0, PAIRS_A_SAMPLE * q
    for _ in range(ROUNDS):
        target = SHARE * bounds.tol
        pairs += solve_pairs_of_blocks(
            K, diagonal, g, full, lower, upper, target, most - pairs, blocks
        )
        for i in range(n):
            beta[i] = full[i]
        error = _sums(K, y, C, features, places, beta, s, exact)
        judge(y, C, bounds.unit, beta, s, exact, error, out)
        if out[KKT] <= bounds.tol or pairs >= most:
            break
        for i in range(n):
            g[i] = s[i] - y[i]
    out[PAIRS], out[DONE] = pairs, 1.0
