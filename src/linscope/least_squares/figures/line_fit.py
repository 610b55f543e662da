"""A line through points, with its residuals and how sure it is.

ŷ = w₀ + w₁ x       through (x̄, ȳ)
confidence band     where the mean of y is, at each x
prediction band     where a new y would be
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from linscope.arithmetic.distributions import check_level
from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.base import Display
from linscope.display.inputs import dense

from ..inference.intervals import predict_interval
from .fits import linear_fit

MOST_SEGMENTS, MOST_POINTS = 30, 5000


def line_fit(
    estimator: Any,
    X: TableLike = None,
    y: Any = None,
    *,
    level: float = 0.95,
    output: int | str = 0,
    ax: Any = None,
) -> LineFitDisplay:
    """Points and the fitted line of one feature, with residuals, confidence and prediction band.

    Parameters
    ----------
    estimator, X, y, output : as for ``residuals``
    level : of the bands
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.line_fit(ls.LinearRegression().fit(*ls.datasets.load("five_points")))
    <LineFitDisplay: ŷ = 1.108 + 1.162·x1, R² = 0.961>
    """
    level = check_level(level)
    fit = linear_fit(estimator, X, y, output)
    if fit.df_model != 1:
        raise ValueError(
            f"the model has {fit.df_model} features, and a line has one: see "
            "linscope.plot.residuals for several"
        )
    fit.engine()  # raises without rows
    x = dense(fit.X)[:, 0]
    bias = float(fit.weights[0]) if fit.fit_intercept else 0.0
    slope = float(fit.slopes[0])
    reach = 0.08 * np.ptp(x) or 1.0
    places = np.linspace(x.min() - reach, x.max() + reach, 120)
    bands = np.zeros((2, 0, 2))
    if fit.valid:
        kinds = ("confidence", "prediction")
        bands = np.array([predict_interval(fit, places[:, None], k, level) for k in kinds])
    return LineFitDisplay(
        x=x,
        y=np.asarray(fit.y, dtype=np.float64),
        fitted=bias + slope * x,
        places=places,
        line=bias + slope * places,
        confidence=bands[0],
        prediction=bands[1],
        weights=(bias, slope),
        r2=1 - fit.rss / fit.tss if fit.tss > 0 else float("nan"),
        names=(fit.features[0], fit.target),
        level=level,
        through_mean=fit.fit_intercept and fit.weight is None and fit.valid,
    ).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class LineFitDisplay(Display):
    """Points, the fitted line, its bands and its residuals.

    Attributes
    ----------
    x, y, fitted : of each row
    places : x where line and bands are drawn
    line : ŷ there
    confidence, prediction : (len(places), 2) bands; empty if inference is not valid
    weights : intercept (0 without) and slope
    r2 : share of the variation of y that the line describes
    names : of x and y
    level : of the bands
    """

    x: np.ndarray
    y: np.ndarray
    fitted: np.ndarray
    places: np.ndarray
    line: np.ndarray
    confidence: np.ndarray
    prediction: np.ndarray
    weights: tuple[float, float]
    r2: float
    names: tuple[str, str]
    level: float
    through_mean: bool

    @property
    def title(self) -> str:
        bias, slope = self.weights
        name = self.names[0] if len(self.names[0]) <= 24 else "x"
        first = f"{theme.number(bias)} " if bias else ""
        sign = ("+ " if slope >= 0 else "− ") if first else ("" if slope >= 0 else "−")
        return f"ŷ = {first}{sign}{theme.number(abs(slope))}·{name}, R² = {theme.number(self.r2)}"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        entries = self._draw_bands(ax)
        ax.plot(self.places, self.line, color=theme.INK, lw=2, zorder=3)
        entries.insert(0, theme.line_entry("fitted line"))
        if len(self.x) <= MOST_SEGMENTS:
            ax.vlines(self.x, self.y, self.fitted, color=theme.RED, lw=1.4, zorder=3.5)
            entries.append(theme.line_entry("residual", color=theme.RED, lw=1.4))
        self._draw_points(ax)
        if self.through_mean:
            ax.plot(
                self.x.mean(), self.y.mean(), marker="+", ms=13, mew=2, color=theme.PURPLE, zorder=5
            )
            cross = {"color": theme.PURPLE, "ls": "", "marker": "+", "ms": 9, "mew": 2}
            entries.append(theme.line_entry("means (x̄, ȳ)", **cross))
        theme.label(ax, *self.names)
        ax.margins(x=0)
        theme.title_and_key(ax, self.title, entries)

    def _draw_bands(self, ax: Axes) -> list[Line2D]:
        if not len(self.confidence):
            return []
        percent = f"{100 * self.level:.4g} %"
        for band, strength in ((self.prediction, 0.14), (self.confidence, 0.38)):
            ax.fill_between(
                self.places, *band.T, color=theme.tint(theme.BLUE, strength), lw=0, zorder=0
            )
        return [
            theme.region_entry(f"{percent} confidence (mean)", theme.BLUE, 0.38),
            theme.region_entry(f"{percent} prediction (new y)", theme.BLUE, 0.14),
        ]

    def _draw_points(self, ax: Axes) -> None:
        shown = np.arange(len(self.x))
        if len(shown) > MOST_POINTS:
            shown = np.random.default_rng(0).choice(shown, MOST_POINTS, replace=False)
        few = len(shown) <= 200
        ax.scatter(
            self.x[shown],
            self.y[shown],
            s=42 if few else 10,
            c=theme.BLUE,
            edgecolors=theme.INK,
            linewidths=0.7 if few else 0.0,
            alpha=1.0 if few else 0.35,
            zorder=4,
        )
