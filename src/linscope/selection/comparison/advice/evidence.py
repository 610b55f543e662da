"""What a recommendation is made of: who finished, who is best, who is chosen, who beats whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from linscope.validation.differences import ranking

from ..findings import LESS_IS_BETTER, Candidate, Data, Difference, Plan
from . import wording
from .choice import choose, shortfalls

# Probabilities beyond which a thing is said without reserve.
LIKELY, UNLIKELY = 0.95, 0.05


@dataclass(frozen=True)
class Evidence:
    """Finished candidates and their differences, and what follows from them by the rule.

    judged : those that have the metric, the best first, the reference included
    able : those of them that may be chosen
    """

    candidates: tuple[Candidate, ...]
    differences: tuple[Difference, ...]
    plan: Plan
    data: Data
    judged: tuple[Candidate, ...]
    able: tuple[Candidate, ...]
    best: Candidate
    chosen: Candidate

    @property
    def baseline(self) -> Candidate | None:
        """What needs no columns."""
        return next((one for one in self.able if one.family == "baseline"), None)

    def difference(self, a: Candidate, b: Candidate) -> float:
        """Mean of a minus mean of b, turned so that positive means that a is better."""
        name = self.plan.metric
        sign = -1.0 if name in LESS_IS_BETTER else 1.0
        return sign * (a.scores[name].mean - b.scores[name].mean)

    def better(self, a: Candidate, b: Candidate) -> float:
        """P(a is better than b by more than the rope)."""
        for pair in self.differences:
            if (pair.a, pair.b) == (a.key, b.key):
                return pair.better
            if (pair.b, pair.a) == (a.key, b.key):
                return pair.worse
        raise ValueError(f"the differences say nothing of {a.key!r} and {b.key!r}")

    def shortfalls(self) -> dict[str, float]:
        """By how much those that may be chosen fall short of the best of them."""
        means = {one.key: one.scores[self.plan.metric].mean for one in self.able}
        return shortfalls(means, self.plan.metric, never=())

    def amount(self, difference: float) -> str:
        """A difference in the metric, in words."""
        return wording.amount(difference, self.plan.metric, self.data.target)

    @property
    def rope(self) -> str:
        """The region's half width, in words."""
        return self.amount(self.plan.rope)

    @property
    def always(self) -> str:
        """What the baseline does."""
        if self.data.task == "number":
            return "always answering the mean"
        if not self.data.counts:
            return "always answering the most frequent class"
        most = max(range(len(self.data.counts)), key=lambda code: self.data.counts[code])
        return f"always answering “{self.data.classes[most]}”"


def gather(
    candidates: Sequence[Candidate], differences: Sequence[Difference], plan: Plan, data: Data
) -> Evidence:
    """Judge by the metric of the plan."""
    judged = tuple(ranking(candidates, plan.metric))
    able = tuple(one for one in judged if one.family != "reference")
    key = choice_of(able, plan.metric, plan.rope)
    chosen = next(one for one in able if one.key == key)
    return Evidence(
        tuple(candidates), tuple(differences), plan, data, judged, able, able[0], chosen
    )


def choice_of(able: Sequence[Candidate], metric: str, rope: float) -> str:
    """The rule for means of candidates that have the metric."""
    means = {one.key: one.scores[metric].mean for one in able}
    simplicity = {one.key: one.simplicity for one in able}
    return choose(means, simplicity, rope=rope, metric=metric, never=())
