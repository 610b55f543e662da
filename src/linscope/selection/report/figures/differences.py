"""By how much the recommended model is better or worse than each other one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.base import Display
from linscope.selection.comparison.findings import Findings

from .. import words
from .axes import grouped
from .scores import LINE, REST, cut_at, draw_intervals, ends_of


def plot_differences(findings: Findings, *, ax: Any = None) -> DifferencesDisplay:
    """Paired differences of the recommended model to all others, with corrected intervals.

    Parameters
    ----------
    findings : what a comparison found
    ax : matplotlib axes, optional
    """
    return differences_display(findings).plot(ax)


def differences_display(findings: Findings) -> DifferencesDisplay:
    """The figure, not drawn yet."""
    key = findings.recommendation.key
    pairs = words.against(findings, key)
    shown = [each for each in words.finished(findings) if each.key in pairs]
    found = [pairs[each.key] for each in shown]
    low, high = (np.array([getattr(each, end) for each in found]) for end in ("low", "high"))
    return DifferencesDisplay(
        recommended=words.titles(findings).get(key, key),
        names=[each.title for each in shown],
        mean=np.array([each.mean for each in found]),
        low=low,
        high=high,
        ends=ends_of(low, high, [each.family == "baseline" for each in shown]),
        rope=findings.plan.rope,
        metric=words.metric(findings.plan.metric),
    )


@dataclass(eq=False, kw_only=True, repr=False)
class DifferencesDisplay(Display):
    """Differences and intervals, a line for each other candidate; right of 0 it is worse.

    Attributes
    ----------
    recommended : title of the model that is compared
    names, mean, low, high : of the others; positive where the recommended one is better
    ends : of the axis; a baseline that is beyond them is an arrow
    rope : half the width of the region of practical equivalence
    metric : in words
    """

    recommended: str
    names: list[str]
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    ends: tuple[float, float]
    rope: float
    metric: str

    @property
    def title(self) -> str:
        inside = (-self.rope <= self.low) & (self.high <= self.rope)
        return f"Practically equal to {self.recommended}: {int(inside.sum())} of {len(inside)}"

    @property
    def size(self) -> tuple[float, float]:
        return 6.4, REST + LINE * len(self.names)

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        ax.axvspan(-self.rope, self.rope, color=theme.BLUE, alpha=0.12, lw=0, zorder=0)
        ax.axvline(0, color=theme.SOFT, lw=0.9, zorder=1)
        draw_intervals(ax, self.names, self.mean, self.low, self.high)
        reach = 1.15 * self.rope
        cut_at(ax, (min(self.ends[0], -reach), max(self.ends[1], reach)), self.mean)
        grouped(ax.xaxis)
        ax.set_xlabel(f"difference in {self.metric}\n← other better · recommended better →")
        band = theme.region_entry("practically equal", theme.BLUE, 0.12)
        theme.title_and_key(ax, self.title, [band])
