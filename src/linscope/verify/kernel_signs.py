"""The sign of Σ_j β_j K(x, z_j) + b, exactly.

Linear and polynomial kernels of floats are rational numbers. For the Gaussian kernel terms of equal
distance are put together: by the theorem of Lindemann and Weierstrass powers of e with different
rational exponents are linearly independent over the rationals, so the sum is 0 only if every group
is; else digits are added until its sign is known. A sigmoid is grouped by the size of its argument,
as tanh is odd; if no group is left the sum is 0, else digits are added, and after some hundred the
sign counts as unknown.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from linscope.arithmetic.enclosures import Ball, dense
from linscope.arithmetic.rational import dot

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
    return dense(X[[row]])[0]


def exact_sign(kernel: Kernel, x: np.ndarray, Z: Any, beta: np.ndarray, bias: float) -> int:
    """−1, 0, +1 or UNKNOWN."""
    weights = _fractions(beta)
    b = Fraction(float(bias))
    if Z is None or callable(kernel.name):
        K = x if Z is None else values(kernel, x[None], Z).layers[0][0]
        return _sign(b + dot(weights, _fractions(K)))
    point = _fractions(x)
    arguments = [_argument(kernel, point, _fractions(row)) for row in dense(Z)]
    found = _exact_sum(kernel, arguments, weights, b)
    return UNKNOWN if found is None else _sign(found.value)


def exact_energy(kernel: Kernel, X: Any, beta: np.ndarray, bias: float) -> float | None:
    """βᵀKβ + b² to all digits of a float, or None where some hundred digits do not tell it from 0.

    For a given matrix X is that of these rows.
    """
    n, weights, b2 = len(beta), _fractions(beta), Fraction(float(bias)) ** 2
    pairs = [(i, j) for i in range(n) for j in range(i + 1)]
    products = [weights[i] * weights[j] * (1 if i == j else 2) for i, j in pairs]
    if kernel.name == "precomputed" or callable(kernel.name):
        K = X if kernel.name == "precomputed" else values(kernel, X, X).layers[0]
        even = [(Fraction(float(K[i, j])) + Fraction(float(K[j, i]))) / 2 for i, j in pairs]
        return float(b2 + dot(products, even))
    rows = [_fractions(row) for row in dense(X)]
    arguments = [_argument(kernel, rows[i], rows[j]) for i, j in pairs]
    found = _exact_sum(kernel, arguments, products, b2)
    if found is None or not found.least:
        return None if found is None else float(found.value)
    with localcontext() as context:
        context.Emin, context.Emax = -(10**12), 10**12
        return float(found.value * (-_decimal(found.least)).exp())


def _fractions(values: np.ndarray) -> list[Fraction]:
    return [Fraction(v) for v in values.tolist()]


def _argument(kernel: Kernel, x: list[Fraction], z: list[Fraction]) -> Fraction:
    """What the formula of the kernel is a function of: γ‖x − z‖², x·z or γ x·z + c0."""
    if kernel.name == "rbf":
        return Fraction(kernel.gamma) * sum(
            ((a - b) ** 2 for a, b in zip(x, z, strict=True)), Fraction(0)
        )
    product = dot(x, z)
    if kernel.name == "linear":
        return product
    return Fraction(kernel.gamma or 0.0) * product + Fraction(kernel.coef0)


class Exact(NamedTuple):
    """value·e^{−least}: the value has the sign, also where the power is no number any more."""

    value: Any  # a Fraction or a Decimal
    least: Fraction = Fraction(0)


def _exact_sum(
    kernel: Kernel, arguments: list[Fraction], weights: list[Fraction], b: Fraction
) -> Exact | None:
    """b + Σ w K, as a fraction or to many digits, or None if these do not tell it from 0."""
    if kernel.name == "linear":
        return Exact(b + dot(weights, arguments))
    if kernel.name == "poly":
        return Exact(b + dot(weights, [v**kernel.degree for v in arguments]))
    if kernel.name == "rbf":
        return _sum_of_powers(_grouped(arguments, weights), b)
    odd = [w if v >= 0 else -w for w, v in zip(weights, arguments, strict=True)]
    return _sum_of_tanh(_grouped([abs(v) for v in arguments], odd), b)


def _sign(value: Any) -> int:
    return (value > 0) - (value < 0)


def _grouped(keys: list[Fraction], weights: list[Fraction]) -> dict[Fraction, Fraction]:
    """Weights of equal keys added; those that cancel are left out."""
    sums: dict[Fraction, Fraction] = {}
    for key, weight in zip(keys, weights, strict=True):
        sums[key] = sums.get(key, Fraction(0)) + weight
    return {key: weight for key, weight in sums.items() if weight}


def _sum_of_powers(groups: dict[Fraction, Fraction], b: Fraction) -> Exact | None:
    """b + Σ w e^{−t}."""
    b += groups.pop(Fraction(0), Fraction(0))
    if not groups:
        return Exact(b)
    least = min(groups) if b == 0 else Fraction(0)  # lest all terms vanish
    groups = {t - least: w for t, w in groups.items()}

    def power(t: Decimal) -> tuple[Decimal, Decimal]:
        value = (-t).exp()
        return value, value * (2 + t)

    return _by_digits(groups, b, power, least)


def _sum_of_tanh(groups: dict[Fraction, Fraction], b: Fraction) -> Exact | None:
    groups.pop(Fraction(0), None)
    if not groups:
        return Exact(b)

    def tanh(t: Decimal) -> tuple[Decimal, Decimal]:
        power = (-2 * t).exp()
        return (1 - power) / (1 + power), Decimal(8)

    return _by_digits(groups, b, tanh)


def _by_digits(
    groups: dict[Fraction, Fraction], b: Fraction, function: Any, least: Fraction = Fraction(0)
) -> Exact | None:
    """e^{−least}·(b + Σ w f(t)); f gives a value and its error in units of the last digit."""
    for digits in DIGITS:
        with localcontext() as context:
            context.prec, context.Emin, context.Emax = digits + 10, -(10**12), 10**12
            total = _decimal(b)
            size = abs(total)
            for t, w in groups.items():
                value, error = function(_decimal(t))
                total += _decimal(w) * value
                size += abs(_decimal(w)) * (2 * abs(value) + error)
            # twenty digits more than the sign needs
            if abs(total) > size * (len(groups) + 8) * Decimal(10) ** (15 - digits):
                return Exact(total, least)
    return None


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
