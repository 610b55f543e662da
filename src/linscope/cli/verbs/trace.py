"""``linscope trace``: every step of a fit."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter

from ..errors import EXIT_CODES, BadInput
from ..options import (
    RULE,
    DescentOptions,
    KernelOptions,
    LogisticOptions,
    RegressionOptions,
    RuleOptions,
    SvmOptions,
    check_combination,
    parse_weights,
    seeded,
    words_of,
)
from ..steps import descents, ending
from ..steps.traced import DescentShow, KernelShow, LogisticShow, ShowOptions, SvmShow, show
from ..tables.options import AskedOfColumns, AskedOfTable, DataFile, TableName
from ..tables.source import NUMBERS, Source, load_source

USAGE = """\
Usage: linscope trace MODEL TABLE [OPTIONS]

Examples:

  linscope trace perceptron or
  linscope trace perceptron students --init 0,0.5,0.5,0,0
  linscope trace kernel-perceptron xor --kernel poly --degree 2 --coef0 1
  linscope trace regression five_points
  linscope trace logistic or --solver stochastic
  linscope trace svm xor --kernel poly --degree 2 --gamma 1 --coef0 1 --C inf"""

PERCEPTRON_USAGE = """\
Usage: linscope trace perceptron TABLE [OPTIONS]

Examples:

  linscope trace perceptron or                          the notes' 13 visits
  linscope trace perceptron students --exact            fractions
  linscope trace perceptron students --init 0,0.5,0.5,0,0
  linscope trace perceptron non_separable --updates 900:915 --plot solutions.png
  linscope trace perceptron or --format markdown > or.md
  linscope trace perceptron my.csv --target grade --rows 20
  cat my.csv | linscope trace perceptron - --target grade --json"""

KERNEL_USAGE = """\
Usage: linscope trace kernel-perceptron TABLE [OPTIONS]

Examples:

  linscope trace kernel-perceptron xor --kernel poly --degree 2 --coef0 1
  linscope trace kernel-perceptron xor --kernel rbf --gamma 1
  linscope trace kernel-perceptron my.csv --target grade --rows 20"""

REGRESSION_USAGE = """\
Usage: linscope trace regression TABLE [OPTIONS]

Examples:

  linscope trace regression five_points                 the notes' line, step by step
  linscope trace regression five_points --exact         fractions
  linscope trace regression sbp_age                     from moments alone
  linscope trace regression five_points --solver stochastic --max-iter 20 --criterion
  linscope trace regression diabetes --alpha 0.5 --rows 5
  linscope trace regression my.csv --target price --format latex > price.tex"""

LOGISTIC_USAGE = """\
Usage: linscope trace logistic TABLE [OPTIONS]

Examples:

  linscope trace logistic or                            gradient ascent over all samples
  linscope trace logistic or --solver stochastic --no-shuffle --eta0 1 --C inf
  linscope trace logistic or --solver newton            P, its gradient, the decrement, the step
  linscope trace logistic iris --solver mini-batch --rows 5
  linscope trace logistic my.csv --target grade --criterion --plot way.png"""

SVM_USAGE = """\
Usage: linscope trace svm TABLE [OPTIONS]

Examples:

  linscope trace svm or --kernel linear --C inf         the widest margin
  linscope trace svm or --kernel linear --exact         fractions
  linscope trace svm xor --kernel poly --degree 2 --gamma 1 --coef0 1 --C inf
  linscope trace svm iris --rows 5
  linscope trace svm my.csv --target grade --criterion --plot margin.png"""

app = App(
    name="trace",
    help="Show every step of a fit.\n\nEach model explains its options: linscope trace svm --help",
    usage=USAGE,
    help_epilogue=EXIT_CODES,
    help_format="plaintext",
)


@app.command(usage=PERCEPTRON_USAGE)
def perceptron(
    table: TableName = None,
    /,
    *,
    file: DataFile = None,
    asked: AskedOfTable | None = None,
    init: Annotated[
        str | None,
        Parameter(
            group=RULE,
            help="First weights: zeros, random, or numbers 0,0.5,1/4 (bias first).",
            allow_leading_hyphen=True,
        ),
    ] = None,
    options: RuleOptions | None = None,
    what: ShowOptions | None = None,
) -> int:
    """Train a perceptron and print every visit of a sample.

    A data set of the lecture notes brings the settings of its printed run; options override them.
    """
    given = (options or RuleOptions()).given()
    if init is not None:
        given["init"] = parse_weights(init)
    what = what or ShowOptions()
    what.check()
    source = load_source(table, file, asked)
    from linscope.perceptron.estimators.perceptron import Perceptron

    return _perceptron(Perceptron, source, given, what)


@app.command(usage=KERNEL_USAGE)
def kernel_perceptron(
    table: TableName = None,
    /,
    *,
    file: DataFile = None,
    asked: AskedOfTable | None = None,
    kernel: KernelOptions | None = None,
    options: RuleOptions | None = None,
    what: KernelShow | None = None,
) -> int:
    """Train a perceptron in the feature space of a kernel and print every visit of a sample."""
    given = {**(kernel or KernelOptions()).given(), **(options or RuleOptions()).given()}
    what = what or KernelShow()
    what.check()
    source = load_source(table, file, asked)
    from linscope.perceptron.estimators.kernel_perceptron import KernelPerceptron

    return _perceptron(KernelPerceptron, source, given, what)


def _perceptron(model: Any, source: Source, given: dict[str, Any], what: ShowOptions) -> int:
    """A perceptron with the settings of the notes' run, as far as it has them."""
    known = model().get_params()
    settings = {name: value for name, value in source.settings.items() if name in known}
    if given.get("fit_intercept") is False:
        settings.pop("init", None)  # the notes' first weights have a bias, which this model has not
    check_combination({**settings, **given})
    estimator = model(**{**settings, **given})
    if what.plot is not None:
        ending.check_drawable(estimator, source, what.updates is not None)
    from_notes = [name for name in settings if name not in given]
    options = ending.settings(from_notes, given)
    return show(estimator, source, given, what, ending.TELLING[model.__name__], options)


@app.command(usage=REGRESSION_USAGE)
def regression(
    table: TableName = None,
    /,
    *,
    file: DataFile = None,
    asked: AskedOfColumns | None = None,
    model: RegressionOptions | None = None,
    descent: DescentOptions | None = None,
    what: DescentShow | None = None,
) -> int:
    """Fit a line or plane by least squares and print how its weights come about.

    In closed form every quantity is shown, from the means to the residuals; with another --solver
    every step of the descent.
    """
    model, what = model or RegressionOptions(), what or DescentShow()
    given = {**model.given(), **(descent or DescentOptions()).given_for(model.solver)}
    what.check_for(model.solver)
    source = load_source(table, file, asked, NUMBERS, intercept=model.fit_intercept is not False)
    if source.X is None and given:
        option = words_of(given).split()[0]
        raise BadInput(f"{option} needs rows, and {source.name!r} has moments only")
    from linscope.least_squares.estimators.linear_regression import LinearRegression
    from linscope.least_squares.estimators.ridge import Ridge

    estimator: Any = (Ridge if "alpha" in given else LinearRegression)(**seeded(given))
    return show(estimator, source, given, what, descents.REGRESSION)


@app.command(usage=LOGISTIC_USAGE)
def logistic(
    table: TableName = None,
    /,
    *,
    file: DataFile = None,
    asked: AskedOfTable | None = None,
    model: LogisticOptions | None = None,
    descent: DescentOptions | None = None,
    what: LogisticShow | None = None,
) -> int:
    """Fit a logistic regression by gradient ascent, or by Newton's method, and print every step."""
    model, what = model or LogisticOptions(), what or LogisticShow()
    solver = model.solver or "batch"
    given = {**model.given(), **(descent or DescentOptions()).given_for(solver)}
    what.check()
    source = load_source(table, file, asked)
    from linscope.logistic.estimators.logistic_regression import LogisticRegression

    estimator = LogisticRegression(**{"solver": solver, **seeded(given)})
    return show(estimator, source, given, what, descents.LOGISTIC)


@app.command(usage=SVM_USAGE)
def svm(
    table: TableName = None,
    /,
    *,
    file: DataFile = None,
    asked: AskedOfTable | None = None,
    model: SvmOptions | None = None,
    kernel: KernelOptions | None = None,
    what: SvmShow | None = None,
) -> int:
    """Train a support vector machine by sequential minimal optimisation and print every pair."""
    given = {**(kernel or KernelOptions()).given(), **(model or SvmOptions()).given()}
    what = what or SvmShow()
    what.check()
    source = load_source(table, file, asked)
    if what.plot is not None:
        source.check_drawable()
    from linscope.kernel_svm.estimators.svc import SVC

    return show(SVC(**given), source, given, what, descents.SVM)
