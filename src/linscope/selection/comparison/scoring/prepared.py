"""Every outer fold's table as the models see it: encoded once, from its training rows alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linscope.data.question import Question
from linscope.validation.preparation import preparation
from linscope.validation.splits import Split

from .fits import Training
from .folds import Rows

# Encoded folds are kept up to so many bytes in all; beyond, each model has them made again.
MOST_BYTES = 400_000_000


class Prepared(NamedTuple):
    """Training rows, held-out rows and their targets; the first ``numeric`` columns are numbers."""

    training: Training
    X: Any
    y: np.ndarray
    numeric: int


class PreparedFolds:
    """The outer folds of a question, by number."""

    def __init__(self, question: Question, target: np.ndarray, rows: Rows, splits: list[Split]):
        self.question, self.target, self.rows, self.splits = question, target, rows, splits
        self._kept: dict[int, Prepared] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self.splits)

    def __getitem__(self, number: int) -> Prepared:
        if number in self._kept:
            return self._kept[number]
        train, test = self.splits[number]
        found = self.prepare(train, test)
        size = _bytes(found.training.X) + _bytes(found.X)
        if self._bytes + size <= MOST_BYTES:
            self._bytes += size
            self._kept[number] = found
        return found

    def prepare(self, train: np.ndarray, test: np.ndarray) -> Prepared:
        """These rows, encoded and standardised by what the first of them hold."""
        steps = preparation(self.question, scale=True, reference=True)
        with np.errstate(over="ignore", invalid="ignore"):  # said below, in words
            seen = _ready(steps.fit_transform(self.question.X[train]))
        if not np.isfinite(seen.data if sp.issparse(seen) else seen).all():
            raise ValueError(
                "the table has numbers that are too large to standardise (beyond about 1e150): "
                "divide such columns by a constant first"
            )
        training = Training(seen, self.target[train], self.rows.take(train))
        held = _ready(steps.transform(self.question.X[test]))
        return Prepared(training, held, self.target[test], numeric_width(steps, self.question))


def numeric_width(steps: Any, question: Question) -> int:
    """How many columns of numbers a fitted preparation puts first."""
    if sp.issparse(question.X):
        return 0
    place = steps.output_indices_.get("numbers", slice(0, 0))
    return place.stop - place.start


def _ready(X: Any) -> Any:
    return X.tocsr() if sp.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)


def _bytes(X: Any) -> int:
    return X.data.nbytes + X.indices.nbytes if sp.issparse(X) else X.nbytes
