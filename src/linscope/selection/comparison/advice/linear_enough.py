"""Is linear enough? The best linear model against everything that is not linear.

Yes if P(the other is better by more than the rope) < 0.05 for each of the others, no if it is
above 0.95 for one of them, else unclear.
"""

from __future__ import annotations

from ..findings import Candidate
from . import wording
from .evidence import LIKELY, UNLIKELY, Evidence


def linear_enough(evidence: Evidence) -> tuple[str, str]:
    """The verdict (yes, no, unclear), and why."""
    linear = [one for one in evidence.judged if one.family == "linear"]
    others = [one for one in evidence.judged if one.family in ("kernel", "reference")]
    missing = _no_reference(evidence)
    if not linear or not others:
        kind = "linear" if not linear else "not linear"
        return "unclear", f"Unclear: no model that is {kind} finished.{missing}"
    best = linear[0]
    rival = max(others, key=lambda one: evidence.better(one, best))
    return _verdict(evidence, best, rival, missing)


def _verdict(
    evidence: Evidence, best: Candidate, rival: Candidate, missing: str
) -> tuple[str, str]:
    chance = evidence.better(rival, best)
    other, line, P = wording.model(rival.title), wording.model(best.title), wording.probability
    by = f"by more than {evidence.rope}"
    if chance > LIKELY:
        gain = evidence.amount(evidence.difference(rival, best))
        words = f"No: {other}, which is not linear, is better than {line} by {gain}"
        return "no", f"{words} ({P(chance)} that it is more than {evidence.rope}).{missing}"
    if chance < UNLIKELY:
        words = f"Yes: no model that is not linear is likely to be better than {line} {by}"
        return "yes", f"{words} (the likeliest is {other}, {P(chance)}).{missing}"
    words = f"Unclear: {other}, which is not linear, may or may not be better than {line} {by}"
    return "unclear", f"{words} ({P(chance)}).{missing}"


def _no_reference(evidence: Evidence) -> str:
    """The reference was to be there, and is not."""
    absent = [
        one
        for one in evidence.candidates
        if one.family == "reference" and one not in evidence.judged
    ]
    if not absent:
        return ""
    return f" {wording.capital(wording.model(absent[0].title))}, the reference, did not finish."
