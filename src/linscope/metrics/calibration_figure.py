"""Of the samples that get probability 0.7, are 70 % positive?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.base import Display

from .evaluation_figures import curve_names, read_evaluations

MOST_IN_KEY = 10
# The tallest bar of the histogram under the curve.
BAR_HEIGHT = 0.16


class CalibrationCurve(NamedTuple):
    """One curve of the figure: share of positives, mean probability and share of samples by bin."""

    name: str
    prob_true: np.ndarray
    prob_pred: np.ndarray
    share: np.ndarray

    @property
    def error(self) -> float:
        """Mean |prob_true − prob_pred| over the samples, the expected calibration error."""
        return float(self.share @ np.abs(self.prob_true - self.prob_pred))


def calibration(source: Any, *data: Any, n_bins: int = 10, ax: Any = None) -> CalibrationDisplay:
    """Predicted probabilities against observed shares; well calibrated is on the diagonal.

    Parameters
    ----------
    source, data : as for ``roc``, with probabilities
    n_bins : number of bins of equal width
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.calibration([0, 0, 1, 1], [0.2, 0.6, 0.6, 0.8], n_bins=5)
    <CalibrationDisplay: Probabilities are off by 0.15 on average>
    """
    curves = []
    for name, evaluation, k in curve_names(read_evaluations(source, data)):
        label = evaluation.labels.tolist()[k]
        true, predicted, weight = evaluation.binned(label, n_bins)
        curves.append(CalibrationCurve(name, true, predicted, weight / weight.sum()))
    return CalibrationDisplay(curves=curves, n_bins=n_bins).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class CalibrationDisplay(Display):
    """Observed shares against predicted probabilities.

    Attributes
    ----------
    curves : one ``CalibrationCurve`` per class or model
    n_bins : number of bins of equal width
    """

    curves: list[CalibrationCurve]
    n_bins: int
    size = 5.2, 5.3

    @property
    def title(self) -> str:
        if len(self.curves) > 1:
            best = min(self.curves, key=lambda curve: curve.error)
            return f"{best.name} is calibrated best: off by {theme.number(best.error)} on average"
        (curve,) = self.curves
        return f"Probabilities are off by {theme.number(curve.error)} on average"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        ax.plot([0, 1], [0, 1], color=theme.SOFT, lw=1, ls=theme.DASHED, zorder=1)
        entries = [theme.line_entry("perfect", color=theme.SOFT, lw=1, ls=theme.DASHED)]
        if len(self.curves) == 1:
            self._draw_shares(ax)
            entries.append(theme.region_entry("share of samples", theme.GREY))
        for k, curve in enumerate(self.curves):
            look: dict[str, Any] = {"color": theme.class_colour(k), "zorder": 4}
            ax.plot(curve.prob_pred, curve.prob_true, lw=1.4, **look)
            # A bin of few samples says little: its mark is small.
            areas = 12.0 + 110.0 * np.sqrt(curve.share / curve.share.max())
            edges: dict[str, Any] = {"edgecolors": theme.INK, "linewidths": 0.7}
            look["marker"] = theme.class_marker(k)
            ax.scatter(curve.prob_pred, curve.prob_true, s=areas, **edges, **look)
            if k < MOST_IN_KEY:
                name = theme.name(curve.name, 24) if curve.name else "predictions"
                entries.append(theme.line_entry(name, ms=6, mec=theme.INK, mew=0.7, **look))
        ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
        ax.set_xlabel("predicted probability, mean of each bin")
        ax.set_ylabel("observed share")
        theme.title_and_key(ax, self.title, entries)

    def _draw_shares(self, ax: Axes) -> None:
        """How many samples each bin has: a bin of few says little."""
        (curve,) = self.curves
        edges = np.linspace(0, 1, self.n_bins + 1)
        bins = np.searchsorted(edges[1:-1], curve.prob_pred)
        heights = BAR_HEIGHT * curve.share / curve.share.max()
        fill = theme.tint(theme.GREY, 0.3)
        ax.bar(
            edges[bins], heights, 1 / self.n_bins, align="edge", color=fill, ec="white", zorder=0
        )
