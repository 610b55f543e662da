"""What the checks look at, prepared once for all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linscope.rows.row_hashes import row_keys

# Relations between columns are looked for in so many rows, then verified in all.
MOST_ROWS, MOST_ENTRIES = 20_000, 10_000_000
# More columns than this are not compared with each other.
MOST_COLUMNS = 1_500


class RawColumn(NamedTuple):
    """A column that the models do not see: numbers, or texts with None where missing."""

    name: str
    kind: str
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class Subject:
    """The question, what was tried, how it was judged, and the fits (see ``run_checks``)."""

    question: Any
    candidates: tuple[Any, ...]
    plan: Any
    fitted: Any
    shared: dict[str, Any] = field(default_factory=dict)

    @property
    def X(self) -> Any:
        return self.question.X

    @property
    def n(self) -> int:
        return self.X.shape[0]

    @property
    def classification(self) -> bool:
        return self.question.task != "number"

    @property
    def names(self) -> list[str]:
        return [str(name) for name in self.question.names]

    @property
    def numeric(self) -> list[int]:
        return [int(j) for j in self.question.numeric]

    @cached_property
    def target(self) -> str:
        """The name of the target."""
        named = [column.name for column in self.question.columns if column.role == "target"]
        return named[0] if named else "the target"

    @cached_property
    def _coded(self) -> tuple[tuple[str, ...], np.ndarray]:
        found, inverse = np.unique(np.asarray(self.question.y), return_inverse=True)
        if not self.classification:
            return (), inverse.ravel()
        texts = [str(label) for label in found.tolist()]
        order = [str(label) for label in self.question.classes or ()]
        if sorted(order) != sorted(texts):
            order = texts
        place = np.array([order.index(text) for text in texts])
        return tuple(order), place[inverse.ravel()]

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes in the order of the models; of two the second is positive."""
        return self._coded[0]

    @property
    def codes(self) -> np.ndarray:
        """(n,) the number of each row's class; for numbers, the rank among the distinct ones."""
        return self._coded[1]

    @cached_property
    def counts(self) -> np.ndarray:
        """Rows of each class."""
        return np.bincount(self.codes, minlength=len(self.classes))

    @cached_property
    def _by_column(self) -> Any:
        return sp.csc_array(self.X) if sp.issparse(self.X) else self.X

    def column(self, j: int) -> np.ndarray:
        """(n,) one column of X."""
        if sp.issparse(self.X):
            return self._by_column[:, [j]].toarray().ravel()
        return np.asarray(self._by_column[:, j], dtype=np.float64)

    @property
    def affordable(self) -> bool:
        """Whether every column may be looked at as a dense one."""
        return not sp.issparse(self.X) or self.n * self.X.shape[1] <= 4 * MOST_ENTRIES

    @cached_property
    def sample(self) -> np.ndarray:
        """Some rows, in order: all, if they are few."""
        most = min(MOST_ROWS, max(MOST_ENTRIES // max(self.X.shape[1], 1), 100))
        if self.n <= most:
            return np.arange(self.n)
        rng = np.random.default_rng(self.plan.seed)
        return np.sort(rng.choice(self.n, most, replace=False))

    @cached_property
    def standard(self) -> tuple[np.ndarray, list[int]]:
        """(rows of the sample, columns) with mean 0 and variance 1, and which columns they are.

        Only numbers that are not constant; a missing value counts as the mean.
        """
        if not 0 < len(self.numeric) <= MOST_COLUMNS:
            return np.empty((len(self.sample), 0)), []
        part = self.X[self.sample][:, self.numeric]
        Z = part.toarray() if sp.issparse(part) else np.array(part, dtype=np.float64)
        Z = standardised(Z)
        moves = np.flatnonzero(Z.any(axis=0))
        return np.ascontiguousarray(Z[:, moves]), [self.numeric[k] for k in moves]

    @cached_property
    def copies(self) -> np.ndarray:
        """(n,) a number for each row, the same for rows whose features are equal."""
        return np.unique(row_keys(self.X), return_inverse=True)[1].ravel()

    @cached_property
    def unseen(self) -> list[RawColumn]:
        """The columns that were left out, in the rows of X."""
        rows, raw = self.question.rows, self.question.table.columns
        return [
            RawColumn(column.name, column.kind, np.asarray(raw[column.name])[rows])
            for column in self.question.columns
            if column.role == "left out" and column.name in raw
        ]

    @property
    def folds(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """(train, test) of the first repeat; none if they are not at hand."""
        return list(getattr(self.fitted, "folds", None) or ())

    @cached_property
    def encoded(self) -> Any:
        """What the models see, and the names of its columns; None if not at hand."""
        matrix = getattr(self.fitted, "encoded", None)
        return None if matrix is None else (matrix, [str(name) for name in self.fitted.names])

    @property
    def width(self) -> int:
        """How many columns the models see."""
        return self.X.shape[1] if self.encoded is None else self.encoded[0].shape[1]


def missing(values: np.ndarray) -> np.ndarray:
    """Where a raw column has no value."""
    if values.dtype == object:
        return np.array([value is None or value != value for value in values], dtype=bool)
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)


def extremes(X: Any, codes: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """(K, p) the least and the largest value of each class and column, missing ones left out."""
    low, high = [], []
    for k in range(n_classes):
        part = X[np.flatnonzero(codes == k)]
        if sp.issparse(part):
            low.append(part.min(axis=0).toarray().ravel())
            high.append(part.max(axis=0).toarray().ravel())
        else:
            low.append(np.fmin.reduce(part, axis=0))
            high.append(np.fmax.reduce(part, axis=0))
    return np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)


def standardised(Z: np.ndarray) -> np.ndarray:
    """Each column with mean 0 and variance 1; zeros for a constant one and for missing values.

    A power of two brings the column to the size of 1 first, so that squares neither overflow nor
    vanish. A spread of rounding errors only is none.
    """
    size = np.fmax.reduce(np.abs(Z), axis=0)
    size = np.where(np.isfinite(size), size, 0.0)
    Z = np.ldexp(Z, -np.frexp(size)[1])
    here = ~np.isnan(Z)
    Z = np.where(here, Z, 0.0)
    count = np.maximum(here.sum(axis=0), 1)
    Z = np.where(here, Z - Z.sum(axis=0) / count, 0.0)
    spread = np.sqrt(np.einsum("ij,ij->j", Z, Z) / count)
    moves = spread > 1e-14
    return np.where(moves, Z / np.where(moves, spread, 1.0), 0.0)
