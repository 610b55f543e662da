"""Dates written as text, as days.

Read are 2024-02-01 (and 2024/02/01), 01.02.2024, 01/02/2024, 1 Feb 2024 and Feb 1, 2024, each with
or without a time of day (13:45, 13:45:30, an offset such as Z or +01:00). In 01/02/2024 a number
above 12 tells day from month; where no value of the column does, the day is taken to come first.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

_TIME = (
    r"(?:(?:T|\s+)(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d(?:\.\d+)?))?"
    r"\s*(?P<offset>Z|[+-]\d\d:?\d\d)?)?"
)
_PATTERNS = {
    "year first": re.compile(r"(?P<a>\d{4})[-/.](?P<b>\d{1,2})[-/.](?P<c>\d{1,2})" + _TIME),
    "numbers": re.compile(r"(?P<a>\d{1,2})[-/.](?P<b>\d{1,2})[-/.](?P<c>\d{4})" + _TIME),
    "name second": re.compile(
        r"(?P<a>\d{1,2})[\s-](?P<b>[A-Za-z]{3,9})\.?,?[\s-](?P<c>\d{4})" + _TIME
    ),
    "name first": re.compile(r"(?P<a>[A-Za-z]{3,9})\.?\s(?P<b>\d{1,2}),?\s(?P<c>\d{4})" + _TIME),
}
# Where year, month and day stand among a, b and c.
_PLACES = {
    "year first": "abc",
    "day first": "cba",
    "month first": "cab",
    "name second": "cba",
    "name first": "cab",
}
# jan, january, … by number; "sept" is common, too.
_MONTHS = {
    name: number
    for number in range(1, 13)
    for name in (month_name[number].lower(), month_name[number][:3].lower())
} | {"sept": 9}


@dataclass(frozen=True)
class Dates:
    """How the dates of a column are written, and the first of them.

    order : "year first", "day first", "month first", "name second" (1 Feb) or "name first" (Feb 1)
    assumed : nothing in the column told day from month
    first : the earliest date, in days since 0001-01-01
    """

    order: str
    assumed: bool
    first: float

    def days(self, text: str) -> float | None:
        """Days since the first date of the column; None where the text is no such date."""
        day = _day(text, self.order)
        return None if day is None else day - self.first

    @property
    def first_text(self) -> str:
        return (date(1, 1, 1) + timedelta(days=int(self.first) - 1)).isoformat()


def find_dates(texts: Iterable[str]) -> Dates | None:
    """How these texts are dates, or None where one of them is none.

    >>> find_dates(["2024-02-01", "2023-12-31"]).first_text
    '2023-12-31'
    >>> find_dates(["01/02/2024", "31/01/2024"]).order
    'day first'
    >>> find_dates(["A1", "2024-02-01"]) is None
    True
    """
    texts = list(texts)
    for shape, pattern in _PATTERNS.items():
        if not texts or pattern.fullmatch(texts[0]) is None:
            continue
        for order in ("day first", "month first") if shape == "numbers" else (shape,):
            days = [_day(text, order) for text in texts]
            if None not in days:
                assumed = order == "day first" and _swappable(texts)
                return Dates(order, assumed, min(days))  # type: ignore[type-var, arg-type]
    return None


def _swappable(texts: list[str]) -> bool:
    """Whether all of them are dates with the month first as well, and not the same ones."""
    swapped = [_day(text, "month first") for text in texts]
    return None not in swapped and any("." not in text for text in texts)


def _day(text: str, order: str) -> float | None:
    """Days since the year 0: whole at midnight, of the local time as written less its offset."""
    places = _PLACES[order]
    match = _PATTERNS["numbers" if order in ("day first", "month first") else order].fullmatch(text)
    if match is None:
        return None
    year, month, day = (match[place] for place in places)
    number = _MONTHS.get(month.lower()) if month.isalpha() else int(month)
    try:
        whole = date(int(year), number or 0, int(day)).toordinal()
    except ValueError:
        return None
    if match["hour"] is None:
        return float(whole)
    return whole + _seconds(match) / 86400


def _seconds(match: re.Match) -> float:
    seconds = int(match["hour"]) * 3600 + int(match["minute"]) * 60 + float(match["second"] or 0)
    offset = match["offset"]
    if offset in (None, "Z"):
        return seconds
    minutes = int(offset[1:3]) * 60 + int(offset[-2:])
    return seconds - 60 * minutes * (1 if offset[0] == "+" else -1)
