"""The two curves of the convergence proof.

For the single-sample rule from w = 0 with rate η, after k updates (w divided by η)

    k·γ  ≤  w·w_opt  ≤  ‖w‖  ≤  √k·R

with ‖w_opt‖ = 1, γ the augmented maximum margin and R = max ‖[1, x_i]‖. The first and the last
curve cross at k = R²/γ²: no more updates are possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.base import Display
from linscope.display.inputs import read_samples

from .proof import proof
from .weight_path import weight_path

# With fewer updates than this share of the bound, logarithmic axes keep them visible.
CROWDED = 0.2


def convergence(
    w_path: Any, X: TableLike, y: Any, *, eta0: float = 1.0, ax: Any = None
) -> ConvergenceDisplay:
    """The curves of the convergence proof, k·γ ≤ w·w_opt ≤ ‖w‖ ≤ √k·R, and the bound R²/γ².

    Parameters
    ----------
    w_path : path of the weights from zeros (array, perceptron or trace)
    X, y : separable samples of two classes
    eta0 : the rate that made an array of weights; the curves are for w/η
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("or")
    >>> display = ls.plot.convergence(ls.Perceptron(), X, y)
    >>> display.updates <= display.bound, round(display.bound, 6)
    (True, 27.0)
    """
    return proof_curves(w_path, X, y, eta0).plot(ax)


def proof_curves(w_path: Any, X: TableLike, y: Any, eta0: float = 1.0) -> ConvergenceDisplay:
    """What ``convergence`` draws; an error says why the bound does not hold."""
    path = weight_path(w_path, read_samples(X, y, binary=True), name="w_path")
    return ConvergenceDisplay(**proof(path.weights, path.model, X, y, eta0)._asdict())


@dataclass(eq=False, kw_only=True, repr=False)
class ConvergenceDisplay(Display):
    """Length and progress of the weights between their two bounds.

    Attributes
    ----------
    k : 0 … number of updates
    progress : w·w_opt after k updates
    length : ‖w‖ after k updates
    gamma, radius, bound : γ, R and R²/γ²
    """

    k: np.ndarray
    progress: np.ndarray
    length: np.ndarray
    gamma: float
    radius: float
    bound: float

    @property
    def updates(self) -> int:
        """How many updates were made."""
        return int(self.k[-1])

    @property
    def lower(self) -> np.ndarray:
        """k·γ."""
        return self.k * self.gamma

    @property
    def upper(self) -> np.ndarray:
        """√k·R."""
        return np.sqrt(self.k) * self.radius

    @property
    def title(self) -> str:
        return (
            f"{theme.count(self.updates, 'update')} made, at most R²/γ² = "
            f"{theme.number(self.bound)} possible"
        )

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        crowded = self.updates < CROWDED * self.bound
        end = self.bound * (3.0 if crowded else 1.12)
        grid = np.geomspace(0.7, end, 200) if crowded else np.linspace(0, end, 300)
        low, high = grid * self.gamma, np.sqrt(grid) * self.radius
        inside = grid <= self.bound
        fill = theme.tint(theme.GREY, 0.22)
        ax.fill_between(grid[inside], low[inside], high[inside], color=fill, lw=0, zorder=0)
        ax.plot(grid, high, color=theme.BLUE, lw=2)
        ax.plot(grid, low, color=theme.ORANGE, lw=2)
        first = 1 if crowded else 0
        small = 5.0 if len(self.k) <= 60 else 0.0
        dots: dict[str, Any] = {"ms": small, "mec": "white", "mew": 0.6, "lw": 1.2}
        ax.plot(self.k[first:], self.length[first:], marker="o", color=theme.PURPLE, **dots)
        ax.plot(self.k[first:], self.progress[first:], marker="s", color=theme.GOOD, **dots)
        ax.axvline(self.bound, color=theme.WRONG, lw=1.4, ls=theme.DASHED, zorder=1)
        if crowded:
            ax.set(xscale="log", yscale="log")
            plain = FuncFormatter(lambda value, _: f"{value:g}")
            ax.xaxis.set_major_formatter(plain)
            ax.yaxis.set_major_formatter(plain)
            ax.minorticks_off()
        else:
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
            ax.set_ylim(bottom=0)
        ax.set_xlim(grid[0], end)
        ax.set_xlabel("updates k")
        text = f"bound R²/γ² = {theme.number(self.bound)}"
        ax.text(
            self.bound,
            0.03,
            text + " ",
            transform=ax.get_xaxis_transform(),
            ha="right",
            va="bottom",
            color=theme.WRONG,
            fontsize=theme.SMALL,
        )
        theme.title_and_key(ax, self.title, self._entries())

    def _entries(self) -> list:
        return [
            theme.line_entry(f"√k·R  (R = {theme.number(self.radius)})", color=theme.BLUE),
            theme.line_entry("‖w‖", color=theme.PURPLE, marker="o", ms=5, lw=1.2),
            theme.line_entry("w·w_opt", color=theme.GOOD, marker="s", ms=5, lw=1.2),
            theme.line_entry(f"k·γ  (γ = {theme.number(self.gamma)})", color=theme.ORANGE),
        ]
