"""``linscope diagnose``: a linear regression step by step, with its assumptions checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter, validators
from rich.console import Console
from rich.text import Text

from .errors import FINE, BadInput, input_errors
from .figures import check_figure_path, named, write_figure
from .options import Flag, in_options
from .screen import console, header, hints, paragraph, progress_bars
from .source import NUMBERS, DataFile, DataName, NumberTarget, Source, load_source

EPILOGUE = """\
Examples:

  linscope diagnose five_points
  linscope diagnose diabetes --robust HC3 --plot residuals.png
  linscope diagnose my.csv --target price --level 0.9
  linscope diagnose sbp_age                             from moments alone"""

app = App(name="diagnose", help_epilogue=EPILOGUE, help_format="plaintext")
STYLES = {"✓": "green", "✗": "red", "?": "yellow"}
ROBUST_ADVICE = " Use robust='HC3'."
PROBABILITY = validators.Number(gt=0, lt=1)


@app.default
def diagnose(
    data: DataName = None,
    /,
    *,
    file: DataFile = None,
    target: NumberTarget = None,
    robust: Annotated[
        Literal["HC0", "HC1", "HC2", "HC3"] | None,
        Parameter(help="Standard errors that allow unequal variances; HC3 is the careful choice."),
    ] = None,
    level: Annotated[
        float, Parameter(help="Of the confidence intervals.", validator=PROBABILITY)
    ] = 0.95,
    no_intercept: Annotated[Flag, Parameter(help="A line through the origin.")] = False,
    plot: Annotated[
        Path | None,
        Parameter(
            name=["--plot", "--output"], help="Draw the residuals, four panels, to PNG, SVG or PDF."
        ),
    ] = None,
) -> int:
    """Fit a linear regression, print its table, and check its assumptions one by one.

    The exit code is 0 also when an assumption fails: a diagnosis is information, not an error.
    """
    check_figure_path(plot)
    source = load_source(data, file, target, NUMBERS, intercept=not no_intercept)
    from linscope.least_squares.figures.residuals import residuals

    out = console()
    if source.moments is not None:
        return _from_moments(out, source, robust, level, plot, no_intercept)
    with progress_bars(), input_errors():
        fit = _fit(source, not no_intercept)
        figure = residuals(fit) if plot is not None else None
        _report(out, source, fit, robust, level)
    if figure is not None and plot is not None:
        write_figure(figure, plot)
    else:
        asked = " --no-intercept" if no_intercept else ""
        picture = f"linscope diagnose {source.words}{asked} --plot residuals.png"
        hints(out, [(picture, "the same questions as pictures of the residuals")])
    return FINE


def _fit(source: Source, intercept: bool) -> Any:
    """The fit with the names of the table."""
    from linscope.least_squares.estimators.linear_regression import LinearRegression

    X = named(source.X, source.features)
    model = LinearRegression(fit_intercept=intercept).fit(X, source.y)
    fit = model._linear_fit(rows=True)
    names = ["intercept"] * intercept + source.features
    return replace(fit, names=names, target=source.target)


def _report(out: Console, source: Source, fit: Any, robust: str | None, level: float) -> None:
    from linscope.least_squares.inference.diagnose import diagnose
    from linscope.least_squares.inference.table import summary

    table = summary(fit, robust, level)
    diagnosis = diagnose(fit)
    header(out, f"Regression on {source.name}:", source)
    _lines(out, str(table))
    out.print()
    _lines(out, str(replace(diagnosis, verdicts=[_advice(v, robust) for v in diagnosis])))


def _advice(verdict: Any, robust: str | None) -> Any:
    """The verdict in words of the command line; no advice that was taken already."""
    sentence = verdict.sentence if robust is None else verdict.sentence.removesuffix(ROBUST_ADVICE)
    return replace(verdict, sentence=in_options(sentence, ["robust"]))


def _from_moments(
    out: Console,
    source: Source,
    robust: str | None,
    level: float,
    plot: Path | None,
    no_intercept: bool,
) -> int:
    """A line from means, variances and covariance: nothing can be checked without the rows."""
    asked = {"--robust": robust, "--plot": plot, "--no-intercept": no_intercept or None}
    for option, value in asked.items():
        if value is not None:
            raise BadInput(f"{option} needs rows, and {source.name!r} has moments only")
    from linscope.least_squares.estimators.linear_regression import LinearRegression

    assert source.moments is not None
    model = LinearRegression.from_moments(**source.moments, feature_names=source.features)
    header(out, f"Regression on {source.name}:", source)
    _lines(out, str(model.summary(level=level)))
    paragraph(out, "The assumptions cannot be checked without the rows.")
    return FINE


def _lines(out: Console, text: str) -> None:
    """Text that has its line breaks; marks of verdicts are coloured."""
    for line in text.splitlines():
        shown = Text(line)
        if line[:1] in STYLES:
            shown.stylize(f"bold {STYLES[line[0]]}", 0, 19)
        out.print(shown, soft_wrap=True)
