"""Maximum margins with exact bounds on both sides.

Augmented (the perceptron theorem's γ), with z_i = y_i·[1, x_i] and a convex combination
v = Σ α_i z_i:

    min_i z_i·v / ‖v‖  <=  γ = max_{‖W‖=1} min_i z_i·W  <=  ‖v‖

Geometric (the support vector machine's; the bias is free), with p and q convex combinations of the
two classes and w = p - q:

    (min_{+} w·x_i - max_{-} w·x_i) / 2‖w‖  <=  margin  <=  ‖w‖ / 2

Both ends are rational up to the square root, so coefficients alone prove a margin. The weights that
go with them: v/‖v‖, and w scaled so that the smallest y_i(w0 + w·x_i) of either class is exactly 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from scipy import sparse

from linscope.arithmetic.rational import (
    as_integers,
    clear_denominators,
    power_of_two,
    sqrt_down,
    times_powers,
)
from linscope.results.notebook import facts
from linscope.verify.exact_signs import distinct

from .signed_rows import UNIT, SignedRows

BLOCK = 1 << 16
# More rows than this within rounding of the largest: the rounded-up float value is taken instead.
MOST_CANDIDATES = 4096
# Float weights that lose no more than this share of the margin need not be improved.
VISIBLE = 1e-6
# Multiples of the exact weights that are rounded in search of better floats: by factors so near to
# 1, at most so many, and fewer where there are many numbers to multiply.
FACTOR, TRIES, FEWEST, NUMBERS = Fraction(40503, 1 << 46), 512, 8, 1e8


@dataclass(frozen=True, eq=False)
class Margin:
    """A maximum margin hyperplane and the coefficients that prove it is the best one.

    Attributes
    ----------
    kind : "geometric" (the bias is free) or "augmented" (the bias counts in the norm)
    weights : bias first; geometric: the nearest samples score ±1; augmented: unit length
    margin : distance from the exact boundary to the nearest sample (augmented: in [1, x] space)
    reached : the same distance for ``weights`` as the floats they are, rounded down; 0 if they do
        not separate. It is below ``margin`` where float64 is too coarse for these data.
    support : rows that carry the margin, ascending
    coefficients : their convex coefficients; geometric: they sum to 1 within each class
    exact : the coefficients as fractions where float64 is too coarse for the proof, else None
    """

    kind: str
    weights: np.ndarray
    margin: float
    reached: float
    support: np.ndarray
    coefficients: np.ndarray
    exact: tuple[Fraction, ...] | None = field(default=None, repr=False)

    def _repr_html_(self) -> str:
        pairs = [
            ("margin", f"{self.margin:.6g}"),
            *([("margin of the float64 weights", f"{self.reached:.6g}")] if self.coarse else []),
            ("weights, bias first", _some(self.weights)),
            ("rows that carry it", _some(self.support)),
            ("their coefficients", _some(self.coefficients)),
        ]
        return facts(f"Maximum {self.kind} margin", pairs)

    @property
    def width(self) -> float:
        """Distance between the two margin hyperplanes, M = 2/‖w‖."""
        return 2.0 * self.margin

    @property
    def coarse(self) -> bool:
        """Whether rounding to float64 costs the weights a visible part of the margin."""
        return self.reached < (1.0 - VISIBLE) * self.margin

    @property
    def proof(self) -> list[Fraction]:
        """The coefficients as the fractions that the proof uses."""
        return list(self.exact or map(Fraction, self.coefficients.tolist()))


@dataclass(frozen=True)
class Bounds:
    """What coefficients prove: weights, the margin squared at least, and the lowest rows."""

    direction: list[Fraction]
    weights: list[Fraction]
    low2: Fraction
    gap: Fraction
    lowest: list[tuple[int, Fraction]]


def bounds(rows: SignedRows, kind: str, support, coefficients: list[Fraction]) -> Bounds:
    """Exact bounds from positive coefficients, which are renormalised to sum to 1 first."""
    masks = group_masks(rows, kind)
    alpha = normalised(rows, kind, support, coefficients)
    v = combine(rows, support, alpha)
    if kind == "geometric":
        v[0] = Fraction(0)
    norm2 = sum((c * c for c in v), Fraction(0))
    lowest = [rows.minimum(v, mask) for mask in masks]
    total = sum((value for _, value in lowest), Fraction(0))
    gap = 1 - total / norm2 if norm2 else Fraction(1)
    low2 = total * total / norm2 if norm2 and total > 0 else Fraction(0)
    weights = list(v)
    if kind == "geometric":
        low2 = low2 / 4
        if total > 0:
            weights = [2 * c / total for c in v]
            weights[0] = (lowest[0][1] - lowest[1][1]) / total
    return Bounds(v, weights, low2, gap, lowest)


def group_masks(rows: SignedRows, kind: str) -> list[np.ndarray | None]:
    """Rows of each hull: the negative and the positive class, or all rows as one."""
    return [rows.signs < 0, rows.signs > 0] if kind == "geometric" else [None]


def group_of(rows: SignedRows, kind: str, support) -> np.ndarray:
    """Number of the hull that each row belongs to."""
    support = np.asarray(support, dtype=np.intp)
    return (rows.signs[support] > 0).astype(np.intp) * (kind == "geometric")


def normalised(rows: SignedRows, kind: str, support, coefficients) -> list[Fraction]:
    """The coefficients divided by the sum of their group."""
    groups = group_of(rows, kind, support)
    sums = [Fraction(0), Fraction(0)]
    for g, c in zip(groups, coefficients, strict=True):
        sums[g] += c
    return [c / sums[g] for g, c in zip(groups, coefficients, strict=True)]


def combine(rows: SignedRows, support, coefficients: list[Fraction]) -> list[Fraction]:
    """Σ c_i z_i exactly."""
    M, e = rows.exact_rows(np.asarray(support, dtype=np.intp))
    whole, common = clear_denominators(coefficients)
    total = np.array(whole, dtype=object) @ M
    return times_powers([Fraction(int(t), common) for t in total], e)


def float_weights(rows: SignedRows, kind: str, found: Bounds) -> tuple[np.ndarray, float]:
    """Weights as floats, and the margin that they reach.

    Each exact weight is rounded once (augmented weights are scaled to unit length first). Where
    these floats lose a visible part of the margin, other multiples of the exact weights are
    rounded, and the bias is put in the middle; the best are kept.
    """
    start, exact = _rounded(kind, found)
    best, most = start, _reached(rows, kind, list(map(Fraction, start.tolist())))
    goal = (1 - Fraction(VISIBLE)) ** 2 * found.low2
    tries = min(TRIES, max(FEWEST, int(NUMBERS / (rows.n * rows.p))))
    for k in range(tries if most < goal else 0):
        w = [_float(c * (1 + k * FACTOR)) for c in exact]
        W = list(map(Fraction, w))
        ends = [rows.minimum([Fraction(0), *W[1:]], rows.signs * s > 0)[1] for s in (1, -1)]
        for bias in (w[0], _float((ends[1] - ends[0]) / 2)):
            value = _square(
                kind,
                [Fraction(bias), *W[1:]],
                min(ends[0] + Fraction(bias), ends[1] - Fraction(bias)),
            )
            if value > most:
                best, most = np.array([bias, *w[1:]]), value
        if most >= goal:
            break
    return best, sqrt_down(most)


def _rounded(kind: str, found: Bounds) -> tuple[np.ndarray, list[Fraction]]:
    """Each weight rounded once, and the weights that were rounded."""
    if kind == "geometric":
        try:
            return np.array([float(w) for w in found.weights]), found.weights
        except OverflowError:
            raise ValueError(
                "the classes are separable, but so close together that the weights exceed float64: "
                "multiply X by a large power of 2, for instance 2.0**200, or subtract an offset"
            ) from None
    norm2 = sum((c * c for c in found.weights), Fraction(0))
    root = [sqrt_down(c * c / norm2) for c in found.weights]
    unit = Fraction(sqrt_down(1 / norm2))
    signed = np.array([-r if c < 0 else r for r, c in zip(root, found.weights, strict=True)])
    return signed, [c * unit for c in found.weights]


def _reached(rows: SignedRows, kind: str, W: list[Fraction]) -> Fraction:
    """The margin of weights, squared; 0 if they do not separate."""
    return _square(kind, W, rows.minimum(W)[1])


def _square(kind: str, W: list[Fraction], least: Fraction) -> Fraction:
    norm2 = sum((c * c for c in (W[1:] if kind == "geometric" else W)), Fraction(0))
    return least * least / norm2 if least > 0 and norm2 else Fraction(0)


def _float(value: Fraction) -> float:
    """Rounded; 0 beyond the range."""
    try:
        return float(value)
    except OverflowError:
        return 0.0


def squared_radius(rows: SignedRows) -> Fraction:
    """R² = max ‖[1, x_i]‖²; a value above it by < 1e-13 if thousands of rows are as long."""
    e = int(np.frexp(max(1.0, float(rows.largest.max(initial=0.0))))[1])
    norms = np.empty(rows.n)
    for start in range(0, rows.n, BLOCK):
        block = rows.X[start : start + BLOCK]
        if sparse.issparse(block):
            scaled = block.copy()
            scaled.data = np.ldexp(block.data, -e) ** 2
            norms[start : start + BLOCK] = np.asarray(scaled.sum(axis=1)).ravel()
        else:
            scaled = np.ldexp(block, -e) if e > 100 else block * 2.0**-e
            norms[start : start + BLOCK] = np.einsum("ij,ij->i", scaled, scaled)
    norms += 2.0 ** (-2 * e) if e < 500 else 0.0
    # each term has one rounding, the sum p more; underflow is far below the bound's slack
    slack = (rows.p + 8) * UNIT
    top = float(norms.max())
    candidates = np.flatnonzero(norms >= top * (1 - 4 * slack))
    if len(candidates) > 64:
        block, _ = distinct(rows.raw(candidates))
    else:
        block = rows.raw(candidates)
    if len(block) > MOST_CANDIDATES:
        return Fraction(top * (1 + 2 * slack)) * power_of_two(2 * e)
    M, exponent = as_integers(np.column_stack([np.ones(len(block)), block]), common=True)
    return max((M * M).sum(axis=1)) * power_of_two(2 * exponent[0])


def _some(values: np.ndarray) -> str:
    """The first few numbers of an array."""
    more = f", … ({len(values)} in all)" if len(values) > 8 else ""
    return ", ".join(f"{value:.6g}" for value in values[:8].tolist()) + more
