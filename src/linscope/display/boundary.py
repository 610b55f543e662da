"""Decision regions and boundary of any classifier in the plane of two features."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from sklearn.utils.validation import check_is_fitted

from . import theme
from .base import Display
from .geometry import Box, box_around, segment
from .inputs import Samples, View, choose_view, read_samples


@dataclass(eq=False, kw_only=True, repr=False)
class BoundaryDisplay(Display):
    """Samples, decision regions and boundary.

    Attributes
    ----------
    points : array (n, 2), the samples in the figure (one feature: the second column is 0)
    codes, labels : class number of each sample, and the class names
    wrong : which samples the model gets wrong
    u, v : the grid
    lead : array (K, len(v), len(u)), by how much each class leads the best other class there
    lines : array (m, 2, 2), ends of the lines w·x = 0 of linear models, else empty
    names : names of the two features
    model : name of the model
    note : which features are held at their means, "" if none
    """

    points: np.ndarray
    codes: np.ndarray
    labels: list[str]
    wrong: np.ndarray
    u: np.ndarray
    v: np.ndarray
    lead: np.ndarray
    lines: np.ndarray
    names: tuple[str, str]
    model: str
    flat: bool = False
    note: str = ""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        features: Sequence[Any] | None = None,
        resolution: int = 300,
    ) -> Self:
        """Ask a fitted classifier for its decision at every point of a grid."""
        check_is_fitted(estimator)
        samples = read_samples(X, y)
        view = choose_view(samples, features)
        points = view.points(samples.X)
        box = box_around(points)
        u, v = np.linspace(*box[:2], resolution), np.linspace(*box[2:], resolution)
        if view.flat:
            v = np.array([-1.0, 1.0])
        spots = np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 2)
        classes = np.asarray(estimator.classes_)
        return cls(
            points=points,
            codes=samples.codes,
            labels=samples.labels,
            wrong=predict(estimator, samples.X) != samples.classes[samples.codes],
            u=u,
            v=v,
            lead=leads(estimator, view.rows(spots)).reshape(len(classes), len(v), len(u)),
            lines=hyperplanes(estimator, view, box),
            names=view.names,
            model=type(estimator).__name__,
            flat=view.flat,
            note=view.note,
        )

    @property
    def title(self) -> str:
        n, wrong = len(self.points), int(self.wrong.sum())
        if wrong == 0:
            verdict = f"{self.model} gets all {n:,} samples right"
        else:
            verdict = f"{self.model} gets {wrong:,} of {theme.count(n, 'sample')} wrong"
        return verdict + (f" ({self.note})" if self.note else "")

    @property
    def size(self) -> tuple[float, float]:
        return (6.0, 2.3) if self.flat else (6.0, 4.8)

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        self._draw_regions(ax)
        theme.scatter(ax, self.points, self.codes)
        theme.ring(ax, self.points[self.wrong])
        ax.set(xlim=self.u[[0, -1]], ylim=self.v[[0, -1]], xlabel=theme.name(self.names[0]))
        if self.flat:
            ax.set_yticks([])
            ax.spines["left"].set_visible(False)
        else:
            ax.set_ylabel(theme.name(self.names[1]))
        entries = [theme.class_entry(k, label) for k, label in enumerate(self.labels)]
        entries.append(theme.line_entry("boundary"))
        if len(self.lead) > 2 and len(self.lines):
            entries.append(theme.line_entry("w·x = 0", color=theme.SOFT, lw=1.0, ls=(0, (4, 3))))
        if self.wrong.any():
            entries.append(theme.ring_entry("wrong"))
        theme.title_and_key(ax, self.title, entries)

    def _draw_regions(self, ax: Axes) -> None:
        for code, lead in enumerate(self.lead):
            if (lead > 0).any():
                fill = [theme.tint(theme.class_colour(code), 0.17)]
                ax.contourf(self.u, self.v, lead, levels=[0.0, np.inf], colors=fill, zorder=0)
        exact = len(self.lead) == 2 and len(self.lines) == 1
        for lead in self.lead[1:] if len(self.lead) == 2 else self.lead:
            if not exact and lead.min() < 0 < lead.max():
                style: Any = {"colors": theme.INK, "linewidths": 1.8, "zorder": 3}
                ax.contour(self.u, self.v, lead, levels=[0.0], **style)
        for ends in self.lines:
            if exact:
                ax.plot(*ends.T, color=theme.INK, lw=1.8, zorder=3)
            else:
                ax.plot(*ends.T, color=theme.SOFT, lw=1.0, ls=(0, (4, 3)), zorder=2)


def predict(estimator: Any, rows: np.ndarray) -> np.ndarray:
    """Labels of rows, without the warning that a plain array has no feature names."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*valid feature names.*")
        return np.asarray(estimator.predict(rows))


def leads(estimator: Any, rows: np.ndarray) -> np.ndarray:
    """For each class (K, m): its score minus the best other score; the sign follows ``predict``."""
    classes = np.asarray(estimator.classes_)
    ahead = np.where(predict(estimator, rows) == classes[:, None], 1.0, -1.0)
    if not hasattr(estimator, "decision_function"):
        return ahead
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*valid feature names.*")
        scores = np.asarray(estimator.decision_function(rows), dtype=np.float64)
    if scores.ndim == 1:
        lead = np.stack([-scores, scores])
    elif scores.shape[1] == len(classes):
        best = np.partition(scores, -2, axis=1)[:, -2:]
        other = np.where(scores == best[:, [1]], best[:, [0]], best[:, [1]])
        lead = (scores - other).T
    else:
        return ahead
    size = np.abs(lead).max() or 1.0
    return np.where(np.sign(lead) == ahead, lead, 1e-9 * size * ahead)


def hyperplanes(estimator: Any, view: View, box: Box) -> np.ndarray:
    """Ends in the box of the lines w·x = 0 of a linear model; empty for other models."""
    coef = getattr(estimator, "coef_", None)
    ends = []
    if coef is not None and not view.flat:
        bias = np.broadcast_to(getattr(estimator, "intercept_", 0.0), len(np.atleast_2d(coef)))
        for w in np.column_stack([bias, np.atleast_2d(coef)]).astype(np.float64):
            part = segment(box, view.line(w))
            if part is not None:
                ends.append(part)
    return np.array(ends).reshape(-1, 2, 2)


def draw_samples(ax: Axes, samples: Samples, view: View, box: Box, *, size: float = 42.0) -> None:
    """Samples and axes of a figure in feature space."""
    theme.scatter(ax, view.points(samples.X), samples.codes, size=size)
    ax.set(xlim=box[:2], ylim=box[2:], xlabel=theme.name(view.names[0]))
    if view.flat:
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
    else:
        ax.set_ylabel(theme.name(view.names[1]))
