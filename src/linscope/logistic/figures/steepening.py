"""Classes that a threshold separates: the less penalty, the steeper the sigmoid, without end.

    min over w of  ½ w₁² + C E(w),   E(w) = −Σ_i log P(y_i | x_i)

If a threshold separates the classes, E falls to its infimum only for infinite weights: w₁ grows
with C, and the curve goes to a step in the middle of the gap. If they overlap, it settles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.base import Display
from linscope.display.boundary import fitted
from linscope.display.inputs import Samples, given_or_example, read_samples, read_series
from linscope.losses import logistic

POINTS = 801


def example() -> tuple[np.ndarray, np.ndarray]:
    """Ten samples of one feature, with a gap between the classes."""
    x = np.array([0.5, 1.0, 1.4, 2.0, 2.5, 3.5, 4.1, 4.5, 5.0, 5.6])
    return x[:, None], np.repeat([0, 1], 5)


@dataclass(eq=False, kw_only=True, repr=False)
class SteepeningDisplay(Display):
    """Sigmoids of logistic regressions with less and less penalty.

    Attributes
    ----------
    Cs : rising values of C
    weights : (len(Cs), 2), bias first
    losses : E(w) = −log likelihood of each
    samples : the table of one feature with its classes
    places, curves : where the curves are drawn, and (len(Cs), len(places)) probabilities there
    step : the threshold in the middle of the gap between the classes; NaN if they overlap
    """

    Cs: np.ndarray
    weights: np.ndarray
    losses: np.ndarray
    samples: Samples
    places: np.ndarray
    curves: np.ndarray
    step: float

    @classmethod
    def from_data(cls, model: Any, X: Any, y: Any, Cs: Sequence[float]) -> Self:
        """Fit a clone of the model for each C."""
        given = given_or_example("steepening needs both X and y", example, X, y)
        samples = read_samples(*given, binary=True)
        if samples.X.shape[1] != 1:
            raise ValueError(f"X has {samples.X.shape[1]} features, this figure is about one")
        chosen = np.unique(read_series("Cs", Cs, "curve"))
        if chosen[0] <= 0:
            raise ValueError(f"Cs must be above 0, got {Cs!r}")
        models = [fitted(model.set_params(C=float(C)), samples.X, samples.codes) for C in chosen]
        W = np.array([[float(m.intercept_[0]), float(m.coef_[0, 0])] for m in models])
        x = samples.X[:, 0]
        reach = 0.12 * float(np.ptp(x)) or 1.0
        places = np.linspace(x.min() - reach, x.max() + reach, POINTS)
        scores = W[:, :1] + W[:, 1:] * x
        return cls(
            Cs=chosen,
            weights=W,
            losses=logistic.loss(scores, samples.codes).sum(axis=1),
            samples=samples,
            places=places,
            curves=logistic.sigmoid(W[:, :1] + W[:, 1:] * places),
            step=_middle_of_gap(x[samples.codes == 0], x[samples.codes == 1]),
        )

    @property
    def separable(self) -> bool:
        """Whether a threshold separates the classes (samples may lie on it)."""
        return not np.isnan(self.step)

    @property
    def title(self) -> str:
        if self.separable:
            return "The classes do not overlap: the sigmoid steepens without end"
        return "The classes overlap: the sigmoid settles"

    @property
    def size(self) -> tuple[float, float]:
        return 6.6, 4.4 + 0.1 * len(self.Cs)

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        entries = theme.class_entries(self.samples.labels)
        for k, shade in enumerate(np.linspace(0.35, 1.0, len(self.Cs))):
            colour = theme.LIGHT_TO_DARK(float(shade))
            ax.plot(self.places, self.curves[k], color=colour, lw=2.2, zorder=3)
            size, loss = theme.number(abs(float(self.weights[k, 1]))), f"{self.losses[k]:.2g}"
            text = f"C = {self.Cs[k]:g}: |w₁| = {size}, E = {loss}"
            entries.append(theme.line_entry(text, color=colour, lw=2.2))
        ax.axhline(0.5, color=theme.SOFT, lw=0.8, ls=theme.DASHED, zorder=1)
        if self.separable:
            step: dict[str, Any] = {"color": theme.RED, "lw": 1.4, "ls": theme.DASHED}
            ax.axvline(self.step, zorder=2, **step)
            entries.append(theme.line_entry("C → ∞: a step", **step))
        codes = self.samples.codes
        theme.scatter(ax, np.column_stack([self.samples.X[:, 0], codes]), codes)
        label = theme.name(self.samples.labels[1])
        ax.set(xlim=self.places[[0, -1]], ylim=(-0.08, 1.08), yticks=[0, 0.25, 0.5, 0.75, 1])
        name = self.samples.names[0]
        ax.set(xlabel="x" if name == "x1" else theme.name(name), ylabel=f"P({label} | x)")
        theme.title_and_key(ax, self.title, entries)


def _middle_of_gap(first: np.ndarray, second: np.ndarray) -> float:
    """The middle between two sets of numbers, NaN if they overlap."""
    if first.max() > second.max():
        first, second = second, first
    low, high = float(first.max()), float(second.min())
    apart = low <= high and first.min() < second.max()
    return (low + high) / 2 if apart else float("nan")
