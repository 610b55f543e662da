"""Gram matrices of one table for many γ, in one or two buffers.

    rbf   K = exp(−γ‖x − z‖²) = 2^(γT)       T = −‖x − z‖² log₂e, worked out once

Other kernels with γ are worked out anew for each; kernels without one, once.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from linscope.kernels.kernel_maps import EXP2, map_rows
from linscope.kernels.rounding import Rounding, gaussian_rounding
from linscope.kernels.source import KernelSource
from linscope.kernels.tiles import Tiles
from linscope.rows.blocks import borders
from linscope.rows.memory_budget import memory_budget
from linscope.rows.threads import Workers

from .pair_loops import BLOCK

# Rows a task: of products, and of distances that become kernel values.
ROWS, TILE_ROWS = 256, 64
# Five folds keep two threads busy only if those of two γ are solved together.
TOGETHER = 2


class Gram(NamedTuple):
    """The kernel of all rows for one γ.

    K : float64, zeros beyond the rows up to a multiple of ``BLOCK``
    unit : the kernel is unit·K
    centre : what was taken off the rows (linear kernel), or None
    rounding : bounds of |K| and of its rounding
    """

    gamma: float
    K: np.ndarray
    rounding: Rounding
    unit: float = 1.0
    centre: np.ndarray | None = None


class Grams:
    """``fill(gammas)`` gives the Gram matrices of the first few, and of fewer if memory is short.

    Parameters
    ----------
    model : SVC, for its kernel and the parameters of it
    X : rows with a positive weight; the square Gram matrix for a precomputed kernel
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
        self.buffers: list[np.ndarray] = []
        self.distances: np.ndarray | None = None
        self.direct, self.size2 = False, 0.0
        self.keep = model._kernel_name == "rbf" and room >= 2.0
        self.most = TOGETHER if room >= 1.0 + TOGETHER else 1

    def fill(self, gammas: list[float]) -> list[Gram]:
        """Their matrices overwrite those of the call before; the first call has all γ."""
        some = gammas[: self.most]
        while len(self.buffers) < len(some):
            self.buffers.append(np.zeros((self.size, self.size)))
        largest = max(gammas)
        return [self._fill(gamma, K, largest) for gamma, K in zip(some, self.buffers, strict=False)]

    def _fill(self, gamma: float, K: np.ndarray, largest: float) -> Gram:
        if self.keep:
            if self.distances is None:
                self.distances = self._all_distances(largest)
            self._run(self._map_distances, gamma, K, TILE_ROWS)
            size = None if self.direct else self.size2 * gamma
            return Gram(gamma, K, gaussian_rounding(size, self.X.shape[1]))
        options = {"gamma": gamma, "degree": self.model.degree, "coef0": self.model.coef0}
        source = KernelSource(self.X, self.model._kernel_name, **options)
        self._run(self._fill_rows, source.tiles(np.float64), K, ROWS)
        self._mirror(K)
        return Gram(gamma, K, source.rounding, source.unit, source.centre)

    def _all_distances(self, largest: float) -> np.ndarray:
        """T of the formula, symmetric, with zeros on its diagonal; good for γ up to ``largest``."""
        wide = KernelSource(self.X, "rbf", gamma=largest)
        self.direct = wide.direct
        source = KernelSource(self.X, "rbf", gamma=1.0)
        source.direct = self.direct
        self.size2 = wide.size / largest
        tiles = source.tiles(np.float64)
        T = np.empty((self.n, self.n))

        def rows(part: tuple[int, int]) -> None:
            T[slice(*part)] = tiles.products(np.arange(*part), slice(0, self.n))

        list(self.workers.map(rows, borders(self.n, ROWS)))
        self._mirror(T)
        np.minimum(T, 0.0, out=T)
        np.fill_diagonal(T, 0.0)
        return T

    def _run(self, work: Any, what: Any, K: np.ndarray, rows: int) -> None:
        list(self.workers.map(partial(work, what, K), borders(self.n, rows)))

    def _map_distances(self, gamma: float, K: np.ndarray, part: tuple[int, int]) -> None:
        assert self.distances is not None
        with np.errstate(over="ignore"):
            t = gamma * self.distances[slice(*part)]
        map_rows(t, EXP2, 1, K, np.arange(*part), 0)

    def _fill_rows(self, tiles: Tiles, K: np.ndarray, part: tuple[int, int]) -> None:
        rows = np.arange(*part)
        tiles.fill(K, rows, rows, slice(0, self.n), 0)

    def _mirror(self, K: np.ndarray) -> None:
        """The part above the diagonal below it too: rounding may differ on the two sides."""
        for first, stop in borders(self.n, ROWS):
            own = K[first:stop, first:stop]
            own[:] = np.triu(own) + np.triu(own, 1).T
            K[stop : self.n, first:stop] = K[first:stop, stop : self.n].T
