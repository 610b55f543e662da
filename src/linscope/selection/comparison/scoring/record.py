"""What is noted of a candidate while its outer folds run."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linscope.validation.differences import corrected_interval

from ..findings import Candidate, Plan, Score
from .candidates import Model
from .judging import RANGES, Answers
from .search import Found
from .tasks import Outcome


@dataclass
class Record:
    """Fold by fold: metrics, what the inner search found, seconds; answers for all held-out rows.

    state, why : as in ``Candidate``
    """

    model: Model
    simplicity: int
    estimator: str = ""
    state: str = "partial"
    why: str = ""
    metrics: list[dict[str, float]] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    answers: list[Answers] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    certified: int = 0

    @property
    def key(self) -> str:
        return self.model.key

    def note(self, outcome: Outcome) -> None:
        """What came of the next fold."""
        self.metrics.append(outcome.metrics)
        if outcome.found is not None:
            self.found.append(outcome.found)
        self.answers.append(outcome.answers)
        self.seconds.append(outcome.seconds)
        self.fit_seconds.append(outcome.fit_seconds)
        self.predict_seconds.append(outcome.predict_seconds)
        self.estimator = outcome.estimator
        self.certified += outcome.certified

    def folds(self, metric: str) -> np.ndarray | None:
        """The metric of every fold; None if one of them does not have it."""
        values = [one.get(metric, np.nan) for one in self.metrics]
        return np.array(values) if values and np.isfinite(values).all() else None

    def candidate(self, plan: Plan) -> Candidate:
        """The record as a finding."""
        finished = self.state == "finished"
        scores = {metric: self._score(metric, plan) for metric in plan.metrics if finished}
        edges: dict[str, tuple[int, int]] = {}
        for name in self.found[0].edges if self.found else ():
            ends = [one.edges[name] for one in self.found]
            edges[name] = (ends.count(-1), ends.count(1))
        return Candidate(
            key=self.key,
            title=self.model.title,
            estimator=self.estimator,
            family=self.model.family,
            simplicity=self.simplicity,
            readable=self.model.readable,
            state=self.state,
            why=self.why,
            scores={metric: score for metric, score in scores.items() if score is not None},
            chosen=tuple(one.parameters for one in self.found),
            edges=edges,
            seconds=_median(self.seconds),
            fit_seconds=_median(self.fit_seconds),
            predict_seconds=_median(self.predict_seconds),
            fits=len(self.metrics) if self.model.certifies else 0,
            certified=self.certified,
        )

    def _score(self, metric: str, plan: Plan) -> Score | None:
        values = self.folds(metric)
        return None if values is None else score_of(values, plan, metric)


def score_of(values: np.ndarray, plan: Plan, metric: str) -> Score:
    """Mean and corrected interval of a metric over the folds, within what the metric can be."""
    mean, low, high = corrected_interval(values, plan.train, plan.test, plan.level)
    least, most = RANGES[metric]
    return Score(mean, max(low, least), min(high, most), tuple(values.tolist()))


def _median(values: list[float]) -> float:
    return float(np.median(values)) if values else 0.0
