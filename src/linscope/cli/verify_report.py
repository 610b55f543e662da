"""``linscope verify``: every number of a report recomputed from the table."""

from __future__ import annotations

import shlex
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Parameter

from .errors import CHECK_FAILED, FINE, BadInput, input_errors
from .options import Flag
from .screen import console, paragraph
from .table import given_table

USAGE = """\
Usage: linscope verify REPORT TABLE [OPTIONS]

Examples:

  linscope verify churn-report.html churn.csv
  linscope verify churn-report.html churn       the built-in table"""
EPILOGUE = "Exit codes: 0 all agree, 1 something differs, 2 bad input."
MOST_SHOWN = 10

app = App(name="verify", usage=USAGE, help_epilogue=EPILOGUE, help_format="plaintext")


@app.default
def verify(
    report: Annotated[Path, Parameter(help="A report that linscope compare has written.")],
    table: Annotated[str, Parameter(help="The table: file, built-in name, or - for stdin.")],
    /,
    *,
    quiet: Annotated[Flag, Parameter(help="No progress.")] = False,
) -> int:
    """Recompute every number of a report from its table.

    The page is drawn again from the findings inside it, the hash of the table is compared, and the
    whole study is run again with the same options: every number, choice and certificate must agree.
    Times are measured, so they are not compared.
    """
    from linscope.selection.report.twin import read_report
    from linscope.selection.report.verify import differences_between, page_differs

    given = given_table(table)
    with input_errors(also=(TypeError,)):
        claimed = read_report(report)
        content = given.read()
    page = page_differs(report.read_text(encoding="utf-8"))
    found = [] if page is None else [page]
    settings = settings_of(claimed, content)
    with input_errors(also=(TypeError,)):
        question = settings.read(content, claimed.data.name)
    if question.sha256 != claimed.data.sha256:
        found.append(
            f"data.sha256: {given.name} is not the table of the report "
            f"({question.sha256[:12]}… here, {claimed.data.sha256[:12]}… there)"
        )
        return _differs(report, found)
    again = repeat(claimed, settings, question, quiet=quiet)
    found += [str(each) for each in differences_between(claimed, again)]
    return _differs(report, found) if found else _agrees(claimed)


def settings_of(claimed: Any, table: Any) -> Any:
    """What the study was asked to do: its own command, without a limit of time."""
    from .compare import settings_from

    words = shlex.split(claimed.command)
    if words[:2] != ["linscope", "compare"]:
        raise BadInput("the report does not say which command made it, so it cannot be repeated")
    try:
        return settings_from(words[2:], table)
    except (CycloptsError, ValueError) as error:
        raise BadInput(f"the command in the report cannot be repeated: {error}") from error


def repeat(claimed: Any, settings: Any, question: Any, *, quiet: bool) -> Any:
    """The findings of the same study; what it had left out, for time or by Ctrl-C, is so again.

    Times cannot be measured twice. The recommendation speaks of them, so it is made again from the
    new scores and the old times.
    """
    from linscope.selection.compare import run
    from linscope.selection.comparison.recommendation import recommend

    then = {one.key: one for one in claimed.candidates}
    left_out = {key: one.why for key, one in then.items() if one.state != "finished"}
    again = run(
        replace(settings, budget=None),
        question,
        quiet=quiet,
        command=claimed.command,
        python=claimed.python,
        left_out=left_out,
    ).findings
    candidates = tuple(_as_then(one, then[one.key]) for one in again.candidates if one.key in then)
    plan = replace(again.plan, budget=claimed.plan.budget)
    return replace(
        again,
        plan=plan,
        candidates=candidates,
        recommendation=recommend(candidates, again.differences, plan, again.curves, again.data),
        partial=claimed.partial,
    )


def _as_then(now: Any, then: Any) -> Any:
    """With the times of the first run, and its state where it was not run to its end."""
    state = now.state if then.state == "finished" else then.state
    return replace(
        now,
        state=state,
        seconds=then.seconds,
        fit_seconds=then.fit_seconds,
        predict_seconds=then.predict_seconds,
    )


def _agrees(claimed: Any) -> int:
    from linscope.selection.report.verify import not_compared

    fits = sum(one.certified for one in claimed.candidates)
    fits += bool(claimed.final.certificate.get("ok"))
    said = f"{_numbers(claimed):,} numbers recomputed, {fits:,} certificates, the page drawn again"
    out = console()
    paragraph(out, f"{said}: all agree.", style="green")
    if claimed.partial:
        paragraph(out, "The report is partial: it speaks of the models that were finished.")
    if exception := not_compared(claimed):
        paragraph(out, f"But {exception}.", style="yellow")
    return FINE


def _numbers(value: Any) -> int:
    """How many numbers there are that can be recomputed."""
    from linscope.selection.report.verify import MEASURED

    if is_dataclass(value):
        names = (field.name for field in fields(value) if field.name not in MEASURED)
        return sum(_numbers(getattr(value, name)) for name in names)
    if isinstance(value, dict | tuple):
        return sum(map(_numbers, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _differs(report: Path, found: list[str]) -> int:
    out = console()
    many = f"{len(found):,} differences" if len(found) > 1 else "1 difference"
    paragraph(out, f"{report} is not what the table gives: {many}.", style="bold red")
    for each in found[:MOST_SHOWN]:
        paragraph(out, each, indent=2)
    if len(found) > MOST_SHOWN:
        paragraph(out, f"… and {len(found) - MOST_SHOWN:,} more", indent=2)
    return CHECK_FAILED
