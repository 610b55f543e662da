"""Batch descent settles, stochastic descent oscillates around the minimum, its average does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.base import Display
from linscope.display.geometry import Box, box_around
from linscope.display.inputs import given_or_example
from linscope.engines import choose
from linscope.fitting.descent import GradientDescent
from linscope.fitting.driver import run
from linscope.fitting.iterates import iterates
from linscope.results import VisitOrder

from .lms_fit import Line, read_line

BATCH, STOCHASTIC, AVERAGE = theme.INK, theme.RED, theme.PURPLE


def lms_paths(
    X: TableLike = None,
    y: Any = None,
    *,
    passes: int = 30,
    eta0: float | str = "auto",
    random_state: int | None = 0,
    ax: Any = None,
) -> LmsPathsDisplay:
    """A line fitted by batch and by stochastic descent: paths of its weights on contours of J.

    Batch descent settles in the minimum. Stochastic descent with a constant rate keeps oscillating
    around it; the average of its second half does not.

    Parameters
    ----------
    X, y : samples of one feature and their targets; without them a built-in example
    passes : passes over the samples
    eta0 : rate of the stochastic descent; "auto" as in ``LinearRegression``
    random_state : seed of the order of the visits; None visits the samples as given
    ax : two matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> display = ls.plot.lms_paths()
    >>> batch, last, mean = display.distances
    >>> batch < mean < last
    True
    """
    line = read_line(*given_or_example("lms_paths needs both X and y", example, X, y))
    rows = choose(line.x[:, None], line.y[:, None])
    solvers = [
        GradientDescent(rows, kind="batch", tol=0.0, keep_log=True),
        GradientDescent(
            rows,
            kind="stochastic",
            order=VisitOrder(len(line.x), random_state),
            eta0=eta0,
            tol=0.0,
            average=True,
            keep_log=True,
        ),
    ]
    results = [run(solver, passes) for solver in solvers]
    if not results[1].n_updates or results[1].status.name == "DIVERGED":
        raise ValueError(results[1].details["explanation"])
    batch, stochastic = (
        iterates(solver, result.log, 0, result.log.n_updates)[0][:, 0] * solver.objective.unit
        for solver, result in zip(solvers, results, strict=True)
    )
    tail = stochastic[len(stochastic) // 2 :]
    near = box_around(np.vstack([tail, line.best]), 0.15)
    far = box_around(np.vstack([batch, stochastic, line.best]), 0.15)
    return LmsPathsDisplay(
        line=line,
        batch=batch,
        stochastic=stochastic,
        averaged=results[1].details["averaged"][:, 0],
        boxes=(far, near),
        rates=(results[0].details["eta"], results[1].details["eta"]),
    ).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class LmsPathsDisplay(Display):
    """Paths of the two weights of a line, on contours of J.

    Attributes
    ----------
    line : the samples, and J of a line
    batch, stochastic : weights (bias, slope) after each update, the start first
    averaged : mean of the stochastic iterates of the second half of the passes
    boxes : limits of the two panels: all, and the surroundings of the minimum
    rates : the learning rates of both
    """

    line: Line
    batch: np.ndarray
    stochastic: np.ndarray
    averaged: np.ndarray
    boxes: tuple[Box, Box]
    rates: tuple[float, float]
    grid = 1, 2
    size = 10.4, 4.8

    @property
    def distances(self) -> tuple[float, float, float]:
        """From the minimum: the last batch weights, the last stochastic ones, and the average."""
        ends = self.batch[-1], self.stochastic[-1], self.averaged
        batch, last, mean = (float(np.linalg.norm(end - self.line.best)) for end in ends)
        return batch, last, mean

    @property
    def swing(self) -> float:
        """Typical distance of the stochastic weights from the minimum in the second half."""
        tail = self.stochastic[len(self.stochastic) // 2 :] - self.line.best
        return float(np.sqrt(np.square(tail).sum(axis=1).mean()))

    @property
    def title(self) -> str:
        text = "Batch descent settles, stochastic descent keeps oscillating"
        mean = self.distances[2]
        if mean < self.swing / 1.5:
            times = self.swing / max(mean, 1e-300)
            text += f"; its average is {times:.2g} times nearer"
        return text

    def _draw(self, axes: list[Axes]) -> None:
        for ax, box in zip(axes, self.boxes, strict=True):
            self.line.draw_contours(ax, box)
            self._draw_paths(ax, near=ax is axes[1])
        self._draw_frame(axes[0])
        n = len(self.line.x)
        theme.title_and_key(axes[0], f"All {len(self.stochastic) // n} passes", self._key())
        theme.title_and_key(axes[1], "Around the minimum, second half of the passes", [])

    def _draw_paths(self, ax: Axes, near: bool) -> None:
        path = self.stochastic[len(self.stochastic) // 2 :] if near else self.stochastic
        ax.plot(*path.T, color=STOCHASTIC, lw=0.6, alpha=0.75 if near else 0.9, zorder=3)
        dot: Any = {"mfc": "white", "mec": BATCH, "mew": 1.2, "ms": 5.5}
        ax.plot(*self.batch.T, color=BATCH, lw=1.4, marker="o", zorder=5, **dot)
        ax.plot(*self.line.best, marker="+", ms=24, mew=2.4, color=theme.GOOD, zorder=8)
        star: Any = {"marker": "*", "ms": 13, "mec": "white", "mew": 0.8}
        ax.plot(*self.averaged, mfc=AVERAGE, zorder=9, ls="", **star)

    def _draw_frame(self, ax: Axes) -> None:
        """Where the second panel is in the first."""
        x0, x1, y0, y1 = self.boxes[1]
        frame = Rectangle((x0, y0), x1 - x0, y1 - y0, fill=False, ec=theme.SOFT, lw=1.0, zorder=10)
        ax.add_patch(frame)

    def _key(self) -> list[Any]:
        dot: Any = {"marker": "o", "mfc": "white", "mec": BATCH, "mew": 1.2, "ms": 5.5}
        return [
            theme.line_entry("batch", color=BATCH, lw=1.4, **dot),
            theme.line_entry("stochastic", color=STOCHASTIC, lw=0.9),
            theme.line_entry("its average", ls="", marker="*", mfc=AVERAGE, mec="white", ms=14),
            theme.line_entry("minimum", ls="", marker="+", mec=theme.GOOD, mew=2.2, ms=11),
        ]


def example() -> tuple[np.ndarray, np.ndarray]:
    """Forty points around a line, with a feature whose mean is not 0."""
    rng = np.random.default_rng(3)
    x = rng.uniform(-0.6, 2.0, 40)
    return x[:, None], 1.0 + 2.0 * x + 0.8 * rng.standard_normal(40)
