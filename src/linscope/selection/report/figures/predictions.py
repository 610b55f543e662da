"""How good the predictions for held-out rows are: curves, calibration, residuals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.base import Display
from linscope.least_squares.figures.lowess import smooth
from linscope.metrics.roc_figure import RocCurve, RocDisplay
from linscope.selection.comparison.findings import Findings

from .axes import grouped

NO_CURVE = np.array([0.0, 1.0])


def curve_display(findings: Findings, kind: str) -> RocDisplay | None:
    """The ROC curve (``roc``) or precision against recall (``pr``), if there is one."""
    panels = findings.panels
    if not (panels.roc if kind == "roc" else panels.pr):
        return None
    counts, nan = findings.data.counts, float("nan")
    curve = RocCurve(
        name="",
        fpr=np.array(panels.roc.get("fpr", NO_CURVE)),
        tpr=np.array(panels.roc.get("tpr", NO_CURVE)),
        precision=np.array(panels.pr.get("precision", NO_CURVE)),
        recall=np.array(panels.pr.get("recall", NO_CURVE)),
        roc_auc=panels.roc.get("auc", nan),
        average_precision=panels.pr.get("average", nan),
        prevalence=counts[1] / sum(counts),
        point=_point(panels.confusion),
    )
    return RocDisplay(curves=[curve], kind=kind)


def _point(confusion: tuple[tuple[int, ...], ...]) -> tuple[float, float, float]:
    """False positive rate, recall and precision of the predictions; NaN where they are not."""
    if len(confusion) != 2:
        return (float("nan"),) * 3
    (tn, fp), (fn, tp) = confusion
    return ratio(fp, fp + tn), ratio(tp, tp + fn), ratio(tp, tp + fp)


def ratio(part: float, whole: float) -> float:
    """NaN of nothing."""
    return part / whole if whole else float("nan")


@dataclass(eq=False, kw_only=True, repr=False)
class BandsDisplay(Display):
    """Predicted probabilities against observed shares with their Clopper–Pearson intervals.

    Attributes
    ----------
    predicted, observed, low, high, count : of each bin
    """

    predicted: np.ndarray
    observed: np.ndarray
    low: np.ndarray
    high: np.ndarray
    count: np.ndarray
    size = 5.2, 5.3

    @property
    def title(self) -> str:
        return f"{self.missed} of {len(self.predicted)} intervals miss the diagonal"

    @property
    def missed(self) -> int:
        """How many intervals do not hold the predicted probability."""
        return int(((self.predicted < self.low) | (self.predicted > self.high)).sum())

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        self._draw_bands(ax, theme.BLUE)
        ax.plot(self.predicted, self.observed, color=theme.BLUE, lw=1.0, alpha=0.5, zorder=2)
        ax.set_xlabel("predicted probability, mean of each bin")
        ax.set_ylabel("observed share")
        perfect = theme.line_entry("perfect", color=theme.SOFT, lw=1, ls=theme.DASHED)
        band = theme.line_entry("interval of the share", color=theme.BLUE, lw=1.6)
        theme.title_and_key(ax, self.title, [perfect, band])

    def _draw_bands(self, ax: Axes, colour: str, largest: float = 80.0) -> None:
        ax.plot([0, 1], [0, 1], color=theme.SOFT, lw=1, ls=theme.DASHED, zorder=1)
        ax.vlines(self.predicted, self.low, self.high, color=colour, lw=1.6, zorder=2)
        areas = largest / 8 + 7 * largest / 8 * np.sqrt(self.count / self.count.max())
        look: Any = {"edgecolors": theme.INK, "linewidths": 0.7}
        ax.scatter(self.predicted, self.observed, s=areas, c=colour, zorder=4, **look)
        ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))


def bands_display(findings: Findings) -> BandsDisplay | None:
    """Calibration with its bands, if the model has probabilities."""
    found = findings.panels.calibration
    names = ("predicted", "observed", "low", "high", "count")
    return BandsDisplay(**{name: np.array(found[name]) for name in names}) if found else None


@dataclass(eq=False, kw_only=True, repr=False)
class HeldOutResidualsDisplay(Display):
    """Residuals of held-out rows against the prediction (bend, spread), or normal quantiles.

    Attributes
    ----------
    x, residual : places of the points
    target : name of what is predicted
    normal : x are normal quantiles, not predictions
    """

    x: np.ndarray
    residual: np.ndarray
    target: str
    normal: bool
    size = 5.2, 4.6

    @property
    def title(self) -> str:
        return "Normality: do they follow the line?" if self.normal else "Is there a bend?"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        many = len(self.x) > 100
        look: Any = {"s": 9 if many else 24, "alpha": max(0.25, min(1.0, 300 / len(self.x)))}
        ax.scatter(self.x, self.residual, c=theme.BLUE, linewidths=0, zorder=2, **look)
        if self.normal:
            # The line through the quartiles: outliers do not turn it.
            (left, right), (low, high) = (
                np.quantile(v, [0.25, 0.75]) for v in (self.x, self.residual)
            )
            slope = (high - low) / ((right - left) or 1.0)
            ends = np.array([self.x.min(), self.x.max()])
            ax.plot(ends, low + slope * (ends - left), color=theme.SOFT, lw=1.2, zorder=3)
            ax.set_xlabel("normal quantile")
        else:
            ax.axhline(0, color=theme.SOFT, lw=0.9, ls=theme.DASHED, zorder=1)
            ax.plot(*smooth(self.x, self.residual), color=theme.RED, lw=1.8, zorder=3)
            ax.set_xlabel(theme.name(f"predicted {self.target}"))
        ax.set_ylabel("residual")
        grouped(ax.xaxis, 5)
        grouped(ax.yaxis)
        theme.title(ax, self.title)


def residual_display(findings: Findings, *, normal: bool) -> HeldOutResidualsDisplay | None:
    """Residuals against predictions or normal quantiles, if a number is predicted."""
    found = findings.panels.residuals
    if not found:
        return None
    return HeldOutResidualsDisplay(
        x=np.array(found["quantile" if normal else "fitted"]),
        residual=np.array(found["residual"]),
        target=findings.data.target,
        normal=normal,
    )
