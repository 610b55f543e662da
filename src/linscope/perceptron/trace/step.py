"""One step of a perceptron, and what it did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linscope.reports.cells import number, text, vector
from linscope.tracing.steps import Step


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
            where += f", {self.batch_mistakes} mistakes"
        score = "" if self.score is None else f", w·x = {number(self.score)}"
        change = ""
        if len(self.after):
            change = f", {text(vector(self.before))} → {text(vector(self.after))}"
        return f"Step {self.number}: {where}{score}, {self.verdict}{change if self.update else ''}"
