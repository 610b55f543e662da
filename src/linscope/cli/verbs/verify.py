"""``linscope verify``: every number of a report, or a model's certificate, from the table."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from ..errors import CHECK_FAILED, FINE, input_errors
from ..options import Flag
from ..saved.verify_model import is_model, verify_model
from ..screen import console, paragraph
from ..tables.options import DataFile, TableName
from ..tables.table import given_table

USAGE = """\
Usage: linscope verify FILE TABLE [OPTIONS]

Examples:

  linscope verify churn-report.html churn.csv
  linscope verify churn-report.html churn       the built-in table
  linscope verify m.linscope churn.csv          a saved model's certificate"""
EPILOGUE = """\
Exit codes: 0 all agree, 1 something differs, 2 bad input, 3 all agree but figures that another
matplotlib drew: they may show anything."""
UNCONFIRMED = 3
MOST_SHOWN = 10

app = App(name="verify", usage=USAGE, help_epilogue=EPILOGUE, help_format="plaintext")


@app.default
def verify(
    report: Annotated[
        Path,
        Parameter(name="FILE", help="A report of linscope compare, or a model of linscope fit."),
    ],
    table: TableName = None,
    /,
    *,
    sheet: Annotated[
        str | None, Parameter(help="Of an Excel file; that of the report by default.")
    ] = None,
    file: DataFile = None,
    target: Annotated[
        str | None, Parameter(help="What a model predicts, if its file does not say.")
    ] = None,
    json: Annotated[Flag, Parameter(help="Of a model: print the verdict as JSON.")] = False,
    quiet: Annotated[Flag, Parameter(help="No progress.")] = False,
) -> int:
    """Recompute every number of a report, or the certificate of a model, from the table.

    Of a model the hash of the table is compared, the preparation is made again, and the certificate
    is checked by code that shares nothing with the one that fitted it.

    Of a report the page is drawn again from the findings inside it, the hash of the table is
    compared, and the whole study is run again with the same options: every number, choice and
    certificate must agree. Times are measured, so they are not compared. A report that was made in
    Python is checked against the same rows, saved in a file with the target as one of its columns.
    """
    from linscope.selection.report.rows import OtherRows, rows_of_report, unused_columns
    from linscope.selection.report.twin import from_json, read_text, twin_of_page
    from linscope.selection.report.verify import compare_page, differences_between

    given = given_table(table, file)
    if is_model(report):
        return verify_model(report, given, target=target, as_json=json, sheet=sheet)
    with input_errors(also=(TypeError,)):
        text = read_text(report)
        claimed = from_json(twin_of_page(text))
        sheet = sheet or _sheet(claimed, given.word)
        content = given.read(sheet)
    page = compare_page(text)
    found = [] if page.differs is None else [page.differs]
    try:
        rows = rows_of_report(content, claimed.data, given.name)
    except OtherRows as error:
        return _differs(report, [*found, str(error)])
    with input_errors(also=(TypeError,)):
        settings = settings_of(claimed)
        question = settings.read(rows, claimed.data.name)
        again = repeat(claimed, settings, question, quiet=quiet)
    rounded: list[str] = []
    found += differences_between(claimed, again, rounded)
    if found:
        return _differs(report, found)
    unused = [] if given.built_in else unused_columns(content, claimed.data)
    exceptions = [*_not_compared(claimed, given, sheet, unused), *_rounding(rounded)]
    return _agrees(claimed, exceptions, page.figures)


def _sheet(claimed: Any, word: str) -> str | None:
    """The sheet that the report names, if the table is an Excel file, too."""
    from linscope.data.files import EXCEL_SUFFIXES

    return claimed.asked.sheet if Path(word).suffix.lower() in EXCEL_SUFFIXES else None


def settings_of(claimed: Any) -> Any:
    """What the study was asked, with what followed from the way the table came.

    Values apart from the table have a name now, and columns of an array are meant as numbers.
    """
    from linscope.selection.comparison.settings import Settings

    data = claimed.data
    asked = Settings.of(claimed.asked)
    # Sparse columns are one entry without values of its own.
    used = [column.name for column in data.columns if column.role == "feature" and column.distinct]
    return replace(
        asked,
        target=asked.target or data.target,
        positive=data.positive if asked.positive is None else asked.positive,
        keep=tuple(dict.fromkeys((*asked.keep, *used))),
    )


def _as_written(claimed: Any) -> tuple[str, str]:
    """Command and Python that the options of the report give, for the table that it names."""
    from linscope.selection.comparison.settings import Settings

    asked = Settings.of(claimed.asked)
    word, table, arrays = _table_as_written(claimed)
    return asked.command(word) if word else "", asked.python(*table, arrays=arrays)


def _table_as_written(claimed: Any) -> tuple[str, list[str], list[str]]:
    """The table in the command and in Python, and arrays there; only what names this very table.

    Everything else in the two follows from the options. The table's words do not, so they can be
    nothing but its name, its file or a variable.
    """
    name = claimed.data.name
    try:
        words = shlex.split(claimed.command)
        call = ast.parse(claimed.python, mode="eval").body
        assert isinstance(call, ast.Call)
        first, *more = [ast.get_source_segment(claimed.python, each) or "" for each in call.args]
    except (ValueError, SyntaxError, AssertionError, RecursionError, MemoryError):
        return "TABLE", ["X"], []
    word = words[2] if len(words) > 2 else ""
    arrays = [each.arg or "" for each in call.keywords if isinstance(each.value, ast.Name)]
    known = {
        "X": (name == "the table", "TABLE"),
        "sys.stdin": (name == "standard input", "-"),
        f"ls.datasets.load({name!r})": (True, name),
    }
    path = word or name
    if isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str):
        path = call.args[0].value
    known[repr(path)] = (Path(path).name == name, path)
    right, wanted = known.get(first, (False, ""))
    if not right or word not in ("", wanted) or more not in ([], ["y"]):
        return "TABLE", ["X"], []
    return word, [first, *more], arrays


def repeat(claimed: Any, settings: Any, question: Any, *, quiet: bool) -> Any:
    """The findings of the same study; what it had left out, for time or by Ctrl-C, is so again.

    Times cannot be measured twice. The recommendation speaks of them, so it is made again from the
    new scores and the old times.
    """
    from linscope.selection.compare import run
    from linscope.selection.comparison.advice.recommendation import recommend
    from linscope.selection.comparison.times import seconds_of

    then = {one.key: one for one in claimed.candidates}
    left_out = _by_the_clock(claimed)
    command, python = _as_written(claimed)
    again = run(
        replace(settings, budget="none"),
        question,
        quiet=quiet,
        command=command,
        python=python,
        left_out=left_out,
    ).findings
    candidates = tuple(_as_then(one, then[one.key]) for one in again.candidates if one.key in then)
    plan = replace(again.plan, budget=seconds_of(settings.budget))
    stopped = any(one.state == "partial" for one in candidates)
    # A study is also partial if it was stopped in its learning curves.
    stopped |= claimed.partial and not claimed.curves and bool(again.curves)
    curves = again.curves if claimed.curves or not claimed.partial else ()
    return replace(
        again,
        plan=plan,
        candidates=candidates,
        curves=curves,
        recommendation=recommend(candidates, again.differences, plan, curves, again.data),
        partial=stopped,
        asked=claimed.asked,
    )


def _by_the_clock(claimed: Any) -> dict[str, str]:
    """Models that ran out of time, and why; every other reason is found again by running them."""
    from linscope.selection.comparison.course import out_of_time
    from linscope.selection.comparison.study import STOPPED

    unfinished = {one.key: one.why for one in claimed.candidates if one.state != "finished"}
    return {
        key: why
        for key, why in unfinished.items()
        if why == STOPPED or out_of_time(why, claimed.plan)
    }


def _as_then(now: Any, then: Any) -> Any:
    """With the times of the first run, and stopped where that was."""
    from linscope.selection.comparison.study import STOPPED

    return replace(
        now,
        state="partial" if now.why == STOPPED else now.state,
        seconds=then.seconds,
        fit_seconds=then.fit_seconds,
        predict_seconds=then.predict_seconds,
    )


def _not_compared(claimed: Any, given: Any, sheet: str | None, unused: list[str]) -> Iterator[str]:
    """What of a report cannot be found again from this table here, the gravest first."""
    from linscope.selection.report.verify import other_versions

    titles = [one.title for one in claimed.candidates if one.key in _by_the_clock(claimed)]
    if titles:
        yield f"models that ran out of time ({_few(titles)})"
    if claimed.partial:
        yield "what a study that was stopped had not begun"
    if unused:
        yield f"columns of the table that the report does not have ({_few(unused)})"
    if claimed.asked.sheet != sheet:
        yield f"the name of the sheet ({claimed.asked.sheet!r} in the report)"
    word = _table_as_written(claimed)[0] or claimed.data.name
    if word not in (given.word, "TABLE", "the table"):
        yield f"the name of the table ({word!r} in the report)"
    if versions := other_versions(claimed):
        yield versions
    yield "times, which are measured"


def _rounding(rounded: list[str]) -> list[str]:
    if not rounded:
        return []
    many = "1 number" if len(rounded) == 1 else f"{len(rounded):,} numbers"
    return [f"the last digits of {many} ({rounded[0]})"]


def _few(names: list[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def _agrees(claimed: Any, exceptions: list[str], figures: str) -> int:
    fits = sum(one.certified for one in claimed.candidates)
    fits += bool(claimed.final.certificate.get("ok"))
    said = f"{_numbers(claimed):,} numbers recomputed, {fits:,} certificates, the page drawn again"
    out = console()
    if figures:
        exceptions = [figures, *exceptions]
    grave = len(exceptions) > 1  # times are never compared
    paragraph(out, f"Not compared: {'; '.join(exceptions)}.", style="yellow" if grave else "")
    paragraph(out, f"{said}: all agree.", style="" if figures else "green")
    if figures:
        advice = "Install that matplotlib to compare the figures, or take them for decoration."
        paragraph(out, advice, style="yellow")
    return UNCONFIRMED if figures else FINE


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
