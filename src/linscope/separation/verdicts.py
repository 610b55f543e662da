"""The three answers to "can a hyperplane separate these classes?", each with its proof."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from linscope._printable import printable
from linscope.arithmetic.rational import magnitude, power_of_two
from linscope.data.given import accepts_dataset
from linscope.data.tables import TableLike
from linscope.results import Check
from linscope.results.notebook import facts
from linscope.results.numbers import bias, short

from .margins import Margin
from .verify import verify_not_separable, verify_quasi_separable, verify_separable


@dataclass(frozen=True, eq=False, repr=False)
class Verdict(ABC):
    """Base of the three verdicts on two classes; ``classes`` are (negative, positive).

    A verdict is true (``if separability(X, y):``) only for strict separation.
    """

    kind: ClassVar[str]
    classes: tuple[Any, Any]

    @property
    def separable(self) -> bool:
        """Whether some hyperplane has every sample strictly on its own side."""
        return self.kind == "strict"

    def __bool__(self) -> bool:
        return self.separable

    @abstractmethod
    def verify(self, X: TableLike, y: Any = None) -> Check:
        """Check every claim from the data alone, in exact rational arithmetic."""

    @abstractmethod
    def _lines(self) -> list[str]:
        """What it means, then the facts, for a reader."""

    def __str__(self) -> str:
        first, *rest = self._lines()
        return printable("\n".join([first, *(f"  {line}" for line in rest)]), "\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        first, *rest = self._lines()
        pairs = [(label, value) for label, _, value in (line.partition(": ") for line in rest)]
        return facts(first, pairs)


@dataclass(frozen=True, eq=False, repr=False)
class Separable(Verdict):
    """Some hyperplane has every sample strictly on its own side.

    Attributes
    ----------
    classes : (negative, positive) labels
    geometric : the maximum margin hyperplane (hard-margin support vector machine)
    augmented : the maximum margin with the bias in the norm, ‖[w0, w]‖ = 1
    exact_weights : fractions, bias first, that score every sample strictly on its side
    radius : R = max ‖[1, x_i]‖
    gamma : γ, the augmented margin
    bound : R²/γ², never below the true value: the single-sample perceptron that starts from zeros
        makes at most this many updates, in any order of the samples
    """

    kind: ClassVar[str] = "strict"
    geometric: Margin
    augmented: Margin
    exact_weights: tuple[Fraction, ...] = field(repr=False)
    radius: float
    gamma: float
    bound: float | int

    @property
    def weights(self) -> np.ndarray:
        """The maximum margin hyperplane in float64, bias first; the support vectors score ±1."""
        return self.geometric.weights

    @property
    def weights_margin(self) -> float:
        """Distance from the boundary of ``weights``, as floats, to the nearest sample: at least."""
        return self.geometric.reached

    @property
    def weights_separate(self) -> bool:
        """Whether ``weights``, as floats, separate; ``exact_weights`` always do."""
        return self.weights_margin > 0

    @property
    def margin(self) -> float:
        """Distance from the exact maximum margin hyperplane to the nearest sample."""
        return self.geometric.margin

    @property
    def support(self) -> np.ndarray:
        """Rows of the support vectors."""
        return self.geometric.support

    @accepts_dataset
    def verify(self, X: TableLike, y: Any = None) -> Check:
        """Check separation, both margins (from both sides), support, R, γ and R²/γ²."""
        return verify_separable(self, X, y)

    def _lines(self) -> list[str]:
        negative, positive = self.classes
        lines = [
            f"Linearly separable: a hyperplane has all of class {positive} strictly on one side "
            f"and all of class {negative} on the other.",
        ]
        if len(self.weights) <= 7:
            lines.append(f"widest margin: {equation(self.weights)} = 0")
        return [
            *lines,
            f"margin: {self.margin:.6g} (width {self.geometric.width:.6g})",
            *([f"float64 weights: {in_floats(self)}"] if self.geometric.coarse else []),
            f"support vectors: {name_rows(self.support)}",
            f"updates of the perceptron from zeros: at most {count(self.bound)} "
            f"(R²/γ² with R = {self.radius:.6g}, γ = {self.gamma:.6g})",
        ]


@dataclass(frozen=True, eq=False, repr=False)
class QuasiSeparable(Verdict):
    """Only hyperplanes that pass through samples of both classes separate the rest.

    Attributes
    ----------
    classes : (negative, positive) labels
    exact_weights : fractions, bias first; no sample is on the wrong side, some are off the boundary
    weights_separate : whether ``weights``, as floats, also have all samples on these sides and on
        this boundary
    boundary : rows with score exactly 0
    point : a point in both convex hulls, so that no hyperplane separates strictly
    positive, negative : row -> weight, the convex combinations of each class that make the point
    """

    kind: ClassVar[str] = "quasi"
    exact_weights: tuple[Fraction, ...]
    weights_separate: bool
    boundary: np.ndarray
    point: tuple[Fraction, ...]
    positive: dict[int, Fraction]
    negative: dict[int, Fraction]

    @property
    def weights(self) -> np.ndarray:
        """The weights rounded to float64, bias first; a multiple where they exceed its range."""
        return rounded(self.exact_weights)

    @accepts_dataset
    def verify(self, X: TableLike, y: Any = None) -> Check:
        """Check the sign of every score, the boundary rows and the common point."""
        return verify_quasi_separable(self, X, y)

    def _lines(self) -> list[str]:
        lines = [
            "Separable only with samples on the boundary: a hyperplane has no sample on the wrong "
            "side, but none has all strictly on their own side.",
        ]
        if len(self.exact_weights) <= 7:
            lines.append(f"boundary: {equation(self.exact_weights)} = 0")
        if not self.weights_separate:
            lines.append("float64 weights: too coarse for this boundary; exact_weights are not")
        return [*lines, f"on the boundary: {name_rows(self.boundary)}", *meeting(self)]


@dataclass(frozen=True, eq=False, repr=False)
class NotSeparable(Verdict):
    """No hyperplane separates the classes, not even with samples on it.

    Attributes
    ----------
    classes : (negative, positive) labels
    point : a point in both convex hulls
    positive, negative : row -> weight, the convex combinations of each class that make the point;
        at most d + 2 rows in all
    combination : row -> λ > 0 with Σ λ_i y_i [1, x_i] = 0, whose rows span all rows: any vector
        with no sample on the wrong side scores 0 on these rows, hence on every row
    """

    kind: ClassVar[str] = "no"
    point: tuple[Fraction, ...]
    positive: dict[int, Fraction]
    negative: dict[int, Fraction]
    combination: dict[int, Fraction] = field(repr=False)

    @accepts_dataset
    def verify(self, X: TableLike, y: Any = None) -> Check:
        """Check the common point and that the combination rules out every hyperplane."""
        return verify_not_separable(self, X, y)

    def _lines(self) -> list[str]:
        negative, positive = self.classes
        return [
            f"Not linearly separable: the convex hulls of the classes {negative} and {positive} "
            "meet, so every hyperplane has samples on the wrong side.",
            *meeting(self),
        ]


def in_floats(verdict: Separable) -> str:
    """What rounding to float64 costs."""
    if not verdict.weights_separate:
        return "none was found that separates the samples; exact_weights do"
    return f"a margin of {verdict.weights_margin:.6g}; the margin above is that of exact weights"


def meeting(verdict: QuasiSeparable | NotSeparable) -> list[str]:
    """The common point and how each class makes it."""
    negative, positive = verdict.classes
    point = ", ".join(short(v) for v in verdict.point[:6])
    lines = [f"common point: ({point}{', …' if len(verdict.point) > 6 else ''})"]
    for label, part in ((positive, verdict.positive), (negative, verdict.negative)):
        terms = [f"{short(v)} row {i}" for i, v in list(part.items())[:6]]
        more = f" + … ({len(part)} rows)" if len(part) > 6 else ""
        lines.append(f"in class {label}: {' + '.join(terms)}{more}")
    return lines


def count(bound: float | int) -> str:
    """Six digits, or a power of ten where the number is beyond float64."""
    return f"{bound:.6g}" if isinstance(bound, float) else f"10^{len(str(bound))}"


LARGEST_FLOAT = 10**300


def rounded(weights: Iterable) -> np.ndarray:
    """Fractions as floats: those of a power of 2 times the weights, if they are too large."""
    weights = list(map(Fraction, weights))
    largest = max(map(abs, weights))
    unit = power_of_two(-magnitude(largest)) if largest > LARGEST_FLOAT else 1
    return np.array([float(w * unit) for w in weights])


def equation(weights: Iterable) -> str:
    """w0 + w1·x1 + … as text."""
    weights = list(weights)
    largest = max(map(abs, weights))
    if largest > LARGEST_FLOAT:  # any positive multiple is the same hyperplane
        weights = [w / Fraction(largest) for w in weights]
    first = bias(weights)
    terms = [f"- {first[1:]}" if first.startswith("-") else f"+ {first}"]
    for j, w in enumerate(weights[1:], start=1):
        if w != 0:
            terms.append(f"{'-' if w < 0 else '+'} {short(abs(w))}·x{j}")
    text = " ".join(terms).removeprefix("+ ")
    return f"-{text[2:]}" if text.startswith("- ") else text


def name_rows(rows: Any) -> str:
    """The first few row numbers and how many there are."""
    shown = ", ".join(str(i) for i in rows[:8])
    return f"rows {shown}" + (f", … ({len(rows)} in all)" if len(rows) > 8 else "")
