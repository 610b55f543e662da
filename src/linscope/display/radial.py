"""One class inside a ring of the other: r² as a third coordinate makes them separable by a plane.

    (x1, x2)  →  (x1, x2, r²),        r² = ‖x − c‖²

The samples rise onto a bowl. A plane w0 + w1·x1 + w2·x2 + w3·r² = 0 cuts the bowl in a curve whose
shadow in the plane of the features is a circle, with centre m and radius ρ:

    m = c − (w1, w2) / (2 w3)         ρ² = ‖m − c‖² − (w0 + w1·c1 + w2·c2) / w3
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes

from linscope.data import RadialFeatures

from . import theme
from .boundary import fitted
from .decisions import predict
from .drawing import feature_axes
from .geometry import SHAPE, box_around, square, widened
from .inputs import Samples, read_hyperplane, read_samples
from .space import PlaneDisplay, space_axes


@dataclass(eq=False, kw_only=True, repr=False)
class RadialDisplay(PlaneDisplay):
    """Samples with their circle, and the same samples in space with their plane.

    Attributes
    ----------
    samples : the table with its classes
    origin : c, from where r is measured
    lifted : array (n, 3), the samples as (x1, x2, r²)
    weights : the plane, bias first
    wrong : which samples the model gets wrong
    straight : whether a line would do, without r²
    """

    samples: Samples
    origin: np.ndarray
    lifted: np.ndarray
    weights: np.ndarray
    wrong: np.ndarray
    straight: bool
    grid = 1, 2
    plain = (0,)
    size = 10.6, 5.2

    @classmethod
    def from_data(cls, estimator: Any, X: Any, y: Any, center: Any, straight: bool) -> Self:
        """Fit a clone of a linear classifier to the samples with r²."""
        samples = read_samples(X, y, binary=True)
        if samples.X.shape[1] != 2:
            raise ValueError(
                f"X has {samples.X.shape[1]} features: this figure needs two, r² is the third"
            )
        centers = center if isinstance(center, str) else [center]
        mapping = RadialFeatures(centers=centers).fit(samples.X)
        if len(mapping.centers_) != 1:
            raise ValueError(f"center must be 'origin', 'mean' or one point, got {center!r}")
        lifted = mapping.transform(samples.X)
        model = fitted(estimator, lifted, samples.truth)
        return cls(
            samples=samples,
            origin=mapping.centers_[0],
            lifted=lifted,
            weights=read_hyperplane(model, 3, name="estimator"),
            wrong=predict(model, lifted) != samples.truth,
            straight=straight,
        )

    @property
    def center(self) -> np.ndarray:
        """Centre of the circle; NaN if the plane does not depend on r²."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.origin - self.weights[1:3] / (2 * self.weights[3])

    @property
    def radius(self) -> float:
        """Radius of the circle; NaN if the plane does not meet the bowl."""
        w, away = self.weights, self.center - self.origin
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.sqrt(away @ away - (w[0] + w[1:3] @ self.origin) / w[3]))

    @property
    def circle(self) -> np.ndarray:
        """Points of the circle as (x1, x2, r²), on the plane; empty if there is none."""
        if not np.isfinite(self.radius):
            return np.zeros((0, 3))
        turn = np.linspace(0.0, 2 * np.pi, 181)
        flat = self.center + self.radius * np.column_stack([np.cos(turn), np.sin(turn)])
        return self._lift(flat)

    @property
    def points(self) -> np.ndarray:
        return self.lifted

    @property
    def limits(self) -> np.ndarray:
        """The box of the panel in space, (3, 2), from r² = 0."""
        limits = super().limits
        limits[2, 0] = 0.0
        return limits

    @property
    def title(self) -> str:
        if self.wrong.any():
            n, wrong = len(self.wrong), int(self.wrong.sum())
            return f"With r² as a third coordinate a plane gets {wrong} of {n} samples wrong"
        which = "a line separates, too" if self.straight else "only a circle can separate"
        return f"With r² as a third coordinate a plane separates what {which}"

    def _lift(self, flat: np.ndarray) -> np.ndarray:
        return np.column_stack([flat, ((flat - self.origin) ** 2).sum(axis=1)])

    def _draw(self, axes: list[Axes]) -> None:
        self._draw_flat(axes[0])
        self._draw_space(axes[1])

    def _draw_flat(self, ax: Axes) -> None:
        X = self.samples.X
        theme.style(ax)
        if len(self.circle):
            ax.plot(*self.circle[:, :2].T, color=theme.INK, lw=2.0, zorder=3)
        theme.scatter(ax, X, self.samples.codes)
        theme.ring(ax, X[self.wrong])
        box = box_around(X)
        if square(box):
            box = widened(box, SHAPE / 1.3)
            ax.set_aspect("equal")
        first, second = self.samples.names
        feature_axes(ax, (first, second), box)
        entries = theme.class_entries(self.samples.labels)
        if len(self.circle):
            entries.append(theme.line_entry("circle, the plane's shadow"))
        if self.wrong.any():
            entries.append(theme.ring_entry("wrong"))
        theme.title_and_key(ax, f"{first} and {second}", entries)

    def _draw_space(self, ax: Any) -> None:
        limits = self.limits
        self._draw_bowl(ax)
        self._draw_around(ax, self.samples.codes)
        ax.plot(*self._seen(self.circle).T, color=theme.INK, lw=2.0, zorder=2.5)
        first, second = self.samples.names
        space_axes(ax, limits, (first, second, "r²"), self.azimuth)
        entries = [theme.region_entry("plane w·x = 0", theme.GOOD)]
        theme.title_and_key(ax, f"{first}, {second} and r²", entries)

    def _seen(self, points: np.ndarray) -> np.ndarray:
        """Points of a curve in space; NaN outside of the box."""
        limits = self.limits
        outside = (points < limits[:, 0]) | (points > limits[:, 1])
        return np.where(outside.any(axis=1, keepdims=True), np.nan, points)

    def _draw_bowl(self, ax: Any) -> None:
        """Level curves of r², faint."""
        reach = np.sqrt(self.limits[2, 1])
        turn = np.linspace(0.0, 2 * np.pi, 121)
        for radius in reach * np.sqrt(np.linspace(0.1, 1.0, 7)):
            flat = self.origin + radius * np.column_stack([np.cos(turn), np.sin(turn)])
            ax.plot(*self._seen(self._lift(flat)).T, color=theme.FAINT, lw=0.8, zorder=0.5)
