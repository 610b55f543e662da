"""How far P(W) of a fit on a path is from its minimum, from what the steps know already.

Duality. With the fitted probabilities p, the entropy −Σ c Σ_k p_k log p_k is L − ⟨∇L, W⟩ (Fenchel's
equality), and it is concave. Mixing p with one distribution q, (1 − a) p + a q, makes the totals of
the classes right, as the bias asks for; so with G = C ∇L and N the sum of all weights

    min P  ≥  (1 − a) C (L − ⟨∇L, W⟩) + a C N H(q) − ½ Σ G'² / ρ,     G' of the mixture

Newton. With λ = √(gᵀH⁻¹g) and R ≥ √(zᵀH⁻¹z) for every row z = [1, x], q = λR < 1:

    P − min P  ≤  (q + (1 − q) log(1 − q)) / R²               (two classes; about ½λ² for small q)

(as in ``verify/decrement.py``). H may come from other weights V nearby: curvatures
σ(1 − σ) change by at most e^|s − s'|, so H ≥ e^−r H_V with r the largest change of a score, at most
max ‖z‖ ‖W − V‖. And R² ≤ max ‖z‖² trace H⁻¹.

Rounding. Scores are within r of the truth, sums over rows within a share of the sum of the sizes of
their terms, and Σ c |residual| ≤ 2 L, because 1 − p ≤ −log p. How these enter the first bound is
told in ``certificates/gap.py``; H is wrong by ε √(H_aa H_bb) at most, so for B of unit diagonal
gᵀH⁻¹g is wrong by the factor 1/(1 − Nε trace B⁻¹) at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from ..solvers.coordinate.gap import mixture
from .logistic import LogisticCertificate

UNIT = 2.0**-53
# Room for the rounding of sums of positive numbers; errors of H above this leave nothing.
ROOM, HALF = 1e-3, 0.5
# Beyond this nothing is known of a probability; classes less probable than 1/UNLIKELY.
VAGUE, UNLIKELY = 0.01, 1e4
# Beyond this the change of the curvature leaves nothing of the bound.
FARTHEST = 20.0


class Doubt(NamedTuple):
    """How wrong sums and scores of a fit can be; C is in all of them.

    score : of a score; share : of a sum, relative to the sum of its terms' sizes;
    slope : of the gradient of a column of ones; largest : max |z|; weight : Σ c;
    rarest : Σ c of the rarest class; reach : of a difference of scores, at most
    """

    score: float
    share: float
    slope: float
    largest: float
    weight: float
    rarest: float
    reach: float
    value: float

    @property
    def probability(self) -> float:
        return 2.1 * self.score + 3000 * UNIT


def doubt_of(
    W: np.ndarray, value: float, sums: np.ndarray, largest: float, terms: int, share: float, off
) -> Doubt:
    """The rounding of a fit whose losses sum to ``value``, times C; ``sums`` as in ``dual_gap``.

    ``off`` is how far the scores of the weights held are from those of W.
    """
    size = float((np.abs(W[:, 0]) + largest * np.abs(W[:, 1:]).sum(axis=1)).max())
    score = 1.01 * (terms + 8) * UNIT * size + off
    totals = sums[:, 0]
    residuals = 2.02 * min(value, float(totals.sum()))
    wrong = 1.1 * score * residuals + (share + 64 * UNIT) * value
    slope = (share + 16 * len(totals) * UNIT) * residuals
    reach = 2.0 * size + 2.0 * score + float(np.log(len(totals)))
    weight = 1.001 * float(totals.sum())
    return Doubt(score, share, slope, largest, weight, float(totals.min()), reach, wrong)


def newton_bound(decrement: float, reach: float) -> float:
    """The bound for λ and R; ∞ where λR ≥ 1."""
    q = decrement * reach
    if not q < 1.0:
        return np.inf
    if q < 1e-4:  # the series, where the difference would cancel
        return decrement**2 * (0.5 + q / 6 + q * q)
    return float(q + (1.0 - q) * np.log1p(-q)) / reach**2


def bound_from_factor(
    g: np.ndarray, factor: Any, longest: float, doubt: Doubt, distance: float = 0.0
) -> float:
    """The bound for a gradient and a Cholesky factor of H at weights so far away.

    ``longest`` is max ‖z‖ over the rows.
    """
    if not longest * distance < FARTHEST:
        return np.inf
    grown = np.exp(0.5 * longest * distance)
    R, lower = factor
    inverse, _ = linalg.lapack.dtrtri(np.tril(R) if lower else np.triu(R), lower=lower)
    squares = inverse * inverse
    diagonal = np.sum(np.square(np.tril(R) if lower else np.triu(R)), axis=1 if lower else 0)
    trace = float(diagonal @ squares.sum(axis=0 if lower else 1))
    N = len(g)
    error = N * (doubt.share + 4 * doubt.probability + 4 * (N + 8) * UNIT) * trace
    if not error < HALF:
        return np.inf
    z = (inverse @ g) if lower else (inverse.T @ g)
    root = float(np.sqrt(np.sum(squares)))
    wrong = root * np.sqrt(N) * (doubt.slope * max(1.0, doubt.largest) + 8 * UNIT * np.abs(g).max())
    room = (1.0 + ROOM) * grown / float(np.sqrt(1.0 - error))
    return (1.0 + ROOM) * newton_bound(
        room * (float(np.sqrt(z @ z)) + wrong), room * longest * root
    )


def dual_gap(
    W, loss, gradient, C: float, ridge: np.ndarray, sums: np.ndarray, bias: bool, doubt: Doubt
) -> float:
    """P(W) − D; ``loss`` and ``gradient`` are L and ∇L, ``sums`` Σ c [1, x] of each class."""
    if not doubt.probability < VAGUE:
        return np.inf
    G, rho = C * gradient, ridge[:, 1:]
    a, entropy, mixed = 0.0, 0.0, G[:, 1:]
    if bias:
        a, q = mixture(G[:, 0], C * sums[:, 0])
        entropy = -float(np.sum(q * np.log(np.where(q > 0, q, 1.0))))
        shown = slice(1, 2) if len(W) == 1 else slice(None)  # two classes: the row of class 1
        away = q[shown, None] * C * sums[:, 1:].sum(axis=0) - C * sums[shown, 1:]
        mixed = (1.0 - a) * G[:, 1:] + a * away
    # ½ρw² + ½ mixed²/ρ − ⟨w, mixed⟩ is a square: without a, nothing cancels.
    wrong, left = doubt.slope * doubt.largest, 0.0
    if bias:
        # What is left of the excess is taken up by a little more of another distribution.
        left = 4 * (doubt.slope + 8 * UNIT * doubt.weight * a) / doubt.rarest
        wrong += left * (float(np.abs(mixed).max(initial=0.0)) + doubt.weight * doubt.largest)
    size = np.abs(rho * W[:, 1:] + mixed) * (1 + 8 * UNIT) + wrong
    square = 0.5 * float(np.sum(size * size / rho))
    kept = float(np.vdot(G, W)) - float(np.vdot(mixed, W[:, 1:]))
    rest = C * loss - float(np.vdot(G, W)) - C * float(sums[:, 0].sum()) * entropy
    parts = C * loss, float(np.vdot(np.abs(G), np.abs(W))), C * float(sums[:, 0].sum()) * entropy
    e = doubt.probability
    unsure = UNLIKELY * e * e * doubt.weight + 4 * e * C * loss + left * doubt.weight * doubt.reach
    unsure += a * (1e-12 + 4 * doubt.share) * sum(parts) + (kept != 0) * 1e-12 * parts[1]
    return max(square + kept + a * rest, 0.0) * (1 + 1e-9) + unsure


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
