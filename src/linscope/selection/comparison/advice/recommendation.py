"""Which model to use, why, whether linear is enough, and what would change that answer.

The model is that of ``choice.py``: the simplest one that is practically equal to the best. What is
said of it is said with the probabilities that the differences carry, and no more. All of it is a
function of the findings' plain values, measured times included: the same values, the same words.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..findings import Candidate, Curve, Data, Difference, Plan, Recommendation
from . import wording
from .choice import choose as choose
from .evidence import LIKELY, UNLIKELY, Evidence, gather
from .flips import LEAST_RATIO, flips
from .linear_enough import linear_enough


def recommend(
    candidates: Sequence[Candidate],
    differences: Sequence[Difference],
    plan: Plan,
    curves: Sequence[Curve],
    data: Data,
) -> Recommendation:
    """The recommendation for a study's candidates.

    Parameters
    ----------
    candidates : sequence of Candidate
        Those that did not finish have no part in it; they are named.
    differences : sequence of Difference
        Of all pairs of those that did, by ``linscope.validation.differences``.
    plan, curves, data
        As in the findings.

    Raises
    ------
    ValueError
        If nothing finished that could be chosen.
    """
    evidence = gather(candidates, differences, plan, data)
    verdict, why = linear_enough(evidence)
    return Recommendation(
        key=evidence.chosen.key,
        best=evidence.best.key,
        answer=answer(evidence),
        reasons=tuple(reasons(evidence)),
        linear=verdict,
        linear_words=why,
        flips=flips(evidence, curves),
    )


def answer(evidence: Evidence) -> str:
    """One sentence."""
    chosen, best = evidence.chosen, evidence.best
    if len(evidence.judged) == 1:
        if chosen.family == "baseline":
            return f"Nothing to recommend yet: only {evidence.always} was finished."
        return f"Use {wording.model(chosen.title)}: it is the only model that finished."
    if chosen.family == "baseline":
        return _no_better(evidence)
    use = f"Use {wording.model(chosen.title)}"
    if chosen is best:
        what = f"it has the best mean {wording.metric(evidence.plan.metric)}"
        return f"{use}: {what}, and no simpler model is within {evidence.rope} of it."
    parts = [_equal_to_the_best(evidence)]
    if best.seconds >= LEAST_RATIO * chosen.seconds > 0:
        parts.append(
            f"about {wording.times(best.seconds / chosen.seconds)} cheaper to search and fit"
        )
    if chosen.readable and not best.readable:
        return f"{use}: {', '.join(parts)}, and its weights can be read."
    return f"{use}: {wording.listed(parts)}; it is the simpler of the two."


def reasons(evidence: Evidence) -> list[str]:
    """Sentences, the most important first."""
    chosen, said = evidence.chosen, [_score(evidence)]
    if chosen.family != "baseline":
        said += _against_simpler(evidence)
        said += _against_baseline(evidence)
        said += _cost(evidence)
        if chosen.readable:
            said.append("Its weights can be read.")
        said += _certificates(chosen)
    return said + _unfinished(evidence)


def _no_better(evidence: Evidence) -> str:
    """The baseline is chosen: do the columns tell the target at all?"""
    baseline = evidence.chosen
    models = [one for one in evidence.judged if one.family != "baseline"]
    top = max(models, key=lambda one: evidence.better(one, baseline))
    chance = evidence.better(top, baseline)
    P, other = wording.probability(chance), wording.model(top.title)
    than = f"is better than {evidence.always} by more than {evidence.rope}"
    if top.family == "reference" and chance > LIKELY:
        return (
            f"No linear or kernel model {than} on average, but {other}, which is neither, is "
            f"({P}): the columns tell the target, though not to these models."
        )
    if top.family == "reference" and chance > 0.5:
        return (
            f"No linear or kernel model {than} on average; {other}, which is neither, may be ({P})."
        )
    if chance < UNLIKELY:
        return f"None of the models {than}: the columns do not tell the target."
    return (
        f"None of the models {than} on average: it is not shown that the columns tell the target "
        f"(the likeliest to be better is {other}, {P})."
    )


def _equal_to_the_best(evidence: Evidence) -> str:
    """P is that of at most a rope worse: practically equal or better."""
    chance = 1 - evidence.better(evidence.best, evidence.chosen)
    best, P = wording.model(evidence.best.title), wording.probability(chance)
    if chance >= LIKELY:
        return f"practically equal to {best} ({P})"
    return f"close to {best} ({P} that it is at most {evidence.rope} worse)"


def _score(evidence: Evidence) -> str:
    chosen, best, name = evidence.chosen, evidence.best, evidence.plan.metric
    score = wording.score(chosen.scores[name].mean)
    own = f"Its mean {wording.metric(name)} over the folds is {score}"
    if chosen is best:
        return (
            f"{own}, the best of {len(evidence.able)} models."
            if len(evidence.able) > 1
            else f"{own}."
        )
    gap = evidence.difference(best, chosen)
    than = wording.model(best.title)
    chance = wording.probability(1 - evidence.better(best, chosen))
    worse = (
        f"{evidence.amount(gap)} worse than that of {than}" if gap > 0 else f"that of {than}, too"
    )
    return f"{own}, {worse}; {chance} that it is at most {evidence.rope} worse."


def _against_simpler(evidence: Evidence) -> list[str]:
    """The nearest of those that are simpler but not good enough."""
    chosen = evidence.chosen
    simpler = [
        one
        for one in evidence.able
        if one.simplicity < chosen.simplicity and one.family != "baseline"
    ]
    if not simpler:
        return []
    next_one = simpler[0]
    against = evidence.best
    gap = evidence.amount(evidence.difference(against, next_one))
    chance = wording.probability(evidence.better(against, next_one))
    than = "it" if against is chosen else wording.model(against.title)
    return [
        f"The nearest simpler model, {wording.model(next_one.title)}, is {gap} worse than {than} "
        f"({chance} that it is more than {evidence.rope})."
    ]


def _against_baseline(evidence: Evidence) -> list[str]:
    chosen, baseline = evidence.chosen, evidence.baseline
    if baseline is None:
        return []
    gain = evidence.amount(evidence.difference(chosen, baseline))
    chance = evidence.better(chosen, baseline)
    open_ = "" if chance > LIKELY else ", so that this is not settled"
    return [
        f"It is better than {evidence.always} by {gain} ({wording.probability(chance)} that it is "
        f"more than {evidence.rope}{open_})."
    ]


def _cost(evidence: Evidence) -> list[str]:
    chosen, best = evidence.chosen, evidence.best
    own = f"A fit with its search takes {wording.seconds(chosen.seconds)}"
    if chosen is best:
        return [f"{own}."]
    return [f"{own}, one of {wording.model(best.title)} {wording.seconds(best.seconds)}."]


def _certificates(chosen: Candidate) -> list[str]:
    fits, good = chosen.fits, chosen.certified
    if fits == 0:
        return []
    if good == fits:
        return [
            f"Each of its {fits} fits carries a certificate."
            if fits > 1
            else "Its fit carries a certificate."
        ]
    if good == 0:
        return [f"None of its {fits} fits carries a certificate."]
    return [f"{good} of its {fits} fits carry a certificate."]


def _unfinished(evidence: Evidence) -> list[str]:
    """Who has no part in the answer, and why."""
    name = wording.metric(evidence.plan.metric)
    kinds = {
        True: f"no part in this: no {name}",
        False: "no part in this: left out or not finished",
    }
    said = []
    for finished, why in kinds.items():
        names = [
            wording.model(one.title)
            for one in evidence.candidates
            if one not in evidence.judged and (one.state == "finished") == finished
        ]
        if names:
            have = "has" if len(names) == 1 else "have"
            said.append(f"{wording.capital(wording.listed(names))} {have} {why}.")
    return said
