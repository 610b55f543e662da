"""A hash of a table's values, the same whatever file or data frame they came from."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from .frame_columns import Table

_TRUTH = {"true": 1.0, "false": 0.0}


def sha256(table: Table, target: str, target_values: np.ndarray | None = None) -> str:
    """SHA-256 over the names, kinds and values of all columns in their order, the target last.

    Numbers count as float64 (−0 is 0, all NaN are one), texts as UTF-8. True and False are 1 and 0
    also where a CSV file spells them out.

    >>> a = sha256(Table({"x": np.array([1.0, -0.0])}), "x")
    >>> a == sha256(Table({"x": np.array([1.0, 0.0], dtype=np.float32)}), "x")
    True
    """
    columns = {name: values for name, values in table.columns.items() if name != target}
    columns[target] = table.columns[target] if target_values is None else target_values
    start = ["linscope table", target, len(columns[target])]
    digest = hashlib.sha256(json.dumps(start).encode())
    for name, values in columns.items():
        _add(digest, name, values)
    if table.sparse is not None:
        rows = table.sparse.tocsr().sorted_indices()
        _add(digest, "indptr", rows.indptr)
        _add(digest, "indices", rows.indices)
        _add(digest, "data", rows.data)
    return digest.hexdigest()


def _add(digest: Any, name: str, values: np.ndarray) -> None:
    if values.dtype == object:
        texts = values.tolist()
        if {text.lower() for text in set(texts) - {None}} <= _TRUTH.keys():
            numbers = [np.nan if text is None else _TRUTH[text.lower()] for text in texts]
            values = np.array(numbers, dtype=np.float64)
    numeric = values.dtype != object
    digest.update(json.dumps([name, "number" if numeric else "text", len(values)]).encode())
    if not numeric:
        digest.update(json.dumps(values.tolist()).encode())
        return
    values = np.asarray(values, dtype="<f8") + 0.0  # −0 + 0 = 0
    values[np.isnan(values)] = np.nan
    digest.update(values.tobytes())
