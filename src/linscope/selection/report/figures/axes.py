"""Numbers at axes."""

from __future__ import annotations

from typing import Any

from matplotlib.ticker import FuncFormatter, MaxNLocator

from linscope.display import theme

LARGE = 10_000


def number(value: float) -> str:
    """Four digits, thousands apart.

    >>> number(31240.0), number(-0.03412), number(84250.0)
    ('31,240', '−0.03412', '84,250')
    """
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", "−")
    return theme.number(value)


def grouped(axis: Any, most: int = 6) -> None:
    """So few ticks that their labels have room; thousands apart where numbers are large."""
    axis.set_major_locator(MaxNLocator(most))
    if max(abs(end) for end in axis.get_view_interval()) >= LARGE:
        axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
