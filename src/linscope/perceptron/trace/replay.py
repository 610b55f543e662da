"""The perceptron rule replayed: on rows of numbers, or on a Gram matrix.

The log says which visits, or batches, were updates. Scores, weights and criterion come from the
arithmetic of the fit.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from linscope._compiling import kernel
from linscope.fitting.training import Fitted, Problem
from linscope.reports.cells import Change
from linscope.reports.table import Column
from linscope.results import Result, UpdateLog
from linscope.rows.operations import GIVEN_ORDER, row_dot
from linscope.rows.scores import norm
from linscope.tracing.checkpoints import Checkpoints
from linscope.tracing.replay import Shown, Window, kept_rows

from ..solvers import loops
from ..solvers.rule import PerceptronRule, update_steps
from ..solvers.samples import InBlocks
from .shown import ShownRule

SMALLEST = 1e-150


class PerceptronReplay(ShownRule):
    """Replay of a rule on rows of numbers or on a Gram matrix.

    Parameters
    ----------
    problem : the binary problem, its labels and its name
    solver : the rule as it was set up for the fit
    log : the decisions of the fit
    X : the rows of the problem (None for a precomputed kernel)
    row_numbers : where these rows are in the table that was given to the fit
    intercept : whether samples are augmented with 1
    scale : c if the solver's rows are those of X times c, see ``in_range``
    """

    def __init__(
        self,
        problem: Problem,
        solver: PerceptronRule,
        log: UpdateLog,
        X: Any,
        row_numbers: Any,
        intercept: bool,
        scale: float = 1.0,
    ):
        self.problem, self.solver, self.log, self.X = problem, solver, log, X
        self.name, self.y = problem.name, solver.samples.y
        self.row_numbers, self.scale = row_numbers, scale
        self.n_steps = log.n_batches
        self.update_steps = log.updates
        first = np.array(log.initial, dtype=np.float64) * scale
        self.width, self.margin = len(first), solver.rule.margin
        self.single, self.intercept = solver.kind == "single", intercept
        self._checkpoints = Checkpoints(first, len(log.updates), self._advance)

    @cached_property
    def _radius(self) -> float:
        return self.solver.samples.radius()

    def states(self, first: int, last: int) -> Any:
        """The states after ``first`` … ``last`` updates, one row each."""
        out = np.empty((last - first + 1, self.width))
        out[0] = self._checkpoints.state(first)
        self._advance(first, last, out[0].copy(), out[1:])
        return out

    def last_state(self) -> Any:
        return self.states(self.n_updates, self.n_updates)[0] / self.scale

    def batch_mistakes(self, window: Window) -> np.ndarray:
        """Mistakes of the batch of each step, 0 where there was no update."""
        counts = np.zeros(len(window.steps), np.int64)
        count = len(window.states) - 1
        wrong = np.zeros(count, np.int64)
        scratch = np.empty((count, self.width))
        state = np.array(window.states[0])
        self._advance(window.first, window.first + count, state, scratch, wrong)
        counts[window.updated] = wrong[window.versions[window.updated]]
        return counts

    def _advance(self, first: int, last: int, w, out=None, wrong=None) -> None:
        """Apply updates ``first`` … ``last`` − 1 to w; keep what comes after each in ``out``."""
        part = replace(
            self.log,
            updates=self.update_steps[first:last],
            first_update=self.log.first_update + first,
        )
        if not self.single:
            self._advance_batches(part, w, out, wrong)
            return
        given = self.solver.samples
        samples, steps = update_steps(part, self.solver.rule, given.y, given.weight)
        if out is None:
            loops.replay_updates(given.rows, samples, steps, w)
        else:
            loops.replay_vectors(given.rows, samples, steps, w, out)

    def _advance_batches(self, part: UpdateLog, w, out, wrong) -> None:
        count = len(part.updates)
        wrong = np.zeros(count, np.int64) if wrong is None else wrong
        if isinstance(self.solver.samples, InBlocks):
            for k in range(count):
                wrong[k] = self._blocks_step(self.solver.samples, part.first_update + k + 1, w)
                if out is not None:
                    out[k] = w
            return
        out = np.empty((count, self.width)) if out is None else out
        epochs, batches = np.divmod(part.updates, part.batches_per_epoch)
        for epoch in np.unique(epochs):
            here = slice(*np.searchsorted(epochs, [epoch, epoch + 1]))
            permutation = part.order.epoch(int(epoch))
            _batch_states(
                *self.solver.samples,
                GIVEN_ORDER if permutation is None else permutation,
                batches[here],
                part.batch_size,
                self.solver.rule,
                part.first_update + here.start,
                w,
                self._radius,
                out[here],
                wrong[here],
            )

    def _blocks_step(self, samples: InBlocks, number: int, w: np.ndarray) -> int:
        """One step of the batch rule, summed over row blocks as in the fit."""
        rule = self.solver.rule
        total, mistakes = samples.mistakes(rule, w, self._radius)
        w += (rule.eta0 / number if rule.inverse else rule.eta0) * total
        return mistakes

    def dots(self, samples: np.ndarray, versions: np.ndarray, states: Any) -> np.ndarray:
        out = np.empty(len(samples))
        _scores_at(self.solver.samples.rows, samples, versions, states, out)
        return out

    def unscaled(self, products: np.ndarray) -> np.ndarray:
        if self.scale == 1.0:
            return products
        with np.errstate(over="ignore"):
            largest = np.finfo(np.float64).max
            return np.clip(products / self.scale / self.scale, -largest, largest)

    def weights(self, states) -> Any:
        """The weights in these states, without w0 if there is no intercept."""
        weights = states if self.intercept else states[:, 1:]
        return weights if self.scale == 1.0 else weights / self.scale


class GramReplay(PerceptronReplay):
    """Replay of a kernel rule: coefficients α instead of weights, except for a linear kernel."""

    kernel = True

    def __init__(self, *arguments, linear: bool):
        super().__init__(*arguments)
        self.linear = linear

    @property
    def augmented(self) -> bool:
        return self.intercept and self.linear

    def alphas(self, states) -> np.ndarray:
        return states[:, states.shape[1] // 2 :]

    def _coefficients(self, window: Window) -> list[Shown]:
        alphas = self.alphas(window.states)
        support = np.count_nonzero(alphas, axis=1)[window.after]
        parts = [Shown("support", support, Column("support", right=True))]
        if not self.single:
            return parts
        samples, before, after = self.samples(window.steps), window.versions, window.after

        def changes() -> list[Change]:
            moves = zip(samples, before, after, strict=True)
            return [Change(alphas[a, i], alphas[b, i] if b > a else None) for i, a, b in moves]

        alpha = Column.formula(r"\alpha", right=False)
        return [Shown("alpha", alphas[after, samples], alpha, changes), *parts]

    def weights(self, states) -> Any:
        """w = Σ α_i [1 x_i], the columns of ``weight_names``."""
        alphas = self.alphas(states)
        if not self.linear:
            return alphas[:, :0]
        weights = np.asarray(alphas @ self.X)
        return np.column_stack([alphas.sum(axis=1), weights]) if self.intercept else weights

    def inputs(self, samples: Any) -> Any:
        return np.zeros((len(samples), 0)) if self.X is None else super().inputs(samples)


def in_range(solver: PerceptronRule, result: Result) -> tuple[PerceptronRule, float]:
    """The rule on rows times c = 2^-e, and c: 1 unless scores would overflow or vanish.

    With x' = c·x the rule makes w' = c·w and scores s' = c²·s, exactly: the fit does the same.
    """
    radius = float(result.details["progress"].sizes[loops.RADIUS])
    if radius > SMALLEST and np.isfinite(4.0 * radius * norm(result.weights)):
        return solver, 1.0
    largest = solver.samples.largest()
    if largest == 0.0:
        return solver, 1.0
    c = 2.0 ** min(-int(np.frexp(largest)[1]), 1000)
    return solver.scaled(c), c


def perceptron_replays(model, fitted: Fitted) -> list[PerceptronReplay]:
    """One replay for each binary problem of a fitted model."""
    training, kept = fitted.training, kept_rows(fitted.training)
    kernel = hasattr(model, "kernel")
    precomputed = kernel and model.kernel == "precomputed"
    replays = []
    for problem, solver, result in fitted.solved:
        rows = slice(None) if problem.rows is None else problem.rows
        shown = None if precomputed else training.X[rows]
        data = result.log, shown, kept[rows], bool(model.fit_intercept)
        if kernel:
            linear = model.kernel == "linear"
            replay: PerceptronReplay = GramReplay(problem, solver, *data, linear=linear)
        else:
            solver, c = in_range(solver, result)
            replay = PerceptronReplay(problem, solver, *data, c)
        replay.output = model.output
        replays.append(replay)
    return replays


# Compiled replay: what the log leaves out, worked out again by the arithmetic of the fit. A *state*
# is the vector that a rule changes: the weights, or for Gram rows the scores of all training rows
# and their coefficients.


@kernel
def _scores_at(rows, samples, versions, states, scores):
    """w·x of each visit, w the state in force before it."""
    for t in range(samples.shape[0]):
        scores[t] = row_dot(rows, samples[t], states[versions[t]])


@kernel
def _batch_states(rows, y, weight, order, batches, size, rule, first_update, w, radius, out, wrong):
    """The weights after each of these batches of one pass, all of which caused an update."""
    total = np.zeros_like(w)
    for k in range(batches.shape[0]):
        begin = batches[k] * size
        end = min(begin + size, y.shape[0])
        total[:] = 0.0
        wrong[k] = loops.add_mistakes(rows, y, weight, order, begin, end, rule, w, radius, total)
        eta = rule.eta0 / (first_update + k + 1) if rule.inverse else rule.eta0
        for j in range(w.shape[0]):
            w[j] += eta * total[j]
        out[k, :] = w
