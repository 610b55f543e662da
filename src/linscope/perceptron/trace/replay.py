"""The perceptron rule replayed: on rows of numbers, or on a Gram matrix.

The log says which visits, or batches, were updates. Scores, weights and criterion come from the
arithmetic of the fit. Shown are visits with verdicts, mistakes and J_p; kernels have coefficients α
instead of weights.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from linscope.engines import choose
from linscope.fitting.training import Problem, binary_problems, read_training
from linscope.reports.cells import Change, number, text, vector
from linscope.reports.table import Column
from linscope.results import Result, UpdateLog
from linscope.rows.operations import GIVEN_ORDER, as_rows
from linscope.rows.scores import norm
from linscope.tracing.checkpoints import Checkpoints
from linscope.tracing.replay import Replay, Shown, Window

from ..solvers import loops
from ..solvers.rule import PerceptronRule, block_mistakes, update_steps
from . import replay_loops
from .step import PerceptronStep

SMALLEST = 1e-150
RULES = {"single": "single-sample rule", "batch": "batch rule", "mini-batch": "mini-batch rule"}


class PerceptronReplay(Replay):
    """Replay of a rule on rows of numbers or on a Gram matrix.

    Parameters
    ----------
    problem : the binary problem, its labels and its name
    solver : the rule as it was set up for the fit
    log : the decisions of the fit
    X : the rows of the problem (None for a precomputed kernel)
    row_numbers : where these rows are in the table that was given to the fit
    scale : c if the solver's rows are those of X times c, see ``in_range``
    """

    step = PerceptronStep
    gap = "verdict"
    kernel = False

    def __init__(
        self,
        problem: Problem,
        solver: PerceptronRule,
        log: UpdateLog,
        X: Any,
        row_numbers: Any,
        scale: float = 1.0,
    ):
        self.problem, self.solver, self.log, self.X = problem, solver, log, X
        self.name, self.y = problem.name, solver.y
        self.row_numbers, self.scale = row_numbers, scale
        self.n_steps = log.n_batches
        self.update_steps = log.updates
        first = np.array(log.initial, dtype=np.float64) * scale
        self._width, self._checkpoints = (
            len(first),
            Checkpoints(first, len(log.updates), self._advance),
        )

    @property
    def single(self) -> bool:
        return self.solver.kind == "single"

    @property
    def width(self) -> int:
        return self._width

    @cached_property
    def _radius(self) -> float:
        return loops.radius(self.solver.rows, len(self.solver.y))

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
        samples, steps = update_steps(part, self.solver.rule, self.solver.y, self.solver.weight)
        if out is None:
            loops.replay_updates(self.solver.rows, samples, steps, w)
        else:
            loops.replay_vectors(self.solver.rows, samples, steps, w, out)

    def _advance_batches(self, part: UpdateLog, w, out, wrong) -> None:
        count = len(part.updates)
        wrong = np.zeros(count, np.int64) if wrong is None else wrong
        if self.solver.engine is not None:
            for k in range(count):
                wrong[k] = self._engine_step(part.first_update + k + 1, w)
                if out is not None:
                    out[k] = w
            return
        out = np.empty((count, self.width)) if out is None else out
        epochs, batches = np.divmod(part.updates, part.batches_per_epoch)
        for epoch in np.unique(epochs):
            here = slice(*np.searchsorted(epochs, [epoch, epoch + 1]))
            permutation = part.order.epoch(int(epoch))
            replay_loops.replay_batches(
                self.solver.rows,
                self.solver.y,
                self.solver.weight,
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

    def _engine_step(self, number: int, w: np.ndarray) -> int:
        """One step of the batch rule, summed over row blocks as in the fit."""
        rule, engine = self.solver.rule, self.solver.engine
        bias = self.solver.rows.bias
        assert engine is not None
        total, mistakes = engine.fold(block_mistakes, bias, rule, w, self._radius)
        w += (rule.eta0 / number if rule.inverse else rule.eta0) * total
        return mistakes

    def scores(self, window: Window) -> np.ndarray:
        """w·x before each visit."""
        samples = self.samples(window.steps)
        out = np.empty(len(samples))
        replay_loops.scores_at(self.solver.rows, samples, window.versions, window.states, out)
        return self._unscaled(out)

    def _unscaled(self, products: np.ndarray) -> np.ndarray:
        if self.scale == 1.0:
            return products
        with np.errstate(over="ignore"):
            largest = np.finfo(np.float64).max
            return np.clip(products / self.scale / self.scale, -largest, largest)

    def normalized(self, window: Window, scores: np.ndarray) -> np.ndarray:
        """y·w·x before each visit: the score of the reflected sample."""
        return self.solver.y[self.samples(window.steps)] * scores + 0.0

    def measure(self, states) -> tuple[np.ndarray, np.ndarray]:
        """Mistakes over all samples and J_p, of each state."""
        mistakes, criterion = np.zeros(len(states), np.int64), np.zeros(len(states))
        solver = self.solver
        replay_loops.measure(
            solver.rows, solver.y, solver.weight, solver.rule, states, mistakes, criterion
        )
        return mistakes, self._unscaled(criterion)

    def criterion(self, states) -> np.ndarray:
        return self.measure(states)[1]

    def changes(self, states) -> tuple[np.ndarray, np.ndarray]:
        """Samples that each update turned right, and wrong."""
        mended, broken = np.zeros((2, len(states) - 1), np.int64)
        solver = self.solver
        replay_loops.changes(solver.rows, solver.y, solver.rule, states, mended, broken)
        return mended, broken

    def fixed(self, samples: np.ndarray, states) -> np.ndarray:
        """Is the sample of each update right after it?"""
        wrong = np.zeros(len(samples), np.bool_)
        solver = self.solver
        replay_loops.still_wrong(solver.rows, solver.y, solver.rule, samples, states, wrong)
        return ~wrong

    @property
    def intercept(self) -> bool:
        """Whether samples are augmented with 1."""
        return self.solver.rows.bias != 0.0

    def weights(self, states) -> Any:
        """The weights in these states, without w0 if there is no intercept."""
        weights = states if self.intercept else states[:, 1:]
        return weights if self.scale == 1.0 else weights / self.scale

    def shown(self, window: Window, names: Any, criterion: bool) -> list[Shown]:
        parts = self._visits(window, names) if self.single else self._batches(window)
        parts += [*self._coefficients(window), *self.shown_weights(window)]
        if criterion:
            mistakes, values = self.measure(window.states)
            parts += [
                Shown("mistakes", mistakes[window.after], Column("mistakes", right=True)),
                Shown("criterion", values[window.after], Column.formula("J_p")),
            ]
        return parts

    def _visits(self, window: Window, names: Any) -> list[Shown]:
        scores = self.scores(window)
        product = Column.formula(r"\mathbf{w}\cdot\mathbf{x}")
        return [
            Shown("step", window.steps + 1, Column("visit", right=True)),
            Shown("epoch", self.epochs(window.steps) + 1),
            *self.shown_samples(window, names),
            Shown("score", scores, Column("score", right=True) if self.kernel else product),
            Shown("normalized", self.normalized(window, scores)),
            Shown("update", window.updated, Column("verdict"), lambda: _verdicts(window.updated)),
        ]

    def _batches(self, window: Window) -> list[Shown]:
        wrong = self.batch_mistakes(window)
        several = self.log.batches_per_epoch > 1
        batch = Column("batch", right=True) if several else None
        return [
            Shown("step", window.steps + 1, Column("step", right=True)),
            Shown("epoch", self.epochs(window.steps) + 1, Column("pass", right=True)),
            Shown("batch", self.batches(window.steps) + 1, batch),
            Shown("batch_mistakes", wrong),
            Shown(
                "update", window.updated, Column("verdict"), lambda: _verdicts(wrong, count=True)
            ),
        ]

    def _coefficients(self, window: Window) -> list[Shown]:
        """Of a kernel rule: the coefficient of the sample, and how many are not 0."""
        return []

    def about(self, window: Window, names: Any) -> Iterator[dict[str, Any]]:
        return ({**more, "_replay": self} for more in super().about(window, names))

    def effects(self, first: int, last: int) -> dict[str, np.ndarray]:
        steps = self.update_steps[first:last]
        states = self.states(first, last)
        mistakes, criterion = self.measure(states)
        mended, broken = self.changes(states)
        columns: dict[str, np.ndarray] = {
            "update": np.arange(first + 1, last + 1),
            "step": steps + 1,
        }
        if self.single:
            samples = self.samples(steps)
            columns["sample"] = self.row_numbers[samples]
            fixed = self.fixed(samples, states)
        else:
            columns["batch"] = self.batches(steps) + 1
            fixed = mended
        columns |= {
            "mistakes_before": mistakes[:-1],
            "mistakes_after": mistakes[1:],
            "criterion_before": criterion[:-1],
            "criterion_after": criterion[1:],
            "fixed": fixed,
            "broken": broken,
        }
        return columns

    def heading(self, model: Any) -> str:
        return RULES[model.rule]

    def settings(self, model: Any) -> list[str]:
        rate = f"η = {number(model.eta0)}" + ("/k" if model.schedule == "inverse" else "")
        settings = [f"tie {model.tie}", rate]
        if hasattr(model, "init"):
            init = model.init if isinstance(model.init, str) else text(vector(np.ravel(model.init)))
            settings.append(f"init {init}")
        else:
            settings.append(f"kernel {model.kernel}")
        settings.append(f"stop {model.stop}")
        if model.margin:
            settings.append(f"margin {number(model.margin)}")
        if model.rule == "mini-batch":
            settings.append(f"batch size {self.log.batch_size}")
        if model.shuffle:
            settings.append("shuffled")
        if len(self.solver.weight):
            settings.append("weighted")
        if model.output != "last":
            settings.append(f"output {model.output}")
        return settings


def _verdicts(wrong: np.ndarray, count: bool = False) -> list[str]:
    """Of samples, or of batches with so many mistakes."""
    many = [f"{k:,} mistake{'s' if k > 1 else ''}" if count else "mistake" for k in wrong]
    return [f"{words} → update" if k else "correct" for words, k in zip(many, wrong, strict=True)]


class GramReplay(PerceptronReplay):
    """Replay of a kernel rule: coefficients α instead of weights, except for a linear kernel."""

    kernel = True

    def __init__(self, *arguments, linear: bool, intercept: bool):
        super().__init__(*arguments)
        self.linear, self._intercept = linear, intercept

    @property
    def intercept(self) -> bool:
        return self._intercept

    @property
    def augmented(self) -> bool:
        return self.intercept and self.linear

    def alphas(self, states) -> np.ndarray:
        return states[:, states.shape[1] // 2 :]

    @property
    def weight_names(self) -> list[str]:
        return super().weight_names if self.linear else []

    @property
    def n_weights(self) -> int:
        return self.X.shape[1] + 1

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

    def row(self, sample: int) -> np.ndarray:
        return np.zeros(0) if self.X is None else super().row(sample)


def in_range(solver: PerceptronRule, X: Any, result: Result) -> tuple[PerceptronRule, float]:
    """The rule on rows times c = 2^-e, and c: 1 unless scores would overflow or vanish.

    With x' = c·x the rule makes w' = c·w and scores s' = c²·s, exactly: the fit does the same.
    """
    radius = float(result.details["progress"].sizes[loops.RADIUS])
    if radius > SMALLEST and np.isfinite(4.0 * radius * norm(result.weights)):
        return solver, 1.0
    largest = float(abs(X).max())
    if largest == 0.0:
        return solver, 1.0
    c = 2.0 ** min(-int(np.frexp(largest)[1]), 1000)
    scaled = X.astype(np.float64) * c
    weight = solver.weight if len(solver.weight) else None
    small = replace(
        solver,
        rows=as_rows(scaled, solver.rows.bias * c),  # type: ignore[union-attr]
        rule=solver.rule._replace(margin=solver.rule.margin * c * c),
        engine=None if solver.engine is None else choose(scaled, solver.y, weight),
    )
    return small, c


def perceptron_replays(model, X, y, sample_weight) -> list[PerceptronReplay]:
    """One replay for each binary problem of a fitted model."""
    with warnings.catch_warnings():  # the fit has said it
        warnings.simplefilter("ignore")
        training = read_training(model, X, y, sample_weight)
    problems = binary_problems(training.classes, training.codes, model.multi_class)
    n = len(training.codes) + len(training.ignored)
    kept = np.delete(np.arange(n), training.ignored)
    kernel = hasattr(model, "kernel")
    precomputed = kernel and model.kernel == "precomputed"
    if kernel:
        matrix = training.X[:, model._gram_rows] if precomputed else training.X
        model._gram = model._products(matrix) + (1.0 if model.fit_intercept else 0.0)
    replays = []
    for number_, (problem, result) in enumerate(zip(problems, model.results_, strict=True)):
        solver = model._solver(training, problem, number_, keep_log=False)
        rows = slice(None) if problem.rows is None else problem.rows
        shown = None if precomputed else training.X[rows]
        if kernel:
            options = {"linear": model.kernel == "linear", "intercept": model.fit_intercept}
            replay: PerceptronReplay = GramReplay(
                problem, solver, result.log, shown, kept[rows], **options
            )
        else:
            solver, c = in_range(solver, shown, result)
            replay = PerceptronReplay(problem, solver, result.log, shown, kept[rows], c)
        replays.append(replay)
    if kernel:
        del model._gram
    return replays
