"""Columns of a trace, as arrays and as text."""

from __future__ import annotations

import csv
import io

import numpy as np


def join(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Parts of a table, one below the other."""
    if len(parts) == 1:
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def to_csv(columns: dict[str, np.ndarray]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    return text.getvalue()
