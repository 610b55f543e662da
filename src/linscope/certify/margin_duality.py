"""Primal and dual value of a linear support vector machine, with a bound on their rounding.

For any w, b and any feasible α, P(w, b) ≥ min P ≥ D(α) (see ``losses/hinge``). A free bias asks
for Σ α_i y_i = 0 exactly. Coefficients that nearly fulfil it are *repaired*: those of the class
with the larger sum are scaled down, then single ones made smaller by what rounding leaves; both
keep them in their box.

The hard margin, C = ∞: with the smallest margin m, w/min(m, 1) breaks no condition, so

    P  =  ½‖w‖² / min(m, 1)²
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import fsum

import numpy as np

from ..solvers.logistic_frame import LogisticFrame
from ..solvers.margin_objective import MarginObjective

UNIT = 2.0**-53
# Each repair divides what is left of Σ α y by about 2^50.
MOST_REPAIRS = 60


@dataclass(frozen=True)
class Values:
    """P(w, b), a proven lower bound of min P, and a bound on the rounding of their difference.

    ``margins`` are y (w·x + b) of the samples.
    """

    primal: float
    dual: float
    rounding: float
    margins: np.ndarray

    @property
    def gap(self) -> float:
        return max(self.primal - self.dual, 0.0)


def duality(
    objective: MarginObjective, frame: LogisticFrame, W: np.ndarray, alpha: np.ndarray, C: float
) -> Values:
    """Both values in float64, in the coordinates of the frame; α must lie in its box.

    Parameters
    ----------
    objective, frame : the problem; its C is not read for the hard margin, ``C=inf``
    W : weights of the original columns, bias first
    alpha : n dual coefficients
    """
    V = inside(frame, W)
    point = objective.evaluate(V)
    hard = np.inf == C
    primal = _hard(objective, V, point.margins) if hard else objective.primal(point)
    if objective.free_bias:
        alpha = balanced(alpha, objective.y)
    total, v = float(alpha.sum()), objective.combine(alpha)
    if not objective.intercept or objective.free_bias:
        v[0] = 0.0
    length, bias = _half_length(objective, v), 0.5 * float(v[0]) ** 2
    dual = total - length - bias
    if objective.squared and not hard:
        c = objective.c if len(objective.c) else 1.0
        dual -= 0.25 / C * float(np.sum(alpha * alpha / c))
    with np.errstate(over="ignore"):
        rounding = _rounding(objective, primal, total, V, v, length)
    if not dual - rounding > 0.0:
        return Values(primal, 0.0, 0.0, point.margins)  # 0 is a lower bound, too
    return Values(primal, dual, rounding, point.margins)


# A sum of n products x_i has an error of at most n u Σ|x_i|, and Σ_j |w_j x_j| ≤ ‖w‖·‖x‖ in scores
# as in v·v with v = Σ α y x; an error e of v adds |v·e| + ½‖e‖² to ½‖v‖².
def _rounding(objective: MarginObjective, primal, total, V, v, length) -> float:
    """A bound on the rounding of P − D; of sums of n terms √n, as errors of both signs cancel."""
    unit = 8.0 * UNIT * (np.sqrt(objective.n) + objective.d + 16)
    lengths = np.sqrt(float(np.sum(objective.rho[1:] * V[1:] * V[1:]))) + np.sqrt(2.0 * length)
    reach = 1.0 + abs(float(V[0])) + abs(float(v[0])) + lengths * objective.longest
    return float(unit * (primal + total * reach) + 0.5 * (unit * total * objective.longest) ** 2)


def inside(frame: LogisticFrame, W: np.ndarray) -> np.ndarray:
    """The weights in the frame's coordinates; the bias exactly rounded, whatever the shift."""
    V = frame.inside(W[None, :])[0]
    if frame.shift.any():
        terms = zip(W[1:].tolist(), frame.shift.tolist(), strict=True)
        V[0] = float(Fraction(float(W[0])) + sum(Fraction(w) * Fraction(m) for w, m in terms))
    return V


def balanced(alpha: np.ndarray, y: np.ndarray) -> np.ndarray:
    """α with Σ α y = 0, exactly: the heavier class is scaled down."""
    plus, minus = float(alpha[y > 0].sum()), float(alpha[y < 0].sum())
    low = min(plus, minus)
    if low == 0.0:
        return np.zeros_like(alpha)
    out = alpha * np.where(y > 0, low / plus, low / minus)
    for _ in range(MOST_REPAIRS):
        left = fsum(out * y)
        if left == 0.0:
            return out
        # The smallest one that is large enough: its last bit is the finest.
        able = np.flatnonzero((y * left > 0.0) & (out >= abs(left)))
        if not len(able):
            break
        k = able[np.argmin(out[able])]
        # Less than its last bit is too little: then a bit more, and the other class mends that.
        out[k] = min(out[k] - abs(left), np.nextafter(out[k], 0.0))
    return np.zeros_like(alpha)


def _half_length(objective: MarginObjective, v: np.ndarray) -> float:
    """½ Σ_{j≥1} v_j²/ρ_j."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        total = float(np.sum(v[1:] / objective.rho[1:] * v[1:]))
    return 0.5 * total if np.isfinite(total) else np.inf


def _hard(objective: MarginObjective, V: np.ndarray, margins: np.ndarray) -> float:
    smallest = min(float(margins.min()), 1.0)
    if not smallest > 0.0:
        return np.inf
    return 0.5 * float(np.sum(objective.rho * V * V)) / smallest**2
