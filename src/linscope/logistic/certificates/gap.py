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
from scipy import linalg, sparse

from linscope.losses.softmax import probabilities
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
    X, W = objective.X, point.W
    terms = int(np.diff(X.indptr).max(initial=0)) if sparse.issparse(X) else objective.d
    size = np.abs(W[:, 0]) + largest * np.abs(W[:, 1:]).sum(axis=1)
    score = (terms + 8) * UNIT * 1.01 * float(size.max()) + off
    borders = objective.engine.borders
    longest = max(b - a for a, b in borders)
    share = 1.01 * UNIT * (longest + len(borders) + 2 * objective.n_classes + 80)
    total = float(objective.weight.sum()) if len(objective.weight) else float(objective.n)
    residuals = float(np.abs(point.residual).sum()) * ROOM
    return Rounding(score, share, largest, residuals, total * ROOM, objective.n_classes)


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
            step = objective.n // some
            found = _gap(objective, point, rounding, step, toward)
            if found <= GOOD * abs(point.value):
                return found
        return _gap(objective, point, rounding, 1, toward)


def _few_weights(objective: LogisticObjective) -> bool:
    """Whether the Newton step of some rows is quick to have."""
    return objective.rows == 1 and objective.d <= MOST_COLUMNS


def _gap(
    objective: LogisticObjective,
    point: Point,
    rounding: Rounding,
    step: int,
    toward: np.ndarray | None,
) -> float:
    """The gap if p' differs from p in every ``step``-th row only."""
    rows = slice(0, None, step)
    part = LogisticObjective(
        objective.X[rows],
        objective.codes[rows],
        objective.n_classes,
        objective.weight[rows],
        objective.rho,
        objective.intercept,
    )
    two = objective.rows == 1
    after = before = point.scores[rows]
    if toward is not None:  # fewer rows must move further
        after = before + step * (part.X @ toward[:, 1:].T + toward[:, 0])
    elif _few_weights(objective):
        after = _newton_scores(part, point)
    p, moved = probabilities(before), probabilities(after)
    c = part.weight[:, None] if len(part.weight) else np.ones((len(p), 1))
    shown = slice(1, 2) if two else slice(None)  # two classes have one row of weights
    if objective.intercept:
        excess = np.zeros(objective.n_classes)
        excess[shown] = point.gradient[:, 0]
        excess[0] -= excess.sum()  # excesses add up to 0
        moved = _with_new_biases(moved, c, np.sum(c * p, axis=0) - excess)
    change, size = _change(p, moved, c, part.codes)
    slope = point.gradient[:, 1:] + (part.X.T @ change[:, shown]).T
    doubt = rounding.slope + (len(p) + 16) * UNIT * float(np.sum(np.abs(change)))
    doubt += 40 * objective.n_classes * UNIT * size
    left = doubt
    if objective.intercept:
        left += float(np.max(excess + change.sum(axis=0)))
    near = _divergence(p, moved, c, rounding)
    return _together(objective, point, rounding, slope, doubt, left, near)


def _change(p, moved, c, codes) -> tuple[np.ndarray, float]:
    """c (p' − p) with rows that sum to 0, and the sum of the sizes of what was subtracted.

    Of the own class, whose probability may be near 1, no difference is taken.
    """
    own = np.arange(len(p)), codes
    change, size = c * (moved - p), c * (moved + p)
    change[own], size[own] = 0.0, 0.0
    change[own] = -change.sum(axis=1)
    return change, 2.0 * float(size.sum())


def _together(objective, point, rounding, slope, doubt, left, moved) -> float:
    """Divergence of moved rows and of the others, the mixture that leaves no excess, the slopes."""
    largest = rounding.largest
    near = moved + _unmoved(point, rounding)
    wrong = doubt * largest
    if objective.intercept:
        a = max(left, 0.0) / _least_total(objective) * ROOM
        near += a * _worst_divergence(objective, point, rounding)
        wrong += a * (float(np.abs(slope).max()) + rounding.weight * largest)
    pull = objective.rho * np.abs(point.W[:, 1:])
    size = np.abs(slope) + wrong + 4 * UNIT * (pull + np.abs(slope))
    return float(near + 0.5 * np.sum(size * size / objective.rho)) * ROOM


def _unmoved(point: Point, rounding: Rounding) -> float:
    """Σ c KL of the probabilities as computed against the true ones."""
    e = rounding.probability
    return UNLIKELY * e * e * rounding.weight + 4.0 * e * abs(float(point.value))


def _divergence(p: np.ndarray, q: np.ndarray, c: np.ndarray, rounding: Rounding) -> float:
    """Σ c KL(q ‖ true p) ≤ ½ Σ c p u² (1 + min(1, |u|)), u = q/p − 1."""
    e = rounding.probability
    u = (np.abs(q - p) + e * (q + p)) / (p * (1.0 - e))
    terms = 0.5 * p * u * u * (1 + np.minimum(u, 1.0))
    terms = np.where(p > 1e-290, terms, np.where(q > 1e-290, np.inf, 0.0))
    return float(np.sum(c * terms)) * (1.0 + 2 * e) * ROOM


def _least_total(objective: LogisticObjective) -> float:
    """Σ c of the rarest class."""
    weight = objective.weight if len(objective.weight) else None
    return float(np.bincount(objective.codes, weight, objective.n_classes).min())


def _worst_divergence(objective: LogisticObjective, point: Point, rounding: Rounding) -> float:
    """Σ c max_k −log p_ik, from above."""
    S = point.scores
    reach = np.abs(S[:, 0]) if S.shape[1] == 1 else S.max(axis=1) - S.min(axis=1)
    total = float(reach @ objective.weight) if len(objective.weight) else float(reach.sum())
    return (total + (np.log(objective.n_classes) + 2 * rounding.score) * rounding.weight) * ROOM


def _newton_scores(part: LogisticObjective, point: Point) -> np.ndarray:
    """Scores of the rows after the step that is Newton's for them and the whole gradient."""
    here = part.evaluate(point.W)
    H = part.hessian(here)
    unit = 1.0 / np.sqrt(np.maximum(np.diag(H), np.finfo(float).tiny))
    try:
        factor = linalg.cho_factor(H * unit[:, None] * unit)
    except linalg.LinAlgError:
        return here.scores
    v = -unit * linalg.cho_solve(factor, unit * point.gradient.ravel())
    return part.evaluate(point.W + v).scores


def _with_new_biases(p: np.ndarray, c: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """p' ∝ p e^t with Σ c p' as wanted, by Newton's method for t; some steps towards it."""
    for _ in range(BIAS_STEPS):
        totals = np.sum(c * p, axis=0)
        if np.abs(wanted - totals).max() <= 4 * UNIT * wanted.sum():
            break
        H = np.diag(totals) - p.T @ (c * p)
        t = np.linalg.lstsq(H, wanted - totals, rcond=None)[0]
        p = p * np.exp(np.clip(t, -FARTHEST, FARTHEST))
        p /= p.sum(axis=1, keepdims=True)
    return p
