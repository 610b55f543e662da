"""Times as people write and read them."""

from __future__ import annotations

import math

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def clock(seconds: float) -> str:
    """Minutes and seconds, as a clock shows them.

    >>> clock(7.2), clock(83), clock(3700)
    ('0:07', '1:23', '61:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"


def seconds_of(budget: str | float | None) -> float | None:
    """A budget as a person writes it, in seconds; "none" is no limit.

    >>> seconds_of("90s"), seconds_of("2m"), seconds_of("1.5h"), seconds_of("none"), seconds_of(30)
    (90.0, 120.0, 5400.0, None, 30.0)
    """
    words = str(budget).strip().lower()
    if words == "none":
        return None
    unit = UNITS.get(words[-1:])
    try:
        seconds = float(words if unit is None else words[:-1]) * (unit or 1.0)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise ValueError(f"budget {str(budget)!r}: give a time such as 90s, 2m or 1h, or none")
    return seconds


def budget_text(budget: str | float | None) -> str:
    """As it is written on a command line.

    >>> budget_text(30.0), budget_text(None), budget_text("2m")
    ('30', 'none', '2m')
    """
    if budget is None:
        return "none"
    return budget if isinstance(budget, str) else f"{budget:g}"
