"""From a solver's answer to the floats that a linear support vector machine holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linscope.arithmetic.enclosures import Ball
from linscope.fitting.column_scaling import ColumnFrame
from linscope.fitting.scores import in_type

from ..certificates.duality import duality, inside, outside
from ..certificates.linear_svm import reached
from ..solvers.active_set import active_set
from ..solvers.objective import MarginObjective
from ..solvers.rounding import best_floats
from ..verify.bounds import Bounds, Problem, gap_between

# Numbers in a table up to which the equations of the support give the last digits.
SMALL_TABLE = 100_000
# Objectives that differ by less, relatively, are equal.
ROOM = 2.0**-50
# A gap of less is all that can be hoped for.
EXACT = 1e-13


class Held(NamedTuple):
    """Weights as they will be held, dual coefficients, and what is proven about them."""

    W: np.ndarray
    alpha: np.ndarray
    found: Bounds

    def with_better(self, other: Held) -> Held:
        """The better weights and the better coefficients of both; on a par the other's."""
        mine, new = self.found, other.found
        room = ROOM * new.value if new.value < np.inf else 0.0
        W, base = (self.W, mine)
        if float(new.primal.high) <= float(mine.primal.high) + room:
            W, base = other.W, new
        alpha, dual = self.alpha, mine.dual
        if new.dual >= dual - room:
            alpha, dual = other.alpha, new.dual
        return Held(W, alpha, base._replace(dual=dual, gap=gap_between(base.primal, dual)))


@dataclass
class Finish:
    """The last steps of a fit.

    Parameters
    ----------
    problem : the given table; objective, frame : the same in the solver's coordinates
    dtype : of the weights that the user gets
    tol : the gap that is asked for, relative to the objective
    """

    problem: Problem
    objective: MarginObjective
    frame: ColumnFrame
    dtype: np.dtype
    tol: float

    def as_solved(self, W: np.ndarray, alpha: np.ndarray) -> Held:
        """The solver's own weights of the given columns, rounded to their type."""
        ends = alpha.min(initial=0.0), alpha.max(initial=0.0)
        if not (np.isfinite(W).all() and np.isfinite(ends).all()):
            raise ValueError("a weight is beyond the range of floats: scale the columns of X")
        held = in_type(W, self.dtype).astype(np.float64)
        found = duality(self.problem, self.objective, self.frame, held, alpha, self.tol)
        return Held(held, alpha, found)

    def unproven(self, W: np.ndarray, alpha: np.ndarray) -> Held:
        """As the solver left them, with nothing claimed: for fits that are thrown away."""
        held = in_type(W, self.dtype).astype(np.float64)
        point = self.objective.evaluate(inside(self.frame, held))
        value = Ball(self.objective.primal(point), 0.0)
        return Held(held, alpha, Bounds(value, 0.0, np.inf, self.objective.slack(point)))

    def best(self, W: np.ndarray, alpha: np.ndarray) -> Held:
        """The last digits from the equations of the support, and the best floats near them."""
        small = self.problem.numbers <= SMALL_TABLE
        other = self._by_equations(W, alpha) if small else None
        if other is not None and reached(other.found, EXACT):
            return other
        held = self.as_solved(W, alpha)
        if not small and not reached(held.found, self.tol):
            other = self._by_equations(W, alpha)
        starts = [W]
        if other is not None:
            held, starts = held.with_better(other), [other.W, W]
        if not reached(held.found, self.tol):
            for start in starts:
                enough = held.found.dual / (1.0 - min(self.tol, 0.5))
                better = best_floats(self.problem, start, held.alpha, self.dtype, enough)
                held = held.with_better(self.as_solved(better, held.alpha))
                if reached(held.found, self.tol):
                    break
        return held

    def _by_equations(self, W: np.ndarray, alpha: np.ndarray) -> Held | None:
        if self.problem.hard:
            return None
        with np.errstate(all="ignore"):
            turned = active_set(self.objective, inside(self.frame, W), alpha)
        if turned is None or not np.isfinite(turned[0]).all():
            return None
        V = outside(self.frame, turned[0])
        return self.as_solved(V, turned[1]) if np.isfinite(V).all() else None
