"""The perceptron family as a solver: one step is one pass over the samples.

The compiled loops are in ``loops``; here are the bookkeeping of passes, the stopping
rules, and the full-batch step, which runs over row blocks of an engine.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linscope.engines import Engine
from linscope.results import Result, Status, UpdateLog, VisitOrder
from linscope.rows.blocks import Block
from linscope.rows.operations import GIVEN_ORDER, GramRows, Rows, as_rows
from linscope.rows.scores import norm

from . import loops
from .loops import Progress, Rule


class OutOfRange(ArithmeticError):
    """A NaN or infinity appeared: in the data, or because products of large values overflow."""


@dataclass
class State:
    progress: Progress
    log: np.ndarray
    epoch: int = 0
    status: Status | None = None
    mistakes: int = 0

    @property
    def note(self) -> str:
        return f"{self.mistakes:,} updates in the last pass"


@dataclass
class PerceptronRule:
    """One binary problem. ``y`` is ±1, ``weight`` may be empty, ``initial`` has the bias first.

    Parameters
    ----------
    kind : "single", "mini-batch" or "batch"
    engine : for the batch rule, the row blocks of the same data (None for Gram rows)
    progress : to go on from an earlier run (``partial_fit``), else None
    """

    rows: Rows
    y: np.ndarray
    weight: np.ndarray
    rule: Rule
    order: VisitOrder
    initial: np.ndarray
    kind: str = "single"
    batch_size: int = 1
    engine: Engine | None = None
    keep_log: bool = False
    progress: Progress | None = None
    task: str = "perceptron"
    _first_batch: int = field(default=0, init=False)
    _first_update: int = field(default=0, init=False)

    def init(self) -> State:
        progress = self.progress or loops.start(self.initial, self.rule)
        self.initial = progress.w.copy()
        progress.counts[[loops.STREAK, loops.LOGGED]] = 0
        progress.sizes[:] = -1.0, norm(progress.w), np.inf
        self._first_batch = int(progress.counts[loops.BATCHES])
        self._first_update = int(progress.counts[loops.UPDATES])
        if self.kind != "single" or self.rule.pocket:
            progress.sizes[loops.RADIUS] = loops.radius(self.rows, len(self.y))
            _check_range(progress.sizes[loops.RADIUS])
        if self.rule.pocket:  # the one from earlier data, if any, is judged on these data too
            data = self.rows, self.y, self.weight, self.rule
            progress.sizes[loops.ERRORS] = loops.count_errors(
                *data, progress.best, progress.sizes[loops.RADIUS], np.inf
            )
            loops.keep_best(*data, progress)
        return State(progress, np.zeros(1 if self.keep_log else 0, np.int64))

    def step(self, state: State) -> State:
        before = int(state.progress.counts[loops.UPDATES])
        self._reserve_log(state)
        permutation = self.order.epoch(state.epoch)
        order = GIVEN_ORDER if permutation is None else permutation
        if permutation is not None:  # a new shuffle: only a clean pass has seen every sample
            state.progress.counts[loops.STREAK] = 0
        outcome = self._pass(state, order)
        if outcome == loops.BAD_NUMBER:
            raise OutOfRange
        state.epoch += 1
        state.mistakes = int(state.progress.counts[loops.UPDATES]) - before
        if outcome == loops.STREAK_DONE or state.mistakes == 0:
            state.status = Status.CONVERGED
        return state

    def result(self, state: State) -> Result:
        counts = state.progress.counts
        log = None
        if self.keep_log:
            log = UpdateLog(
                initial=self.initial,
                updates=state.log[: counts[loops.LOGGED]] - self._first_batch,
                n_batches=int(counts[loops.BATCHES]) - self._first_batch,
                batch_size=self._batch_size,
                order=self.order,
                first_update=self._first_update,
            )
        assert state.status is not None
        return Result(
            weights=state.progress.w,
            status=state.status,
            n_iter=state.epoch,
            n_updates=int(counts[loops.UPDATES]),
            log=log,
            details={
                "progress": state.progress,
                "mistakes": state.mistakes,
                "visits": self._visits(int(counts[loops.BATCHES]) - self._first_batch),
            },
        )

    @property
    def _batch_size(self) -> int:
        size = {"single": 1, "mini-batch": self.batch_size, "batch": len(self.y)}[self.kind]
        return min(size, len(self.y))

    def _visits(self, batches: int) -> int:
        """Samples seen in so many batches; the last batch of a pass may be short."""
        n, size = len(self.y), self._batch_size
        epochs, rest = divmod(batches, -(-n // size)) if n else (0, 0)
        return epochs * n + rest * size

    def _pass(self, state: State, order: np.ndarray) -> int:
        data = self.rows, self.y, self.weight, order
        if self.kind == "single":
            return loops.single_pass(*data, self.rule, state.progress, state.log)
        if self.kind == "batch" and self.engine is not None:
            return self._engine_pass(state)
        return loops.batch_pass(*data, self._batch_size, self.rule, state.progress, state.log)

    def _engine_pass(self, state: State) -> int:
        progress, bias = state.progress, self.rows.bias  # type: ignore[union-attr]
        assert self.engine is not None
        total, mistakes = self.engine.fold(
            block_mistakes, bias, self.rule, progress.w, progress.sizes[loops.RADIUS]
        )
        if mistakes:
            data = self.rows, self.y, self.weight
            loops.take_step(*data, self.rule, progress, state.log, total)
            if not np.isfinite(progress.sizes[loops.NORM] * progress.sizes[loops.RADIUS]):
                return loops.BAD_NUMBER
        progress.counts[loops.BATCHES] += 1
        return loops.PASS_DONE

    def _reserve_log(self, state: State) -> None:
        if self.keep_log:
            needed = state.progress.counts[loops.LOGGED] - (-len(self.y) // self._batch_size)
            if needed > len(state.log):
                grown = np.empty(max(2 * len(state.log), needed), np.int64)
                grown[: len(state.log)] = state.log
                state.log = grown


def block_mistakes(block: Block, bias: float, rule: Rule, w: np.ndarray, radius: float):
    """Σ y_i x_i over the mistakes of one row block, and how many there are."""
    total = np.zeros_like(w)
    n = len(block.y)
    mistakes = loops.add_mistakes(
        as_rows(block.X, bias), block.y, block.weight, GIVEN_ORDER, 0, n, rule, w, radius, total
    )
    return total, mistakes


def _check_range(radius: float) -> None:
    if not np.isfinite(radius):
        raise OutOfRange


def averaged_weights(progress: Progress) -> np.ndarray:
    """(1/T) Σ_t w_t over all visits t, from the lazy sum u: w_T − u/T."""
    visits = int(progress.counts[loops.BATCHES])
    return progress.w - progress.u / visits if visits else progress.w.copy()


def update_steps(log: UpdateLog, rule: Rule, y: np.ndarray, weight: np.ndarray):
    """The sample and the signed step η_k c_i y_i of each logged single-sample update."""
    samples = log.order.samples(log.updates)
    number = log.first_update + 1 + np.arange(len(samples)) if rule.inverse else 1
    steps = y[samples] * (rule.eta0 / number)
    return samples, steps * weight[samples] if len(weight) else steps


def gram_start(n: int) -> np.ndarray:
    """Initial state of a rule on Gram rows: all scores and all coefficients 0."""
    return np.zeros(2 * n)


def coefficients(rows: GramRows, state: np.ndarray) -> np.ndarray:
    """The α of w = Σ α_i φ(x_i) in the state vector of a rule on Gram rows."""
    return state[len(rows.gram) :]
