"""What holds at given floats of a least-squares fit, from sums without rounding.

With the solution u* known up to a radius, the gradient ρ = r − N u at the floats is also known
without rounding, and so is how far the objective is above its minimum:

    J(w) − min J = ½ ρ·(u* − u) / W  +  ½ (Σ c r)² / W

(the second term is what a better bias would gain).
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from linscope.arithmetic.rational import as_float

from .normal_equations import Held, Normal, Optimum, held

# Relative error of the weights, and share of ½ Σ c (y − ȳ)² above the minimum, of a solved problem.
TOLERANCE = 1e-6
# float32 weights have 7 digits, and their rounding moves the residuals.
TOLERANCE_32 = 1e-3
# Four units of the floats that the weights are held in; a wider tolerance is one for float32.
ROUNDED, ROUNDED_32 = 2.0**-51, 2.0**-22


class Facts(NamedTuple):
    """Of each target: Σ c r², the objective, its distance from the minimum, Σ c (y − ȳ)².

    ``error`` (targets, d + 1) is the distance of each weight from the solution, or from the
    shortest of several; ``lengths`` (d + 1) are those of the columns (√W for the bias) with the
    penalty; Σ c r² may be wrong by ``rounding``; ``dual`` is a lower bound of the minimum; ``size``
    is Σ c y², or less where that does not matter.
    Bounds are rounded outward; one that could not be proven is infinite.
    """

    rss: np.ndarray
    primal: np.ndarray
    gap: np.ndarray
    tss: np.ndarray
    error: np.ndarray
    lengths: np.ndarray
    dual: np.ndarray
    rounding: np.ndarray
    size: np.ndarray


def facts(normal: Normal, best: Optimum | None, W: np.ndarray) -> Facts:
    """What holds at the floats W (targets, d + 1), bias first."""
    at = held(normal, W)
    rss = [_residual_squares(normal, at, k) for k in range(normal.t)]
    squares = [sum(Fraction(float(w)) ** 2 for w in row[1:]) for row in W]
    pull = Fraction(normal.alpha)
    primal = [(r + pull * s) / 2 for r, s in zip(rss, squares, strict=True)]
    infinite = np.full(W.shape, np.inf)
    gap = [_gap(normal, best, at, k) for k in range(normal.t)] if best else infinite[:, 0]
    lows = [p - g for p, g in zip(primal, gap, strict=True)] if best else []
    return Facts(
        np.array([as_float(v) for v in rss]),
        np.array([as_float(v) for v in primal]),
        np.array([up(v) for v in gap]) if best else infinite[:, 0],
        np.array([as_float(_total_squares(normal, k)) for k in range(normal.t)]),
        np.array([_errors(normal, best, at, k) for k in range(normal.t)]) if best else infinite,
        lengths(normal),
        np.array([down(v) for v in lows]) if best else -infinite[:, 0],
        np.zeros(normal.t),
        np.array([as_float(_squares(normal, k)) for k in range(normal.t)]),
    )


def relative_error(W: np.ndarray, error: np.ndarray, lengths: np.ndarray) -> float:
    """Errors of weights relative to the largest of their target, times their columns' lengths.

    A weight that is 0 has no digits of its own; an error that moves no prediction by much is small.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        wrong = np.where(error == 0, 0.0, lengths * error)
        size = np.where(W == 0, 0.0, lengths * np.abs(W))
        top = size[:, 1:].max(axis=1, initial=0.0)
        whole = np.broadcast_to(top[:, None], size.shape).copy()
        whole[:, 0] = np.maximum(top, size[:, 0])
        share = np.where(wrong == 0, 0.0, wrong / whole)
    return float(np.max(share, initial=0.0)) if not np.isnan(share).any() else np.inf


def largest_gap(found: Facts, tolerance: float) -> np.ndarray:
    """The gap of each target that the tolerance allows.

    That is tolerance · ½ Σ c (y − ȳ)², but never less than ½ ε² Σ c y²: what rounding y itself
    would cost, all there is where y is constant.
    """
    unit = ROUNDED if tolerance <= TOLERANCE else ROUNDED_32
    return 0.5 * np.maximum(tolerance * found.tss, unit * unit * found.size)


def within(found: Facts, W: np.ndarray, tolerance: float) -> bool:
    """Whether the objective and the weights are as near to the minimum as the tolerance asks."""
    small = found.gap <= largest_gap(found, tolerance)
    return bool(small.all()) and relative_error(W, found.error, found.lengths) <= tolerance


def up(value: Fraction) -> float:
    """A float that is not below the value."""
    close = as_float(value)
    return close if close >= value else float(np.nextafter(close, np.inf))


def down(value: Fraction) -> float:
    """A float that is not above the value."""
    return -up(-value)


def _units(normal: Normal, k: int, *, raised: int = 0) -> Fraction:
    """What a product of two numbers of target k is worth."""
    power = 2 * int(normal.e_y[k]) + normal.gram.power - raised
    return Fraction(2) ** power


def _residual_squares(normal: Normal, at: Held, k: int) -> Fraction:
    """zᵀGz with z = [−b, −u, 1] for target k."""
    first = int(normal.intercept)
    used = [*range(first + normal.d), first + normal.d + k]
    z = np.array([*([-at.bias[k]] * first), *-at.u[:, k], 1 << at.point], dtype=object)
    value = int(z.dot(normal.gram.numbers[np.ix_(used, used)]).dot(z))
    return Fraction(value, 1 << 2 * at.point) * _units(normal, k)


def _squares(normal: Normal, k: int) -> Fraction:
    place = int(normal.intercept) + normal.d + k
    return Fraction(int(normal.gram.numbers[place, place])) * _units(normal, k)


def _total_squares(normal: Normal, k: int) -> Fraction:
    value = _squares(normal, k)
    if normal.intercept:
        sums = int(normal.gram.numbers[0, normal.d + 1 + k])
        value -= Fraction(sums**2, normal.total) * _units(normal, k)
    return value


def _gap(normal: Normal, best: Optimum, at: Held, k: int) -> Fraction:
    rho = (normal.r[:, k] << at.point) - normal.N.dot(at.u[:, k])
    way = (best.numbers[:, k] << at.point) - (at.u[:, k] << best.point)
    value = Fraction(int(rho.dot(way)), 1 << (2 * at.point + best.point))
    value += sum(
        (abs(int(p)) * r for p, r in zip(rho, best.radius[:, k], strict=True)), Fraction(0)
    ) / (1 << at.point)
    value = max(value, Fraction(0)) / normal.total * _units(normal, k, raised=normal.raised) / 2
    if not normal.intercept:
        return value
    level = _level(normal, at, k)
    return value + level * level / normal.total * _units(normal, k) / 2


def minimum(normal: Normal, best: Optimum, k: int) -> Fraction:
    """Σ c r² at the solution."""
    bias = np.zeros(normal.t, dtype=object)
    point, extra = best.point, 64
    u = best.numbers << extra
    if normal.intercept:
        value = bias_of(normal, best.numbers[:, k], point, k)
        bias[k] = (value.numerator << (point + extra)) // value.denominator
    return _residual_squares(normal, Held(u, bias, point + extra), k)


def _level(normal: Normal, at: Held, k: int) -> Fraction:
    """Σ c r in whole-number units."""
    s = normal.sums
    whole = (int(s[normal.d + k]) << at.point) - int(s[: normal.d].dot(at.u[:, k]))
    return Fraction(whole - normal.total * int(at.bias[k]), 1 << at.point)


def _errors(normal: Normal, best: Optimum, at: Held, k: int) -> list[float]:
    away = [
        abs(Fraction(int(u), 1 << at.point) - Fraction(int(x), 1 << best.point)) + r
        for u, x, r in zip(at.u[:, k], best.numbers[:, k], best.radius[:, k], strict=True)
    ]
    e_y = int(normal.e_y[k])
    out = [up(v * Fraction(2) ** (e_y - int(e))) for v, e in zip(away, normal.e, strict=True)]
    return [up(_bias_error(normal, best, at, k) * Fraction(2) ** e_y), *out]


def bias_of(normal: Normal, u: np.ndarray, point: int, k: int) -> Fraction:
    """The best bias ȳ − x̄·w for given u, in units of the target."""
    s = normal.sums
    whole = (int(s[normal.d + k]) << point) - int(s[: normal.d].dot(u))
    return Fraction(whole, normal.total << point)


def _bias_error(normal: Normal, best: Optimum, at: Held, k: int) -> Fraction:
    if not normal.intercept:
        return Fraction(0)
    true = bias_of(normal, best.numbers[:, k], best.point, k)
    moved = sum(
        (abs(int(s)) * r for s, r in zip(normal.sums, best.radius[:, k], strict=False)), Fraction(0)
    )
    return abs(true - Fraction(int(at.bias[k]), 1 << at.point)) + moved / normal.total


def lengths(normal: Normal) -> np.ndarray:
    """√ of the diagonal of the equations, √W first."""
    unit = Fraction(2) ** (normal.gram.power - normal.raised) / normal.total
    parts = [
        Fraction(int(v)) * unit * Fraction(4) ** int(e)
        for v, e in zip(np.diag(normal.N), normal.e, strict=True)
    ]
    first = Fraction(normal.total) * Fraction(2) ** normal.gram.power if normal.intercept else 0
    return np.array([_root(v) for v in (Fraction(first), *parts)])


def _root(value: Fraction) -> float:
    """√value to about 15 digits, whatever its size."""
    if not value:
        return 0.0
    half = (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    root = float(np.sqrt(float(value / Fraction(4) ** half)))
    return as_float(Fraction(root) * Fraction(2) ** half)
