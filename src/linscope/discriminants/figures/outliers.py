"""A few samples far on their own side: which boundaries do they move?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from sklearn.base import is_regressor

from linscope.display import theme
from linscope.display.base import Display
from linscope.display.boundary import fitted, hyperplanes, parts_in
from linscope.display.decisions import predict
from linscope.display.drawing import feature_axes
from linscope.display.geometry import Box, box_around
from linscope.display.inputs import Samples, choose_view, given_or_example, read_samples


def example() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two classes that a line separates, and ten more samples of the second, far on its side."""
    rng = np.random.default_rng(1)
    shape = [[1.1, 0.8], [0.0, 0.4]]
    first = rng.standard_normal((50, 2)) @ shape + [-0.85, 0.85]
    second = rng.standard_normal((50, 2)) @ shape + [0.85, -0.85]
    X, y = np.vstack([first, second]), np.repeat([1, 2], 50)
    return X, y, rng.standard_normal((10, 2)) * 0.5 + [8.0, -6.0]


def _fitted(model: Any, X: np.ndarray, y: np.ndarray, samples: Samples) -> tuple[Any, np.ndarray]:
    """The model, and its labels of the samples; a regressor is fitted to −1 and +1."""
    if not is_regressor(model):
        found = fitted(model, X, y)
        return found, predict(found, samples.X)
    found = fitted(model, X, np.where(y == samples.classes[1], 1.0, -1.0))
    return found, np.asarray(samples.classes)[(predict(found, samples.X) > 0).astype(int)]


@dataclass(eq=False, kw_only=True, repr=False)
class OutliersDisplay(Display):
    """Boundaries of several models without and with outliers.

    Attributes
    ----------
    samples : the samples without outliers
    extra : array (m, 2), the outliers, samples of the second class
    models : names of the models
    wrong : array (2, models), mistakes on the samples, fitted without and with the outliers
    lines : array (2, models, 2, 2), ends of the boundaries; NaN where there is none
    """

    samples: Samples
    extra: np.ndarray
    models: list[str]
    wrong: np.ndarray
    lines: np.ndarray
    box: Box
    grid = 1, 2

    @classmethod
    def from_data(cls, models: Mapping[str, Any], X: Any, y: Any, outliers: Any) -> Self:
        """Fit clones of the models to the samples, and to samples and outliers together."""
        needed = "outliers needs all of X, y and outliers"
        X, y, outliers = given_or_example(needed, example, X, y, outliers)
        samples = read_samples(X, y, binary=True)
        if samples.X.shape[1] != 2:
            raise ValueError(f"X has {samples.X.shape[1]} features, this figure is about two")
        extra = np.asarray(outliers, dtype=np.float64)
        if extra.ndim != 2 or extra.shape[1] != 2 or not np.isfinite(extra).all():
            raise ValueError("outliers must be a finite array of shape (m, 2)")
        chosen = dict(models)
        view = choose_view(samples, None)
        box = box_around(np.vstack([samples.X, extra]), 0.06)
        truth = samples.truth
        tables = (
            (samples.X, truth),
            (np.vstack([samples.X, extra]), np.r_[truth, [samples.classes[1]] * len(extra)]),
        )
        wrong = np.zeros((2, len(chosen)), np.int64)
        lines = np.full((2, len(chosen), 2, 2), np.nan)
        for i, table in enumerate(tables):
            for j, model in enumerate(chosen.values()):
                found, labels = _fitted(model, *table, samples)
                wrong[i, j] = (labels != truth).sum()
                ends = parts_in(box, hyperplanes(found, view))
                if len(ends):
                    lines[i, j] = ends[0]
        names = list(chosen)
        return cls(samples=samples, extra=extra, models=names, wrong=wrong, lines=lines, box=box)

    @property
    def title(self) -> str:
        more = self.wrong[1] - self.wrong[0]
        moved = (more > 0) & (more > 0.5 * more.max())  # a remedy that errs once is not spoilt
        count = theme.count(len(self.extra), "outlier")
        if not moved.any():
            return f"{count} on the right side: no model makes more mistakes"
        names = [name for name, worse in zip(self.models, moved, strict=True) if worse]
        shown = names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
        verb = "spoils" if len(self.extra) == 1 else "spoil"
        return f"{count} on the right side {verb} {shown}"

    @property
    def size(self) -> tuple[float, float]:
        return 9.4, 4.6 + 0.07 * len(self.models)  # a third of them is a line of the key

    def _draw(self, axes: list[Axes]) -> None:
        rows, side_by_side = 0, axes[0].get_position().y0 == axes[1].get_position().y0
        for panel, ax in enumerate(axes):
            for j in range(len(self.models)):
                ax.plot(*self.lines[panel, j].T, zorder=3, **_look(j))
            theme.scatter(ax, self.samples.X, self.samples.codes, size=26)
            if panel == 1:
                theme.scatter(ax, self.extra, np.ones(len(self.extra), np.int64), size=26)
                theme.ring(ax, self.extra, colour=theme.PURPLE, size=85)
            first, second = self.samples.names
            feature_axes(ax, (first, second), self.box)
            # One key over both panels.
            entries, text = [] if panel else self._key(), ("without", "with")[panel] + " outliers"
            rows = theme.title_and_key(
                ax, text, entries, rows=rows * side_by_side, panels=1 + side_by_side
            )

    def _key(self) -> list[Line2D]:
        entries = theme.class_entries(self.samples.labels)
        entries.append(theme.ring_entry("outlier", theme.PURPLE))
        for j, name in enumerate(self.models):
            before, after = (int(wrong[j]) for wrong in self.wrong)
            made = f"{before} → {theme.count(after, 'mistake')}"
            entries.append(theme.line_entry(f"{name}: {made}", **_look(j)))
        return entries


def _look(number: int) -> dict[str, Any]:
    """How the boundary of a model is drawn."""
    colour, dashes = theme.LINES[number % len(theme.LINES)]
    return {"color": colour, "ls": dashes, "lw": 2}
