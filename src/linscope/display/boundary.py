"""Decision regions and boundary of any classifier in the plane of two features."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from linscope.data.tables import TableLike

from . import theme
from .base import SampleDisplay
from .drawing import draw_regions, draw_samples
from .geometry import Box, mesh, segment
from .inputs import View, choose_view, read_samples

RESOLUTION = 300


def boundary(
    estimator: Any, X: TableLike, y: Any, *, features: Any = None, ax: Any = None
) -> BoundaryDisplay:
    """Samples, decision regions and boundary of a fitted classifier, also with K classes.

    Parameters
    ----------
    estimator : any fitted classifier with ``predict``; ``decision_function`` gives smooth borders
    X, y : samples and labels
    features : two features by number or name, needed if X has more than two
        The figure is then a slice through the mean of the other features.
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("xor")
    >>> model = ls.KernelPerceptron(kernel="poly", degree=2, gamma=1, coef0=1).fit(X, y)
    >>> ls.plot.boundary(model, X, y).wrong.sum()
    np.int64(0)
    """
    check_is_fitted(estimator)
    samples = read_samples(X, y)
    view = choose_view(samples, features)
    box = view.box(view.points(samples.X))
    u, v, spots = mesh(box, RESOLUTION, 2 if view.flat else None)
    return BoundaryDisplay(
        samples=samples,
        view=view,
        wrong=predict(estimator, samples.X) != samples.truth,
        u=u,
        v=v,
        lead=leads(estimator, view.rows(spots)).reshape(-1, len(v), len(u)),
        lines=hyperplanes(estimator, view, box),
        model=type(estimator).__name__,
    ).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class BoundaryDisplay(SampleDisplay):
    """Samples, decision regions and boundary.

    Attributes
    ----------
    wrong : which samples the model gets wrong
    u, v : the grid
    lead : array (K, len(v), len(u)), by how much each class leads the best other class there
    lines : array (m, 2, 2), ends of the lines w·x = 0 of linear models, else empty
    model : name of the model
    """

    wrong: np.ndarray
    u: np.ndarray
    v: np.ndarray
    lead: np.ndarray
    lines: np.ndarray
    model: str

    @property
    def title(self) -> str:
        n, wrong = len(self.points), int(self.wrong.sum())
        if wrong == 0:
            verdict = f"{self.model} gets all {n:,} samples right"
        else:
            verdict = f"{self.model} gets {wrong:,} of {theme.count(n, 'sample')} wrong"
        return verdict + self.view.remark

    @property
    def size(self) -> tuple[float, float]:
        return (6.0, 2.3) if self.flat else (6.0, 4.8)

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        exact = len(self.lead) == 2 and len(self.lines) == 1
        border = None if exact else theme.INK
        draw_regions(ax, self.u, self.v, self.lead, border=border, linewidths=1.8)
        faint: Any = {"color": theme.SOFT, "lw": 1.0, "ls": theme.DASHED, "zorder": 2}
        look: Any = {"color": theme.INK, "lw": 1.8, "zorder": 3} if exact else faint
        for ends in self.lines:
            ax.plot(*ends.T, **look)
        box = (*self.u[[0, -1]], *self.v[[0, -1]])
        draw_samples(ax, self.samples, self.view, box)
        theme.ring(ax, self.points[self.wrong])
        entries = [*theme.class_entries(self.labels), theme.line_entry("boundary")]
        if len(self.lead) > 2 and len(self.lines):
            entries.append(theme.line_entry("w·x = 0", **faint))
        if self.wrong.any():
            entries.append(theme.ring_entry("wrong"))
        theme.title_and_key(ax, self.title, entries)


def fitted(model: Any, X: np.ndarray, y: np.ndarray) -> Any:
    """A clone, fitted without a word on whether it converged: the figure shows that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clone(model).fit(X, y)


@contextmanager
def plain_rows() -> Iterator[None]:
    """Without the warning that a plain array has no feature names."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*valid feature names.*")
        yield


def predict(estimator: Any, rows: np.ndarray) -> np.ndarray:
    """Labels of rows."""
    with plain_rows():
        return np.asarray(estimator.predict(rows))


def decide(estimator: Any, rows: np.ndarray) -> np.ndarray:
    """``decision_function`` of rows."""
    with plain_rows():
        return np.asarray(estimator.decision_function(rows), dtype=np.float64)


def leads(estimator: Any, rows: np.ndarray) -> np.ndarray:
    """For each class (K, m): its score minus the best other score; the sign follows ``predict``."""
    classes = np.asarray(estimator.classes_)
    ahead = np.where(predict(estimator, rows) == classes[:, None], 1.0, -1.0)
    if not hasattr(estimator, "decision_function"):
        return ahead
    scores = decide(estimator, rows)
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
