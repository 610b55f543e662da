"""A traced fit on the screen: header, table of steps, ending, figure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from rich.console import Console

from .ending import show_ending
from .errors import BadInput, input_errors
from .figures import check_figure_path, named
from .options import AT_LEAST_ZERO, SHOW, in_options, parse_range
from .presenting import header, notes_of, present
from .screen import print_table, progress_bars
from .source import Source

SCREEN_ROWS = 25
SINGLE_ANSWERS = ("averaged", "voted", "pocket")


@Parameter(name="*", group=SHOW)
@dataclass(frozen=True, kw_only=True)
class ShowOptions:
    """Which part of the run is shown, and how."""

    exact: Annotated[
        bool, Parameter(help="Calculate in fractions.", negative=(), show_default=False)
    ] = False
    criterion: Annotated[
        bool, Parameter(help="Add all mistakes and J_p.", negative=(), show_default=False)
    ] = False
    updates: Annotated[
        str | None,
        Parameter(help="Show the solutions after these updates, such as 900:915, not the visits."),
    ] = None
    rows: Annotated[
        int | None,
        Parameter(
            help=f"At most so many rows, 0 for all; {SCREEN_ROWS} by default on the screen.",
            validator=AT_LEAST_ZERO,
        ),
    ] = None
    format: Annotated[
        Literal["rich", "markdown", "latex", "csv"],
        Parameter(help="For the screen, or the bare table for a file."),
    ] = "rich"
    plot: Annotated[
        Path | None,
        Parameter(help="Draw the boundaries, or the solutions of --updates, to a PNG, SVG or PDF."),
    ] = None

    def check(self) -> None:
        """Refuse what cannot be shown, before any work."""
        check_figure_path(self.plot)
        if self.updates is not None:
            self.update_range()

    def update_range(self) -> tuple[int, int] | None:
        return None if self.updates is None else parse_range(self.updates)

    def table_rows(self) -> int | None:
        """At most so many, None for all."""
        if self.rows is None:
            return SCREEN_ROWS if self.format == "rich" else None
        return self.rows or None


def show(
    estimator: Any,
    source: Source,
    from_notes: dict[str, Any],
    given: dict[str, Any],
    what: ShowOptions,
) -> int:
    """Fit, and show what was asked for."""
    if what.plot is not None:
        _check_can_draw(estimator, source, what)
    # The solutions after some updates are there to be compared, so their mistakes are counted.
    trace = run_traced(estimator, source, what, criterion=what.updates is not None)
    _check_updates(trace, what)
    return present(
        what,
        lambda out: _report(out, trace, source, from_notes, given, what),
        lambda: document(trace, what),
        lambda: _figure(trace, source, what),
    )


def run_traced(estimator: Any, source: Source, what: ShowOptions, criterion: bool = False) -> Any:
    """The trace of a fit to the data, its errors in the words of the command line."""
    from linscope.tracing.start import trace

    options: dict[str, Any] = {"criterion": what.criterion or criterion, "exact": what.exact}
    try:
        with progress_bars(), input_errors():
            return trace(estimator, source.dataset(), **options)
    except BadInput as error:
        names = [*estimator.get_params(), "exact"]
        raise BadInput(in_options(str(error), names)) from error


def _check_updates(trace: Any, what: ShowOptions) -> None:
    wanted, made = what.update_range(), trace.estimator.n_updates_
    if wanted is None or wanted[0] <= made:
        return
    if made == 0:
        raise BadInput(f"--updates {what.updates}: the run made no update, the start separates")
    raise BadInput(
        f"--updates {what.updates}: the run ended after {made:,} updates; choose from 1:{made}, "
        "or raise --max-iter if it was still making mistakes"
    )


def _report(
    out: Console,
    trace: Any,
    source: Source,
    from_notes: dict[str, Any],
    given: dict[str, Any],
    what: ShowOptions,
) -> bool:
    table = trace.ledger(updates=what.update_range(), max_rows=what.table_rows())
    settings, _ = notes_of(table)  # how the run ended is what the certificate says below
    more = [("of the notes", ", ".join(from_notes))] if from_notes else []
    if given:
        more.append(("your options", ", ".join(_option(*item) for item in given.items())))
    names = {"Perceptron": "Perceptron", "KernelPerceptron": "Kernel perceptron"}
    header(out, names[type(trace.estimator).__name__], source, settings, more)
    print_table(out, table)
    return show_ending(out, trace, source, given)


def _option(name: str, value: Any) -> str:
    from linscope.reports.cells import text, vector

    return f"{name} {text(vector(value)) if isinstance(value, list) else value}"


def document(run: Any, what: ShowOptions) -> str:
    """The bare table for a file."""
    updates, rows = what.update_range(), what.table_rows()
    which: dict[str, Any] = {} if updates is None else {"updates": updates}
    if what.format != "csv":
        write = run.to_markdown if what.format == "markdown" else run.to_latex
        return write(max_rows=rows, **which)
    # A file for programs has no row that says "… 100 more".
    if updates is not None and rows is not None:
        which = {"updates": (updates[0], min(updates[1], updates[0] + rows - 1))}
    with input_errors():
        return run.to_csv(**which or {"stop": rows})


def _check_can_draw(estimator: Any, source: Source, what: ShowOptions) -> None:
    if source.X.shape[1] > 2:
        raise BadInput(f"--plot needs 1 or 2 features, {source.name} has {source.X.shape[1]}")
    if what.updates is None:
        return
    if hasattr(estimator, "kernel"):
        raise BadInput("--plot with --updates draws lines, which a kernel perceptron has not")
    if len(set(source.y.tolist())) > 2:
        raise BadInput(f"--plot with --updates needs 2 classes, {source.name} has more")


def _figure(trace: Any, source: Source, what: ShowOptions) -> Any:
    from linscope import plot

    model, X, y = trace.estimator, named(source.X, source.features), source.labels()
    wanted = what.update_range()
    if wanted is not None:
        updates = range(max(wanted[0], 1), min(wanted[1], trace.n_updates) + 1)
        others = _other_answers(model, source.X, y)
        return plot.solutions(trace, X, y, updates=updates, also=others, tie=model.tie)
    if hasattr(model, "kernel") or len(model.classes_) > 2:
        return plot.boundary(model, X, y)
    return plot.path_of_boundaries(X, y, trace)


def _other_answers(model: Any, X: Any, y: Any) -> list[tuple[str, Any]]:
    """The same run summed up in other ways, where its rule allows."""
    from sklearn.base import clone

    answers = [name for name in SINGLE_ANSWERS if model.rule == "single" or name != "voted"]
    return [(name, clone(model).set_params(output=name).fit(X, y)) for name in answers]
