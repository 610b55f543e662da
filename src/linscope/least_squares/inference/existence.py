"""Existence: for each x, y has a finite mean and variance; and no single row decides the fit.

Cook's distance Dᵢ = rᵢ² hᵢ/(p (1 − hᵢ)) says how far the coefficients move without row i. Beyond
the median of F(p, n − p) they leave their own 50 % confidence region.

Hill's tail index α of the k largest |residuals|, 1/α = mean log(|e|₍ᵢ₎/|e|₍ₖ₊₁₎), tells how fast
the tail falls: P(|ε| > s) ~ s^−α. A variance exists only for α > 2.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from .context import Context
from .verdict import StatisticalTest, Verdict

NAME = "existence"
FEWEST_FOR_TAIL, TAIL_SHARE, MOST_IN_TAIL = 1000, 50, 2000
SHOWN = 3


def existence(context: Context) -> Verdict:
    """Are mean and variance finite, as far as one can see, and does no row decide the fit?"""
    if context.df < 2:
        return Verdict(NAME, None, context.too_few)
    rows = context.rows
    cook = rows.cooks_distance
    limit = float(special.fdtri(rows.p, context.df, 0.5))
    largest = int(np.argmax(cook))
    at = context.fit.row_number(largest)
    tests = [
        StatisticalTest("largest Cook's distance", float(cook[largest]), note=f"row {at}"),
        _largest_leverage(context),
    ]
    tail = tail_index(rows.scaled, rows.times)
    if tail is not None:
        tests.append(StatisticalTest("tail index", tail[0], note="a variance exists above 2"))
        if tail[0] + 1.645 * tail[1] < 2:
            return Verdict(
                NAME,
                False,
                f"The residuals have very heavy tails (tail index {tail[0]:.2g}): their variance "
                "may not be finite, and standard errors and tests mean little. Look at the "
                "largest residuals, or model a transformed y.",
                tests,
            )
    influential = np.flatnonzero(cook > limit)
    if len(influential):
        return Verdict(NAME, False, _pulled(context, influential, limit), tests)
    sentence = (
        f"Nothing speaks against it, and no single row decides the fit: the largest Cook's "
        f"distance is {cook[largest]:.2g} (row {at}), below {limit:.2g}."
    )
    return Verdict(NAME, True, sentence, tests)


def _pulled(context: Context, influential: np.ndarray, limit: float) -> str:
    cook = context.rows.cooks_distance
    order = influential[np.argsort(-cook[influential], kind="stable")]
    numbers = [str(context.fit.row_number(i)) for i in order[:SHOWN]]
    if len(order) == 1:
        who, pulls, it = f"Row {numbers[0]}", "pulls", "it"
    else:
        more = f" and {len(order) - SHOWN:,} more" if len(order) > SHOWN else ""
        who, pulls, it = f"Rows {', '.join(numbers)}{more}", "each pull", "one of them"
    return (
        f"{who} {pulls} the fit: without {it} the coefficients would leave their 50 % confidence "
        f"region (Cook's distance {cook[order[0]]:.2g}, above {limit:.2g}). Check such rows for "
        "mistakes, and fit with and without them."
    )


def _largest_leverage(context: Context) -> StatisticalTest:
    leverages = context.rows.leverages
    row = int(np.argmax(leverages))
    average = context.rows.p / context.rows.total
    note = f"row {context.fit.row_number(row)}; the average is {average:.2g}"
    return StatisticalTest("largest leverage", float(leverages[row]), note=note)


def tail_index(residuals: np.ndarray, times: np.ndarray) -> tuple[float, float] | None:
    """Hill's α and its standard error α/√k; None with too few rows.

    ``times`` says how many equal rows have each residual.
    """
    n = times.sum()
    if n < FEWEST_FOR_TAIL:
        return None
    k = min(n // TAIL_SHARE, MOST_IN_TAIL)
    size = np.abs(residuals)
    order = np.argsort(-size)
    beyond = np.cumsum(times[order])
    last = np.searchsorted(beyond, k + 1)
    top = size[order[: last + 1]]
    if top[-1] <= 0:
        return None
    among = np.diff(np.minimum(beyond[: last + 1], k), prepend=0.0)
    mean_log = float(among @ np.log(top / top[-1])) / k
    if mean_log == 0:
        return None
    return 1 / mean_log, 1 / mean_log / math.sqrt(k)
