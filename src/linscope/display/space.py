"""Figures in space: planes cut to a box, and samples before and behind them.

A plane is (c, a, b, e): c + a·x + b·y + e·z = 0. Space is drawn by parallel projection, so that one
direction points to the eye everywhere, and a sample is before the plane exactly if it lies on the
side to which that direction points.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from mpl_toolkits.mplot3d.proj3d import proj_transform

from . import theme
from .base import Display

CORNERS = np.array(list(product((0.0, 1.0), repeat=3)))
EDGES = [(i, j) for i, j in combinations(range(8), 2) if np.abs(CORNERS[i] - CORNERS[j]).sum() == 1]
ELEVATION = 20.0
# How the normal of a plane leans to the eye: both its face and its two sides are to be seen.
LEAN = 0.45


def limits_around(points: np.ndarray, pad: float = 0.12) -> np.ndarray:
    """(d, 2), the least and the greatest of each coordinate, padded; never of size 0."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = high - low
    size = np.where(size > 0, size, np.maximum(np.abs(high), 1.0))
    return np.column_stack([low - pad * size, high + pad * size])


def plane_in_box(plane: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Corners in order of the part of a plane that is in a box (3, 2); empty if it misses it."""
    low, size = limits[:, 0], limits[:, 1] - limits[:, 0]
    normal = plane[1:] * size  # in units of the box, so that different scales do no harm
    values = plane[0] + plane[1:] @ low + CORNERS @ normal
    if not normal.any():
        return np.zeros((0, 3))
    found = list(CORNERS[values == 0])
    for i, j in EDGES:
        if values[i] * values[j] < 0:
            share = values[i] / (values[i] - values[j])
            found.append(CORNERS[i] + share * (CORNERS[j] - CORNERS[i]))
    if len(found) < 3:
        return np.zeros((0, 3))
    points = np.array(found)
    across = np.linalg.svd(normal[None, :])[2][1:]  # two directions within the plane
    x, y = across @ (points - points.mean(axis=0)).T
    return points[np.argsort(np.arctan2(y, x))] * size + low


def shape_of(limits: np.ndarray) -> np.ndarray:
    """Lengths of the three axes as drawn: true to scale unless one would be lost beside another."""
    size = limits[:, 1] - limits[:, 0]
    return size / size.max() if size.max() < 3 * size.min() else np.array([1.0, 1.0, 0.85])


def to_eye(azimuth: float, elevation: float = ELEVATION) -> np.ndarray:
    """The direction to the eye, in the lengths of the axes as drawn."""
    a, e = np.radians([azimuth, elevation])
    return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])


def leaning(normal: np.ndarray, limits: np.ndarray, azimuth: float) -> float:
    """Cosine between the normal of a plane as drawn and the direction to the eye."""
    drawn = normal * (limits[:, 1] - limits[:, 0]) / shape_of(limits)
    length = float(np.linalg.norm(drawn))
    return float(drawn @ to_eye(azimuth)) / length if length else 0.0


def azimuth_for(normal: np.ndarray, limits: np.ndarray) -> float:
    """From where to look so that the plane is seen aslant, better from the side of its normal."""
    choices = np.arange(-180.0, 180.0, 5.0)
    leans = np.array([leaning(normal, limits, choice) for choice in choices])
    off = np.abs(np.abs(leans) - LEAN) + 0.05 * (leans < 0)
    usual = np.abs((choices + 55.0 + 180.0) % 360.0 - 180.0) / 2000.0
    along = np.abs((choices + 45.0) % 90.0 - 45.0) < 15.0  # an axis would be seen from its end
    return float(choices[np.argmin(off + usual + 0.15 * along)])


class SpaceDisplay(Display):
    """A figure whose panels are in space, but for those in ``plain``."""

    plain: tuple[int, ...] = ()

    def _panels_of(self, figure: Figure) -> list[Axes]:
        kinds: Any = [None if k in self.plain else "3d" for k in range(self.panels)]
        return [
            figure.add_subplot(*self.grid, k + 1, projection=kind) for k, kind in enumerate(kinds)
        ]

    def _given(self, ax: Any) -> list[Axes]:
        axes = super()._given(ax)
        for k, panel in enumerate(axes):
            if (panel.name == "3d") == (k in self.plain):
                needed = "plain axes" if k in self.plain else 'axes with projection="3d"'
                raise ValueError(
                    f"ax: panel {k} needs {needed}, got {panel.name}: leave ax out for a new figure"
                )
        return axes


class PlaneDisplay(SpaceDisplay):
    """Samples in space, and a plane through the box around them.

    Attributes
    ----------
    weights : the plane w·x = 0, bias first, (4,)
    wrong : which samples are on the wrong side
    points : the samples, (n, 3)
    """

    weights: np.ndarray
    wrong: np.ndarray

    @property
    def points(self) -> np.ndarray:
        raise NotImplementedError

    @property
    def limits(self) -> np.ndarray:
        """The box of the figure, (3, 2)."""
        return limits_around(self.points, 0.08)

    @property
    def plane(self) -> np.ndarray:
        """Corners of the part of the plane in the box, (m, 3); empty if it is beside the box."""
        return plane_in_box(self.weights, self.limits)

    @property
    def azimuth(self) -> float:
        """From where the figure is seen, in degrees."""
        return azimuth_for(self.weights[1:], self.limits)

    @property
    def before(self) -> np.ndarray:
        """Which samples are before the plane, as the figure is seen."""
        w = self.weights
        return (w[0] + self.points @ w[1:]) * leaning(w[1:], self.limits, self.azimuth) > 0

    def _draw_around(self, ax: Any, codes: np.ndarray) -> None:
        """The samples behind the plane, the plane, and those before it."""
        for part, zorder in ((~self.before, 1.0), (self.before, 3.0)):
            theme.scatter(ax, self.points[part], codes[part], zorder=zorder)
        draw_plane(ax, self.plane, theme.GOOD, 0.3, zorder=2)
        theme.ring(ax, self.points[self.wrong])


def space_axes(ax: Any, limits: np.ndarray, names: tuple[str, str, str], azimuth: float) -> None:
    """Quiet axes in space, drawn in the order of zorder."""
    ax.computed_zorder = False
    ax.set_proj_type("ortho")
    ax.view_init(elev=ELEVATION, azim=azimuth)
    shape = shape_of(limits)
    upright = shape[2] / np.linalg.norm(shape)
    ax.set_box_aspect(shape, zoom=0.94 * min(1.0, 0.6 / upright))  # room for names below
    ax.set(xlim=limits[0], ylim=limits[1], zlim=limits[2])
    ax.set(xlabel=theme.name(names[0], 20), ylabel=theme.name(names[1], 20))
    ax.set_zlabel(theme.name(names[2], 20), color=theme.INK, fontsize=theme.TEXT)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
        axis.line.set(color=theme.SOFT, linewidth=0.8)
        axis._axinfo["grid"].update(color=theme.FAINT, linewidth=0.5)
        axis.set_major_locator(MaxNLocator(4))


def draw_plane(ax: Any, corners: np.ndarray, colour: str, strength: float, zorder: float) -> None:
    """A convex polygon in space, so clear that what is behind shows through."""
    if len(corners):
        face = Poly3DCollection([corners], facecolor=colour, edgecolor=colour, lw=0.8)
        face.set(alpha=strength, zorder=zorder)
        ax.add_collection3d(face)


class SpaceArrow(FancyArrowPatch):
    """An arrow from the origin, whose head has its full size from everywhere."""

    def __init__(self, tip: np.ndarray, **look: Any) -> None:
        super().__init__((0, 0), (0, 0), shrinkA=0, shrinkB=0, mutation_scale=14, **look)
        self.tip = tip

    def do_3d_projection(self, renderer: Any = None) -> float:
        """Place the arrow in the picture; called by the axes before they draw."""
        axes: Any = self.axes
        x, y, depth = proj_transform(*np.column_stack([np.zeros(3), self.tip]), axes.get_proj())
        self.set_positions((x[0], y[0]), (x[1], y[1]))
        return float(np.min(depth))


def draw_arrow(ax: Any, tip: np.ndarray, zorder: float) -> None:
    """An arrow from the origin."""
    ax.add_artist(SpaceArrow(tip, arrowstyle="-|>", color=theme.PURPLE, lw=2.2, zorder=zorder))
