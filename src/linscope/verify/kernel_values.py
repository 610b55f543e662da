"""Kernel values of rows, and sums of them, with a bound on their error: NumPy and SciPy alone.

    linear   x·z              poly   (γ x·z + c0)^p
    rbf      exp(−γ‖x − z‖²)  sigmoid   tanh(γ x·z + c0)

Squared distances are sums of squared differences, which are as exact as the features themselves:
‖x‖² − 2x·z + ‖z‖² cancels far from the origin. Values of a kernel function and of a given matrix
are taken as they are. ``precise=True`` works in pairs of floats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linscope.arithmetic.enclosures import LIBRARY, TINY, UNIT, Ball, dense, gamma, scores, two_sum
from linscope.arithmetic.pairs import LOSS, Pair, add, exp, over, times

# Kernel values that are held at a time, and relative rounding of a kernel function of the user's,
# which may sum in another order each time.
TILE, FUNCTION = 1 << 20, 64 * UNIT
# Beyond this a Gaussian kernel is 0 but for 1e-300.
FAR = 690.0
# Factors of up to two to this can be split in halves.
WIDE = 900


class Kernel(NamedTuple):
    """A formula and its numbers; ``name`` may be a function (X, Z) → matrix."""

    name: Any
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0

    @property
    def inner_product(self) -> bool:
        """Whether the formula is one for all rows there are: φ(x)·φ(z) for some map φ."""
        if callable(self.name) or not (self.gamma >= 0.0):
            return False
        return self.name in ("linear", "rbf") or (self.name == "poly" and self.coef0 >= 0.0)


class Values(NamedTuple):
    """Kernel values: the sum of ``layers``, each an array, within ``rad``."""

    layers: list[np.ndarray]
    rad: np.ndarray


def values(kernel: Kernel, X: Any, Z: Any, *, precise: bool = False) -> Values:
    """K(x, z) of all rows of X with all rows of Z."""
    if callable(kernel.name):
        K = dense(kernel.name(X, Z))
        return Values([K], FUNCTION * np.abs(K))
    X, Z, kernel = _in_range(*_dense(X, Z), kernel)
    with np.errstate(all="ignore"):
        if precise:
            return _precise(kernel, X, Z)
        ball = _distances_map(kernel, X, Z) if kernel.name == "rbf" else _product_map(kernel, X, Z)
    return Values([ball.mid], ball.rad)


def kernel_sums(
    kernel: Kernel,
    X: Any,
    Z: Any,
    beta: np.ndarray,
    bias: float = 0.0,
    less: np.ndarray | None = None,
    *,
    precise: bool = False,
) -> Ball:
    """Σ_j β_j K(x_i, z_j) + b − less_i for each row of X.

    >>> kernel = Kernel("rbf", gamma=1.0)
    >>> far = np.array([[1e9], [1e9 + 1.0]])
    >>> sums = kernel_sums(kernel, far, far, np.array([1.0, -1.0]))
    >>> bool(sums.low[0] <= 1.0 - np.exp(-1.0) <= sums.high[0]), bool(sums.rad[0] < 1e-14)
    (True, True)
    """
    mid, rad = np.zeros(X.shape[0]), np.zeros(X.shape[0])
    for rows in tiles(X.shape[0], Z.shape[0], X.shape[1]):
        own = values(kernel, X[rows], Z, precise=precise)
        part = None if less is None else less[rows]
        mid[rows], rad[rows] = matrix_sums(own, beta, bias, part, precise=precise)
    return Ball.safe(mid, rad)


def matrix_sums(
    K: Values,
    beta: np.ndarray,
    bias: float = 0.0,
    less: np.ndarray | None = None,
    *,
    precise: bool = False,
) -> Ball:
    """Kβ + b − less of values that are there."""
    weights = np.concatenate([[bias]] + [beta] * len(K.layers))
    sums = sums_less(np.hstack(K.layers), less, weights, precise)
    with np.errstate(all="ignore"):
        doubt = K.rad @ np.abs(beta) * (1.0 + gamma(len(beta) + 2)) + len(beta) * TINY
    return Ball.safe(sums.mid, sums.rad + doubt)


def sums_less(X: Any, less: np.ndarray | None, weights: np.ndarray, precise: bool) -> Ball:
    """w·x + b − less of each row, bias first; in pairs of floats the difference is rounded once."""
    if precise and less is not None:
        stack = sp.hstack if sp.issparse(X) else np.hstack
        X = stack([X, less[:, None]])
        X, weights, less = X.tocsr() if sp.issparse(X) else X, np.append(weights, -1.0), None
    sums = scores(X, weights, precise=precise)
    ball = Ball(sums.mid[:, 0], sums.rad[:, 0])
    return ball if less is None else ball - less


def diagonal(kernel: Kernel, X: Any) -> np.ndarray:
    """Upper bounds of K(x, x)."""
    return own_values(kernel, X, 2.0) * (1.0 + 4.0 * UNIT)


def own_values(kernel: Kernel, X: Any, rounding: float = 0.0) -> np.ndarray:
    """K(x, x), and so many times its rounding."""
    if kernel.name == "rbf":
        return np.ones(X.shape[0])
    out = np.zeros(X.shape[0])
    for first in range(0, X.shape[0], 128):
        own = X[first : first + 128]
        K = values(kernel, own, own)
        wider = rounding * K.rad if rounding else 0.0  # a radius may be infinite
        out[first : first + 128] = (K.layers[0] + wider).diagonal()
    return out


def tiles(n: int, m: int, d: int = 1) -> Iterator[slice]:
    """Rows of which the values with m others, and they themselves, fit in some memory."""
    step = max(1, TILE // max(1, m, d))
    return (slice(first, min(n, first + step)) for first in range(0, n, step))


def _dense(X: Any, Z: Any) -> tuple[np.ndarray, np.ndarray]:
    """Dense float64 rows; of sparse ones only the columns that are used."""
    if sp.issparse(X) or sp.issparse(Z):
        X, Z = sp.csr_array(X), sp.csr_array(Z)
        used = np.union1d(X.indices, Z.indices)
        X, Z = X[:, used].toarray(), Z[:, used].toarray()
    return np.asarray(X, dtype=np.float64), np.asarray(Z, dtype=np.float64)


def _in_range(
    X: np.ndarray, Z: np.ndarray, kernel: Kernel
) -> tuple[np.ndarray, np.ndarray, Kernel]:
    """Features near 1 by a power of two, which γ takes up: no square leaves the range.

    If γ would leave it, squares may: they are so large then that so is γ times them.
    """
    largest = max(np.abs(X).max(initial=0.0), np.abs(Z).max(initial=0.0))
    k, e = int(np.frexp(largest)[1]), int(np.frexp(kernel.gamma)[1])
    if kernel.name == "linear" or (abs(k) < 400 and e <= WIDE):
        return X, Z, kernel
    k = max(min(k, (WIDE - e) // 2), k - 1000)
    with np.errstate(all="ignore"):
        wide = float(np.ldexp(kernel.gamma, 2 * k))
    return np.ldexp(X, -k), np.ldexp(Z, -k), kernel._replace(gamma=wide)


def _dots(X: np.ndarray, Z: np.ndarray) -> Ball:
    d = X.shape[1]
    size = np.abs(X) @ np.abs(Z).T
    return Ball.safe(X @ Z.T, gamma(d + 4) * size + (d + 4) * TINY)


def _product_map(kernel: Kernel, X: np.ndarray, Z: np.ndarray) -> Ball:
    t = _dots(X, Z)
    if kernel.name == "linear":
        return t
    t = t * kernel.gamma + kernel.coef0
    if kernel.name == "sigmoid":
        mid = np.tanh(t.mid)
        return Ball.safe(mid, _slope(t) * t.rad + LIBRARY * np.abs(mid) + TINY)
    return _power(t, kernel.degree)


# 1 − tanh² u ≤ 4 e^{−2|u|}
def _slope(t: Ball) -> np.ndarray:
    """The largest slope of tanh within a ball."""
    return np.minimum(1.0, 4.01 * np.exp(-2.0 * np.maximum(0.0, np.abs(t.mid) - t.rad)))


def _power(t: Ball, degree: int) -> Ball:
    result = Ball.of(np.ones_like(t.mid))
    for bit in bin(degree)[2:]:
        result = result * result
        result = result * t if bit == "1" else result
    return result


def _distances_map(kernel: Kernel, X: np.ndarray, Z: np.ndarray) -> Ball:
    from scipy.spatial.distance import cdist  # takes long to import

    d = X.shape[1]
    t = kernel.gamma * cdist(X, Z, "sqeuclidean")
    mid = np.exp(-t)
    lost = 4.0 * (d + 2) * TINY * (1.0 + kernel.gamma)
    rad = mid * (np.expm1(gamma(d + 6) * t + lost) + LIBRARY) + 4.0 * TINY
    # Far apart, the value is 0 whatever the rounding of t.
    return Ball.safe(mid, np.where(t - lost > 2.0 * FAR, 1e-290, rad))


def _precise(kernel: Kernel, X: np.ndarray, Z: np.ndarray) -> Values:
    if kernel.name == "rbf":
        return _precise_gaussian(kernel, X, Z)
    t, size = _precise_dots(X, Z)
    d = X.shape[1]
    if kernel.name != "linear":
        t = add(times(t, Pair.of(kernel.gamma)), Pair.of(kernel.coef0))
        size = size * kernel.gamma + abs(kernel.coef0)
    rad = (4 * d + 16) * LOSS * size + (4 * d + 16) * TINY * (1.0 + kernel.gamma)
    if kernel.name == "sigmoid":
        return _precise_tanh(t, rad * _slope(Ball(t.hi, rad)))
    if kernel.name == "linear":
        return Values(list(t), rad)
    p = kernel.degree
    power = Pair.of(np.ones_like(t.hi))
    for bit in bin(p)[2:]:
        power = times(power, power)
        power = times(power, t) if bit == "1" else power
    slope = p * (size + rad) ** max(p - 1, 0)
    rad = slope * rad + 4 * (p + 1) * LOSS * size**p + TINY
    return Values(list(power), np.where(np.isfinite(power.lo), rad, np.inf))


def _precise_dots(X: np.ndarray, Z: np.ndarray) -> tuple[Pair, np.ndarray]:
    sums = Pair.of(np.zeros((len(X), len(Z))))
    for j in range(X.shape[1]):
        sums = add(sums, times(Pair.of(X[:, j, None]), Pair.of(Z[None, :, j])))
    return sums, np.abs(X) @ np.abs(Z).T * (1.0 + gamma(X.shape[1] + 2))


def _precise_gaussian(kernel: Kernel, X: np.ndarray, Z: np.ndarray) -> Values:
    d = X.shape[1]
    squares = Pair.of(np.zeros((len(X), len(Z))))
    for j in range(d):
        apart = Pair(*two_sum(X[:, j, None], -Z[None, :, j]))
        squares = add(squares, times(apart, apart))
    t = times(squares, Pair.of(kernel.gamma))
    lost = 4.0 * (d + 2) * TINY * (1.0 + kernel.gamma)
    near = t.hi < FAR
    K = exp(Pair(-np.where(near, t.hi, FAR), -np.where(near, t.lo, 0.0)))
    off = (4 * d + 80) * LOSS * (t.hi + 1.0) + lost
    far = 1e-290 if lost < 1.0 else np.inf
    rad = np.where(near, K.hi * np.expm1(off) * 1.01 + 4.0 * TINY, far)
    return Values([np.where(near, K.hi, 0.0), np.where(near, K.lo, 0.0)], rad)


# tanh u = (1 − e)/(1 + e) with e = exp(−2|u|), and the sign of u
def _precise_tanh(t: Pair, rad: np.ndarray) -> Values:
    sign = np.where(t.hi < 0, -1.0, 1.0)
    twice = np.minimum(2.0 * np.abs(t.hi), FAR)
    e = exp(Pair(-twice, np.where(twice < FAR, -2.0 * sign * t.lo, 0.0)))
    one = Pair.of(np.ones_like(t.hi))
    value = over(add(one, Pair(-e.hi, -e.lo)), add(one, e))
    return Values([sign * value.hi, sign * value.lo], rad + 2000 * LOSS + 1e-290)
