"""The confusion matrix, and what follows from it alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np

from .rates import AVERAGES, RATIOS, Counts, mean


@dataclass(frozen=True, eq=False)
class Averages:
    """One number for all classes; ``None`` where there is no such average.

    Attributes
    ----------
    precision, recall, specificity, fpr, fnr, f1, roc_auc, average_precision
    """

    precision: float
    recall: float
    specificity: float
    fpr: float
    fnr: float
    f1: float
    roc_auc: float | None = None
    average_precision: float | None = None


def _ratio(name: str) -> Callable[[Confusion], Any]:
    return lambda self: self._chosen.ratio(name)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Confusion:
    """C[actual, predicted] and its rates; attributes as in ``Evaluation``."""

    labels: np.ndarray
    positive: Any
    n_samples: int
    rows: str
    matrix: np.ndarray  # C[actual, predicted], whatever ``rows`` says

    @property
    def confusion_matrix(self) -> np.ndarray:
        return self.matrix.T if self.rows == "predicted" else self.matrix

    @cached_property
    def counts(self) -> Counts:
        """TP, FP, FN and TN of every class against the rest."""
        return Counts.from_matrix(self.matrix)

    @cached_property
    def names(self) -> list[str]:
        """The classes as text."""
        return [str(label) for label in self.labels.tolist()]

    @cached_property
    def position(self) -> int | None:
        """Where the positive class is among the labels."""
        if self.positive is None:
            return None
        return self.labels.tolist().index(self.positive)

    @cached_property
    def _chosen(self) -> Counts:
        return self.counts if self.position is None else self.counts.of(self.position)

    @property
    def accuracy(self) -> float:
        return float(np.trace(self.matrix) / self.matrix.sum())

    @property
    def error_rate(self) -> float:
        """(FP + FN)/all, from the errors themselves: 1 − accuracy would be rounded."""
        return float(self.counts.fn.sum() / self.matrix.sum())

    # Of the positive class a number, of all classes an array.
    tp, fp, fn, tn = (property(attrgetter(f"_chosen.{name}")) for name in ("tp", "fp", "fn", "tn"))
    precision, recall, specificity, fpr, fnr = (property(_ratio(name)) for name in RATIOS)
    f1 = property(lambda self: self._chosen.fbeta(1.0))

    @property
    def support(self) -> np.ndarray:
        return self.matrix.sum(axis=1)

    @property
    def macro(self) -> Averages:
        return self._averages("macro")

    @property
    def micro(self) -> Averages:
        return self._averages("micro")

    @property
    def weighted(self) -> Averages:
        return self._averages("weighted")

    def fbeta(self, beta: float, average: str | None = None) -> Any:
        """F_β: recall counts β times as much as precision.

        Parameters
        ----------
        beta : number above 0
        average : None, "macro", "micro" or "weighted"
        """
        if not beta > 0:
            raise ValueError(f"beta must be above 0, got {beta!r}")
        if average is None:
            return self._chosen.fbeta(beta)
        if average not in AVERAGES:
            raise ValueError(f"average={average!r} is unknown: choose from {', '.join(AVERAGES)}")
        if average == "micro":
            return self.counts.pooled().fbeta(beta)
        return mean(self.counts.fbeta(beta), self.support if average == "weighted" else None)

    def _averages(self, kind: str) -> Averages:
        if kind == "micro":
            pooled = self.counts.pooled()
            return Averages(f1=pooled.fbeta(1.0), **{name: pooled.ratio(name) for name in RATIOS})
        weight = self.support if kind == "weighted" else None
        rates = {name: mean(self.counts.ratio(name), weight) for name in RATIOS}
        rates["f1"] = mean(self.counts.fbeta(1.0), weight)
        return Averages(**rates)
