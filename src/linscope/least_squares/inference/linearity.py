"""Linearity: the mean of y is a linear function of x.

    RESET    do ŷ² and ŷ³ describe what the line leaves?
             F = (Δrss/k)/(rss'/(n − p − k)),  k = 2 powers
    rainbow  is the half of the rows nearest the centre (smallest leverage) fitted better by a line
             of its own than all rows are by theirs?
             F = (rss − rss_c)/(n − n_c) / (rss_c/(n_c − p))

Both start from the residuals e instead of y: the line is already taken out, so nothing cancels.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from linscope.arithmetic.distributions import f_tail
from linscope.reports.text import many
from linscope.rows.blocks import Block

from .auxiliary import cross_products
from .context import Context
from .fit import whole
from .verdict import StatisticalTest, Verdict, named, percent, rejected

NAME = "linearity"
# A bend that describes less than 1 % of what the line leaves changes no conclusion.
SMALL_BEND = 0.01
# The centre's variance 5 % below the whole's: within what unequal weights of the rows would do.
SMALL_GAIN = 0.05


def linearity(context: Context) -> Verdict:
    """Is there a bend left in the residuals?"""
    if context.too_few:
        return Verdict(NAME, None, context.too_few)
    bend = reset(context)
    centre = rainbow(context)
    tests = [test for test in (bend and bend[0], centre) if test]
    if not tests:
        sentence = "The features take too few different values to see a bend."
        return Verdict(NAME, None, sentence)
    significant = rejected(tests, context.alpha)
    if not significant:
        return Verdict(NAME, True, f"No bend is seen in the residuals ({named(tests)}).", tests)
    if bend and bend[0] in significant and bend[1] >= SMALL_BEND:
        sentence = (
            f"The residuals bend with the fitted values ({named([bend[0]])}; the bend describes "
            f"{percent(bend[1])} of what the fit leaves): the mean of {context.fit.target} is not "
            "linear. Add squares or products of features (PolynomialFeatures), or transform."
        )
        return Verdict(NAME, False, sentence, tests)
    if centre and centre in significant and centre.statistic - 1 >= SMALL_GAIN:
        sentence = (
            f"The rows near the centre follow a line of their own better than all rows follow "
            f"theirs ({named([centre])}): a bend, or a spread that is larger far out. See the "
            "residual figure."
        )
        return Verdict(NAME, False, sentence, tests)
    sentence = (
        f"With {many(context.rows.total)} rows even a tiny bend is significant "
        f"({named(significant)}); this one is too small to matter."
    )
    return Verdict(NAME, True, sentence, tests)


def reset(context: Context) -> tuple[StatisticalTest, float] | None:
    """RESET and the share of rss that the powers describe; None if ŷ has no free powers.

    With an intercept the powers are taken of the centred and scaled ŷ: they span the same space,
    and are not nearly parallel.
    """
    fit, rows = context.fit, context.rows
    powers = rows.fitted / (float(np.abs(rows.fitted).max()) or 1.0)
    if fit.fit_intercept:
        powers = context.centred(rows.fitted)
    sums = cross_products(
        context.engine(),
        partial(_with_powers, context, powers),
        context.e,
        context.weight,
        constant=fit.fit_intercept,
    )
    alone, both = sums.on(fit.df_model), sums.on()
    k = both.rank - alone.rank
    df = rows.df - k
    left = both.total - both.explained
    if k < 1 or df < 1 or left <= 0:
        return None
    gain = max(both.explained - alone.explained, 0.0)
    F = gain / k / (left / df)
    return StatisticalTest("RESET", F, f_tail(F, k, df), (k, df), "F"), gain / both.total


def _with_powers(context: Context, powers: np.ndarray, block: Block) -> np.ndarray:
    f = powers[block.rows]
    return np.column_stack([context.features(block), f**2, f**3])


def rainbow(context: Context) -> StatisticalTest | None:
    """The rainbow test; None if the centre has too few rows or there is nothing outside it.

    Rows as far from the centre as the last one of the half belong to it too, so that the order of
    the rows does not matter.
    """
    fit, rows = context.fit, context.rows
    order = np.argsort(rows.leverages)
    half = np.searchsorted(np.cumsum(rows.times[order]), rows.total // 2)
    central = rows.leverages <= rows.leverages[order[half]] * (1 + 1e-9)
    count = whole(rows.times[central].sum())
    weight = central * context.weight
    sums = cross_products(
        context.engine(), context.features, context.e, weight, constant=fit.fit_intercept
    )
    inside = sums.on()
    df1, df2 = rows.total - count, count - inside.rank - int(fit.fit_intercept)
    left = inside.total - inside.explained
    if inside.rank < fit.df_model or df1 < 1 or df2 < 1 or left <= 0:
        return None
    F = (context.mean(context.u**2) * rows.total - left) / df1 / (left / df2)
    return StatisticalTest("rainbow", F, f_tail(F, df1, df2), (df1, df2), "F")
