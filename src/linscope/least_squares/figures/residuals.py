"""Four looks at the residuals, one question each.

    residuals against ŷ          linearity: is there a bend?
    normal Q–Q                   normality: do the points follow the line?
    √|residual| against ŷ        homoscedasticity: does the spread change?
    residuals against leverage   influence: does one row decide the fit? (Cook's distance 0.5, 1)

The last three show standardised residuals r = √c e/(σ√(1 − h)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from scipy import special

from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.base import Display

from ..inference.rows import RowValues, row_values
from .fits import linear_fit
from .lowess import smooth

# More rows than this are thinned: a random part, and the most extreme ones.
MOST_POINTS, RANDOM_POINTS, EXTREME_POINTS = 5000, 4000, 20
LABELLED = 3
COOK = (0.5, 1.0)
# Height of a panel's points and of a line of text, in printer's points.
PANEL_POINTS, LINE_POINTS = 165.0, 11.0


def residuals(
    estimator: Any, X: TableLike = None, y: Any = None, *, output: int | str = 0, ax: Any = None
) -> ResidualsDisplay:
    """Four looks at the residuals of a linear model: bend, normality, spread, influence.

    Parameters
    ----------
    estimator : fitted ``LinearRegression`` or ``Ridge``, or any model with ``coef_`` and
        ``intercept_``
    X, y : the training data, needed unless the model still has them
    output : which target, by number or name
    ax : four matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("diabetes")
    >>> ls.plot.residuals(ls.LinearRegression().fit(X, y))
    <ResidualsDisplay: Four looks at the residuals of y: 442 rows>
    """
    fit = linear_fit(estimator, X, y, output)
    values = row_values(fit)
    if values.exact:
        raise ValueError(
            "the fit is exact: its residuals are rounding errors, and there is nothing to see "
            "in them"
        )
    return ResidualsDisplay(
        values=values,
        numbers=np.arange(values.n) if fit.rows is None else np.asarray(fit.rows),
        target=fit.target,
        shown=_selection(values),
        extreme=_largest(np.abs(values.standardized), LABELLED),
        influential=_largest(values.cooks_distance, LABELLED),
    ).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class ResidualsDisplay(Display):
    """The residuals of a linear model in four panels.

    Attributes
    ----------
    values : residuals, leverages and Cook's distances of all rows
    numbers : row numbers in the user's table
    target : the name of y
    shown : which rows are drawn (all, unless there are very many)
    extreme : the rows with the largest standardised residuals
    influential : the rows with the largest Cook's distances
    """

    values: RowValues
    numbers: np.ndarray
    target: str
    shown: np.ndarray
    extreme: np.ndarray
    influential: np.ndarray
    grid = 2, 2
    size = 9.0, 7.4

    @property
    def quantiles(self) -> np.ndarray:
        """The normal quantile that belongs to each row's standardised residual."""
        n, times = self.values.total, self.values.times
        # Blom's positions, those of R.
        a = 3 / 8 if n <= 10 else 1 / 2
        rank, order = np.empty(self.values.n), np.argsort(self.values.standardized, kind="stable")
        rank[order] = np.cumsum(times[order]) - (times[order] - 1) / 2
        return special.ndtri((rank - a) / (n + 1 - 2 * a))

    @property
    def title(self) -> str:
        n, shown = self.values.n, len(self.shown)
        part = "" if shown == n else f" ({shown:,} shown)"
        return f"Four looks at the residuals of {self.target}: {theme.count(n, 'row')}{part}"

    def _draw(self, axes: list[Axes]) -> None:
        values = self.values
        r, size = values.standardized, np.sqrt(np.abs(values.standardized))
        self._draw_cloud(axes[0], values.fitted, values.residuals)
        axes[0].axhline(0, color=theme.SOFT, lw=0.9, ls=theme.DASHED, zorder=1)
        _name(axes[0], "Linearity: is there a bend?", f"fitted {self.target}", "residual")
        self._draw_normal(axes[1], r)
        self._draw_cloud(axes[2], values.fitted, size)
        axes[2].set_ylim(bottom=0)
        spread = "√|standardised residual|"
        _name(axes[2], "Equal spread: the same everywhere?", f"fitted {self.target}", spread)
        self._draw_leverage(axes[3], r)

    def _draw_cloud(self, ax: Axes, x: np.ndarray, y: np.ndarray) -> None:
        """Points with a smooth curve, the extreme ones labelled."""
        _points(ax, x[self.shown], y[self.shown])
        ax.plot(*smooth(x, y), color=theme.RED, lw=1.8, zorder=3)
        self._label(ax, x, y, self.extreme)

    def _draw_normal(self, ax: Axes, r: np.ndarray) -> None:
        q = self.quantiles
        low, high = np.quantile(r, [0.25, 0.75])
        slope = (high - low) / (2 * special.ndtri(0.75))
        ends = np.array([q.min(), q.max()])
        ax.plot(ends, (low + high) / 2 + slope * ends, color=theme.SOFT, lw=1.2, zorder=1)
        _points(ax, q[self.shown], r[self.shown])
        self._label(ax, q, r, self.extreme, lift=6.0)
        question = "Normality: do they follow the line?"
        _name(ax, question, "normal quantile", "standardised residual")

    def _draw_leverage(self, ax: Axes, r: np.ndarray) -> None:
        h = self.values.leverages
        _points(ax, h[self.shown], r[self.shown])
        ax.axhline(0, color=theme.SOFT, lw=0.9, ls=theme.DASHED, zorder=1)
        left, right = 0.0, min(1.0, 1.08 * float(h.max()))
        bottom, top = (1.15 * float(value) for value in (min(r.min(), -1), max(r.max(), 1)))
        self._draw_cook(ax, right, top, bottom)
        largest = f"{self.values.cooks_distance[self.influential[0]]:.2g}"
        question = f"Influence: Cook's distance D ≤ {largest}"
        _name(ax, question, "leverage", "standardised residual")
        ax.set(xlim=(left, right), ylim=(bottom, top))
        ax.xaxis.set_major_locator(MaxNLocator(5))
        ax.ticklabel_format(axis="x", scilimits=(-3, 4), useMathText=True)
        self._label(ax, h, r, self.influential)

    def _draw_cook(self, ax: Axes, right: float, top: float, bottom: float) -> None:
        """Contours of D = r² h/(p (1 − h)), those that reach the panel."""
        h = np.linspace(right / 1000, min(right, 0.9999), 1000)
        up = top <= -bottom  # the nearer border: there the contours are further apart
        near, far = (top, -bottom) if up else (-bottom, top)
        for level in COOK:
            r = np.sqrt(level * self.values.p * (1 - h) / h)
            if r[-1] > far:
                continue
            for sign in (-1, 1):
                ax.plot(h, sign * r, color=theme.ORANGE, lw=1.2, ls=(0, (5, 3)), zorder=2)
            if r[-1] > near:
                up, near, far = not up, far, near
            ax.annotate(
                f"D = {level:g}",
                (h[r <= near][0], near if up else -near),
                textcoords="offset points",
                xytext=(8, -2 if up else 2),
                va="top" if up else "bottom",
                fontsize=theme.SMALL,
                color=theme.INK,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
            )

    def _label(
        self, ax: Axes, x: np.ndarray, y: np.ndarray, rows: np.ndarray, lift: float = 0.0
    ) -> None:
        """Row numbers beside points, on the side where there is room; none over another."""
        width, height = np.ptp(x) or 1.0, np.ptp(y) or 1.0
        middle = (x.min() + x.max()) / 2
        placed: list[tuple[float, float, float]] = []
        for row in sorted(rows, key=lambda row: -y[row]):
            left = x[row] > middle
            own = (y[row] - y.min()) / height * PANEL_POINTS
            at = own + (lift if left else -lift)
            long = (0.02 + 0.023 * len(str(self.numbers[row]))) * width
            start, end = (x[row] - long, x[row]) if left else (x[row], x[row] + long)
            near = [high for a, b, high in placed if a < end and start < b]
            at = min([at, *(high - LINE_POINTS for high in near)])
            placed.append((start, end, at))
            ax.scatter(x[row], y[row], s=20, c=theme.BLUE, linewidths=0, zorder=4)
            ax.annotate(
                str(self.numbers[row]),
                (x[row], y[row]),
                textcoords="offset points",
                xytext=(-5 if left else 5, at - own),
                ha="right" if left else "left",
                va="center",
                fontsize=theme.SMALL,
                color=theme.INK,
                zorder=6,
            )


def _points(ax: Axes, x: np.ndarray, y: np.ndarray) -> None:
    few = len(x) <= 100
    style: dict[str, Any] = {"s": 34 if few else 14, "linewidths": 0.7 if few else 0.4}
    face = "none" if not few else theme.tint(theme.BLUE, 0.55)
    alpha = 1.0 if few else max(0.25, min(1.0, 900 / len(x)))
    ax.scatter(x, y, facecolors=face, edgecolors=theme.BLUE, alpha=alpha, zorder=2, **style)


def _name(ax: Axes, title: str, x: str, y: str) -> None:
    theme.title(ax, title, size=theme.TEXT + 0.5)
    theme.label(ax, x, y)
    ax.margins(x=0.08, y=0.1)


def _largest(values: np.ndarray, count: int) -> np.ndarray:
    """Rows of the largest values, largest first."""
    count = min(count, len(values))
    top = np.argpartition(values, len(values) - count)[len(values) - count :]
    return top[np.argsort(-values[top], kind="stable")]


def _selection(values: RowValues) -> np.ndarray:
    """All rows, or a random part with the most extreme ones."""
    if values.n <= MOST_POINTS:
        return np.arange(values.n)
    random = np.random.default_rng(0).choice(values.n, RANDOM_POINTS, replace=False)
    extremes = [
        _largest(measure, EXTREME_POINTS)
        for measure in (np.abs(values.standardized), values.leverages, values.cooks_distance)
    ]
    return np.unique(np.concatenate([random, *extremes]))
