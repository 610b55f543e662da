"""The perceptron criterion and the number of mistakes after each update."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.base import Display
from linscope.display.inputs import read_samples
from linscope.losses import perceptron

from .weight_path import weight_path


def criterion(
    source: Any, X: TableLike, y: Any, *, tie: str = "update", ax: Any = None
) -> CriterionDisplay:
    """J_p and the number of mistakes after each update; rises are marked.

    Parameters
    ----------
    source : path of the weights (array, perceptron or trace)
    X, y : samples of two classes
    tie : what score 0 means for an array of weights, see ``Perceptron``
    ax : two matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("or")
    >>> ls.plot.criterion(ls.Perceptron(tie="negative"), X, y)
    <CriterionDisplay: J_p is not monotonic: it rises twice in 4 updates>
    """
    samples = read_samples(X, y, binary=True)
    path = weight_path(source, samples, name="source")
    weights = path.weights
    if path.model is not None:
        tie = path.model.tie
    values = perceptron.criterion(weights, samples.augmented, samples.y)
    wrong = perceptron.mistakes(weights, samples.augmented, samples.y, tie)
    return CriterionDisplay(criterion=values, mistakes=wrong.sum(axis=1)).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class CriterionDisplay(Display):
    """J_p and the number of mistakes along the path of the weights.

    Attributes
    ----------
    criterion : J_p at the start and after each update
    mistakes : number of mistakes there
    """

    criterion: np.ndarray
    mistakes: np.ndarray
    grid = 2, 1
    size = 6.0, 4.8

    @property
    def rises(self) -> np.ndarray:
        """Updates (from 1) after which J_p is larger than before."""
        return 1 + np.flatnonzero(np.diff(self.criterion) > 0)

    @property
    def title(self) -> str:
        n, rises = len(self.criterion) - 1, len(self.rises)
        made = theme.count(n, "update")
        if rises == 0:
            return f"J_p never rises in {made}"
        times = "once" if rises == 1 else "twice" if rises == 2 else f"{rises:,} times"
        return f"J_p is not monotonic: it rises {times} in {made}"

    def _draw(self, axes: list[Axes]) -> None:
        k = np.arange(len(self.criterion))
        few = len(k) <= 80
        dots: dict[str, Any] = {"marker": "o", "ms": 4.5, "mec": "white", "mew": 0.5} if few else {}
        for ax, values, colour in (
            (axes[0], self.criterion, theme.BLUE),
            (axes[1], self.mistakes, theme.PURPLE),
        ):
            steps: Any = "default" if ax is axes[0] else "steps-post"
            ax.plot(k, values, color=colour, lw=1.6 if few else 0.9, drawstyle=steps, **dots)
            top = float(values.max()) or 1.0
            ax.set_ylim(-0.05 * top, 1.1 * top)
            ax.set_xlim(-0.02 * len(k), 1.02 * (len(k) - 1) or 1.0)
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        up = self.rises
        if len(up):
            size = 46 if few else 14
            axes[0].scatter(up, self.criterion[up], marker="^", s=size, c=theme.WRONG, zorder=4)
            entries = [theme.line_entry("J_p rises", color=theme.WRONG, ls="", marker="^", ms=7)]
            theme.title_and_key(axes[0], "", entries)
        axes[0].set_ylabel(theme.pretty("J_p"))
        axes[0].tick_params(labelbottom=False)
        axes[1].set_ylabel("mistakes")
        axes[1].set_xlabel("updates")
        axes[1].yaxis.set_major_locator(MaxNLocator(integer=True))
