"""A look at some rows: shifts and powers of two that bring all columns near 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from linscope.arithmetic.double_double import Pair

PILOT_ROWS = 2048
# Without a shift, sums of squares lose the digits of 1 + (mean / spread)²: at most one here.
MILD_OFFSET = 3.0
MILD_EXPONENT = 100
# The power of two itself must be a float.
MOST_EXPONENT = 1000


@dataclass(frozen=True, eq=False)
class Frame:
    """Shift and powers of two of each column: the features, then the targets."""

    shift: np.ndarray
    exponent: np.ndarray
    n_features: int

    @property
    def features(self) -> slice:
        return slice(0, self.n_features)

    @property
    def targets(self) -> slice:
        return slice(self.n_features, None)

    @cached_property
    def units(self) -> np.ndarray:
        """Powers of two of weights: w_j = 2^units v_j, (1 + d, targets)."""
        features = np.concatenate([[0], self.exponent[self.features]])
        return features[:, None] - self.exponent[self.targets]

    @cached_property
    def offsets(self) -> Pair:
        """[1, shift of the features] as a row."""
        return Pair.of(np.concatenate([[1.0], self.shift[self.features]])[None, :])

    @cached_property
    def back(self) -> Pair:
        """[1, −shift of the features] as a row."""
        return Pair.of(np.concatenate([[1.0], -self.shift[self.features]])[None, :])

    def unshifted(self) -> Frame:
        return Frame(np.zeros_like(self.shift), self.exponent, self.n_features)


@dataclass(frozen=True)
class Pilot:
    """What a look at some rows tells: a frame, and whether the columns may stay as they are."""

    frame: Frame
    mild: bool


def pilot(X: Any, Y: np.ndarray, rows: int | None = PILOT_ROWS, *, centred: bool = True) -> Pilot:
    """Frame from evenly spread rows (all rows: None). Sparse features are not shifted.

    Without an intercept (``centred=False``) nothing is: weights may sit far from the mean of the
    rows, and then sums about it would cancel when the shift is taken back.
    """
    step = 1 if rows is None else max(1, len(Y) // rows)
    mean_y, spread_y, top_y = _location(Y[::step])
    if sparse.issparse(X):
        top = np.zeros(X.shape[1])
        np.maximum.at(top, X.indices, np.abs(X.data, dtype=np.float64))
        mean, spread = np.zeros(X.shape[1]), top
    else:
        mean, spread, top = _location(np.asarray(X[::step], dtype=np.float64))
    shift, top = np.r_[mean, mean_y], np.r_[top, top_y]
    exponent = -np.frexp(np.where(top > 0, top, np.where(shift != 0, np.abs(shift), 1.0)))[1]
    exponent = np.minimum(exponent, MOST_EXPONENT)
    shift = shift if centred else np.zeros_like(shift)
    mild = np.abs(shift) <= MILD_OFFSET * np.r_[spread, spread_y]
    mild &= np.abs(exponent) <= MILD_EXPONENT
    return Pilot(Frame(shift, exponent, X.shape[1]), bool(mild.all()))


def _location(sample: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, standard deviation and largest distance from the mean of each column."""
    with np.errstate(over="ignore", invalid="ignore"):
        size = np.abs(sample).max(axis=0)
        unit = np.ldexp(1.0, np.frexp(np.where(np.isfinite(size), size, 1.0))[1])
        part = sample / unit
        mean = part.mean(axis=0)
        away = part - mean
        top, spread = np.abs(away).max(axis=0), np.sqrt(np.mean(away * away, axis=0))
        mean, spread, top = mean * unit, spread * unit, top * unit
    # NaN and infinity are named by whoever finds the sums are not finite.
    return tuple(np.where(np.isfinite(v), v, 0.0) for v in (mean, spread, top))  # type: ignore
