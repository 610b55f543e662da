"""Values as JSON and tensors, and back.

null, true, "text", 3, 0.5        themselves
{"float": "nan"}                  nan, inf, -inf
{"int": "ff"}                     whole numbers from 2^53 on, in hexadecimal
{"fraction": ["1", "3"]}          fractions, in hexadecimal
{"list": […]}, {"tuple": […]}     of values
{"dict": [[key, value], …]}
{"slice": [start, stop, step]}
{"scalar": "float32", "value": …} a number of NumPy
{"tensor": "t0"}                  an array of numbers; "order": "F" if its columns are contiguous
{"array": "object" or "<U5", "shape": […], "values": […]}    an array of texts and such
{"sparse": "csr_array", "shape": […], "data": …, "indices": …, "indptr": …}
{"type": "float64"}, {"dtype": "float64"}    types, as parameters: np.float64, np.dtype("float64")
{"enum": "Status", "name": "SOLVED"}
{"object": "LogisticRegression", "fields": {name: value, …}}

``writing.py`` and ``reading.py`` do it; here is what both must know.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

# How deep values may lie in each other, bytes of all arrays of texts, digits of a number.
DEEPEST = 100
LARGEST_TEXTS = 1 << 28
MOST_DIGITS = 50_000
SCALARS: dict[str, Any] = {
    **{name: getattr(np, name) for name in ("float64", "float32", "float16", "bool_", "str_")},
    **{f"{sign}int{bits}": getattr(np, f"{sign}int{bits}")
       for sign in ("", "u") for bits in (8, 16, 32, 64)},
}  # fmt: skip
TYPES: dict[str, Any] = {
    **SCALARS,
    **{kind.__name__: kind for kind in (bool, int, float, str, object, np.object_)},
}
SPARSE: dict[str, Any] = {"csr_array": sp.csr_array, "csr_matrix": sp.csr_matrix}
NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
