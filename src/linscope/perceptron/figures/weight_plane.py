"""A plane of two weights; the others are held at their values in the current weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.base import Display
from linscope.display.drawing import draw_path
from linscope.display.geometry import Box
from linscope.display.inputs import Samples

from .weight_path import weight_path


class WeightPlane(NamedTuple):
    """Two weights i and j, the others in ``rest``, and the values of all in ``current``."""

    samples: Samples
    pair: tuple[int, int]
    rest: list[int]
    current: np.ndarray
    path: np.ndarray
    fit_intercept: bool

    def facts(self) -> dict[str, Any]:
        """What every figure of the plane stores."""
        i, j = self.pair
        return {
            "path": self.path,
            "axes_names": (f"w{i}", f"w{j}"),
            "held": {f"w{k}": float(self.current[k]) for k in self.rest},
        }

    def box(self) -> Box:
        """A square with the origin and the path well inside."""
        points = np.vstack([np.zeros((1, 2)), self.path])
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        half = 0.68 * float((points.max(axis=0) - points.min(axis=0)).max()) or 1.0
        (x0, y0), (x1, y1) = (middle - half).tolist(), (middle + half).tolist()
        return x0, x1, y0, y1


def read_plane(
    samples: Samples, path: Any, weights: Any, fit_intercept: bool, *, name: str, at: Any = None
) -> WeightPlane:
    """The plane of two weights with a path in it; the others stay at ``at`` or the path's end."""
    full = np.zeros((0, samples.X.shape[1] + 1))
    if path is not None:
        full, model = weight_path(path, samples, name=name)
        fit_intercept = fit_intercept if model is None else model.fit_intercept
    pair = choose_weights(samples, weights, fit_intercept)
    current = full[-1] if len(full) else np.zeros(full.shape[1])
    if at is not None:
        current = np.asarray(at, dtype=np.float64)
        if current.shape != (full.shape[1],):
            raise ValueError(f"at must be {full.shape[1]} weights, bias first, got {at!r}")
    rest = [k for k in range(int(not fit_intercept), len(current)) if k not in pair]
    return WeightPlane(samples, pair, rest, current, full[:, list(pair)], fit_intercept)


def choose_weights(
    samples: Samples, weights: Sequence[int] | None, fit_intercept: bool
) -> tuple[int, int]:
    """The two weights of the plane; by default the last two."""
    last = samples.X.shape[1]
    first = 0 if fit_intercept else 1
    if last - first < 1:
        raise ValueError(
            "a model of one feature without bias has one weight, but weight space needs two: "
            "pass fit_intercept=True"
        )
    pair = (last - 1, last) if weights is None else tuple(int(k) for k in weights)
    if len(pair) != 2 or pair[0] == pair[1] or not all(first <= k <= last for k in pair):
        raise ValueError(
            f"weights must be two different numbers from {first} to {last} "
            f"({'0 is the bias' if fit_intercept else 'there is no bias'}), got {weights!r}"
        )
    return pair[0], pair[1]


@dataclass(eq=False, kw_only=True, repr=False)
class WeightPlaneDisplay(Display):
    """A figure in the plane of two weights.

    Attributes
    ----------
    path : the weights after each update in this plane, (k, 2); may be empty
    axes_names : the two weights, for instance ("w0", "w1")
    held : the other weights and their values, for instance {"w0": 1.0}; empty if there are two
    """

    path: np.ndarray
    axes_names: tuple[str, str]
    held: dict[str, float]

    def _held_at(self, most: int | None = None) -> str:
        shown = [f"{name} = {theme.number(value)}" for name, value in self.held.items()][:most]
        return ", ".join(shown) + (", …" if len(shown) < len(self.held) else "")

    def _draw_path(self, ax: Axes, box: Box) -> list:
        """The path, the axes, and the key entry of the path."""
        draw_path(ax, self.path)
        ax.set(xlim=box[:2], ylim=box[2:], xlabel=self.axes_names[0], ylabel=self.axes_names[1])
        entry = theme.line_entry("path of w, projected" if self.held else "path of w", lw=1.3)
        entry.set(marker="o", markerfacecolor="white", markeredgecolor=theme.INK, markersize=6)
        return [entry] if len(self.path) else []
