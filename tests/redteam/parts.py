"""The binary problems behind a claim about several classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .problem import Problem


def joint_claims(claim: Any) -> dict[str, Any]:
    return dict(claim.parts) or {"": claim}


def binary_parts(claim: Any, problem: Problem) -> dict[str, tuple] | None:
    """name → (claim, numbers of its rows, class numbers); None if these cannot be its parts."""
    known, codes = np.unique(problem.y, return_inverse=True)
    every = np.arange(len(codes))
    if not claim.parts:
        return {"": (claim, every, codes)}
    found, sides = {}, set()
    for name, part in claim.parts.items():
        positive, negative = part.side if part.side is not None else (None, None)
        own = problem.y == positive
        rows = every if negative is None else np.flatnonzero(own | (problem.y == negative))
        found[name] = part, rows, own[rows].astype(int)
        sides.add((positive, negative))
    K = len(known)
    return found if len(sides) in (K, K * (K - 1) // 2) else None
