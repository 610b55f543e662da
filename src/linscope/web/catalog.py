"""The menus of the page, as one document."""

from __future__ import annotations

from functools import cache
from typing import Any

from . import lectures, samples
from .algorithms import ALGORITHMS
from .limits import CLASSES, POINTS, ROWS, TABLE


@cache
def catalog() -> dict[str, Any]:
    """Algorithms with their controls, data sets, generators, lectures, limits."""
    return {
        "algorithms": [each.document() for each in ALGORITHMS.values()],
        **samples.listed(),
        "lectures": lectures.documents(),
        "first": lectures.FIRST,
        "limits": {
            "points": POINTS,
            "classes": CLASSES,
            "table_bytes": TABLE,
            "rows": ROWS,
        },
    }
