"""The duality gap of logistic regression with an elastic net.

    P(W) = l1 Σ|W_kj| + ½ l2 Σ W_kj² + Σ_i c_i f_i(W [1, x_i])             (j ≥ 1: the bias is free)
    D(p) = −Σ_i c_i Σ_k p_ik log p_ik − Σ_kj Ω*(G_kj)
    G_kj = Σ_i c_i (p_ik − y_ik) x_ij
    Ω*(g) = (|g| − l1)₊² / (2 l2),  or 0 if |g| ≤ l1 and ∞ otherwise for l2 = 0

For every W and all distributions p_i with Σ_i c_i (p_ik − y_ik) = 0 (if there is a bias) weak
duality gives D(p) ≤ P(W). The distributions of a fit come near; two repairs make them feasible:

- p_i ← (1 − a) p_i + a q with one distribution q for all samples, so that the totals of the
  classes are right. The smallest such a is 1 − min_k N_k / S_k, where N_k is the true total of
  class k and S_k the one of p;
- p_i ← y_i + τ (p_i − y_i), which scales G by τ, so that |G| ≤ l1.

Neither needs a pass over the features: G is linear in p. Two classes have one row of weights, that
of class 1. The bound holds up to the rounding of these sums.
"""

from __future__ import annotations

import numpy as np

from linscope.engines import choose  # noqa: F401  (in the examples)
from linscope.losses.softmax import entropy
from linscope.rows.blocks import Block

from ..objective import LogisticObjective, Point


def gap(objective: LogisticObjective, W: np.ndarray, l1: float, l2: float) -> tuple[float, float]:
    """P(W), and a lower bound for the least value of P.

    >>> engine = choose([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> primal, dual = gap(LogisticObjective(engine, 2, rho=0.0), np.zeros((1, 2)), 1.0, 0.0)
    >>> round(primal, 6), round(dual, 6)  # 0 is the best for a penalty as large as this
    (2.772589, 2.772589)
    """
    point = objective.evaluate(W)
    bound = dual_bound(objective, point, class_sums(objective), l1, l2)
    return point.value + penalty(point.W, l1, l2), bound


def penalty(W: np.ndarray, l1: float, l2: float) -> float:
    """l1 Σ|W_kj| + ½ l2 Σ W_kj², j ≥ 1."""
    V = W[:, 1:]
    return l1 * float(np.abs(V).sum()) + 0.5 * l2 * float(np.sum(V * V))


def class_sums(objective: LogisticObjective) -> np.ndarray:
    """Σ c [1, x] of the samples of each class, (K, d + 1)."""
    return objective.engine.fold(_block_sums, objective.n_classes)


def _block_sums(block: Block, n_classes: int) -> np.ndarray:
    codes = np.asarray(block.y)
    T = np.zeros((len(codes), n_classes))
    T[np.arange(len(codes)), codes] = 1.0 if not block.weighted else block.weight
    return np.column_stack([T.sum(axis=0), (block.X.T @ T).T])


def dual_bound(
    objective: LogisticObjective,
    point: Point,
    sums: np.ndarray,
    l1: float,
    l2: float | np.ndarray,
) -> float:
    """D of the probabilities at ``point``, made feasible. ``sums`` are the ``class_sums``.

    ``l2`` may be one number per column.
    """
    G = point.gradient[:, 1:] - objective.rho * point.W[:, 1:]  # of the loss alone
    a, q = 0.0, np.zeros(objective.n_classes)
    if objective.intercept:
        a, q = mixture(point.gradient[:, 0], sums[:, 0])
        # Two classes: the row of weights is that of class 1.
        shown = slice(1, 2) if objective.rows == 1 else slice(None)
        away = q[shown, None] * sums[:, 1:].sum(axis=0) - sums[shown, 1:]
        G = (1.0 - a) * G + a * away
    largest = float(np.abs(G).max(initial=0.0))
    scales = {1.0 if largest <= l1 else l1 / largest}
    if np.all(l2 > 0):
        scales.add(1.0)
    return max(_dual(objective, point.name, a, q, G, tau, l1, l2) for tau in scales)


def _dual(objective, name: str, a: float, q, G, tau: float, l1, l2) -> float:
    value = -objective.engine.fold(_block_entropy, name, a, q, tau)
    if np.all(l2 > 0):
        value -= float(np.sum(np.maximum(tau * np.abs(G) - l1, 0.0) ** 2 / (2.0 * l2)))
    return value


def _block_entropy(block: Block, name: str, a: float, q: np.ndarray, tau: float) -> float:
    """Σ c Σ_k p_k log p_k of the distributions mixed with q, and with the own class."""
    p = (1.0 - a) * block.kept[name].probabilities() + a * q
    p *= tau
    p[np.arange(len(p)), block.y] += 1.0 - tau
    terms = entropy(p)
    return float(np.sum(block.weight * terms if block.weighted else terms))


def mixture(excess: np.ndarray, totals: np.ndarray) -> tuple[float, np.ndarray]:
    """a and q with (1 − a) S + a N q = N_k for all k; ``excess`` is S − N_k of each row."""
    if len(excess) == 1:
        excess = np.array([-excess[0], excess[0]])
    excess = excess - excess.mean()  # the excesses add up to 0, but for rounding
    a = float(np.max(excess / np.maximum(totals + excess, np.finfo(float).tiny)))
    if a <= 0.0:
        return 0.0, totals / totals.sum()
    q = np.maximum(a * (totals + excess) - excess, 0.0)
    return a, q / q.sum()
