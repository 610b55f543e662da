"""Several answers side by side: which are good and which are not?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.base import Display
from linscope.display.boundary import leads, predict
from linscope.display.geometry import box_around, mesh, segment
from linscope.display.inputs import choose_view, read_samples, read_weights
from linscope.losses import perceptron

from .weight_path import weight_path

COLUMNS = 4
RESOLUTION = 400


@dataclass(eq=False, kw_only=True, repr=False)
class SolutionsDisplay(Display):
    """Small multiples: one boundary a panel, with its mistakes.

    Attributes
    ----------
    points, codes, labels : the samples, their class numbers, the class names
    solutions : names of the panels
    wrong : array (panels, n), the mistakes of each
    lines : array (panels, 2, 2), ends of each line w·x = 0; NaN where there is none
    leads : panel -> grid of the second class's lead, for models that are no single line
    box : limits of the panels
    """

    points: np.ndarray
    codes: np.ndarray
    labels: list[str]
    solutions: list[str]
    wrong: np.ndarray
    lines: np.ndarray
    leads: dict[int, np.ndarray]
    box: tuple[float, float, float, float]
    names: tuple[str, str]

    @classmethod
    def from_solutions(cls, solutions: Any, X: Any, y: Any, *, tie: str = "update") -> Self:
        """From pairs (name, weights with the bias first, or a fitted classifier)."""
        pairs = list(solutions.items() if isinstance(solutions, Mapping) else solutions)
        if not pairs or not all(
            isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs
        ):
            raise ValueError(
                "solutions must be pairs (name, weights or fitted classifier), at least one: pass "
                "updates=range(...) to show the weights of a perceptron after these updates"
            )
        samples = read_samples(X, y, binary=True)
        view = choose_view(samples, None)
        points = view.points(samples.X)
        box = box_around(points, 0.2) if not view.flat else (*box_around(points)[:2], -1.0, 1.0)
        truth = samples.classes[samples.codes]
        wrong, lines, grids = [], np.full((len(pairs), 2, 2), np.nan), {}
        for panel, (_, answer) in enumerate(pairs):
            if hasattr(answer, "predict"):
                wrong.append(predict(answer, samples.X) != truth)
                _, _, spots = mesh(box, RESOLUTION)
                grids[panel] = leads(answer, view.rows(spots))[1].reshape(RESOLUTION, RESOLUTION)
            else:
                (w,) = read_weights(answer, samples.X.shape[1], name=f"solutions[{panel}]")
                wrong.append(perceptron.mistakes(w, samples.augmented, samples.y, tie))
                ends = segment(box, view.line(w))
                lines[panel] = np.nan if ends is None else ends
        return cls(
            points=points,
            codes=samples.codes,
            labels=samples.labels,
            solutions=[str(name) for name, _ in pairs],
            wrong=np.array(wrong),
            lines=lines,
            leads=grids,
            box=box,
            names=view.names,
        )

    @classmethod
    def from_path(
        cls,
        source: Any,
        X: Any,
        y: Any,
        *,
        updates: Iterable[int],
        also: Any = (),
        tie: str = "update",
    ) -> Self:
        """The weights of a perceptron after some of its updates, then other answers."""
        samples = read_samples(X, y, binary=True)
        weights = weight_path(source, samples, name="solutions").weights
        updates = [int(k) for k in updates]
        beyond = [k for k in updates if not 0 <= k < len(weights)]
        if beyond:
            raise ValueError(
                f"updates has {beyond[0]}, but there are {len(weights) - 1} updates: choose from "
                f"0 to {len(weights) - 1}, or raise max_iter"
            )
        more = list(also.items() if isinstance(also, Mapping) else also)
        pairs = [(f"update {k}", weights[k]) for k in updates] + more
        return cls.from_solutions(pairs, X, y, tie=tie)

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
            for sign, code in ((-1.0, 0), (1.0, 1)):
                fill = [theme.tint(theme.class_colour(code), 0.17)]
                ax.contourf(u, v, sign * grid, levels=[0.0, np.inf], colors=fill, zorder=0)
            if grid.min() < 0 < grid.max():
                ax.contour(u, v, grid, levels=[0.0], colors=[colour], linewidths=2.2, zorder=3)
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
        entries = [theme.class_entry(k, label) for k, label in enumerate(self.labels)]
        entries += [
            theme.line_entry("fewest mistakes", color=theme.GOOD),
            theme.line_entry("more mistakes", color=theme.WRONG, ls=(0, (4, 2))),
            theme.ring_entry("wrong"),
        ]
        ax.legend(handles=entries, loc="center left", frameon=False, fontsize=theme.SMALL)
