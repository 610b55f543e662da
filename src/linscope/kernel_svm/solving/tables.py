"""Tables whose kernel values many binary problems share, and the tasks that solve some of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from queue import SimpleQueue

import numpy as np
import scipy.sparse as sp

from linscope.fitting.training import Problem, binary_problems, pair_problem
from linscope.kernels.rounding import single_error
from linscope.kernels.source import KernelSource
from linscope.kernels.tiles import FeatureTiles, MatrixTiles
from linscope.rows.blocks import borders
from linscope.rows.threads import Workers, thread_count

from ..solvers.compiled import DONE, FIGURES, PAIRS, Bounds, Features
from ..solvers.many_problems import (
    Answers,
    Sorted,
    fill_own,
    fill_whole,
    merge_pairs,
    room_for,
    solve_against_rest,
    solve_class_pairs,
)
from ..solvers.pair_loops import BLOCK
from .one_problem import Fit, Start, box

# Kernel values are float32 from this tolerance on.
SINGLE_TOL = 1e-5
# The Gram matrix of a pair of classes is held up to so many samples.
PAIR = 2048
# Kernel values of a task at least, and rows of a Gram matrix.
VALUES, ROWS = 500_000, 192


class Shared:
    """Problems, their answers, and tasks (first problem, last + 1) for ``solve``."""

    problems: list[Problem]
    answers: Answers
    tasks: list[tuple[int, int]]

    def __init__(self, fit: Fit):
        model, training, self.source = fit.model, fit.training, fit.source
        self.labels, self.codes = training.classes.tolist(), training.codes
        weight = training.weight if len(training.weight) else np.ones(self.source.n)
        self.bounds = Bounds(box(model, self.source, weight), self.source.unit, float(model.tol))
        self.workers = Workers()
        tiles = self.source.tiles(np.float64)
        single = self.source.single and model.tol >= SINGLE_TOL
        self.dtype: np.dtype = np.dtype(np.float64)
        none = np.zeros((0, 0))
        if isinstance(tiles, FeatureTiles):
            self.dtype = np.dtype(np.float32 if single else np.float64)
            bound = single_error(tiles) if single else (0.0, 1.0)
            self.features = Features(tiles.left, tiles.right, tiles.code, tiles.degree, *bound)
            self.given = none
        else:
            self.source.share_gram(self.workers)
            matrix = self.source.tiles(np.float64)
            assert isinstance(matrix, MatrixTiles)
            self.features = Features(none, none, 0, 1, 0.0, 1.0)
            self.given = matrix.K

    def solve(self, task: tuple[int, int]) -> tuple[int, int]:
        """Problems task[0] to task[1]; from any thread."""
        raise NotImplementedError

    # What follows then works in memory that is there already. Else the system would have to hand
    # out new pages, which takes as long as some of the claims.
    def free(self) -> None:
        """Give back what only ``solve`` needs."""

    def bounds_of(self, p: int) -> np.ndarray:
        """C of the samples of a problem."""
        rows = self.problems[p].rows
        return self.bounds.C if rows is None else self.bounds.C[rows]

    def start(self, p: int) -> Start | None:
        """Where to go on with a problem; None where nothing was done."""
        answers = self.answers
        if not answers.figures[p, DONE]:
            return None
        alpha = np.abs(answers.beta[answers.offsets[p] : answers.offsets[p + 1]])
        return Start(alpha, int(answers.figures[p, PAIRS])) if np.isfinite(alpha).all() else None

    def help(self, source: KernelSource) -> None:
        """Hand kernel values to the solver of one problem."""

    def _answers(self, sizes: np.ndarray) -> Answers:
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        total = int(offsets[-1])
        rows, y = np.empty(total, dtype=np.int64), np.empty(total)
        figures = np.zeros((len(sizes), FIGURES))
        return Answers(offsets, rows, y, np.zeros(total), np.zeros(total), figures)


class PairTable(Shared):
    """Each pair of classes."""

    def __init__(self, fit: Fit, counts: np.ndarray):
        super().__init__(fit)
        self.pairs = np.array(list(combinations(range(len(counts)), 2)))
        sizes = counts[self.pairs].sum(axis=1)
        self.answers = self._answers(sizes)
        self.table = self._sorted(counts)
        given = self.pairs, self.table.order, self.table.starts
        self.merged = merge_pairs(*given, self.answers)
        self._list_problems()
        self.tasks = _chunks(sizes)
        self.rooms: SimpleQueue = SimpleQueue()
        largest = room_for(int(sizes[sizes <= PAIR].max(initial=1)))
        for _ in range(self.workers.n_threads):
            self.rooms.put(np.empty(largest, dtype=self.dtype))
        if not len(self.given):
            list(self.workers.map(self._fill_own, borders(len(counts), -(-len(counts) // 8))))

    def _sorted(self, counts: np.ndarray) -> Sorted:
        order = np.argsort(self.codes, kind="stable")
        starts = np.concatenate([[0], np.cumsum(counts)])
        held = np.where(counts + counts.min() <= PAIR, counts, 0)
        blocks = np.concatenate([[0], np.cumsum(held**2)])
        own = np.empty(0 if len(self.given) else int(blocks[-1]), dtype=self.dtype)
        sides = (side.astype(self.dtype, copy=False) for side in self.features[:2])
        left, right = (side.take(order[: len(side)], axis=0) for side in sides)
        return Sorted(order, starts, left, right, own, blocks, self.given)

    def _list_problems(self) -> None:
        cuts = self.answers.offsets.tolist()
        self.problems = [
            pair_problem(self.labels, a, b, self.answers.rows[i:j], self.answers.y[i:j])
            for (a, b), i, j in zip(self.pairs.tolist(), cuts[:-1], cuts[1:], strict=True)
        ]

    def _fill_own(self, classes: tuple[int, int]) -> None:
        fill_own(*classes, self.table, self.features)

    def solve(self, task: tuple[int, int]) -> tuple[int, int]:
        with self._room() as room:
            shared = self.pairs, self.merged, self.table, self.features, self.bounds
            solve_class_pairs(*task, *shared, room, self.answers)
        return task

    def free(self) -> None:
        del self.rooms, self.table, self.merged

    @contextmanager
    def _room(self) -> Iterator[np.ndarray]:
        room = self.rooms.get()
        try:
            yield room
        finally:
            self.rooms.put(room)


class RestTable(Shared):
    """Each class against all others, one if there are two; the whole Gram matrix is held."""

    def __init__(self, fit: Fit):
        super().__init__(fit)
        self.problems = binary_problems(fit.training.classes, self.codes, "ovr")
        n, count = self.source.n, len(self.problems)
        self.answers = self._answers(np.full(count, n))
        self.answers.y[:] = np.concatenate([problem.y for problem in self.problems])
        self.tasks = borders(count, 1)
        size = -(-n // BLOCK) * BLOCK
        self.K = np.empty((n, size), dtype=self.dtype)
        if len(self.given):
            self.K[:, :n], self.K[:, n:] = self.given, 0.0
            return
        left, right = (side.astype(self.dtype, copy=False) for side in self.features[:2])

        def fill(rows: tuple[int, int]) -> None:
            self.K[slice(*rows), n:] = 0.0
            fill_whole(*rows, left, right, self.features, self.K)

        list(self.workers.map(fill, borders(n, ROWS)))

    def solve(self, task: tuple[int, int]) -> tuple[int, int]:
        solve_against_rest(*task, self.K, self.features, self.bounds, self.answers)
        return task

    def help(self, source: KernelSource) -> None:
        source.whole.setdefault(self.dtype, MatrixTiles(self.K, dtype=self.dtype))


def _chunks(sizes: np.ndarray) -> list[tuple[int, int]]:
    """Pairs that are solved in one call: enough to be worth it, and none that is too large."""
    found, first, total = [], 0, 0
    for p, size in enumerate(sizes.tolist()):
        if size > PAIR or total >= VALUES:
            found.append((first, p))
            first, total = p, 0
        if size > PAIR:
            first = p + 1
        total += size**2
    found.append((first, len(sizes)))
    return [(i, j) for i, j in found if i < j]


def shared_table(fit: Fit, limit: float, whole: bool) -> Shared | None:
    """The table for all problems of a fit, if there is memory for it.

    Parameters
    ----------
    fit : a table of K classes
    limit : bytes for kernel values
    whole : whether that is enough for the Gram matrix of all samples
    """
    counts = np.bincount(fit.training.codes, minlength=len(fit.training.classes))
    if counts.min() == 0:
        return None
    if fit.model.multi_class == "ovr" or len(counts) == 2:
        return RestTable(fit) if whole else None
    smallest = np.sort(counts)[:2].sum()
    held = float((counts[counts < PAIR] ** 2).sum()) + thread_count() * 2.0 * PAIR**2
    named = not callable(fit.model.kernel) and not sp.issparse(fit.training.X)
    if smallest > PAIR or 8.0 * held > limit or not (whole or named):
        return None
    return PairTable(fit, counts)
