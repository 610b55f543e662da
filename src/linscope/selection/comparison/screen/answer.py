"""The answer of a comparison on one screen: 24 lines of 80 columns, the prompt included."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from linscope.selection.report import words

from ..findings import Candidate, Check, Findings, Score

WIDTH, LINES = 80, 23
MOST_ROWS, FEWEST_ROWS = 6, 3
MOST_CHECKS = 3
LABEL = 9
LINEAR = {"yes": "green", "no": "red", "unclear": "yellow"}
LEVELS = {"problem": "bold red", "warning": "yellow", "note": "dim"}


def answer(
    findings: Findings, *, width: int = WIDTH, report: str | None = None, hints: Iterable[str] = ()
) -> Text:
    """Recommendation, honest score, a few rows, checks, what would change it, what to do next.

    Parameters
    ----------
    report : where the report is
    hints : commands to try next
    """
    width = max(width, 40)
    out = _left_out(findings, width)
    # Lines for "is linear enough?" and for what would change it, as far as there is room.
    for linear, flips in ((3, 4), (3, 3), (2, 3), (2, 2)):
        top = [*_recommended(findings, width), *_headline(findings, width)]
        top += _linear(findings, width, linear)
        bottom = [*_checks(findings, width), *_flips(findings, width, flips)]
        if report is not None:
            bottom += _labelled("Report", [Text(report)])
        bottom += _labelled("Next", [Text(hint, "cyan") for hint in hints])
        # What can be pasted is not cut: the terminal wraps it. Two lines are blank, one a header.
        below = sum(max(-(-line.cell_len // width), 1) for line in bottom)
        room = LINES - len(top) - len(out) - below - 3
        if room > FEWEST_ROWS:
            break
    rows = _table(findings, width, min(max(room, FEWEST_ROWS), MOST_ROWS))
    lines = [*top, Text(), *rows, *out, Text(), *bottom]
    return Text("\n").join(lines)


def _recommended(findings: Findings, width: int) -> list[Text]:
    lines = _wrapped(findings.recommendation.answer, width, most=3, style="bold")
    if findings.partial:
        said = "Partial: the comparison was stopped before its end; this is what was finished."
        lines = [*_wrapped(said, width, most=2, style="yellow"), *lines]
    return lines


def _headline(findings: Findings, width: int) -> list[Text]:
    """The score of the whole procedure, the choice included."""
    score, plan = findings.headline.score, findings.plan
    places = words.decimals_for([score.high - score.low])
    name = words.metric(plan.metric)
    said = (
        f"{name[:1].upper()}{name[1:]} {words.fixed(score.mean, places)}, "
        f"{words.percent(plan.level)} interval {interval(score, places)}, for the whole procedure."
    )
    return _wrapped(said, width, most=2)


def _linear(findings: Findings, width: int, most: int) -> list[Text]:
    """The words begin with yes, no or unclear."""
    found, asked = findings.recommendation, "Is linear enough? "
    lines = _wrapped(asked + found.linear_words, width, most=most)
    first = found.linear_words.partition(":")[0]
    lines[0].stylize(LINEAR.get(found.linear, ""), len(asked), len(asked) + len(first))
    return lines


def _table(findings: Findings, width: int, most: int) -> list[Text]:
    """Some of the models, the best first; the recommended one stands out."""
    plan, metric = findings.plan, findings.plan.metric
    shown = some(findings, most)
    if not shown:
        return []
    scores = [one.scores[metric] for one in shown]
    places = words.decimals_for((score.high - score.low for score in scores), most=3)
    head = ["", f"{words.metric(metric)}, {words.percent(plan.level)}", "P(equal →)", "one fit"]
    body, pairs = [head], words.against(findings, findings.recommendation.key)
    for one in shown:
        score = one.scores[metric]
        mark = "→ " if one.key == findings.recommendation.key else "  "
        equal = pairs[one.key].equal if one.key in pairs else None
        body.append(
            [
                mark + one.title,
                f"{words.fixed(score.mean, places)}  {interval(score, places)}",
                "" if equal is None else words.probability(equal),
                words.seconds(one.fit_seconds),
            ]
        )
    return _columns(body, width, [one.key == findings.recommendation.key for one in shown])


def _columns(body: list[list[str]], width: int, strong: list[bool]) -> list[Text]:
    """The first column to the left, as wide as there is room; numbers to the right."""
    while True:
        widths = [max(map(cell_len, column)) for column in zip(*body, strict=True)]
        room = width - sum(widths[1:]) - 2 * (len(widths) - 1)
        if room >= 20 or len(widths) <= 2:
            break
        body = [row[:-1] for row in body]  # what is least needed stands last
    first = min(widths[0], max(room, 8))
    lines = []
    for k, row in enumerate(body):
        cells = [_cut(row[0], first).ljust(first)]
        cells += [cell.rjust(size) for cell, size in zip(row[1:], widths[1:], strict=True)]
        style = "dim" if k == 0 else "bold" if strong[k - 1] else ""
        lines.append(Text("  ".join(cells).rstrip(), style))
    return lines


def some(findings: Findings, most: int) -> list[Candidate]:
    """The recommended model, the best, the baseline, the reference, then the best of the rest."""
    ranked = words.finished(findings)
    keys = [one.key for one in ranked]
    must = [
        key for key in keys if key in (findings.recommendation.key, findings.recommendation.best)
    ]
    ends = [one.key for one in ranked if one.family in ("reference", "baseline")]
    chosen = list(dict.fromkeys([*must, *ends, *keys]))[:most]
    return [one for one in ranked if one.key in chosen]


def _left_out(findings: Findings, width: int) -> list[Text]:
    out = [one for one in findings.candidates if one.state == "left out"]
    if not out:
        return []
    titles = ", ".join(one.title for one in out)
    return _wrapped(f"Left out: {titles} ({out[0].why})", width, most=1, style="dim")


def _checks(findings: Findings, width: int) -> list[Text]:
    """The most important ones, a line each, and how many there are beside them."""
    order = list(LEVELS)
    found = sorted(
        (check for check in findings.checks if not check.ignored),
        key=lambda check: order.index(check.level) if check.level in order else len(order),
    )
    lines = [_check(check, width - LABEL) for check in found[:MOST_CHECKS]]
    if len(found) > MOST_CHECKS:
        rest = len(found) - MOST_CHECKS
        more = f" (and {rest} more in the report)"
        last = lines[-1]
        last.truncate(width - LABEL - len(more), overflow="ellipsis")
        last.append(more, "dim")
    return _labelled("Checks", lines or [Text("nothing to report")])


def _check(check: Check, width: int) -> Text:
    which = f": {', '.join(check.columns)}" if check.columns else ""
    line = Text.assemble((check.code, LEVELS.get(check.level, "")), f" {check.title}{which}")
    line.truncate(width, overflow="ellipsis")
    return line


def _flips(findings: Findings, width: int, most: int) -> list[Text]:
    """What would change the answer: the first two, in so many lines."""
    lines: list[Text] = []
    flips = findings.recommendation.flips[:2]
    for still, flip in zip((len(flips) - 1, 0), flips, strict=False):
        lines += _wrapped(flip.words, width - LABEL, most=min(most - len(lines) - still, 2))
    return _labelled("Changes", lines)


def _labelled(label: str, lines: list[Text]) -> list[Text]:
    """Lines beside a word that says what they are."""
    labels = [label, *[""] * (len(lines) - 1)]
    return (
        [
            Text.assemble((word.ljust(LABEL), "dim"), line)
            for word, line in zip(labels, lines, strict=True)
        ]
        if lines
        else []
    )


def interval(score: Score, places: int) -> str:
    """Its ends; a minus sign would not be seen after a dash."""
    joint = " to " if score.low < 0 else "–"
    return f"{words.fixed(score.low, places)}{joint}{words.fixed(score.high, places)}"


def _wrapped(said: str, width: int, *, most: int, style: str = "") -> list[Text]:
    """At most so many lines; an ellipsis says that there is more."""
    lines = textwrap.wrap(said, width, max_lines=most, placeholder=" …", break_on_hyphens=False)
    return [Text(line, style) for line in lines]


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"
