"""What stands in a cell of a table: a number, a vector, a change, words; and how it is written."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import chain, zip_longest
from typing import Any, NamedTuple

import numpy as np

from linscope._printable import printable

LONGEST_VECTOR = 8
LONGEST_FRACTION = 14
# How to shorten a vector: digits, entries at the front, entries at the end (None: all).
FORMS = [
    (6, None, 0),
    (4, None, 0),
    (3, None, 0),
    (6, 3, 1),
    (4, 3, 1),
    (3, 3, 1),
    (3, 2, 1),
    (3, 1, 1),
]


class Vector(NamedTuple):
    """A vector in a cell; None stands for entries that are left out."""

    values: tuple


class Change(NamedTuple):
    """Weights before → after; ``after`` is None when nothing changed."""

    before: Any
    after: Any = None


class Strong(NamedTuple):
    """Words that stand out."""

    words: str


class Gap(NamedTuple):
    """Steps that are left out."""

    steps: int


def vector(values: Iterable) -> Vector:
    """A vector, shortened in the middle if it is long."""
    values = tuple(values)
    if len(values) > LONGEST_VECTOR:
        values = (*values[: LONGEST_VECTOR - 2], None, *values[-2:])
    return Vector(values)


def vectors(rows: Iterable) -> list[Vector]:
    """One vector for each row."""
    return [vector(row) for row in rows]


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
        return printable(cell)
    if isinstance(cell, Strong):
        return cell.words
    if isinstance(cell, Gap):
        return f"… {cell.steps:,} more"
    if isinstance(cell, Vector):
        return "[" + " ".join("…" if v is None else number(v) for v in cell.values) + "]"
    if isinstance(cell, Change):
        return text(cell.before) + ("" if cell.after is None else f" → {text(cell.after)}")
    return number(cell)


def lines(cells: list, widest: int, one_line: int, fold: bool) -> list[str]:
    """Cells of one column as text, the entries of vectors below each other.

    Vectors are no wider than ``widest``, a change than ``one_line``, or it is on two lines; with
    ``fold`` so are vectors.
    """
    vectors = list(chain.from_iterable(_vectors(cell) for cell in cells))
    aligned = dict(zip(map(id, vectors), _aligned(vectors, widest, fold), strict=True))
    out = []
    for cell in cells:
        if isinstance(cell, Vector):
            out.append(aligned[id(cell)])
        elif isinstance(cell, Change) and isinstance(cell.before, Vector):
            before, after = aligned[id(cell.before)], cell.after and aligned[id(cell.after)]
            out.append(_change(before, after, one_line))
        else:
            out.append(text(cell))
    return out


def _vectors(cell) -> Iterable[Vector]:
    if isinstance(cell, Change):
        return chain(_vectors(cell.before), _vectors(cell.after))
    return [cell] if isinstance(cell, Vector) else []


def _aligned(vectors: list[Vector], widest: int, fold: bool) -> list[str]:
    """Vectors in the most detailed form that is not wider than ``widest``."""
    for digits, front, back in FORMS:
        rows = [_entries(vector.values, digits, front, back) for vector in vectors]
        # pairs of classes may have vectors of different lengths
        widths = [max(map(len, entries)) for entries in zip_longest(*rows, fillvalue="")]
        if sum(widths) + len(widths) + 1 <= widest:
            break
    if fold and len(widths) > 3:
        return [_folded(row) for row in rows]
    return ["[" + " ".join(map(str.rjust, row, widths)) + "]" for row in rows]


def _folded(entries: list[str]) -> str:
    half = (len(entries) + 1) // 2
    return "[" + " ".join(entries[:half]) + "\n " + " ".join(entries[half:]) + "]"


def _entries(values: tuple, digits: int, front: int | None, back: int) -> list[str]:
    if front is not None and len(values) > front + back + 1:
        values = (*values[:front], None, *values[len(values) - back :])
    return ["…" if v is None else number(v, digits) for v in values]


def _change(before: str, after: str | None, one_line: int) -> str:
    if after is None:
        return before
    line = f"{before} → {after}"
    return line if len(line) <= one_line else f"{before}\n{after}"
