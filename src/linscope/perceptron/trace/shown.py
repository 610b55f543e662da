"""The perceptron rule as it is shown: visits with verdicts, mistakes and J_p.

Everything here follows from the scores of samples under states (``dots``), in whatever numbers they
are; kernels have coefficients α instead of weights.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from linscope.losses.perceptron import is_mistake
from linscope.reports.cells import number, text, vector
from linscope.reports.table import Column
from linscope.results.numbers import counted
from linscope.tracing.answer import Answer, labelled
from linscope.tracing.replay import SCORE, WINDOW_NUMBERS, Replay, Shown, Window
from linscope.tracing.steps import Step

from .answers import answer
from .distances import Distances
from .outputs import Pocket, Sums, pocket_of, shown_output
from .votes import Votes

RULES = {"single": "single-sample rule", "batch": "batch rule", "mini-batch": "mini-batch rule"}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PerceptronStep(Step):
    """One step of a perceptron.

    Attributes
    ----------
    score, normalized : w·x and y·w·x before the update (single-sample rules)
    alpha : coefficient of the sample after the step (kernel rules)
    batch_mistakes : of the batch (batch rules)
    """

    score: Any = None
    normalized: Any = None
    alpha: Any = None
    batch_mistakes: int | None = None
    _replay: Any = field(default=None)

    @property
    def verdict(self) -> str:
        return "mistake → update" if self.update else "correct"

    def _states(self):
        log = self._replay.update_steps
        first = int(np.searchsorted(log, self.number - 1))
        return self._replay.states(first, first + 1)

    @property
    def too_small(self) -> bool:
        """Is the sample still misclassified after its update (the step was too small)?"""
        if not self.update or self.sample is None:
            return False
        here = self._replay.samples(np.array([self.number - 1]))
        return not bool(self._replay.fixed(here, self._states())[0])

    @property
    def broken(self) -> int:
        """How many samples that were right became mistakes (the step was too large)."""
        return int(self._replay.changes(self._states())[1][0]) if self.update else 0

    def __repr__(self) -> str:
        where = self.where
        if self.sample is None:
            where += f", {counted(self.batch_mistakes or 0, 'mistake')}"
        score = "" if self.score is None else f", w·x = {number(self.score)}"
        change = ""
        if len(self.after):
            change = f", {text(vector(self.before))} → {text(vector(self.after))}"
        return f"Step {self.number}: {where}{score}, {self.verdict}{change if self.update else ''}"


class ShownRule(Replay):
    """What is asked about a perceptron rule.

    Attributes
    ----------
    problem : the binary problem, its labels and its name
    margin : b; zero : 0 in the numbers of the run; output : which vector is the answer
    """

    step = PerceptronStep
    gap = "verdict"
    kernel: ClassVar[bool] = False
    problem: Any
    margin: Any
    zero: Any = 0.0
    output: str = "last"

    @abstractmethod
    def dots(self, samples: np.ndarray, versions: np.ndarray, states: Any) -> np.ndarray:
        """w·x of each of the samples, w the state of this number."""

    @abstractmethod
    def batch_mistakes(self, window: Window) -> np.ndarray:
        """Mistakes of the batch of each step, 0 where there was no update."""

    @property
    def c(self) -> Any:
        """Weights of the samples."""
        return self.solver.samples.weight if len(self.solver.samples.weight) else 1.0

    def unscaled(self, products: np.ndarray) -> np.ndarray:
        """Scores in the units of the samples."""
        return products

    def scores(self, window: Window) -> np.ndarray:
        """w·x before each visit."""
        return self.unscaled(self.dots(self.samples(window.steps), window.versions, window.states))

    def normalized(self, window: Window, scores: np.ndarray) -> np.ndarray:
        """y·w·x before each visit: the score of the reflected sample."""
        return self.y[self.samples(window.steps)] * scores + self.zero

    def _wrong(self, samples: np.ndarray, m: np.ndarray, margin: Any = None) -> np.ndarray:
        rule = self.solver.rule
        at_tie = np.where(self.y[samples] > 0, rule.tie_positive, rule.tie_negative)
        return is_mistake(m, self.margin if margin is None else margin, at_tie)

    def judged(self, states: Any, margin: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Of each state and each sample: is it a mistake, and y·w·x."""
        shape = len(states), len(self.y)
        versions, samples = (numbers.ravel() for numbers in np.indices(shape))
        m = self.y[samples] * self.dots(samples, versions, states)
        return self._wrong(samples, m, margin).reshape(shape), m.reshape(shape)

    def _pieces(self, states: Any) -> Iterator[slice]:
        """Some states at a time, so that little memory is needed."""
        most = max(1, WINDOW_NUMBERS // len(self.y))
        return (slice(at, at + most) for at in range(0, len(states), most))

    def measure(self, states: Any) -> tuple[np.ndarray, np.ndarray]:
        """Mistakes over all samples and J_p = Σ over mistakes of c (b − y w·x), of each state."""
        mistakes, criterion = [], []
        for here in self._pieces(states):
            wrong, m = self.judged(states[here])
            excess = np.where(wrong, self.c * (self.margin - m), self.zero)
            mistakes.append(wrong.sum(axis=1))
            criterion.append(np.cumsum(excess, axis=1)[:, -1])  # from left to right, as the fit
        return np.concatenate(mistakes), self.unscaled(np.concatenate(criterion))

    def criterion(self, states: Any) -> np.ndarray:
        return self.measure(states)[1]

    def errors(self, states: Any) -> np.ndarray:
        """How many samples each state gets wrong, whatever the margin, by their weights."""
        wrong = self.judged(states, self.zero)[0]
        return wrong.sum(axis=1) if np.ndim(self.c) == 0 else wrong @ self.c

    def vectors(self, states: Any) -> Any:
        """What these states have found: the weights, or the coefficients α of a kernel rule."""
        return self.weights(states) if self.weight_names else self.alphas(states)

    def alphas(self, states: Any) -> Any:
        """The coefficients of a kernel rule."""
        raise NotImplementedError

    @cached_property
    def sums(self) -> Sums:
        return Sums(self)

    @cached_property
    def pocket(self) -> Pocket:
        return pocket_of(self)

    def changes(self, states: Any) -> tuple[np.ndarray, np.ndarray]:
        """Samples that each update turned right, and wrong."""
        mended, broken = np.zeros((2, len(states) - 1), np.int64)
        for here in self._pieces(states[:-1]):
            wrong, _ = self.judged(states[here.start : here.stop + 1])
            mended[here] = (wrong[:-1] & ~wrong[1:]).sum(axis=1)
            broken[here] = (~wrong[:-1] & wrong[1:]).sum(axis=1)
        return mended, broken

    def fixed(self, samples: np.ndarray, states: Any) -> np.ndarray:
        """Is the sample of each update right after it?"""
        m = self.y[samples] * self.dots(samples, np.arange(1, len(states)), states)
        return ~self._wrong(samples, m)

    def shown(self, window: Window, names: Any, criterion: bool) -> list[Shown]:
        parts = self._visits(window, names) if self.single else self._batches(window)
        parts += [*self._coefficients(window), *self.shown_weights(window)]
        parts += shown_output(self, window)
        if criterion:
            mistakes, values = self.measure(window.states)
            parts += [
                Shown("mistakes", mistakes[window.after], Column("mistakes", right=True)),
                Shown("criterion", values[window.after], Column.formula("J_p")),
            ]
        return parts

    def _visits(self, window: Window, names: Any) -> list[Shown]:
        scores = self.scores(window)
        return [
            Shown("step", window.steps + 1, Column("visit", right=True)),
            Shown("epoch", self.epochs(window.steps) + 1),
            *self.shown_samples(window, names),
            Shown("score", scores, Column("score", right=True) if self.kernel else SCORE),
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

    def answer(self, trace: Any, replays: Sequence[Any]) -> Answer:
        voted = trace.estimator.output == "voted"
        return labelled(answer(trace, replays), "votes" if voted else "equation")

    def votes(self, trace: Any, points: Any) -> Votes:
        if self.output not in ("voted", "averaged"):
            return super().votes(trace, points)
        return Votes(self, trace.estimator.tie, points, trace.sample_names)

    def distances(self, trace: Any, updates: Any) -> Distances:
        return Distances(self, updates, trace.sample_names)

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
        if len(self.solver.samples.weight):
            settings.append("weighted")
        if model.output != "last":
            settings.append(f"output {model.output}")
        return settings


def _verdicts(wrong: np.ndarray, count: bool = False) -> list[str]:
    """Of samples, or of batches with so many mistakes."""
    many = [counted(k, "mistake") if count else "mistake" for k in wrong]
    return [f"{words} → update" if k else "correct" for words, k in zip(many, wrong, strict=True)]
