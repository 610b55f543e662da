"""The duality gap of logistic regression with an l2 penalty, from what the last pass tells.

    P(W)  = ½ Σ ρ_j W_kj² + Σ_i c_i f_i(W [1, x_i])                    (j ≥ 1: the bias is free)
    D(p') = −½ Σ G'_kj² / ρ_j − Σ_i c_i Σ_k p'_ik log p'_ik      G' = Σ_i c_i (p'_i − e_{y_i}) x_iᵀ

Weak duality says D(p') ≤ min P for all distributions p'_i with Σ_i c_i (p'_i − e_{y_i}) = 0, which
is what the bias asks for. With the fitted probabilities p and the gradient g of P at W,

    P(W) − D(p')  =  ½ Σ (g_kj + Δ_kj)² / ρ_j  +  Σ_i c_i KL(p'_i ‖ p_i)
    Δ             =  Σ_i c_i (p'_i − p_i) x_iᵀ

Nothing cancels, and rows with p'_i = p_i add nothing. New biases make the totals of the classes
right; near the minimum the rest of the gradient may stay. Else some rows are enough to take it up:
their scores move by v·[1, x_i], with v a Newton step of these rows alone (two classes).

Rounding. If every score is within r of the truth, probabilities are right to the factor 1 ± ε,
ε = 2r + some u. A row that keeps its p adds 10⁴ε² at most where its class has p > 10⁻⁴; other rows
have a large loss, and add at most 4ε times that. What is left of Σ c (p' − e) is taken
up by (1 − a) p' + a q with one distribution q, as ``verify/duality.py`` explains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

from linscope._compiling import kernel
from linscope.rows.blocks import Block, blind
from linscope.rows.threads import one_blas_thread

from ..solvers.objective import LogisticObjective, Point

UNIT = 2.0**-53
SOME_ROWS, ROWS_A_WEIGHT, MOST_COLUMNS = 4096, 10, 500
BIAS_STEPS, FARTHEST = 4, 30.0
# One step is enough for a bias that moves by no more.
TINY_TILT = 1e-6
# All rows take the gradient up if some cannot do so for less than this share of the objective.
GOOD = 1e-6
# Nothing has to be taken up for less than this.
TINY_GAP = 1e-11
# Sums of positive numbers are right to this.
ROOM = 1 + 1e-6
# The own class of a row with a larger loss is less probable than 10⁻⁴.
UNLIKELY = 1e4
# The name under which the probabilities at both points are kept.
BOTH = "both"
# A smaller probability has lost digits.
SMALLEST = 1e-290
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
    if objective.intercept and not objective.totals.min() > 0:
        return np.inf  # a class without samples: no mixture makes its total right
    some = max(SOME_ROWS, ROWS_A_WEIGHT * objective.d)
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        if objective.n > 2 * some:
            part = objective.some(some)
            before = part.evaluate(point.W)
            after = _moved(objective, point, part, before, toward)
            found = _gap(objective, point, rounding, part, before, after)
            if found <= GOOD * abs(point.value):
                return found
        elif 0.5 * np.sum(point.gradient[:, 1:] ** 2 / rho) <= TINY_GAP * abs(point.value):
            # No step would spare us what rounding takes.
            enough = max(10 * TINY_GAP * abs(point.value), 2 * _unmoved(point, rounding))
            for bound in (_unchanged_gap, _same_point_gap):
                found = bound(objective, point, rounding)
                if found <= enough:
                    return found
        after = _moved(objective, point, objective, point, toward)
        return _gap(objective, point, rounding, objective, point, after)


def _unchanged_gap(objective: LogisticObjective, point: Point, rounding: Rounding) -> float:
    """The gap with p' = p, so that Δ = 0; the mixture takes up what the totals have in excess."""
    excess = _excess(objective, point) if objective.intercept else np.zeros(1)
    left = rounding.slope + float(excess.max())
    slope = point.gradient[:, 1:]
    return _together(objective, point, rounding, slope, rounding.slope, left, 0.0)


def _same_point_gap(objective: LogisticObjective, point: Point, rounding: Rounding) -> float:
    """The gap with new biases only."""
    return _gap(objective, point, rounding, objective, point, point)


def _excess(objective: LogisticObjective, point: Point) -> np.ndarray:
    """Σ c (p − e) of each class."""
    excess = np.zeros(objective.n_classes)
    excess[_shown(objective)] = point.gradient[:, 0]
    excess[0] -= excess.sum()  # excesses add up to 0
    return excess


def _shown(objective: LogisticObjective) -> slice:
    """The classes that have a row of weights: of two it is one."""
    return slice(1, 2) if objective.rows == 1 else slice(None)


def _few_weights(objective: LogisticObjective) -> bool:
    """Whether the Newton step of some rows is quick to have."""
    return objective.rows == 1 and objective.d <= MOST_COLUMNS


def _moved(
    objective: LogisticObjective,
    point: Point,
    part: LogisticObjective,
    before: Point,
    toward: np.ndarray | None,
) -> Point:
    """The point ``before``, of the rows of ``part``, after a step that takes up the gradient."""
    if _few_weights(objective):
        return _after_newton(part, before, point.gradient)
    if toward is None:
        return before
    return part.evaluate(point.W + objective.n / part.n * toward)  # fewer rows must move further


def _gap(
    objective: LogisticObjective,
    point: Point,
    rounding: Rounding,
    part: LogisticObjective,
    before: Point,
    after: Point,
) -> float:
    """The gap if p' differs from p in the rows of ``part`` only, and is that ``after`` there."""
    part.engine.keep(BOTH, _probabilities, before.name, after.name)
    excess, biases = np.zeros(objective.n_classes), np.zeros(objective.n_classes)
    if objective.intercept:
        excess = _excess(objective, point)
        near = _near_bias(part, before, excess) if before is after else None
        biases = _new_biases(part, excess) if near is None else near
    change = Change(*part.engine.fold(change_of, biases, rounding.probability))
    slope = point.gradient[:, 1:] + change.slope[_shown(objective)]
    doubt = rounding.slope + (part.n + 16) * UNIT * change.sizes
    doubt += 40 * objective.n_classes * UNIT * change.terms
    left = doubt
    if objective.intercept:
        left += float(np.max(excess + change.totals))
    moved = change.divergence * (1.0 + 2 * rounding.probability) * ROOM
    return _together(objective, point, rounding, slope, doubt, left, moved)


class Change(NamedTuple):
    """c (p' − p) of some rows, summed: times x, alone, as sizes, with what was subtracted; KL."""

    slope: np.ndarray
    totals: np.ndarray
    sizes: float
    terms: float
    divergence: float


def change_of(block: Block, biases: np.ndarray, e: float) -> tuple:
    """``Change`` as a tuple, with new biases; e is how wrong probabilities can be."""
    p, q = block.kept[BOTH]
    change = np.empty_like(p)
    totals, sizes, terms, near = _changes(p, q, block.y, block.weight, biases, e, change)
    if len(totals) > 2 or sparse.issparse(block.X):
        return (block.X.T @ change).T, totals, sizes, terms, near
    slope = change[:, 1] @ block.X  # the other class has the opposite
    return np.stack([-slope, slope]), totals, sizes, terms, near


@kernel(error_model="numpy")
def _changes(p, q, codes, c, biases, e, change):
    """c (p' − p) of each row, which sums to 0, and what ``Change`` has of all.

    Of the own class, whose probability may be near 1, no difference is taken.

        KL(p' ‖ true p) ≤ ½ Σ p u² (1 + min(1, |u|)),  u = p'/p − 1
    """
    n, K = p.shape
    tilt, totals, new = np.exp(biases - biases.max()), np.zeros(K), np.empty(K)
    sizes, terms, near = 0.0, 0.0, 0.0
    for i in range(n):
        own = c[i] if len(c) else 1.0
        _tilted(q[i], tilt, new)
        rest = 0.0
        for k in range(K):
            was, now = p[i, k], new[k]
            if k != codes[i]:
                change[i, k] = own * (now - was)
                rest += change[i, k]
                terms += 2.0 * own * (now + was)
            if was > SMALLEST:
                u = (abs(now - was) + e * (now + was)) / (was * (1.0 - e))
                near += own * 0.5 * was * u * u * (1.0 + min(u, 1.0))
            elif not now <= SMALLEST:
                near = np.inf
        change[i, codes[i]] = -rest
        for k in range(K):
            totals[k] += change[i, k]
            sizes += abs(change[i, k])
    return totals, sizes, terms, near


@kernel(error_model="numpy")
def _tilted(q, tilt, new):
    """p' ∝ q e^t."""
    size = 0.0
    for k in range(len(q)):
        new[k] = q[k] * tilt[k]
        size += new[k]
    for k in range(len(q)):
        new[k] /= size


def _probabilities(block: Block, before: str, after: str) -> tuple[tuple, int]:
    """p at both points, which are kept."""
    p = block.kept[before].probabilities()
    return (p, p if before == after else block.kept[after].probabilities()), 0


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


def _worst_divergence(objective: LogisticObjective, point: Point, rounding: Rounding) -> float:
    """Σ c max_k −log p_ik, from above."""
    total = objective.engine.fold(_reach, point.name)
    return (total + (np.log(objective.n_classes) + 2 * rounding.score) * rounding.weight) * ROOM


@blind
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


def _near_bias(part: LogisticObjective, point: Point, excess: np.ndarray) -> np.ndarray | None:
    """The first of these steps where it is enough: of two classes, at the point, and tiny.

    Σ c p'_1 = Σ c p_1 + t Σ c p_0 p_1 + O(t²), and what is left is taken up by the mixture.
    """
    if part.rows > 1:
        return None
    t = -excess[1] / part.engine.fold(_curvature, point.name)
    return np.array([0.0, t]) if abs(t) <= TINY_TILT else None


def _curvature(block: Block, name: str) -> float:
    """Σ c p_0 p_1."""
    return float(block.kept[name].curvature.sum())


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
    return _sums(*block.kept[BOTH], block.weight, biases)


@kernel(error_model="numpy")
def _sums(p, q, c, biases):
    n, K = p.shape
    tilt, new = np.exp(biases - biases.max()), np.empty(K)
    given, totals, both = np.zeros(K), np.zeros(K), np.zeros((K, K))
    for i in range(n):
        own = c[i] if len(c) else 1.0
        _tilted(q[i], tilt, new)
        for k in range(K):
            given[k] += own * p[i, k]
            totals[k] += own * new[k]
            for l in range(K):
                both[k, l] += own * new[k] * new[l]
    return given, totals, both
