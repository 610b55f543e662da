"""``linscope compare``: from a table to the right linear model, with a report to check."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Group, Parameter

from .. import completion
from ..errors import CHECK_FAILED, FINE, INTERRUPTED, BadInput, input_errors, one_line
from ..options import Flag, Quiet
from ..screen import complain, console
from ..tables.options import DATA, AskedOfTable, DataFile, TableName, several
from ..tables.table import STDIN, Given, given_table

USAGE = """\
Usage: linscope compare TABLE --target COLUMN [OPTIONS]

Examples:

  linscope compare churn                                   a built-in table
  linscope compare my.csv --target churn --missing impute
  linscope compare my.parquet --target price --metric mae --drop id,url
  linscope compare my.csv --target churn --json > found.json
  cat my.csv | linscope compare - --target churn"""
EPILOGUE = "Exit codes: 0 fine, 1 no model finished, 2 bad input, 130 stopped by Ctrl-C."

app = App(name="compare", usage=USAGE, help_epilogue=EPILOGUE, help_format="plaintext")
JUDGING, REPORT = Group("Judging", sort_key=1), Group("Report", sort_key=2)


@Parameter(name="*", group=DATA)
@dataclass(frozen=True, kw_only=True)
class TableOptions(AskedOfTable):
    """What is asked of the table."""

    task: Annotated[
        Literal["classes", "number"] | None,
        Parameter(help="How to read a target of whole numbers; found by default."),
    ] = None
    group: Annotated[
        str | None,
        Parameter(
            name=("--group", "--groups"),
            help="Column whose equal values stay on one side of a split.",
        ),
    ] = None
    time: Annotated[
        str | None, Parameter(help="Column of times: learn from earlier rows, judge by later.")
    ] = None


@Parameter(name="*", group=JUDGING)
@dataclass(frozen=True, kw_only=True)
class JudgingOptions:
    """How models are judged."""

    metric: Annotated[
        str | None,
        Parameter(
            completer=completion.metrics,
            help="balanced_accuracy (the default), accuracy, f1, roc_auc, log_loss, brier; for "
            "numbers rmse (the default), mae, r2.",
        ),
    ] = None
    models: Annotated[
        list[str] | None,
        Parameter(
            completer=completion.candidates,
            help="Keys, as in fisher,logistic-l2; all by default.",
            negative=(),
        ),
    ] = None
    folds: Annotated[
        int | None,
        Parameter(name=("--folds", "--cv"), help="5 by default, 10 up to 300 rows."),
    ] = None
    repeats: Annotated[
        int | None, Parameter(help="How often the folds are drawn; by the number of rows.")
    ] = None
    rope: Annotated[
        float, Parameter(help="Smaller differences do not matter (rmse, mae: × the target's sd).")
    ] = 0.01
    level: Annotated[float, Parameter(help="Of the intervals.")] = 0.95
    budget: Annotated[str, Parameter(help="Time to keep to: 90s, 2m, 1h, none.")] = "2m"
    ignore: Annotated[
        list[str] | None, Parameter(help="Checks known and accepted: LS203.", negative=())
    ] = None
    seed: Annotated[int, Parameter(name=("--seed", "--random-state"), help="Of the folds.")] = 0


@Parameter(name="*", group=REPORT)
@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """What is written, and what is said."""

    report: Annotated[
        Path | None, Parameter(help="Where to write it; TABLE-report.html by default.", negative=())
    ] = None
    no_report: Annotated[Flag, Parameter(help="Write none.")] = False
    force: Annotated[Flag, Parameter(help="Overwrite a file that is no report.")] = False
    json: Annotated[
        Flag, Parameter(help="Print the findings as JSON alone; a report only with --report.")
    ] = False
    quiet: Annotated[Quiet, Parameter(group=REPORT)] = False


@app.default
def compare(
    table: TableName = None,
    /,
    *,
    file: DataFile = None,
    asked: TableOptions | None = None,
    judging: JudgingOptions | None = None,
    writing: ReportOptions | None = None,
) -> int:
    """Find the linear model that suits a table, and write a report that can be verified.

    All models are judged on the same folds, and the headline score is that of the whole procedure,
    the choice of the model included. Ctrl-C keeps what is finished.
    """
    given = given_table(table, file)
    asked, judging = asked or TableOptions(), judging or JudgingOptions()
    writing = writing or ReportOptions()
    path = _report_path(writing, given)
    with _processes(judging) as processes:
        with input_errors(also=(TypeError,)):
            content = given.read(asked.sheet)
            settings = _settings(asked, judging, content)
            question = settings.read(content, given.name)
        from linscope.selection.compare import run
        from linscope.selection.comparison.options import Unsuited

        with _interrupts() as interrupted:
            try:
                found = run(
                    settings,
                    question,
                    quiet=writing.quiet,
                    command=settings.command(given.word),
                    python=settings.python(given.python),
                    processes=processes,
                )
            except KeyboardInterrupt:
                complain("stopped before a model was finished: there is nothing to report")
                return INTERRUPTED
            except Unsuited as error:
                raise BadInput(one_line(error)) from error
            if path is not None:
                with input_errors():
                    found.report(path)
    if writing.json:
        print(found.to_json())
    else:
        _show(found, settings, given, path, quiet=writing.quiet)
    if interrupted:
        return INTERRUPTED
    return FINE if any(one.scores for one in found.findings.candidates) else CHECK_FAILED


def _processes(judging: JudgingOptions) -> Any:
    """Others that load their libraries while the table is read; for few models none at once."""
    if judging.models is not None:
        return nullcontext()
    from linscope.selection.comparison.sharing.processes import started_processes

    return started_processes()


def _settings(asked: TableOptions, judging: JudgingOptions, table: Any) -> Any:
    from linscope.selection.comparison.settings import Settings

    names = list(getattr(table, "columns", ()))
    return Settings(
        target=asked.target,
        positive=asked.positive,
        task=asked.task,
        missing=asked.missing,
        drop=several(asked.drop, names),
        keep=several(asked.keep, names),
        group=asked.group,
        time=asked.time,
        metric=judging.metric,
        models=several(judging.models),
        folds=judging.folds,
        repeats=judging.repeats,
        rope=judging.rope,
        level=judging.level,
        budget=judging.budget,
        ignore=several(judging.ignore),
        seed=judging.seed,
        sheet=asked.sheet,
    )


def _report_path(writing: ReportOptions, given: Given) -> Path | None:
    """Where the report goes, refused before any work if it could destroy something."""
    if writing.no_report and writing.report is not None:
        raise BadInput("give either --report or --no-report, not both")
    if writing.no_report or (writing.json and writing.report is None):
        return None
    path = writing.report or Path(f"{given.stem}-report.html")
    if path.suffix.lower() not in (".html", ".htm"):
        raise BadInput(f"--report {path}: a report is an HTML file, so its name must end in .html")
    if path.is_dir():
        raise BadInput(f"--report {path} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise BadInput(f"--report {path}: there is no folder {path.parent}; make it first")
    if path.exists() and not writing.force and not _is_report(path):
        raise BadInput(
            f"{path} exists and is no report of linscope: name another with --report, or "
            "overwrite it with --force"
        )
    return path


def _is_report(path: Path) -> bool:
    from linscope.selection.report.twin import twin_of_page

    try:
        twin_of_page(path.read_text(encoding="utf-8"))
    except (ValueError, OSError):
        return False
    return True


@contextmanager
def _interrupts() -> Iterator[list[bool]]:
    """The first Ctrl-C ends the study with what is finished, a second one the process at once.

    The list that is handed out has an entry once there was one.
    """
    seen: list[bool] = []
    if threading.current_thread() is not threading.main_thread():
        yield seen
        return

    def stop(signum: int, frame: Any) -> None:
        if seen:
            sys.stderr.write("\x1b[?25h" * sys.stderr.isatty())  # a live table hides the cursor
            sys.stderr.flush()
            os._exit(INTERRUPTED)
        seen.append(True)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)


def _show(found: Any, settings: Any, given: Given, path: Path | None, *, quiet: bool) -> None:
    """The answer, on one screen."""
    from linscope.selection.comparison.screen.answer import answer

    out = console()
    hints = [] if quiet else list(_next(found.findings, settings, given, path))
    report = None if path is None else f"{path} (open it in a browser)"
    out.print(answer(found.findings, width=min(out.width, 100), report=report, hints=hints))


def _next(findings: Any, settings: Any, given: Given, path: Path | None) -> Iterator[str]:
    """Commands that are worth trying now."""
    from dataclasses import replace

    suspects = [c for c in findings.checks if c.level == "problem" and c.columns and not c.ignored]
    if suspects and given.word != STDIN:
        names = dict.fromkeys([*settings.drop, *suspects[0].columns])
        yield replace(settings, drop=tuple(names)).command(given.word)
    if path is not None and given.word != STDIN:
        yield f"linscope verify {shlex.quote(str(path))} {shlex.quote(given.word)}"
