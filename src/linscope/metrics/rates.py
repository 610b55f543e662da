"""The ratios of the notes, from counts.

    precision   TP / (TP + FP)      of what is called positive, how much is
    recall      TP / (TP + FN)      of what is positive, how much is found (sensitivity, TPR)
    specificity TN / (TN + FP)      of what is negative, how much is left alone (TNR)
    FPR         FP / (FP + TN)      1 − specificity
    FNR         FN / (FN + TP)      1 − recall
    F_β         (1 + β²) TP / ((1 + β²) TP + β² FN + FP)

F_β is (1 + β²)·precision·recall/(β²·precision + recall), written so that it is also defined where a
class is there but never predicted: it is 0. A ratio 0/0 is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

AVERAGES = ("macro", "micro", "weighted")
# Ratio -> (the part, the rest of the whole, what it means that there is no whole).
RATIOS = {
    "precision": ("tp", "fp", "no sample is predicted as that class"),
    "recall": ("tp", "fn", "no sample is of that class"),
    "specificity": ("tn", "fp", "every sample is of that class"),
    "fpr": ("fp", "tn", "every sample is of that class"),
    "fnr": ("fn", "tp", "no sample is of that class"),
}


@dataclass(frozen=True, eq=False)
class Counts:
    """TP, FP, FN and TN: numbers for one class, arrays for several."""

    tp: Any
    fp: Any
    fn: Any
    tn: Any

    @classmethod
    def from_matrix(cls, matrix: np.ndarray) -> Counts:
        """Every class against the rest, from C[actual, predicted]."""
        tp = np.diagonal(matrix).copy()
        errors = matrix.copy()
        np.fill_diagonal(errors, 0)
        fn, fp = errors.sum(axis=1), errors.sum(axis=0)
        # Sums of weights are rounded: what is nothing must be exactly 0, not a difference.
        tn = np.where(_outside(matrix > 0) > 0, np.maximum(_outside(matrix), 0), 0)
        return cls(tp, fp, fn, tn)

    def ratio(self, name: str) -> Any:
        part, rest, _ = RATIOS[name]
        return divide(getattr(self, part), getattr(self, part) + getattr(self, rest))

    def fbeta(self, beta: float) -> Any:
        square = beta * beta
        hits = (1 + square) * self.tp
        return divide(hits, hits + square * self.fn + self.fp)

    def of(self, position: int) -> Counts:
        """Of one class."""
        parts = (self.tp, self.fp, self.fn, self.tn)
        return Counts(*(part[position].item() for part in parts))

    def pooled(self) -> Counts:
        """The counts of all classes added: what micro averages are made of."""
        parts = (self.tp, self.fp, self.fn, self.tn)
        return Counts(*(part.sum().item() for part in parts))


def _outside(matrix: np.ndarray) -> np.ndarray:
    """For each class the sum over the other rows and columns."""
    matrix = matrix.astype(np.int64) if matrix.dtype == bool else matrix
    return matrix.sum() - matrix.sum(axis=0) - matrix.sum(axis=1) + np.diagonal(matrix)


def divide(part: Any, whole: Any) -> Any:
    """part/whole, NaN for 0/0, without warnings; a number for numbers.

    >>> divide(1, 2), divide(0, 0)
    (0.5, nan)
    """
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    out = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    np.divide(part, whole, out=out, where=whole > 0)
    return out if out.ndim else float(out)


def mean(values: np.ndarray, weight: np.ndarray | None = None) -> float:
    """The average over the classes where there is a value.

    >>> mean(np.array([1.0, np.nan, 0.5]))
    0.75
    """
    defined = ~np.isnan(values)
    weight = np.ones(len(values)) if weight is None else np.asarray(weight, dtype=np.float64)
    return float(divide(values[defined] @ weight[defined], weight[defined].sum()))
