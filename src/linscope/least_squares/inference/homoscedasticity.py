"""Homoscedasticity: the variance of y is the same for every x.

Both tests regress the squared residuals u² and compare n·R² with χ²:

    Breusch–Pagan  on the features x (Koenker's form, which needs no normality)
    White          on x, all squares and all products xᵢxⱼ; on ŷ and ŷ² if those are too many

The effect that matters is on the standard errors: how far are the robust ones from the classic?
"""

from __future__ import annotations

from functools import partial

import numpy as np

from linscope.arithmetic.distributions import chi2_tail
from linscope.rows.blocks import Block

from .auxiliary import Explained, cross_products
from .context import Context
from .covariance import covariance
from .verdict import StatisticalTest, Verdict, named, percent, rejected

NAME = "homoscedasticity"
SMALL = 0.05
# White's test on q terms takes n·q² operations; this many are about a second.
MOST_WORK = 2e10


def homoscedasticity(context: Context) -> Verdict:
    """Is the spread of the residuals the same everywhere?"""
    if context.too_few:
        return Verdict(NAME, None, context.too_few)
    tests = [breusch_pagan(context), white(context)]
    significant = rejected(tests, context.alpha)
    if not significant:
        sentence = f"No change is seen in the spread of the residuals ({named(tests)})."
        return Verdict(NAME, True, sentence, tests)
    change = standard_error_change(context)
    if change < SMALL:
        sentence = (
            f"The spread of the residuals changes ({named(significant)}), but it hardly matters: "
            f"robust standard errors differ by {percent(change)} at most."
        )
        return Verdict(NAME, True, sentence, tests)
    sentence = (
        f"The spread of the residuals {_direction(context)} ({named(significant)}): standard "
        f"errors may be wrong (robust ones differ by up to {percent(change)}). Use robust='HC3'."
    )
    return Verdict(NAME, False, sentence, tests)


def _direction(context: Context) -> str:
    """How the spread goes with ŷ, if it clearly does."""
    size, fitted = np.abs(context.u), context.centred(context.rows.fitted)
    a = size - context.mean(size)
    scale = float(np.sqrt(context.mean(a * a) * context.mean(fitted * fitted)))
    r = context.mean(a * fitted) / scale if scale > 0 else 0.0
    if abs(r) * np.sqrt(context.rows.total) < 2:
        return "is not the same everywhere"
    return f"{'grows' if r > 0 else 'shrinks'} with the fitted values"


def _squares(context: Context) -> np.ndarray:
    """u² about its mean, in units of its mean."""
    square = context.u**2
    return square / context.mean(square) - 1


def _lm(name: str, found: Explained, n: float, note: str = "") -> StatisticalTest:
    LM = n * found.share
    return StatisticalTest(name, LM, chi2_tail(LM, found.rank), (found.rank,), "LM", note)


def breusch_pagan(context: Context) -> StatisticalTest:
    """n·R² of u² on the features."""
    rows = context.rows
    sums = cross_products(context.engine(), context.features, _squares(context), rows.times)
    return _lm("Breusch–Pagan", sums.on(), rows.total)


def white(context: Context) -> StatisticalTest:
    """n·R² of u² on the features, their squares and products."""
    rows, d = context.rows, context.fit.df_model
    terms = d * (d + 3) // 2
    if 4 * (terms + 1) <= rows.total and rows.n * terms**2 <= MOST_WORK:
        columns = partial(_products, context)
        sums = cross_products(context.engine(terms), columns, _squares(context), rows.times)
        return _lm("White", sums.on(), rows.total)
    powers = partial(_fitted_powers, context.centred(rows.fitted))
    sums = cross_products(context.engine(), powers, _squares(context), rows.times)
    return _lm("White", sums.on(), rows.total, f"on ŷ and ŷ², as {terms:,} products are too many")


def _products(context: Context, block: Block) -> np.ndarray:
    """z and zᵢzⱼ: uncorrelated coordinates z span the same space as the features, with better
    digits, and so do their products."""
    Z = context.features(block)
    d = Z.shape[1]
    out = np.empty((len(Z), d * (d + 3) // 2))
    out[:, :d] = Z
    start = d
    for i in range(d):
        end = start + d - i
        np.multiply(Z[:, i : i + 1], Z[:, i:], out=out[:, start:end])
        start = end
    return out


def _fitted_powers(f: np.ndarray, block: Block) -> np.ndarray:
    return np.column_stack([f[block.rows], f[block.rows] ** 2])


def standard_error_change(context: Context) -> float:
    """The largest |robust/classic − 1| among the standard errors."""
    classic = np.sqrt(np.diag(covariance(context.fit)))
    robust = np.sqrt(np.diag(covariance(context.fit, "HC1")))
    return float(np.abs(robust / classic - 1).max())
