"""How far a logistic objective is from its minimum, from the Newton decrement; no penalty needed.

Let g and H be gradient and Hessian at θ, λ = √(gᵀH⁻¹g), and let U move the scores of row i by
t_i = U z_i. Along U the third derivative of a row's loss is a third central moment of t_i, at most
(max t_i − min t_i) times the second derivative. With R the largest √(aᵀH⁻¹a) over rows and pairs of
classes, a = (e_k − e_l) ⊗ z_i, that range is at most R‖U‖_H, and for r = ‖U‖_H

    P(θ + U)  ≥  P(θ) − λ r + (e^{−Rr} + Rr − 1) / R²

(a squared penalty adds to H and to no third derivative). The least right side, for q = λR < 1, is

    P(θ) − min P  ≤  (q + (1 − q) log(1 − q)) / R²                      about ½λ² for small q

The weights are those against the first class. A penalty ½ρ Σ_k w_kj² of K rows is least, for given
differences θ_j, when the rows sum to 0: then it is ½ρ θ_jᵀ(I − 11ᵀ/K)θ_j.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
from scipy import linalg

from ..data.blocks import Block
from ..solvers.logistic_objective import LogisticObjective, Point
from ..solvers.multinomial import Multinomial
from .dependent_columns import dependence

# Multiplications that are worth a bound.
MOST_WORK, MOST_WEIGHTS = 200_000_000, 2000
# A Cholesky factor of a worse-conditioned matrix (unit diagonal) proves nothing.
SINGULAR = 1e-11


def decrement_bound(objective: LogisticObjective, point: Point) -> float:
    """A bound on P − min P; ∞ where λR ≥ 1, H is singular, or it would take long."""
    size = (objective.n_classes - 1) * (objective.d + 1)
    if size > MOST_WEIGHTS or objective.n * size**2 > MOST_WORK:
        return np.inf
    weight = objective.weight if len(objective.weight) else None
    args = (objective.X, objective.codes, objective.n_classes, weight, objective.intercept)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        return _bound(Multinomial(*args), objective, point)


def _bound(model: Multinomial, objective: LogisticObjective, point: Point) -> float:
    first = int(not model.intercept)
    relative = point.W if objective.rows == 1 else point.W[1:] - point.W[0]
    theta = model.frame.inside(relative[:, first:])
    here = model.at(theta)
    gradient, H = -here.score, here.information
    rho = np.broadcast_to(objective.rho, objective.d)
    excess = 0.0
    if rho.any():
        pull = _penalty(model, rho, objective.rows)
        gradient, H = gradient + pull @ theta.ravel(), H + pull
        if objective.rows > 1:
            excess = 0.5 * len(point.W) * float(rho @ point.W[:, 1:].mean(axis=0) ** 2)
    kept = _columns(model, rho)
    free = (kept + model.frame.p * np.arange(model.shape[0])[:, None]).ravel()
    root = _root(H[np.ix_(free, free)])
    if root is None:
        return np.inf
    z = root @ gradient[free]
    size = float(np.sqrt(z @ z))
    reach = model.engine.map_reduce(partial(_longest, model, kept, root), max)
    q = size * reach
    if not q < 1.0:
        return np.inf
    if q < 1e-4:  # the series, where the difference would cancel
        return excess + size * size * (0.5 + q / 6 + q * q)
    return excess + float(q + (1.0 - q) * np.log1p(-q)) / reach**2


def _penalty(model: Multinomial, rho: np.ndarray, rows: int) -> np.ndarray:
    """The matrix of the penalty in θ: ρ_j/s_j² (I − 11ᵀ/K) for each column, 0 for biases."""
    own = np.r_[np.zeros(int(model.intercept)), rho / model.frame.scale / model.frame.scale]
    R = model.shape[0]
    between = np.eye(R) - (0.0 if rows == 1 else 1.0 / model.n_classes)
    return np.kron(between, np.diag(own))


def _columns(model: Multinomial, rho: np.ndarray) -> np.ndarray:
    """The places of z that matter: all with a penalty, else those that span the others exactly."""
    first, frame = int(model.intercept), model.frame
    if (rho > 0).all():
        return np.arange(frame.p)
    changes = (frame.low < frame.high) if first else (frame.low != 0) | (frame.high != 0)
    found = dependence(model)
    kept = np.setdiff1d(found.kept, np.flatnonzero(~changes))
    return np.r_[np.arange(first), first + np.union1d(kept, found.nearly)].astype(int)


def _root(H: np.ndarray) -> np.ndarray | None:
    """Q with QᵀQ = H⁻¹, or None."""
    diagonal = np.diag(H)
    if not (np.isfinite(H).all() and (diagonal > 0).all()):
        return None
    s = 1.0 / np.sqrt(diagonal)
    B = H * s[:, None] * s
    try:
        L = linalg.cholesky(B, lower=True)
    except linalg.LinAlgError:
        return None
    if float(np.diag(L).min()) ** 2 < SINGULAR:
        return None
    return linalg.solve_triangular(L, np.diag(s), lower=True)


def _longest(model: Multinomial, kept: np.ndarray, root: np.ndarray, block: Block) -> float:
    """max √(aᵀH⁻¹a) over the rows of a block and the pairs of classes."""
    Z = model.frame.rows(block.X)[:, kept]
    R, p = model.shape[0], len(kept)
    parts = [root[:, k * p : (k + 1) * p] @ Z.T for k in range(R)]
    largest = max(float(_squares(Y).max()) for Y in parts)
    for a, b in combinations(parts, 2):
        largest = max(largest, float(_squares(a - b).max()))
    return float(np.sqrt(largest))


def _squares(Y: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->j", Y, Y)
