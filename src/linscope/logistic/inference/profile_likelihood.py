"""Intervals and tests from the likelihood itself, without a normal approximation.

The profile of a coefficient w is ℓ_p(t) = max ℓ over all coefficients with w = t. It falls on both
sides of the estimate, and with q the quantile of χ² with 1 degree of freedom

    interval = {t : 2(ℓ_max − ℓ_p(t)) ≤ q}           test of w = 0:  2(ℓ_max − ℓ_p(0)) ~ χ²

r(t) = √(2(ℓ_max − ℓ_p(t))) is nearly a straight line, so Newton's method finds r(t) = √q in a few
steps; the multiplier μ of the constraint w = t is the derivative of ℓ_p, and dr/dt = −μ/r. With
Firth's penalty ℓ is the penalised likelihood, with the determinant of all coefficients.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg

from ..solvers.constrained_newton import maximise
from .fit import LogisticFit

MOST_STEPS = 60
# r is found to this, absolutely: r is about 2.
CLOSE = 1e-9
# So many standard errors away the profile counts as flat: there is no end.
FAR = 1e4


def profile_interval(fit: LogisticFit, index: int, cut: float) -> tuple[float, float]:
    """Both ends for coefficient ``index`` (class after class); ±∞ where the profile stays flat."""
    return _end(fit, index, cut, -1.0), _end(fit, index, cut, 1.0)


def _end(fit: LogisticFit, index: int, cut: float, side: float) -> float:
    best, axis, goal = fit.maximum, fit.units[index], math.sqrt(cut)
    centre = float(axis @ best.theta)
    se = math.sqrt(fit.inverse[index, index])
    t, theta, inside, outside = centre + side * goal * se, best.theta, 0.0, math.inf
    for _ in range(MOST_STEPS):
        try:
            there = maximise(fit.likelihood, theta, axis, t)
        except linalg.LinAlgError:  # every probability is 0 or 1 to the last digit
            return side * math.inf
        r = math.sqrt(max(2.0 * (best.place.value - there.place.value), 0.0))
        if abs(r - goal) <= CLOSE:
            return t
        way = abs(t - centre)
        inside, outside = (max(inside, way), outside) if r < goal else (inside, min(outside, way))
        if inside > FAR * se:
            return side * math.inf
        slope = -side * float(there.multipliers[0]) / max(r, 1e-300)
        way = way + (goal - r) / slope if slope > 0 else math.inf
        if not inside < way < min(outside, 4.0 * max(inside, goal * se)):
            way = (inside + outside) / 2 if outside < math.inf else 2.0 * inside
        t, theta = centre + side * way, there.theta
    return t


def drop(fit: LogisticFit, indices: list[int]) -> float:
    """2(ℓ_max − max ℓ with these coefficients 0)."""
    A = fit.units[indices]
    there = maximise(fit.likelihood, fit.maximum.theta, A, np.zeros(len(indices)))
    return max(2.0 * (fit.maximum.place.value - there.place.value), 0.0)
