"""What a descent sees: the loss over two weights, with the path of the weights on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm
from matplotlib.ticker import MaxNLocator

from linscope.display import theme
from linscope.display.arrows import draw_path
from linscope.display.base import Display
from linscope.display.geometry import Box
from linscope.display.inputs import read_samples
from linscope.losses import perceptron

from .weight_path import weight_path
from .weight_space import choose_weights, path_entry, weight_box


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


@dataclass(eq=False, kw_only=True, repr=False)
class LossSurfaceDisplay(Display):
    """Values of one or more losses on a grid of two weights.

    Attributes
    ----------
    u, v : the two weights' grids
    values : loss name -> array (len(v), len(u))
    path : the weights after each update in this plane, (k, 2); may be empty
    axes_names, held : the two weights, and the others with their values
    """

    u: np.ndarray
    v: np.ndarray
    values: dict[str, np.ndarray]
    path: np.ndarray
    axes_names: tuple[str, str]
    held: dict[str, float]

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        *,
        path: Any = None,
        loss: str = "perceptron",
        weights: Sequence[int] | None = None,
        at: Any = None,
        box: Box | None = None,
        fit_intercept: bool = True,
        resolution: int = 360,
    ) -> Self:
        """Evaluate the loss; weights off the plane stay at ``at``, by default the path's end."""
        if loss not in PANELS:
            raise ValueError(f"loss must be one of {', '.join(map(repr, PANELS))}, got {loss!r}")
        samples = read_samples(X, y, binary=True)
        full = np.zeros((0, samples.X.shape[1] + 1))
        if path is not None:
            found = weight_path(path, samples, name="path")
            full = found.weights
            if found.model is not None:
                fit_intercept = found.model.fit_intercept
        i, j = choose_weights(samples, weights, fit_intercept)
        current = full[-1] if len(full) else np.zeros(full.shape[1])
        if at is not None:
            current = np.asarray(at, dtype=np.float64)
            if current.shape != (full.shape[1],):
                raise ValueError(f"at must be {full.shape[1]} weights, bias first, got {at!r}")
        limits = weight_box(full[:, [i, j]]) if box is None else box
        u, v = np.linspace(*limits[:2], resolution), np.linspace(*limits[2:], resolution)
        plane = np.tile(current, (resolution, resolution, 1))
        plane[..., i], plane[..., j] = np.meshgrid(u, v)
        rest = [k for k in range(int(not fit_intercept), len(current)) if k not in (i, j)]
        return cls(
            u=u,
            v=v,
            values={
                name: SURFACES[name].compute(plane, samples.augmented, samples.y)
                for name in PANELS[loss]
            },
            path=full[:, [i, j]],
            axes_names=(f"w{i}", f"w{j}"),
            held={f"w{k}": float(current[k]) for k in rest},
        )

    @property
    def title(self) -> str:
        if len(self.values) > 1:
            text = "Why the perceptron descends J_p and not the count of mistakes"
        else:
            (name,) = self.values
            text = SURFACES[name].message
        if self.held:
            fixed = ", ".join(f"{n} = {theme.number(value)}" for n, value in self.held.items())
            text += f" (at {fixed})"
        return text

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
            draw_path(ax, self.path)
            ax.set(xlim=self.u[[0, -1]], ylim=self.v[[0, -1]])
            ax.set(xlabel=self.axes_names[0], ylabel=self.axes_names[1])
            entries = [path_entry(bool(self.held))] if len(self.path) else []
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
