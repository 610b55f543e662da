"""``linscope diagnose``: a linear regression step by step, with its assumptions checked."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter, validators
from rich.console import Console
from rich.text import Text

from ..errors import EXIT_CODES, FINE, BadInput, input_errors
from ..figures import check_figure_path, named, write_figure
from ..json_document import data_of, print_json
from ..options import MODEL, SHOW, FitIntercept, Json, Quiet, in_options
from ..screen import console, header, hints, paragraph, progress_bars
from ..tables.options import AskedOfColumns, DataFile, TableName
from ..tables.source import NUMBERS, Source, load_source

USAGE = """\
Usage: linscope diagnose TABLE [OPTIONS]

Examples:

  linscope diagnose five_points
  linscope diagnose diabetes --robust HC3 --plot residuals.png
  linscope diagnose my.csv --target price --level 0.9
  linscope diagnose my.csv --target price --missing drop --json
  linscope diagnose sbp_age                             from moments alone"""

app = App(name="diagnose", usage=USAGE, help_epilogue=EXIT_CODES, help_format="plaintext")
STYLES = {"✓": "green", "✗": "red", "?": "yellow"}
ROBUST_ADVICE = " Use robust='HC3'."
PROBABILITY = validators.Number(gt=0, lt=1)


@app.default
def diagnose(
    table: TableName = None,
    /,
    *,
    file: DataFile = None,
    asked: AskedOfColumns | None = None,
    robust: Annotated[
        Literal["HC0", "HC1", "HC2", "HC3"] | None,
        Parameter(
            group=MODEL,
            help="Standard errors that allow unequal variances; HC3 is the careful choice.",
        ),
    ] = None,
    level: Annotated[
        float,
        Parameter(group=MODEL, help="Of the confidence intervals.", validator=PROBABILITY),
    ] = 0.95,
    fit_intercept: Annotated[
        FitIntercept, Parameter(group=MODEL, help="With an intercept, or through the origin.")
    ] = None,
    plot: Annotated[
        Path | None,
        Parameter(
            name=["--plot", "--output"],
            group=SHOW,
            help="Draw the residuals, four panels, to PNG, SVG or PDF.",
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Fit a linear regression, print its table, and check its assumptions one by one.

    The exit code is 0 also when an assumption fails: a diagnosis is information, not an error.
    """
    check_figure_path(plot)
    intercept = fit_intercept is not False
    source = load_source(table, file, asked, NUMBERS, intercept=intercept)
    if source.moments is not None:
        options = {"--robust": robust, "--plot": plot, "--no-fit-intercept": not intercept}
        return _from_moments(source, level, options, json=json)
    from linscope.least_squares.figures.residuals import residuals
    from linscope.least_squares.inference.diagnose import diagnose
    from linscope.least_squares.inference.table import summary

    with progress_bars(quiet), input_errors():
        fit = _fit(source, intercept)
        figure = residuals(fit) if plot is not None else None
        found = summary(fit, robust, level), diagnose(fit)
    if json:
        _print(source, *found)
    else:
        _report(source, *found)
    if figure is not None and plot is not None:
        write_figure(figure, plot, quiet=quiet)
    elif not quiet and not json:
        origin = "" if intercept else " --no-fit-intercept"
        picture = f"linscope diagnose {source.words}{origin} --plot residuals.png"
        hints(console(), [(picture, "the same questions as pictures of the residuals")])
    return FINE


def _fit(source: Source, intercept: bool) -> Any:
    """The fit with the names of the table."""
    from linscope.least_squares.estimators.linear_regression import LinearRegression

    X = named(source.X, source.features)
    model = LinearRegression(fit_intercept=intercept).fit(X, source.y)
    return replace(model._linear_fit(rows=True), target=source.target)


def _report(source: Source, summary: Any, diagnosis: Any) -> None:
    out = console()
    header(out, f"Regression on {source.name}:", source)
    _lines(out, str(summary))
    out.print()
    verdicts = [_advice(verdict, summary.robust) for verdict in diagnosis]
    _lines(out, str(replace(diagnosis, verdicts=verdicts)))


def _print(source: Source, summary: Any, diagnosis: Any) -> None:
    """Table and verdicts as JSON; without the rows there is no diagnosis."""
    table = {each.name: getattr(summary, each.name) for each in fields(summary)}
    verdicts = None if diagnosis is None else [asdict(verdict) for verdict in diagnosis]
    more = ("vif", "condition_number")
    print_json(
        {
            "data": data_of(source),
            "table": table,
            "verdicts": verdicts,
            **{name: getattr(diagnosis, name, None) for name in more},
        }
    )


def _advice(verdict: Any, robust: str | None) -> Any:
    """The verdict in words of the command line; no advice that was taken already."""
    sentence = verdict.sentence if robust is None else verdict.sentence.removesuffix(ROBUST_ADVICE)
    return replace(verdict, sentence=in_options(sentence, ["robust"]))


def _from_moments(source: Source, level: float, options: dict[str, Any], *, json: bool) -> int:
    """A line from means, variances and covariance: nothing can be checked without the rows."""
    for option, value in options.items():
        if value:
            raise BadInput(f"{option} needs rows, and {source.name!r} has moments only")
    from linscope.least_squares.estimators.linear_regression import LinearRegression

    assert source.moments is not None
    model = LinearRegression.from_moments(**source.moments, feature_names=source.features)
    table = model.summary(level=level)
    if json:
        _print(source, table, None)
        return FINE
    out = console()
    header(out, f"Regression on {source.name}:", source)
    _lines(out, str(table))
    paragraph(out, "The assumptions cannot be checked without the rows.")
    return FINE


def _lines(out: Console, text: str) -> None:
    """Text that has its line breaks; marks of verdicts are coloured."""
    for line in text.splitlines():
        shown = Text(line)
        if line[:1] in STYLES:
            shown.stylize(f"bold {STYLES[line[0]]}", 0, 19)
        out.print(shown, soft_wrap=True)
