"""A line through points, with its residuals and how sure it is.

ŷ = w₀ + w₁ x       through (x̄, ȳ)
confidence band     where the mean of y is, at each x
prediction band     where a new y would be

Of a fit from moments alone there are no points: the line is drawn where most x would be.
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

from ..inference.intervals import predict_interval
from .fits import ROUNDING, Straight, short_name, straight_line

MOST_SEGMENTS, MOST_POINTS = 30, 5000
# So few residuals can have their values beside them.
FEW = 10


def line_fit(
    estimator: Any,
    X: TableLike = None,
    y: Any = None,
    *,
    level: float = 0.95,
    residual: int | None = None,
    output: int | str = 0,
    ax: Any = None,
) -> LineFitDisplay:
    """Points and the fitted line of one feature, with residuals, confidence and prediction band.

    Parameters
    ----------
    estimator, X, y, output : as for ``residuals``; a ``LinearRegression.from_moments`` has no
        points, but a line and its means
    level : of the bands
    residual : number of the sample whose residual is worked out; by default all residuals have
        their values beside them if there are at most ten
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> model = ls.LinearRegression().fit(*ls.datasets.load("five_points"))
    >>> ls.plot.line_fit(model)
    <LineFitDisplay: ŷ = 1.108 + 1.162·x, R² = 0.961>
    >>> ls.plot.line_fit(model, residual=3).worked
    'at x = 3: y − ŷ = 4 − 4.59 = −0.59'
    """
    level = check_level(level)
    line = straight_line(estimator, X, y, output)
    bands = np.zeros((2, 0, 2))
    if line.fit.valid:
        kinds = ("confidence", "prediction")
        bands = np.array(
            [predict_interval(line.fit, line.places[:, None], k, level) for k in kinds]
        )
    fit = line.fit
    return LineFitDisplay(
        x=line.x,
        y=line.y,
        fitted=line.at(line.x),
        places=line.places,
        line=line.at(line.places),
        confidence=bands[0],
        prediction=bands[1],
        weights=line.weights,
        equation=line.equation,
        r2=1 - fit.rss / fit.tss if fit.tss > 0 else float("nan"),
        names=line.names,
        level=level,
        means=line.means,
        labelled=_labelled(line, residual),
        single=residual is not None,
    ).plot(ax)


def _labelled(line: Straight, residual: int | None) -> np.ndarray:
    """Which of the rows have their residual beside them."""
    n = len(line.x)
    if residual is None:
        return np.arange(n if n <= FEW else 0)
    numbers = np.arange(n) if line.fit.rows is None else np.asarray(line.fit.rows)
    found = np.flatnonzero(numbers == residual)
    if len(found) != 1:
        known = f"0 … {numbers[-1]}" if n else "none at all: only moments are known"
        raise ValueError(f"residual={residual!r} is not the number of a sample ({known})")
    return found


@dataclass(eq=False, kw_only=True, repr=False)
class LineFitDisplay(Display):
    """Points, the fitted line, its bands and its residuals.

    Attributes
    ----------
    x, y, fitted : of each row; empty if only moments are known
    places : x where line and bands are drawn
    line : ŷ there
    confidence, prediction : (len(places), 2) bands; empty if inference is not valid
    weights : intercept (0 without) and slope; ``equation`` has them as text
    r2 : share of the variation of y that the line describes
    names : of x and y
    level : of the bands
    means : (x̄, ȳ) if the line goes through them, else None
    labelled : rows whose residual is written beside it
    single : whether it is one row that was asked for
    """

    x: np.ndarray
    y: np.ndarray
    fitted: np.ndarray
    places: np.ndarray
    line: np.ndarray
    confidence: np.ndarray
    prediction: np.ndarray
    weights: tuple[float, float]
    equation: str
    r2: float
    names: tuple[str, str]
    level: float
    means: tuple[float, float] | None
    labelled: np.ndarray
    single: bool = False

    @property
    def residuals(self) -> np.ndarray:
        """y − ŷ of each row; 0 where that is but rounding."""
        found = self.y - self.fitted
        return np.where(np.abs(found) <= ROUNDING * np.abs(self.y), 0.0, found)

    @property
    def worked(self) -> str:
        """The residual that was asked for, worked out as in the notes; "" if none was."""
        if not self.single:
            return ""
        (i,) = self.labelled
        write = _decimals(self.residuals[i])
        name = short_name(self.names[0])
        minus = "+" if self.fitted[i] < 0 else "−"
        return (
            f"at {name} = {theme.number(self.x[i])}: y − ŷ = {write(self.y[i])} {minus} "
            f"{write(abs(self.fitted[i]))} = {write(self.residuals[i])}"
        )

    @property
    def title(self) -> str:
        share = f", R² = {theme.number(self.r2)}" if np.isfinite(self.r2) else ""
        return f"ŷ = {self.equation}{share}"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        entries = self._draw_bands(ax)
        ax.plot(self.places, self.line, color=theme.INK, lw=2, zorder=3)
        entries.insert(0, theme.line_entry("fitted line"))
        if 0 < len(self.x) <= MOST_SEGMENTS:
            ax.vlines(self.x, self.y, self.fitted, color=theme.RED, lw=1.4, zorder=3.5)
            entries.append(theme.line_entry("residual y − ŷ", color=theme.RED, lw=1.4))
        self._draw_points(ax)
        if self.means is not None:
            ax.plot(*self.means, marker="+", ms=13, mew=2, color=theme.PURPLE, zorder=5)
            cross = {"color": theme.PURPLE, "ls": "", "marker": "+", "ms": 9, "mew": 2}
            x, y = map(theme.number, self.means)
            entries.append(theme.line_entry(f"means (x̄, ȳ) = ({x}, {y})", **cross))
        theme.label(ax, *self.names)
        ax.margins(x=0)
        theme.title_and_key(ax, self.title, entries)
        self._label_residuals(ax)

    def _label_residuals(self, ax: Axes) -> None:
        """Above points above the line, below those below it; a single one in a corner."""
        look: dict[str, Any] = {"fontsize": theme.SMALL, "color": theme.RED, "zorder": 6}
        if self.single:
            (i,) = self.labelled
            right = self.weights[1] >= 0
            ax.annotate(
                self.worked,
                (self.x[i], (self.y[i] + self.fitted[i]) / 2),
                textcoords="axes fraction",
                xytext=(0.98 if right else 0.02, 0.04),
                ha="right" if right else "left",
                arrowprops={"arrowstyle": "-", "color": theme.RED, "lw": 0.8, "shrinkB": 0},
                **look,
            )
        elif len(self.labelled):
            write = _decimals(np.abs(self.residuals[self.labelled]).max())
            for i in self.labelled:
                at, away = (self.x[i], self.y[i]), 11 if self.residuals[i] >= 0 else -11
                place: dict[str, Any] = {"textcoords": "offset points", "xytext": (0, away)}
                ax.annotate(write(self.residuals[i]), at, ha="center", va="center", **place, **look)

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


def _decimals(size: float) -> Any:
    """How to write numbers of which the largest has this size: with two digits of it."""
    digits = 1 - int(np.floor(np.log10(abs(size)))) if size else 0
    if not -3 <= digits <= 5:
        return lambda value: theme.number(float(f"{value:.2g}"))
    return lambda value: theme.number(round(value, max(digits, 0)) + 0.0)
