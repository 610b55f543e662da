"""The samples of a binary problem: rows visited in an order, or the blocks of an engine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linscope.engines import Engine
from linscope.rows.blocks import Block, Largest, largest_value, scaled_rows
from linscope.rows.operations import GIVEN_ORDER, Rows, as_rows

from . import loops
from .loops import Rule


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
    """The same for the batch rule, which sums over all rows: they may be anywhere."""

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
