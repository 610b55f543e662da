"""Samples before and after "normalization": those of one class are multiplied by −1.

    w·x_i > 0 in the one class, w·x_i < 0 in the other   ⟺   w·(y_i x_i) > 0 for all samples

The same vector w stands for both: before, its hyperplane has the classes on different sides; after,
all samples are on the positive side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.data import reflect
from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.base import Display
from linscope.display.drawing import arrow, draw_line
from linscope.display.geometry import Box, corners, half_plane, square, widened
from linscope.display.inputs import Samples, read_hyperplane, read_samples
from linscope.separation.question import separability
from linscope.separation.verdicts import NotSeparable

FEW = 20


def reflection(X: TableLike, y: Any, weights: Any = None, *, ax: Any = None) -> ReflectionDisplay:
    """Samples before and after those of the first class are multiplied by −1 (``ls.reflect``).

    Samples are augmented with 1. If that makes two axes, they are the axes of the figure. If there
    are more, the figure is the plane of w and of the direction across it in which the samples
    spread most: distances from the hyperplane are seen in full. Where w has no bias, the 1 is left
    out.

    Parameters
    ----------
    X, y : samples of two classes
    weights : a vector with the bias first, or a fitted linear classifier
        By default that of the widest margin, if the classes are separable.
    ax : two matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("or")
    >>> ls.plot.reflection(X, y, ls.Perceptron().fit(X, y))
    <ReflectionDisplay: After the reflection w has all 4 samples on its positive side>
    """
    samples = read_samples(X, y, binary=True)
    if weights is None:
        weights = _separating(samples)
    w = read_hyperplane(weights, samples.X.shape[1], name="weights")
    if not w.any():
        raise ValueError("weights are all 0, which is no direction: pass weights that separate")
    start = int(w[0] == 0 and len(w) > 2)
    return ReflectionDisplay(
        samples=samples,
        weights=w,
        vectors=samples.augmented[:, start:],
        reflected=np.asarray(reflect(samples.X, samples.truth))[:, start:],
        names=["x0", *samples.names][start:],
    ).plot(ax)


def _separating(samples: Samples) -> np.ndarray:
    verdict: Any = separability(samples.X, samples.truth)
    if isinstance(verdict, NotSeparable):
        raise ValueError(
            "the classes are not separable, so no vector has all reflected samples on its positive "
            "side: pass weights to see how far some vector gets"
        )
    return verdict.weights


@dataclass(eq=False, kw_only=True, repr=False)
class ReflectionDisplay(Display):
    """The vector w, and the samples before and after the reflection.

    Attributes
    ----------
    samples : the table with its classes
    weights : w, bias first
    vectors, reflected : array (n, m), the augmented samples before and after; m = d + 1, or d
        where the bias is 0
    names : names of the m coordinates
    """

    samples: Samples
    weights: np.ndarray
    vectors: np.ndarray
    reflected: np.ndarray
    names: list[str]
    grid = 1, 2
    size = 9.6, 5.0

    @property
    def normal(self) -> np.ndarray:
        """w in the coordinates of the samples, (m,)."""
        return self.weights[-self.vectors.shape[1] :]

    @property
    def basis(self) -> np.ndarray:
        """The two directions of the figure, (2, m)."""
        m = len(self.normal)
        if m == 2:
            return np.eye(2)
        along = self.normal / np.abs(self.normal).max()
        along /= np.linalg.norm(along)
        rest = self.vectors - np.outer(self.vectors @ along, along)
        # the remaining part of w itself is 0: a unit matrix behind it has directions across w
        across = np.linalg.svd(np.vstack([rest, 1e-9 * (np.eye(m) - np.outer(along, along))]))[2]
        return np.vstack([along, across[0]])

    @property
    def before(self) -> np.ndarray:
        """The samples in the figure, (n, 2)."""
        return self.vectors @ self.basis.T

    @property
    def after(self) -> np.ndarray:
        """The reflected samples in the figure, (n, 2)."""
        return self.reflected @ self.basis.T

    @property
    def wrong(self) -> np.ndarray:
        """Which reflected samples are not on the positive side."""
        return self.reflected @ self.normal <= 0

    @property
    def title(self) -> str:
        n, wrong = len(self.wrong), int(self.wrong.sum())
        if not wrong:
            return f"After the reflection w has all {n:,} samples on its positive side"
        return f"Not on the positive side of w: {wrong:,} of {theme.count(n, 'reflected sample')}"

    @property
    def box(self) -> Box:
        """Limits of both panels, with the origin in the middle."""
        x, y = 1.2 * np.abs(self.before).max(axis=0)
        x, y = x or y or 1.0, y or x or 1.0
        box = (-x, x, -y, y)
        return widened(box, 1.0) if self._to_scale else box

    @property
    def _to_scale(self) -> bool:
        """Whether both axes have one scale: where w is aslant, right angles should look right."""
        x, y = np.abs(self.before).max(axis=0)
        return square((-x, x, -y, y)) if y and len(self.normal) > 2 else 0.1 * y < x < 10 * y

    def _draw(self, axes: list[Axes]) -> None:
        first, second = self.before, self.after
        turned = self.samples.labels[0]
        sides = "" if self.wrong.any() else ": a class on each side of w·x = 0"
        ghosts = " (grey: before)" if len(first) <= FEW else ""
        self._draw_panel(axes[0], first, f"before{sides}")
        self._draw_panel(axes[1], second, f"after: −x for class {turned}{ghosts}")
        if ghosts:
            for start, end in zip(first, second, strict=True):
                if (start != end).any():
                    axes[1].plot(*np.array([start, end]).T, color=theme.FAINT, lw=1.0, zorder=1)
                    axes[1].plot(*start, "o", mfc="white", mec=theme.GREY, ms=5, zorder=2)
        theme.no_left_labels(axes[1])

    def _draw_panel(self, ax: Axes, points: np.ndarray, title: str) -> None:
        box, normal = self.box, self.basis @ self.normal
        line = np.r_[0.0, normal]
        ax.fill(*half_plane(corners(box), line).T, color=theme.tint(theme.GOOD, 0.13), lw=0)
        draw_line(ax, box, line, color=theme.INK, lw=1.8)
        # as long as half the way to the nearest side of the box
        tip = 0.5 * normal / (np.abs(normal) / np.array([box[1], box[3]])).max()
        arrow(ax, np.zeros(2), tip, theme.PURPLE, zorder=3, lw=2.2)
        theme.scatter(ax, points, self.samples.codes)
        theme.ring(ax, points[self.wrong])
        ax.set(xlim=box[:2], ylim=box[2:])
        if self._to_scale:
            ax.set_aspect("equal")
        if len(self.normal) == 2:
            theme.label(ax, *self.names)
        else:
            theme.label(ax, "along w: w·x / ‖w‖", "across w")
        theme.title_and_key(ax, title, self._entries())

    def _entries(self) -> list:
        entries = [
            *theme.class_entries(self.samples.labels),
            theme.line_entry("w·x = 0"),
            theme.line_entry("direction of w", color=theme.PURPLE, lw=2.2),
            theme.region_entry("w·x > 0", theme.GOOD, 0.2),
        ]
        return [*entries, theme.ring_entry("wrong")] if self.wrong.any() else entries
