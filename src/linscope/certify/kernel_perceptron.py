"""What a perceptron in feature space can prove: the same claims, about w = Σ α_i φ(x_i).

Kernel values are rounded numbers, so the check recomputes them from the data in float64 and
counts a sample as lying on the boundary when its score is within the rounding error of 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..kernels import gram
from ..losses.perceptron import TIES
from ..results import Check
from ..verify.perceptron import Measured, compare
from .perceptron import PerceptronCertificate


@dataclass(frozen=True, kw_only=True, repr=False)
class KernelPerceptronCertificate(PerceptronCertificate):
    """Claim about one binary kernel perceptron; ``alpha`` has a coefficient for each sample."""

    weights: np.ndarray = field(default_factory=lambda: np.zeros(0))
    alpha: np.ndarray
    kernel: Any
    parameters: dict

    def verify(self, X, y) -> Check:
        """Recompute the kernel and the claim from the training data (the same rows)."""
        try:
            return self._check(X, y)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            return Check(False, f"the certificate does not fit these data: {error}")

    def _check(self, X, y) -> Check:
        products, labels = self._problem(X, y)
        if len(labels) != len(self.alpha):
            return Check(False, f"{len(self.alpha)} coefficients, but {len(labels)} samples")
        if not np.isfinite(self.alpha).all():
            return Check(False, "the coefficients are not finite")
        facts = kernel_facts(products, labels, self.alpha, self.tie)
        return compare(self, facts, float(np.sqrt(max(facts.length2, 0.0))), len(labels))

    def bound(self, X, y) -> float:
        """R²/γ² in feature space is not worked out: γ would need the kernel's maximum margin."""
        raise ValueError(
            "the bound R²/γ² is worked out for Perceptron only; map the features explicitly, "
            "e.g. with PolynomialFeatures, to get it"
        )

    def _take(self, matrix, counted: np.ndarray, own: np.ndarray) -> np.ndarray:
        """The products as the fit has made them: of all rows at once, for the same rounding."""
        seen = matrix[counted]
        if self.kernel == "precomputed":
            if matrix.shape[0] != matrix.shape[1]:
                raise ValueError(f"a precomputed kernel must be square, got shape {matrix.shape}")
            seen = seen[:, counted]
        products = gram(seen, kernel=self.kernel, **self.parameters)
        products = products + (1.0 if self.intercept else 0.0)
        if not own[counted].all():
            products = products[np.ix_(own[counted], own[counted])]
        return products


@dataclass(frozen=True)
class KernelFacts(Measured):
    length2: float


def kernel_facts(products: np.ndarray, y, alpha, tie: str) -> KernelFacts:
    """Mistakes, ties, margin and radius of w = Σ α_i φ(x_i) on the samples of a Gram matrix."""
    if len(y) == 0:  # a pair of classes whose samples all have weight 0
        return KernelFacts(0, 0, 0.0, 0.0, 0.0)
    used = np.flatnonzero(alpha)
    columns = products[:, used].astype(np.float64)
    scores = columns @ alpha[used]
    rounding = np.finfo(products.dtype).eps
    doubt = (len(used) + 4) * rounding * (np.abs(columns) @ np.abs(alpha[used]))
    on_boundary = np.abs(scores) <= doubt
    wrong_at_zero = np.where(y > 0, *TIES[tie])
    wrong = np.where(on_boundary, wrong_at_zero, scores * y < 0)
    length2 = float(alpha @ scores)
    length = np.sqrt(length2) if length2 > 0 else 0.0
    smallest = float((scores * y).min())
    return KernelFacts(
        mistakes=int(wrong.sum()),
        ties=int(on_boundary.sum()),
        margin=smallest / length + 0.0 if length else 0.0,
        radius=float(np.sqrt(max(products.diagonal().max(), 0.0))),
        length2=length2,
    )
