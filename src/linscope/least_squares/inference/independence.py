"""Independence: the errors of different rows know nothing of each other.

In the given order of the rows, with u the (weighted) residuals:

    Durbin–Watson  DW = Σ (uᵢ₊₁ − uᵢ)²/Σ uᵢ² ≈ 2(1 − ρ₁); 2 if neighbours are not correlated
    Ljung–Box      Q = n(n + 2) Σₖ ρₖ²/(n − k) ~ χ²(m) over the lags k = 1 … m
"""

from __future__ import annotations

import numpy as np

from linscope.arithmetic.distributions import chi2_tail

from .context import Context
from .verdict import StatisticalTest, Verdict, named, rejected

NAME = "independence"
MOST_LAGS = 10
# A correlation of 0.05 between neighbours changes standard errors by 5 % at most.
SMALL = 0.05


def independence(context: Context) -> Verdict:
    """Are residuals of rows that follow each other unrelated?"""
    if context.fit.frequency:
        return Verdict(NAME, None, "Weights count equal rows, so the order of the rows is unknown.")
    u = context.u
    rho = autocorrelations(u, min(MOST_LAGS, len(u) // 5))
    dw = StatisticalTest(
        "Durbin–Watson", durbin_watson(u), note="2 means no correlation of neighbours"
    )
    tests = [dw, _ljung_box(rho, len(u))] if len(rho) else [dw]
    if context.too_few:
        return Verdict(NAME, None, context.too_few, tests)
    lag = int(np.argmax(np.abs(rho))) + 1
    strongest = float(rho[lag - 1])
    if not rejected(tests, context.alpha):
        sentence = (
            f"No correlation is seen between the residuals of rows that follow each other "
            f"({named(tests)}). This speaks of the given order of the rows only."
        )
        return Verdict(NAME, True, sentence, tests)
    if abs(strongest) < SMALL:
        sentence = (
            f"With {len(u):,} rows even a tiny correlation is significant ({named(tests)}); this "
            f"one is small ({strongest:.2g}) and hardly matters."
        )
        return Verdict(NAME, True, sentence, tests)
    return Verdict(NAME, False, _correlated(strongest, lag, named(tests)), tests)


def _correlated(strongest: float, lag: int, tests: str) -> str:
    alike = "alike" if strongest > 0 else "opposite"
    apart = "Neighbouring residuals are" if lag == 1 else f"Residuals {lag} rows apart are"
    wrong = "too small" if strongest > 0 else "wrong"
    return (
        f"{apart} {alike} (correlation {strongest:.2g}, {tests}): the standard errors may be "
        f"{wrong}. If the rows follow in time or space, model that; if their order means nothing, "
        "ask how they were sorted."
    )


def durbin_watson(u: np.ndarray) -> float:
    """Σ (uᵢ₊₁ − uᵢ)²/Σ uᵢ²; NaN if all are 0."""
    step = np.diff(u)
    size = float(u @ u)
    return float(step @ step) / size if size > 0 else float("nan")


def autocorrelations(u: np.ndarray, lags: int) -> np.ndarray:
    """ρ₁ … ρₘ of the residuals about their mean."""
    v = u - u.mean()
    size = float(v @ v)
    if size == 0:
        return np.zeros(lags)
    return np.array([v[k:] @ v[:-k] for k in range(1, lags + 1)]) / size


def _ljung_box(rho: np.ndarray, n: int) -> StatisticalTest:
    lags = len(rho)
    Q = float(n * (n + 2) * np.sum(rho**2 / (n - np.arange(1, lags + 1))))
    return StatisticalTest("Ljung–Box", Q, chi2_tail(Q, lags), (lags,), "Q")
