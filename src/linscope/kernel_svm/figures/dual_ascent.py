"""The dual value and the gap of a support vector machine, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from linscope.display import theme
from linscope.display.base import Display
from linscope.display.inputs import read_series


def dual_ascent(
    dual: Any, gap: Any, *, steps: Any = None, tol: float | None = None, ax: Any = None
) -> DualAscentDisplay:
    """The dual value of a support vector machine after each step, and the gap m(α) − M(α).

    Parameters
    ----------
    dual, gap : numbers; the columns of a trace of ``SVC``
    steps : after how many steps each was measured, by default 0, 1, 2 …
    tol : gap at which the run ends, optional
    ax : two matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.dual_ascent([0, 0.9, 1.1, 1.2], [2, 1, 0.2, 0])
    <DualAscentDisplay: D rises from 0 to 1.2 in 3 steps>
    """
    D, gaps = read_series("dual", dual, "step"), read_series("gap", gap, "step")
    numbers = np.arange(len(D)) if steps is None else np.asarray(steps)
    if not D.shape == gaps.shape == numbers.shape:
        raise ValueError(f"{len(numbers)} steps, {len(D)} values of D and {len(gaps)} gaps")
    return DualAscentDisplay(steps=numbers, dual=D, gap=gaps, tol=tol).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class DualAscentDisplay(Display):
    """D rises at every step; the gap m − M falls, with setbacks, to the tolerance.

    Attributes
    ----------
    steps : numbers of steps, 0 is the start
    dual, gap : D(α) and m(α) − M(α) after them
    tol : gap at which the run ends, or None
    """

    steps: np.ndarray
    dual: np.ndarray
    gap: np.ndarray
    tol: float | None = None
    grid = 1, 2
    size = 9.0, 3.8

    @property
    def title(self) -> str:
        count = theme.count(int(self.steps[-1] - self.steps[0]), "step")
        first, last = theme.number(self.dual[0]), theme.number(self.dual[-1])
        return f"D rises from {first} to {last} in {count}"

    def _draw(self, axes: list[Axes]) -> None:
        rising, falling = axes
        dot = theme.dots(len(self.steps))
        rising.plot(self.steps, self.dual, color=theme.PURPLE, lw=1.8, **dot)
        theme.title(rising, "dual value D(α)")
        shown = self.gap > 0  # a logarithm has no place for 0
        falling.plot(self.steps[shown], self.gap[shown], color=theme.BLUE, lw=1.8, **dot)
        falling.set_yscale("log")
        if self.tol:
            # a gap of rounding size would squeeze all others
            falling.set_ylim(bottom=max(0.7 * self.gap[shown].min(initial=1.0), 0.01 * self.tol))
            falling.axhline(self.tol, color=theme.WRONG, lw=1.2, ls=theme.DASHED)
            falling.annotate(
                "tol", (0.0, self.tol), xycoords=("axes fraction", "data"), xytext=(4, 3),
                textcoords="offset points", color=theme.WRONG, fontsize=theme.SMALL,
            )  # fmt: skip
        theme.title(falling, "gap m(α) − M(α)")
        for ax in axes:
            ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
            ax.set_xlabel("step")
