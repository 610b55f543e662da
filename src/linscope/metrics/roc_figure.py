"""Hits against false alarms at every threshold, and precision against recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.base import Display

from .evaluation_figures import curve_names, read_evaluations, thinned

KINDS = {"roc": ("roc",), "pr": ("pr",), "both": ("roc", "pr")}
MOST_IN_KEY = 10


class RocCurve(NamedTuple):
    """One curve of the figure; ``point`` is where the predictions are, (fpr, recall, precision)."""

    name: str
    fpr: np.ndarray
    tpr: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    roc_auc: float
    average_precision: float
    prevalence: float
    point: tuple[float, float, float]


def roc(source: Any, *data: Any, kind: str = "roc", ax: Any = None) -> RocDisplay:
    """Hits against false alarms at every threshold, and precision against recall.

    Parameters
    ----------
    source, data : an ``Evaluation`` with scores; a fitted classifier, X and y; y_true and scores;
        or a dict of evaluations (or classifiers, then X and y) to compare
        With K classes there is a curve for each class against the rest.
    kind : "roc", "pr" (precision against recall) or "both"
    ax : matplotlib axes, one per panel, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.roc([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    <RocDisplay: ROC AUC 0.75>
    """
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r} is unknown: choose from {', '.join(map(repr, KINDS))}")
    curves = []
    for name, evaluation, k in curve_names(read_evaluations(source, data)):
        assert evaluation.curves is not None
        curve, counts = evaluation.curves[k], evaluation.counts.of(k)
        if not (curve.positives and curve.negatives):
            raise ValueError(
                f"class {evaluation.names[k]} has no ROC curve: it needs samples that are of "
                "the class and samples that are not"
            )
        fpr, tpr, _ = curve.roc_curve()
        precision, recall, _ = curve.precision_recall_curve()
        fpr, tpr = thinned(fpr, tpr)
        recall, precision = thinned(recall, precision)
        curves.append(
            RocCurve(
                name=name,
                fpr=fpr,
                tpr=tpr,
                precision=precision,
                recall=recall,
                roc_auc=curve.roc_auc,
                average_precision=curve.average_precision,
                prevalence=curve.positives / (curve.positives + curve.negatives),
                point=(counts.ratio("fpr"), counts.ratio("recall"), counts.ratio("precision")),
            )
        )
    return RocDisplay(curves=curves, kind=kind).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class RocDisplay(Display):
    """ROC curves, precision-recall curves, or both.

    Attributes
    ----------
    curves : one ``RocCurve`` per class or model
    kind : "roc", "pr" or "both"
    """

    curves: list[RocCurve]
    kind: str = "roc"

    @property
    def title(self) -> str:
        parts = {"roc": ("ROC AUC", "roc_auc"), "pr": ("average precision", "average_precision")}
        said = []
        for kind in KINDS[self.kind]:
            words, attribute = parts[kind]
            values = [getattr(curve, attribute) for curve in self.curves]
            low, high = theme.number(min(values)), theme.number(max(values))
            said.append(f"{words} {low}" if low == high else f"{words} {low} to {high}")
        return ", ".join(said)

    @property
    def grid(self) -> tuple[int, int]:
        return 1, len(KINDS[self.kind])

    @property
    def size(self) -> tuple[float, float]:
        return (9.4, 5.4) if self.kind == "both" else (5.2, 5.3)

    def _draw(self, axes: list[Axes]) -> None:
        names = {"roc": "ROC curve", "pr": "Precision and recall"}
        for ax, kind in zip(axes, KINDS[self.kind], strict=True):
            entries = self._draw_roc(ax) if kind == "roc" else self._draw_pr(ax)
            ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
            theme.title_and_key(ax, self.title if len(axes) == 1 else names[kind], entries)

    def _draw_roc(self, ax: Axes) -> list:
        ax.plot([0, 1], [0, 1], color=theme.SOFT, lw=1, ls=theme.DASHED, zorder=2)
        if len(self.curves) == 1:
            (curve,) = self.curves
            ax.fill_between(
                curve.fpr, curve.tpr, color=theme.tint(theme.BLUE, 0.12), lw=0, zorder=0
            )
        for k, curve in enumerate(self.curves):
            ax.plot(curve.fpr, curve.tpr, color=theme.class_colour(k), lw=2, zorder=3)
            self._mark(ax, k, curve.point[0], curve.point[1])
        ax.set_xlabel("false positive rate (false alarms)")
        ax.set_ylabel("true positive rate (hits, recall)")
        return self._entries("AUC", "roc_auc")

    def _draw_pr(self, ax: Axes) -> list:
        for k, curve in enumerate(self.curves):
            colour = theme.class_colour(k)
            line: dict[str, Any] = {"color": colour, "zorder": 3}
            ax.plot(curve.recall, curve.precision, lw=2, drawstyle="steps-post", **line)
            ax.axhline(curve.prevalence, color=colour, lw=1, ls=theme.DASHED, zorder=1)
            self._mark(ax, k, curve.point[1], curve.point[2])
        ax.set_xlabel("recall")
        ax.set_ylabel("precision")
        return self._entries("AP", "average_precision")

    def _mark(self, ax: Axes, k: int, x: float, y: float) -> None:
        """Where the predictions are on the curve."""
        if np.isfinite(x) and np.isfinite(y) and len(self.curves) <= MOST_IN_KEY:
            look: dict[str, Any] = {"color": theme.class_colour(k), "mec": theme.INK, "ms": 8}
            ax.plot(x, y, marker=theme.class_marker(k), ls="", zorder=5, clip_on=False, **look)

    def _entries(self, short: str, attribute: str) -> list:
        entries = []
        for k, curve in enumerate(self.curves[:MOST_IN_KEY]):
            value = f"{short} {theme.number(getattr(curve, attribute))}"
            text = f"{theme.name(curve.name, 24)}: {value}" if curve.name else value
            look: Any = {"color": theme.class_colour(k), "marker": theme.class_marker(k)}
            entries.append(theme.line_entry(text, lw=2, mec=theme.INK, ms=6, **look))
        if len(self.curves) > MOST_IN_KEY:
            entries.append(theme.line_entry(f"{len(self.curves) - MOST_IN_KEY} more", lw=0))
        chance = theme.line_entry("chance", color=theme.SOFT, lw=1, ls=theme.DASHED)
        return [*entries, chance]
