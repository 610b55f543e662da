"""What a gradient descent remembers: its state, some of its weights, its log."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linscope.results import Status, VisitOrder

from .gradient_loops import Iterates, Rule


class Kept:
    """Arrays after some of the passes, evenly spread: every second goes when they are too many."""

    def __init__(self, most: int):
        self.most, self.stride = max(2, most), 1
        self.arrays: dict[int, np.ndarray] = {}

    def add(self, epoch: int, array: np.ndarray) -> None:
        if epoch % self.stride == 0:
            self.arrays[epoch] = array.copy()
        while len(self.arrays) > self.most:
            self.stride *= 2
            self.arrays = {e: a for e, a in self.arrays.items() if e % self.stride == 0}

    def before(self, epoch: int) -> tuple[int, np.ndarray]:
        """The last pass not after ``epoch`` that is kept, and its array."""
        found = epoch // self.stride * self.stride
        return found, self.arrays[found]


@dataclass(frozen=True)
class GradientLog:
    """Log of a descent: every batch is an update, so only counts and some weights are needed.

    Attributes
    ----------
    kept : weights (t, d + 1) after some of the passes, the initial ones among them
    n_updates : how many batches changed the weights
    batch_size : samples per batch
    order : which sample is at which visit
    """

    kept: Kept
    n_updates: int
    batch_size: int
    order: VisitOrder

    @property
    def batches_per_epoch(self) -> int:
        return -(-self.order.n_samples // self.batch_size)


@dataclass
class State:
    iterates: Iterates
    value: np.ndarray
    gradient: np.ndarray
    rule: Rule
    kept: Kept | None = None
    sums: Kept | None = None
    history: list[tuple[float, float]] = field(default_factory=list)
    epoch: int = 0
    updates: int = 0
    status: Status | None = None

    @property
    def criterion(self) -> float:
        return float(self.value.sum())

    @property
    def slope(self) -> float:
        """‖∇J‖, of the target column where it is largest."""
        return self.history[-1][1]

    @property
    def rate(self) -> float:
        """η_k of the next update."""
        return self.rule.eta0 / (self.updates + 1) if self.rule.inverse else self.rule.eta0

    @property
    def next_step(self) -> float:
        """η_k‖∇J‖: how far the next batch step would move the weights."""
        return self.rate * self.slope

    @property
    def note(self) -> str:
        return f"J = {self.criterion:.6g}"


def steepest(gradient: np.ndarray) -> float:
    """‖∇J‖ of the target column where it is largest."""
    largest = float(np.abs(gradient).max())
    if largest == 0.0:
        return 0.0
    # Divided by the largest entry, no square overflows.
    return largest * float(np.sqrt(np.square(gradient / largest).sum(axis=1).max()))
