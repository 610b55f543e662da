"""J after each update of a descent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from . import theme
from .base import Display
from .inputs import read_series


def lms_curve(
    values: Any, *, updates: Any = None, letter: str = "J", ax: Any = None
) -> LmsCurveDisplay:
    """J after each update of a descent.

    Parameters
    ----------
    values : J before the first update and after each
    updates : after how many updates, by default 0, 1, 2 …
    letter : what the values are called
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.lms_curve([8.0, 4.0, 2.0])
    <LmsCurveDisplay: J falls from 8 to 2 in 2 updates>
    """
    try:
        found = read_series("values", values, "update")
    except TypeError:
        raise TypeError(
            f"values must be the numbers J, got {type(values).__name__}; a trace draws itself: "
            "trace.plot()"
        ) from None
    numbers = np.arange(len(found)) if updates is None else np.asarray(updates)
    if numbers.shape != found.shape:
        raise ValueError(f"{len(numbers)} updates for {len(found)} values of J")
    return LmsCurveDisplay(updates=numbers, values=found, letter=letter).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class LmsCurveDisplay(Display):
    """J by update.

    Attributes
    ----------
    updates : numbers of updates, 0 is the start
    values : J after them; letter : what it is called
    """

    updates: np.ndarray
    values: np.ndarray
    letter: str = "J"

    @property
    def title(self) -> str:
        first, last = theme.number(self.values[0]), theme.number(self.values[-1])
        count = theme.count(int(self.updates[-1] - self.updates[0]), "update")
        verb = "falls" if self.values[-1] <= self.values[0] else "grows"
        return f"{self.letter} {verb} from {first} to {last} in {count}"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        colour = theme.PURPLE if self.values[-1] <= self.values[0] else theme.WRONG
        ax.plot(self.updates, self.values, color=colour, lw=2.0, **theme.dots(len(self.values)))
        low, high = float(self.values.min()), float(self.values.max())
        if low > 0 and high > 20 * low:
            ax.set_yscale("log")
        ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
        ax.set(xlabel="update", ylabel=self.letter)
        theme.title(ax, self.title)
