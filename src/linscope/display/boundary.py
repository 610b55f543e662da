"""Decision regions and boundary of any classifier in the plane of two features."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from linscope.data.tables import TableLike

from . import theme
from .base import SampleDisplay
from .decisions import leads, predict
from .drawing import draw_regions, draw_samples
from .geometry import Box, mesh, segment
from .inputs import View, choose_view, model_weights, read_samples
from .line_labels import label_lines

RESOLUTION = 300
# So many lines of binary problems have labels.
FEW = 12
EXACT: Any = {"color": theme.INK, "lw": 1.8, "zorder": 3}
FAINT: Any = {"color": theme.SOFT, "lw": 1.0, "ls": theme.DASHED, "zorder": 2}


def boundary(
    estimator: Any, X: TableLike, y: Any, *, features: Any = None, ax: Any = None
) -> BoundaryDisplay:
    """Samples, decision regions and boundary of a fitted classifier, also with K classes.

    Parameters
    ----------
    estimator : any fitted classifier with ``predict``; ``decision_function`` gives smooth borders
    X, y : samples and labels
    features : two features by number or name, needed if X has more than two
        The figure is then a slice through the mean of the other features. For three features in
        space see ``plot.plane``.
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
    problems, planes = binary_problems(estimator), hyperplanes(estimator, view)
    if len(problems) != len(planes):  # classes compete: a line w·x = 0 is no boundary
        problems, planes = [], planes[:0]
    return BoundaryDisplay(
        samples=samples,
        view=view,
        wrong=predict(estimator, samples.X) != samples.truth,
        u=u,
        v=v,
        lead=leads(estimator, view.rows(spots)).reshape(-1, len(v), len(u)),
        problems=problems,
        planes=planes,
        lines=parts_in(box, planes),
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
    problems : names of the binary problems of a linear model, such as "1 vs rest"
        Where classes compete with one score each (softmax) there are none.
    planes : array (m, 3), (c, a, b) of their lines w·x = c + a·u + b·v = 0
    lines : array (m, 2, 2), the ends of these lines, NaN where one misses the figure
    model : name of the model
    """

    wrong: np.ndarray
    u: np.ndarray
    v: np.ndarray
    lead: np.ndarray
    problems: list[str]
    planes: np.ndarray
    lines: np.ndarray
    model: str

    @property
    def title(self) -> str:
        verdict = theme.verdict(self.model, len(self.points), int(self.wrong.sum()))
        return verdict + self.view.remark

    @property
    def size(self) -> tuple[float, float]:
        return (6.0, 2.3) if self.flat else (6.0, 4.8)

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        exact = len(self.lead) == 2 and len(self.lines) == 1
        border = None if exact else theme.INK
        draw_regions(ax, self.u, self.v, self.lead, border=border, linewidths=1.8)
        for ends in self.lines:
            ax.plot(*ends.T, **(EXACT if exact else FAINT))
        box = (*self.u[[0, -1]], *self.v[[0, -1]])
        draw_samples(ax, self.samples, self.view, box)
        theme.ring(ax, self.points[self.wrong])
        entries = [*theme.class_entries(self.labels), theme.line_entry("boundary")]
        if len(self.lead) > 2 and len(self.lines):
            entries.append(theme.line_entry("w·x = 0", **FAINT))
            if len(self.lines) <= FEW:
                colours = [theme.SOFT] * len(self.lines)
                label_lines(ax, box, self.planes, self.lines, self.problems, colours, self.points)
        if self.wrong.any():
            entries.append(theme.ring_entry("wrong"))
        theme.title_and_key(ax, self.title, entries)


def fitted(model: Any, X: np.ndarray, y: np.ndarray) -> Any:
    """A clone, fitted without a word on whether it converged: the figure shows that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clone(model).fit(X, y)


def binary_problems(estimator: Any) -> list[str]:
    """What each row of ``coef_`` decides: "b vs a", "k vs rest"; empty if it is one of K scores."""
    classes = np.asarray(getattr(estimator, "classes_", [])).tolist()
    if len(classes) == 2:
        return [f"{classes[1]} vs {classes[0]}"]
    kind = getattr(estimator, "multi_class", None)
    if kind == "ovr":
        return [f"{label} vs rest" for label in classes]
    pairs = list(combinations(classes, 2)) if kind == "ovo" else []
    if hasattr(estimator, "dual_coef_"):  # kernel machines score the first of two above 0
        return [f"{a} vs {b}" for a, b in pairs]
    return [f"{b} vs {a}" for a, b in pairs]


def hyperplanes(estimator: Any, view: View) -> np.ndarray:
    """(c, a, b) of the lines w·x = 0 of a linear model; empty for other models."""
    if getattr(estimator, "coef_", None) is None or view.flat:
        return np.zeros((0, 3))
    return np.array([view.line(w) for w in model_weights(estimator)]).reshape(-1, 3)


def parts_in(box: Box, lines: np.ndarray) -> np.ndarray:
    """Array (m, 2, 2), the ends in the box of each line (c, a, b); NaN if it misses the box."""
    parts = np.full((len(lines), 2, 2), np.nan)
    for k, line in enumerate(lines):
        ends = segment(box, line)
        if ends is not None:
            parts[k] = ends
    return parts
