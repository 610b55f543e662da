"""How many terms? Error on the samples of the fit, and on samples that it has not seen.

A polynomial of degree p is linear in its weights, y = w₀ + w₁ x + w₂ x² + … + w_p x^p, so least
squares fits it exactly. A higher degree always fits the training samples better; from some degree
on it fits their noise, and predicts new samples worse.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.inputs import read_regression
from linscope.validation.degrees_figure import DegreesDisplay
from linscope.validation.polynomial_fits import (
    check_degrees,
    partition,
    places_between,
    polynomial,
    rmse,
    terms,
    unseen_predictions,
)


@dataclass(eq=False, kw_only=True, repr=False)
class OverfittingDisplay(DegreesDisplay):
    """Errors of polynomial fits by degree, and a look at some of the fits.

    Attributes
    ----------
    degrees, terms, best, shown, how : as in ``DegreesDisplay``
    train, validation : root of the mean squared error, on the training samples and on unseen ones
    X, y : training samples; X_new, y_new : the samples of ``validation``, empty with ``cv``
    predicted : (len(shown), samples) predictions of unseen samples, in the order of y (or y_new)
    places : x where curves are drawn; empty for several features
    curves : (len(shown), len(places)) the fitted curves
    names : of the feature and of y
    """

    X: np.ndarray
    y: np.ndarray
    X_new: np.ndarray
    y_new: np.ndarray
    predicted: np.ndarray
    places: np.ndarray
    curves: np.ndarray
    names: tuple[str, str]

    @classmethod
    def from_data(
        cls,
        regression: Any,
        X: Any,
        y: Any,
        *,
        degrees: Iterable[int] | None = None,
        cv: Any = 5,
        validation: tuple[Any, Any] | None = None,
    ) -> Self:
        """Fit every degree to all samples, and once more to each part of the cross-validation."""
        X, y, names = read_regression(X, y)
        chosen = check_degrees(degrees, *X.shape)
        new = (X[:0], y[:0]) if validation is None else _kept_back(validation, X.shape[1])
        splits = partition(cv, X, y) if validation is None else []
        models = {degree: polynomial(degree, regression).fit(X, y) for degree in chosen}
        unseen = {
            degree: unseen_predictions(model, X, y, splits) if splits else model.predict(new[0])
            for degree, model in models.items()
        }
        target = y if splits else new[1]
        errors = np.array([rmse(target, unseen[degree]) for degree in chosen])
        best = chosen[int(errors.argmin())]
        shown = sorted({chosen[0], best, chosen[-1]})
        places = places_between(X, new[0])
        return cls(
            degrees=np.array(chosen),
            terms=terms(chosen, X.shape[1]),
            train=np.array([rmse(y, models[degree].predict(X)) for degree in chosen]),
            validation=errors,
            best=best,
            shown=shown,
            X=X,
            y=y,
            X_new=new[0],
            y_new=new[1],
            predicted=np.array([unseen[degree] for degree in shown]),
            places=places,
            curves=np.array([models[d].predict(places[:, None]) for d in shown if len(places)]),
            names=names,
            how=f"{len(splits)}-fold cross-validation" if splits else f"{len(new[1])} kept back",
        )

    @property
    def error_name(self) -> str:
        return f"typical error of {self.names[1]} (RMSE)"

    def _draw_fit(self, ax: Axes, number: int) -> None:
        if len(self.places):
            self._draw_curve(ax, number)
        else:
            self._draw_predictions(ax, number)

    def _draw_curve(self, ax: Axes, number: int) -> None:
        x = np.concatenate([self.X[:, 0], self.X_new[:, 0]])
        y = np.concatenate([self.y, self.y_new])
        few = len(x) <= 200
        dots: dict[str, Any] = {"s": 26 if few else 7, "linewidths": 0.6 if few else 0.0}
        ax.scatter(self.X[:, 0], self.y, c=theme.BLUE, edgecolors=theme.INK, zorder=4, **dots)
        ax.scatter(
            self.X_new[:, 0], self.y_new, c="white", edgecolors=theme.ORANGE, zorder=4, **dots
        )
        colour = theme.GOOD if self.shown[number] == self.best else theme.WRONG
        ax.plot(self.places, self.curves[number], color=colour, lw=2.0, zorder=3)
        reach = 0.25 * float(np.ptp(y)) or 1.0
        ax.set_ylim(float(y.min()) - reach, float(y.max()) + reach)
        theme.label(ax, *self.names)

    def _draw_predictions(self, ax: Axes, number: int) -> None:
        """For several features: what was predicted for unseen samples against what they are."""
        y = self.y_new if len(self.y_new) else self.y
        low, high = float(y.min()), float(y.max())
        reach = 0.15 * (high - low) or 1.0
        ends = low - reach, high + reach
        ax.plot(ends, ends, color=theme.GREY, lw=1.2, zorder=1)
        size = 22 if len(y) <= 200 else 8
        colour = theme.GOOD if self.shown[number] == self.best else theme.WRONG
        predicted = np.clip(self.predicted[number], *ends)  # what is off the scale, at its edge
        ax.scatter(y, predicted, s=size, c=colour, alpha=0.7, lw=0, zorder=3, clip_on=False)
        ax.set(xlim=ends, ylim=ends, xlabel=theme.name(self.names[1]), ylabel="predicted")


def _kept_back(validation: Any, d: int) -> tuple[np.ndarray, np.ndarray]:
    if len(validation) != 2:
        raise ValueError("validation must be the pair (X, y) of samples kept back")
    X, y, _ = read_regression(*validation)
    if X.shape[1] != d:
        raise ValueError(f"validation has {X.shape[1]} features, but X has {d}")
    return X, y
