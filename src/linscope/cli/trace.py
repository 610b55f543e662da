"""``linscope trace``: every step of a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from cyclopts import App, Group, Parameter

from .errors import BadInput
from .options import AT_LEAST_ZERO, POSITIVE, RULE, RuleOptions, check_combination, parse_weights
from .regression import load_regression
from .source import DATA, DataFile, DataName, Source, Target, load_source
from .steps import ShowOptions, show
from .trace_logistic import LogisticOptions, show_logistic
from .trace_regression import DescentOptions, ModelOptions, RegressionShow, show_regression
from .trace_svm import SvmOptions, SvmShow, show_svm

EPILOGUE = """\
Examples:

  linscope trace perceptron or
  linscope trace perceptron students --init 0,0.5,0.5,0,0
  linscope trace kernel-perceptron xor --kernel poly --degree 2 --coef0 1
  linscope trace regression five_points
  linscope trace logistic or --solver stochastic
  linscope trace svm xor --kernel poly --degree 2 --gamma 1 --coef0 1 --C inf

Each model explains its options: linscope trace perceptron --help"""

PERCEPTRON_EPILOGUE = """\
Examples:

  linscope trace perceptron or                          the notes' 13 visits
  linscope trace perceptron students --exact            fractions
  linscope trace perceptron students --init 0,0.5,0.5,0,0
  linscope trace perceptron non_separable --updates 900:915 --plot solutions.png
  linscope trace perceptron or --format markdown > or.md
  linscope trace perceptron --data my.csv --target grade --rows 20"""

KERNEL_EPILOGUE = """\
Examples:

  linscope trace kernel-perceptron xor --kernel poly --degree 2 --coef0 1
  linscope trace kernel-perceptron xor --kernel rbf --gamma 1
  linscope trace kernel-perceptron --data my.csv --target grade --rows 20"""

REGRESSION_EPILOGUE = """\
Examples:

  linscope trace regression five_points                 the notes' line, step by step
  linscope trace regression five_points --exact         fractions
  linscope trace regression sbp_age                     from moments alone
  linscope trace regression five_points --solver stochastic --max-iter 20 --criterion
  linscope trace regression diabetes --alpha 0.5 --rows 5
  linscope trace regression --data my.csv --target price --format latex > price.tex"""

LOGISTIC_EPILOGUE = """\
Examples:

  linscope trace logistic or                            gradient ascent over all samples
  linscope trace logistic or --solver stochastic --no-shuffle --eta0 1 --C inf
  linscope trace logistic iris --solver mini-batch --rows 5
  linscope trace logistic --data my.csv --target grade --criterion --plot way.png"""

SVM_EPILOGUE = """\
Examples:

  linscope trace svm or --kernel linear --C inf         the widest margin
  linscope trace svm xor --kernel poly --degree 2 --gamma 1 --coef0 1 --C inf
  linscope trace svm iris --rows 5
  linscope trace svm --data my.csv --target grade --criterion --plot margin.png"""

app = App(
    name="trace",
    help="Show every step of a fit.",
    help_epilogue=EPILOGUE,
    help_format="plaintext",
)
KERNEL = Group("Kernel", sort_key=1)
NumberTarget = Annotated[
    str | None, Parameter(group=DATA, help="Column of the file with the numbers to predict.")
]


@Parameter(name="*", group=KERNEL)
@dataclass(frozen=True, kw_only=True)
class KernelOptions:
    """The kernel; None means not given."""

    kernel: Annotated[
        Literal["rbf", "linear", "poly", "sigmoid"], Parameter(help="Similarity of two samples.")
    ] = "rbf"
    gamma: Annotated[
        float | None,
        Parameter(help="Of rbf, poly and sigmoid; 1/(d·variance) by default.", validator=POSITIVE),
    ] = None
    degree: Annotated[
        int | None, Parameter(help="Of poly, 3 by default.", validator=AT_LEAST_ZERO)
    ] = None
    coef0: Annotated[
        float | None,
        Parameter(help="Of poly and sigmoid, 0 by default.", allow_leading_hyphen=True),
    ] = None

    def given(self) -> dict[str, Any]:
        """Estimator parameters that were given on the command line."""
        uses = {
            "gamma": ("rbf", "poly", "sigmoid"),
            "degree": ("poly",),
            "coef0": ("poly", "sigmoid"),
        }
        values: dict[str, Any] = {"kernel": self.kernel}
        for name, kernels in uses.items():
            value = getattr(self, name)
            if value is None:
                continue
            if self.kernel not in kernels:
                raise BadInput(f"--{name} belongs to --kernel {' or '.join(kernels)}")
            values[name] = value
        return values


@app.command(help_epilogue=PERCEPTRON_EPILOGUE)
def perceptron(
    data: DataName = None,
    /,
    *,
    file: DataFile = None,
    target: Target = None,
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
    options, what = options or RuleOptions(), what or ShowOptions()
    given = options.given()
    if init is not None:
        given["init"] = parse_weights(init)
    what.check()
    source = load_source(data, file, target)
    from linscope.perceptron.estimators.perceptron import Perceptron

    return _trace(Perceptron, source, given, source.settings, what)


@app.command(help_epilogue=KERNEL_EPILOGUE)
def kernel_perceptron(
    data: DataName = None,
    /,
    *,
    file: DataFile = None,
    target: Target = None,
    kernel: KernelOptions | None = None,
    options: RuleOptions | None = None,
    what: ShowOptions | None = None,
) -> int:
    """Train a perceptron in the feature space of a kernel and print every visit of a sample."""
    kernel = kernel or KernelOptions()
    options, what = options or RuleOptions(), what or ShowOptions()
    given = {**kernel.given(), **options.given()}
    what.check()
    source = load_source(data, file, target)
    from linscope.perceptron.estimators.kernel_perceptron import KernelPerceptron

    known = KernelPerceptron().get_params()
    settings = {name: value for name, value in source.settings.items() if name in known}
    return _trace(KernelPerceptron, source, given, settings, what)


@app.command(help_epilogue=REGRESSION_EPILOGUE)
def regression(
    data: DataName = None,
    /,
    *,
    file: DataFile = None,
    target: NumberTarget = None,
    model: ModelOptions | None = None,
    descent: DescentOptions | None = None,
    what: RegressionShow | None = None,
) -> int:
    """Fit a line or plane by least squares and print how its weights come about.

    In closed form every quantity is shown, from the means to the residuals; with another --solver
    every step of the descent.
    """
    model, what = model or ModelOptions(), what or RegressionShow()
    given = {**model.given(), **(descent or DescentOptions()).given(model.solver)}
    what.check_for(model.solver)
    source = load_regression(data, file, target, intercept=not model.no_intercept)
    return show_regression(source, given, what)


@app.command(help_epilogue=LOGISTIC_EPILOGUE)
def logistic(
    data: DataName = None,
    /,
    *,
    file: DataFile = None,
    target: Target = None,
    model: LogisticOptions | None = None,
    descent: DescentOptions | None = None,
    what: RegressionShow | None = None,
) -> int:
    """Fit a logistic regression by gradient ascent and print every step."""
    model, what = model or LogisticOptions(), what or RegressionShow()
    given = {**model.given(), **(descent or DescentOptions()).given(model.solver)}
    what.check()
    return show_logistic(load_source(data, file, target), given, what)


@app.command(help_epilogue=SVM_EPILOGUE)
def svm(
    data: DataName = None,
    /,
    *,
    file: DataFile = None,
    target: Target = None,
    model: SvmOptions | None = None,
    kernel: KernelOptions | None = None,
    what: SvmShow | None = None,
) -> int:
    """Train a support vector machine by sequential minimal optimisation and print every pair."""
    model, kernel, what = model or SvmOptions(), kernel or KernelOptions(), what or SvmShow()
    given = {**kernel.given(), **model.given()}
    what.check()
    return show_svm(load_source(data, file, target), given, what)


def _trace(
    model: Any, source: Source, given: dict[str, Any], settings: dict[str, Any], what: ShowOptions
) -> int:
    if given.get("fit_intercept") is False and "init" not in given:
        # The notes' first weights have a bias, which this model has not.
        settings = {name: value for name, value in settings.items() if name != "init"}
    check_combination({**settings, **given})
    from_notes = {name: value for name, value in settings.items() if name not in given}
    return show(model(**{**settings, **given}), source, from_notes, given, what)
