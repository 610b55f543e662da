"""Numbers as text, short but not misleading."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any


def short(value: Any, error: float = float("inf")) -> str:
    """A fraction if it is short, else six digits, or more where rounding exceeds ``error``.

    >>> short(Fraction(1, 3)), short(2 / 3), short(200000001.0, error=1e-6)
    ('1/3', '0.666667', '200000001')
    """
    text = str(value)
    if isinstance(value, Fraction) and len(text) <= 9:
        return text
    number = float(value)
    shown = (f"{number:.{digits}g}" for digits in range(6, 17))
    return next((text for text in shown if abs(float(text) - number) <= error), repr(number))


def bias(weights: Sequence[Any]) -> str:
    """The bias ``weights[0]``, exact enough to place the hyperplane.

    With samples far from the origin six digits would move it: an error of 1e-6 of the largest
    weight is a move of 1e-6 in the units of that feature.

    >>> bias([-200000001.0, 2.0])
    '-200000001'
    """
    largest = max((abs(float(w)) for w in weights[1:]), default=0.0)
    return short(weights[0], 1e-6 * largest if largest else float("inf"))


def counted(number: int, one: str) -> str:
    """So many of something.

    >>> counted(1, "update"), counted(1200, "pass"), counted(0, "batch")
    ('1 update', '1,200 passes', '0 batches')
    """
    ending = "" if number == 1 else "es" if one.endswith(("ch", "ss")) else "s"
    return f"{number:,} {one}{ending}"
