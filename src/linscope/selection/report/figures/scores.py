"""Scores of all candidates with their corrected intervals, the best at the top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.base import Display
from linscope.selection.comparison.findings import Findings

from .. import words
from .axes import grouped, number

# Height of a line and of what is above and below all lines, in inches.
LINE, REST = 0.33, 0.95
LONGEST = 34  # letters of a name


def plot_scores(findings: Findings, *, ax: Any = None) -> ScoresDisplay:
    """Mean scores over the outer folds with their corrected intervals.

    Parameters
    ----------
    findings : what a comparison found
    ax : matplotlib axes, optional
    """
    return scores_display(findings).plot(ax)


def scores_display(findings: Findings) -> ScoresDisplay:
    """The figure, not drawn yet."""
    shown = words.finished(findings)
    scores = [each.scores[findings.plan.metric] for each in shown]
    low, high = (np.array([getattr(score, end) for score in scores]) for end in ("low", "high"))
    keys = [each.key for each in shown]
    chosen = findings.recommendation.key
    return ScoresDisplay(
        names=[each.title for each in shown],
        mean=np.array([score.mean for score in scores]),
        low=low,
        high=high,
        ends=ends_of(low, high, [each.family == "baseline" for each in shown]),
        recommended=keys.index(chosen) if chosen in keys else None,
        band=words.equal_to_best(findings),
        metric=words.metric(findings.plan.metric),
        less=words.less_is_better(findings),
    )


@dataclass(eq=False, kw_only=True, repr=False)
class ScoresDisplay(Display):
    """Means and intervals, a line for each candidate.

    Attributes
    ----------
    names, mean, low, high : of the candidates, the best first
    ends : of the axis; a baseline that is beyond them is an arrow
    recommended : which of them is recommended
    band : where a mean is practically equal to the best one that can be recommended
    metric : what is shown, in words
    less : less is better
    """

    names: list[str]
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    ends: tuple[float, float]
    recommended: int | None
    band: tuple[float, float]
    metric: str
    less: bool

    @property
    def title(self) -> str:
        if not self.names:
            return "No candidate has a score"
        return f"Best mean: {self.names[0]}, {number(self.mean[0])}"

    @property
    def size(self) -> tuple[float, float]:
        return 6.4, REST + LINE * len(self.names)

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        ax.axvspan(*self.band, color=theme.BLUE, alpha=0.12, lw=0, zorder=0)
        draw_intervals(ax, self.names, self.mean, self.low, self.high, marked=self.recommended)
        cut_at(ax, self.ends, self.mean)
        grouped(ax.xaxis)
        ax.set_xlabel(f"{self.metric} ({'less' if self.less else 'more'} is better)")
        band = theme.region_entry("within the region of practical equivalence", theme.BLUE, 0.12)
        theme.title_and_key(ax, self.title, [band])


def ends_of(low: np.ndarray, high: np.ndarray, baseline: list[bool]) -> tuple[float, float]:
    """Ends of an axis for all but baselines, which can be so far off that they hide the rest."""
    shown = ~np.array(baseline, dtype=bool)
    shown = shown if shown.any() else ~shown
    if not len(shown):
        return 0.0, 1.0
    left, right = float(low[shown].min()), float(high[shown].max())
    room = 0.05 * (right - left) or 0.01
    return left - room, right + room


def cut_at(ax: Axes, ends: tuple[float, float], mean: np.ndarray) -> None:
    """Show the axis between its ends, with an arrow and a number for what is beyond."""
    ax.set_xlim(ends)
    for k, value in enumerate(mean):
        left = value < ends[0]
        if left or value > ends[1]:
            place: Any = {"textcoords": "offset points", "xytext": (3 if left else -3, 0)}
            ax.annotate(
                f"◂ {number(value)}" if left else f"{number(value)} ▸",
                (ends[0] if left else ends[1], -k),
                ha="left" if left else "right",
                va="center",
                fontsize=theme.SMALL,
                color=theme.SOFT,
                **place,
            )


def draw_intervals(
    ax: Axes, names: list[str], mean: Any, low: Any, high: Any, *, marked: int | None = None
) -> None:
    """A dot and its interval on a line for each name, the first at the top."""
    places = -np.arange(len(names))
    for k, place in enumerate(places):
        colour, wide = (theme.BLUE, 2.4) if k == marked else (theme.INK, 1.5)
        ax.plot([low[k], high[k]], [place, place], color=colour, lw=wide, zorder=3)
        ax.plot(mean[k], place, "o", color=colour, ms=6 if k == marked else 5, zorder=4)
    ax.set_yticks(places, [theme.name(name, LONGEST) for name in names])
    ax.tick_params(axis="y", length=0, labelcolor=theme.INK, labelsize=theme.TEXT)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(0.6 - len(names), 0.6)
