"""One parameter of an estimator as an option: what may be given, in the estimator's own words.

Choices and limits are those that the estimator checks itself (``_parameter_constraints``), help is
what its docstring says, so a parameter that is added there is an option here.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from numbers import Integral
from typing import Annotated, Any, Literal

from cyclopts import Parameter

NONE = "none"
# Kernels of Python functions and of matrices are not said in a word.
NOT_HERE = frozenset({"precomputed"})
# What is written differently here than in Python.
HERE = {
    "class_weight": "balanced, or a weight for each class, as in no:1,yes:5.",
    "init": "First weights, bias first, as in 0,0.5,1/4; zeros or random.",
    "kernel": "Similarity of two samples; gaussian is rbf, polynomial is poly.",
    "priors": "Class probabilities in sorted order of the labels, as in 0.7,0.3; by default the "
    "shares in the data.",
}
LONG = 120
# How the type of a parameter begins in a docstring.
TYPE = re.compile(
    r"""(\{[^}]*\}|"[^"]*"|\b(float|int|bool|dict|array|label|None|RandomState)\b)"""
    r"""((,| or| \w+ )?\s*(\{[^}]*\}|"[^"]*"|\b(float|int|bool|None|RandomState|optional)\b))*"""
)


@dataclass(frozen=True)
class Allowed:
    """What may be given for a parameter.

    choices : words; ``none`` is None
    intervals : of scikit-learn, for numbers
    several : numbers with commas between them
    weights : class weights
    label : a class
    """

    choices: tuple[str, ...] = ()
    intervals: tuple[Any, ...] = ()
    several: bool = False
    weights: bool = False
    label: bool = False

    @property
    def only_words(self) -> bool:
        return not (self.intervals or self.several or self.weights or self.label)

    @property
    def metavar(self) -> str:
        """What stands behind the option in the help."""
        whole = all(one.type is Integral for one in self.intervals)
        kinds = ["INT" if whole else "NUMBER"] if self.intervals else []
        kinds += ["NUMBERS"] * self.several + ["CLASS:WEIGHT,…"] * self.weights
        return "|".join([*kinds, *(c for c in self.choices if c != NONE)]) or "CLASS"

    def read(self, text: str) -> Any:
        """The value that the text means.

        >>> from numbers import Real
        >>> from linscope._bridge import Interval, StrOptions
        >>> rate = allowed(Interval(Real, 0, None, closed="neither"), StrOptions({"auto"}))
        >>> rate.read("1/4"), rate.read("auto")
        (0.25, 'auto')
        """
        if text == NONE and NONE in self.choices:
            return None
        if text in self.choices or self.label:
            return text
        if self.weights:
            return _class_weights(text)
        if self.several:
            return [float(_number(part)) for part in text.split(",")]
        for interval in self.intervals:
            value = _of_type(_number(text), interval)
            if value is not None and value in interval:
                return value
        raise ValueError(f"{text!r} is not allowed: give {self.words}")

    @property
    def words(self) -> str:
        """Everything that may be given, in a clause."""
        numbers = (_interval_words(one) for one in self.intervals)
        return " or ".join(dict.fromkeys([*numbers, *self.choices]))


def allowed(*constraints: Any) -> Allowed:
    """What scikit-learn's constraints allow that can be written in a word."""
    words = [sorted(one.options) for one in constraints if hasattr(one, "options")]
    choices = [word for several in words for word in several if word not in NOT_HERE]
    seed = [_seed_interval()] if "random_state" in constraints else []
    return Allowed(
        (*choices, *([NONE] if None in constraints or seed else [])),
        (*(one for one in constraints if hasattr(one, "closed")), *seed),
        several="array-like" in constraints,
        weights=dict in constraints,
    )


def _seed_interval() -> Any:
    from linscope._bridge import Interval

    return Interval(Integral, 0, 2**32 - 1, closed="both")


def option(cls: type, name: str, default: Any, others: Iterable[type] = ()) -> Any:
    """The annotation of a field that becomes ``--name``."""
    constraints = cls._parameter_constraints[name]  # type: ignore[attr-defined]
    words = help_words(cls, name, others)
    names = [f"--{name.replace('_', '-')}"] + (["--c"] if name == "C" else [])
    if constraints == ["boolean"]:
        return Annotated[bool, Parameter(name=names, help=words)]
    free = constraints == "no_validation"
    may = Allowed((NONE,), label=True) if free else allowed(*constraints)
    if may.only_words:
        ordered = sorted(may.choices, key=lambda word: word != str(default))
        return Annotated[Literal[tuple(ordered)], Parameter(name=names, help=words)]
    return Annotated[
        Any,
        Parameter(
            name=names,
            help=words,
            converter=lambda _, tokens: may.read(tokens[0].value),
            n_tokens=1,
            allow_leading_hyphen=True,
            metavar=may.metavar,
            show_default=default is not None,
        ),
    ]


def help_words(cls: type, name: str, others: Iterable[type] = ()) -> str:
    """The first sentence on a parameter in the docstring; if it has none, in that of the others."""
    described = (_described(one).get(name, "") for one in (cls, *others))
    return HERE.get(name) or next((words for words in described if words), "")


@cache
def _described(cls: type) -> dict[str, str]:
    """Parameters that a numpydoc docstring describes, each by a sentence."""
    text = inspect.cleandoc(cls.__doc__ or "")
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n---|\Z)", text, re.M | re.S)
    found: dict[str, str] = {}
    for entry in re.split(r"^(?=\S)", section[1] if section else "", flags=re.M):
        names, _, rest = entry.partition(" : ")
        first, _, below = rest.partition("\n")
        if TYPE.match(first):
            # The sentence stands below the type, or else behind it.
            first = "" if below.strip() else TYPE.sub("", first)
        words = "" if first.startswith(("as for", "as in")) else f"{first} {below}"
        found |= dict.fromkeys(names.split(", "), _sentence(" ".join(words.split())))
    return found


def _sentence(words: str) -> str:
    """The first sentence, or its first half if it is long, without the marks of code."""
    words = words.replace("np.inf", "inf").replace("``", "").replace("*", "")
    first = re.split(r"(?<=\.)\s+(?=[A-Z\"])", words, maxsplit=1)[0].rstrip(".")
    half = re.match(rf".{{30,{LONG}}}(?=[;:] )", first)
    first = half[0] if half and len(first) > LONG else first
    return f"{first[0].upper() if first[0].isascii() else first[0]}{first[1:]}." if first else ""


def _number(text: str) -> Fraction | float:
    """A number; 1/4 is one, too."""
    try:
        return float(text) if "/" not in text else Fraction(text.strip())
    except (ValueError, ZeroDivisionError, OverflowError):
        raise ValueError(f"{text!r} is not a number") from None


def _of_type(value: Fraction | float, interval: Any) -> int | float | None:
    number = float(value)
    if interval.type is not Integral:
        return number
    return int(number) if math.isfinite(number) and number == int(number) else None


def _interval_words(interval: Any) -> str:
    whole = "a whole number" if interval.type is Integral else "a number"
    left, right = interval.left, interval.right
    if left is not None and left == right:
        return f"{left:g}"
    words = []
    if left is not None:
        least = interval.closed in ("left", "both")
        words.append(f"{'of at least' if least else 'above'} {left:g}")
    if right is not None and right != math.inf:
        words.append(f"{'up to' if interval.closed in ('right', 'both') else 'below'} {right:g}")
    return " ".join([whole, " and ".join(words)]).strip()


def _class_weights(text: str) -> dict[str, float]:
    """``no:1,yes:5`` as a dict."""
    found = {}
    for part in text.split(","):
        label, colon, weight = part.rpartition(":")
        if not colon or not label.strip():
            raise ValueError(f"{text!r} is not allowed: give balanced, or weights as in no:1,yes:5")
        found[label.strip()] = float(_number(weight))
    return found
