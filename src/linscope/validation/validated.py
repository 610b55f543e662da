"""What the results of all paths share: scores of folds, the choice, and how claims are verified."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from linscope.data import encode_labels, to_matrix
from linscope.data.given import accepts_dataset
from linscope.fitting.training import read_training
from linscope.reports.page import Report
from linscope.reports.text import aligned
from linscope.results import Check

from .splits import Split


class Given(NamedTuple):
    """The data of a path, read again; ``weight`` with class weights, or None if all are 1."""

    X: Any
    y: np.ndarray
    weight: np.ndarray | None


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class CrossValidated(Report):
    """Scores with the folds along their last axis, and a certificate for every fit."""

    Cs_: np.ndarray
    scores: np.ndarray
    certificates: np.ndarray
    best_index: Any
    best_estimator: Any
    classes_: np.ndarray
    scoring: str
    one_standard_error: bool
    splits: tuple[Split, ...]

    @property
    def mean_score(self) -> np.ndarray:
        return self.scores.mean(axis=-1)

    @property
    def standard_error(self) -> np.ndarray:
        """Of the mean: s / √folds. Folds share rows, so it is a guide, not a confidence limit."""
        return self.scores.std(axis=-1, ddof=1) / np.sqrt(self.scores.shape[-1])

    @property
    def best_score(self) -> float:
        return float(self.mean_score[self.best_index])

    @accepts_dataset
    def verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Check:
        """Recompute what is claimed of every fit from the data alone.

        Parameters
        ----------
        X, y, sample_weight : as they were given to ``path``
        """
        try:
            given = self._read(X, y, sample_weight)
        except (ValueError, TypeError) as error:
            return Check(False, f"these are not the data: {error}")
        if max(split.train.max() for split in self.splits) >= len(given.y):
            return Check(False, f"these are not the data: there are {len(given.y)} rows")
        unfinished = None
        for where, check in self._checks(given):
            if not check.claim_holds:
                return Check(False, f"{where}: {check.reason}")
            if not check and unfinished is None:
                unfinished = Check(False, f"{where}: {check.reason}", claim_holds=True)
        return Check(True, self._summary()) if unfinished is None else unfinished

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Given:
        matrix, _ = to_matrix(X)
        classes, codes = encode_labels(y, n_samples=matrix.shape[0])
        # A clone: reading notes the names of the columns in the estimator.
        training = read_training(clone(self.best_estimator), X, y, sample_weight)
        weight = None
        if len(training.weight):
            weight = np.zeros(len(codes))
            weight[np.setdiff1d(np.arange(len(codes)), training.ignored)] = training.weight
        return Given(matrix, classes[codes], weight)

    def _checks(self, given: Given) -> Iterator[tuple[str, Check]]:
        """Which fit, and what became of its claim."""
        raise NotImplementedError

    def _summary(self) -> str:
        raise NotImplementedError

    def __str__(self) -> str:
        table = self._table()
        *more, verdict = table.footnotes
        return "\n".join([table.title, "", *aligned(table.all_texts()), *more, "", verdict])
