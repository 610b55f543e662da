"""Scores Σ_j c_j K(x, z_j) of many points, a tile of kernel values at a time, on threads."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from linscope.rows.blocks import borders, take_rows
from linscope.rows.threads import Workers

from .gram import gram
from .kernel_maps import DISTANCE, add_products, map_rows, products
from .rounding import single_error
from .source import KernelSource
from .tiles import FeatureTiles

# Points and vectors of a tile; bytes of dense points a task.
POINTS, VECTORS, BYTES = 256, 1024, 1 << 24
# Float32 values are used if they move no sum by more than this.
ROUGH = 1e-4
# Beyond this an rbf kernel is 0 whatever the width, and squares must not overflow.
FAR = {np.dtype(np.float32): 2.0**40, np.dtype(np.float64): 2.0**200}


class KernelSums:
    """Sums of one kernel over some vectors.

    Parameters
    ----------
    vectors : matrix, m × d
    parts : list of (first vector, last + 1, coefficients of these: one column per sum)
    kernel, gamma, degree, coef0 : the kernel
    """

    def __init__(
        self,
        vectors: Any,
        parts: list[tuple[int, int, np.ndarray]],
        kernel: Any,
        *,
        gamma: float,
        degree: int,
        coef0: float,
        dtype: Any = np.float64,
    ):
        self.vectors, self.parts, self.kernel = vectors, parts, kernel
        self.options: dict[str, Any] = {"gamma": gamma, "degree": degree, "coef0": coef0}
        self.width = sum(coefficients.shape[1] for _, _, coefficients in parts)
        self.dtype = np.dtype(dtype)
        self.tiles = None
        if not callable(kernel):
            self.source = KernelSource(vectors, kernel, **self.options)
            tiles = self.source.tiles(self.dtype)
            if tiles.dtype == np.float32 and self._too_rough(tiles):
                tiles = self.source.tiles(np.float64)
            self.tiles = tiles if isinstance(tiles, FeatureTiles) else None
        if self.tiles is not None:
            self.dtype = self.tiles.dtype

    def _too_rough(self, tiles: Any) -> bool:
        """Whether float32 kernel values would show in the sums."""
        sizes = [np.abs(c).sum(axis=0).max(initial=0.0) for _, _, c in self.parts]
        size = self.source.unit * float(np.max(sizes, initial=0.0))
        return not isinstance(tiles, FeatureTiles) or not single_error(tiles).error * size <= ROUGH

    def __call__(self, points: Any, n_threads: int | None = None) -> np.ndarray:
        """One row per point, the sums of all parts side by side."""
        n, d = points.shape
        out = np.zeros((n, self.width))
        rows = max(16, min(4 * POINTS, BYTES // (8 * max(1, d))))
        work = partial(self._some, points, out)
        with np.errstate(over="ignore", invalid="ignore"):
            for _ in Workers(n_threads).map(work, borders(n, rows)):
                pass
        return out

    def _some(self, points: Any, out: np.ndarray, rows: tuple[int, int]) -> None:
        some = take_rows(points, *rows)
        if self.tiles is None:
            K = gram(some, self.vectors, kernel=self.kernel, **self.options).astype(np.float64)
            at = 0
            for first, stop, coefficients in self.parts:
                width = coefficients.shape[1]
                out[rows[0] : rows[1], at : at + width] = K[:, first:stop] @ coefficients
                at += width
            return
        features = self.tiles.features(self._in_range(some))
        one = len(self.parts) == 1 and self.width == 1
        sums = self._one_sum(features) if one else self._many_sums(features)
        out[rows[0] : rows[1]] = sums

    def _in_range(self, points: Any) -> Any:
        points = points.toarray() if sp.issparse(points) else points
        points = self.source.shared(points)
        if self.kernel == "rbf":
            far = FAR[self.dtype]
            if max(points.max(initial=0.0), -points.min(initial=0.0)) > far:
                points = np.clip(points, -far, far)
        return points

    def _one_sum(self, features: np.ndarray) -> np.ndarray:
        tiles = self.tiles
        assert tiles is not None
        first, stop, coefficients = self.parts[0]
        total = np.zeros(len(features))
        delta = (coefficients[:, 0] * self.source.unit).astype(self.dtype)
        add_products(tiles.left[first:stop], features, tiles.code, tiles.degree, delta, total)
        return total[:, None]

    def _many_sums(self, features: np.ndarray) -> np.ndarray:
        tiles = self.tiles
        assert tiles is not None
        out, at = np.zeros((len(features), self.width)), 0
        for first, stop, coefficients in self.parts:
            scaled = (coefficients * self.source.unit).astype(self.dtype)
            width = scaled.shape[1]
            for top, bottom in borders(len(features), POINTS):
                for a, b in borders(stop - first, VECTORS):
                    T = self._products(tiles.left[first + a : first + b], features[top:bottom])
                    K = np.empty_like(T)
                    map_rows(T, tiles.code, tiles.degree, K, np.arange(len(K)), 0)
                    out[top:bottom, at : at + width] += K @ scaled[a:b]
            at += width
        return out

    def _products(self, vectors: np.ndarray, features: np.ndarray) -> np.ndarray:
        """One row per point."""
        tiles = self.tiles
        assert tiles is not None
        if tiles.code != DISTANCE:
            return features @ vectors.T
        T = np.empty((len(vectors), len(features)), dtype=self.dtype)
        products(vectors, features, tiles.code, T)
        return np.ascontiguousarray(T.T)
