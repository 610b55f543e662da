"""Names and numbers as a reader should see them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from linscope.selection.comparison.advice.wording import listed as listed
from linscope.selection.comparison.advice.wording import metric as metric
from linscope.selection.comparison.findings import LESS_IS_BETTER, Candidate, Difference, Findings

# A probability from which on something is said without "perhaps"; p-values must be below 1 − it.
VERDICT = 0.95
SHORT = {"balanced_accuracy": "bal. accuracy", "mae": "MAE", "brier": "Brier"}
FAMILIES = {
    "baseline": "baseline",
    "linear": "linear",
    "kernel": "kernel",
    "reference": "not linear",
}


def short_metric(name: str) -> str:
    """What a metric is called at the head of a column."""
    return SHORT.get(name, metric(name))


def less_is_better(findings: Findings) -> bool:
    return findings.plan.metric in LESS_IS_BETTER


def minus(text: str) -> str:
    """The true minus sign, and no −0."""
    if text.startswith("-") and not text.strip("-0.,"):
        text = text[1:]
    return text.replace("-", "−")


def fixed(value: float, decimals: int) -> str:
    """A number with so many decimals, thousands apart.

    >>> fixed(-41870.04, 0), fixed(0.77, 3), fixed(-0.0001, 2)
    ('−41,870', '0.770', '0.00')
    """
    return minus(f"{value:,.{decimals}f}")


def decimals_for(widths: Iterable[float], most: int = 4) -> int:
    """Decimals at which the narrowest of the widths still has two digits.

    >>> decimals_for([0.034]), decimals_for([0.34]), decimals_for([820.0])
    (3, 2, 0)
    """
    positive = [abs(width) for width in widths if width]
    if not positive:
        return 3
    return int(min(max(1 - math.floor(math.log10(min(positive))), 0), most))


def digits(value: float, count: int = 3) -> str:
    """A number with so many digits, in plain notation where that is short.

    >>> digits(0.000123456), digits(98.4), digits(31240.0), digits(3.1e-9), digits(0.0)
    ('0.000123', '98.4', '31,240', '3.1·10⁻⁹', '0')
    """
    if value == 0:
        return "0"
    power = math.floor(math.log10(abs(value)))
    if power < -5 or power > 8:
        lead, _, exponent = f"{value:.{count - 1}e}".partition("e")
        lead = lead.rstrip("0").rstrip(".") if "." in lead else lead
        raised = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"{minus(lead)}·10{raised}"
    text = f"{value:,.{max(count - 1 - power, 0)}f}"
    return minus(text.rstrip("0").rstrip(".") if "." in text else text)


def probability(value: float) -> str:
    """Two decimals, and never a certainty that rounding alone made.

    >>> probability(0.9731), probability(0.9999), probability(0.0002), probability(1.0)
    ('0.97', '> 0.99', '< 0.01', '1')
    """
    if value in (0.0, 1.0):
        return str(int(value))
    if value < 0.01:
        return "< 0.01"
    return "> 0.99" if value > 0.99 else f"{value:.2f}"


def area(value: float) -> str:
    """Three decimals of an area under a curve, and never a 1 that rounding alone made.

    >>> area(0.87654), area(0.99961), area(1.0)
    ('0.877', '> 0.999', '1')
    """
    if value == 1.0:
        return "1"
    return "> 0.999" if value > 0.999 else fixed(value, 3)


def p_value(value: float) -> str:
    """As papers print them."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def seconds(value: float) -> str:
    """A time in the unit that suits it.

    >>> seconds(0.00071), seconds(0.12), seconds(4.9), seconds(312.0), seconds(120.0)
    ('0.71 ms', '120 ms', '4.9 s', '5 min 12 s', '2 min')
    """
    if value < 1:
        return f"{digits(1000 * value, 2)} ms"
    if value < 120:
        return f"{digits(value, 2)} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def count(n: int, noun: str, many: str | None = None) -> str:
    """``1 row``, ``2,000 rows``."""
    return f"{n:,} {noun if n == 1 else many or noun + 's'}"


def percent(value: float) -> str:
    """A share of 1: ``95 %``."""
    return f"{digits(100 * value)} %"


def plain(value: Any) -> str:
    """A parameter or a certificate's entry: text as it is, numbers short."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return digits(value, 4)
    if isinstance(value, dict):
        return ", ".join(f"{name} = {plain(part)}" for name, part in value.items())
    if isinstance(value, tuple | list):
        return ", ".join(map(plain, value))
    return "none" if value is None else str(value)


def finished(findings: Findings) -> list[Candidate]:
    """Candidates with a score in the metric of the study, the best first."""
    name = findings.plan.metric
    scored = [each for each in findings.candidates if name in each.scores]
    sign = 1.0 if less_is_better(findings) else -1.0
    return sorted(scored, key=lambda each: (sign * each.scores[name].mean, each.simplicity))


def sentence(text: str) -> str:
    """With a capital letter and a full stop.

    >>> sentence("the equations were solved")
    'The equations were solved.'
    """
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def after_answer(answer: str, text: str) -> str:
    """The reason that follows a yes or no, without saying it again.

    >>> after_answer("yes", "Yes: boosting is worse.")
    'Boosting is worse.'
    """
    begin = f"{answer}: "
    return sentence(text[len(begin) :]) if text.lower().startswith(begin) else text


def equal_to_best(findings: Findings) -> tuple[float, float]:
    """Between which scores a mean is practically equal to the best that can be recommended."""
    ranked = finished(findings)
    ranked = [each for each in ranked if each.family != "reference"] or ranked
    best = ranked[0].scores[findings.plan.metric].mean
    inner = best + findings.plan.rope * (1 if less_is_better(findings) else -1)
    return min(best, inner), max(best, inner)


def titles(findings: Findings) -> dict[str, str]:
    """The title of each candidate by its key."""
    return {each.key: each.title for each in findings.candidates}


def table_word(findings: Findings) -> str:
    """What stands for the table on a command line."""
    given = findings.command.removeprefix("linscope compare ").partition(" --")[0]
    return given or "TABLE.csv"


def verdict(pair: Difference) -> str:
    """What the probabilities and the p-value beside them say together.

    "better" and "worse" need both: the p-value is corrected for all pairs, the probabilities are
    not.
    """
    chances = {"better": pair.better, "practically equal": pair.equal, "worse": pair.worse}
    word = max(chances, key=chances.__getitem__)
    sure = word == "practically equal" or pair.p_holm < 1 - VERDICT
    return word if chances[word] >= VERDICT and sure else "open"


def against(findings: Findings, key: str) -> dict[str, Difference]:
    """Differences of one candidate to all others: positive means that it is better than the other.

    The findings hold each pair once, the better first.
    """
    found = {}
    for each in findings.differences:
        if each.a == key:
            found[each.b] = each
        elif each.b == key:
            found[each.a] = turned(each)
    return found


def turned(pair: Difference) -> Difference:
    """The same difference, seen from the other candidate."""
    return Difference(
        a=pair.b,
        b=pair.a,
        mean=-pair.mean,
        low=-pair.high,
        high=-pair.low,
        p=pair.p,
        p_holm=pair.p_holm,
        better=pair.worse,
        equal=pair.equal,
        worse=pair.better,
    )
