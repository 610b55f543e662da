"""Two classes projected on a direction: how well are they apart?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from sklearn.utils.validation import check_is_fitted

from linscope.display import theme
from linscope.display.base import Display
from linscope.display.drawing import arrow
from linscope.display.geometry import box_around
from linscope.display.inputs import Samples, read_samples


@dataclass(eq=False, kw_only=True, repr=False)
class ProjectionDisplay(Display):
    """Two classes along two directions: the difference of the means, and that of a model.

    Attributes
    ----------
    samples : the samples
    model : name of the model
    directions : array (2, d) of length 1: the difference of the means, and the model's
    values : array (2, n), the projections of the samples, in units of their spread in the classes
    means, spreads : array (2, 2), mean and standard deviation of each class along each direction
    criteria : J of each direction, (m_2 − m_1)² / (s_1² + s_2²)
    """

    samples: Samples
    model: str
    directions: np.ndarray
    values: np.ndarray

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any) -> Self:
        """Project on the weights of a fitted linear classifier of two classes."""
        check_is_fitted(estimator)
        samples = read_samples(X, y, binary=True)
        coef = getattr(estimator, "coef_", None)
        if coef is None and hasattr(estimator, "as_logistic"):
            coef = estimator.as_logistic()[1:]
        if coef is None:
            raise ValueError(
                f"{type(estimator).__name__} has no weights to project on: pass a linear "
                "classifier, for instance FisherDiscriminant"
            )
        w = np.asarray(coef, dtype=np.float64).reshape(-1)
        if len(w) != samples.X.shape[1]:
            raise ValueError(f"the model has {len(w)} weights, X has {samples.X.shape[1]} features")
        apart = [samples.X[samples.codes == k].mean(axis=0) for k in (0, 1)]
        pair = [_unit(apart[1] - apart[0]), _unit(w)]
        centred = samples.X - samples.X.mean(axis=0)
        values = [_standardised(centred @ v, samples.codes) for v in pair]
        return cls(
            samples=samples,
            model=type(estimator).__name__,
            directions=np.array(pair),
            values=np.array(values),
        )

    @property
    def means(self) -> np.ndarray:
        return np.array([[z[self.samples.codes == k].mean() for k in (0, 1)] for z in self.values])

    @property
    def spreads(self) -> np.ndarray:
        return np.array([[z[self.samples.codes == k].std() for k in (0, 1)] for z in self.values])

    @property
    def criteria(self) -> np.ndarray:
        count = np.bincount(self.samples.codes)
        within = (count * self.spreads**2).sum(axis=1)
        apart = np.diff(self.means, axis=1)[:, 0] ** 2
        return np.divide(apart, within, out=np.full(2, np.inf), where=within > 0)

    @property
    def title(self) -> str:
        naive, own = self.criteria
        if naive == own or abs(own - naive) <= 1e-3 * naive:
            return "Both directions separate the classes equally well"
        better = "better" if own > naive else "worse"
        return f"{self.model} separates {better} than the difference of means"

    @property
    def flat(self) -> bool:
        """Whether the samples themselves can be shown."""
        return self.samples.X.shape[1] == 2

    @property
    def grid(self) -> tuple[int, int]:
        return (2, 2) if self.flat else (1, 2)

    @property
    def size(self) -> tuple[float, float]:
        return (8.4, 6.6) if self.flat else (8.4, 3.6)

    def _draw(self, axes: list[Axes]) -> None:
        names = "difference of means", self.model
        for panel, name in enumerate(names):
            text = f"{name}: J = {theme.number(float(self.criteria[panel]))}"
            if self.flat:
                self._draw_samples(axes[panel], panel)
                theme.title(axes[panel], text)
            self._draw_projection(axes[panel + 2 * self.flat], panel, "" if self.flat else text)

    def _draw_samples(self, ax: Axes, panel: int) -> None:
        points = self.samples.X
        theme.scatter(ax, points, self.samples.codes, size=26)
        box = box_around(points)
        centre, w = points.mean(axis=0), self.directions[panel]
        reach = 0.5 * min(box[1] - box[0], box[3] - box[2])
        ends = centre + np.outer([-reach, reach], w)
        arrow(ax, ends[0], ends[1], theme.INK, zorder=6, lw=2.2)
        ax.set_aspect("equal", adjustable="datalim")
        theme.label(ax, *self.samples.names)

    def _draw_projection(self, ax: Axes, panel: int, text: str) -> None:
        z, codes = self.values[panel], self.samples.codes
        edges = np.histogram_bin_edges(self.values, bins=min(50, max(12, len(z) // 7)))
        tallest = 0.0
        for k in (0, 1):
            colour = theme.class_colour(k)
            heights, _, _ = ax.hist(
                z[codes == k],
                edges.tolist(),
                color=colour,
                alpha=0.55,
                edgecolor="white",
                linewidth=0.6,
            )
            tallest = max(tallest, float(np.max(heights)))
        for k in (0, 1):
            mean, spread = self.means[panel, k], self.spreads[panel, k]
            level, colour = tallest * (1.10 + 0.09 * k), theme.class_colour(k)
            ax.plot([mean - spread, mean + spread], [level, level], color=colour, lw=2.5, zorder=4)
            ax.plot(
                mean,
                level,
                marker=theme.class_marker(k),
                color=colour,
                mec=theme.INK,
                ms=7,
                zorder=5,
            )
            ax.plot([mean, mean], [0, level], color=theme.INK, lw=0.8, ls=(0, (3, 2)), zorder=3)
        ax.set(xlim=edges[[0, -1]], ylim=(0, 1.3 * tallest), yticks=[])
        ax.spines["left"].set_visible(False)
        ax.set_xlabel("w·x, in standard deviations within classes")
        spread = theme.line_entry("mean ± spread", color=theme.SOFT, lw=2.5)
        entries = [] if panel else [*theme.class_entries(self.samples.labels), spread]
        theme.title_and_key(ax, text, entries, rows=1)


def _unit(w: np.ndarray) -> np.ndarray:
    size = np.abs(w).max(initial=0.0)
    return w / size / np.linalg.norm(w / size) if size > 0 else w


def _standardised(z: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Divided by the spread within classes, so that both panels have the same scale."""
    z = z / (np.abs(z).max() or 1.0)
    within = np.sqrt(np.mean([z[codes == k].var() for k in (0, 1)]))
    return z / within if within > 0 else z
