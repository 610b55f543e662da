"""What linear regression assumes: at each x, y is normal about the line, with the same spread.

Y | x  ~  N(β₀ + β₁ x, σ²)        linearity, equal spread (homoscedasticity), normality
σ²     =  Σ (y − ŷ)² / (n − 2)    the estimate of it
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.base import Display

from .fits import ROUNDING, straight_line

# How far from the line a curve is drawn, in σ, and how many of its points.
TAILS, POINTS = 3.2, 201
CURVES = 4


def normal_curves(
    estimator: Any,
    X: TableLike = None,
    y: Any = None,
    *,
    at: Any = None,
    output: int | str = 0,
    ax: Any = None,
) -> NormalCurvesDisplay:
    """The assumptions of a regression with one feature: normal curves of one width on the line.

    Parameters
    ----------
    estimator, X, y, output : as for ``line_fit``
    at : values of x where a curve stands; by default four, evenly spread
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> model = ls.LinearRegression().fit(*ls.datasets.load("five_points"))
    >>> ls.plot.normal_curves(model)
    <NormalCurvesDisplay: Y | x ~ N(1.108 + 1.162·x, 0.5199²)>
    """
    line = straight_line(estimator, X, y, output)
    line.fit.need_valid("normal curves")
    df = line.fit.df_residual
    assert df is not None
    if at is None:
        known = line.x if len(line.x) else line.places
        at = np.linspace(known.min(), known.max(), CURVES)
    at = np.unique(np.asarray(at, dtype=np.float64))
    if not np.isfinite(at).all() or not len(at):
        raise ValueError("at must be finite values of x, one for each curve")
    sigma = float(np.sqrt(line.fit.rss / df))
    if sigma <= ROUNDING * line.size:
        raise ValueError("all points lie on the line: σ = 0, and there is no curve to draw")
    away = np.linspace(-TAILS, TAILS, POINTS)
    return NormalCurvesDisplay(
        x=line.x,
        y=line.y,
        places=np.linspace(*_around(line.places, at), 2),
        weights=line.weights,
        equation=line.equation,
        at=at,
        centres=line.at(at),
        sigma=sigma,
        away=sigma * away,
        density=np.exp(-0.5 * away**2) / (sigma * np.sqrt(2 * np.pi)),
        names=line.names,
    ).plot(ax)


def _around(places: np.ndarray, at: np.ndarray) -> tuple[float, float]:
    return min(float(places[0]), float(at[0])), max(float(places[-1]), float(at[-1]))


@dataclass(eq=False, kw_only=True, repr=False)
class NormalCurvesDisplay(Display):
    """A line with the normal curve of y at some x.

    Attributes
    ----------
    x, y : of each row; empty if only moments are known
    places : the two ends of the line
    weights : intercept (0 without) and slope; ``equation`` has them as text
    at, centres : x of each curve, and the mean of y there
    sigma : estimated standard deviation of y about the line
    away, density : y − mean along a curve, and the normal density there
    names : of x and y
    """

    x: np.ndarray
    y: np.ndarray
    places: np.ndarray
    weights: tuple[float, float]
    equation: str
    at: np.ndarray
    centres: np.ndarray
    sigma: float
    away: np.ndarray
    density: np.ndarray
    names: tuple[str, str]

    @property
    def title(self) -> str:
        return f"Y | x ~ N({self.equation}, {theme.number(self.sigma)}²)"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        few = len(self.x) <= 200
        look: dict[str, Any] = {"s": 30 if few else 8, "linewidths": 0.6 if few else 0.0}
        ax.scatter(
            self.x,
            self.y,
            c=theme.BLUE,
            edgecolors=theme.INK,
            alpha=1.0 if few else 0.35,
            zorder=4,
            **look,
        )
        step = np.diff(self.at).min() if len(self.at) > 1 else np.ptp(self.places) / 3
        width = 0.72 * step * self.density / self.density.max()
        bias, slope = self.weights
        ends = np.array([self.places[0], max(self.places[1], self.at[-1] + width.max())])
        ax.plot(ends, bias + slope * ends, color=theme.INK, lw=2, zorder=3)
        for x, centre in zip(self.at, self.centres, strict=True):
            y = centre + self.away
            ax.fill_betweenx(y, x, x + width, color=theme.tint(theme.ORANGE, 0.35), lw=0, zorder=1)
            ax.plot(x + width, y, color=theme.ORANGE, lw=1.8, zorder=2)
            ax.plot([x, x], y[[0, -1]], color=theme.SOFT, lw=0.9, ls=theme.DASHED, zorder=1.5)
            ax.plot(x, centre, marker="o", ms=5, color=theme.INK, zorder=3.5)
        theme.label(ax, *self.names)
        entries = [
            theme.line_entry("mean of y: the line"),
            theme.line_entry("y at this x: normal, the same σ everywhere", color=theme.ORANGE),
        ]
        theme.title_and_key(ax, self.title, entries)
