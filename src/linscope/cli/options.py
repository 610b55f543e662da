"""What can be given to a traced model, as options; None means not given.

What is not given comes from the notes' run of a data set, or from the model.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import chain
from typing import Annotated, Any, Literal

from cyclopts import App, Group, Parameter, validators

from .errors import BadInput

KERNEL, MODEL = Group("Kernel", sort_key=1), Group("Model", sort_key=1)
RULE, DESCENT = Group("Rule", sort_key=2), Group("Descent", sort_key=2)
SHOW = Group("What is shown", sort_key=3)
DESCENTS = ("batch", "stochastic", "mini-batch")


def _checked(**limits: float) -> Parameter:
    return Parameter(validator=validators.Number(**limits))


Flag = Annotated[bool, Parameter(negative=(), show_default=False)]
Json = Annotated[
    Flag,
    Parameter(group=SHOW, help="One JSON document and nothing else (docs/command_line.md)."),
]
Quiet = Annotated[Flag, Parameter(group=SHOW, help="No progress, no hints.")]
Positive = Annotated[float | None, _checked(gt=0, lt=math.inf)]
AtLeastZero = Annotated[float | None, _checked(gte=0, lt=math.inf)]
WholeAtLeastZero = Annotated[int | None, _checked(gte=0, lt=math.inf)]
Whole = Annotated[int | None, _checked(gte=1)]
Seed = Annotated[int | None, _checked(gte=0, lt=2**32)]
Schedule = Annotated[
    Literal["constant", "inverse"] | None,
    Parameter(help="The rate stays, or is eta0/k at update k."),
]
BatchSize = Annotated[Whole, Parameter(help="Samples of a mini-batch, 32 by default.")]
MaxIter = Annotated[Whole, Parameter(help="Most passes, 1000 by default.")]
# What C means is said by each model.
C = Annotated[float | None, Parameter(name=("--C", "--c")), _checked(gt=0)]
FitIntercept = Annotated[
    bool | None, Parameter(help="Augment the samples with 1, the default, or do not.")
]


@dataclass(frozen=True, kw_only=True)
class Options:
    """Parameters of an estimator as options."""

    def given(self) -> dict[str, Any]:
        """Estimator parameters that were given on the command line."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"C" if name == "c" else name: v for name, v in values.items() if v is not None}


@Parameter(name="*", group=RULE)
@dataclass(frozen=True, kw_only=True)
class RuleOptions(Options):
    """Options that both perceptrons have."""

    tie: Annotated[
        Literal["update", "positive", "negative"] | None,
        Parameter(help="Score 0 is a mistake (update, the default), counts for +1, or for -1."),
    ] = None
    eta0: Annotated[Positive, Parameter(help="Learning rate, 1 by default.")] = None
    schedule: Schedule = None
    margin: Annotated[
        AtLeastZero,
        Parameter(
            help="A mistake is y·w·x not above this (if equal, --tie decides); 0 by default."
        ),
    ] = None
    rule: Annotated[
        Literal["single", "batch", "mini-batch"] | None,
        Parameter(help="Correct after each mistake, each pass, or each batch."),
    ] = None
    batch_size: BatchSize = None
    output: Annotated[
        Literal["last", "averaged", "voted", "pocket"] | None,
        Parameter(help="Which vector is the answer, the last by default; voted: --rule single."),
    ] = None
    stop: Annotated[
        Literal["streak", "pass"] | None,
        Parameter(help="End after n correct visits in a row (streak), or a clean pass."),
    ] = None
    shuffle: Annotated[
        bool | None, Parameter(help="A new random order each pass, or the given one.")
    ] = None
    random_state: Annotated[Seed, Parameter(help="Seed of --shuffle and --init random.")] = None
    max_iter: MaxIter = None
    multi_class: Annotated[
        Literal["ovr", "ovo"] | None,
        Parameter(help="More than 2 classes: one against the rest, or each pair."),
    ] = None
    fit_intercept: FitIntercept = None


@Parameter(name="*", group=KERNEL)
@dataclass(frozen=True, kw_only=True)
class KernelOptions(Options):
    """The kernel."""

    kernel: Annotated[
        Literal["rbf", "gaussian", "linear", "poly", "polynomial", "sigmoid"] | None,
        Parameter(
            help="Similarity of two samples, rbf by default; gaussian is rbf, polynomial is poly."
        ),
    ] = None
    gamma: Annotated[
        Positive, Parameter(help="Of rbf, poly and sigmoid; 1/(d·variance) by default.")
    ] = None
    sigma: Annotated[Positive, Parameter(help="In place of gamma: the width, γ = 1/(2σ²).")] = None
    degree: Annotated[WholeAtLeastZero, Parameter(help="Of poly, 3 by default.")] = None
    coef0: Annotated[
        float | None,
        Parameter(help="Of poly and sigmoid, 0 by default.", allow_leading_hyphen=True),
    ] = None

    def given(self) -> dict[str, Any]:
        """Estimator parameters that were given, if the kernel has them."""
        uses = {
            "gamma": ("rbf", "poly", "sigmoid"),
            "sigma": ("rbf", "poly", "sigmoid"),
            "degree": ("poly",),
            "coef0": ("poly", "sigmoid"),
        }
        from linscope.kernels import kernel_name

        values = super().given()
        for name, kernels in uses.items():
            if name in values and kernel_name(self.kernel or "rbf") not in kernels:
                raise BadInput(f"--{name} belongs to --kernel {' or '.join(kernels)}")
        return values


@Parameter(name="*", group=MODEL)
@dataclass(frozen=True, kw_only=True)
class RegressionOptions(Options):
    """What a regression fits, and how."""

    solver: Annotated[
        Literal["exact", "batch", "stochastic", "mini-batch"],
        Parameter(help="The closed form, or gradient descent by all, one or some samples."),
    ] = "exact"
    alpha: Annotated[AtLeastZero, Parameter(help="Ridge penalty, none by default.")] = None
    fit_intercept: Annotated[
        FitIntercept, Parameter(help="With an intercept, or through the origin.")
    ] = None

    def given(self) -> dict[str, Any]:
        """Estimator parameters that were given on the command line."""
        return {name: value for name, value in super().given().items() if value != "exact"}


@Parameter(name="*", group=MODEL)
@dataclass(frozen=True, kw_only=True)
class LogisticOptions(Options):
    """What a logistic regression fits, and how."""

    solver: Annotated[
        Literal["batch", "stochastic", "mini-batch", "newton", "trust-region", "auto"] | None,
        Parameter(
            help="Gradient steps by all (the default), one or some samples; Newton's method for 2 "
            "classes; or what a fit takes by itself."
        ),
    ] = None
    c: Annotated[
        C,
        Parameter(help="Weight of the loss against the penalty, 1 by default; inf is no penalty."),
    ] = None
    multi_class: Annotated[
        Literal["softmax", "ovr", "ovo"] | None,
        Parameter(help="More than 2 classes: all at once, one against the rest, or each pair."),
    ] = None
    fit_intercept: FitIntercept = None


@Parameter(name="*", group=MODEL)
@dataclass(frozen=True, kw_only=True)
class SvmOptions(Options):
    """What a support vector machine fits, and how closely."""

    c: Annotated[C, Parameter(help="Price of slack, 1 by default; inf is the hard margin.")] = None
    tol: Annotated[
        Positive, Parameter(help="Gap m − M at which the run ends, 0.001 by default.")
    ] = None
    max_iter: Annotated[Whole, Parameter(help="Most pairs.")] = None
    multi_class: Annotated[
        Literal["ovo", "ovr"] | None,
        Parameter(help="More than 2 classes: each pair, or one against the rest."),
    ] = None


@Parameter(name="*", group=DESCENT)
@dataclass(frozen=True, kw_only=True)
class DescentOptions(Options):
    """How a descent goes."""

    eta0: Annotated[Positive, Parameter(help="Learning rate; a safe one by default.")] = None
    schedule: Schedule = None
    batch_size: BatchSize = None
    shuffle: Annotated[
        bool | None,
        Parameter(help="Visit samples (not batch) in a random order, the default, or as given."),
    ] = None
    tol: Annotated[AtLeastZero, Parameter(help="Stop when η‖∇J‖ is at most this.")] = None
    max_iter: MaxIter = None
    random_state: Annotated[
        Seed, Parameter(help="Seed of the order of the visits (not batch), 0 by default.")
    ] = None

    def given_for(self, solver: str) -> dict[str, Any]:
        """Estimator parameters that were given, if they do anything with this solver."""
        values = self.given()
        ordered = DESCENTS[1:]
        some = {"batch_size": DESCENTS[2:], "shuffle": ordered, "random_state": ordered}
        for name, value in values.items():
            only = some.get(name, DESCENTS)
            if solver not in only:
                option = words_of({name: value}).split()[0]
                raise BadInput(f"{option} needs --solver {' or '.join(only)}, not {solver}")
        return values


def seeded(given: dict[str, Any]) -> dict[str, Any]:
    """The same parameters with a seed for the order: two students should see the same steps."""
    if given.get("solver") not in DESCENTS[1:] or given.get("shuffle") is False:
        return given
    return {"random_state": 0, **given}


def check_combination(parameters: dict[str, Any]) -> None:
    """Refuse options that contradict each other, or would do nothing."""
    rule = parameters.get("rule", "single")
    if "batch_size" in parameters and rule != "mini-batch":
        raise BadInput(f"--batch-size needs --rule mini-batch, not {rule}")
    if parameters.get("output") == "voted" and rule != "single":
        raise BadInput("--output voted needs --rule single: batch rules have no votes to count")


def words_of(parameters: dict[str, Any]) -> str:
    """Estimator parameters as the options that give them."""
    words = []
    for name, value in parameters.items():
        if value is False:  # fit_intercept, shuffle
            words.append(f"--no-{name}")
        elif value is True:
            words.append(f"--{name}")
        else:
            numbers = value if isinstance(value, list) else [value]
            texts = (f"{v:g}" if isinstance(v, float) else str(v) for v in numbers)
            words.append(f"--{name} {','.join(texts)}")
    return " ".join(words).replace("_", "-")


# Calls of Python that messages advise, and the commands that do the same.
CALLS = {
    "linscope.separability(X, y)": "linscope separate",
    "certificate_.verify(X, y)": "linscope verify",
}


def options_of(command: App) -> list[str]:
    """The parameters that a command has options for."""
    names = chain.from_iterable(one.names for one in command.assemble_argument_collection())
    return [name[2:].replace("-", "_") for name in names if name.startswith("--")]


def in_options(message: str, names: Iterable[str]) -> str:
    """Parameters in a message of the library, as the options that they are here.

    >>> in_options("'a' has gaps: choose missing='drop' or keep=['a'], not fit_intercept=False",
    ...            ["missing", "keep", "fit_intercept"])
    "'a' has gaps: choose --missing drop or --keep a, not --no-fit-intercept"
    >>> in_options("raise max_iter, or use output='averaged', 'voted' or 'pocket'",
    ...            ["max_iter", "output"])
    'raise --max-iter, or use --output averaged, voted or pocket'
    >>> in_options("this is Ridge(alpha=1.0)", ["alpha"])  # an estimator is written as in Python
    'this is Ridge(alpha=1.0)'
    """
    for call, command in CALLS.items():
        message = message.replace(call, command)
    names = list(names)
    known = "|".join(map(re.escape, names))
    alone = "|".join(re.escape(name) for name in names if "_" in name) or "(?!)"
    estimator = r"\b[A-Z]\w*\([^()]*\)"
    others = r"((?:(?:, '[\w-]+')* or '[\w-]+')?)"
    parameter = re.compile(
        rf"{estimator}|(?<![\w'])({known})=(?:\[?'([^']*)'\]?{others}|\[?([\w.+-]*\w|…)\]?)"
        rf"|(?<![\w'])({alone})(?![\w'=(])"
    )

    def option(match: re.Match[str]) -> str:
        name = match[1] or match[5]
        if name is None:
            return match[0]
        value = (match[2] or match[4] or "") + (match[3] or "").replace("'", "")
        no = "no-" if value == "False" else ""
        given = "" if value in ("", "True", "False") else f" {value}"
        return f"--{no}{name.replace('_', '-')}{given}"

    return parameter.sub(option, message) if known else message


def parse_weights(text: str) -> str | list[float]:
    """``zeros``, ``random``, or numbers with commas between them; 1/4 is a number too."""
    if text in ("zeros", "random"):
        return text
    try:
        return [float(Fraction(part.strip())) for part in text.split(",")]
    except (ValueError, ZeroDivisionError, OverflowError):
        raise BadInput(
            f"--init {text}: give zeros, random, or numbers such as 0,0.5,1/4 (bias first)"
        ) from None
