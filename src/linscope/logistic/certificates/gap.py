"""The duality gap of logistic regression with an l2 penalty, from what the last pass tells.

    P(W)  = ½ Σ ρ_j W_kj² + Σ_i c_i f_i(W [1, x_i])                    (j ≥ 1: the bias is free)
    D(p') = −½ Σ G'_kj² / ρ_j − Σ_i c_i Σ_k p'_ik log p'_ik      G' = Σ_i c_i (p'_i − e_{y_i}) x_iᵀ

Weak duality says D(p') ≤ min P for all distributions p'_i with Σ_i c_i (p'_i − e_{y_i}) = 0, which
is what the bias asks for. With the fitted probabilities p and the gradient g of P at W,

    P(W) − D(p')  =  ½ Σ (g_kj + Δ_kj)² / ρ_j  +  Σ_i c_i KL(p'_i ‖ p_i)
    Δ             =  Σ_i c_i (p'_i − p_i) x_iᵀ

Nothing cancels, and rows with p'_i = p_i add nothing. So some rows are enough to take up what is
left of the gradient. There the scores move by v·[1, x_i], with v a Newton step of these rows alone
(two classes), and by new biases that make the totals of the classes right.

Rounding. If every score is within r of the truth, probabilities are right to the factor 1 ± ε,
ε = 2r + some u. A row that keeps its p adds 10⁴ε² at most where its class has p > 10⁻⁴; other rows
have a large loss, and add at most 4ε times that. What is left of Σ c (p' − e) is taken
up by (1 − a) p' + a q with one distribution q, as ``verify/duality.py`` explains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from linscope.rows.blocks import Block, light
from linscope.rows.threads import one_blas_thread

from ..solvers.objective import LogisticObjective, Point

UNIT = 2.0**-53
SOME_ROWS, ROWS_A_WEIGHT, MOST_COLUMNS = 4096, 10, 500
BIAS_STEPS, FARTHEST = 4, 30.0
# All rows take the gradient up if some cannot do so for less than this share of the objective.
GOOD = 1e-6
# Sums of positive numbers are right to this.
ROOM = 1 + 1e-6
# The own class of a row with a larger loss is less probable than 10⁻⁴.
UNLIKELY = 1e4
# The name under which the probabilities at both points are kept.
BOTH = "both"
# Beyond this nothing is known of a probability.
VAGUE = 0.01


class Rounding(NamedTuple):
    """How wrong what a pass tells can be.

    score : of a score; share : of a sum over the rows, relative to the sum of its terms' sizes;
    largest : max |z|; residuals : Σ |residual|; weight : Σ c; classes : K
    """

    score: float
    share: float
    largest: float
    residuals: float
    weight: float
    classes: int

    @property
    def slope(self) -> float:
        """Of an entry of the gradient of the losses, if its column is at most 1."""
        return (self.share + 16 * self.classes * UNIT) * self.residuals

    @property
    def probability(self) -> float:
        """ε."""
        return 2.1 * self.score + 3000 * UNIT


def rounding_of(objective: LogisticObjective, point: Point, largest: float, off: float) -> Rounding:
    """The rounding of a pass; ``off`` is how far the scores of the weights held are from it."""
    W, terms, sizes = point.W, objective.facts.longest.value, objective.engine.sizes
    size = np.abs(W[:, 0]) + largest * np.abs(W[:, 1:]).sum(axis=1)
    score = (terms + 8) * UNIT * 1.01 * float(size.max()) + off
    share = 1.01 * UNIT * (max(sizes) + len(sizes) + 2 * objective.n_classes + 80)
    residuals = objective.residuals(point) * ROOM
    return Rounding(score, share, largest, residuals, objective.total * ROOM, objective.n_classes)


def value_doubt(point: Point, rounding: Rounding) -> float:
    """How wrong the objective can be."""
    steep = min(1.1 * rounding.residuals + 1e-290, 2 * rounding.weight)
    relative = (rounding.share + 64 * UNIT) * abs(float(point.value))
    return rounding.score * steep + relative + 16 * UNIT * rounding.weight


def duality_gap(
    objective: LogisticObjective,
    point: Point,
    rounding: Rounding,
    toward: np.ndarray | None = None,
) -> float:
    """A bound on P(W) − min P; ∞ where a column has no penalty.

    ``toward`` is a step that about takes up the gradient, if one is known.
    """
    rho = np.broadcast_to(objective.rho, objective.d)
    if not (rho > 0).all() or not rounding.probability < VAGUE:
        return np.inf
    some = max(SOME_ROWS, ROWS_A_WEIGHT * objective.d)
    toward = None if _few_weights(objective) else toward
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        if objective.n > 2 * some:
            part = objective.some(some)
            found = _gap(objective, point, rounding, part, toward)
            if found <= GOOD * abs(point.value):
                return found
        return _gap(objective, point, rounding, objective, toward)


def _few_weights(objective: LogisticObjective) -> bool:
    """Whether the Newton step of some rows is quick to have."""
    return objective.rows == 1 and objective.d <= MOST_COLUMNS


def _gap(
    objective: LogisticObjective,
    point: Point,
    rounding: Rounding,
    part: LogisticObjective,
    toward: np.ndarray | None,
) -> float:
    """The gap if p' differs from p in the rows of ``part`` only."""
    before = point if part is objective else part.evaluate(point.W)
    after = before
    if toward is not None:  # fewer rows must move further
        after = part.evaluate(point.W + objective.n / part.n * toward)
    elif _few_weights(objective):
        after = _after_newton(part, before, point.gradient)
    part.engine.keep(BOTH, _probabilities, before.name, after.name)
    excess, biases = np.zeros(objective.n_classes), None
    shown = slice(1, 2) if objective.rows == 1 else slice(None)  # two classes: one row of weights
    if objective.intercept:
        excess[shown] = point.gradient[:, 0]
        excess[0] -= excess.sum()  # excesses add up to 0
        biases = _new_biases(part, excess)
    change = Change(*part.engine.fold(change_of, biases, rounding.probability))
    slope = point.gradient[:, 1:] + change.slope[shown]
    doubt = rounding.slope + (part.n + 16) * UNIT * change.sizes
    doubt += 40 * objective.n_classes * UNIT * change.terms
    left = doubt
    if objective.intercept:
        left += float(np.max(excess + change.totals))
    near = change.divergence * (1.0 + 2 * rounding.probability) * ROOM
    return _together(objective, point, rounding, slope, doubt, left, near)


class Change(NamedTuple):
    """c (p' − p) of some rows, summed: times x, alone, as sizes, with what was subtracted; KL."""

    slope: np.ndarray
    totals: np.ndarray
    sizes: float
    terms: float
    divergence: float


def change_of(block: Block, biases: np.ndarray | None, e: float) -> tuple:
    """``Change`` as a tuple. Its rows sum to 0.

    Of the own class, whose probability may be near 1, no difference is taken.
    """
    p, q, c = _both(block, biases)
    own = np.arange(len(p)), block.y
    change, size = c * (q - p), c * (q + p)
    change[own], size[own] = 0.0, 0.0
    change[own] = -change.sum(axis=1)
    slope, near = (block.X.T @ change).T, _divergence(p, q, c, e)
    return slope, change.sum(axis=0), float(np.abs(change).sum()), 2.0 * float(size.sum()), near


def _probabilities(block: Block, before: str, after: str) -> tuple[tuple, int]:
    """p at both points, which are kept."""
    return tuple(block.kept[name].probabilities() for name in (before, after)), 0


def _both(block: Block, biases: np.ndarray | None) -> tuple:
    """p, p' with new biases, and c of the rows."""
    p, q = block.kept[BOTH]
    if biases is not None:
        q = q * np.exp(biases - biases.max())
        q /= q.sum(axis=1, keepdims=True)
    return p, q, block.weight[:, None] if block.weighted else np.ones((len(p), 1))


def _together(objective, point, rounding, slope, doubt, left, moved) -> float:
    """Divergence of moved rows and of the others, the mixture that leaves no excess, the slopes."""
    largest = rounding.largest
    near = moved + _unmoved(point, rounding)
    wrong = doubt * largest
    if objective.intercept:
        a = max(left, 0.0) / float(objective.totals.min()) * ROOM
        near += a * _worst_divergence(objective, point, rounding)
        wrong += a * (float(np.abs(slope).max()) + rounding.weight * largest)
    pull = objective.rho * np.abs(point.W[:, 1:])
    size = np.abs(slope) + wrong + 4 * UNIT * (pull + np.abs(slope))
    return float(near + 0.5 * np.sum(size * size / objective.rho)) * ROOM


def _unmoved(point: Point, rounding: Rounding) -> float:
    """Σ c KL of the probabilities as computed against the true ones."""
    e = rounding.probability
    return UNLIKELY * e * e * rounding.weight + 4.0 * e * abs(float(point.value))


def _divergence(p: np.ndarray, q: np.ndarray, c: np.ndarray, e: float) -> float:
    """Σ c KL(q ‖ true p) ≤ ½ Σ c p u² (1 + min(1, |u|)), u = q/p − 1."""
    u = (np.abs(q - p) + e * (q + p)) / (p * (1.0 - e))
    terms = 0.5 * p * u * u * (1 + np.minimum(u, 1.0))
    terms = np.where(p > 1e-290, terms, np.where(q > 1e-290, np.inf, 0.0))
    return float(np.sum(c * terms))


def _worst_divergence(objective: LogisticObjective, point: Point, rounding: Rounding) -> float:
    """Σ c max_k −log p_ik, from above."""
    total = objective.engine.fold(_reach, point.name)
    return (total + (np.log(objective.n_classes) + 2 * rounding.score) * rounding.weight) * ROOM


@light
def _reach(block: Block, name: str) -> float:
    """Σ c (largest − least score)."""
    S = block.kept[name].scores
    reach = np.abs(S[:, 0]) if S.shape[1] == 1 else S.max(axis=1) - S.min(axis=1)
    return float(reach @ block.weight) if block.weighted else float(reach.sum())


def _after_newton(part: LogisticObjective, here: Point, gradient: np.ndarray) -> Point:
    """The rows after the step that is Newton's for them and the whole gradient."""
    H = part.hessian(here)
    unit = 1.0 / np.sqrt(np.maximum(np.diag(H), np.finfo(float).tiny))
    try:
        factor = linalg.cho_factor(H * unit[:, None] * unit)
    except linalg.LinAlgError:
        return here
    v = -unit * linalg.cho_solve(factor, unit * gradient.ravel())
    return part.evaluate(here.W + v)


def _new_biases(part: LogisticObjective, excess: np.ndarray) -> np.ndarray:
    """t of p' ∝ p e^t with the totals Σ c p less the excess, by some steps of Newton's method."""
    biases = np.zeros(part.n_classes)
    for _ in range(BIAS_STEPS):
        given, totals, both = part.engine.fold(_totals, biases)
        wanted = given - excess
        if np.abs(wanted - totals).max() <= 4 * UNIT * wanted.sum():
            break
        t = np.linalg.lstsq(np.diag(totals) - both, wanted - totals, rcond=None)[0]
        biases = biases + np.clip(t, -FARTHEST, FARTHEST)
    return biases


def _totals(block: Block, biases: np.ndarray) -> tuple:
    """Σ c p, Σ c p' and Σ c p' p'ᵀ."""
    p, q, c = _both(block, biases)
    return np.sum(c * p, axis=0), np.sum(c * q, axis=0), q.T @ (c * q)
