"""What would change the recommendation: the region, the metric, the cost, the number of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..findings import Candidate, Curve, Flip
from . import wording
from .evidence import Evidence, choice_of
from .extrapolation import overtaking

# Times are measured: a ratio below this is not worth a word.
LEAST_RATIO = 1.5
# That a region of so many times its width would swallow all models is not worth a word either.
NEAR = 5


def flips(evidence: Evidence, curves: Sequence[Curve]) -> tuple[Flip, ...]:
    """All that is known to change the answer, the surest first."""
    return (
        *rope_flips(evidence),
        *metric_flips(evidence),
        *cost_flips(evidence),
        *row_flips(evidence, curves),
    )


def rope_flips(evidence: Evidence) -> list[Flip]:
    """The region at which the rule chooses another model: exact, from the means.

    Below the chosen one's shortfall it falls out of the region; from the shortfall of a simpler
    model on, that one falls into it.
    """
    short, plan = evidence.shortfalls(), evidence.plan
    own = short[evidence.chosen.key]
    now, found = evidence.rope, []
    if own > 0:
        nearer = [one for one in evidence.able if short[one.key] < own]
        other = min(nearer, key=lambda one: one.simplicity)
        at = wording.amount(own, plan.metric, evidence.data.target, math.floor)
        where = f"With a region of practical equality below {at} (now {now})"
        found.append(Flip("rope", f"below {at}", other.key, f"{where}, {_it_would_be(other)}."))
    simpler = [one for one in evidence.able if one.simplicity < evidence.chosen.simplicity]
    if simpler:
        other = min(simpler, key=lambda one: (short[one.key], one.simplicity))
        gap = short[other.key]
        if other.family != "baseline" or gap <= NEAR * plan.rope:
            at = wording.amount(gap, plan.metric, evidence.data.target, math.ceil)
            where = f"With a region of practical equality of {at} or more (now {now})"
            then = _it_would_be(other)
            if other.family == "baseline":
                then = f"no model would be better than {evidence.always} by more than that"
            found.append(Flip("rope", f"{at} or more", other.key, f"{where}, {then}."))
    return found


def metric_flips(evidence: Evidence) -> list[Flip]:
    """Other metrics by which the same rule chooses another model; those that agree together."""
    found: dict[str, list[str]] = {}
    for name in evidence.plan.metrics:
        able = [one for one in evidence.able if name in one.scores]
        rope = rope_in(name, evidence)
        if name == evidence.plan.metric or not able or rope is None:
            continue
        key = choice_of(able, name, rope)
        if key != evidence.chosen.key:
            found.setdefault(key, []).append(name)
    return [_metric_flip(evidence, key, names) for key, names in found.items()]


def _metric_flip(evidence: Evidence, key: str, names: list[str]) -> Flip:
    at = wording.listed(map(wording.metric, names), "or")
    other = next(one for one in evidence.able if one.key == key)
    where = f"Judged by {at}"
    if all(name not in evidence.chosen.scores for name in names):
        where += f", which {wording.model(evidence.chosen.title)} does not have"
    if other.family == "baseline":
        words = f"{where}, no model is better than {evidence.always} by more than the region."
    else:
        words = f"{where}, {_it_would_be(other)}."
    return Flip("metric", at, key, words)


def rope_in(name: str, evidence: Evidence) -> float | None:
    """The region for another metric, as the same share of its scale.

    Scores of classes, and R², lie on a scale of 1. RMSE and mean absolute error have the target's
    standard deviation for a scale, which is the RMSE of always answering the mean.
    """
    own = evidence.plan.metric
    if (name in wording.ERRORS) == (own in wording.ERRORS):
        return evidence.plan.rope
    baseline = evidence.baseline
    scale = baseline.scores["rmse"].mean if baseline and "rmse" in baseline.scores else 0.0
    if scale <= 0:
        return None
    return evidence.plan.rope * (scale if name in wording.ERRORS else 1 / scale)


def cost_flips(evidence: Evidence) -> list[Flip]:
    """Models of the region that fit faster, and what the best one costs."""
    chosen, best = evidence.chosen, evidence.best
    if chosen.family == "baseline" or not chosen.seconds > 0:
        return []
    found = []
    short = evidence.shortfalls()
    near = [
        one
        for one in evidence.able
        if short[one.key] <= evidence.plan.rope and one.family != "baseline" and one.seconds > 0
    ]
    quick = min(near, key=lambda one: one.seconds)
    ratio = chosen.seconds / quick.seconds
    if ratio >= LEAST_RATIO:
        at = f"about {wording.times(ratio)} cheaper"
        words = f"If time to fit counts more than simplicity, {_it_would_be(quick)}: {at}."
        found.append(Flip("cost", at, quick.key, words))
    gain = evidence.difference(best, chosen)
    if best is not quick and gain > 0 and best.seconds >= LEAST_RATIO * chosen.seconds:
        at = f"about {wording.times(best.seconds / chosen.seconds)} the cost"
        words = (
            f"If a gain of {evidence.amount(gain)} is worth {at} of a fit, {_it_would_be(best)}."
        )
        found.append(Flip("cost", at, best.key, words))
    return found


def row_flips(evidence: Evidence, curves: Sequence[Curve]) -> list[Flip]:
    """Where another learning curve overtakes by more than the region, if it goes on as it began."""
    known = {one.key: one for one in curves}
    own = known.get(evidence.chosen.key)
    if own is None:
        return []
    found = []
    most = 10 * evidence.data.rows
    for one in evidence.judged:
        curve = known.get(one.key)
        if curve is None or one is evidence.chosen:
            continue
        n = overtaking(own, curve, evidence.plan.metric, evidence.plan.rope, most)
        if n is None:
            continue
        at = f"about {wording.digits(float(f'{n:.1e}'))} rows"
        words = (
            f"With {at} to train on (now {own.sizes[-1]:,}), {wording.model(one.title)} would be "
            f"better by more than {evidence.rope}, if the learning curves go on as they began: "
            "an extrapolation."
        )
        found.append(Flip("rows", at, one.key, words))
    return found


def _it_would_be(other: Candidate) -> str:
    return f"it would be {wording.model(other.title)}"
