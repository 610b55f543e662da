"""Metrics, scores and times as a person reads them."""

from __future__ import annotations

import math

from .findings import Score
from .judging import NAMES

# As they stand in the head of a column.
SHORT_NAMES = {"roc_auc": "ROC AUC", "mae": "MAE"}
IN_UNITS_OF_TARGET = ("rmse", "mae")
FEWEST_DECIMALS, MOST_DECIMALS = 2, 6


def metric_name(metric: str) -> str:
    return SHORT_NAMES.get(metric) or NAMES.get(metric, metric)


def decimals(score: Score, metric: str) -> int:
    """As many as the interval bears: the first digit of half its width is the last one shown.

    >>> decimals(Score(0.8125, 0.77, 0.85, ()), "accuracy")
    2
    >>> decimals(Score(54.31, 52.0, 56.6, ()), "rmse")
    0
    """
    fewest = 0 if metric in IN_UNITS_OF_TARGET else FEWEST_DECIMALS
    return max(fewest, decimals_of((score.high - score.low) / 2))


def decimals_of(half: float) -> int:
    """The place of its first digit; two places where it says nothing.

    >>> decimals_of(0.04), decimals_of(0.0051), decimals_of(23.0), decimals_of(0.0)
    (2, 3, 0, 2)
    """
    if not 0 < half < math.inf:
        return 2
    return min(max(0, -math.floor(math.log10(half))), MOST_DECIMALS)


def number(value: float, places: int) -> str:
    """With so many decimals and the true minus sign; a dash for what is not known."""
    if not math.isfinite(value):
        return "–"
    return f"{value + 0.0:,.{places}f}".replace("-", "−")


def interval(low: float, high: float, places: int) -> str:
    """
    >>> interval(0.77, 0.85, 2), interval(-0.1, 0.2, 1)
    ('0.77–0.85', '−0.1 to 0.2')
    """
    joint = " to " if low < 0 else "–"
    return f"{number(low, places)}{joint}{number(high, places)}"


def percent(level: float) -> str:
    """
    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * level:.4g} %"


def duration(seconds: float) -> str:
    """
    >>> duration(0.0004), duration(0.0123), duration(4.21), duration(75), duration(7300)
    ('0.4 ms', '12 ms', '4.2 s', '1 min 15 s', '2 h 2 min')
    """
    if not math.isfinite(seconds):
        return "–"
    if seconds < 0.9995:
        milliseconds = 1000 * seconds
        return f"{milliseconds:.1f} ms" if milliseconds < 9.95 else f"{milliseconds:.0f} ms"
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    if seconds < 3600:
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, rest = divmod(round(seconds / 60), 60)
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def clock(seconds: float) -> str:
    """Minutes and seconds, as a clock shows them.

    >>> clock(7.2), clock(83), clock(3700)
    ('0:07', '1:23', '61:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"


def seconds_of(text: str | float | None) -> float | None:
    """A time as a person writes it, in seconds; "none" is no limit.

    >>> seconds_of("90s"), seconds_of("2m"), seconds_of("1.5h"), seconds_of("none"), seconds_of(30)
    (90.0, 120.0, 5400.0, None, 30.0)
    """
    if text is None or str(text).strip().lower() == "none":
        return None
    words = str(text).strip().lower()
    unit = {"s": 1.0, "m": 60.0, "h": 3600.0}.get(words[-1:])
    try:
        seconds = float(words if unit is None else words[:-1]) * (unit or 1.0)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise ValueError(f"budget {str(text)!r}: give a time such as 90s, 2m or 1h, or none")
    return seconds
