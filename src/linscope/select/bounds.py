"""How far P(W) is from its minimum, from what the steps know already: no pass over the rows.

Duality. With the fitted probabilities p, the entropy −Σ c Σ_k p_k log p_k is L − ⟨∇L, W⟩ (Fenchel's
equality), and it is concave. Mixing p with one distribution q, (1 − a) p + a q, makes the totals of
the classes right, as the bias asks for; so with G = C ∇L and N the sum of all weights

    min P  ≥  (1 − a) C (L − ⟨∇L, W⟩) + a C N H(q) − ½ Σ G'² / ρ,     G' of the mixture

Newton. With λ = √(gᵀH⁻¹g) and R ≥ √(zᵀH⁻¹z) for every row z = [1, x], q = λR < 1:

    P − min P  ≤  (q + (1 − q) log(1 − q)) / R²               (two classes; about ½λ² for small q)

(as in ``certify/decrement.py``). H may come from other weights V nearby: curvatures σ(1 − σ) change
by at most e^|s − s'|, so H ≥ e^−r H_V with r the largest change of a score, at most
max ‖z‖ ‖W − V‖. And R² ≤ max ‖z‖² trace H⁻¹.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from ..solvers.coordinate_gap import mixture

# Beyond this the change of the curvature leaves nothing of the bound.
FARTHEST = 20.0


def newton_bound(decrement: float, reach: float) -> float:
    """The bound for λ and R; ∞ where λR ≥ 1."""
    q = decrement * reach
    if not q < 1.0:
        return np.inf
    if q < 1e-4:  # the series, where the difference would cancel
        return decrement**2 * (0.5 + q / 6 + q * q)
    return float(q + (1.0 - q) * np.log1p(-q)) / reach**2


def bound_from_factor(g: np.ndarray, factor: Any, longest: float, distance: float = 0.0) -> float:
    """The bound for a gradient and a Cholesky factor of H at weights so far away.

    ``longest`` is max ‖z‖ over the rows.
    """
    if not longest * distance < FARTHEST:
        return np.inf
    grown = np.exp(0.5 * longest * distance)
    R, lower = factor
    inverse, _ = linalg.lapack.dtrtri(np.tril(R) if lower else np.triu(R), lower=lower)
    z = (inverse @ g) if lower else (inverse.T @ g)
    reach = longest * float(np.sqrt(np.sum(inverse * inverse)))
    return newton_bound(grown * float(np.sqrt(z @ z)), grown * reach)


def dual_gap(W, loss, gradient, C: float, ridge: np.ndarray, sums: np.ndarray, bias: bool) -> float:
    """P(W) − D; ``loss`` and ``gradient`` are L and ∇L, ``sums`` Σ c [1, x] of each class."""
    G, rho = C * gradient, ridge[:, 1:]
    a, entropy, mixed = 0.0, 0.0, G[:, 1:]
    if bias:
        a, q = mixture(G[:, 0], C * sums[:, 0])
        entropy = -float(np.sum(q * np.log(np.where(q > 0, q, 1.0))))
        shown = slice(1, 2) if len(W) == 1 else slice(None)  # two classes: the row of class 1
        away = q[shown, None] * C * sums[:, 1:].sum(axis=0) - C * sums[shown, 1:]
        mixed = (1.0 - a) * G[:, 1:] + a * away
    # ½ρw² + ½ mixed²/ρ − ⟨w, mixed⟩ is a square: without a, nothing cancels.
    square = 0.5 * float(np.sum((rho * W[:, 1:] + mixed) ** 2 / rho))
    kept = float(np.vdot(G, W)) - float(np.vdot(mixed, W[:, 1:]))
    rest = C * loss - float(np.vdot(G, W)) - C * float(sums[:, 0].sum()) * entropy
    return max(square + kept + a * rest, 0.0)
