"""Event logs: the decisions of a fit, enough to replay everything else.

A sample-by-sample rule logs only *which visits* changed the weights. Scores, weights before and
after, and the criterion are worked out again from the log by the same arithmetic in the same
order, so a log of ten million visits is one array of integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True)
class VisitOrder:
    """Which sample is seen at which visit: the given order, or a new shuffle each pass."""

    n_samples: int
    seed: int | None = None
    first_epoch: int = 0

    def epoch(self, number: int) -> np.ndarray | None:
        """The permutation of pass ``number`` (counted from 0), None for the given order."""
        if self.seed is None:
            return None
        return np.random.default_rng([self.seed, self.first_epoch + number]).permutation(
            self.n_samples
        )

    def samples(self, visits: np.ndarray) -> np.ndarray:
        """The sample seen at each visit; ``visits`` counts from 0 and must not decrease."""
        visits = np.asarray(visits, dtype=np.int64)
        if self.seed is None or visits.size == 0:
            return visits % self.n_samples
        epochs, position = np.divmod(visits, self.n_samples)
        out = np.empty_like(position)
        for number in range(int(epochs[0]), int(epochs[-1]) + 1):
            here = slice(*np.searchsorted(epochs, [number, number + 1]))
            if here.start < here.stop:
                permutation = self.epoch(number)
                assert permutation is not None
                out[here] = permutation[position[here]]
        return out


@dataclass(frozen=True)
class UpdateLog:
    """Log of a rule that changes the weights one batch of samples at a time.

    Attributes
    ----------
    initial : weights before the first visit, bias first when there is one
    updates : number of the batch (from 0) that caused each update, in order
    n_batches : how many batches were visited in all
    batch_size : samples per batch (1 for the single-sample rule)
    order : which sample is at which visit
    first_update : updates made before this log began (rates η_0/k go on counting)
    """

    initial: np.ndarray
    updates: np.ndarray
    n_batches: int
    batch_size: int
    order: VisitOrder
    first_update: int = 0

    @property
    def batches_per_epoch(self) -> int:
        return -(-self.order.n_samples // self.batch_size)

    @property
    def survival(self) -> np.ndarray:
        """How many batches each weight vector, the initial one first, was in force.

        A vector counts from the visit that made it, as in the voted perceptron.
        """
        return np.diff(self.updates, prepend=0, append=self.n_batches)

    def __len__(self) -> int:
        return len(self.updates)


class Look(NamedTuple):
    """What a method of few steps saw when it had looked at all rows, and what it did then.

    The log of a run is a list of these; the last one has the weights that it ended with.

    Attributes
    ----------
    weights : where it stood, bias first
    numbers : what it measured there, and how it went on, by name
    rows : how many rows it looked at: a share of a long table may come first
    moved : whether it went on to other weights
    by : what took it there, if there is more than one way
    """

    weights: np.ndarray
    numbers: dict[str, float]
    rows: int
    moved: bool = False
    by: str = ""


def ended(log: list[Look] | None, last: Look) -> list[Look] | None:
    """The log with a look at the last weights, if it does not end there anyway."""
    return log if log is None or (log and not log[-1].moved) else [*log, last]
