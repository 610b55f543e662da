"""Each of several classes against all others: curves in one panel, calibration in small ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.base import Display
from linscope.selection.comparison.findings import Findings

from .. import words
from .predictions import BandsDisplay, ratio

# Which arrays are across and up, which area is told, and where the curves leave room for the key.
KINDS: dict[str, Any] = {
    "roc": (("fpr", "tpr"), "auc", "lower right"),
    "pr": (("recall", "precision"), "average", "lower left"),
}


@dataclass(frozen=True)
class ClassCurve:
    """A curve, its area, and where the predictions are on it; ``code`` is the class's number."""

    code: int
    label: str
    x: np.ndarray
    y: np.ndarray
    area: float
    point: tuple[float, float]


@dataclass(eq=False, kw_only=True, repr=False)
class ClassCurvesDisplay(Display):
    """ROC curves of several classes, or their precision against recall.

    Attributes
    ----------
    curves : one for each class that is drawn
    macro : mean of the areas over all classes
    kind : "roc" or "pr"
    """

    curves: list[ClassCurve]
    macro: float
    kind: str
    size = 5.2, 5.2

    @property
    def title(self) -> str:
        said = "ROC AUC" if self.kind == "roc" else "average precision"
        return f"Each class against the rest: mean {said} {words.area(self.macro)}"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        if self.kind == "roc":
            ax.plot([0, 1], [0, 1], color=theme.SOFT, lw=1, ls=theme.DASHED, zorder=2)
            ax.set_xlabel("false positive rate (false alarms)")
            ax.set_ylabel("true positive rate (hits, recall)")
        else:
            theme.label(ax, "recall", "precision")
        steps: Any = {"drawstyle": "steps-pre" if self.kind == "pr" else "default"}
        for each in self.curves:
            colour = theme.class_colour(each.code)
            ax.plot(each.x, each.y, color=colour, lw=1.8, zorder=3, **steps)
            look: Any = {"color": colour, "mec": theme.INK, "mew": 0.7, "ms": 6, "ls": ""}
            marker = theme.class_marker(each.code)
            ax.plot(*each.point, marker=marker, zorder=5, clip_on=False, **look)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        self._key(ax)
        theme.title(ax, self.title)

    def _key(self, ax: Axes) -> None:
        """Names and areas where the curves leave room."""
        entries = [
            theme.line_entry(
                f"{theme.name(each.label, 18)}: {words.area(each.area)}",
                color=theme.class_colour(each.code),
                marker=theme.class_marker(each.code),
                lw=1.8,
                mec=theme.INK,
                mew=0.7,
                ms=6,
            )
            for each in self.curves
        ]
        if self.kind == "roc":
            entries.append(theme.line_entry("chance", color=theme.SOFT, lw=1, ls=theme.DASHED))
        key = ax.legend(
            handles=entries,
            loc=KINDS[self.kind][2],
            title="class and AUC" if self.kind == "roc" else "class and average precision",
            alignment="left",
            fontsize=theme.SMALL,
            title_fontsize=theme.SMALL,
            labelcolor=theme.INK,
            facecolor="white",
            edgecolor="none",
            framealpha=0.85,
        )
        key.get_title().set_color(theme.SOFT)
        key.set_zorder(4)


def class_curves_display(findings: Findings, kind: str) -> ClassCurvesDisplay | None:
    """The curves of all classes that are drawn (``roc`` or ``pr``), if there are any."""
    (across, up), area, _ = KINDS[kind]
    curves = []
    for code, each in enumerate(findings.panels.against_rest):
        found, told = getattr(each, kind), getattr(each, area)
        if found and told is not None:
            x, y = np.array(found[across]), np.array(found[up])
            if kind == "pr":  # the highest threshold's precision holds from recall 0 on
                x, y = np.r_[0.0, x], np.r_[y[0], y]
            point = _point(findings.panels.confusion, code, kind)
            curves.append(ClassCurve(code, each.label, x, y, told, point))
    if not curves:
        return None
    return ClassCurvesDisplay(curves=curves, macro=findings.panels.macro[area], kind=kind)


def _point(confusion: tuple[tuple[int, ...], ...], k: int, kind: str) -> tuple[float, float]:
    """Where the predictions of class k are; NaN where they are not."""
    counts = np.array(confusion)
    hits, actual, said = counts[k, k], counts[k].sum(), counts[:, k].sum()
    recall, alarms = ratio(hits, actual), ratio(said - hits, counts.sum() - actual)
    return (alarms, recall) if kind == "roc" else (recall, ratio(hits, said))


@dataclass(eq=False, kw_only=True, repr=False)
class SmallBandsDisplay(BandsDisplay):
    """Calibration of one class among many, small.

    Attributes
    ----------
    code, label : number and name of the class
    """

    code: int
    label: str
    size = 2.2, 2.1

    @property
    def title(self) -> str:
        return f"{self.label}: {self.missed} of {len(self.predicted)} intervals miss the diagonal"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        self._draw_bands(ax, theme.class_colour(self.code), largest=34.0)
        ends = (0, 0.5, 1)
        ax.set_xticks(ends, ["0", "0.5", "1"])
        ax.set_yticks(ends, ["0", "0.5", "1"])


def small_bands(findings: Findings) -> list[SmallBandsDisplay]:
    """Calibration of each class that is drawn, if the model has probabilities."""
    return [
        SmallBandsDisplay(
            **{name: np.array(values) for name, values in each.calibration.items()},
            code=code,
            label=each.label,
        )
        for code, each in enumerate(findings.panels.against_rest)
        if each.calibration
    ]
