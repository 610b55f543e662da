"""The samples of a binary problem: rows visited in an order, or the blocks of an engine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linscope.engines import Engine
from linscope.rows.blocks import Block, Largest, largest_value, scaled_rows, take_rows
from linscope.rows.operations import GIVEN_ORDER, Rows, as_rows

from . import loops
from .loops import Progress, Rule

NO_LOG = np.zeros(0, np.int64)


class Visited(NamedTuple):
    """Rows of numbers, or of a Gram matrix, with signs ±1 and weights (empty: all are 1)."""

    rows: Rows
    y: np.ndarray
    weight: np.ndarray

    def radius(self) -> float:
        """max ‖x‖; NaN and infinity show."""
        return loops.radius(self.rows, len(self.y))

    def errors(self, rule: Rule, w: np.ndarray, radius: float, limit: float) -> float:
        """Weight of the samples that w gets wrong, or at least ``limit`` if that is reached."""
        return loops.count_errors(*self, rule, w, radius, limit)

    def largest(self) -> float:
        return float(np.abs(self.rows[0]).max(initial=0.0))

    def scaled(self, c: float) -> Visited:
        """All rows times c, the bias among them."""
        rows: Any = self.rows  # of numbers, not of a Gram matrix
        values, *others, bias = rows
        values = values.astype(np.float64) * c
        values.flags.writeable = False
        return self._replace(rows=type(rows)(values, *others, bias * c))


@dataclass(frozen=True)
class InBlocks:
    """The same for rows that may be anywhere: they are summed, or visited in their order."""

    engine: Engine
    bias: float

    def radius(self) -> float:
        return float(self.engine.fold(_block_radius, self.bias).value)

    def errors(self, rule: Rule, w: np.ndarray, radius: float, limit: float) -> float:
        return self.engine.fold(_block_errors, self.bias, rule, w, radius, limit)

    def mistakes(self, rule: Rule, w: np.ndarray, radius: float) -> tuple[np.ndarray, int]:
        """Σ y_i x_i over the mistakes, and how many there are."""
        return self.engine.fold(_block_mistakes, self.bias, rule, w, radius)

    def mixed(self, rule: Rule, w: np.ndarray) -> tuple[np.ndarray, int]:
        """The mean of the weights to which a pass over each block leads, and all its mistakes."""
        total, blocks, mistakes = self.engine.fold(_block_pass, self.bias, rule, w)
        return total / max(1, blocks), mistakes

    def visited(self, rule: Rule, progress: Progress, size: int) -> tuple[Progress, int]:
        """A pass over all rows in batches of ``size``, one by one if that is 0; how it ended."""
        begin = Visits(progress, np.zeros_like(progress.w), 0, 0, loops.PASS_DONE)
        n, measure = self.engine.n_rows, bool(progress.sizes[loops.RADIUS] < 0)
        end = self.engine.walk(_block_visits, begin, self.bias, rule, size, n, measure)
        if end.waiting:
            end = _batch_over(end, rule, n)
        return end.progress, end.outcome

    def largest(self) -> float:
        return float(self.engine.fold(largest_value).value)

    def scaled(self, c: float) -> InBlocks:
        return InBlocks(self.engine.derive(scaled_rows, c), self.bias * c)

    @cached_property
    def _all(self) -> Block:
        return self.engine.all_rows("a trace")

    @property
    def rows(self) -> Rows:
        return as_rows(self._all.X, self.bias)

    @property
    def y(self) -> np.ndarray:
        return self._all.y

    @property
    def weight(self) -> np.ndarray:
        return self._all.weight


class Visits(NamedTuple):
    """How far a pass has come; of a batch that is not over: its sum, its rows, its mistakes."""

    progress: Progress
    total: np.ndarray
    waiting: int
    mistakes: int
    outcome: int


def _block_visits(
    block: Block, visits: Visits, bias: float, rule: Rule, size: int, n: int, measure: bool
) -> Visits:
    """The rows of a block, after all rows before it; n are in the whole table.

    Inside a block no streak ends the pass. One that ends there has seen every row, so the rows
    after it change nothing but the count of visits, which is set right (``_streak_over``).
    """
    if visits.outcome != loops.PASS_DONE or len(block.y) == 0:
        return visits
    visits = visits._replace(progress=Progress(*map(np.copy, visits.progress)))
    given = as_rows(block.X, bias), block.y, block.weight
    if size == 0:
        return _one_by_one(given, visits, rule, n, measure)
    return _in_batches(given, visits, rule, n, size, block.X)


def _one_by_one(given: tuple, visits: Visits, rule: Rule, n: int, measure: bool) -> Visits:
    progress, plain = visits.progress, rule._replace(stop_streak=False)
    before = progress.sizes[loops.RADIUS]
    if measure:
        progress.sizes[loops.RADIUS] = -1.0
    outcome = loops.single_pass(*given, GIVEN_ORDER, plain, progress, NO_LOG)
    progress.sizes[loops.RADIUS] = max(before, progress.sizes[loops.RADIUS])
    if outcome == loops.PASS_DONE:
        outcome = _streak_over(progress, rule, 1, n)
    return visits._replace(progress=progress, outcome=outcome)


def _in_batches(given: tuple, visits: Visits, rule: Rule, n: int, size: int, X: Any) -> Visits:
    """The end of the batch that a block before has begun, whole batches, the begin of another."""
    rows, y, weight = given
    first = min(size - visits.waiting, len(y)) if visits.waiting else 0
    last = first + (len(y) - first) // size * size
    visits = _part_of_batch(given, visits, rule, 0, first)
    if visits.waiting == size:
        visits = _batch_over(visits, rule, n)
    if first < last and visits.outcome == loops.PASS_DONE:
        progress, plain = visits.progress, rule._replace(stop_streak=False)
        inside = slice(first, last)
        whole = as_rows(take_rows(X, first, last), rows.bias), y[inside], weight[inside]
        outcome = loops.batch_pass(*whole, GIVEN_ORDER, size, plain, progress, NO_LOG)
        if outcome == loops.PASS_DONE:
            outcome = _streak_over(progress, rule, size, n)
        visits = visits._replace(outcome=outcome)
    return _part_of_batch(given, visits, rule, last, len(y))


def _part_of_batch(given: tuple, visits: Visits, rule: Rule, first: int, last: int) -> Visits:
    if first >= last or visits.outcome != loops.PASS_DONE:
        return visits
    total, progress = visits.total.copy(), visits.progress
    words = GIVEN_ORDER, first, last, rule, progress.w, progress.sizes[loops.RADIUS], total
    mistakes = visits.mistakes + loops.add_mistakes(*given, *words)
    return visits._replace(total=total, waiting=visits.waiting + last - first, mistakes=mistakes)


def _batch_over(visits: Visits, rule: Rule, n: int) -> Visits:
    """The step of a batch that was visited in parts."""
    progress = Progress(*map(np.copy, visits.progress))
    if visits.mistakes:
        loops.take_step(rule, progress, NO_LOG, visits.total)
    else:
        progress.counts[loops.STREAK] += visits.waiting
    progress.counts[loops.BATCHES] += 1
    finite = np.isfinite(progress.sizes[loops.NORM] * progress.sizes[loops.RADIUS])
    outcome = _streak_over(progress, rule, 1, n) if finite else loops.BAD_NUMBER
    return Visits(progress, np.zeros_like(visits.total), 0, 0, outcome)


def _streak_over(progress: Progress, rule: Rule, size: int, n: int) -> int:
    """Whether n rows in a row were right; those that came after were not visited, then."""
    counts = progress.counts
    more = int(counts[loops.STREAK]) - n
    if not rule.stop_streak or more < 0:
        return loops.PASS_DONE
    counts[loops.BATCHES] -= -(-more // size)
    counts[loops.STREAK] = n
    return loops.STREAK_DONE


def _block_radius(block: Block, bias: float) -> Largest:
    return Largest(loops.radius(as_rows(block.X, bias), block.X.shape[0]))


def _block_errors(
    block: Block, bias: float, rule: Rule, w: np.ndarray, radius: float, limit: float
) -> float:
    rows = as_rows(block.X, bias)
    return loops.count_errors(rows, block.y, block.weight, rule, w, radius, limit)


def _block_pass(
    block: Block, bias: float, rule: Rule, w: np.ndarray
) -> tuple[np.ndarray, int, int]:
    """The single-sample rule over a block, from w: where it ends, 1 for the block, mistakes."""
    if len(block.y) == 0:
        return np.zeros_like(w), 0, 0
    plain = rule._replace(stop_streak=False, pocket=False)
    progress = loops.start(w, plain)
    given = as_rows(block.X, bias), block.y, block.weight, GIVEN_ORDER
    outcome = loops.single_pass(*given, plain, progress, np.zeros(0, np.int64))
    end = progress.w if outcome == loops.PASS_DONE else np.full_like(w, np.nan)
    return end, 1, int(progress.counts[loops.UPDATES])


def _block_mistakes(
    block: Block, bias: float, rule: Rule, w: np.ndarray, radius: float
) -> tuple[np.ndarray, int]:
    rows, total = as_rows(block.X, bias), np.zeros_like(w)
    visits = GIVEN_ORDER, 0, len(block.y)
    return total, loops.add_mistakes(rows, block.y, block.weight, *visits, rule, w, radius, total)
