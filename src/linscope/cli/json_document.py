"""What ``--json`` prints: one document on standard output that any program can read.

Floats have all their digits. A fraction is text ("1/3"), which loses nothing. JSON has no infinity
and no NaN: these are the texts "inf" and "-inf", and null.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from linscope._printable import json_text

from .tables.source import Source


def print_json(document: dict[str, Any]) -> None:
    """The document, indented by one blank."""
    print(json_text(plain(document), indent=1))


def plain(value: Any) -> Any:
    """Arrays as lists, keys as text, and what JSON does not know as text.

    >>> import numpy as np
    >>> plain({1: np.array([0.1, np.nan]), "C": float("inf"), "exact": (Fraction(1, 3), True)})
    {'1': [0.1, None], 'C': 'inf', 'exact': ['1/3', True]}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset | range):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if isinstance(value, Fraction):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def data_of(source: Source) -> dict[str, Any]:
    """What the numbers of a document are about."""
    rows = None if source.X is None else source.X.shape[0]
    return {
        "name": source.name,
        "rows": rows,
        "features": source.features,
        "target": source.target,
        "remarks": source.remarks,
    }


def certificate_of(certificate: Any) -> dict[str, Any]:
    """What a fit claims, in numbers and words."""
    return {
        "status": certificate.status.name,
        "ok": certificate.ok,
        "text": certificate.text,
        "advice": certificate.advice,
        "facts": certificate.facts(),
        "parts": {name: certificate_of(part) for name, part in certificate.parts.items()},
    }
