"""The margin of any linear classifier: how wide its boundary could be before it hits a sample.

distance of sample i        y_i (w·x_i + b) / ‖w‖            below 0 on the wrong side
margin                      the least of them, and the band is twice as wide
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.utils.validation import check_is_fitted

from linscope.display import theme
from linscope.display.base import SampleDisplay
from linscope.display.drawing import draw_band, draw_line, draw_samples
from linscope.display.geometry import Box, square
from linscope.display.inputs import Samples
from linscope.fitting.scores import linear_scores

from .figure import margin_box, read_margin
from .margin_width import draw_width

# Samples are equally near if their distances differ by less than this share of the margin.
EQUAL = 1e-6


def classifier_margins(models: Mapping[str, Any], X: Any, y: Any) -> ClassifierMarginDisplay:
    """From fitted linear classifiers of two classes, by name, and samples."""
    if not models:
        raise ValueError("there is no model: pass {name: fitted linear classifier}")
    samples, view = read_margin(X, y, "fit the models on two of the columns")
    weights = np.array([_weights(model, samples) for model in models.values()])
    lengths = np.linalg.norm(weights[:, 1:], axis=1)
    for name, length in zip(models, lengths, strict=True):
        if length == 0.0:
            raise ValueError(f"{name} has only weights of 0: no boundary, and no margin")
    return ClassifierMarginDisplay(
        samples=samples,
        view=view,
        models=[str(name) for name in models],
        weights=weights / lengths[:, None],
        distances=samples.y * linear_scores(samples.X, weights).scores.T / lengths[:, None],
        box=margin_box(view, view.points(samples.X)),
    )


@dataclass(eq=False, kw_only=True, repr=False)
class ClassifierMarginDisplay(SampleDisplay):
    """Boundaries with the widest band that has no sample in it, a panel for each model.

    Attributes
    ----------
    models : names of the models
    weights : array (models, d + 1), bias first, scaled to ‖w‖ = 1
    distances : array (models, n), of each sample from the boundary, below 0 on the wrong side
    box : limits of the panels
    """

    models: list[str]
    weights: np.ndarray
    distances: np.ndarray
    box: Box

    @property
    def margins(self) -> np.ndarray:
        """The least distance of each model; not above 0 if samples are wrong."""
        return self.distances.min(axis=1)

    @property
    def closest(self) -> list[np.ndarray]:
        """Rows of the nearest samples of each model."""
        return [
            np.flatnonzero(each <= each.min() + EQUAL * abs(each.min())) for each in self.distances
        ]

    def nearest(self, panel: int) -> tuple[float, float]:
        """The least distance in each class."""
        found = self.distances[panel]
        low, high = (float(found[self.codes == code].min()) for code in (0, 1))
        return low, high

    @property
    def title(self) -> str:
        if len(self.models) == 1:
            return f"{self.models[0]}: {self._verdict(0)}"
        good = self.margins > 0
        if not good.any():
            return "No model has all samples on their own sides: no margins"
        if np.allclose(self.margins, self.margins[0], rtol=EQUAL, atol=0.0):
            return f"All margins are {self._width(0)} wide"
        best = int(np.argmax(self.margins))
        rest = [k for k in np.argsort(-self.margins) if k != best]
        widths = [self._width(k) if good[k] else "none" for k in range(len(self.models))]
        others = ", ".join(f"{self.models[k]} {widths[k]}" for k in rest)
        return f"Widest margin: {self.models[best]} {widths[best]}; {others}"

    def _width(self, panel: int) -> str:
        return theme.number(2.0 * float(self.margins[panel]))

    def _verdict(self, panel: int) -> str:
        found = self.distances[panel]
        places = {"on the wrong side": found < 0, "on the boundary": found == 0}
        parts = [f"{where.sum()} {words}" for words, where in places.items() if where.any()]
        if parts:
            return "no margin, samples: " + ", ".join(parts)
        return f"margin {self._width(panel)} wide"

    @property
    def grid(self) -> tuple[int, int]:
        return 1, len(self.models)

    @property
    def size(self) -> tuple[float, float]:
        n = len(self.models)
        return (6.0 if n == 1 else 4.6 * n), 2.6 if self.flat else 5.0 if n == 1 else 4.6

    def _draw(self, axes: list[Axes]) -> None:
        for panel, ax in enumerate(axes):
            self._draw_panel(ax, panel)
            if panel:
                theme.no_left_labels(ax)

    def _draw_panel(self, ax: Axes, panel: int) -> None:
        line, margin = self.view.line(self.weights[panel]), float(self.margins[panel])
        entries = [*theme.class_entries(self.labels), theme.line_entry("w·x = 0", lw=2.0)]
        if margin > 0:
            text = f"2 · {theme.number(margin)}"
            draw_band(ax, self.box, line / margin)
            draw_width(ax, self.box, line / margin, self.points, text, flat=self.flat)
            theme.ring(ax, self.points[self.closest[panel]], colour=theme.PURPLE)
            entries.append(theme.ring_entry("nearest", theme.PURPLE))
        else:
            draw_line(ax, self.box, line, color=theme.INK, lw=2.0)
            wrong = self.distances[panel] <= 0
            theme.ring(ax, self.points[wrong])
            entries.append(theme.ring_entry("not on its side"))
        draw_samples(ax, self.samples, self.view, self.box)
        if not self.flat and square(self.box):
            ax.set_aspect("equal")
        theme.title_and_key(ax, self._heading(panel), entries)

    def _heading(self, panel: int) -> str:
        """The verdict, and how far the nearest sample of each class is."""
        text = f"{self.models[panel]}: {self._verdict(panel)}"
        if self.margins[panel] <= 0:
            return text
        parts = zip(self.labels, self.nearest(panel), strict=True)
        return (
            text
            + "\nnearest "
            + ", ".join(f"of {label} at {theme.number(distance)}" for label, distance in parts)
        )


def check_classes(model: Any, samples: Samples, usable: bool) -> None:
    """A model that has a margin, and of the same two classes as the samples."""
    known = np.asarray(getattr(model, "classes_", []))
    if not usable or len(known) != 2:
        raise TypeError(
            "a margin needs linscope.separability(X, y), or a fitted linear classifier or support "
            f"vector machine of two classes, got {type(model).__name__}"
        )
    if known.tolist() != samples.classes.tolist():
        raise ValueError(
            f"y has the classes {samples.classes.tolist()}, the model {known.tolist()}: pass the "
            "samples it was trained on"
        )


def _weights(model: Any, samples: Samples) -> np.ndarray:
    """The hyperplane of a fitted model, bias first."""
    check_is_fitted(model)
    coef = np.ravel(getattr(model, "coef_", ()))
    check_classes(model, samples, len(coef) == samples.X.shape[1])
    bias = np.ravel(getattr(model, "intercept_", 0.0))[:1]
    return np.concatenate([bias, coef]).astype(np.float64)
