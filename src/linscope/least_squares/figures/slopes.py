"""Straight lines y = β₀ + β₁ x, by the sign of the slope.

β₀    where the line crosses x = 0
β₁    by how much y changes if x grows by 1: up for β₁ > 0, not at all for 0, down for β₁ < 0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.base import Display
from linscope.display.drawing import arrow
from linscope.display.inputs import read_series

ENDS = np.array([-0.4, 4.4])


def slopes(
    slopes: Sequence[float] = (0.6, 0.0, -0.6), *, intercept: float = 3.0, ax: Any = None
) -> SlopesDisplay:
    """What β₀ and β₁ of a straight line mean: a rising, a level and a falling line.

    Parameters
    ----------
    slopes : β₁ of each line
    intercept : β₀ of all of them
    ax : matplotlib axes, one for each line, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.slopes().words
    ['positive slope', 'zero slope', 'negative slope']
    """
    chosen = read_series("slopes", slopes, "line")
    if not np.isfinite(intercept):
        raise ValueError(f"intercept must be a finite number, got {intercept!r}")
    return SlopesDisplay(slopes=chosen, intercept=float(intercept)).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class SlopesDisplay(Display):
    """Straight lines with their intercept and slope marked.

    Attributes
    ----------
    slopes : β₁ of each line
    intercept : β₀ of all of them
    """

    slopes: np.ndarray
    intercept: float

    @property
    def words(self) -> list[str]:
        """The sign of each slope in words."""
        return [("zero", "positive", "negative")[int(np.sign(b))] + " slope" for b in self.slopes]

    @property
    def title(self) -> str:
        return "y = β₀ + β₁·x: β₀ is y at x = 0, β₁ what one more x adds to y"

    @property
    def grid(self) -> tuple[int, int]:
        return 1, len(self.slopes)

    @property
    def size(self) -> tuple[float, float]:
        return max(3.3 * len(self.slopes), 4.0), 3.7

    def line(self, number: int) -> np.ndarray:
        """y at both ends of a line."""
        return self.intercept + self.slopes[number] * ENDS

    def _draw(self, axes: list[Axes]) -> None:
        every = np.concatenate([self.line(k) for k in range(len(self.slopes))])
        room = 0.12 * float(np.ptp(every)) or 1.0
        for number, ax in enumerate(axes):
            ax.plot(ENDS, self.line(number), color=theme.BLUE, lw=2.4, zorder=3)
            self._draw_intercept(ax, below=self.slopes[number] > 0)
            self._draw_slope(ax, number)
            ax.set(xlim=ENDS, ylim=(every.min() - room, every.max() + room), xlabel="x")
            ax.set_ylabel("y")
            if number:
                theme.no_left_labels(ax)
            sign = (" = ", " > ", " < ")[int(np.sign(self.slopes[number]))]
            theme.title(ax, f"{self.words[number]}: β₁{sign}0", size=theme.TEXT + 0.5)

    def _draw_intercept(self, ax: Axes, below: bool) -> None:
        ax.axvline(0, color=theme.SOFT, lw=0.9, zorder=1)
        ax.plot(0, self.intercept, marker="o", ms=7, color=theme.PURPLE, zorder=4)
        text, away = f"β₀ = {theme.number(self.intercept)}", (8, -11 if below else 11)
        _say(ax, text, 0, self.intercept, away, theme.PURPLE)

    def _draw_slope(self, ax: Axes, number: int) -> None:
        """One step to the right, and what it does to y."""
        slope = float(self.slopes[number])
        start, end = (self.intercept + slope * x for x in (2.0, 3.0))
        ax.plot([2, 3], [start, start], color=theme.RED, lw=1.4, ls=theme.DASHED, zorder=4)
        away = -10 if slope >= 0 else 10  # off the line
        _say(ax, "1", 2.5, start, (0, away), theme.RED, ha="center")
        if slope:
            arrow(ax, (3, start), (3, end), theme.RED, zorder=2)
        _say(ax, f"β₁ = {theme.number(slope)}", 3, start, (5, away), theme.RED)


def _say(
    ax: Axes, text: str, x: float, y: float, offset: Any, colour: str, ha: Any = "left"
) -> None:
    ax.annotate(
        text,
        (x, y),
        textcoords="offset points",
        xytext=offset,
        ha=ha,
        va="center",
        fontsize=theme.TEXT,
        color=colour,
        zorder=5,
    )
