"""A line that learns: the samples with the line after each update, and J with the path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from matplotlib.axes import Axes

from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.base import Display
from linscope.display.drawing import draw_contours, draw_path, feature_axes
from linscope.display.geometry import Box, box_around, mesh
from linscope.display.inputs import read_regression
from linscope.losses import squared

RESOLUTION = 160
MOST_LINES = 60


class Line(NamedTuple):
    """Samples of one feature, and what a line through them costs.

    x, y, weight : the samples. alpha : the penalty. best : bias and slope where J is least.
    name, target : of the feature and of y.
    """

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    alpha: float
    best: np.ndarray
    name: str
    target: str

    def draw_contours(self, ax: Axes, box: Box) -> None:
        """Contours of J over bias and slope."""
        u, v, plane = mesh(box, RESOLUTION)
        draw_contours(ax, u, v, self.criterion(plane).reshape(len(v), len(u)))
        ax.set(xlabel="$w_0$ (bias)", ylabel="$w_1$ (slope)")

    def criterion(self, weights: np.ndarray) -> np.ndarray:
        """J = ½ Σ c (w0 + w1 x − y)² + ½ α w1² of each row (w0, w1)."""
        # Around the minimum, so that the differences near it keep their digits.
        A = np.column_stack([np.ones(len(self.x)), self.x])
        H = (A.T * self.weight) @ A + np.diag([0.0, self.alpha])
        apart = weights - self.best
        least = self.weight @ squared.loss(A @ self.best, self.y)
        least += 0.5 * self.alpha * self.best[1] ** 2
        return least + 0.5 * np.einsum("ij,jk,ik->i", apart, H, apart)


def read_line(X: Any, y: Any, weight: Any = None, alpha: float = 0.0) -> Line:
    """Check samples of one feature."""
    matrix, y, names = read_regression(X, y)
    if matrix.shape[1] != 1:
        raise ValueError(
            f"X has {matrix.shape[1]} features, but this figure shows a line: choose one column"
        )
    x = matrix[:, 0]
    c = np.ones(len(x)) if weight is None or len(weight) == 0 else np.asarray(weight, np.float64)
    root = np.sqrt(c)
    rows = np.vstack([np.column_stack([root, root * x]), [0.0, np.sqrt(alpha)]])
    best = np.linalg.lstsq(rows, np.r_[root * y, 0.0], rcond=None)[0]
    return Line(x, y, c, alpha, best, *names)


def lms_fit(
    X: TableLike,
    y: Any,
    weights: Any,
    *,
    sample_weight: Any = None,
    alpha: float = 0.0,
    ax: Any = None,
) -> LmsFitDisplay:
    """A line that learns: over the samples after each update, and as a path of weights on J.

    Parameters
    ----------
    X, y : samples of one feature and their targets
    weights : (bias, slope) before the first update and after each, one row each
    sample_weight, alpha : as in the criterion J
    ax : two matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.lms_fit([[0], [1], [2]], [1, 3, 5], [[0, 0], [0.5, 1], [0.9, 1.8]])
    <LmsFitDisplay: 2 updates: the line from faint to dark, its weights downhill on J>
    """
    return LmsFitDisplay.from_path(weights, X, y, weight=sample_weight, alpha=alpha).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class LmsFitDisplay(Display):
    """The line after each update over the samples, and the path of its weights on J.

    Attributes
    ----------
    line : the samples, and J of a line
    weights : bias and slope after each update, the start first
    """

    line: Line
    weights: np.ndarray
    grid = 1, 2
    size = 9.6, 4.4

    @classmethod
    def from_path(
        cls, weights: Any, X: Any, y: Any, *, weight: Any = None, alpha: float = 0.0
    ) -> Self:
        """The path of (bias, slope), one row per update; ``weight`` and ``alpha`` as in J."""
        path = np.asarray(weights, dtype=np.float64)
        if path.ndim != 2 or path.shape[1] != 2 or not np.isfinite(path).all():
            raise ValueError(f"weights must be finite rows (bias, slope), got shape {path.shape}")
        return cls(line=read_line(X, y, weight, alpha), weights=path)

    @property
    def title(self) -> str:
        updates = theme.count(len(self.weights) - 1, "update")
        if self.falls:
            return f"{updates}: the line from faint to dark, its weights downhill on J"
        return f"{updates}: the weights move away from the minimum, the rate is too large"

    @property
    def falls(self) -> bool:
        """Whether J is lower in the end."""
        first, last = self.line.criterion(self.weights[[0, -1]])
        return bool(last <= first)

    @property
    def points(self) -> np.ndarray:
        """The samples in the first panel."""
        return np.column_stack([self.line.x, self.line.y])

    def _stage(self, axes: list[Axes]) -> tuple[Callable[[int], None], np.ndarray]:
        """The samples and J; what moves are the line and the path of its weights."""
        self.draw_samples(axes[0])
        self.draw_surface(axes[1])
        ends = np.array(axes[0].get_xlim())
        (line,) = axes[0].plot([], [], color=theme.INK, lw=2.6, zorder=3)
        (path,) = axes[1].plot([], [], color=theme.INK, lw=1.2, marker="o", ms=3.5, zorder=7)
        (now,) = axes[1].plot([], [], marker="*", ms=15, mfc=theme.PURPLE, mec="white", zorder=8)

        def move(place: int) -> None:
            weights = self.weights[: place + 1]
            line.set_data(ends, weights[-1, 0] + weights[-1, 1] * ends)
            path.set_data(*weights.T)
            now.set_data(weights[-1:, 0], weights[-1:, 1])
            theme.title(axes[1], f"J = {theme.number(float(self.line.criterion(weights[-1:])[0]))}")

        return move, self.points

    def _draw(self, axes: list[Axes]) -> None:
        self.draw_samples(axes[0])
        self._draw_lines(axes[0])
        self.draw_surface(axes[1])
        draw_path(axes[1], self.weights)
        first, last = map(theme.number, self.line.criterion(self.weights[[0, -1]]))
        least = theme.number(float(self.line.criterion(self.line.best[None])[0]))
        cross: Any = {"ls": "", "marker": "+", "mec": theme.GOOD, "mew": 2.2, "ms": 11}
        theme.title_and_key(
            axes[1],
            f"J {'falls' if self.falls else 'grows'} from {first} to {last}",
            [theme.line_entry(f"minimum, J = {least}", **cross)],
        )

    def draw_surface(self, ax: Axes) -> None:
        """Contours of J around the path, with the minimum."""
        self.line.draw_contours(ax, box_around(np.vstack([self.weights, self.line.best]), 0.2))
        ax.plot(*self.line.best, marker="+", ms=14, mew=2.2, color=theme.GOOD, zorder=9)

    def draw_samples(self, ax: Axes) -> None:
        """The samples, with limits that suit them."""
        dot: Any = {"color": theme.BLUE, "edgecolors": theme.INK, "linewidths": 0.7}
        ax.scatter(self.line.x, self.line.y, s=34, zorder=4, **dot)
        box = box_around(self.points, 0.12)
        feature_axes(ax, (self.line.name, self.line.target), box)

    def _draw_lines(self, ax: Axes) -> None:
        ends = np.array(ax.get_xlim())
        chosen = _spread(len(self.weights), MOST_LINES)
        for place, k in enumerate(chosen):
            last = k == len(self.weights) - 1
            faint = theme.tint(theme.PURPLE, 0.25 + 0.6 * place / len(chosen))
            colour = theme.INK if last else faint
            heights = self.weights[k, 0] + self.weights[k, 1] * ends
            ax.plot(ends, heights, color=colour, lw=2.4 if last else 1.1, zorder=2 + last)
        w0, w1 = (theme.number(float(value)) for value in self.weights[-1])
        theme.title_and_key(ax, f"The last line is {w0} + {w1}·x".replace("+ −", "− "), [])


def _spread(count: int, most: int) -> Sequence[int]:
    """At most so many places from 0 … count − 1, evenly spread, both ends among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(int)).tolist()
