"""Products of rows of a Gram matrix with coefficients; rows are stored if that pays."""

from __future__ import annotations

import mmap
from functools import partial
from typing import Any

import numpy as np

from linscope.kernels.gaussian import add_rows
from linscope.kernels.kernel_maps import gather
from linscope.kernels.tiles import Tiles
from linscope.rows.blocks import borders
from linscope.rows.threads import Workers

# Every sum is cut into so many tasks, of some columns at least; more would wait for Python.
TASKS, COLUMNS = 4, 640


class KernelRows:
    """Rows of the Gram matrix of ``tiles``.

    Parameters
    ----------
    tiles : source of kernel values
    workers : threads
    capacity : rows that may be stored; the least recently used make room
    """

    def __init__(self, tiles: Tiles, workers: Workers, capacity: int = 0):
        self.tiles, self.workers = tiles, workers
        self.capacity = min(capacity, tiles.n)
        self.store = _lazy_matrix(self.capacity, tiles.n, tiles.dtype)
        self.slot_of = np.full(tiles.n, -1)
        self.row_of = np.full(self.capacity, -1)
        self.used = np.full(self.capacity, -1)
        self.now = 0
        self.square = np.empty(0, dtype=tiles.dtype)

    def block(self, rows: np.ndarray, size: int) -> np.ndarray:
        """K[rows, rows] with zeros around it up to ``size``; the next call may overwrite it."""
        if len(self.square) < size**2:
            self.square = np.empty(size**2, dtype=self.tiles.dtype)
        out = self.square[: size**2].reshape(size, size)
        out[:, len(rows) :] = 0.0
        out[len(rows) :] = 0.0
        fill = partial(self._fill_block, out, rows)
        list(self.workers.map(fill, borders(len(rows), max(64, -(-len(rows) // TASKS)))))
        return out

    def _fill_block(self, out: np.ndarray, rows: np.ndarray, part: tuple[int, int]) -> None:
        places = np.arange(*part)
        slots = self.slot_of[rows[places]]
        known = slots >= 0
        if known.any():
            gather(self.store, slots[known], rows, out, places[known], 0)
        places = places[~known]
        if len(places):
            self.tiles.fill(out, places, rows[places], rows, 0)

    def take(self, stay: np.ndarray, capacity: int) -> KernelRows:
        """The same for some of the samples; what is stored of them stays known."""
        part = KernelRows(self.tiles.take(stay), self.workers, capacity)
        part.square = self.square
        slots = self.slot_of[stay]
        known = np.flatnonzero(slots >= 0)[: part.capacity]
        if len(known):
            places = np.arange(len(known))
            copy = partial(self._copy, slots[known], stay, part.store)
            list(self.workers.map(copy, borders(len(known), max(64, -(-len(known) // TASKS)))))
            part.slot_of[known], part.row_of[places] = places, known
            part.used[places] = self.used[slots[known]]
            part.now = self.now
        return part

    def _copy(
        self, slots: np.ndarray, stay: np.ndarray, store: np.ndarray, part: tuple[int, int]
    ) -> None:
        gather(self.store, slots[slice(*part)], stay, store, np.arange(*part), 0)

    def add_product(self, rows: np.ndarray, delta: np.ndarray, g: np.ndarray) -> None:
        """g += Σ_r delta[r]·K[rows[r], :]."""
        order, missing = self._slots(rows)
        rows, delta = rows[order], delta[order].astype(self.tiles.dtype)
        add = partial(self._add_columns, rows, delta, self.slot_of[rows], missing, g)
        list(self.workers.map(add, borders(self.tiles.n, max(COLUMNS, -(-self.tiles.n // TASKS)))))

    def _slots(self, rows: np.ndarray) -> tuple[np.ndarray, int]:
        """Rows not yet worked out first, and how many these are; each gets a slot if possible."""
        self.now += 1
        slots = self.slot_of[rows]
        known = slots >= 0
        self.used[slots[known]] = self.now
        missing = rows[~known]
        free = np.flatnonzero(self.used < self.now)
        if len(missing) and len(free):
            if len(free) > len(missing):
                oldest = np.argpartition(self.used[free], len(missing) - 1)
                free = free[oldest[: len(missing)]]
            evicted = self.row_of[free]
            self.slot_of[evicted[evicted >= 0]] = -1
            self.slot_of[missing[: len(free)]] = free
            self.row_of[free], self.used[free] = missing[: len(free)], self.now
        return np.argsort(known, kind="stable"), len(missing)

    def _add_columns(
        self,
        rows: np.ndarray,
        delta: np.ndarray,
        slots: np.ndarray,
        missing: int,
        g: np.ndarray,
        part: tuple[int, int],
    ) -> None:
        start, stop = part
        sums = np.zeros(stop - start)
        stored = slots[:missing] >= 0
        if missing and not stored.all():
            some = np.flatnonzero(~stored)
            self.tiles.add_product(rows[some], delta[some], slice(start, stop), sums)
        if stored.any():
            some = np.flatnonzero(stored)
            self.tiles.fill(self.store, slots[some], rows[some], slice(start, stop), start)
        known = slots[slots >= 0]
        if len(known):
            add_rows(self.store, known, delta[slots >= 0], start, stop, sums)
        g[start:stop] += sums


def _lazy_matrix(rows: int, columns: int, dtype: Any) -> np.ndarray:
    """Pages come into being when they are first written.

    NumPy asks for huge pages, whose first writing takes several times as long on virtual machines.
    """
    if rows == 0:
        return np.empty((0, columns), dtype=dtype)
    flags = {}
    if hasattr(mmap, "MAP_PRIVATE"):
        flags = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS}
    memory = mmap.mmap(-1, rows * columns * np.dtype(dtype).itemsize, **flags)
    return np.frombuffer(memory, dtype=dtype).reshape(rows, columns)
