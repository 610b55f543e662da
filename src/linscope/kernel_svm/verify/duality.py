"""How far a kernel support vector machine is from the best one, at most.

    P(β, b) = ½ βᵀKβ + Σ C_i max(0, 1 − m_i)      m_i = y_i f(x_i),  f = Kβ + b

For any β' with Σβ' = 0 and 0 ≤ α'_i = y_i β'_i ≤ C_i no classifier has a smaller P than
Σα' − ½ β'ᵀKβ', and

    P(β, b) − min P  ≤  Σ [α'_i (m_i − 1) + C_i max(0, 1 − m_i)]  +  ½‖w − w'‖²

with ‖w − w'‖ ≤ Σ |α_i − α'_i| √K_ii. No term is negative and no digits are lost: m_i − 1 is summed
as one number, as P may be much smaller than the rounding of m_i. α' is α put into its box, with the
heavier class made lighter by a factor, so that Σβ' = 0 as real numbers. A linear kernel has
f = w·x + b with the weights w that the model holds, and |w − Σβx| is measured: it bounds ‖w − w'‖,
and how far P is from that of Σβ_j x_j·x + b.

C = ∞: P is that of f divided by its smallest margin, which allows no slack; α' has no upper end.

kkt is max (f − y) over the samples that may shrink less min (f − y) over those that may grow, the
m(α) − M(α) of LIBSVM. kkt ≤ tol makes the sum above at most tol·ΣC_i: that is CONVERGED.
"""

from __future__ import annotations

from math import fsum
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linscope.arithmetic.enclosures import TINY, UNIT, Ball, gamma, products, total
from linscope.verify.kernel_values import (
    Kernel,
    Values,
    diagonal,
    kernel_sums,
    matrix_sums,
    sums_less,
)


class Held(NamedTuple):
    """One binary problem and the floats of a model: α, b, and w of a linear kernel or None.

    ``X`` has the rows of the problem; for a given matrix it is that of these rows. ``top`` are the
    largest α.
    """

    X: Any
    y: np.ndarray
    top: np.ndarray
    alpha: np.ndarray
    bias: float
    kernel: Kernel
    weights: np.ndarray | None = None
    ridge: float = 0.0


class Judged(NamedTuple):
    """P, a bound of P − min P, the KKT violation at most, ΣC_i, and f at the samples.

    ``spread``: with weights, how far P of Σβ_j x_j·x + b is from ``primal.mid`` at most.
    """

    primal: Ball
    gap: float
    kkt: float
    prices: float
    f: Ball
    spread: float | None = None


def measure(held: Held, *, precise: bool = False, wider: float = 1.0) -> Judged:
    """All numbers of a claim from X alone.

    Parameters
    ----------
    held : the problem and the model
    precise : whether to work in pairs of floats
    wider : rounding counts so many times; a claim leaves room for a check with other rounding
    """
    if held.weights is None:
        g = widened(_less_labels(held, precise), wider)
        return judge(held, g + held.y, g=g)
    beta, w = held.y * held.alpha, np.asarray(held.weights, dtype=np.float64)
    used = np.flatnonzero(beta)
    g = sums_less(held.X, held.y, np.concatenate([[held.bias], w]), precise)
    g, norm2 = widened(g, wider), total(Ball.of(w) * w)
    away = wider * _away(held.X[used], beta[used], w, precise)
    with np.errstate(all="ignore"):
        apart = float(np.sqrt(np.sum(away**2)) * (1 + 1e-9))
        moved = abs(held.X) @ away * (1 + gamma(len(w) + 2))
        longer = apart * (2.0 * float(np.sqrt(norm2.high)) + apart) * (1 + 1e-9)
    found = judge(held, g + held.y, norm2, apart, g)
    if not np.isinf(held.top).any():  # no slack changes by more than its score
        with np.errstate(all="ignore"):
            slacks = float(moved @ held.top) * (1 + gamma(len(moved) + 2)) + len(moved) * TINY
            spread = (found.primal.rad + 0.5 * longer + slacks) * (1 + 1e-9)
        return found._replace(spread=_or_infinite(spread))
    g, norm2 = Ball.safe(g.mid, g.rad + moved), Ball.safe(norm2.mid, norm2.rad + longer)
    return found._replace(spread=float(judge(held, g + held.y, norm2, apart, g).primal.rad))


def widened(f: Ball, factor: float) -> Ball:
    """The same with more room."""
    return f if factor == 1.0 else Ball.safe(f.mid, factor * f.rad + 4.0 * UNIT * np.abs(f.mid))


def _less_labels(held: Held, precise: bool) -> Ball:
    """f − y."""
    beta, y = held.y * held.alpha, held.y
    used = np.flatnonzero(beta)
    if not len(used):
        return Ball.of(np.full(len(beta), held.bias)) - y
    if held.kernel.name == "precomputed":
        K = np.asarray(held.X, dtype=np.float64)
        uneven = 0.5 * np.abs(K[:, used] - K[used].T)
        g = matrix_sums(Values([K[:, used]], uneven), beta[used], held.bias, y, precise=precise)
    else:
        rows = held.X[used]
        g = kernel_sums(held.kernel, held.X, rows, beta[used], held.bias, y, precise=precise)
    return Ball.safe(g.mid, g.rad + held.ridge * held.alpha)


# Σβx = Σβ(x − c) + cΣβ for any c: without what all rows have in common sums are more exact.
def _away(X: Any, beta: np.ndarray, w: np.ndarray, precise: bool) -> np.ndarray:
    """|w − Σβx| at most, of each column."""
    beta_ball = Ball.of(beta[:, None])
    if sp.issparse(X) or precise or not len(beta):
        sums = products(X, beta_ball, precise=precise)
        along = Ball(sums.mid[0, 1:], sums.rad[0, 1:])
    else:
        X = np.asarray(X, dtype=np.float64)
        c = X[0]
        with np.errstate(all="ignore"):
            moved = X - c
            lost = UNIT * (np.abs(moved).T @ np.abs(beta)) * (1 + 1e-9)
        sums = products(moved, beta_ball)
        along = Ball.safe(sums.mid[0, 1:], sums.rad[0, 1:] + lost) + total(beta_ball) * Ball.of(c)
    with np.errstate(all="ignore"):
        return (Ball.of(w) - along).size


def _lengths(held: Held, off: np.ndarray) -> np.ndarray:
    """√K_ii, at least, of the samples where ``off`` is not 0."""
    used = np.flatnonzero(off)
    out = np.zeros(len(held.alpha))
    if held.kernel.name == "rbf":
        own = np.ones(len(used))
    elif held.kernel.name == "precomputed":
        own = np.asarray(held.X[used, used], dtype=np.float64)
    elif held.kernel.name == "linear":
        X = held.X[used].astype(np.float64)
        with np.errstate(all="ignore"):
            own = np.asarray(X.multiply(X).sum(axis=1) if sp.issparse(X) else (X * X).sum(axis=1))
    else:
        own = diagonal(held.kernel, held.X[used])
    with np.errstate(all="ignore"):
        out[used] = np.sqrt(np.maximum(own.ravel() + held.ridge, 0.0)) * (1 + 1e-9)
    return out


def judge(
    held: Held, f: Ball, norm2: Ball | None = None, apart: float = 0.0, g: Ball | None = None
) -> Judged:
    """The formulas above.

    Parameters
    ----------
    held : the problem and the model
    f : scores of the samples
    norm2 : ‖w‖², or None for βᵀKβ = Σβ(f − b)
    apart : ‖w − Σβφ‖ at most
    g : f − y, where that is known better than f
    """
    y, alpha, top = held.y, held.alpha, held.top
    a = put_in_box(alpha, top)
    beta, m = y * alpha, Ball(y * f.mid, f.rad)
    g = f - y if g is None else g
    excess = Ball(y * g.mid, g.rad)  # m − 1
    sums = Ball.of(_sum(beta)) if np.isfinite(alpha).all() else Ball(0.0, np.inf)
    norm2 = total(f * beta) - sums * held.bias if norm2 is None else norm2
    norm2 = Ball(float(norm2.mid), float(norm2.rad))
    off = np.abs(alpha - a) + _imbalance(a, y)
    apart = (apart + _sum(off * _lengths(held, off))) * (1 + 1e-9)
    kkt = _violation(f, y, a, top)
    if not np.isinf(top).any():
        primal = norm2 * 0.5 + total((-excess).positive_part() * top)
        terms = np.maximum(_term(excess.low, a, top), _term(excess.high, a, top))
        with np.errstate(all="ignore"):  # a margin without a bound leaves the gap without one
            rest = _sum(off * (np.abs(excess.mid) + excess.rad)) + 0.5 * apart * apart
        gap = (_sum(terms) + rest) * (1 + 1e-12)
        gap += (len(y) + 2) * TINY if alpha.any() else 0.0  # products may vanish
        return Judged(primal, _or_infinite(gap), kkt, _sum(top), f)
    return _hard(f, norm2, m, a, off, apart, kkt)


def _sum(values: np.ndarray) -> float:
    try:
        return fsum(np.ravel(values).tolist())
    except (OverflowError, ValueError):
        return np.inf


def _or_infinite(value: float) -> float:
    return float(value) if value >= 0 else np.inf


def put_in_box(alpha: np.ndarray, top: np.ndarray) -> np.ndarray:
    """α, at its largest value where that is what float64 or float32 make of it."""
    with np.errstate(all="ignore"):
        single = (alpha == top.astype(np.float32)) & (alpha > 0.0)
        return np.where(single | (alpha >= top * (1.0 - 2.0 * UNIT)), top, alpha)


def _imbalance(a: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What each α of the heavier class has to lose for Σβ = 0."""
    left = _sum(y * a)
    heavy = (y > 0) if left > 0 else (y < 0)
    weight = _sum(a[heavy])
    if left == 0.0:
        return np.zeros_like(a)
    if not weight > 0 or not np.isfinite(left):
        return np.where(heavy, a, 0.0)
    return np.where(heavy, a * min(1.0, abs(left) / weight * (1 + 8 * UNIT)), 0.0)


# α(m − 1) + C max(0, 1 − m) = α max(0, m − 1) + (C − α) max(0, 1 − m): convex in m − 1
def _term(excess: np.ndarray, a: np.ndarray, top: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        over, under = np.maximum(0.0, excess), np.maximum(0.0, -excess)
        parts = np.where(a > 0, a * over, 0.0), np.where(a < top, (top - a) * under, 0.0)
    return (parts[0] + parts[1]) * (1 + 8 * UNIT)


def _violation(f: Ball, y: np.ndarray, a: np.ndarray, top: np.ndarray) -> float:
    may_grow, may_shrink = np.where(y > 0, a < top, a > 0), np.where(y > 0, a > 0, a < top)
    if not may_grow.any() or not may_shrink.any():
        return 0.0
    with np.errstate(all="ignore"):
        most = float(np.max((f.high - y)[may_shrink]))
        least = float(np.min((f.low - y)[may_grow]))
        gap = most - least
        return np.inf if np.isnan(gap) else max(0.0, gap * (1 + 4 * UNIT) + 4 * UNIT)


def _hard(f, norm2: Ball, m: Ball, a, off, apart: float, kkt: float) -> Judged:
    """C = ∞: f over its smallest margin, and Σα' − ½‖w'‖²."""
    total_alpha = _sum(a)
    if not len(a):
        return Judged(Ball(0.0, 0.0), 0.0, 0.0, 0.0, f)
    k = int(np.argmin(m.mid))
    least = Ball(float(m.mid[k]), float(np.max(m.mid[k] - m.low)))
    if not least.low > 0:
        return Judged(Ball(0.0, np.inf), np.inf, kkt, 4.0 * total_alpha, f)
    primal = (norm2 * 0.5).over(least * least)
    primal = Ball(float(primal.mid), float(primal.rad))
    with np.errstate(all="ignore"):
        length = (np.sqrt(max(0.0, float(norm2.high))) + apart) * (1 + 1e-12)
        dual = (
            Ball.of(total_alpha) - Ball.of(_sum(off) * (1 + 1e-9)) - Ball.of(length) * length * 0.5
        )
        gap = (primal - dual).high
    return Judged(primal, max(0.0, _or_infinite(float(gap))), kkt, 4.0 * total_alpha, f)
