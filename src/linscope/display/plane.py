"""The boundary in the space of three features: a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.data.tables import TableLike

from . import theme
from .decisions import predict
from .inputs import Samples, read_hyperplane, read_samples
from .space import PlaneDisplay, space_axes


def plane(estimator: Any, X: TableLike, y: Any, *, ax: Any = None) -> FeatureSpaceDisplay:
    """Samples of three features and the plane w·x = 0 between two classes.

    A hyperplane is a point for one feature and a line for two (``plot.boundary``), and a plane for
    three.

    Parameters
    ----------
    estimator : a fitted linear classifier of two classes
    X, y : samples of three features, and labels
    ax : matplotlib axes with ``projection="3d"``, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.make_separable(40, 3, random_state=0)
    >>> ls.plot.plane(ls.Perceptron().fit(X, y), X, y)
    <FeatureSpaceDisplay: Perceptron gets all 40 samples right>
    """
    samples = read_samples(X, y, binary=True)
    if samples.X.shape[1] != 3:
        raise ValueError(
            f"X has {samples.X.shape[1]} features, and space has three: fit three columns, or see "
            "two features with plot.boundary"
        )
    return FeatureSpaceDisplay(
        samples=samples,
        weights=read_hyperplane(estimator, 3, name="estimator"),
        wrong=predict(estimator, samples.X) != samples.truth,
        model=type(estimator).__name__,
    ).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class FeatureSpaceDisplay(PlaneDisplay):
    """Samples in space and the plane between their classes.

    Attributes
    ----------
    samples : the table with its classes
    weights : w, bias first
    wrong : which samples the model gets wrong
    model : name of the model
    """

    samples: Samples
    weights: np.ndarray
    wrong: np.ndarray
    model: str
    size = 6.4, 5.6

    @property
    def points(self) -> np.ndarray:
        return self.samples.X

    @property
    def title(self) -> str:
        if not len(self.plane):
            return f"{self.model}: the plane w·x = 0 passes beside all samples"
        return theme.verdict(self.model, len(self.wrong), int(self.wrong.sum()))

    def _draw(self, axes: list[Axes]) -> None:
        ax: Any = axes[0]
        self._draw_around(ax, self.samples.codes)
        first, second, third = self.samples.names
        space_axes(ax, self.limits, (first, second, third), self.azimuth)
        entries = theme.class_entries(self.samples.labels)
        if len(self.plane):
            entries.append(theme.region_entry("plane w·x = 0", theme.GOOD))
        if self.wrong.any():
            entries.append(theme.ring_entry("wrong"))
        theme.title_and_key(ax, self.title, entries)
