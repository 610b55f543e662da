"""Weighted sums as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from linscope._printable import printable

MOST_TERMS = 6


def number(value: Any) -> str:
    """A short fraction as it is, else six digits, with the true minus sign."""
    from linscope.results.numbers import short

    return short(value).replace("-", "−")


def bound_text(bound: float | int) -> str:
    """A bound on the number of updates; huge ones as a power of ten."""
    from linscope.separation.verdicts import count

    return f"{int(bound):,}" if bound < 1e6 else count(bound)


def weighted_sum(terms: Iterable[tuple[Any, str]]) -> str:
    """``2·b − a`` from pairs of weight and name; terms of weight 0 are left out."""
    terms = [(weight, name) for weight, name in terms if weight != 0]
    text = ""
    for weight, name in terms[:MOST_TERMS]:
        sign = ("−" if not text else " − ") if weight < 0 else (" + " if text else "")
        size = number(abs(weight))
        text += sign + ("" if size == "1" else f"{size}·") + printable(name)
    if len(terms) > MOST_TERMS:
        text += f" + … ({len(terms)} terms)"
    return text or "0"


def hyperplane(weights: Any, features: list[str], relation: str) -> str:
    """``2·b − a > 1``: the features by size of weight, and the bias on the other side."""
    from linscope.results.numbers import bias

    values, left = _left(weights, features)
    right = bias([-values[0] + 0, *values[1:]]).replace("-", "−")
    return f"{left} {relation} {right}"


def score(weights: Any, features: list[str]) -> str:
    """``2·b − a − 1``: the features by size of weight, then the bias."""
    from linscope.results.numbers import bias

    values, left = _left(weights, features)
    last = bias(values)
    return f"{left} − {last[1:]}" if last.startswith("-") else f"{left} + {last}"


def _left(weights: Any, features: list[str]) -> tuple[list[Any], str]:
    values = [w.item() if hasattr(w, "item") else w for w in weights]
    order = sorted(range(1, len(values)), key=lambda j: (-abs(values[j]), -values[j]))
    return values, weighted_sum((values[j], features[j - 1]) for j in order)
