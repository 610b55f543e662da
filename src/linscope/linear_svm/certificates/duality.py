"""Primal and dual value of a linear support vector machine, with proven bounds on their rounding.

Small tables, and those where rounding is in the way, are measured as ``verify`` does it. For the
others the solver's own passes over the rows will do, in the coordinates of its frame. With
u = 2⁻⁵³, ‖v‖² = Σ ρ_j v_j², ‖x‖² = Σ x_j²/ρ_j, R = max ‖x_i‖ and sums in any order,

    a sum of k terms is off by at most   about k u Σ|terms|
    a margin by at most                  E = 2 u (d + 16) (|b| + ‖v‖ R)
    C Σ c ξ by at most                   C E Σ c over the rows with m < 1 + E
    C Σ c ξ² by at most                  C Σ c (2 ξ E + E²), the same rows
    Σ α y x by a vector of length        e = 2 u (n + 16) R Σ α

and ½‖Σ α y x‖² by ‖Σ α y x‖ e + ½ e². The frame's shifted columns are off by u, relatively, and its
bias is rounded once: both are within these bounds.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from linscope.arithmetic.enclosures import UNIT, Ball
from linscope.fitting.column_scaling import ColumnFrame

from ..solvers.blocks import SLACK, SQUARED_SLACK, dual_block, within_block
from ..solvers.objective import MarginObjective
from ..verify.bounds import Bounds, Feasible, Problem, bounds, feasible, gap_between

# Up to so many numbers the precise way costs next to nothing; beyond the other limit it is left.
TINY_TABLE, LARGEST = 2_000, 100_000_000
# Rounding up to this share of the objective is fine, and above this share of the gap it matters.
FINE, SHARE = 4e-9, 0.1
# Out of this range digits may be lost by underflow, and penalties count as none.
SMALLEST, GREATEST = 1e-15, 1e100


def duality(
    problem: Problem,
    objective: MarginObjective,
    frame: ColumnFrame,
    W: np.ndarray,
    alpha: np.ndarray,
    tol: float,
) -> Bounds:
    """Bounds on both values, as close as the tolerance needs them; α must lie in its box.

    Parameters
    ----------
    problem : the given table
    objective, frame : the same problem in the solver's coordinates
    W : weights of the given columns, bias first
    alpha : n dual coefficients
    tol : the gap that is asked for, relative to the objective
    """
    size = problem.numbers
    if size <= TINY_TABLE or problem.hard:
        return bounds(problem, W, alpha, precise=True)
    with np.errstate(all="ignore"):
        quick = _quick(problem, objective, inside(frame, W), alpha)
    if quick is not None:
        rounding, value = float(quick.primal.rad), quick.value
        fine = rounding <= FINE * value
        matters = quick.gap > tol * value and rounding > SHARE * (quick.gap - rounding)
        if fine and not matters:
            return quick
    if size > LARGEST and quick is not None:
        return quick
    return bounds(problem, W, alpha, precise=True)


def _quick(
    problem: Problem, objective: MarginObjective, V: np.ndarray, alpha: np.ndarray
) -> Bounds | None:
    """From the solver's passes; None where floats leave their range."""
    point, longest = objective.evaluate(V), objective.longest
    length = float(np.sqrt(np.sum(objective.rho[1:] * V[1:] * V[1:])))
    few, many = 2.0 * UNIT * (objective.d + 16), 2.0 * UNIT * (objective.n + 16)
    E = few * (abs(float(V[0])) + length * longest)
    half = 0.5 * float(np.sum(objective.rho * V * V))
    C, slack = problem.C, float(point.totals[SLACK])
    loss = C * float(point.totals[SQUARED_SLACK] if problem.squared else slack)
    reach = C * objective.engine.fold(within_block, point.name, 1.0 + E)
    off = 2.0 * C * slack * E + reach * E * E if problem.squared else reach * E
    rounding = few * half + many * loss + off * (1.0 + many) ** 2
    value = half + loss
    dual = _dual(problem, objective, feasible(problem, alpha, objective.engine), longest)
    sizes = np.array([value, longest, length, np.abs(V).max()])
    sizes = np.r_[sizes[sizes > 0.0], np.sqrt(objective.rho[1:])]
    if not (np.isfinite(dual) and (sizes > SMALLEST).all() and (sizes < GREATEST).all()):
        return None
    primal, dual = Ball(value, rounding), max(dual, 0.0)
    return Bounds(primal, dual, gap_between(primal, dual), objective.slack(point))


def _dual(problem: Problem, objective: MarginObjective, alpha: Feasible, longest: float) -> float:
    """D(α) less its rounding."""
    few, many = 2.0 * UNIT * (objective.d + 16), 2.0 * UNIT * (objective.n + 16)
    v, total, square = objective.engine.fold(dual_block, alpha, problem.C)
    length2 = float(np.sum(v[1:] / objective.rho[1:] * v[1:]))
    e = many * total * longest
    off = np.sqrt(length2) * e + 0.5 * e * e
    lost = 0.5 * length2
    if problem.intercept and problem.penalised:
        e0 = many * total
        lost += 0.5 * float(v[0]) ** 2
        off += abs(float(v[0])) * e0 + 0.5 * e0 * e0
    if problem.squared:
        lost, off = lost + square, off + many * square
    rounding = many * total + few * lost + off * (1.0 + many) ** 2
    return total - lost - rounding * (1.0 + 8.0 * UNIT)


def inside(frame: ColumnFrame, W: np.ndarray) -> np.ndarray:
    """The weights in the frame's coordinates; the bias exactly rounded, whatever the shift."""
    V = frame.inside(W[None, :])[0]
    if frame.shift.any():
        terms = zip(W[1:].tolist(), frame.shift.tolist(), strict=True)
        V[0] = float(Fraction(float(W[0])) + sum(Fraction(w) * Fraction(m) for w, m in terms))
    return V


def outside(frame: ColumnFrame, V: np.ndarray) -> np.ndarray:
    """Weights of the given columns; the bias exactly rounded for these."""
    W = frame.original(V[None, :])[0]
    if frame.shift.any() and np.isfinite(W).all():
        terms = zip(W[1:].tolist(), frame.shift.tolist(), strict=True)
        W[0] = float(Fraction(float(V[0])) - sum(Fraction(w) * Fraction(m) for w, m in terms))
    return W
