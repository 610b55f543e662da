"""What a descent sees: the loss over two weights, with the path of the weights on it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm
from matplotlib.ticker import MaxNLocator
from sklearn.exceptions import ConvergenceWarning

from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.geometry import mesh
from linscope.display.inputs import Samples, read_regression, read_samples
from linscope.tracing.start import trace
from linscope.tracing.trace_object import Trace

from .surfaces import SURFACES, Lowest, Surface, lowest_of, surface_box
from .weight_plane import WeightPlaneDisplay, read_plane

RESOLUTION = 360
STAR: dict[str, Any] = {
    "color": theme.GOOD,
    "marker": "*",
    "ms": 14,
    "mec": "white",
    "ls": "",
}
PANELS = {"both": ("perceptron", "mistakes"), **{name: (name,) for name in SURFACES}}


def loss_surface(
    X: TableLike,
    y: Any,
    *,
    path: Any = None,
    loss: str = "perceptron",
    weights: Any = None,
    at: Any = None,
    box: Any = None,
    fit_intercept: bool = True,
    ax: Any = None,
) -> LossSurfaceDisplay:
    """Contours of a loss over two weights, with the path of the weights.

    Parameters
    ----------
    X, y : samples of two classes; for "squared" any numbers y
    path : path of the weights, optional: an array, a perceptron, another model that takes steps
        (``LogisticRegression(C=np.inf, solver="batch")``), or a trace of one. A penalty is no part
        of the surface.
    loss : {"perceptron", "mistakes", "both", "logistic", "likelihood", "squared", "hinge"}
        J_p, the plain number of mistakes (flat: gradient descent is useless), or side by side; the
        log loss, the log likelihood l(w), the squared loss, the hinge loss.
    weights : which two weights to draw, 0 is the bias; by default the last two
    at : all weights, bias first; those not drawn are held there, by default at the path's end
    box : limits (u0, u1, v0, v1) of the two weights, optional
    fit_intercept : whether there is a bias
    ax : matplotlib axes, one per panel, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = [[1], [2], [4], [5]], [-1, -1, 1, 1]
    >>> sorted(ls.plot.loss_surface(X, y, path=ls.Perceptron(), loss="both").values)
    ['mistakes', 'perceptron']
    >>> ls.plot.loss_surface(X, [-1, 1, -1, 1], loss="likelihood")
    <LossSurfaceDisplay: The log likelihood l(w) is concave: one hill>
    >>> ls.plot.loss_surface(*ls.datasets.load("five_points"), loss="squared").lowest.round(2)
    array([1.11, 1.16])
    """
    if loss not in PANELS:
        raise ValueError(f"loss must be one of {', '.join(map(repr, PANELS))}, got {loss!r}")
    samples, targets = _read(X, y, loss)
    path, fit_intercept = _walked(path, X, y, loss, fit_intercept)
    plane = read_plane(samples, path, weights, fit_intercept, name="path", at=at)
    lowest = lowest_of(SURFACES[loss], plane, targets) if loss != "both" else None
    u, v, spots = mesh(surface_box(plane, lowest) if box is None else box, RESOLUTION)
    grid = np.tile(plane.current, (len(v), len(u), 1))
    grid[..., list(plane.pair)] = spots.reshape(len(v), len(u), 2)
    rows = plane.samples.augmented
    values = {
        name: np.stack([SURFACES[name].compute(line, rows, targets) for line in grid])
        for name in PANELS[loss]
    }
    return LossSurfaceDisplay(**plane.facts(), u=u, v=v, values=values, lowest=_place(lowest)).plot(
        ax
    )


def _place(lowest: Lowest | None) -> np.ndarray | None:
    return lowest.end if lowest is not None and lowest.found else None


def _read(X: Any, y: Any, loss: str) -> tuple[Samples, np.ndarray]:
    """The samples, and y as numbers: −1 and +1, for the squared loss as they are."""
    if loss == "squared" and np.asarray(y).dtype.kind in "biuf":
        matrix, numbers, _ = read_regression(X, y)
        return Samples(matrix, np.zeros(len(matrix), np.int64), np.zeros(1), []), numbers
    samples = read_samples(X, y, binary=True)
    return samples, samples.y


def _walked(path: Any, X: Any, y: Any, loss: str, fit_intercept: bool) -> tuple[Any, bool]:
    """The path of a model that takes steps as an array; that of a perceptron is read later."""
    model = getattr(path, "estimator", path)
    later = hasattr(model, "tie") and loss != "squared"
    if later or not (isinstance(path, Trace) or hasattr(path, "_traced_by")):
        return path, fit_intercept
    if not isinstance(path, Trace):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            path = trace(path, X, y)
    if not isinstance(path, Trace):
        raise TypeError(
            f"{type(model).__name__} has a closed form and takes no steps: choose another solver, "
            'for instance solver="batch"'
        )
    return path.path(), path.estimator.fit_intercept


@dataclass(eq=False, kw_only=True, repr=False)
class LossSurfaceDisplay(WeightPlaneDisplay):
    """Values of one or more losses on a grid of two weights.

    Attributes
    ----------
    u, v : the two weights' grids
    values : loss name -> array (len(v), len(u))
    lowest : the two weights of the minimum (or the summit), None if there is none
    """

    u: np.ndarray
    v: np.ndarray
    values: dict[str, np.ndarray]
    lowest: np.ndarray | None = None

    @property
    def title(self) -> str:
        if len(self.values) > 1:
            text = "Why the perceptron descends J_p and not the count of mistakes"
        else:
            (name,) = self.values
            text = SURFACES[name].message
        return text + (f" (at {self._held_at()})" if self.held else "")

    @property
    def grid(self) -> tuple[int, int]:
        return 1, len(self.values)

    @property
    def size(self) -> tuple[float, float]:
        return (6.0, 5.0) if len(self.values) == 1 else (9.0, 4.6)

    def _draw(self, axes: list[Axes]) -> None:
        for ax, (name, values) in zip(axes, self.values.items(), strict=True):
            surface = SURFACES[name]
            draw = self._draw_steps if surface.steps else self._draw_slope
            draw(ax, values, surface)
            entries = self._draw_path(ax, (*self.u[[0, -1]], *self.v[[0, -1]]))
            if surface.zero and (values <= 0).any():
                entries.append(theme.region_entry(surface.zero, theme.GOOD))
            if self.lowest is not None and not len(self.path):
                ax.plot(*self.lowest, zorder=8, **STAR)
                word = "maximum" if surface.summit else "minimum"
                entries.append(theme.line_entry(word, **STAR))
            text = self.title if len(axes) == 1 else surface.message
            theme.title_and_key(ax, text, entries)

    def _draw_slope(self, ax: Axes, values: np.ndarray, surface: Surface) -> None:
        low, top = float(values.min()), float(values.max())
        levels = np.array(MaxNLocator(nbins=12).tick_values(low, top if top > low else low + 1.0))
        if surface.summit is not None:  # denser near the minimum, as those of a bowl are
            steps = max(top - low, 1e-300) * np.linspace(0.0, 1.0, 14) ** 2
            levels = top - steps[::-1] if surface.summit else low + steps
        zero = (values <= 0) & bool(surface.zero)
        colours = ax.contourf(self.u, self.v, values, levels=levels, cmap=theme.LIGHT_TO_DARK)
        line = "white" if surface.summit is None else theme.tint(theme.SOFT, 0.55)
        look: dict[str, Any] = {"colors": [line], "linewidths": 0.7, "linestyles": "solid"}
        ax.contour(self.u, self.v, values, levels=levels[1:-1], **look)
        if zero.any() and not zero.all():
            fill = [theme.tint(theme.GOOD, 0.22)]
            ax.contourf(self.u, self.v, zero.astype(float), levels=[0.5, 1.5], colors=fill)
        self._bar(ax, colours, surface.name, levels[::2])

    def _draw_steps(self, ax: Axes, values: np.ndarray, surface: Surface) -> None:
        low, high = int(values.min()), int(values.max())
        levels = np.unique(np.linspace(low, high + 1, min(high - low + 2, 12)).astype(int)) - 0.5
        if len(levels) < 3:
            levels = np.array([low - 0.5, low + 0.5, low + 1.5])
        norm = BoundaryNorm(levels, theme.LIGHT_TO_DARK.N)
        mesh = ax.pcolormesh(self.u, self.v, values, cmap=theme.LIGHT_TO_DARK, norm=norm)
        mesh.set_rasterized(True)
        if low == 0:
            fill = [theme.tint(theme.GOOD, 0.22)]
            ax.contourf(self.u, self.v, values, levels=[-0.5, 0.5], colors=fill)
        self._bar(ax, mesh, surface.name, levels[:-1] + 0.5)

    def _bar(self, ax: Axes, colours: Any, name: str, ticks: np.ndarray) -> None:
        figure = ax.figure
        assert figure is not None
        bar = figure.colorbar(colours, ax=ax, pad=0.02, aspect=30, ticks=ticks)
        bar.ax.set_yticklabels([f"{tick:.3g}".replace("-", "−") for tick in ticks])
        bar.minorticks_off()
        bar.ax.tick_params(labelsize=theme.SMALL, colors=theme.SOFT, length=0)
        bar.outline.set_visible(False)
        bar.set_label(theme.pretty(name), color=theme.INK, size=theme.TEXT)
