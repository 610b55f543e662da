"""Checking a verdict's claims from the data alone.

Nothing here trusts the code that found the verdict: rows are read again, every sum is exact, and
a claimed number must equal the one that follows from the proof.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from linscope.arithmetic.rational import round_up, sqrt_down, sqrt_up
from linscope.results import Check
from linscope.verify.claims import Refuted, checked, require

from .margins import Bounds, Margin, bounds, combine, float_weights, squared_radius
from .reading import read_rows
from .signed_rows import SignedRows
from .three_cases import free_rows, orthogonal_vectors

MARGIN_GAP = Fraction(1, 10**9)
CLOSE = 1e-12


def _as_check(claims: Callable[[Any, SignedRows], str]) -> Callable[..., Check]:
    """A function of a verdict, X and y."""

    def verify(verdict, X, y) -> Check:
        return checked(_claims, claims, verdict, X, y)

    return verify


def _claims(claims: Callable[[Any, SignedRows], str], verdict, X, y) -> str:
    rows, classes = read_rows(X, y)
    require(classes == tuple(verdict.classes), f"the classes are {classes}")
    return claims(verdict, rows)


@_as_check
def verify_separable(verdict, rows: SignedRows) -> str:
    """Strict separation, both margins from both sides, and the perceptron bound."""
    _check_separation(rows, _fractions(verdict.exact_weights, rows.p))
    require(verdict.geometric.kind == "geometric", "the geometric margin is of another kind")
    require(verdict.augmented.kind == "augmented", "the augmented margin is of another kind")
    _check_margin(rows, verdict.geometric)
    augmented = _check_margin(rows, verdict.augmented)
    require(verdict.gamma == verdict.augmented.margin, "gamma is not the augmented margin")
    radius2 = squared_radius(rows)
    require(_close(verdict.radius, sqrt_up(radius2)), f"the radius is {sqrt_up(radius2):.17g}")
    bound = round_up(radius2 / augmented.low2)
    require(_close(verdict.bound, bound) and verdict.bound >= bound, f"R²/γ² is {bound}")
    return (
        f"all {rows.n} samples lie strictly on their side; both margins are maximal "
        f"(geometric {verdict.geometric.margin:.6g}, augmented {verdict.gamma:.6g})"
    )


@_as_check
def verify_quasi_separable(verdict, rows: SignedRows) -> str:
    """No score below 0, some above, 0 exactly on the boundary rows, and a common point."""
    W = _fractions(verdict.exact_weights, rows.p)
    sign = rows.signs_of(W)
    wrong = np.flatnonzero(sign < 0)
    require(len(wrong) == 0, f"sample {wrong[:1]} is on the wrong side")
    require((sign > 0).any(), "every sample is on the boundary")
    boundary = np.asarray(verdict.boundary)
    require(np.array_equal(boundary, np.flatnonzero(sign == 0)), "the boundary rows are others")
    _check_common_point(rows, verdict)
    alike = bool(np.array_equal(rows.signs_of(_fractions(verdict.weights, rows.p)), sign))
    what = "have" if alike else "do not have"
    require(verdict.weights_separate == alike, f"the float weights {what} the same sides")
    return (
        f"no sample is on the wrong side, {len(boundary)} of {rows.n} are on the boundary, and the "
        "convex hulls share a point"
    )


@_as_check
def verify_not_separable(verdict, rows: SignedRows) -> str:
    """A common point, and a combination to zero whose rows span all rows."""
    _check_common_point(rows, verdict)
    count = len(verdict.positive) + len(verdict.negative)
    require(count <= rows.p + 1, f"{count} points are more than d + 2 = {rows.p + 1}")
    support, multipliers = _weights_by_row(rows, verdict.combination, "combination")
    require(not any(combine(rows, support, multipliers)), "the combination does not sum to zero")
    free = free_rows(rows, orthogonal_vectors(rows, support))
    require(not free.any(), "the rows of the combination do not span all rows")
    return (
        f"the convex hulls share a point ({count} samples), and {len(support)} samples rule out "
        "every hyperplane, even one with samples on it"
    )


def _check_separation(rows: SignedRows, W) -> None:
    wrong = np.flatnonzero(rows.signs_of(W) <= 0)
    if len(wrong):
        raise Refuted(f"sample {wrong[0]} is not strictly on its side ({len(wrong)} in all)")


def _check_margin(rows: SignedRows, margin: Margin) -> Bounds:
    kind = margin.kind
    support, proof = np.asarray(margin.support), margin.proof
    require(support.ndim == 1 and support.dtype.kind in "iu", f"{kind} support: not row numbers")
    require(len(support) == len(proof) == len(margin.coefficients), f"{kind} support: wrong length")
    require((np.diff(support) > 0).all(), f"{kind} support: rows must ascend")
    require(support[0] >= 0 and support[-1] < rows.n, f"{kind} support: no such row")
    require(all(c > 0 for c in proof), f"{kind} coefficients must be positive")
    rounded = np.array([float(c) for c in proof])
    require(np.array_equal(rounded, margin.coefficients), f"{kind} coefficients: two versions")
    if kind == "geometric":
        sides = len(set(rows.signs[support].tolist()))
        require(sides == 2, "geometric support: rows of both classes are needed")
    _check_sums(rows, margin, proof)
    found = bounds(rows, kind, support, proof)
    require(found.gap <= MARGIN_GAP, f"{kind} margin: not maximal, gap {float(found.gap):.3g}")
    require(
        margin.margin == sqrt_down(found.low2), f"{kind} margin is {sqrt_down(found.low2):.17g}"
    )
    claimed, (weights, reached) = np.asarray(margin.weights), float_weights(rows, kind, found)
    require(np.array_equal(claimed, weights), f"{kind} weights are not these")
    require(margin.reached == reached, f"the {kind} margin of the float weights is {reached:.17g}")
    return found


def _check_sums(rows: SignedRows, margin: Margin, proof) -> None:
    """Convex coefficients sum to 1, up to the rounding of each."""
    groups = rows.signs[margin.support] if margin.kind == "geometric" else np.ones(len(proof))
    for g in set(groups.tolist()):
        total = sum(c for c, own in zip(proof, groups, strict=True) if own == g)
        require(abs(total - 1) <= Fraction(1, 10**12), f"{margin.kind} coefficients: sum not 1")


def _check_common_point(rows: SignedRows, verdict) -> None:
    point = _fractions(verdict.point, rows.p - 1)
    for name, sign in (("positive", 1), ("negative", -1)):
        support, weights = _weights_by_row(rows, getattr(verdict, name), name)
        require((rows.signs[support] == sign).all(), f"{name} rows of the other class")
        require(sum(weights) == 1, f"the {name} weights do not sum to 1")
        made = [sign * c for c in combine(rows, support, weights)]
        require(made[1:] == point, f"the {name} rows do not make the point")


def _weights_by_row(rows: SignedRows, part, name: str) -> tuple[list[int], list[Fraction]]:
    support, weights = list(part), [Fraction(v) for v in part.values()]
    require(support, f"{name} is empty")
    whole = all(isinstance(i, int) and 0 <= i < rows.n for i in support)
    require(whole, f"{name} names rows that do not exist")
    require(all(w > 0 for w in weights), f"{name} has a weight that is not positive")
    return support, weights


def _fractions(values, length: int) -> list[Fraction]:
    out = [Fraction(v) for v in values]
    require(len(out) == length, f"{len(out)} numbers where the data need {length}")
    return out


def _close(claimed, true) -> bool:
    return claimed > 0 and abs(Fraction(claimed) / Fraction(true) - 1) <= CLOSE
