"""Scores against the number of rows to learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from linscope.display import theme
from linscope.display.base import Display
from linscope.selection.comparison.findings import Curve, Findings

from .. import words
from .axes import grouped


def plot_learning(findings: Findings, *, ax: Any = None) -> LearningDisplay:
    """Learning curves: would more rows help, and whom?

    Parameters
    ----------
    findings : what a comparison found
    ax : matplotlib axes, optional
    """
    return learning_display(findings).plot(ax)


def learning_display(findings: Findings) -> LearningDisplay:
    """The figure, not drawn yet."""
    titles = words.titles(findings)
    return LearningDisplay(
        curves=list(findings.curves),
        names=[titles.get(curve.key, curve.key) for curve in findings.curves],
        metric=words.metric(findings.plan.metric),
    )


@dataclass(eq=False, kw_only=True, repr=False)
class LearningDisplay(Display):
    """Learning curves with their intervals.

    Attributes
    ----------
    curves, names : of the candidates
    metric : in words
    """

    curves: list[Curve]
    names: list[str]
    metric: str
    size = 6.4, 4.0

    @property
    def title(self) -> str:
        rows = max((max(curve.sizes) for curve in self.curves), default=0)
        return f"Scores when learning from up to {rows:,} rows"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        entries = []
        for k, (curve, name) in enumerate(zip(self.curves, self.names, strict=True)):
            look: dict[str, Any] = {"color": theme.class_colour(k), "marker": theme.class_marker(k)}
            look |= {"lw": 1.8, "ms": 5, "mec": theme.INK, "mew": 0.6}
            ax.fill_between(
                curve.sizes, curve.low, curve.high, color=look["color"], alpha=0.12, lw=0
            )
            ax.plot(curve.sizes, curve.mean, zorder=3, **look)
            entries.append(theme.line_entry(theme.cut(name, 34), **look))
        sizes = np.unique([size for curve in self.curves for size in curve.sizes])
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(FixedLocator(_apart(sizes)))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        grouped(ax.yaxis)
        ax.set(xlabel="rows to learn from", ylabel=self.metric)
        theme.title_and_key(ax, self.title, entries)


def _apart(sizes: np.ndarray, ratio: float = 1.45) -> list[float]:
    """The largest size, and of the others those whose labels have room."""
    kept: list[float] = []
    for size in sizes[::-1].tolist():
        if not kept or kept[-1] / size >= ratio:
            kept.append(size)
    return kept[::-1]
