"""Models, metrics and numbers as they stand in a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

METRICS = {
    "balanced_accuracy": "balanced accuracy",
    "accuracy": "accuracy",
    "log_loss": "log loss",
    "brier": "Brier score",
    "roc_auc": "ROC AUC",
    "f1": "F1",
    "rmse": "RMSE",
    "mae": "mean absolute error",
    "r2": "R²",
}
SHARES = frozenset({"balanced_accuracy", "accuracy"})  # differences are percentage points
ERRORS = frozenset({"rmse", "mae"})  # in units of the target
PERSONS = frozenset({"Gaussian", "Fisher", "Huber"})
WITHOUT_ARTICLE = ("regression", "boosting", "Bayes", "always")


def model(title: str) -> str:
    """A candidate's title inside a sentence.

    >>> model("SVM, rbf kernel"), model("Logistic regression, l2"), model("Fisher discriminant")
    ('the SVM (rbf kernel)', 'logistic regression (l2)', 'the Fisher discriminant')
    >>> model("Gradient boosting (not linear)"), model("Least-squares classifier")
    ('gradient boosting', 'the least-squares classifier')
    """
    head, _, tail = title.removesuffix(" (not linear)").partition(", ")
    first = head.split()[0]
    if first not in PERSONS and first.capitalize() == first:
        head = head[0].lower() + head[1:]
    bare = any(head.endswith(word) or f"{word} " in head for word in WITHOUT_ARTICLE)
    return ("" if bare else "the ") + head + (f" ({tail})" if tail else "")


def capital(sentence: str) -> str:
    """With a capital letter in front."""
    return sentence[:1].upper() + sentence[1:]


def metric(name: str) -> str:
    """What the metric is called in a sentence."""
    return METRICS.get(name, name.replace("_", " "))


def amount(
    difference: float, name: str, target: str, to_digits: Callable[[float], float] = round
) -> str:
    """The size of a difference in a metric, with its unit; ``to_digits`` rounds the third digit.

    >>> amount(-0.0123, "accuracy", "churn"), amount(0.01, "balanced_accuracy", "churn")
    ('1.23 percentage points', '1 percentage point')
    >>> amount(1234.5, "rmse", "price"), amount(0.0104, "roc_auc", "churn")
    ('1,230 units of price', '0.0104 in ROC AUC')
    """
    if name in SHARES:
        text = digits(abs(100 * difference), to_digits)
        return f"{text} percentage point{'' if text == '1' else 's'}"
    text = digits(abs(difference), to_digits)
    if name in ERRORS:
        return f"{text} unit{'' if text == '1' else 's'} of {target}"
    return f"{text} in {metric(name)}"


def digits(value: float, to_digits: Callable[[float], float] = round) -> str:
    """Three digits, thousands apart, no trailing zeros.

    >>> digits(0.0099999), digits(31234.5), digits(2.5e-9), digits(2.109, math.ceil), digits(0)
    ('0.01', '31,200', '2.5e-09', '2.11', '0')
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    power = math.floor(math.log10(abs(value))) - 2
    # Rounding noise in the last bits must not push a value up or down by one digit.
    whole = to_digits(round(value / 10.0**power, 6))
    rounded = whole * 10.0**power
    if not 1e-5 < abs(rounded) < 1e9:
        return f"{rounded:.3g}"
    text = f"{rounded:,.{max(0, -power)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def score(value: float) -> str:
    """Three decimals of what lies on a scale of 1, else three digits.

    >>> score(0.77), score(38612.0), score(-0.1234)
    ('0.770', '38,600', '−0.123')
    """
    text = f"{value:.3f}" if abs(value) < 10 else digits(value)
    return text.replace("-", "−")


def chance(value: float) -> str:
    """A probability; folds never make anything certain.

    >>> chance(0.974), chance(0.9999), chance(0.001), chance(1.0)
    ('0.97', '> 0.99', '< 0.01', '> 0.99')
    """
    if value < 0.01:
        return "< 0.01"
    return "> 0.99" if value > 0.99 else f"{value:.2f}"


def probability(value: float) -> str:
    """The same after a P.

    >>> probability(0.974), probability(0.9999)
    ('P = 0.97', 'P > 0.99')
    """
    text = chance(value)
    return f"P {text}" if text[0] in "<>" else f"P = {text}"


def times(ratio: float) -> str:
    """A measured ratio: two digits are more than enough.

    >>> times(1.52), times(9.96), times(41.7), times(1234)
    ('1.5 times', '10 times', '42 times', '1,200 times')
    """
    if ratio < 9.95:
        return f"{ratio:.1f}".removesuffix(".0") + " times"
    size = 10 ** max(0, math.floor(math.log10(ratio)) - 1)
    return f"{size * round(ratio / size):,} times"


def seconds(value: float) -> str:
    """A time with two digits.

    >>> seconds(0.0123), seconds(0.47), seconds(12.3)
    ('12 ms', '470 ms', '12 s')
    """
    value, unit = (1000 * value, "ms") if value < 1 else (value, "s")
    return f"{value:.2g} {unit}" if value < 100 else f"{round(value, -1):,.0f} {unit}"


def listed(names: Iterable[str], last: str = "and") -> str:
    """``a, b and c``."""
    *first, end = names
    return f"{', '.join(first)} {last} {end}" if first else end
