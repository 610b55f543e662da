"""The nearby table of a claim with relations, in rationals: is it as near as the claim says?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import fmpq

from linscope.verify.relations import MOST_ULPS, ULP, ULP_32

from .exact import ONE, ZERO, q, table


def moved(X: np.ndarray, claim: Any) -> list[list[fmpq]]:
    """The rows with every dependent column as the combination that the claim names."""
    rows = table(X)
    for j, terms in claim.relations.items():
        t = {k: q(v) for k, v in terms.items()}
        for row in rows:
            parts = (v * (ONE if k < 0 else row[k]) for k, v in t.items() if k != j)
            row[j] = -sum(parts, ZERO) / t[j]
    return rows


def too_far(X: np.ndarray, claim: Any) -> Iterator[str]:
    """What is wrong with the relations of a claim about these rows."""
    if claim.ulps not in range(MOST_ULPS + 1) or claim.ulp not in (ULP, ULP_32):
        yield f"{claim.ulps} ulps of {claim.ulp}"
        return
    if claim.ulp == ULP_32 and not (X.astype(np.float32) == X).all():
        yield "the table is not one of float32"
    for j, terms in claim.relations.items():
        if not terms.get(j) or not np.isfinite(list(terms.values())).all():
            yield f"no relation of column {j}"
            return
        if any(k in claim.relations for k in terms if k != j):
            yield f"column {j} depends on a dependent column"
            return
    for given, near in zip(table(X), moved(X, claim), strict=True):
        for j, terms in claim.relations.items():
            size = sum((abs(q(t) * (ONE if k < 0 else given[k])) for k, t in terms.items()), ZERO)
            off = abs((near[j] - given[j]) * q(terms[j]))
            if off > claim.ulps * q(claim.ulp) * size:
                yield f"column {j} is not its combination"
                return
