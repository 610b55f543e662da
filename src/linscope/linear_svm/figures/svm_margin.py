"""The margin of a fitted support vector machine: boundary, width, support vectors, slack.

f = w·x + b        M = 2/‖w‖        ξ = max(0, 1 − y f)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.utils.validation import check_is_fitted

from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.base import SampleDisplay
from linscope.display.decisions import decide
from linscope.display.drawing import draw_band, draw_samples
from linscope.display.geometry import ONE, Box, mesh, segment, square
from linscope.display.inputs import View
from linscope.losses import hinge
from linscope.separation.classifier_margin import (
    ClassifierMarginDisplay,
    check_classes,
    classifier_margins,
)
from linscope.separation.figure import MarginDisplay, margin_box, read_margin, verdict_margin
from linscope.separation.margin_width import draw_width

# A shorter line could not be seen; a fit to a tolerance leaves as much.
LEAST_SLACK = 1e-3
GRID = 240
# A margin so many times wider than the samples are apart is not drawn in full.
WIDEST = 2.0


def margin(
    source: Any, X: TableLike, y: Any, *, ax: Any = None
) -> MarginDisplay | SvmMarginDisplay | ClassifierMarginDisplay:
    """The margin of a linear classifier, or why classes are separable or not.

    A fitted linear machine: the boundary f = 0, the lines f = ±1, the width M = 2/‖w‖, support
    vectors ringed, and slack as lines from f = ±1 to the samples beyond it. Another kernel: the
    curves f = −1, 0, +1. Any other linear classifier: the widest band around its boundary that has
    no sample in it. A verdict of ``separability``: the widest margin, or a common point of both
    hulls.

    Parameters
    ----------
    source : a fitted linear classifier or ``SVC`` of two classes, or what
        ``linscope.separability(X, y)`` returned for two classes, or a dict of fitted linear
        classifiers by name, which are shown side by side with the bands that have no samples
    X, y : the samples it is about, with one or two features
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("xor")
    >>> ls.plot.margin(ls.separability(X, y), X, y).point
    array([0.5, 0.5])
    >>> X, y = ls.datasets.load("or")
    >>> ls.plot.margin(ls.LinearSVC(C=float("inf")).fit(X, y), X, y)
    <SvmMarginDisplay: M = 2/‖w‖ = 0.7071, 3 support vectors, no slack>

    The perceptron stops as soon as all samples are right, whatever the margin:

    >>> perceptron = ls.Perceptron(init=[1, 1, 1], eta0=0.1).fit(X, y)
    >>> machine = ls.LinearSVC(C=float("inf")).fit(X, y)
    >>> ls.plot.margin({"perceptron": perceptron, "SVM": machine}, X, y)
    <ClassifierMarginDisplay: Widest margin: SVM 0.7071; perceptron 0.1414>
    """
    if isinstance(source, Mapping):
        return classifier_margins(source, X, y).plot(ax)
    if hasattr(source, "support_"):
        return machine_margin(source, X, y).plot(ax)
    if hasattr(source, "fit"):
        return classifier_margins({type(source).__name__: source}, X, y).plot(ax)
    return verdict_margin(source, X, y).plot(ax)


def machine_margin(estimator: Any, X: Any, y: Any) -> SvmMarginDisplay:
    """From a fitted machine of two classes and the samples it was trained on."""
    check_is_fitted(estimator)
    samples, view = read_margin(X, y, "fit the model on two of the columns")
    check_classes(estimator, samples, hasattr(estimator, "support_"))
    scores = decide(estimator, samples.X).ravel()
    weights = _weights(estimator)
    points = view.points(samples.X)
    box = _box(points, view, weights)
    u, v, values = np.zeros(0), np.zeros(0), np.zeros((0, 0))
    if not len(weights):
        u, v, spots = mesh(box, GRID)
        values = decide(estimator, view.rows(spots)).reshape(GRID, GRID)
    with np.errstate(divide="ignore"):
        width = 2.0 / np.linalg.norm(weights[1:]) if len(weights) else np.nan
    return SvmMarginDisplay(
        samples=samples,
        view=view,
        model=type(estimator).__name__,
        weights=weights,
        width=float(width),
        scores=scores,
        slack=hinge.loss(samples.y * scores),
        support=_support(estimator, len(scores)),
        feet=_feet(points, view, weights, samples.y - scores),
        u=u,
        v=v,
        values=values,
        box=box,
    )


@dataclass(eq=False, kw_only=True, repr=False)
class SvmMarginDisplay(SampleDisplay):
    """Lines (or curves) f = −1, 0, +1, the support vectors, and the slack.

    Attributes
    ----------
    model : name of the model
    weights : the hyperplane, bias first; empty for a kernel other than linear
    width : M = 2/‖w‖; NaN for such a kernel, whose margin is in its feature space
    scores : f of the samples
    slack : ξ of the samples
    support : rows of the support vectors
    feet : array (n, 2), the nearest point on the line y f = 1, where slack starts; linear only
    u, v, values : a grid and f on it, for a kernel other than linear
    box : limits of the figure
    """

    model: str
    weights: np.ndarray
    width: float
    scores: np.ndarray
    slack: np.ndarray
    support: np.ndarray
    feet: np.ndarray
    u: np.ndarray
    v: np.ndarray
    values: np.ndarray
    box: Box

    @property
    def title(self) -> str:
        support = theme.count(len(self.support), "support vector")
        lead = f"{self.model}: {support}"
        if np.isfinite(self.width):
            lead = f"M = 2/‖w‖ = {theme.number(self.width)}, {support}"
        loose = self.slack[self.slack > LEAST_SLACK]
        return lead + (f", Σξ = {theme.number(float(loose.sum()))}" if len(loose) else ", no slack")

    @property
    def whole(self) -> bool:
        """Whether both lines f = ±1 are in the figure."""
        line = self.view.line(self.weights)
        return all(segment(self.box, line + shift * ONE) is not None for shift in (-1.0, 1.0))

    @property
    def size(self) -> tuple[float, float]:
        return (6.0, 2.4) if self.flat else (6.0, 5.0)

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        entries = [*theme.class_entries(self.labels), theme.line_entry("f = 0", lw=2.0)]
        if not len(self.weights):
            self._draw_curves(ax)
        else:
            draw_band(ax, self.box, self.view.line(self.weights))
        if not len(self.weights) or self.whole:
            entries.append(theme.line_entry("f = ±1", lw=1.1, ls=theme.DASHED))
        theme.ring(ax, self.points[self.support], colour=theme.PURPLE)
        entries.append(theme.ring_entry("support", theme.PURPLE))
        if len(self.weights) and self.whole:
            entries += self._draw_slack(ax)
            self._draw_width(ax)
        draw_samples(ax, self.samples, self.view, self.box)
        if not self.flat and square(self.box):
            ax.set_aspect("equal")
        theme.title_and_key(ax, self.title, entries)

    def _draw_curves(self, ax: Axes) -> None:
        low, high = float(self.values.min()), float(self.values.max())
        if low < 1.0 and high > -1.0:
            fill = [theme.tint(theme.GREY, 0.25)]
            ax.contourf(self.u, self.v, self.values, levels=[-1.0, 1.0], colors=fill, zorder=0)
        for level in (-1.0, 0.0, 1.0):
            look: Any = {"linewidths": 1.1, "linestyles": [theme.DASHED]}
            look = look if level else {"linewidths": 2.0, "linestyles": ["-"]}
            if low < level < high:
                ax.contour(
                    self.u, self.v, self.values, levels=[level], colors=theme.INK, zorder=3, **look
                )

    def _draw_slack(self, ax: Axes) -> list:
        """From the line of the sample's own class to the sample that is beyond it."""
        loose = np.flatnonzero(self.slack > LEAST_SLACK)
        for row in loose:
            ends = np.array([self.feet[row], self.points[row]])
            ax.plot(*ends.T, color=theme.WRONG, lw=1.4, zorder=3.5, solid_capstyle="butt")
        return [theme.line_entry("slack", color=theme.WRONG, lw=1.4)] if len(loose) else []

    def _draw_width(self, ax: Axes) -> None:
        """An arrow from margin to margin where the samples leave room for it."""
        line, text = self.view.line(self.weights), f"M = {theme.number(self.width)}"
        draw_width(ax, self.box, line, self.points, text, flat=self.flat)


def _weights(estimator: Any) -> np.ndarray:
    """The hyperplane, bias first; empty if the model has none."""
    coef = getattr(estimator, "coef_", None)
    if coef is None:
        return np.zeros(0)
    bias = np.ravel(getattr(estimator, "intercept_", 0.0))[:1]
    return np.concatenate([bias, np.ravel(coef)]).astype(np.float64)


def _support(estimator: Any, n: int) -> np.ndarray:
    rows = np.asarray(estimator.support_)
    if len(rows) and rows.max() >= n:
        raise ValueError(
            f"row {rows.max()} is a support vector, X has {n} rows: pass the samples the model was "
            "trained on"
        )
    return rows


def _feet(points: np.ndarray, view: View, weights: np.ndarray, short: np.ndarray) -> np.ndarray:
    """The nearest point of f = y: x + (y − f) w/‖w‖²; empty without a line."""
    if not len(weights) or not weights[1:].any():
        return np.zeros((0, 2))
    a = view.line(weights)[1:]
    return points + np.outer(short, a / (a @ a))


def _box(points: np.ndarray, view: View, weights: np.ndarray) -> Box:
    """Around the samples, and around the margin at their middle unless that is far wider."""
    if len(weights) and weights[1:].any():
        line = view.line(weights)
        a, centre = line[1:], points.mean(axis=0)
        centre = centre - (line[0] + centre @ a) * a / (a @ a)
        if 2.0 / np.linalg.norm(a) <= WIDEST * float(np.linalg.norm(np.ptp(points, axis=0))):
            points = np.vstack([points, centre + np.outer([-1.0, 1.0], a / (a @ a))])
    return margin_box(view, points)
