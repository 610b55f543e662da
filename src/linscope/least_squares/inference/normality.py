"""Normality: for each x, y has a normal distribution.

With skewness S and kurtosis K of the residuals, and Φ of the sorted, standardised residuals:

    Jarque–Bera       JB = n/6 (S² + (K − 3)²/4) ~ χ²(2)
    Anderson–Darling  A² = −n − Σ (2i − 1)/n [log Φ(z₍ᵢ₎) + log(1 − Φ(z₍ₙ₊₁₋ᵢ₎))]

The p-value of A² (mean and variance estimated) is the approximation of D'Agostino and Stephens.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from linscope.arithmetic.distributions import chi2_tail
from linscope.reports.text import many

from .context import Context
from .verdict import StatisticalTest, Verdict, named, rejected

NAME = "normality"
# Below all three the normal distribution is wrong by less than a reader could see.
SMALL_GAP, SMALL_SKEWNESS, SMALL_EXCESS = 0.01, 0.2, 0.5
# Averages of so many rows are nearly normal, if the rows are not too skewed (Cochran's rule).
MANY, COCHRAN = 200, 25


def normality(context: Context) -> Verdict:
    """Do the residuals look normal?"""
    if context.too_few:
        return Verdict(NAME, None, context.too_few)
    n, v = context.rows.total, context.u - context.mean(context.u)
    m2, m3, m4 = (context.mean(v**k) for k in (2, 3, 4))
    skewness, kurtosis = m3 / m2**1.5, m4 / m2**2
    order = np.argsort(v)
    z, below = v[order] / math.sqrt(m2 * n / (n - 1)), np.cumsum(context.rows.times[order])
    tests = [
        _jarque_bera(skewness, kurtosis, n),
        _anderson_darling(z, below),
        StatisticalTest("skewness", skewness),
        StatisticalTest("kurtosis", kurtosis, note="3 is normal"),
    ]
    significant = rejected(tests, context.alpha)
    if not significant:
        sentence = f"The residuals look as if they were normal ({named(tests)})."
        return Verdict(NAME, True, sentence, tests)
    gap = largest_gap(z, below)
    excess = kurtosis - 3
    if gap < SMALL_GAP and abs(skewness) < SMALL_SKEWNESS and abs(excess) < SMALL_EXCESS:
        sentence = (
            f"With {many(n)} rows even a tiny deviation is significant ({named(significant)}); "
            f"this one is small: probabilities are off by {gap:.2g} at most."
        )
        return Verdict(NAME, True, sentence, tests)
    return Verdict(NAME, False, _not_normal(skewness, excess, n, named(significant)), tests)


def _not_normal(skewness: float, excess: float, n: float, tests: str) -> str:
    traits = []
    if abs(skewness) > SMALL_SKEWNESS:
        traits.append(f"are skewed to the {'right' if skewness > 0 else 'left'}")
    if abs(excess) > SMALL_EXCESS:
        traits.append(f"have {'heavy' if excess > 0 else 'light'} tails")
    trait = " and ".join(traits) or "are not normal"
    if n >= max(MANY, COCHRAN * skewness**2):
        advice = (
            f"with {many(n)} rows the coefficients and their tests are still good, but prediction "
            "intervals are not"
        )
    else:
        advice = "p-values and intervals are approximate; consider a transformed y"
    return f"The residuals {trait} ({tests}): {advice}."


def _jarque_bera(skewness: float, kurtosis: float, n: float) -> StatisticalTest:
    JB = n / 6 * (skewness**2 + (kurtosis - 3) ** 2 / 4)
    return StatisticalTest("Jarque–Bera", JB, chi2_tail(JB, 2), (2,), "χ²")


def _anderson_darling(z: np.ndarray, below: np.ndarray) -> StatisticalTest:
    """Of sorted z, with the number of observations up to each: 1 + 3 + … + (2k − 1) = k²."""
    n = below[-1]
    low = np.diff(below**2, prepend=0.0)
    high = -np.diff((n - below) ** 2, prepend=n**2)
    A2 = -n - float(low @ special.log_ndtr(z) + high @ special.log_ndtr(-z)) / n
    p = _p_of_a2(A2 * (1 + 0.75 / n + 2.25 / n**2))
    return StatisticalTest("Anderson–Darling", A2, p, symbol="A²")


def _p_of_a2(a: float) -> float:
    if a < 0.2:
        return 1 - math.exp(-13.436 + 101.14 * a - 223.73 * a * a)
    if a < 0.34:
        return 1 - math.exp(-8.318 + 42.796 * a - 59.938 * a * a)
    if a < 0.6:
        return math.exp(0.9177 - 4.279 * a - 1.38 * a * a)
    return math.exp(1.2937 - 5.709 * a + 0.0186 * a * a) if a <= 13 else 0.0


def largest_gap(z: np.ndarray, below: np.ndarray) -> float:
    """Largest distance between the distribution of the sorted z and the normal one."""
    Phi, steps = special.ndtr(z), np.append(0.0, below) / below[-1]
    return float(max(np.max(steps[1:] - Phi), np.max(Phi - steps[:-1])))
