"""The angle between the weights and a sample, before and after an update.

    w·x = ‖w‖ ‖x‖ cos α

The score is positive exactly if α < 90°. A sample of class y = ±1 is right if y w·x > 0. If it is
not, the perceptron's update w + η y x turns w towards y x: α shrinks for y = +1 and grows for
y = −1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc

from linscope.display import theme
from linscope.display.base import Display
from linscope.display.drawing import arrow, draw_line
from linscope.display.geometry import Box, corners, half_plane, widened

DOTTED: Any = (0, (1.5, 1.5))


def angle(w: Any, x: Any, y: float = 1, *, eta: float = 1.0, ax: Any = None) -> AngleDisplay:
    """The angle α between w and x, and what an update of the perceptron makes of it.

    Two numbers each are drawn as they are. Of more, the figure is the plane that w and x span, in
    which the update lies as well: lengths and angles in it are the true ones.

    Parameters
    ----------
    w, x : weights and a sample, of the same length
        With a bias, pass the augmented sample, ``[1, x1 … xd]``.
    y : the class of the sample, +1 or −1
    eta : the rate η of the update
    ax : matplotlib axes, two if the sample causes an update, else one; optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.angle([1, 1], [-2, 1])
    <AngleDisplay: The update turns w towards x: α = 108.4° becomes 36.87°>
    >>> ls.plot.angle([1, 1], [0, 1])
    <AngleDisplay: Right, so w stays: α = 45° is below 90°>
    """
    vectors = [np.asarray(vector, dtype=np.float64) for vector in (w, x)]
    for name, vector in zip("wx", vectors, strict=True):
        if vector.ndim != 1 or len(vector) < 2 or not np.isfinite(vector).all():
            raise ValueError(f"{name} must be two finite numbers or more, got {vector!r}")
    if len(vectors[0]) != len(vectors[1]):
        raise ValueError(
            f"w has {len(vectors[0])} numbers and x has {len(vectors[1])}: if w has a bias, put a "
            "1 before x (ls.augment)"
        )
    if not vectors[1].any():
        raise ValueError("x is 0, which has no angle to anything")
    if not all(1e-150 < np.abs(vector).max() < 1e150 for vector in vectors if vector.any()):
        raise ValueError("w·x is beyond the range of floats: scale w and x")
    if y not in (-1, 1):
        raise ValueError(f"y must be +1 or −1, got {y!r}")
    if not 0 < eta < np.inf:
        raise ValueError(f"eta must be a positive number, got {eta!r}")
    return AngleDisplay(w=vectors[0], x=vectors[1], y=int(y), eta=float(eta)).plot(ax)


def between(a: np.ndarray, b: np.ndarray) -> float:
    """The angle between two vectors in degrees; NaN if one is 0.

    2 arctan(‖a − b‖ / ‖a + b‖) of unit vectors keeps all digits, also near 0° and 180°.

    >>> f"{between(np.array([1.0, 0.0]), np.array([1.0, 1e-9])):.8g}"  # the cosine is 1 in floats
    '5.729578e-08'
    """
    if not (a.any() and b.any()):
        return float("nan")
    a, b = (v / np.abs(v).max() for v in (a, b))
    a, b = (v / np.linalg.norm(v) for v in (a, b))
    return float(np.degrees(2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b))))


@dataclass(eq=False, kw_only=True, repr=False)
class AngleDisplay(Display):
    """Weights and a sample with the angle between them, before and after an update.

    Attributes
    ----------
    w, x : the weights before, and the sample
    y, eta : class of the sample (±1), and the rate of the update
    """

    w: np.ndarray
    x: np.ndarray
    y: int
    eta: float

    @property
    def score(self) -> float:
        """w·x."""
        return float(self.w @ self.x)

    @property
    def update(self) -> bool:
        """Whether the sample is wrong; a score of 0 is."""
        return self.y * self.score <= 0

    @property
    def weights(self) -> np.ndarray:
        """One row, or two if there is an update: the weights before and after it."""
        after = [self.w + self.eta * self.y * self.x] if self.update else []
        return np.array([self.w, *after])

    @property
    def angles(self) -> np.ndarray:
        """α in degrees for each row of ``weights``; NaN where they are 0."""
        return np.array([between(w, self.x) for w in self.weights])

    @property
    def basis(self) -> np.ndarray:
        """The two directions of the figure, (2, d): the axes, or x and what w has across it."""
        if len(self.x) == 2:
            return np.eye(2)
        along = self.x / np.abs(self.x).max()
        along /= np.linalg.norm(along)
        across = self.w - (self.w @ along) * along
        across -= (across @ along) * along
        if np.linalg.norm(across) <= 1e-12 * np.linalg.norm(self.w):  # parallel: any will do
            across = np.linalg.svd(along[None, :])[2][1]
        return np.vstack([along, across / np.linalg.norm(across)])

    @property
    def title(self) -> str:
        side = "towards x" if self.y > 0 else "away from x"
        before, after = (_degrees(value) for value in self.angles[[0, -1]])
        if not self.update:
            limit = "below" if self.y > 0 else "above"
            return f"Right, so w stays: α = {before} is {limit} 90°"
        if not self.w.any():
            return f"w = 0 has no direction; the update makes α = {after}"
        if not self.weights[1].any():
            return f"α = {before}, and the update makes w = 0, which has no direction"
        if self.angles[1] == self.angles[0]:
            return f"w and x are on one line: the update leaves α = {before}"
        return f"The update turns w {side}: α = {before} becomes {after}"

    @property
    def grid(self) -> tuple[int, int]:
        return 1, len(self.weights)

    @property
    def size(self) -> tuple[float, float]:
        return (9.6, 5.0) if self.update else (5.2, 5.0)

    @property
    def box(self) -> Box:
        """Limits of the panels: a square with the origin and all vectors."""
        tips = np.vstack([np.zeros((1, 2)), self.weights @ self.basis.T, [self.basis @ self.x]])
        low, high = tips.min(axis=0), tips.max(axis=0)
        pad = 0.22 * float((high - low).max())
        x0, y0, x1, y1 = np.r_[low - pad, high + pad].tolist()
        return widened((x0, x1, y0, y1), 1.0)

    def _draw(self, axes: list[Axes]) -> None:
        names = ["before", "after: w + η y x"] if self.update else [self.title]
        for panel, ax in enumerate(axes):
            self._draw_panel(ax, panel)
            w, alpha = self.weights[panel], self.angles[panel]
            lengths = " · ".join(theme.number(float(np.linalg.norm(v))) for v in (w, self.x))
            text = f"w·x = {theme.number(float(w @ self.x))}"
            if np.isfinite(alpha):
                text += f" = {lengths} · cos {_degrees(alpha)}"
            theme.title_and_key(ax, f"{names[panel]}\n{text}", self._entries(panel), rows=1)

    def _draw_panel(self, ax: Axes, panel: int) -> None:
        box, x = self.box, self.basis @ self.x
        w = self.basis @ self.weights[panel]
        ax.set(xlim=box[:2], ylim=box[2:])
        ax.set_aspect("equal")
        if w.any():
            line = np.r_[0.0, w]
            ax.fill(*half_plane(corners(box), line).T, color=theme.tint(theme.GOOD, 0.13), lw=0)
            draw_line(ax, box, line, color=theme.INK, lw=1.2, ls=theme.DASHED)
            self._draw_arc(ax, w, x)
        if panel == 1:
            self._draw_step(ax)
        aside = 35.0 if x[0] * w[1] >= x[1] * w[0] else -35.0  # names stand outside of the angle
        self._draw_vector(ax, x, "x", theme.class_colour(int(self.y > 0)), -aside)
        if w.any():
            self._draw_vector(ax, w, "w", theme.PURPLE, aside)
        ax.plot(0, 0, "o", color=theme.INK, ms=4, zorder=6)
        if len(self.x) == 2:
            theme.label(ax, "first coordinate", "second coordinate")
        else:
            theme.label(ax, "along x", "across x, in the plane of w and x")

    def _entries(self, panel: int) -> list:
        entries = []
        if self.weights[panel].any():
            entries.append(theme.line_entry("w·x = 0", lw=1.2, ls=theme.DASHED))
            entries.append(theme.region_entry("w·x > 0", theme.GOOD, 0.2))
        if panel == 1:
            entries.append(theme.line_entry("η y x", color=theme.SOFT, lw=1.2, ls=DOTTED))
        return entries

    def _draw_vector(self, ax: Axes, tip: np.ndarray, name: str, colour: str, aside: float) -> None:
        arrow(ax, np.zeros(2), tip, colour, zorder=5, lw=2.4)
        turn = np.radians(aside) + np.arctan2(tip[1], tip[0])
        away = 11 * np.array([np.cos(turn), np.sin(turn)])
        look: Any = {"fontsize": 13, "color": theme.INK, "ha": "center", "va": "center"}
        ax.annotate(
            name, tuple(tip), tuple(away), textcoords="offset points", style="italic", **look
        )

    def _draw_arc(self, ax: Axes, w: np.ndarray, x: np.ndarray) -> None:
        """The angle from w to x, counter-clockwise from the one that comes first."""
        start, end = np.degrees([np.arctan2(*v[::-1]) for v in (w, x)])
        if (end - start) % 360 > 180:
            start, end = end, start
        if (end - start) % 360 < 10:  # no room for it
            return
        radius = 0.12 * (self.box[1] - self.box[0])
        width = 2 * radius
        ax.add_patch(
            Arc((0, 0), width, width, theta1=start, theta2=end, color=theme.INK, lw=1.4, zorder=4)
        )
        middle = np.radians(start + ((end - start) % 360) / 2)
        u, v = 1.35 * radius * np.cos(middle), 1.35 * radius * np.sin(middle)
        ax.text(float(u), float(v), "α", ha="center", va="center", fontsize=13, zorder=6)

    def _draw_step(self, ax: Axes) -> None:
        """The weights before, faint, and the step η y x from there."""
        before, after = self.weights @ self.basis.T
        if before.any():
            arrow(ax, np.zeros(2), before, theme.tint(theme.PURPLE, 0.4), zorder=4, lw=1.6)
        look: Any = {"color": theme.SOFT, "lw": 1.2, "ls": DOTTED, "zorder": 4}
        ax.plot(*np.array([before, after]).T, **look)


def _degrees(value: float) -> str:
    return f"{theme.number(value)}°"
