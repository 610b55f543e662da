"""The weights of the final model, with intervals where there are valid ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.base import Display
from linscope.selection.comparison.findings import Coefficient, Findings

from .axes import grouped, number
from .scores import LINE, REST, draw_intervals

MOST = 20


def plot_coefficients(findings: Findings, *, ax: Any = None) -> CoefficientsDisplay:
    """The coefficients of the recommended model, refitted on all rows.

    Parameters
    ----------
    findings : what a comparison found
    ax : matplotlib axes, optional
    """
    return coefficients_display(findings).plot(ax)


def coefficients_display(findings: Findings) -> CoefficientsDisplay:
    """The figure, not drawn yet."""
    everything = findings.final.coefficients
    return CoefficientsDisplay(shown=list(everything[:MOST]), total=len(everything))


@dataclass(eq=False, kw_only=True, repr=False)
class CoefficientsDisplay(Display):
    """A line for each coefficient.

    Attributes
    ----------
    shown : the coefficients with the largest effects
    total : how many there are
    """

    shown: list[Coefficient]
    total: int

    @property
    def title(self) -> str:
        if len(self.shown) < self.total:
            return f"The {len(self.shown)} largest of {self.total} coefficients"
        return theme.count(self.total, "coefficient")

    @property
    def size(self) -> tuple[float, float]:
        return 6.4, REST + LINE * len(self.shown)

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        value = np.array([each.value for each in self.shown])
        low = np.array([min(0.0, v) for v in value])
        high = np.array([max(0.0, v) for v in value])
        bounded = [each.low is not None and each.high is not None for each in self.shown]
        for k, each in enumerate(self.shown):
            if bounded[k]:
                low[k], high[k] = each.low, each.high
        ax.axvline(0, color=theme.SOFT, lw=0.9, zorder=1)
        draw_intervals(ax, [each.name for each in self.shown], value, low, high)
        for k, each in enumerate(value):
            # Units differ: a coefficient that looks like 0 beside others can be a large one.
            place: Any = {"transform": ax.get_yaxis_transform(), "ha": "right", "va": "center"}
            ax.text(1.17, -k, number(each), fontsize=theme.SMALL, color=theme.INK, **place)
        grouped(ax.xaxis, 5)
        ax.set_xlabel("coefficient and interval" if any(bounded) else "coefficient")
        theme.title(ax, self.title)
