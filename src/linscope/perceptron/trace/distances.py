"""The criterion of a perceptron as distances.

    J_p(w) = Σ_{i ∈ M} c_i (b − y_i w·x_i) = ‖w‖ Σ_{i ∈ M} c_i d_i
    d_i = (b − y_i w·x_i) / ‖w‖

M are the mistakes, b the margin (usually 0) and c_i the weights (usually 1): d_i is how far sample
i is beyond the hyperplane w·x = 0 (x augmented). For w = 0 there is no hyperplane, no distance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.data.frames import join, to_backend
from linscope.reports.cells import number, vectors
from linscope.reports.page import LongTable
from linscope.reports.table import Column, Row, Table, shortened
from linscope.tracing.derivation_numbers import root
from linscope.tracing.replay import WEIGHTS

# Vectors that are looked at; more are not something to read.
MOST_VECTORS = 10_000


class Distances(LongTable):
    """How far each misclassified sample is from the hyperplane, after each update.

    Attributes
    ----------
    updates : how many updates had made each vector (0: the first weights)
    norms : ‖w‖ of each
    totals : Σ d, the sum of the distances of its mistakes; NaN for w = 0
    criterion : J_p = ‖w‖ Σ d
    """

    def __init__(self, replay: Any, updates: tuple[int, int] | None, names: Any) -> None:
        if not replay.weight_names:
            raise ValueError("only a linear kernel has weights, and distances in the features")
        first, last = replay.update_range(updates)
        first += updates is not None  # the vectors that these updates made, not the one before
        if last - first >= MOST_VECTORS:
            raise ValueError(f"at most {MOST_VECTORS:,} vectors are shown: choose updates=(a, b)")
        states = replay.states(first, last)
        self.updates, self._weights = np.arange(first, last + 1), replay.weights(states)
        wrong, m = replay.judged(states)
        self.criterion = replay.criterion(states)
        self.norms = np.array([root(w.dot(w)) for w in self._weights])
        self._rows = [np.flatnonzero(row) for row in wrong]
        self._excess = [
            replay.unscaled(replay.margin - m[k, rows]) for k, rows in enumerate(self._rows)
        ]
        self._replay, self._names = replay, names
        self.totals = np.array([self._total(k) for k in range(len(self.updates))])

    def _distances(self, k: int) -> np.ndarray:
        if not self.norms[k]:
            return np.full(len(self._rows[k]), np.nan)
        return self._excess[k] / self.norms[k]

    def _weight(self, k: int) -> Any:
        c = self._replay.c
        return c if np.ndim(c) == 0 else c[self._rows[k]]

    def _total(self, k: int) -> Any:
        return (self._weight(k) * self._distances(k)).sum()

    def to_frame(self, *, backend: str | None = None) -> Any:
        """One row per update and mistake: ``k``, ``sample``, ``excess`` (b − y w·x), ``distance``,
        and of the vector ``norm`` and ``criterion``."""
        parts = []
        for k, rows in enumerate(self._rows):
            part = {"k": np.full(len(rows), self.updates[k])}
            part |= {"sample": self._replay.row_numbers[rows], "excess": self._excess[k]}
            part |= {"distance": self._distances(k)}
            part |= {"norm": np.full(len(rows), self.norms[k])}
            parts.append(part | {"criterion": np.full(len(rows), self.criterion[k])})
        return to_backend(join(parts), backend)

    def __repr__(self) -> str:
        count = sum(map(len, self._rows))
        return f"<distances of {count:,} mistakes of {len(self.updates):,} vectors>"

    def _table(self, most: int | None) -> Table:
        excess = r"-y\,\mathbf{w}\cdot\mathbf{x}"
        if self._replay.margin:
            excess = "b " + excess
        columns = [
            Column.formula("k"),
            WEIGHTS,
            Column("mistake"),
            Column.formula(excess),
            Column.formula("d"),
            Column.formula(r"\|\mathbf{w}\|"),
            Column.formula(r"\sum d"),
            Column.formula("J_p"),
        ]
        rows = [row for k in range(len(self.updates)) for row in self._block(k)]
        shown = shortened(0, len(rows), most, lambda a, b: rows[a:b], len(columns), place=1)
        d = f"({number(self._replay.margin)} − y w·x)" if self._replay.margin else "|w·x|"
        said = [f"after update k: every mistake, its distance d = {d}/‖w‖, and J_p = ‖w‖ Σ d"]
        if len(self._replay.solver.samples.weight):
            said.append("Σ d and J_p count each sample by its weight")
        return Table("criterion and distances", said, columns, shown)

    def _block(self, k: int) -> list[Row]:
        """One vector: a row for each of its mistakes, the sums in the first."""
        rows, weights = self._rows[k], vectors(self._weights[k : k + 1])[0]
        sums = [self.norms[k], _or_dash(self.totals[k]), self.criterion[k]]
        names = self._replay.given_names(rows, self._names) or ["none"]
        excess, distances = [*self._excess[k]] or [None], [*map(_or_dash, self._distances(k))]
        out = []
        for i, (name, more, d) in enumerate(zip(names, excess, distances or [None], strict=True)):
            first = [self.updates[k], weights] if i == 0 else [None, None]
            last = sums if i == 0 else [None, None, None]
            out.append(Row([*first, str(name), more, d, *last], first=i == 0))
        return out


def _or_dash(value: Any) -> Any:
    return "–" if value != value else value
