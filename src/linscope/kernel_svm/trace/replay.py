"""Sequential minimal optimisation replayed: the log has the pairs, and by how much they moved.

A state is α of all samples of the problem, followed by the bias b, the dual value D, the gap
m(α) − M(α) and the primal value P; with C = ∞ P is that of f divided by its smallest margin.

    D(α) = Σα − ½ ΣΣ α_i α_j y_i y_j K(x_i, x_j)        P(w, b) = ½‖w‖² + Σ C_i ξ_i
    a step of size t:  D grows by t(g_j − g_i) − ½t²η     η = K_ii + K_jj − 2K_ij

Shown are the pair, its α, the dual value and the gap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linscope.fitting.training import Fitted
from linscope.losses import hinge
from linscope.reports.cells import Change, number, vector
from linscope.reports.table import Column
from linscope.tracing.answer import hyperplane_answer, kernel_rule, margin, rounded, support
from linscope.tracing.replay import Replay, Shown, Window, kept_rows

from ..solvers.dual_problem import bias, ends
from ..solving.one_problem import Part
from .step import SmoStep

# Of so few samples all α are shown, of more only those of the pair.
FEW = 8
CURVE_POINTS = 2000
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

    step = SmoStep
    gap = "m − M"
    picture = "the boundary of a linear kernel and two features; plot shows D and the gap"
    marks_updates = False
    single = False
    augmented = False
    intercept = True
    gamma: Any = None  # of the kernel, if it has one

    def __init__(self, part: Part, X: Any, row_numbers: np.ndarray, n_given: int, linear: bool):
        self.problem, self.solver, self.log = part.problem, part.solver, part.result.log
        self.name, self.X, self.row_numbers = part.problem.name, X, row_numbers
        self.y, self.linear, self.result = part.problem.y, linear, part.result
        self.unit, self.centre = part.source.unit, part.source.centre
        self.n_given, self.n_steps = n_given, len(self.log)
        self.width = len(self.y) + EXTRA
        self.update_steps = np.arange(self.n_steps)

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

    def shown(self, window: Window, names: Any, criterion: bool) -> list[Shown]:
        log, steps = self.log, window.steps
        before, after = self.alphas(window)
        dual, gap, primal = self.measures[steps + 1, DUAL:].T
        return [
            Shown("step", steps + 1, Column("step", right=True)),
            self._of_pair("i", log.grown[steps], names, after[0] > before[0]),
            self._of_pair("j", log.shrunk[steps], names, after[1] > before[1]),
            Shown("alpha_i_before", before[0]),
            Shown("alpha_i", after[0]),
            Shown("alpha_j_before", before[1]),
            Shown("alpha_j", after[1]),
            Shown(
                "clipped",
                log.clipped[steps],
                Column("clip"),
                lambda: ["yes" if cut else "no" for cut in log.clipped[steps]],
            ),
            Shown("dual", dual, Column.formula("D")),
            Shown("gap", gap, Column.formula("m - M"), lambda: [_short(value) for value in gap]),
            *([Shown("primal", primal, Column.formula("P"))] if criterion else []),
            *self._all_alphas(window),
            *self._moves(window, before, after),
            *(each for each in self.shown_weights(window) if each.key),
        ]

    def _of_pair(self, letter: str, samples: np.ndarray, names: Any, grows: np.ndarray) -> Shown:
        """One of the two samples, and whether its α grows or shrinks."""

        def moved() -> list[str]:
            given = zip(self.given_names(samples, names), grows, strict=True)
            return [f"{name} {'↑' if up else '↓'}" for name, up in given]

        column = Column.formula(letter, right=False)
        return Shown(letter, self.row_numbers[samples], column, moved)

    def _all_alphas(self, window: Window) -> list[Shown]:
        if self.n_given > FEW:
            return []
        alphas = np.zeros((len(window.steps), self.n_given), window.states.dtype)
        alphas[:, self.row_numbers] = window.states[window.after, : len(self.y)]
        return [Shown(f"a{row}", alphas[:, row]) for row in range(self.n_given)]

    def _moves(self, window: Window, before: np.ndarray, after: np.ndarray) -> list[Shown]:
        """In the ledger: all α before → after, or those of the pair."""
        if len(self.y) > FEW:
            pair = zip("ij", before, after, strict=True)
            return [
                Shown("", None, Column(f"α_{k}", rf"$\alpha_{k}$"), partial(_changes, a, b))
                for k, a, b in pair
            ]
        alpha = self.states_of_steps(window)

        def changes() -> list[Change]:
            pairs = zip(window.versions, window.after, strict=True)
            return [Change(vector(alpha[a]), vector(alpha[b])) for a, b in pairs]

        return [Shown("", None, Column.formula(r"\alpha", right=False), changes)]

    def states_of_steps(self, window: Window) -> Any:
        return window.states[:, : len(self.y)]

    def about(self, window: Window, names: Any) -> Iterator[dict[str, Any]]:
        for pair in zip(self.log.grown[window.steps], self.log.shrunk[window.steps], strict=True):
            given = None if names is None else tuple(names[self.row_numbers[k]] for k in pair)
            yield {"names": given, "epoch": 1}

    def effects(self, first: int, last: int) -> dict[str, np.ndarray]:
        values = self.measures[first : last + 1]
        return {
            "update": np.arange(first + 1, last + 1),
            "step": np.arange(first + 1, last + 1),
            "i": self.row_numbers[self.log.grown[first:last]],
            "j": self.row_numbers[self.log.shrunk[first:last]],
            "dual_before": values[:-1, 1],
            "dual_after": values[1:, 1],
            "gap_before": values[:-1, 2],
            "gap_after": values[1:, 2],
            "primal_before": values[:-1, 3],
            "primal_after": values[1:, 3],
        }

    def heading(self, model: Any) -> str:
        return "sequential minimal optimisation"

    def settings(self, model: Any) -> list[str]:
        kernel, given = model._kernel_name, model.kernel
        settings = [
            f"kernel {given if isinstance(given, str) else 'a function'}",
            f"C = {number(model.C)}",
            f"tol {number(model.tol)}",
        ]
        if kernel in ("rbf", "poly", "sigmoid"):
            settings.insert(1, f"γ = {number(self.gamma)}")
        if kernel == "poly":
            settings.insert(2, f"degree {model.degree}")
        if kernel in ("poly", "sigmoid"):
            settings.insert(-2, f"coef0 {number(model.coef0)}")
        if len(np.unique(self.solver.problem.C)) > 1:
            settings.append("weighted")
        return settings

    def ending(self, model: Any, replays: Sequence[Any]) -> str:
        steps = sum(replay.n_steps for replay in replays)
        clipped = sum(int(replay.log.clipped.sum()) for replay in replays)
        count = f"{steps:,} pair{'' if steps == 1 else 's'}, {clipped:,} clipped"
        return f"{count}: {model.certificate_.text}"

    def own_answer(self, trace: Any) -> list[tuple[str, str]]:
        last, K = self.states(self.n_steps, self.n_steps), len(trace.estimator.classes_)
        alpha = last[0, : len(self.y)]
        names = self.given_names(np.arange(len(alpha)), trace.sample_names)
        if self.linear:
            w = self.weights(last)[0]
            return hyperplane_answer(w, alpha, names, trace.feature_names, self.problem, K)
        squared = 2 * (sum(alpha) - last[0, DUAL])  # D = Σα − ½‖w‖²
        b, signed = last[0, BIAS], alpha * self.y
        return [
            ("equation", kernel_rule(signed, b, names, self.problem.positive)),
            ("bias", rounded(f"b = {number(b)}")),
            ("margin", margin(squared)),
            ("support vectors", support(alpha, names)),
        ]

    def display(self, trace: Any, updates: Any, features: Any) -> Any:
        if self.linear and (self.X.shape[1] <= 2 or features is not None):
            return super().display(trace, updates, features)
        return None

    def curve(self, updates: Any, ax: Any) -> Any:
        """D and the gap after each step."""
        from linscope.tracing.drawing import spread

        from ..figures.dual_ascent import dual_ascent

        first, last = self.update_range(updates)
        numbers = first + spread(last - first + 1, CURVE_POINTS)
        values = self.measures[numbers].astype(np.float64)
        tol = float(self.solver.tol)
        return dual_ascent(values[:, 1], values[:, 2], steps=numbers, tol=tol, ax=ax)


def _short(value: Any) -> Any:
    """Three digits; a fraction as it is."""
    return value if isinstance(value, Fraction) else float(f"{value:.3g}")


def _changes(before: np.ndarray, after: np.ndarray) -> list[Change]:
    return [Change(_short(a), _short(b)) for a, b in zip(before, after, strict=True)]


def smo_replays(model, fitted: Fitted) -> list[SmoReplay]:
    """The replays of a model that was fitted with its log."""
    return [_replay(model, part, fitted.training) for part in fitted.solved]


def _replay(model, part: Part, training: Any) -> SmoReplay:
    rows = slice(None) if part.problem.rows is None else part.problem.rows
    X = None if model.kernel == "precomputed" else training.X[rows]
    if X is not None and not sparse.issparse(X):
        X = np.asarray(X, dtype=np.float64)
    numbers, count = kept_rows(training)[rows], len(training.codes) + len(training.ignored)
    replay = SmoReplay(part, X, numbers, count, model.kernel == "linear")
    replay.gamma = model._gamma
    return replay
