"""What a fit on a path claims: how far its objective is from the minimum, at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .logistic import LogisticCertificate


@dataclass(frozen=True, kw_only=True, repr=False)
class PathCertificate(LogisticCertificate):
    """Claim about the weights of one fit: one C, one fold's training rows or all rows.

    The attributes are those of ``LogisticCertificate``; ``verify`` needs the rows that this fit was
    trained on.
    """

    def facts(self) -> dict[str, Any]:
        return {
            "C": self.C,
            "objective": self.primal,
            "above the minimum by at most": self.gap,
        }


def longest_row(X: Any) -> float:
    """max √(1 + ‖x‖²)."""
    squares = X.multiply(X).sum(axis=1) if hasattr(X, "multiply") else np.einsum("ij,ij->i", X, X)
    return float(np.sqrt(1.0 + np.max(squares))) * (1.0 + 1e-9)
