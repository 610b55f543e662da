"""A traced fit on the screen: header, table of steps, ending, figure."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from cyclopts import Parameter
from rich.console import Console
from rich.console import Group as Lines
from rich.table import Table

from ..errors import CHECK_FAILED, FINE, BadInput, input_errors
from ..figures import check_figure_path, write_figure
from ..json_document import certificate_of, data_of, print_json
from ..options import DESCENTS, SHOW, Flag, Json, Quiet, WholeAtLeastZero, in_options, words_of
from ..screen import (
    Pairs,
    console,
    facts,
    header,
    hints,
    paragraph,
    print_table,
    progress_bars,
    verdict,
)
from ..tables.source import Source

SCREEN_ROWS = 25


@Parameter(name="*", group=SHOW)
@dataclass(frozen=True, kw_only=True)
class ShowOptions:
    """Which part of the run is shown, and how."""

    exact: Annotated[Flag, Parameter(help="Calculate in fractions.")] = False
    criterion: Annotated[Flag, Parameter(help="Add all mistakes and J_p, and their distances.")] = (
        False
    )
    updates: Annotated[
        str | None,
        Parameter(help="Show the solutions after these updates, such as 900:915, not the visits."),
    ] = None
    rows: Annotated[
        WholeAtLeastZero,
        Parameter(help=f"At most so many rows, 0 for all; {SCREEN_ROWS} by default on the screen."),
    ] = None
    json: Json = False
    quiet: Quiet = False
    format: Annotated[
        Literal["rich", "markdown", "latex", "csv"],
        Parameter(help="For the screen, or the bare table for a file."),
    ] = "rich"
    plot: Annotated[
        Path | None,
        Parameter(
            help="Draw the boundaries of 1 or 2 features, or the solutions of --updates, to a PNG, "
            "SVG or PDF."
        ),
    ] = None

    def check(self) -> None:
        """Refuse what cannot be shown, before any work."""
        check_figure_path(self.plot)
        self.update_range()
        if self.json and self.format != "rich":
            raise BadInput(f"give either --json or --format {self.format}, not both")

    def update_range(self) -> tuple[int, int] | None:
        """``900:915`` as (900, 915); one number is a range of itself."""
        if self.updates is None:
            return None
        first, _, last = self.updates.partition(":")
        try:
            low, high = int(first), int(last or first)
        except ValueError:
            raise BadInput(f"--updates {self.updates}: give a range such as 900:915") from None
        if not 1 <= low <= high:
            raise BadInput(
                f"--updates {self.updates}: a range goes up from 1 or more, such as 900:915"
            )
        return low, high

    def table_rows(self) -> int | None:
        """At most so many, None for all."""
        if self.rows is None:
            return SCREEN_ROWS if self.format == "rich" else None
        return self.rows or None


@Parameter(name="*", group=SHOW)
@dataclass(frozen=True, kw_only=True)
class KernelShow(ShowOptions):
    """What is shown, in the words of a kernel perceptron."""

    exact: Annotated[
        Flag,
        Parameter(help="Calculate in fractions: --kernel linear, or poly with a --gamma."),
    ] = False
    criterion: Annotated[Flag, Parameter(help="Add all mistakes and J_p.")] = False
    plot: Annotated[
        Path | None,
        Parameter(
            help="Draw the boundary of 1 or 2 features (no --updates), to a PNG, SVG or PDF."
        ),
    ] = None


@Parameter(name="*", group=SHOW)
@dataclass(frozen=True, kw_only=True)
class DescentShow(ShowOptions):
    """What is shown, in the words of a regression."""

    exact: Annotated[
        Flag, Parameter(help="Calculate in fractions; a descent needs a number for --eta0.")
    ] = False
    criterion: Annotated[Flag, Parameter(help="Add J, what a descent lowers.")] = False
    updates: Annotated[
        str | None, Parameter(help="Only these updates of a descent, such as 1:20.")
    ] = None
    plot: Annotated[
        Path | None,
        Parameter(help="Draw the line and its residuals, or its way, to a PNG, SVG or PDF."),
    ] = None

    def check_for(self, solver: str) -> None:
        """Refuse what cannot be shown, before any work."""
        self.check()
        asked = {"--criterion": self.criterion, "--updates": self.updates}
        for option, value in asked.items():
            if solver == "exact" and value:
                raise BadInput(f"{option} shows steps: choose --solver {', '.join(DESCENTS)}")


@Parameter(name="*", group=SHOW)
@dataclass(frozen=True, kw_only=True)
class LogisticShow(DescentShow):
    """What is shown, in the words of a logistic regression, which has no fractions."""

    exact: Annotated[Flag, Parameter(show=False)] = False
    plot: Annotated[
        Path | None, Parameter(help="Draw the way of the boundary, to a PNG, SVG or PDF.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class SvmShow(ShowOptions):
    """What is shown, in the words of a support vector machine."""

    exact: Annotated[
        Flag, Parameter(help="Calculate in fractions, with a linear or polynomial kernel.")
    ] = False
    criterion: Annotated[Flag, Parameter(help="Add P, the primal value.")] = False
    updates: Annotated[str | None, Parameter(help="Only these steps, such as 1:20.")] = None
    rows: Annotated[
        WholeAtLeastZero,
        Parameter(
            help=f"At most so many rows per problem, 0 for all; {SCREEN_ROWS} on the screen."
        ),
    ] = None
    plot: Annotated[
        Path | None,
        Parameter(help="Draw the margin, or the curves f = −1, 0, +1, to a PNG, SVG or PDF."),
    ] = None


class Telling(NamedTuple):
    """How the run of a model is told.

    title : the model
    ending : what stands under the table, from the run, the source and how the steps ended
    advice : what to try next, from the run, the source and the options
    figure : what to draw, from the run, the source, and which updates
    more : tables under the steps, from the run and what is to be shown
    unit : what the steps are called
    apart : whether each binary problem has a table of its own
    """

    title: str
    ending: Callable[[Any, Source, str], Pairs]
    advice: Callable[[Any, Source, dict[str, Any]], Pairs]
    figure: Callable[[Any, Source, dict[str, Any]], Any]
    more: Callable[[Any, ShowOptions], list[Any]] = lambda run, what: []
    unit: str = "updates"
    apart: bool = False


def show(
    estimator: Any,
    source: Source,
    given: dict[str, Any],
    what: ShowOptions,
    telling: Telling,
    options: Pairs | None = None,
) -> int:
    """Fit, and show what was asked for; the exit code says whether the certificate holds."""
    if options is None:
        options = [("your options", words_of(given))] if given else []
    run = _run(estimator, source, what)
    which = _updates(run, what, telling.unit)
    holds = True
    if what.json:
        holds = _print(run, source, given, what, which)
    elif what.format == "rich":
        out, most = console(), {"max_rows": what.table_rows()}
        more = telling.more(run, what)
        holds = _report(out, run, source, options, {**which, **most}, telling, more)
        if not what.quiet:
            hints(out, telling.advice(run, source, given))
    else:
        sys.stdout.write(_document(run, what, which))
    if what.plot is not None:
        with input_errors():
            display = telling.figure(run, source, which)
        write_figure(display, what.plot, quiet=what.quiet)
    return FINE if holds else CHECK_FAILED


def _run(estimator: Any, source: Source, what: ShowOptions) -> Any:
    """The trace of a fit to the data, its errors in the words of the command line."""
    from sklearn.base import is_classifier

    from linscope.data.datasets import Dataset
    from linscope.tracing.start import trace

    dataset = Dataset(
        source.name,
        X=source.X,
        y=source.labels(),
        feature_names=source.features,
        sample_names=source.samples,
        moments=source.moments or {},
    )
    # The solutions after some updates are there to be compared, so their mistakes are counted.
    compared = what.updates is not None and is_classifier(estimator)
    with progress_bars(what.quiet), input_errors():
        criterion = what.criterion or compared
        return trace(estimator, dataset, criterion=criterion, exact=what.exact)


def _updates(run: Any, what: ShowOptions, unit: str) -> dict[str, Any]:
    """Which updates to show; nothing for all, or for a derivation."""
    wanted = what.update_range()
    if wanted is None:
        return {}
    model = run.estimator
    results = model.results_ if hasattr(model, "results_") else [model.result_]
    made = max(result.n_updates for result in results)
    if made == 0:
        raise BadInput(f"--updates {what.updates}: the run made no update, the start is the answer")
    if wanted[0] > made:
        raise BadInput(
            f"--updates {what.updates}: the run ended after {made:,} {unit}; choose from 1:{made}, "
            "or raise --max-iter"
        )
    return {"updates": wanted}


def _report(
    out: Console,
    run: Any,
    source: Source,
    options: Pairs,
    which: dict[str, Any],
    telling: Telling,
    more: list[Any],
) -> bool:
    """Header, tables, ending; does the certificate hold?"""
    which = {**which, "width": out.width}
    whole = run.ledger(**which)
    settings, steps = _notes_of(whole, len(run.answer))
    header(out, f"{telling.title} on {source.name}:", source, gap=False)
    labels = ["settings"] + ["samples"] * (len(settings) - 1)
    facts(out, [*zip(labels, settings, strict=False), *options], indent=0)
    if telling.apart and len(run.problems) > 1:
        out.print()
        for name in run.problems:
            table = run.ledger(problem=name, **which)
            _notes_of(table, 0)
            paragraph(out, name, style="bold", indent=1)
            print_table(out, table)
    elif isinstance(whole, Table):
        print_table(out, whole)
    else:
        lines = whole.renderables[1 : len(whole.renderables) - len(run.answer)]
        print_table(out, Lines(*lines))  # a derivation without heading and answer
    for table in more:
        print_table(out, table.ledger(width=out.width))
        out.print()
    steps = in_options(steps, run.estimator.get_params(deep=False))
    facts(out, telling.ending(run, source, steps), indent=0)
    if source.X is None:
        return True
    return verdict(out, run.estimator.certificate_.verify(source.X, source.labels()))


def _notes_of(table: Any, answers: int = 0) -> tuple[list[str], str]:
    """Take a ledger's own notes off it: its settings, how the run ended, and its answer."""
    if not isinstance(table, Table):
        return [], ""
    said = table.caption.plain.splitlines()  # type: ignore[union-attr]
    *settings, ending = said[: len(said) - answers]
    table.title = table.caption = None
    return settings, ending


def _print(
    run: Any, source: Source, given: dict[str, Any], what: ShowOptions, which: dict[str, Any]
) -> bool:
    """The run as JSON; does its certificate hold?"""
    model, check = run.estimator, None
    if source.X is not None:
        check = model.certificate_.verify(source.X, source.labels())
    fitted = {name: getattr(model, f"{name}_", None) for name in ("classes", "coef", "intercept")}
    print_json(
        {
            "model": type(model).__name__,
            "parameters": model.get_params(),
            "options": given,
            "data": data_of(source),
            **_steps(run, source, what, which),
            **fitted,
            "answer": dict(run.answer),
            "certificate": certificate_of(model.certificate_),
            "verified": None if check is None else check.ok,
            "claim_holds": None if check is None else check.claim_holds,
            "check": check and check.reason,
        }
    )
    return check is None or check.claim_holds


def _steps(run: Any, source: Source, what: ShowOptions, which: dict[str, Any]) -> dict[str, Any]:
    """The rows of ``to_frame``; of a closed form, also its quantities."""
    steps: list[dict[str, Any]] = []
    if source.X is not None:
        most = {"stop": what.rows} if what.rows and not which else {}
        with input_errors():
            columns = run.to_frame(**which, **most, backend="dict")
        rows = zip(*columns.values(), strict=True)
        steps = [dict(zip(columns, row, strict=True)) for row in rows][: what.rows or None]
    if hasattr(run, "n_updates"):
        return {"steps": steps}
    quantities = {name: run.steps[name].value for name in run.steps.names}
    return {"steps": steps, "quantities": quantities}


def _document(run: Any, what: ShowOptions, which: dict[str, Any]) -> str:
    """The bare table for a file."""
    rows = what.table_rows()
    if what.format != "csv":
        write = run.to_markdown if what.format == "markdown" else run.to_latex
        return write(max_rows=rows, **which)
    # A file for programs has no row that says "… 100 more".
    if which and rows is not None:
        first, last = which["updates"]
        which = {"updates": (first, min(last, first + rows - 1))}
    with input_errors():
        return run.to_csv(**which, **({} if which else {"stop": rows}))
