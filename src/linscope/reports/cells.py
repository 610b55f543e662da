"""What stands in a cell of a table: a number, a vector, a change, words; and how it is written."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

LONGEST_VECTOR = 8
LONGEST_FRACTION = 14


class Vector(NamedTuple):
    """A vector in a cell; None stands for entries that are left out."""

    values: tuple


class Change(NamedTuple):
    """Weights before → after; ``after`` is None when nothing changed."""

    before: Any
    after: Any = None


class Gap(NamedTuple):
    """Steps that are left out."""

    steps: int


def vector(values: Iterable) -> Vector:
    """A vector, shortened in the middle if it is long."""
    values = tuple(values)
    if len(values) > LONGEST_VECTOR:
        values = (*values[: LONGEST_VECTOR - 2], None, *values[-2:])
    return Vector(values)


def number(value: Any, digits: int = 6) -> str:
    """Six digits, the true minus sign, and fractions as fractions unless they are very long.

    >>> number(-0.75), number(Fraction(-3, 4)), number(-0.0), number(Fraction(10**9, 3 * 10**9 + 1))
    ('−0.75', '−3/4', '0', '≈0.333333')
    """
    if isinstance(value, Fraction) and len(str(value)) > LONGEST_FRACTION:
        text = f"≈{_near(value):.{digits}g}"
    elif isinstance(value, Fraction | int | np.integer):
        text = str(value)
    else:
        text = f"{float(value) + 0.0:.{digits}g}"
    return text.replace("-", "−")


def _near(value: Fraction) -> float | Decimal:
    try:
        return float(value)
    except OverflowError:
        return Decimal(value.numerator) / value.denominator


def text(cell: Any) -> str:
    """A cell as plain text."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Gap):
        return f"… {cell.steps:,} more"
    if isinstance(cell, Vector):
        return "[" + " ".join("…" if v is None else number(v) for v in cell.values) + "]"
    if isinstance(cell, Change):
        return text(cell.before) + ("" if cell.after is None else f" → {text(cell.after)}")
    return number(cell)
