"""Why the codes 1, 2, 3, 4 are wrong for classes that have no order.

Regression on such codes believes that class 2 lies between 1 and 3, and that taking 4 for 1 is
three times as bad as taking 2 for 1. With 1-of-K targets all mistakes are equally bad.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import clone

from linscope.display import theme
from linscope.display.base import Display
from linscope.display.boundary import leads
from linscope.display.geometry import Box, box_around, mesh
from linscope.display.inputs import choose_view, read_samples

RESOLUTION = 240


def example() -> tuple[np.ndarray, np.ndarray]:
    """Four classes in the corners of a square; neighbours in the order 1, 2, 3, 4 are not near."""
    rng = np.random.default_rng(2)
    corners = np.array([[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0]])
    y = np.repeat([1, 2, 3, 4], 40)
    return corners[y - 1] + 0.75 * rng.standard_normal((160, 2)), y


@dataclass(eq=False, kw_only=True, repr=False)
class OrdinalCodesDisplay(Display):
    """Regression on the codes 1 … K, and on 1-of-K targets, on the same samples.

    Attributes
    ----------
    points, codes, labels : the samples, their class numbers, the class names
    wrong : array (2, n), the mistakes of both
    lead : array (2, K, m, m), by how much each class leads at the points of a grid
    """

    points: np.ndarray
    codes: np.ndarray
    labels: list[str]
    wrong: np.ndarray
    lead: np.ndarray
    box: Box
    names: tuple[str, str]
    note: str

    @classmethod
    def from_data(cls, line: Any, one_of_k: Any, X: Any, y: Any, *, features: Any = None) -> Self:
        """Fit a regression on the codes, and a classifier with 1-of-K targets."""
        samples = read_samples(X, y)
        view = choose_view(samples, features)
        K = len(samples.classes)
        points = view.points(samples.X)
        box = box_around(points) if not view.flat else (*box_around(points)[:2], -1.0, 1.0)
        _, _, spots = mesh(box, RESOLUTION)
        grid = view.rows(spots)
        line = clone(line).fit(samples.X, samples.codes + 1.0)
        one_of_k = clone(one_of_k).fit(samples.X, samples.codes)
        nearest = _nearest(line.predict(samples.X), K)
        shape = K, RESOLUTION, RESOLUTION
        return cls(
            points=points,
            codes=samples.codes,
            labels=samples.labels,
            wrong=np.array([nearest, one_of_k.predict(samples.X)]) != samples.codes,
            lead=np.array(
                [
                    _code_leads(line.predict(grid), K).reshape(shape),
                    leads(one_of_k, grid).reshape(shape),
                ]
            ),
            box=box,
            names=view.names,
            note=view.note,
        )

    @property
    def title(self) -> str:
        ordinal, one_of_k = self.wrong.sum(axis=1)
        codes = ", ".join(str(k + 1) for k in range(len(self.labels)))
        codes = codes if len(self.labels) < 7 else f"1 … {len(self.labels)}"
        text = f"The codes {codes} claim an order of the classes"
        if ordinal > one_of_k:
            text += f": {theme.count(int(ordinal), 'mistake')}, 1-of-K targets make {one_of_k}"
        return text + (f" ({self.note})" if self.note else "")

    @property
    def grid(self) -> tuple[int, int]:
        return 1, 2

    @property
    def size(self) -> tuple[float, float]:
        return 9.4, 4.9

    def _draw(self, axes: list[Axes]) -> None:
        u, v, _ = mesh(self.box, RESOLUTION)
        classes = [theme.class_entry(k, label) for k, label in enumerate(self.labels)]
        names = "regression on the codes, rounded", "1-of-K targets, largest value"
        for panel, ax in enumerate(axes):
            for code, lead in enumerate(self.lead[panel]):
                if (lead > 0).any():
                    fill = [theme.tint(theme.class_colour(code), 0.17)]
                    ax.contourf(u, v, lead, levels=[0.0, np.inf], colors=fill, zorder=0)
                if lead.min() < 0 < lead.max():
                    ax.contour(u, v, lead, levels=[0.0], colors=theme.INK, linewidths=1.6, zorder=3)
            theme.scatter(ax, self.points, self.codes, size=28)
            theme.ring(ax, self.points[self.wrong[panel]], size=80)
            ax.set(xlim=self.box[:2], ylim=self.box[2:])
            ax.set_xlabel(theme.name(self.names[0]))
            ax.set_ylabel(theme.name(self.names[1]))
            made = theme.count(int(self.wrong[panel].sum()), "mistake")
            theme.title_and_key(
                ax, f"{names[panel]}: {made}", [*classes, theme.ring_entry("wrong")]
            )


def _nearest(values: np.ndarray, K: int) -> np.ndarray:
    """The class whose code is nearest."""
    return np.clip(np.rint(values), 1, K).astype(np.int64) - 1


def _code_leads(values: np.ndarray, K: int) -> np.ndarray:
    """(K, m): how much nearer the code of a class is than the next one."""
    inside = np.clip(values, 1, K)
    return 0.5 - np.abs(inside - np.arange(1, K + 1)[:, None])
