"""Gram matrices of one table for many γ, each in the same buffer.

    rbf   K = exp(−γ‖x − z‖²) = 2^(γT)       T = −‖x − z‖² log₂e, worked out once

Other kernels with γ are worked out anew for each; kernels without one, once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.blocks import borders
from ..data.memory import memory_budget
from ..data.threads import Workers
from ..kernels.kernel_maps import EXP2, TILE_ROWS, map_rows
from ..kernels.source import KernelSource
from ..kernels.tiles import Tiles
from ..solvers.smo_loops import BLOCK

ROWS = 256


class Grams:
    """``fill(gamma)`` makes ``K`` the Gram matrix of all rows, in units of ``unit``.

    Parameters
    ----------
    model : SVC, for its kernel and the parameters of it
    X : rows with a positive weight; the square Gram matrix for a precomputed kernel

    Attributes
    ----------
    K : float64, zeros beyond the rows up to a multiple of ``BLOCK``
    unit : the kernel is unit·K
    centre : what was taken off the rows (linear kernel), or None
    """

    def __init__(self, model: Any, X: Any):
        self.model, self.X, self.n = model, X, X.shape[0]
        self.size = -(-self.n // BLOCK) * BLOCK
        limit = memory_budget(model.memory_limit)
        room = limit / (8.0 * self.size**2)
        if room < 1.0:
            raise ValueError(
                f"the Gram matrix of {self.n} rows takes {8e-9 * self.size**2:.3g} GB, more than "
                f"the memory_limit of {1e-9 * limit:.3g} GB: choose on fewer rows, or raise "
                "memory_limit"
            )
        self.workers = Workers()
        self.K = np.zeros((self.size, self.size))
        self.distances: np.ndarray | None = None
        self.unit = 1.0
        self.centre: np.ndarray | None = None
        self.keep = model.kernel == "rbf" and room >= 2.0

    def fill(self, gamma: float) -> None:
        if self.keep:
            if self.distances is None:
                self.distances = self._all_distances()
            self._run(self._map_distances, gamma, TILE_ROWS)
            return
        options = {"gamma": gamma, "degree": self.model.degree, "coef0": self.model.coef0}
        source = KernelSource(self.X, self.model.kernel, **options)
        self.unit, self.centre = source.unit, source.centre
        self._run(self._fill_rows, source.tiles(np.float64), ROWS)
        self._mirror(self.K)

    def _all_distances(self) -> np.ndarray:
        """T of the formula, symmetric, with zeros on its diagonal."""
        tiles = KernelSource(self.X, "rbf", gamma=1.0).tiles(np.float64)
        T = np.empty((self.n, self.n))

        def rows(part: tuple[int, int]) -> None:
            T[slice(*part)] = tiles.products(np.arange(*part), slice(0, self.n))

        list(self.workers.map(rows, borders(self.n, ROWS)))
        self._mirror(T)
        np.minimum(T, 0.0, out=T)
        np.fill_diagonal(T, 0.0)
        return T

    def _run(self, work: Any, what: Any, rows: int) -> None:
        list(self.workers.map(lambda part: work(what, part), borders(self.n, rows)))

    def _map_distances(self, gamma: float, part: tuple[int, int]) -> None:
        assert self.distances is not None
        with np.errstate(over="ignore"):
            t = gamma * self.distances[slice(*part)]
        map_rows(t, EXP2, 1, self.K, np.arange(*part), 0)

    def _fill_rows(self, tiles: Tiles, part: tuple[int, int]) -> None:
        rows = np.arange(*part)
        tiles.fill(self.K, rows, rows, slice(0, self.n), 0)

    def _mirror(self, K: np.ndarray) -> None:
        """The part above the diagonal below it too: rounding may differ on the two sides."""
        for first, stop in borders(self.n, ROWS):
            own = K[first:stop, first:stop]
            own[:] = np.triu(own) + np.triu(own, 1).T
            K[stop : self.n, first:stop] = K[first:stop, stop : self.n].T
