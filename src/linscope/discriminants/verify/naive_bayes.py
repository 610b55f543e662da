"""Is a claim about Gaussian naive Bayes true? The model is the moments of the samples.

    θ_kj   the mean of column j in class k          |θ − m| ≤ a σ + max(2⁻⁵² |m|, 2⁻¹⁰⁷⁴)
    v_kj   its variance there, or with ``shared``   |v − σ²| ≤ a σ²
           its mean over the classes

with σ² the true variance and a the ``accuracy`` of the claim. They maximise the likelihood, so
nothing else has to be shown. A variance that is 0, or less than the smallest normal float, says
only that the n samples are close: V/(n + 1) takes its place, with V the variance of the whole
column, and 1 if that is 0, too. The claim names these columns. SOLVED needs a ≤ tolerance.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from linscope.results import Check, Status
from linscope.verify.claims import checked, require

from .class_columns import SMALL, Column, Moments, class_moments, exact_column
from .class_rows import ClassRows, check_shares, exact_sum, read_rows

NORMAL = 2.0**-1022
# A mean that is no normal float is as near as float64 allows.
LEAST = Fraction(1, 2**1074)
# The largest accuracy that says anything.
WORST = 0.01


def check(claim: Any, X: Any, y: Any, sample_weight: Any, choose: Any) -> Check:
    """Take the moments again from the data and compare; ``choose`` makes an engine of rows."""
    return checked(lambda: _claims(claim, read_rows(claim, X, y, sample_weight, choose)))


def _claims(claim: Any, rows: ClassRows) -> str:
    check_shares(claim, rows, zero=True)
    _check_form(claim, rows)
    d, about = rows.n_features, None
    if rows.n_rows * d > SMALL:
        about = [class_moments(rows, k) for k in range(len(rows.labels))]
    replaced = [j for j in range(d) if not _settled(claim, rows, about, j)]
    require(list(claim.replaced) == replaced, f"the variances of columns {replaced} are replaced")
    return (
        f"means and variances of {len(rows.labels)} classes and {d} features are those of the "
        f"samples, to {claim.accuracy:.1e}"
    )


def _check_form(claim: Any, rows: ClassRows) -> None:
    """What can be said without looking at the rows."""
    shape = len(claim.labels), rows.n_features
    means, variances = np.asarray(claim.means), np.asarray(claim.variances)
    require(means.shape == variances.shape == shape, f"means and variances must be {shape}")
    require(np.isfinite(means).all(), "a mean is not finite")
    positive = np.isfinite(variances) & (variances > 0)
    require(positive.all(), "a variance is not positive and finite")
    require(isinstance(claim.shared, bool | np.bool_), "shared must be true or false")
    own = variances[rows.seen]
    require(not claim.shared or (own == own[0]).all(), "the variances are not shared")
    require(0.0 < claim.tolerance <= WORST, f"a tolerance of {claim.tolerance} is no claim")
    require(claim.accuracy > 0.0, "an accuracy of 0 is no claim")
    fine = claim.accuracy <= claim.tolerance
    status = Status.SOLVED if fine else Status.STALLED
    require(claim.status is status, f"such a fit does not end with: {claim.status}")


def _settled(claim: Any, rows: ClassRows, about: list[Moments] | None, j: int) -> bool:
    """Whether column j has variances of its own; raises if the claim is wrong about it."""
    if about is not None and _near(claim, rows, about, j):
        return True
    exact = [exact_column(rows, k, j) for k in range(len(rows.labels))]
    a = Fraction(float(claim.accuracy))
    own, expected = _expected(exact, bool(claim.shared))
    for k, label in enumerate(rows.labels):
        mean = Fraction(float(claim.means[rows.seen[k], j]))
        variance = Fraction(float(claim.variances[rows.seen[k], j]))
        far = abs(mean - exact[k].mean) - max(abs(exact[k].mean) / 2**52, LEAST)
        inside = far <= 0 or far * far <= a * a * exact[k].variance
        require(inside, f"class {label!r}, column {j}: the mean is {float(exact[k].mean):.15g}")
        right = abs(variance - expected[k]) <= a * expected[k]
        found = _as_text(expected[k])
        require(right, f"class {label!r}, column {j}: the variance is {found}")
    return own


def _expected(exact: list[Column], shared: bool) -> tuple[bool, list[Fraction]]:
    """The variance of each class, and whether all of them are those of the samples."""
    counts = [column.total for column in exact]
    total = sum(counts, Fraction(0))
    centre = sum((c.total * c.mean for c in exact), Fraction(0)) / total
    within = sum((c.total * c.variance for c in exact), Fraction(0)) / total
    between = sum((c.total * (c.mean - centre) ** 2 for c in exact), Fraction(0)) / total
    whole = within + between
    variances = [within if shared else column.variance for column in exact]
    counts = [total] * len(exact) if shared else counts
    out = [
        v if v >= NORMAL else (whole / (n + 1) if whole else Fraction(1))
        for v, n in zip(variances, counts, strict=True)
    ]
    return out == variances, out


def _near(claim: Any, rows: ClassRows, about: list[Moments], j: int) -> bool:
    """Whether floats with their bounds already show that column j is as claimed."""
    share = rows.totals / float(exact_sum(rows.totals))
    low = np.array([moments.variance.low[j] for moments in about])
    high = np.array([moments.variance.high[j] for moments in about])
    offset = np.array([(m.offset.mid[j], m.offset.rad[j], m.origin[j]) for m in about]).T
    mean, variance = claim.means[rows.seen, j], claim.variances[rows.seen, j]
    a = float(claim.accuracy) * (1 - 1e-12)
    size = np.abs(offset[2]) * 2.0**-52 * (1 - 1e-12)
    far = np.abs((mean - offset[2]) - offset[0]) * (1 + 1e-15) + offset[1] + 1e-15 * abs(offset[0])
    inside = far <= a * np.sqrt(np.maximum(low, 0.0)) + 0.5 * size
    if claim.shared:
        slack = 1e-14 * len(share)
        low = np.full_like(low, (share @ low) * (1 - slack))
        high = np.full_like(high, (share @ high) * (1 + slack))
    right = (low > 2 * NORMAL) & (high - variance <= a * low) & (variance - low <= a * low)
    return bool((inside & right).all())


def _as_text(value: Fraction) -> str:
    try:
        return f"{float(value):.15g}"
    except OverflowError:
        return "beyond the range of floats"
