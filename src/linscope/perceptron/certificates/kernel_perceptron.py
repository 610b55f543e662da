"""What a perceptron in feature space can prove: the same claims, about w = Σ α_i φ(x_i)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linscope.results import Check

from ..verify import kernel_perceptron
from .perceptron import PerceptronCertificate


@dataclass(frozen=True, kw_only=True, repr=False)
class KernelPerceptronCertificate(PerceptronCertificate):
    """Claim about one binary kernel perceptron.

    Attributes
    ----------
    alpha : a coefficient for each sample, as the model holds it
    bias : b, as the model holds it: the sum of the coefficients, or 0 without an intercept
    kernel, parameters : the kernel
    """

    weights: np.ndarray = field(default_factory=lambda: np.zeros(0))
    alpha: np.ndarray
    bias: float = 0.0
    kernel: Any
    parameters: dict

    def verify(self, X, y) -> Check:
        """Recompute the kernel and the claim from the training data (the same rows).

        Signs are exact: see ``linscope.perceptron.verify.kernel_perceptron``.
        """
        return kernel_perceptron.check(self, X, y)

    def bound(self, X, y) -> float:
        """R²/γ² in feature space is not worked out: γ would need the kernel's maximum margin."""
        raise ValueError(
            "the bound R²/γ² is worked out for Perceptron only; map the features explicitly, "
            "e.g. with PolynomialFeatures, to get it"
        )
