"""The tables of a report as plain rows for the template."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linscope.selection.comparison.findings import Candidate, Findings, Score

from . import words

LEVELS = ("problem", "warning", "note")


def scale(findings: Findings) -> tuple[float, float]:
    """Ends of the axis on which the scores are drawn; baselines that are far off are cut."""
    name = findings.plan.metric
    shown = [each for each in words.finished(findings) if each.family != "baseline"]
    scores = [each.scores[name] for each in shown or words.finished(findings)]
    scores.append(findings.headline.score)
    low, high = min(each.low for each in scores), max(each.high for each in scores)
    room = 0.06 * (high - low) or 0.01
    return low - room, high + room


def forest(score: Score, ends: tuple[float, float]) -> dict[str, Any]:
    """Places of a mean and its interval on the axis, in percent of it."""
    low, high = ends
    place = lambda value: round(100 * (value - low) / (high - low), 2)  # noqa: E731
    left, right = max(place(score.low), 0.0), min(place(score.high), 100.0)
    at = place(score.mean)
    return {
        "left": left,
        "width": round(max(right - left, 0.0), 2),
        "at": at,
        "outside": "left" if at < 0 else "right" if at > 100 else "",
    }


def band(findings: Findings, ends: tuple[float, float]) -> dict[str, float]:
    """Where a mean is within the region of practical equivalence of the best one."""
    whole = ends[1] - ends[0]
    places = ((value - ends[0]) / whole for value in words.equal_to_best(findings))
    left, right = (min(max(place, 0), 1) for place in places)
    return {"left": round(100 * left, 2), "width": round(100 * (right - left), 2)}


def score_decimals(findings: Findings, name: str) -> int:
    """Decimals for a column of scores."""
    found = [each.scores[name] for each in findings.candidates if name in each.scores]
    return words.decimals_for((score.high - score.low for score in found), most=3)


def interval(score: Score, decimals: int) -> str:
    """``± 0.011``, or both ends where the mean is not in the middle."""
    up, down = (words.fixed(abs(end - score.mean), decimals) for end in (score.high, score.low))
    if up == down:
        return f"± {up}"
    return f"{words.fixed(score.low, decimals)} to {words.fixed(score.high, decimals)}"


def candidate_rows(findings: Findings) -> list[dict[str, Any]]:
    """The candidates with scores, the best first."""
    ends = scale(findings)
    places = {name: score_decimals(findings, name) for name in findings.plan.metrics}
    return [_candidate(findings, each, ends, places) for each in words.finished(findings)]


def _candidate(
    findings: Findings, each: Candidate, ends: tuple[float, float], places: dict[str, int]
) -> dict[str, Any]:
    name = findings.plan.metric
    score, decimals = each.scores[name], places[name]
    others = [other for other in findings.plan.metrics if other != name]
    return {
        "key": each.key,
        "title": each.title,
        "recommended": each.key == findings.recommendation.key,
        "tag": _tag(each),
        "partial": each.why if each.state == "partial" else "",
        "mean": words.fixed(score.mean, decimals),
        "interval": interval(score, decimals),
        "forest": forest(score, ends),
        "others": [
            words.fixed(each.scores[other].mean, places[other]) if other in each.scores else "–"
            for other in others
        ],
        "seconds": words.seconds(each.seconds),
        "certified": f"{each.certified} of {each.fits}" if _proves(each) else "–",
        "all_certified": not _proves(each) or each.certified == each.fits,
    }


def _proves(each: Candidate) -> bool:
    """Its fits can carry certificates."""
    return each.family != "reference" and each.fits > 0


def _tag(each: Candidate) -> str:
    """What kind of model it is, unless it is linear or its title says so."""
    kind = words.FAMILIES.get(each.family, each.family)
    return "" if each.family == "linear" or kind in each.title else kind


def unfinished(findings: Findings) -> list[tuple[str, str]]:
    """Candidates without all of their scores, and why; those with one reason together."""
    found: dict[str, list[str]] = {}
    for each in findings.candidates:
        if each.state != "finished":
            found.setdefault(each.why, []).append(each.title)
    return [(words.listed(titles), words.sentence(why)) for why, titles in found.items()]


def difference_rows(findings: Findings) -> list[dict[str, Any]]:
    """The recommended model against each other one, in the order of the candidates."""
    key = findings.recommendation.key
    pairs = words.against(findings, key)
    widths = [pair.high - pair.low for pair in pairs.values()]
    decimals = words.decimals_for([*widths, findings.plan.rope], most=4)
    rows = []
    for other in words.finished(findings):
        if other.key not in pairs:
            continue
        pair = pairs[other.key]
        rows.append(
            {
                "title": other.title,
                "mean": words.fixed(pair.mean, decimals),
                "low": words.fixed(pair.low, decimals),
                "high": words.fixed(pair.high, decimals),
                "better": words.probability(pair.better),
                "equal": words.probability(pair.equal),
                "worse": words.probability(pair.worse),
                "p": words.p_value(pair.p_holm),
                "verdict": words.verdict(pair),
            }
        )
    return rows


def confusion_rows(findings: Findings) -> list[dict[str, Any]]:
    """The confusion matrix: counts, and shares of the actual class for the shades."""
    rows = []
    for k, counts in enumerate(findings.panels.confusion):
        whole = sum(counts)
        cells = [
            {
                "count": f"{n:,}",
                "share": _share(n, whole),
                "depth": round(n / whole, 3) if whole else 0,
                "right": k == j,
            }
            for j, n in enumerate(counts)
        ]
        rows.append({"name": findings.data.classes[k], "total": f"{whole:,}", "cells": cells})
    return rows


def _share(n: int, whole: int) -> str:
    """Of the rows of a class; the many cells without a row stay quiet."""
    return words.percent(n / whole) if n else "" if whole else "–"


def class_rows(findings: Findings) -> list[list[str]]:
    """Of each class its rows, recall, precision, ROC AUC and average precision; last the means."""
    found, counts = findings.panels.against_rest, findings.panels.confusion
    hits = [counts[k][k] for k in range(len(found))]
    said = [sum(row[k] for row in counts) for k in range(len(found))]
    recall = [h / each.rows if each.rows else None for h, each in zip(hits, found, strict=True)]
    precision = [h / n if n else None for h, n in zip(hits, said, strict=True)]
    columns = [recall, precision, [each.auc for each in found], [each.average for each in found]]
    shown = lambda value: "–" if value is None else words.area(value)  # noqa: E731
    rows = [
        [each.label, f"{each.rows:,}", *map(shown, values)]
        for each, values in zip(found, zip(*columns, strict=True), strict=True)
    ]
    return [*rows, ["mean (macro)", "", *(shown(_mean(column)) for column in columns)]]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def not_drawn(findings: Findings) -> str:
    """Which classes have no curve, and why; nothing if all have one."""
    found = findings.panels.against_rest
    easy = [each.label for each in found if each.auc is not None and not each.roc]
    never = [each.label for each in found if each.auc is None]
    drawn = sum(bool(each.roc) for each in found)
    said = []
    if easy:
        said.append(
            f"Drawn are the {drawn} classes that are hardest to tell from the rest; left out, with "
            f"larger areas: {words.listed(easy)}."
        )
    if never:
        said.append(f"No held-out row is of {words.listed(never)}, so there is no curve.")
    return " ".join(said)


def coefficient_rows(findings: Findings) -> list[list[str]]:
    """Name, value, effect, interval, p and odds ratio of each coefficient."""
    shown = lambda value: "–" if value is None else words.digits(value, 4)  # noqa: E731
    return [
        [
            each.name,
            shown(each.value),
            shown(each.effect),
            "–" if each.low is None else f"{shown(each.low)} to {shown(each.high)}",
            "–" if each.p is None else words.p_value(each.p),
            shown(each.ratio),
        ]
        for each in findings.final.coefficients
    ]


def chosen_words(findings: Findings) -> str:
    """How often each candidate was chosen by the outer folds."""
    names, chosen = words.titles(findings), findings.headline.chosen
    often = sorted(set(chosen), key=lambda key: (-chosen.count(key), chosen.index(key)))
    return words.listed(
        f"{names.get(key, key)} in {chosen.count(key)} of {len(chosen)}" for key in often
    )


def checks_by_level(findings: Findings) -> dict[str, Any]:
    """Checks that count, the worst first, and those that were ignored."""
    kept = [check for check in findings.checks if not check.ignored]
    kept.sort(key=lambda check: (LEVELS.index(check.level), check.code))
    said = [
        words.count(sum(check.level == level for check in kept), level)
        for level in LEVELS
        if any(check.level == level for check in kept)
    ]
    return {
        "kept": kept,
        "ignored": [check for check in findings.checks if check.ignored],
        "problems": [check for check in kept if check.level == "problem"],
        "summary": words.listed(said) if said else "nothing found",
    }
