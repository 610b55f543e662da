"""One problem of a fit, replayed from its log: what all rules have in common.

A *step* is a visited sample or a batch, a *state* the vector that the rule changes, an *update* a
step that changed it. States between updates are worked out from the nearest checkpoint, so any step
of a long run is quick to reach.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from .view import View

WINDOW_STEPS = 1 << 16
WINDOW_NUMBERS = 1 << 22


class Window(NamedTuple):
    """Some steps of a replay and the states around them.

    steps : step numbers, from 0. updated : did the step change the state?
    versions : which of ``states`` was in force before each step; after it, ``after``.
    first : how many updates were made before ``states[0]``.
    """

    steps: np.ndarray
    updated: np.ndarray
    versions: np.ndarray
    states: Any
    first: int

    @property
    def after(self) -> np.ndarray:
        return self.versions + self.updated


class Replay(ABC):
    """Replay of one problem: a binary problem of a classifier, or one target of a regression.

    Subclasses know a rule; their ``view`` knows how to show it.

    Attributes
    ----------
    name : of the problem
    log : what the fit has kept; says how many batches a pass has and in what order
    X : the rows of the problem (None for a precomputed kernel)
    row_numbers : where these rows are in the table that was given to the fit
    n_steps : how many steps there were
    update_steps : the steps that changed the state
    """

    view: ClassVar[View]
    name: str
    solver: Any
    log: Any
    X: Any
    row_numbers: Any
    n_steps: int
    update_steps: Sequence[int] | np.ndarray

    @property
    @abstractmethod
    def single(self) -> bool:
        """Whether a step is one sample."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Numbers a state."""

    @abstractmethod
    def states(self, first: int, last: int) -> Any:
        """The states after ``first`` … ``last`` updates, one row each."""

    @abstractmethod
    def last_state(self) -> Any:
        """The state after all updates, as the fit returned it."""

    @abstractmethod
    def criterion(self, states) -> np.ndarray:
        """What the rule descends on, over all samples, of each state."""

    @abstractmethod
    def weights(self, states) -> Any:
        """The weights in these states, without w0 if there is no intercept."""

    @property
    @abstractmethod
    def intercept(self) -> bool:
        """Whether samples are augmented with 1."""

    @property
    def n_updates(self) -> int:
        return len(self.update_steps)

    @property
    def augmented(self) -> bool:
        """Whether samples are shown with that 1."""
        return self.intercept

    @property
    def weight_names(self) -> list[str]:
        """w0 … wd; w0 only with an intercept."""
        d = self.width - 1
        return [f"w{j}" for j in range(0 if self.intercept else 1, d + 1)]

    def window(self, steps: np.ndarray) -> Window:
        """The states around these steps, which must rise."""
        log = self.update_steps
        first, last = 0, 0
        if len(steps):
            first = int(np.searchsorted(log, steps[0]))
            last = int(np.searchsorted(log, steps[-1], side="right"))
        here = log[first:last]
        versions = np.searchsorted(here, steps)
        updated = np.searchsorted(here, steps, side="right") > versions
        return Window(steps, updated, versions, self.states(first, last), first)

    def windows(self, steps: np.ndarray) -> Iterator[Window]:
        """The same in pieces that need little memory."""
        most = max(1, WINDOW_NUMBERS // self.width)
        at = 0
        while at < len(steps):
            first = int(np.searchsorted(self.update_steps, steps[at]))
            end = at + WINDOW_STEPS
            if first + most < self.n_updates:
                beyond = self.update_steps[first + most]
                end = min(end, max(at + 1, int(np.searchsorted(steps, beyond))))
            yield self.window(steps[at:end])
            at = end

    def epochs(self, steps: np.ndarray) -> np.ndarray:
        return steps // self.log.batches_per_epoch

    def batches(self, steps: np.ndarray) -> np.ndarray:
        """Number of the batch in its pass, from 0."""
        return steps % self.log.batches_per_epoch

    def samples(self, steps: np.ndarray) -> np.ndarray:
        """The sample (row of this problem) visited at each step of a single-sample rule."""
        return self.log.order.samples(steps)

    def row(self, sample: int) -> np.ndarray:
        """The sample as the rule sees it: [1 x1 … xd], or without the 1."""
        x = self.X[[sample]].toarray()[0] if sparse.issparse(self.X) else self.X[sample]
        return np.concatenate([[1.0], x]).astype(x.dtype) if self.augmented else x
