"""How many terms for a classifier? Boundaries by degree, and mistakes on old and new samples.

A boundary that is linear in all powers and products up to a degree is curved in the features. A
high degree with little penalty winds round single samples, and gets new ones wrong.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from sklearn.exceptions import ConvergenceWarning

from linscope.display import theme
from linscope.display.decisions import leads
from linscope.display.drawing import draw_regions, feature_axes
from linscope.display.geometry import mesh
from linscope.display.inputs import Samples, View, choose_view, read_samples
from linscope.validation.degrees_figure import DegreesDisplay
from linscope.validation.polynomial_fits import (
    check_degrees,
    partition,
    polynomial,
    terms,
    unseen_predictions,
)

RESOLUTION = 160


@dataclass(eq=False, kw_only=True, repr=False)
class OverfittingClassesDisplay(DegreesDisplay):
    """Mistakes of a classifier on polynomials by degree, and some of its boundaries.

    Attributes
    ----------
    degrees, terms, best, shown, how : as in ``DegreesDisplay``
    train, validation : share of samples that are wrong, of the training samples and of unseen ones
    samples : the training samples; ``new`` those of ``validation``, None with ``cv``
    view : the one or two features of the boundaries
    u, v : their grid
    lead : array (len(shown), K, len(v), len(u)), by how much each class leads the others there
    wrong : (len(shown), samples) which training samples each of the fits shown gets wrong
    """

    samples: Samples
    new: Samples | None
    view: View
    u: np.ndarray
    v: np.ndarray
    lead: np.ndarray
    wrong: np.ndarray

    @classmethod
    def from_data(
        cls,
        classifier: Any,
        X: Any,
        y: Any,
        *,
        degrees: Iterable[int] | None = None,
        cv: Any = 5,
        validation: tuple[Any, Any] | None = None,
    ) -> Self:
        """Fit every degree to all samples, and once more to each part of the cross-validation."""
        samples = read_samples(X, y)
        n, d = samples.X.shape
        if d > 2:
            raise ValueError(f"X has {d} features, and boundaries are drawn of one or two")
        chosen = check_degrees(degrees, n, d)
        new = None if validation is None else _kept_back(validation, samples)
        X, codes = samples.X, samples.codes
        splits = partition(cv, X, codes, classes=True) if new is None else []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            models = {p: polynomial(p, classifier).fit(X, codes) for p in chosen}
            unseen = [
                (unseen_predictions(model, X, codes, splits) != codes).mean()
                if new is None
                else (model.predict(new.X) != new.codes).mean()
                for model in models.values()
            ]
        errors = np.array(unseen)
        best = chosen[int(errors.argmin())]
        shown = sorted({chosen[0], best, chosen[-1]})
        view = choose_view(samples, None)
        every = X if new is None else np.vstack([X, new.X])
        u, v, spots = mesh(view.box(view.points(every)), RESOLUTION, 2 if view.flat else None)
        rows = view.rows(spots)
        wrong = {p: model.predict(X) != codes for p, model in models.items()}
        return cls(
            degrees=np.array(chosen),
            terms=terms(chosen, d),
            train=np.array([wrong[p].mean() for p in chosen]),
            validation=errors,
            best=best,
            shown=shown,
            how=f"{len(splits)}-fold cross-validation"
            if new is None
            else f"{len(new.X)} kept back",
            samples=samples,
            new=new,
            view=view,
            u=u,
            v=v,
            lead=np.array([leads(models[p], rows).reshape(-1, len(v), len(u)) for p in shown]),
            wrong=np.array([wrong[p] for p in shown]),
        )

    @property
    def error_name(self) -> str:
        return "share of mistakes"

    def _draw_fit(self, ax: Axes, number: int) -> None:
        colour = theme.GOOD if self.shown[number] == self.best else theme.WRONG
        look: dict[str, Any] = {"border": colour, "linewidths": 1.8}
        draw_regions(ax, self.u, self.v, self.lead[number], **look)
        points = self.view.points(self.samples.X)
        theme.scatter(ax, points, self.samples.codes, size=20)
        theme.ring(ax, points[self.wrong[number]], size=60)
        box = (*self.u[[0, -1]], *self.v[[0, -1]])
        feature_axes(ax, self.view.names, box, flat=self.view.flat)

    def _scale(self, ax: Axes, least: float) -> None:
        ax.set_ylim(0.0, 1.08 * float(max(self.train.max(), self.validation.max())) or 1.0)
        ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g} %")


def _kept_back(validation: Any, samples: Samples) -> Samples:
    """The samples of ``validation``, with the class numbers of the others."""
    if len(validation) != 2:
        raise ValueError("validation must be the pair (X, y) of samples kept back")
    new = read_samples(*validation)
    if new.X.shape[1] != samples.X.shape[1]:
        raise ValueError(
            f"validation has {new.X.shape[1]} features, but X has {samples.X.shape[1]}"
        )
    codes = np.searchsorted(samples.classes, new.truth)
    known = samples.classes[np.minimum(codes, len(samples.classes) - 1)] == new.truth
    if not known.all():
        raise ValueError("validation has labels that y does not have")
    return Samples(new.X, codes, samples.classes, samples.names)
