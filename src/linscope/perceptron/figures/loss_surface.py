"""What a descent sees: the loss over two weights, with the path of the weights on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm
from matplotlib.ticker import MaxNLocator

from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.geometry import mesh
from linscope.losses import perceptron

from .weight_plane import WeightPlaneDisplay, read_plane

RESOLUTION = 360


class Surface(NamedTuple):
    """A loss: how to compute it for many weights at once, its name and its message."""

    compute: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    name: str
    message: str
    steps: bool = False


def _number_of_mistakes(W: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return perceptron.mistakes(W, X, y).sum(axis=-1)


# A new loss is one line here.
SURFACES = {
    "perceptron": Surface(perceptron.criterion, "J_p", "J_p has a slope to follow"),
    "mistakes": Surface(_number_of_mistakes, "mistakes", "The count of mistakes is flat", True),
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
    X, y : samples of two classes
    path : path of the weights (array, perceptron or trace), optional
    loss : {"perceptron", "mistakes", "both"}
        J_p, the plain number of mistakes (flat: gradient descent is useless), or side by side.
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
    """
    if loss not in PANELS:
        raise ValueError(f"loss must be one of {', '.join(map(repr, PANELS))}, got {loss!r}")
    plane = read_plane(X, y, path, weights, fit_intercept, name="path", at=at)
    u, v, spots = mesh(plane.box() if box is None else box, RESOLUTION)
    grid = np.tile(plane.current, (len(v), len(u), 1))
    grid[..., list(plane.pair)] = spots.reshape(len(v), len(u), 2)
    rows, signs = plane.samples.augmented, plane.samples.y
    values = {name: SURFACES[name].compute(grid, rows, signs) for name in PANELS[loss]}
    return LossSurfaceDisplay(**plane.facts(), u=u, v=v, values=values).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class LossSurfaceDisplay(WeightPlaneDisplay):
    """Values of one or more losses on a grid of two weights.

    Attributes
    ----------
    u, v : the two weights' grids
    values : loss name -> array (len(v), len(u))
    """

    u: np.ndarray
    v: np.ndarray
    values: dict[str, np.ndarray]

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
            if (values <= 0).any():
                entries.append(theme.region_entry("0: solutions", theme.GOOD))
            text = self.title if len(axes) == 1 else surface.message
            theme.title_and_key(ax, text, entries)

    def _draw_slope(self, ax: Axes, values: np.ndarray, surface: Surface) -> None:
        top = float(values.max()) or 1.0
        levels = np.array(MaxNLocator(nbins=12).tick_values(float(values.min()), top))
        zero = values <= 0
        colours = ax.contourf(self.u, self.v, values, levels=levels, cmap=theme.LIGHT_TO_DARK)
        ax.contour(self.u, self.v, values, levels=levels[1:], colors="white", linewidths=0.7)
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
        bar.ax.set_yticklabels([f"{tick:.3g}" for tick in ticks])
        bar.minorticks_off()
        bar.ax.tick_params(labelsize=theme.SMALL, colors=theme.SOFT, length=0)
        bar.outline.set_visible(False)
        bar.set_label(theme.pretty(name), color=theme.INK, size=theme.TEXT)
