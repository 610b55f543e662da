"""The perceptron family as a solver: one step is one pass over the samples.

The compiled loops are in ``loops``; here are the bookkeeping of passes, the stopping
rules, and the full-batch step, which sums over the row blocks of an engine.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from linscope.results import Result, Status, UpdateLog, VisitOrder
from linscope.results.numbers import counted
from linscope.rows.operations import GIVEN_ORDER, GramRows
from linscope.rows.scores import norm

from . import loops
from .loops import Progress, Rule
from .samples import InBlocks, Visited


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
        return f"{counted(self.mistakes, 'update')} in the last pass"


@dataclass
class PerceptronRule:
    """One binary problem.

    Parameters
    ----------
    samples : ``Visited`` by single-sample and mini-batch rules, and where rows are those of a Gram
        matrix; ``InBlocks`` for the batch rule and for mixing, and where rows are elsewhere
    initial : first weights, bias first
    kind : "single", "mini-batch", "batch" or "mixing"
    progress : to go on from an earlier run (``partial_fit``), else None
    """

    samples: Visited | InBlocks
    rule: Rule
    order: VisitOrder
    initial: np.ndarray
    kind: str = "single"
    batch_size: int = 1
    keep_log: bool = False
    progress: Progress | None = None
    task: str = "perceptron"
    _first_batch: int = field(default=0, init=False)
    _first_update: int = field(default=0, init=False)

    @property
    def needs(self) -> str:
        """What an engine must have besides blocks."""
        return "" if isinstance(self.samples, InBlocks) else "ordered rows"

    def scaled(self, c: float) -> PerceptronRule:
        """The rule on all rows times c, a power of 2, which changes no decision.

        With x' = c·x the rule makes w' = c·w and scores s' = c²·s, exactly.
        """
        progress = self.progress
        if progress is not None:
            vectors = {name: getattr(progress, name) * c for name in ("w", "u", "best")}
            progress = progress._replace(**vectors)
        return replace(
            self,
            samples=self.samples.scaled(c),
            rule=self.rule._replace(margin=self.rule.margin * c * c),
            initial=self.initial * c,
            progress=progress,
        )

    def init(self) -> State:
        progress = self.progress or loops.start(self.initial, self.rule)
        self.initial = progress.w.copy()
        progress.counts[[loops.STREAK, loops.LOGGED]] = 0
        progress.sizes[:] = -1.0, norm(progress.w), np.inf
        self._first_batch = int(progress.counts[loops.BATCHES])
        self._first_update = int(progress.counts[loops.UPDATES])
        if self.kind != "single" or self.rule.pocket:
            progress.sizes[loops.RADIUS] = self.samples.radius()
            _check_range(progress.sizes[loops.RADIUS])
        if self.rule.pocket:  # the one from earlier data, if any, is judged on these data too
            progress.sizes[loops.ERRORS] = self._errors(progress, progress.best, np.inf)
            self._keep_best(progress)
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

    @cached_property
    def _batch_size(self) -> int:
        n = self.order.n_samples
        return min({"single": 1, "mini-batch": self.batch_size}.get(self.kind, n), n)

    def _visits(self, batches: int) -> int:
        """Samples seen in so many batches; the last batch of a pass may be short."""
        n, size = self.order.n_samples, self._batch_size
        epochs, rest = divmod(batches, -(-n // size)) if n else (0, 0)
        return epochs * n + rest * size

    def _pass(self, state: State, order: np.ndarray) -> int:
        if isinstance(self.samples, InBlocks):
            return self._blocks_pass(self.samples, state)
        given = *self.samples, order
        if self.kind == "single":
            return loops.single_pass(*given, self.rule, state.progress, state.log)
        return loops.batch_pass(*given, self._batch_size, self.rule, state.progress, state.log)

    def _blocks_pass(self, samples: InBlocks, state: State) -> int:
        progress = state.progress
        if self.kind == "mixing":
            return self._mixed_pass(samples, progress)
        if self.kind != "batch":
            size = 0 if self.kind == "single" else self._batch_size
            state.progress, outcome = samples.visited(self.rule, progress, size)
            return outcome
        total, mistakes = samples.mistakes(self.rule, progress.w, progress.sizes[loops.RADIUS])
        if mistakes:
            loops.take_step(self.rule, progress, state.log, total)
            if self.rule.pocket:
                self._keep_best(progress)
            if not np.isfinite(progress.sizes[loops.NORM] * progress.sizes[loops.RADIUS]):
                return loops.BAD_NUMBER
        progress.counts[loops.BATCHES] += 1
        return loops.PASS_DONE

    def _mixed_pass(self, samples: InBlocks, progress: Progress) -> int:
        """Each block goes on from w by itself; w becomes the mean of where they end."""
        w, mistakes = samples.mixed(self.rule, progress.w)
        progress.counts[loops.BATCHES] += 1
        if mistakes == 0:
            return loops.PASS_DONE
        if not np.isfinite(norm(w) * progress.sizes[loops.RADIUS]):
            return loops.BAD_NUMBER
        progress.w[:] = w
        progress.counts[loops.UPDATES] += mistakes
        progress.sizes[loops.NORM] = norm(w)
        if self.rule.pocket:
            self._keep_best(progress)
        return loops.PASS_DONE

    def _errors(self, progress: Progress, w: np.ndarray, limit: float) -> float:
        return self.samples.errors(self.rule, w, progress.sizes[loops.RADIUS], limit)

    def _keep_best(self, progress: Progress) -> None:
        """Put w into the pocket if it makes fewer errors on all samples than the one there."""
        least = progress.sizes[loops.ERRORS]
        if least > 0 and (wrong := self._errors(progress, progress.w, least)) < least:
            progress.sizes[loops.ERRORS] = wrong
            progress.best[:] = progress.w

    def _reserve_log(self, state: State) -> None:
        if self.keep_log:
            batches = -(-self.order.n_samples // self._batch_size)
            needed = state.progress.counts[loops.LOGGED] + batches
            if needed > len(state.log):
                grown = np.empty(max(2 * len(state.log), needed), np.int64)
                grown[: len(state.log)] = state.log
                state.log = grown


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
