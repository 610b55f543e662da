"""Two weights that may move, and the others, which are held; nothing is drawn here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linscope.display.geometry import Box
from linscope.display.inputs import Samples


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
