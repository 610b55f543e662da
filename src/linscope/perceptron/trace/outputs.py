"""What the output of a perceptron keeps besides the weights, step by step.

    voted      every w_k with c_k, the visits it survived; Σ_k c_k sign(w_k·x) votes
    averaged   the sum over all visits, Σ_t w_t = Σ_k c_k w_k; its mean is the answer
    pocket     the vector with the fewest mistakes on all samples so far, and their number

A vector counts from the visit that made it, and on for every visit where y = ŷ. (The lecture notes'
listing prints y ≠ ŷ there, a slip: it would count the mistakes as survival.)

``replay`` is a replay of the rule, in floats or in fractions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linscope.reports.cells import vectors
from linscope.reports.table import Column
from linscope.tracing.checkpoints import Checkpoints
from linscope.tracing.replay import WINDOW_NUMBERS, Shown, Window

SURVIVAL = Column.formula("c_k")
SUM = Column("sum", r"sum $\sum \mathbf{w}$")
POCKET, ITS_MISTAKES = Column("pocket"), Column("its mistakes", right=True)


def shown_output(replay: Any, window: Window) -> list[Shown]:
    """What is kept after each step, as columns."""
    if replay.output == "voted":
        return [Shown("survival", survivals(replay, window), SURVIVAL)]
    if replay.output == "averaged":
        return _shown_sums(replay, window)
    return _shown_pocket(replay, window) if replay.output == "pocket" else []


def survivals(replay: Any, window: Window) -> np.ndarray:
    """How many visits (or batches) the vector in force after each step has survived so far."""
    first, count = window.first, len(window.states) - 1
    before = replay.update_steps[first - 1] if first else 0
    made = np.append(before, replay.update_steps[first : first + count])  # visits that made them
    return window.steps + 1 - made[window.after]


def _shown_sums(replay: Any, window: Window) -> list[Shown]:
    sums = replay.sums.after(window)
    names = replay.weight_names
    if names:
        columns = [Shown(f"sum_{name}", sums[:, j]) for j, name in enumerate(names)]
        return [*columns, Shown("", None, SUM, lambda: vectors(sums))]
    if not replay.single:
        return []
    own = sums[np.arange(len(sums)), replay.samples(window.steps)]
    return [Shown("sum_alpha", own, Column("sum", r"sum $\sum \alpha$", right=True))]


class Sums:
    """The sum of the vectors after all visits, at any step: Σ c_k w_k, or of kernels Σ c_k α_k."""

    def __init__(self, replay: Any) -> None:
        self.replay, self.counts = replay, replay.log.survival
        zero = replay.vectors(replay.states(0, 0))[0] * 0
        self._finished = Checkpoints(zero, replay.n_updates, self._add)

    def _add(self, first: int, last: int, total: np.ndarray) -> None:
        """Add the vectors first … last − 1, each as often as it survived."""
        vectors = self.replay.vectors(self.replay.states(first, last))
        total += self.counts[first:last] @ vectors[:-1]

    def after(self, window: Window) -> np.ndarray:
        """The sum after each step, one row each."""
        replay, first = self.replay, window.first
        vectors = replay.vectors(window.states)
        counts = self.counts[first : first + len(vectors) - 1, None]
        parts = np.concatenate([self._finished.state(first)[None], counts * vectors[:-1]])
        current = vectors[window.after] * survivals(replay, window)[:, None]
        return np.cumsum(parts, axis=0)[window.after] + current

    def total(self) -> np.ndarray:
        """The sum over all steps."""
        last = np.array([self.replay.n_steps - 1])
        return self.after(self.replay.window(last))[0]

    def mean(self) -> np.ndarray:
        """The answer: the sum over all steps, divided by their number."""
        return self.total() / (self.replay.zero + self.replay.n_steps)


class Pocket(NamedTuple):
    """After which updates the pocket changed (0: at the start), and the mistakes of each vector."""

    updates: np.ndarray
    mistakes: np.ndarray

    def after(self, updates: Any) -> np.ndarray:
        """Which of these vectors is in the pocket after so many updates."""
        return np.searchsorted(self.updates, updates, side="right") - 1


def pocket_of(replay: Any) -> Pocket:
    """A vector goes into the pocket if it makes fewer mistakes than the one there."""
    most = max(1, WINDOW_NUMBERS // max(replay.width, len(replay.y)))
    updates: list[int] = []
    mistakes: list[Any] = []
    for first in range(0, replay.n_updates + 1, most):
        last = min(first + most - 1, replay.n_updates)
        for k, wrong in enumerate(replay.errors(replay.states(first, last)), start=first):
            if not mistakes or wrong < mistakes[-1]:
                updates.append(k)
                mistakes.append(wrong)
        if mistakes[-1] == 0:
            break
    return Pocket(np.array(updates), np.array(mistakes))


def _shown_pocket(replay: Any, window: Window) -> list[Shown]:
    pocket = replay.pocket
    place = pocket.after(window.first + window.after)
    update = pocket.updates[place]

    def best() -> list:
        kept = {k: replay.vectors(replay.states(k, k)) for k in set(update.tolist())}
        return [vectors(kept[k])[0] for k in update.tolist()]

    cells = best if replay.weight_names else lambda: [f"after update {k}" for k in update]
    return [
        Shown("pocket", update, POCKET, cells),
        Shown("pocket_mistakes", pocket.mistakes[place], ITS_MISTAKES),
    ]


def kept_vector(replay: Any) -> np.ndarray:
    """The vector that is the answer: the last, the mean, or the one in the pocket."""
    if replay.output == "averaged":
        return replay.sums.mean()
    update = replay.pocket.updates[-1] if replay.output == "pocket" else replay.n_updates
    return replay.vectors(replay.states(update, update))[0]
