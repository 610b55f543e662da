"""Several answers side by side: which are good and which are not?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.base import SampleDisplay
from linscope.display.decisions import leads, predict
from linscope.display.drawing import draw_regions
from linscope.display.geometry import Box, mesh, segment
from linscope.display.inputs import Samples, choose_view, read_samples, read_weights
from linscope.losses import perceptron

from .weight_path import weight_path

COLUMNS = 4
RESOLUTION = 400


def solutions(
    source: Any,
    X: TableLike,
    y: Any,
    *,
    updates: Any = None,
    also: Any = (),
    tie: str = "update",
    ax: Any = None,
) -> SolutionsDisplay:
    """Several answers side by side, with their mistakes: some are good and some are not.

    Parameters
    ----------
    source : with ``updates`` a perceptron, its trace or its weights; without, a dict or pairs of
        (name, weights with the bias first, or a fitted classifier)
    updates : show the weights after these updates
    also : more pairs of (name, weights or fitted classifier) after them
    tie : what score 0 means for weights, see ``Perceptron``
    ax : matplotlib axes, one per panel, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("non_separable")
    >>> model = ls.Perceptron(init=[1, 1, 1], max_iter=1000)
    >>> ls.plot.solutions(model, X, y, updates=range(900, 904)).mistakes
    array([1, 1, 2, 2])
    """
    samples = read_samples(X, y, binary=True)
    if updates is None:
        pairs = _pairs(source)
    else:
        pairs = _after_updates(source, samples, updates) + _pairs(also)
    if not pairs or not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise ValueError(
            "solutions must be pairs (name, weights or fitted classifier), at least one: pass "
            "updates=range(...) to show the weights of a perceptron after these updates"
        )
    view = choose_view(samples, None)
    box = view.box(view.points(samples.X), 0.2)
    _, _, spots = mesh(box, RESOLUTION)
    wrong, lines, grids = [], np.full((len(pairs), 2, 2), np.nan), {}
    for panel, (_, answer) in enumerate(pairs):
        if hasattr(answer, "predict"):
            wrong.append(predict(answer, samples.X) != samples.truth)
            grids[panel] = leads(answer, view.rows(spots))[1].reshape(RESOLUTION, RESOLUTION)
        else:
            (w,) = read_weights(answer, samples.X.shape[1], name=f"solutions[{panel}]")
            wrong.append(perceptron.mistakes(w, samples.augmented, samples.y, tie))
            ends = segment(box, view.line(w))
            lines[panel] = np.nan if ends is None else ends
    return SolutionsDisplay(
        samples=samples,
        view=view,
        solutions=[str(name) for name, _ in pairs],
        wrong=np.array(wrong),
        lines=lines,
        leads=grids,
        box=box,
    ).plot(ax)


def _pairs(answers: Any) -> list[Any]:
    return list(answers.items() if isinstance(answers, Mapping) else answers)


def _after_updates(source: Any, samples: Samples, updates: Iterable[int]) -> list[Any]:
    """The weights of a perceptron after some of its updates."""
    weights = weight_path(source, samples, name="solutions").weights
    chosen = [int(k) for k in updates]
    beyond = [k for k in chosen if not 0 <= k < len(weights)]
    if beyond:
        raise ValueError(
            f"updates has {beyond[0]}, but there are {len(weights) - 1} updates: choose from "
            f"0 to {len(weights) - 1}, or raise max_iter"
        )
    return [(f"update {k}", weights[k]) for k in chosen]


@dataclass(eq=False, kw_only=True, repr=False)
class SolutionsDisplay(SampleDisplay):
    """Small multiples: one boundary per panel, with its mistakes.

    Attributes
    ----------
    solutions : names of the panels
    wrong : array (panels, n), the mistakes of each
    lines : array (panels, 2, 2), ends of each line w·x = 0; NaN where there is none
    leads : panel -> grid of the second class's lead, for models that are no single line
    box : limits of the panels
    """

    solutions: list[str]
    wrong: np.ndarray
    lines: np.ndarray
    leads: dict[int, np.ndarray]
    box: Box

    @property
    def mistakes(self) -> np.ndarray:
        """How many samples each answer gets wrong."""
        return self.wrong.sum(axis=1)

    @property
    def good(self) -> np.ndarray:
        """Which answers make the fewest mistakes."""
        return self.mistakes == self.mistakes.min()

    @property
    def title(self) -> str:
        fewest, n = int(self.mistakes.min()), len(self.solutions)
        if self.good.all():
            return f"All {n} answers make {theme.count(fewest, 'mistake')}"
        return (
            f"Some are good and some are not: {int(self.good.sum())} of {n} answers make "
            f"{'no' if fewest == 0 else 'only ' + str(fewest)} mistake{'' if fewest == 1 else 's'}"
        )

    @property
    def grid(self) -> tuple[int, int]:
        n = len(self.solutions)
        columns = min(n, COLUMNS)
        return -(-n // columns), columns

    @property
    def size(self) -> tuple[float, float]:
        rows, columns = self.grid
        return max(1.9 * columns, 4.0), 1.95 * rows + 0.5

    def _draw(self, axes: list[Axes]) -> None:
        for panel, ax in enumerate(axes):
            if panel < len(self.solutions):
                self._draw_panel(ax, panel)
            else:
                ax.set_axis_off()
        if len(axes) > len(self.solutions):
            self._key(axes[-1])

    def _draw_panel(self, ax: Axes, panel: int) -> None:
        good, wrong = bool(self.good[panel]), int(self.mistakes[panel])
        colour = theme.GOOD if good else theme.WRONG
        if panel in self.leads:
            grid = self.leads[panel]
            u, v, _ = mesh(self.box, len(grid))
            draw_regions(ax, u, v, np.stack([-grid, grid]), border=colour, linewidths=2.2)
        else:
            line = "-" if good else (0, (4, 2))
            ax.plot(*self.lines[panel].T, color=colour, lw=2.2, ls=line, zorder=3)
        theme.scatter(ax, self.points, self.codes, size=26)
        theme.ring(ax, self.points[self.wrong[panel]], size=85)
        ax.set(xlim=self.box[:2], ylim=self.box[2:], xticks=[], yticks=[])
        for spine in ax.spines.values():
            spine.set(
                visible=True, color=colour if good else theme.FAINT, linewidth=2.0 if good else 1
            )
        mark = "✓ " if good else ""
        text = f"{mark}{self.solutions[panel]}\n{theme.count(wrong, 'mistake')}"
        weight = "bold" if good else "normal"
        ax.set_title(
            theme.pretty(text), fontsize=theme.SMALL, color=colour, weight=weight, loc="left", pad=4
        )

    def _key(self, ax: Axes) -> None:
        entries = [
            *theme.class_entries(self.labels),
            theme.line_entry("fewest mistakes", color=theme.GOOD),
            theme.line_entry("more mistakes", color=theme.WRONG, ls=(0, (4, 2))),
            theme.ring_entry("wrong"),
        ]
        ax.legend(handles=entries, loc="center left", frameon=False, fontsize=theme.SMALL)
