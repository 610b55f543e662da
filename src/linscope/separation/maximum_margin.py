"""Maximum margins: Wolfe's method in floats, then as many exact steps as the proof needs.

The exact steps are the same method (see ``min_norm_point``) with fractions for the
coefficients.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from linscope.arithmetic.rational import as_integers, power_of_two, sqrt_down

from .affine_hull import affine_minimiser_exact
from .margins import Bounds, Margin, bounds, float_weights, group_of, normalised
from .min_norm_point import min_norm_point
from .signed_rows import SignedRows

ACCEPT = Fraction(1, 10**11)
# corrals up to this size are always solved exactly: short fractions, and margins without rounding
SMALL = 6


class HullPoints:
    """The rows of the search: z_i, or y_i(x_i - c) for the geometric margin, times 2^-e."""

    def __init__(self, rows: SignedRows, kind: str):
        self.rows, self.kind = rows, kind
        self.exponent = int(
            np.frexp(rows.largest.max(initial=1.0 if kind == "augmented" else 0))[1]
        )
        self.unit = power_of_two(-self.exponent)
        self.middle = [Fraction(0)] * (rows.p - 1) if kind == "augmented" else rows.middle()
        self._centre = np.array([float(c * self.unit) for c in self.middle])

    def __len__(self) -> int:
        return self.rows.n

    def take(self, rows):
        S = np.ldexp(self.rows.raw(rows), -self.exponent) - self._centre
        if self.kind == "augmented":
            S = np.column_stack([np.full(len(S), np.ldexp(1.0, -self.exponent)), S])
        return S * self.rows.signs[rows, None]

    def dot(self, v):
        if not v.any():
            return np.zeros(len(self))
        exact = [Fraction(c) * self.unit for c in v.tolist()]
        if self.kind == "geometric":
            shift = sum((c * m for c, m in zip(exact, self.middle, strict=True)), Fraction(0))
            exact = [-shift, *exact]
        f, _, e = self.rows.scores(exact)
        return np.ldexp(f, e)


def maximum_margin(
    rows: SignedRows, kind: str, hint: Margin | None = None
) -> tuple[Margin, Bounds]:
    """The maximum margin of rows that are known to be separable.

    ``hint`` is a margin of the other kind: where x is tiny beside the 1 of [1, x], floats see only
    the 1, but the two classes then have equal weight and both kinds nearly the same coefficients.
    """
    groups = None if kind == "augmented" else (rows.signs > 0).astype(np.intp)
    answer = min_norm_point(HullPoints(rows, kind), groups)
    support, coefficients, exact = answer.support, answer.coefficients, None
    proof = [Fraction(c) for c in coefficients.tolist()]
    found = bounds(rows, kind, support, proof)
    if found.gap > ACCEPT or len(support) <= SMALL:
        members = support.tolist()
        if hint is not None:
            balanced = normalised(rows, hint.kind, hint.support, hint.proof)
            if bounds(rows, kind, hint.support, balanced).gap < found.gap:
                members, proof = hint.support.tolist(), balanced
        members, alpha, found = _wolfe(rows, kind, members, proof)
        order = np.argsort(members)
        support, exact = np.array(members)[order], tuple(alpha[i] for i in order)
        coefficients = np.array([float(c) for c in exact])
    weights, reached = float_weights(rows, kind, found)
    margin = Margin(kind, weights, sqrt_down(found.low2), reached, support, coefficients, exact)
    return margin, found


def _wolfe(rows, kind, members, alpha) -> tuple[list[int], list[Fraction], Bounds]:
    alpha = normalised(rows, kind, members, alpha)
    members, alpha = _restore(rows, kind, members, alpha, exact=False)
    exact, seen = False, set()
    while True:
        # each exact step is nearer to the origin: only rounded coefficients can come back
        exact = exact or frozenset(members) in seen
        seen.add(frozenset(members))
        found = bounds(rows, kind, members, alpha)
        if found.gap <= ACCEPT:
            return members, alpha, found
        new = _deepest(rows, kind, members, alpha, found)
        if new in members:
            if exact:
                raise ArithmeticError("the exact corral is not at its affine minimiser")
            exact = True
        else:
            members, alpha = [*members, new], [*alpha, Fraction(0)]
        members, alpha = _restore(rows, kind, members, alpha, exact)


def _deepest(rows, kind, members, alpha, found: Bounds) -> int:
    """The row furthest below its group's plane."""
    total, unit = rows.exact_scores(np.asarray(members), found.direction)
    planes = [Fraction(0)] * len(found.lowest)
    for g, a, t in zip(group_of(rows, kind, members), alpha, total, strict=True):
        planes[g] += a * t * unit
    depth = [plane - value for plane, (_, value) in zip(planes, found.lowest, strict=True)]
    return found.lowest[depth.index(max(depth))][0]


def _restore(rows, kind, members, alpha, exact: bool):
    """Minor steps with fractions until the corral holds its affine minimiser."""
    while True:
        target = affine_minimiser_exact(
            *_corral(rows, kind, members), exact or len(members) <= SMALL
        )
        falling = [i for i, t in enumerate(target) if t <= 0]
        if not falling:
            return members, target
        theta = min(alpha[i] / (alpha[i] - target[i]) if alpha[i] else Fraction(0) for i in falling)
        moved = [a + theta * (t - a) for a, t in zip(alpha, target, strict=True)]
        keep = [i for i, a in enumerate(moved) if a > 0]
        members, alpha = [members[i] for i in keep], [moved[i] for i in keep]


def _corral(rows, kind, members) -> tuple[np.ndarray, np.ndarray]:
    """The members' rows as integers over one common unit, and their groups."""
    support = np.asarray(members)
    raw = rows.raw(support)
    block = raw if kind == "geometric" else np.column_stack([np.ones(len(raw)), raw])
    M, _ = as_integers(block, common=True)
    if kind == "geometric":
        # the nearest points of two hulls do not change when both hulls are shifted
        M = M - M[0]
    signs = rows.signs[support].astype(np.int64).astype(object)
    return M * signs[:, None], group_of(rows, kind, support)
