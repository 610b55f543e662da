"""The perceptron's parameters as options; what is not given comes from the notes or the model."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter, validators

from .errors import BadInput

RULE = Group("Rule", sort_key=2)
SHOW = Group("What is shown", sort_key=3)
POSITIVE = validators.Number(gt=0, lt=math.inf)
AT_LEAST_ONE = validators.Number(gte=1)
AT_LEAST_ZERO = validators.Number(gte=0, lt=math.inf)
SEED = validators.Number(gte=0, lt=2**32)


@Parameter(name="*", group=RULE)
@dataclass(frozen=True, kw_only=True)
class RuleOptions:
    """Options that both perceptrons have; None means not given."""

    tie: Annotated[
        Literal["update", "positive", "negative"] | None,
        Parameter(help="Score 0 is a mistake (update, the default), counts for +1, or for -1."),
    ] = None
    eta0: Annotated[
        float | None, Parameter(help="Learning rate, 1 by default.", validator=POSITIVE)
    ] = None
    schedule: Annotated[
        Literal["constant", "inverse"] | None,
        Parameter(help="The rate stays, or is eta0/k at update k."),
    ] = None
    margin: Annotated[
        float | None,
        Parameter(
            help="A mistake is y·w·x not above this (if equal, --tie decides); 0 by default.",
            validator=AT_LEAST_ZERO,
        ),
    ] = None
    rule: Annotated[
        Literal["single", "batch", "mini-batch"] | None,
        Parameter(help="Correct after each mistake, each pass, or each batch."),
    ] = None
    batch_size: Annotated[
        int | None,
        Parameter(help="Samples a mini-batch, 32 by default.", validator=AT_LEAST_ONE),
    ] = None
    output: Annotated[
        Literal["last", "averaged", "voted", "pocket"] | None,
        Parameter(help="Which vector is the answer; the last by default."),
    ] = None
    stop: Annotated[
        Literal["streak", "pass"] | None,
        Parameter(help="End after n correct visits in a row (streak), or a clean pass."),
    ] = None
    shuffle: Annotated[
        bool | None, Parameter(help="A new random order each pass.", negative=())
    ] = None
    random_state: Annotated[
        int | None, Parameter(help="Seed of --shuffle and --init random.", validator=SEED)
    ] = None
    max_iter: Annotated[
        int | None, Parameter(help="Most passes, 1000 by default.", validator=AT_LEAST_ONE)
    ] = None
    multi_class: Annotated[
        Literal["ovr", "ovo"] | None,
        Parameter(help="More than 2 classes: one against the rest, or each pair."),
    ] = None
    no_intercept: Annotated[
        bool, Parameter(help="Do not augment the samples with 1.", negative=(), show_default=False)
    ] = False

    def given(self) -> dict[str, Any]:
        """Estimator parameters that were given on the command line."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        if values.pop("no_intercept"):
            values["fit_intercept"] = False
        return {name: value for name, value in values.items() if value is not None}


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
        if name == "fit_intercept":
            words.append("--no-intercept")
        elif value is True:
            words.append(f"--{name}")
        else:
            numbers = value if isinstance(value, list) else [value]
            texts = (f"{v:g}" if isinstance(v, float) else str(v) for v in numbers)
            words.append(f"--{name} {','.join(texts)}")
    return " ".join(words).replace("_", "-")


def in_options(message: str, names: Iterable[str]) -> str:
    """Parameters in a message of the library, as the options that they are here."""
    parameter = re.compile(rf"\b({'|'.join(names)})=(?:'([^']*)'|([\w.+-]*\w))")

    def option(match: re.Match[str]) -> str:
        name, value = match[1], match[2] or match[3]
        if name == "fit_intercept":
            return "--no-intercept"
        return f"--{name.replace('_', '-')}" + ("" if value == "True" else f" {value}")

    return parameter.sub(option, message)


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


def parse_range(text: str) -> tuple[int, int]:
    """``900:915`` as (900, 915); one number is a range of itself."""
    first, _, last = text.partition(":")
    try:
        low, high = int(first), int(last or first)
    except ValueError:
        raise BadInput(f"--updates {text}: give a range such as 900:915") from None
    if not 1 <= low <= high:
        raise BadInput(f"--updates {text}: a range goes up from 1 or more, such as 900:915")
    return low, high
