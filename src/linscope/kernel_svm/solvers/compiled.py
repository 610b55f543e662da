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
from linscope.kernels.gaussian import add_rows
from linscope.kernels.kernel_maps import add_symmetric, products, values_of
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


# b = −mean g of the free samples; if none is free, the middle of the interval that fits.
# So short that a thread which let others into Python meanwhile would wait longer for its turn.
@kernel(nogil=False)
def judge(y, C, unit, beta, s, exact, error, out):
    """Both objectives, the gap, the KKT violation and the bias, without the rounding of float64."""
    least, most, total, count = np.inf, -np.inf, 0.0, 0
    for i in range(len(y)):  # min g of those that may grow, max g of those that may shrink
        g, size, sign = s[i] - y[i], abs(beta[i]), beta[i] * y[i]
        room = 0.0 if exact[i] else error
        if (size < C[i]) if y[i] > 0.0 else (sign > 0.0):
            least = g - room if g - room < least else least
        if (sign > 0.0) if y[i] > 0.0 else (size < C[i]):
            most = g + room if g + room > most else most
        if 0.0 < size < C[i]:
            total += g
            count += 1
    b = -0.5 * (least + most)
    if count:
        b = -total / count
    elif not abs(b) < np.inf:
        b = -least if abs(least) < np.inf else -most
    norm2, alphas, price, gap, total = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(y)):
        alpha, margin = abs(beta[i]), y[i] * (s[i] + b)
        slack = hinge.loss(margin) if exact[i] else 0.0
        norm2 += beta[i] * s[i]
        alphas += alpha
        total += beta[i]
        price += C[i] * slack
        gap += alpha * (margin - 1.0) + C[i] * slack
    out[PRIMAL] = (0.5 * norm2 + price) / unit
    out[DUAL] = (alphas - 0.5 * norm2) / unit
    gap = (gap - b * total) / unit
    out[GAP] = 0.0 if gap < 0.0 else gap
    out[KKT] = most - least if 0.0 < most - least < np.inf else 0.0
    out[BIAS], out[ERROR] = b, error


def _sums(K, y, C, features, places, beta, s):
    """s = Kβ: where it is from float64 values, and δ, the error of the others."""
    used = beta.nonzero()[0]
    m, some, exact = len(used), beta[used], np.ones(len(y), dtype=np.bool_)
    s[:] = 0.0
    add_rows(K, used, some.astype(K.dtype), 0, len(y), s)
    if features.error == 0.0 or m == 0:
        return exact, 0.0
    size = float(beta @ y)  # Σ|β|
    error = size * (features.error + (m + 4) * SINGLE * features.most)
    figures = np.empty(FIGURES)
    judge(y, C, 1.0, beta, s, exact, 0.0, figures)
    far = y * (s + figures[BIAS]) >= 1.0 + 4.0 * error  # the bias is at most 2δ off
    far[used] = True
    near = np.logical_not(far, out=exact).nonzero()[0]
    exact[used] = True
    used = np.concatenate((used, near))
    rows = places[used]
    left, right = features.left.take(rows[:m], axis=0), features.right.take(rows, axis=0)
    s[used] = _products(left, right, features.code, features.degree, some)
    return exact, error


def _products(left, right, code, degree, beta):
    """Kβ from float64 features of the samples with β ≠ 0 and of all that matter."""
    m, total = len(left), np.zeros(len(right))
    if m > FEW:
        add_symmetric(left, right, code, degree, beta, 0, m, total)
        return total
    values = np.empty((m, len(right)))
    products(left, right, code, values)
    return np.dot(beta, values_of(values, code, degree), out=total)


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
