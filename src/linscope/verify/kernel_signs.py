"""The sign of Σ_j β_j K(x, z_j) + b, exactly.

Linear and polynomial kernels of floats are rational numbers. For the Gaussian kernel terms of equal
distance are put together: by the theorem of Lindemann and Weierstrass powers of e with different
rational exponents are linearly independent over the rationals, so the sum is 0 only if every group
is; else digits are added until its sign is known. A sigmoid is grouped by the size of its argument,
as tanh is odd; if no group is left the sum is 0, else digits are added, and after some hundred the
sign counts as unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from .enclosures import Ball
from .kernel_values import Kernel, kernel_sums, matrix_sums, values

# Products of fractions that may be made in all, and the digits that are tried.
MOST, DIGITS = 3e5, (50, 100, 200, 400)
UNKNOWN = 2


def signed_sums(kernel: Kernel, X: Any, Z: Any, beta: np.ndarray, bias: float, plain: Ball) -> Any:
    """Scores whose sign is exact, and where it is unknown.

    Parameters
    ----------
    kernel, X, Z, beta, bias : the sums; for a given matrix X has the values K(x, z) and Z is None
    plain : the sums in floats with bounds

    Returns
    -------
    array of floats, mask of those whose sign is not known
    """
    out, unknown = plain.mid.copy(), np.zeros(len(plain.mid), dtype=bool)
    doubtful = np.flatnonzero(~(np.abs(plain.mid) > plain.rad))
    if not len(doubtful):
        return out, unknown
    fine = _precise(kernel, X[doubtful], Z, beta, bias)
    out[doubtful] = fine.mid
    vague = ~(np.abs(fine.mid) > fine.rad)
    cost = float(len(beta)) * (X.shape[1] if Z is not None else 1) + 1.0
    for k in np.flatnonzero(vague).tolist():
        row = doubtful[k]
        sign = UNKNOWN
        if cost <= MOST:
            sign = exact_sign(kernel, _row(X, row), Z, beta, bias)
            cost += float(len(beta)) * X.shape[1]
        size = max(abs(float(fine.mid[k])), 1e-300)
        out[row] = size * sign if sign != UNKNOWN else 0.0
        unknown[row] = sign == UNKNOWN
    return out, unknown


def _precise(kernel: Kernel, X: Any, Z: Any, beta: np.ndarray, bias: float) -> Ball:
    if Z is not None:
        return kernel_sums(kernel, X, Z, beta, bias, precise=True)
    return matrix_sums(given_values(X), beta, bias, precise=True)


def given_values(K: Any):
    """Values of a given matrix, as they are."""
    return values(Kernel(lambda A, B: A), K, None)._replace(rad=np.zeros(K.shape))


def _row(X: Any, row: int) -> np.ndarray:
    own = X[[row]]
    return np.asarray(own.toarray() if sp.issparse(own) else own, dtype=np.float64)[0]


def exact_sign(kernel: Kernel, x: np.ndarray, Z: Any, beta: np.ndarray, bias: float) -> int:
    """−1, 0, +1 or UNKNOWN."""
    weights = [Fraction(v) for v in beta.tolist()]
    b = Fraction(float(bias))
    if Z is None or callable(kernel.name):
        K = x if Z is None else values(kernel, x[None], Z).layers[0][0]
        return _sign(b + _dot(weights, [Fraction(v) for v in K.tolist()]))
    rows = np.asarray(Z.toarray() if sp.issparse(Z) else Z, dtype=np.float64).tolist()
    point = [Fraction(v) for v in x.tolist()]
    vectors = [[Fraction(v) for v in row] for row in rows]
    g, c0 = Fraction(kernel.gamma or 0.0), Fraction(kernel.coef0)
    if kernel.name == "rbf":
        sizes = [
            g * sum(((a - z) ** 2 for a, z in zip(point, v, strict=True)), Fraction(0))
            for v in vectors
        ]
        return _sign_of_powers(_grouped(sizes, weights), b)
    products = [_dot(point, v) for v in vectors]
    if kernel.name == "linear":
        return _sign(b + _dot(weights, products))
    inner = [g * p + c0 for p in products]
    if kernel.name == "poly":
        return _sign(b + _dot(weights, [v**kernel.degree for v in inner]))
    odd = [w if v >= 0 else -w for w, v in zip(weights, inner, strict=True)]
    return _sign_of_tanh(_grouped([abs(v) for v in inner], odd), b)


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def _dot(a: Iterable[Fraction], b: Iterable[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _grouped(keys: list[Fraction], weights: list[Fraction]) -> dict[Fraction, Fraction]:
    """Weights of equal keys added; those that cancel are left out."""
    sums: dict[Fraction, Fraction] = {}
    for key, weight in zip(keys, weights, strict=True):
        sums[key] = sums.get(key, Fraction(0)) + weight
    return {key: weight for key, weight in sums.items() if weight}


def _sign_of_powers(groups: dict[Fraction, Fraction], b: Fraction) -> int:
    """Of b + Σ w e^{−t}."""
    b += groups.pop(Fraction(0), Fraction(0))
    if not groups:
        return _sign(b)
    if b == 0:  # times e^t of the least t, lest all terms vanish
        least = min(groups)
        groups = {t - least: w for t, w in groups.items()}
    return _by_digits(groups, b, lambda t: (-t).exp())


def _sign_of_tanh(groups: dict[Fraction, Fraction], b: Fraction) -> int:
    groups.pop(Fraction(0), None)
    if not groups:
        return _sign(b)

    def tanh(t: Decimal) -> Decimal:
        power = (-2 * t).exp()
        return (1 - power) / (1 + power)

    return _by_digits(groups, b, tanh)


def _by_digits(groups: dict[Fraction, Fraction], b: Fraction, function: Any) -> int:
    """The sign of b + Σ w f(t) with |f| ≤ 1 and a slope of at most 1."""
    for digits in DIGITS:
        with localcontext() as context:
            context.prec, context.Emin, context.Emax = digits + 10, -(10**12), 10**12
            total = _decimal(b)
            size = abs(total)
            for t, w in groups.items():
                term = _decimal(w) * function(_decimal(t))
                total += term
                # an error of t in its last digit is one of e^{−t}, relatively t times that
                size += abs(term) * (2 + _decimal(t))
            if abs(total) > size * (len(groups) + 8) * Decimal(10) ** (-digits - 5):
                return 1 if total > 0 else -1
    return UNKNOWN


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
