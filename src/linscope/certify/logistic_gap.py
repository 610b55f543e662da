"""The duality gap of penalised logistic regression, without a pass over the rows.

    P(W)  = ½ Σ ρ_j W_kj² + Σ_i c_i f_i(W [1, x_i])                    (j ≥ 1: the bias is free)
    D(p') = −½ Σ G'_kj² / ρ_j − Σ_i c_i Σ_k p'_ik log p'_ik      G' = Σ_i c_i (p'_i − e_{y_i}) x_iᵀ

Weak duality says D(p') ≤ min P for all distributions p'_i with Σ_i c_i (p'_i − e_{y_i}) = 0, which
is what the bias asks for. With the fitted probabilities p and the gradient g of P at W, the
Fenchel equality f(s) + f*(p − e_y) = s·(p − e_y) turns the gap into a sum of squares and
divergences:

    P(W) − D(p')  =  ½ Σ (g_kj + Δ_kj)² / ρ_j  +  Σ_i c_i KL(p'_i ‖ p_i)
    Δ             =  Σ_i c_i (p'_i − p_i) x_iᵀ

Nothing cancels, and rows with p'_i = p_i add nothing. So some rows are enough to take up what is
left of the gradient. There the scores move by v·[1, x_i], with v a Newton step of these rows alone
(two classes), and by new biases that make the totals of the classes right; (1 − a) p'_i + a q, with
one distribution q, takes away what rounding leaves of the excess.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from ..data.threads import one_blas_thread
from ..solvers.logistic_objective import LogisticObjective, Point

SOME_ROWS, ROWS_A_WEIGHT, MOST_COLUMNS = 4096, 10, 500
BIAS_STEPS, ROUNDING, FARTHEST = 4, 1e-15, 30.0
# All rows take the gradient up if some cannot do so for less than this share of the objective.
GOOD = 1e-6


def duality_gap(objective: LogisticObjective, point: Point) -> float:
    """A bound on P(W) − min P; ∞ where a column has no penalty.

    >>> X, codes = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> objective = LogisticObjective(X, codes, 2)
    >>> from linscope.solvers.driver import run
    >>> from linscope.solvers.newton import Newton
    >>> best = run(Newton(objective, 1e-14), 100).details["point"]
    >>> rough = objective.evaluate(np.zeros((1, 2)))
    >>> bool(rough.value - best.value <= duality_gap(objective, rough))
    True
    >>> duality_gap(objective, best) < 1e-9
    True
    """
    rho = np.broadcast_to(objective.rho, objective.d)
    if not (rho > 0).all():
        return np.inf
    some = max(SOME_ROWS, ROWS_A_WEIGHT * objective.d)
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        if objective.n > 2 * some:
            found = _gap(objective, point, slice(0, None, objective.n // some))
            if found <= GOOD * abs(point.value):
                return found
        return _gap(objective, point, slice(None))


def _gap(objective: LogisticObjective, point: Point, rows: slice) -> float:
    """The gap if p' differs from p in these rows only; ∞ if they cannot take up the excess."""
    part = LogisticObjective(
        objective.X[rows],
        objective.codes[rows],
        objective.n_classes,
        objective.weight[rows],
        objective.rho,
        objective.intercept,
    )
    two = objective.rows == 1
    before = after = point.scores[rows]
    if two and objective.d <= MOST_COLUMNS:
        after = _newton_scores(part, point)
    log_p, moved = _log_probabilities(before), _log_probabilities(after)
    p = np.exp(log_p)
    c = part.weight[:, None] if len(part.weight) else np.ones((len(p), 1))
    shown = slice(1, 2) if two else slice(None)  # two classes have one row of weights
    if objective.intercept:
        excess = np.zeros(objective.n_classes)
        excess[shown] = point.gradient[:, 0]
        excess[0] -= excess.sum()  # excesses add up to 0
        wanted = np.sum(c * p, axis=0) - excess
        mixed = _mixed(_with_new_biases(moved, c, wanted), c, wanted)
        if mixed is None:
            return np.inf
    else:
        mixed = np.exp(moved)
    logs = np.log(mixed, where=mixed > 0, out=np.zeros_like(mixed))
    divergence = float(np.sum(c * (mixed * (logs - log_p))))
    slope = point.gradient[:, 1:] + (part.X.T @ (c * (mixed - p))[:, shown]).T
    return 0.5 * float(np.sum(slope * slope / objective.rho)) + max(divergence, 0.0)


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


def _with_new_biases(log_p: np.ndarray, c: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """p' ∝ p e^t with Σ c p' as wanted, by Newton's method for t; some steps towards it."""
    p = np.exp(log_p)
    for _ in range(BIAS_STEPS):
        totals = np.sum(c * p, axis=0)
        if np.abs(wanted - totals).max() <= ROUNDING * wanted.sum():
            break
        H = np.diag(totals) - p.T @ (c * p)
        t = np.linalg.lstsq(H, wanted - totals, rcond=None)[0]
        p = p * np.exp(np.clip(t, -FARTHEST, FARTHEST))
        p /= p.sum(axis=1, keepdims=True)
    return p


def _mixed(p: np.ndarray, c: np.ndarray, wanted: np.ndarray) -> np.ndarray | None:
    """(1 − a) p + a q with Σ c p = ``wanted``; None if there is none."""
    totals = np.sum(c * p, axis=0)
    over = totals - wanted
    a = float(np.max(over / np.maximum(totals, np.finfo(float).tiny)))
    if a <= 0.0:
        return p
    q = np.maximum(totals - over / a, 0.0)
    return (1.0 - a) * p + (a / q.sum()) * q if a <= 1.0 and q.any() else None


def _log_probabilities(scores: np.ndarray) -> np.ndarray:
    """(n, K), also for two classes, whose scores are one column."""
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(scores)), scores])
    below = scores - scores.max(axis=1, keepdims=True)
    return below - np.log(np.exp(below).sum(axis=1, keepdims=True))
