"""Sequential minimal optimisation replayed: the log has the pairs, and by how much they moved.

A state is α of all samples of the problem, followed by the bias b, the dual value D, the gap
m(α) − M(α) and the primal value P; with C = ∞ P is that of f divided by its smallest margin.

    D(α) = Σα − ½ ΣΣ α_i α_j y_i y_j K(x_i, x_j)        P(w, b) = ½‖w‖² + Σ C_i ξ_i
    a step of size t:  D grows by t(g_j − g_i) − ½t²η     η = K_ii + K_jj − 2K_ij
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linscope.losses import hinge
from linscope.tracing.replay import Replay, Window

from ..solvers.dual_problem import bias, ends
from ..solving.one_problem import Part
from .view import SmoView

# Columns of a state after α.
BIAS, DUAL, GAP, PRIMAL = -4, -3, -2, -1
EXTRA = 4


class Pairs(NamedTuple):
    """β of the two samples before and after each step, rows (i, j); in the solver's units."""

    before: np.ndarray
    after: np.ndarray


class SmoReplay(Replay):
    """Replay of one binary problem.

    Parameters
    ----------
    part : the problem as it was solved, with its log
    X : the rows of the problem, or None for a precomputed kernel
    row_numbers : where they are in the table that was given to the fit
    n_given : how many rows that table has
    linear : whether the kernel is linear, so that there are weights
    """

    view = SmoView()
    single = False
    augmented = False

    def __init__(self, part: Part, X: Any, row_numbers: np.ndarray, n_given: int, linear: bool):
        self.problem, self.solver, self.log = part.problem, part.solver, part.result.log
        self.name, self.X, self.row_numbers = part.problem.name, X, row_numbers
        self.y, self.linear, self.result = part.problem.y, linear, part.result
        self.unit, self.centre = part.source.unit, part.source.centre
        self.n_given, self.n_steps = n_given, len(self.log)
        self.update_steps = np.arange(self.n_steps)

    @property
    def width(self) -> int:
        return len(self.y) + EXTRA

    @property
    def intercept(self) -> bool:
        return True

    @property
    def weight_names(self) -> list[str]:
        return [f"w{j}" for j in range(self.X.shape[1] + 1)] if self.linear else []

    @cached_property
    def pairs(self) -> Pairs:
        """The same sums as the solver's, so the same bits."""
        log, lower, upper = self.log, self.solver.lower.tolist(), self.solver.upper.tolist()
        beta = log.initial.tolist()
        before, after = np.empty((2, len(log))), np.empty((2, len(log)))
        moves = zip(log.grown.tolist(), log.shrunk.tolist(), log.change.tolist(), strict=True)
        for k, (i, j, t) in enumerate(moves):
            before[:, k] = beta[i], beta[j]
            room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
            beta[i] = upper[i] if t == room_i else beta[i] + t
            beta[j] = lower[j] if t == room_j else beta[j] - t
            after[:, k] = beta[i], beta[j]
        return Pairs(before, after)

    @cached_property
    def measures(self) -> np.ndarray:
        """b, D, m − M and P after 0, 1, … steps, one row each."""
        log, K, y, after = self.log, self.solver.K, self.y, self.pairs.after
        beta = log.initial.copy()
        g = K @ beta - y
        dual = 0.0 - 0.5 * float(beta @ (g - y))
        out = np.empty((self.n_steps + 1, EXTRA))
        out[0] = self._measured(beta, g, dual)
        for k, (i, j, t) in enumerate(zip(log.grown, log.shrunk, log.change, strict=True)):
            dual += t * (g[j] - g[i]) - 0.5 * t * t * (K[i, i] + K[j, j] - 2.0 * K[i, j])
            g += t * (K[i] - K[j])
            beta[i], beta[j] = after[:, k]
            out[k + 1] = self._measured(beta, g, dual)
        return out

    def _measured(self, beta, g, dual: float) -> tuple[float, float, float, float]:
        lower, upper, C = self.solver.lower, self.solver.upper, self.solver.problem.C
        b = bias(g, beta, lower, upper)
        margins = self.y * (g + self.y + b)
        half = 0.5 * float(beta @ (g + self.y))
        if np.isfinite(C).all():
            primal = half + float(C @ hinge.loss(margins))
        else:  # f divided by its smallest margin needs no slack
            primal = half / margins.min() ** 2 if margins.min() > 0 else np.inf
        gap = ends(g, beta < upper, beta > lower).gap
        return b, dual / self.unit, gap, primal / self.unit

    def states(self, first: int, last: int) -> Any:
        out = np.empty((last - first + 1, self.width))
        out[0, :-EXTRA] = self._alpha_after(first)
        for k in range(first, last):
            row = out[k - first + 1]
            row[:-EXTRA] = out[k - first, :-EXTRA]
            i, j = self.log.grown[k], self.log.shrunk[k]
            row[[i, j]] = self.y[[i, j]] * self.pairs.after[:, k] / self.unit + 0.0
        out[:, -EXTRA:] = self.measures[first : last + 1]
        return out

    def last_state(self) -> Any:
        """α after all steps."""
        return self._alpha_after(self.n_steps)

    def _alpha_after(self, steps: int) -> np.ndarray:
        beta, log = self.log.initial.copy(), self.log
        moved = np.column_stack([log.grown[:steps], log.shrunk[:steps]]).ravel()
        beta[moved] = self.pairs.after[:, :steps].T.ravel()  # of a sample moved often, the last
        return self.y * beta / self.unit + 0.0  # no −0

    def alphas(self, window: Window) -> tuple[np.ndarray, np.ndarray]:
        """α of the pair before and after each step, (2, steps) each."""
        i, j = self.log.grown[window.steps], self.log.shrunk[window.steps]
        scale = np.vstack([self.y[i], self.y[j]]) / self.unit
        before, after = (scale * part[:, window.steps] for part in self.pairs)
        return before + 0.0, after + 0.0

    def criterion(self, states) -> np.ndarray:
        return -states[:, DUAL]

    def weights(self, states) -> Any:
        """b and w = Σ α_i y_i x_i of a linear kernel; no columns for others."""
        if not self.linear:
            return np.empty((len(states), 0))
        w = (states[:, :-EXTRA] * self.y) @ self.X
        b = states[:, BIAS] - (0.0 if self.centre is None else w @ self.centre)
        return np.column_stack([b, w]) + 0.0


def check_smo(estimator: Any, exact: bool) -> None:
    """Refuse what cannot be shown, before any work."""
    if exact:
        raise ValueError(
            "exact=True: SVC has no steps in fractions, as kernels such as exp(−γ‖x − z‖²) are not "
            "rational"
        )


def smo_replays(model, X, y, sample_weight) -> list[SmoReplay]:
    """The replays of a model that was fitted with its log."""
    parts, training = model._parts, model._training
    model._parts = model._training = None  # they hold the whole table
    count = len(training.codes) + len(training.ignored)
    numbers = np.delete(np.arange(count), training.ignored)
    return [_replay(model, part, training.X, numbers, count) for part in parts]


def _replay(model, part: Part, X: Any, numbers: np.ndarray, count: int) -> SmoReplay:
    rows = slice(None) if part.problem.rows is None else part.problem.rows
    own = None if model.kernel == "precomputed" else X[rows]
    if own is not None and not sparse.issparse(own):
        own = np.asarray(own, dtype=np.float64)
    return SmoReplay(part, own, numbers[rows], count, model.kernel == "linear")
