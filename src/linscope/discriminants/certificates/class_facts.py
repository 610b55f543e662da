"""Words about classes."""

from __future__ import annotations

import numpy as np


def listed(names: list[str], most: int = 10) -> str:
    """Names with commas, cut after some.

    >>> listed(["a", "b", "c"], most=2)
    'a, b, …'
    """
    return ", ".join(names[:most]) + ", …" * (len(names) > most)


def counts(labels: tuple, totals: np.ndarray) -> str:
    """How many samples (or how much weight) each class has."""
    pairs = zip(labels, totals, strict=True)
    return listed([f"{label}: {total:g}" for label, total in pairs])
