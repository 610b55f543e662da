"""Separability of more than two classes: every pair, and each class against the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from linscope.data import Labels
from linscope.data.given import accepts_dataset
from linscope.data.tables import TableLike
from linscope.reports.page import Report
from linscope.reports.table import Column, Row, Table
from linscope.reports.text import aligned
from linscope.results import Check
from linscope.verify.claims import checked, require, require_part

from .reading import read_table
from .verdicts import Verdict

WORDS = {"strict": "yes", "quasi": "boundary", "no": "no"}


@dataclass(frozen=True, eq=False, repr=False)
class ClassTable(Report):
    """Binary verdicts for K classes.

    Attributes
    ----------
    classes : the labels, sorted
    pairwise : (a, b) -> verdict on the samples of a (negative) and b (positive); its row numbers
        count within those samples, ``rows[(a, b)]`` has their numbers in the whole table
    one_vs_rest : a -> verdict on a (True, positive) against all others (False)
    rows : (a, b) -> row numbers of the samples of a and b
    """

    classes: tuple[Any, ...]
    pairwise: dict[tuple[Any, Any], Verdict]
    one_vs_rest: dict[Any, Verdict]
    rows: dict[tuple[Any, Any], np.ndarray]

    @classmethod
    def build(cls, matrix: Any, labels: Labels, binary: Any) -> ClassTable:
        """Ask ``binary(matrix, signs, classes)`` about every pair and every class."""
        classes = tuple(labels.classes.tolist())
        pairwise, rows = {}, {}
        for key, own, y in _pairs(classes, labels.codes):
            rows[key] = own
            pairwise[key] = binary(matrix[own], y, key)
        one_vs_rest = {
            a: binary(matrix, np.where(labels.codes == i, 1.0, -1.0), (False, True))
            for i, a in enumerate(classes)
        }
        return cls(classes, pairwise, one_vs_rest, rows)

    @property
    def separable(self) -> bool:
        """Whether each class is strictly separable from all the others together."""
        return all(self.one_vs_rest.values())

    def __bool__(self) -> bool:
        return self.separable

    @accepts_dataset
    def verify(self, X: TableLike, y: Any = None) -> Check:
        """Check every verdict of both tables from the data alone."""
        return checked(self._claims, X, y)

    def _claims(self, X: TableLike, y: Any) -> str:
        matrix, labels = read_table(X, y)
        classes = tuple(labels.classes.tolist())
        require(classes == tuple(self.classes), f"the classes are {classes}")
        pairs = list(_pairs(classes, labels.codes))
        named = [key for key, _, _ in pairs] == list(self.pairwise)
        require(named, "the pairs are not those of the classes")
        complete = list(self.one_vs_rest) == list(classes)
        require(complete, "one_vs_rest does not have every class")
        for key, own, y_pair in pairs:
            same = key in self.rows and np.array_equal(own, self.rows[key])
            require(same, f"{key}: the rows are others")
            y_own = np.array(key, dtype=object)[(y_pair > 0).astype(np.intp)]
            require_part(str(key), self.pairwise[key].verify(matrix[own], y_own))
        for i, a in enumerate(classes):
            found = self.one_vs_rest[a].verify(matrix, labels.codes == i)
            require_part(f"{a} against the rest", found)
        return f"{len(pairs)} pairs and {len(classes)} one-vs-rest verdicts hold"

    def summary(self) -> str:
        """Which classes are separable, in a sentence or two."""
        alone = [str(a) for a, verdict in self.one_vs_rest.items() if verdict]
        mixed = [f"{a} and {b}" for (a, b), verdict in self.pairwise.items() if not verdict]
        if len(alone) == len(self.classes):
            return "Every class is linearly separable from all the others together."
        first = f"Linearly separable from the rest: {', '.join(alone) or 'no class'}."
        if not mixed:
            return f"{first} Any two classes are linearly separable."
        return f"{first} Pairs that are not: {', '.join(mixed)}."

    def _table(self) -> Table:
        columns = [Column(name, right=True) for name in ["", *map(str, self.classes), "the rest"]]
        rows = [
            Row([str(a), *(self._cell(a, b) for b in self.classes), WORDS[rest.kind]])
            for a, rest in self.one_vs_rest.items()
        ]
        return Table(self.summary(), [], columns, rows, kind="separability")

    def _cell(self, a: Any, b: Any) -> str:
        verdict = self.pairwise.get((a, b), self.pairwise.get((b, a)))
        return "·" if verdict is None else WORDS[verdict.kind]

    def __str__(self) -> str:
        lines = [line.rstrip() for line in aligned(self._table().all_texts())]
        return "\n".join([self.summary(), "Separable?", *lines])


def _pairs(
    classes: Any, codes: np.ndarray
) -> Iterator[tuple[tuple[Any, Any], np.ndarray, np.ndarray]]:
    """((a, b), rows of both, -1 for a and +1 for b)."""
    for i, j in combinations(range(len(classes)), 2):
        own = np.flatnonzero((codes == i) | (codes == j))
        yield (classes[i], classes[j]), own, np.where(codes[own] == j, 1.0, -1.0)
