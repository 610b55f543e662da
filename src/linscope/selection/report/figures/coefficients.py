"""The weights of the final model, by their effect, with intervals where there are valid ones.

Coefficients are in the units of the table and cannot be compared. Effects can: that of one standard
deviation more of a number, of yes instead of no, of a category.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.base import Display
from linscope.selection.comparison.findings import Coefficient, Findings

from .axes import grouped, number
from .scores import LINE, LONGEST, REST, draw_intervals

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
        effect = np.array([each.effect for each in self.shown])
        ends = np.array([effect_interval(each) for each in self.shown]).reshape(-1, 2)
        ax.axvline(0, color=theme.SOFT, lw=0.9, zorder=1)
        draw_intervals(ax, [_short(each.name) for each in self.shown], effect, *ends.T)
        for k, each in enumerate(self.shown):
            place: Any = {"xycoords": ax.get_yaxis_transform(), "annotation_clip": False}
            away: Any = {"xytext": (8, 0), "textcoords": "offset points", "va": "center"}
            text = number(each.value)
            ax.annotate(text, (1, -k), fontsize=theme.SMALL, color=theme.INK, **place, **away)
        grouped(ax.xaxis, 5)
        bounded = any(each.low is not None for each in self.shown)
        ax.set_xlabel("effect and its interval" if bounded else "effect")
        theme.title(ax, self.title)


def _short(name: str) -> str:
    """Of "column → class" the class is kept, whatever the length of the column's name."""
    column, arrow, label = name.rpartition(" → ")
    if not arrow:
        return name
    label = theme.cut(label, 16)
    return f"{theme.cut(column, LONGEST - len(arrow) - len(label))}{arrow}{label}"


def effect_interval(each: Coefficient) -> tuple[float, float]:
    """The coefficient's interval in units of the effect; without one, from 0 to the effect."""
    if each.low is None or each.high is None or not each.value:
        return min(0.0, each.effect), max(0.0, each.effect)
    unit = each.effect / each.value
    low, high = sorted((each.low * unit, each.high * unit))
    return low, high
