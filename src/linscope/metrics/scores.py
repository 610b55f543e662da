"""Scores of any shape: what a classifier says beside its prediction.

They are probabilities, or decision values of which larger means more of the class.

    log loss     −(1/n) Σ ln p(true class)
    Brier score  (1/n) Σ (p − [positive])²; with K classes the sum over the classes
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.data.tables import without_mask
from linscope.engines import choose
from linscope.rows.blocks import Block
from linscope.rows.finite import check_finite

from .curves import ScoreCurve, rank

# Rows of probabilities add up to 1 within this, in float32 too.
SUM_TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class Scores:
    """``values`` is (n,), of the positive class, or (n, K), in the order of the classes."""

    values: np.ndarray
    probabilities: bool

    def of(self, code: int) -> np.ndarray:
        """Scores that rise with the chance of one class against the others."""
        if self.values.ndim == 1:
            return self.values
        column = self.values[:, code]
        if self.values.shape[1] > 2 or self.probabilities:
            return np.ascontiguousarray(column)
        # Two discriminant functions are one: g = g_2 − g_1.
        with np.errstate(over="ignore"):
            difference = column - self.values[:, 1 - code]
        check_finite(difference, name="the difference of the two scores")
        return difference

    def curves(self, actual: np.ndarray, codes: list[int], weight: Any) -> dict[int, ScoreCurve]:
        """A curve for each of the classes."""
        return {code: rank(self.of(code), actual == code, weight) for code in codes}

    def predicted(self, positive: int | None) -> np.ndarray:
        """The class with the largest score; of two, the positive one from 1/2 or from 0 on."""
        if self.values.ndim == 2:
            return self.values.argmax(axis=1)
        assert positive is not None
        yes = self.values >= (0.5 if self.probabilities else 0.0)
        return np.where(yes, positive, 1 - positive)

    def losses(self, actual: np.ndarray, positive: int | None, weight: Any) -> tuple[float, float]:
        """The log loss and the Brier score of probabilities."""
        values = self.values if self.values.ndim == 2 else self.values[:, None]
        engine = choose(values, actual, weight)
        logs, squares, total = engine.fold(_block_losses, positive)
        return -float(logs / total) + 0.0, float(squares / total)


def _block_losses(block: Block, positive: int | None) -> tuple[float, float, float]:
    """Σ w ln p(true class), Σ w (p − [true])² and Σ w."""
    P, actual, w = block.X, block.y, block.weight
    if block.weighted:
        used = w > 0
        P, actual, w = P[used], actual[used], w[used]
    else:
        w = np.ones(len(actual))
    if P.shape[1] == 1:
        p = np.where(actual == positive, P[:, 0], 1.0 - P[:, 0])
    else:
        p = np.take_along_axis(P, actual[:, None], axis=1)[:, 0]
    p = p.astype(np.float64)
    if positive is not None:
        squares = (1.0 - p) ** 2
    else:  # Σ_k (p_k − [k is true])² = Σ_k p_k² − 2 p_true + 1
        sizes = np.einsum("ij,ij->i", P, P, dtype=np.float64)
        squares = np.maximum(sizes - 2.0 * p + 1.0, 0.0)
    with np.errstate(divide="ignore"):
        return float(w @ np.log(p)), float(w @ squares), float(w.sum())


def read_scores(scores: Any, n: int, k: int, probabilities: bool | None) -> Scores:
    """Check the shape, and whether the scores are probabilities."""
    values = without_mask(scores, "scores") if isinstance(scores, np.ndarray) else scores
    values = np.asarray(values)
    if values.dtype.kind not in "fiub":
        raise ValueError(f"scores must be numbers, got {values.dtype}")
    values = values.astype(np.float64) if values.dtype not in (np.float32, np.float64) else values
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    _check_shape(values.shape, n, k)
    check_finite(values, name="scores")
    problem = _not_probabilities(values)
    if probabilities and problem:
        raise ValueError(f"scores are not probabilities: {problem}")
    return Scores(values, not problem if probabilities is None else bool(probabilities))


def _check_shape(shape: tuple[int, ...], n: int, k: int) -> None:
    allowed = [(n,), (n, 2)] if k == 2 else [(n, k)]
    if shape in allowed:
        return
    if not shape or shape[0] != n:
        raise ValueError(f"scores must have a row for each of the {n} samples, got shape {shape}")
    wanted = " or ".join(map(str, allowed))
    raise ValueError(
        f"scores have shape {shape}, but {k} classes need {wanted}, columns in the sorted order of "
        "the classes; if the classifier knows more classes, pass labels=estimator.classes_"
    )


def _not_probabilities(values: np.ndarray) -> str | None:
    low, high = float(values.min()), float(values.max())
    if low < 0 or high > 1:
        return f"they go from {low:.6g} to {high:.6g}, outside of 0 … 1"
    if values.ndim == 1:
        return None
    sums = values.sum(axis=1, dtype=np.float64)
    row = int(np.abs(sums - 1.0).argmax())
    if abs(sums[row] - 1.0) > SUM_TOLERANCE:
        return f"row {row} adds up to {sums[row]:.6g}, not 1"
    return None
