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
from linscope.display.base import SampleDisplay
from linscope.display.decisions import leads
from linscope.display.drawing import draw_regions, draw_samples
from linscope.display.geometry import Box, mesh
from linscope.display.inputs import choose_view, given_or_example, read_samples

RESOLUTION = 240


def example() -> tuple[np.ndarray, np.ndarray]:
    """Four classes in the corners of a square; neighbours in the order 1, 2, 3, 4 are not near."""
    rng = np.random.default_rng(2)
    corners = np.array([[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0]])
    y = np.repeat([1, 2, 3, 4], 40)
    return corners[y - 1] + 0.75 * rng.standard_normal((160, 2)), y


@dataclass(eq=False, kw_only=True, repr=False)
class OrdinalCodesDisplay(SampleDisplay):
    """Regression on the codes 1 … K, and on 1-of-K targets, on the same samples.

    Attributes
    ----------
    wrong : array (2, n), the mistakes of both
    lead : array (2, K, m, m), by how much each class leads at the points of a grid
    """

    wrong: np.ndarray
    lead: np.ndarray
    box: Box
    grid = 1, 2
    size = 9.4, 4.9

    @classmethod
    def from_data(cls, line: Any, one_of_k: Any, X: Any, y: Any, *, features: Any = None) -> Self:
        """Fit a regression on the codes, and a classifier with 1-of-K targets."""
        X, y = given_or_example("ordinal_codes needs both X and y", example, X, y)
        samples = read_samples(X, y)
        view = choose_view(samples, features)
        K = len(samples.classes)
        box = view.box(view.points(samples.X))
        _, _, spots = mesh(box, RESOLUTION)
        grid = view.rows(spots)
        line = clone(line).fit(samples.X, samples.codes + 1.0)
        one_of_k = clone(one_of_k).fit(samples.X, samples.codes)
        nearest = _nearest(line.predict(samples.X), K)
        shape = K, RESOLUTION, RESOLUTION
        return cls(
            samples=samples,
            view=view,
            wrong=np.array([nearest, one_of_k.predict(samples.X)]) != samples.codes,
            lead=np.array(
                [
                    _code_leads(line.predict(grid), K).reshape(shape),
                    leads(one_of_k, grid).reshape(shape),
                ]
            ),
            box=box,
        )

    @property
    def title(self) -> str:
        ordinal, one_of_k = self.wrong.sum(axis=1)
        codes = ", ".join(str(k + 1) for k in range(len(self.labels)))
        codes = codes if len(self.labels) < 7 else f"1 … {len(self.labels)}"
        text = f"The codes {codes} claim an order of the classes"
        if ordinal > one_of_k:
            text += f": {theme.count(int(ordinal), 'mistake')}, 1-of-K targets make {one_of_k}"
        return text + self.view.remark

    def _draw(self, axes: list[Axes]) -> None:
        u, v, _ = mesh(self.box, RESOLUTION)
        entries = [*theme.class_entries(self.labels), theme.ring_entry("wrong")]
        names = "regression on the codes, rounded", "1-of-K targets, largest value"
        for panel, ax in enumerate(axes):
            draw_regions(ax, u, v, self.lead[panel], linewidths=1.6)
            draw_samples(ax, self.samples, self.view, self.box, size=28)
            theme.ring(ax, self.points[self.wrong[panel]], size=80)
            made = theme.count(int(self.wrong[panel].sum()), "mistake")
            theme.title_and_key(ax, f"{names[panel]}: {made}", entries)


def _nearest(values: np.ndarray, K: int) -> np.ndarray:
    """The class whose code is nearest."""
    return np.clip(np.rint(values), 1, K).astype(np.int64) - 1


def _code_leads(values: np.ndarray, K: int) -> np.ndarray:
    """(K, m): how much nearer the code of a class is than the next one."""
    inside = np.clip(values, 1, K)
    return 0.5 - np.abs(inside - np.arange(1, K + 1)[:, None])
