"""Gradient descent on a function: rates too small and too large, local minima, contours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.fitting.any_function import Descent, gradient_descent
from linscope.results import Status

from . import theme
from .base import Display
from .drawing import draw_contours
from .geometry import box_around, mesh

RESOLUTION = 160
RUN_COLOURS = (theme.PURPLE, theme.GOOD, "#e76300", theme.BLUE, "#a96b59", theme.RED)
# A run that diverges would stretch the figure: only its first points count.
FIRST_POINTS = 4


def descent(runs: Any = "rates", *, together: bool | None = None, ax: Any = None) -> DescentDisplay:
    """Runs of ``linscope.gradient_descent`` on the function: a curve, contours, or f by step.

    Parameters
    ----------
    runs : one or several runs of one function, or an example of the notes: "rates" (too small,
        right, too large), "minima" (which local minimum depends on the start), "valley"
    together : all runs in one panel, or a panel each; by default in one if the starts differ
    ax : matplotlib axes, one per panel, optional

    Examples
    --------
    >>> import linscope as ls
    >>> display = ls.plot.descent()
    >>> [display.verdict(panel) for panel in range(3)]
    ['too small: 25 steps, not there', '6 steps to the minimum', 'too large: the steps grow']
    >>> run = ls.gradient_descent(lambda x: x[0] ** 2 + 3 * x[1] ** 2, None, [2.0, 1.0])
    >>> ls.plot.descent(run)
    <DescentDisplay: η = 0.1: 58 steps to the minimum>
    """
    if isinstance(runs, str):
        if runs not in EXAMPLES:
            raise ValueError(
                f"runs={runs!r} is no example: choose from {', '.join(map(repr, EXAMPLES))}, or "
                "pass what linscope.gradient_descent returned"
            )
        runs = EXAMPLES[runs]()
    found = list(runs) if isinstance(runs, Iterable) else [runs]
    if not found or not all(isinstance(run, Descent) for run in found):
        raise TypeError("runs must be what linscope.gradient_descent returned, one or several")
    if len({run.history.x.shape[1] for run in found}) > 1:
        raise ValueError("the runs must be on one function: their points differ in length")
    points = np.concatenate([_telling(run) for run in found])
    dimension = points.shape[1]
    grids, values = _grid(found[0], points) if dimension <= 2 else ((), np.zeros(0))
    if together is None:
        starts = np.array([run.history.x[0] for run in found])
        together = dimension > 2 or len(np.unique(starts, axis=0)) > 1
    return DescentDisplay(
        runs=found, together=together or len(found) == 1, grids=grids, values=values
    ).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class DescentDisplay(Display):
    """One or several runs of ``gradient_descent`` on one function.

    Attributes
    ----------
    runs : the runs
    together : whether they share a panel
    grids : coordinates of the function's grid: (u,) of a line, (u, v) of a plane, () beyond that
    values : the function on the grid
    """

    runs: list[Descent]
    together: bool
    grids: tuple[np.ndarray, ...]
    values: np.ndarray

    @property
    def ends(self) -> np.ndarray:
        """The different minima that were found, one row each."""
        ends: list[np.ndarray] = []
        spread = max(float(np.ptp(grid)) for grid in self.grids) if self.grids else 1.0
        for run in self.runs:
            x = run.history.x[-1]
            if run.success and all(np.linalg.norm(x - other) > 1e-3 * spread for other in ends):
                ends.append(x)
        return np.array(ends)

    def verdict(self, number: int) -> str:
        """How a run went, in words."""
        run = self.runs[number]
        if run.status is Status.DIVERGED:
            return "too large: the steps grow"
        if run.success:
            return f"{theme.count(run.n_iter, 'step')} to the minimum"
        if np.all(np.diff(run.history.value) <= 0):
            return f"too small: {theme.count(run.n_iter, 'step')}, not there"
        return f"{theme.count(run.n_iter, 'step')}, not settled"

    @property
    def title(self) -> str:
        if len(self.runs) == 1:
            return f"{self._rate(0)}: {self.verdict(0)}"
        if not self.together:
            if all(run.success for run in self.runs):
                return "The learning rate decides how many steps it takes"
            return "The learning rate decides: too small takes long, too large never arrives"
        if len(self.ends) > 1:
            return (
                f"{len(self.runs)} starts, {len(self.ends)} different minima: gradient descent "
                "finds a local one"
            )
        return f"{len(self.runs)} runs of gradient descent"

    @property
    def grid(self) -> tuple[int, int]:
        return 1, 1 if self.together else len(self.runs)

    @property
    def size(self) -> tuple[float, float]:
        return (6.4, 4.8) if self.together else (3.2 * len(self.runs), 3.8)

    def _rate(self, number: int) -> str:
        rates = self.runs[number].history.eta
        return f"η = {rates[0]:.3g}" + ("" if rates[0] == rates[-1] else f" … {rates[-1]:.2g}")

    def _draw(self, axes: list[Axes]) -> None:
        if self.together:
            self._background(axes[0])
            for number in range(len(self.runs)):
                self._draw_run(axes[0], number, RUN_COLOURS[number % len(RUN_COLOURS)])
            theme.title_and_key(axes[0], self.title, self._key())
            return
        for number, ax in enumerate(axes):
            self._background(ax)
            colour = theme.GOOD if self.runs[number].success else theme.WRONG
            self._draw_run(ax, number, colour)
            if number:
                theme.no_left_labels(ax)
            theme.title(ax, f"{self._rate(number)}\n{self.verdict(number)}", colour=colour)

    def _background(self, ax: Axes) -> None:
        if not self.grids:
            ax.set(xlabel="step", ylabel="f(x)")
        elif len(self.grids) == 1:
            (u,) = self.grids
            ax.plot(u, self.values, color=theme.GREY, lw=2.0, zorder=2)
            seen = np.concatenate([run.history.value[: len(_telling(run))] for run in self.runs])
            low, high = float(self.values.min()), float(seen.max())
            ax.set(xlabel="x", ylabel="f(x)", xlim=u[[0, -1]])
            ax.set_ylim(low - 0.08 * (high - low), high + 0.3 * (high - low))
        else:
            u, v = self.grids
            draw_contours(ax, u, v, self.values)
            ax.set(xlabel="$x_1$", ylabel="$x_2$")

    def _draw_run(self, ax: Axes, number: int, colour: str) -> None:
        run = self.runs[number]
        if not self.grids:
            ax.plot(np.arange(len(run.history.value)), run.history.value, color=colour, lw=2.0)
            return
        x = run.history.x[: self._shown(run)]
        path = np.column_stack([x, run.history.value[: len(x)]]) if x.shape[1] == 1 else x
        dot: Any = {"ms": 5.0, "mew": 0.6} if len(path) <= 60 else {"ms": 3.0, "mew": 0.2}
        ax.plot(*path.T, color=colour, lw=1.1, marker="o", mec="white", zorder=4, **dot)
        ax.plot(*path[0], marker="o", mfc="white", mec=colour, mew=1.8, ms=8.5, zorder=6)
        if run.success:
            ax.plot(*path[-1], marker="*", mfc=colour, mec="white", mew=0.8, ms=16, zorder=7)

    def _shown(self, run: Descent) -> int:
        """Points that are drawn: all, or of a run that diverges those up to the first outside."""
        x = run.history.x
        edges = np.array([grid[[0, -1]] for grid in self.grids])
        outside = ((x < edges[:, 0]) | (x > edges[:, 1])).any(axis=1)
        return int(outside.argmax()) + 1 if outside.any() else len(x)

    def _key(self) -> list[Any]:
        if len(self.runs) == 1:
            return []
        starts = [run.history.x[0] for run in self.runs]
        if len(np.unique(np.array(starts), axis=0)) > 1:
            labels = [f"from {_point(start)}" for start in starts]
        else:
            labels = [f"{self._rate(k)}: {self.verdict(k)}" for k in range(len(self.runs))]
        return [
            theme.line_entry(
                label, color=RUN_COLOURS[k % len(RUN_COLOURS)], lw=1.1, marker="o", ms=6
            )
            for k, label in enumerate(labels)
        ]


def _telling(run: Descent) -> np.ndarray:
    """The points that decide what part of the function is shown."""
    return run.history.x if run.status is not Status.DIVERGED else run.history.x[:FIRST_POINTS]


def _grid(run: Descent, points: np.ndarray) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """The function around the points."""
    if points.shape[1] == 1:
        low, high = float(points.min()), float(points.max())
        pad = 0.18 * (high - low) or 1.0
        u = np.linspace(low - pad, high + pad, 4 * RESOLUTION)
        given = u if np.ndim(run.x) == 0 else u[:, None]
        return (u,), _values(run, given)
    u, v, plane = mesh(box_around(points, 0.18), RESOLUTION)
    return (u, v), _values(run, plane).reshape(len(v), len(u))


def _values(run: Descent, points: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.array([float(np.squeeze(run.function(point))) for point in points])


def _point(x: np.ndarray) -> str:
    return theme.number(x[0]) if len(x) == 1 else theme.vector(x)


def rates_example() -> list[Descent]:
    """Too small, right and too large on a parabola."""
    options: dict[str, Any] = {"tol": 1e-2, "max_iter": 25}
    return [
        gradient_descent(lambda x: x**2, lambda x: 2 * x, 2.0, eta=eta, **options)
        for eta in (0.01, 0.3, 1.05)
    ]


def minima_example() -> list[Descent]:
    """Four starts, two minima."""

    def f(x):
        return x**4 - 4 * x**2 + x

    def slope(x):
        return 4 * x**3 - 8 * x + 1

    starts: Sequence[float] = (-2.1, -0.1, 0.35, 2.05)
    return [gradient_descent(f, slope, x0, eta=0.02, tol=1e-4) for x0 in starts]


def valley_example() -> list[Descent]:
    """A narrow valley: a good rate for the steep direction is slow along the flat one."""

    def f(x):
        return 0.5 * (x[0] ** 2 + 9 * x[1] ** 2)

    def slope(x):
        return np.array([x[0], 9 * x[1]])

    return [
        gradient_descent(f, slope, [-4.0, 1.2], eta=eta, tol=1e-3) for eta in (0.05, 0.2, 0.226)
    ]


EXAMPLES = {"rates": rates_example, "minima": minima_example, "valley": valley_example}
