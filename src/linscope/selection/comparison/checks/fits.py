"""Fits and searches: edges, certificates, models that were not finished."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..findings import LESS_IS_BETTER
from ..scoring.fits import core
from .registry import Found, rule
from .subject import Subject
from .words import listed

EDGE_SHARE = 0.5


def finished(subject: Subject) -> list[Any]:
    """The candidates with a score in the metric, best first."""
    metric = subject.plan.metric
    scored = [c for c in subject.candidates if c.state == "finished" and metric in c.scores]
    sign = 1.0 if metric in LESS_IS_BETTER else -1.0
    return sorted(scored, key=lambda c: sign * c.scores[metric].mean)


@rule(
    "LS201",
    "The best parameter is at the edge of the search",
    "warning",
    "The search preferred the smallest or largest value that it tried: values beyond may be "
    "better still.",
)
def edges(subject: Subject) -> Iterator[Found]:
    best = _best_that_learned(subject)
    for candidate in subject.candidates:
        found = []
        for parameter, (low, high) in candidate.edges.items():
            fits = max(len(candidate.chosen), 1)
            end, times = ("largest", high) if high >= low else ("smallest", low)
            if times > EDGE_SHARE * fits:
                found.append(f"{parameter} was the {end} value tried in {times} of {fits} folds")
        if found:
            yield Found(
                f"{candidate.title}: {listed(found)}. Values beyond it were not tried and may be "
                "better.",
                "If this model matters to you, fit a wider range with ls.path.",
                level=None if candidate is best else "note",
            )


@rule(
    "LS202",
    "Fits without a certificate",
    "note",
    "Some fits could not prove that they reached their optimum: another run may give other "
    "weights.",
)
def uncertified(subject: Subject) -> Iterator[Found]:
    for candidate in subject.candidates:
        judged = candidate.family not in ("baseline", "reference") and candidate.fits
        if judged and candidate.certified < candidate.fits:
            lacking = candidate.fits - candidate.certified
            yield Found(
                f"{candidate.title}: {lacking} of {candidate.fits} fits have no certificate that "
                "is ok. Their scores are what the model scores; that it is the optimum is not "
                "proved.",
                "Give it more steps (max_iter) or scaled columns before you rely on its weights.",
            )


@rule(
    "LS203",
    "The final model has no certificate",
    "warning",
    "The recommended model, fitted on all rows, could not prove that it reached its optimum.",
)
def final_uncertified(subject: Subject) -> Iterator[Found]:
    final = getattr(subject.fitted, "final", None)
    model = None if final is None else core(final[-1])
    certificate = getattr(model, "certificate_", None)
    if certificate is not None and not certificate.ok:
        text = getattr(certificate, "text", "")
        said = f" ({text})" if text else ""
        yield Found(
            f"The final {type(model).__name__} has no certificate that is ok{said}: its weights "
            "may be off the optimum.",
            "Give it more steps (max_iter), or take a model with a certificate.",
        )


@rule(
    "LS204",
    "Models were not finished",
    "note",
    "Some models were left out or stopped before their last fold: the comparison says nothing, "
    "or less, about them.",
)
def unfinished(subject: Subject) -> Iterator[Found]:
    found = [c for c in subject.candidates if c.state != "finished"]
    if found:
        said = [f"{c.title} ({c.state}{f': {c.why}' if c.why else ''})" for c in found]
        yield Found(
            f"{listed(said)}. The recommendation is among the other models only.",
            "Allow more time: --budget.",
        )


def _best_that_learned(subject: Subject) -> Any:
    """The best of the linear and kernel models, if it is better than a baseline by the rope."""
    ranked = finished(subject)
    best = next((c for c in ranked if c.family in ("linear", "kernel")), None)
    baseline = next((c for c in ranked if c.family == "baseline"), None)
    if best is None or baseline is None:
        return best
    metric = subject.plan.metric
    gain = abs(best.scores[metric].mean - baseline.scores[metric].mean)
    better = ranked.index(best) < ranked.index(baseline)
    return best if better and gain > subject.plan.rope else None
