"""A look at some rows: shifts and powers of two that bring all columns near 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linscope._compiling import kernel
from linscope.arithmetic.double_double import Pair, product

from .blocks import Largest
from .operations import as_rows

# Rows that are looked at: fewer of many columns, but some.
PILOT_ROWS, PILOT_NUMBERS, FEWEST_ROWS = 2048, 1 << 18, 64
# Without a shift, sums of squares lose the digits of 1 + (mean / spread)²: at most one here.
MILD_OFFSET = 3.0
MILD_EXPONENT = 100
# The power of two itself must be a float.
MOST_EXPONENT = 1000


@dataclass(frozen=True, eq=False)
class Frame:
    """Shift m and powers of two k of each column: the features, then the targets.

    Weights v in the frame are weights w of the table in its own units:

        w_j = 2^(k_j − k_y) v_j          w_0 = m_y + 2^−k_y v_0 − Σ_j m_j w_j

    Terms of the bias may cancel, so they are added in double-double.
    """

    shift: np.ndarray
    exponent: np.ndarray
    n_features: int

    @cached_property
    def features(self) -> slice:
        return slice(0, self.n_features)

    @cached_property
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

    @cached_property
    def levels(self) -> Pair:
        """The shift of the targets as a row."""
        return Pair.of(self.shift[None, self.targets])

    def weights(self, v: Pair) -> Pair:
        """w (1 + d, targets) of v, bias first."""
        with np.errstate(over="ignore", invalid="ignore"):
            w = v.scaled(self.units)
            bias = product(self.back, w, self.levels)
        w.hi[0], w.lo[0] = bias.hi[0], bias.lo[0]
        return w

    def inside(self, w: Pair) -> Pair:
        """v of weights w (1 + d, targets): v_0 = 2^k_y (w_0 + Σ_j m_j w_j − m_y)."""
        bias = product(self.offsets, w, self.levels.minus())
        v = Pair(w.hi.copy(), w.lo.copy())
        v.hi[0], v.lo[0] = bias.hi[0], bias.lo[0]
        return v.scaled(-self.units)

    def unshifted(self) -> Frame:
        return Frame(np.zeros_like(self.shift), self.exponent, self.n_features)


@dataclass(frozen=True)
class Pilot:
    """What a look at some rows tells: a frame, and whether the columns may stay as they are."""

    frame: Frame
    mild: bool


def look(
    engine: Any,
    *,
    everywhere: bool = False,
    centred: bool = True,
    targets: bool = True,
    tops: np.ndarray | None = None,
) -> Pilot:
    """Frame from some rows of an engine, or from all. Sparse features are not shifted.

    Without an intercept (``centred=False``) nothing is: weights may sit far from the mean of the
    rows, and then sums about it would cancel when the shift is taken back. Without ``targets``
    only the features are looked at. ``tops`` are the ``column_tops``, if somebody has them.
    """
    d, t = (0 if engine.is_sparse else engine.n_features), engine.n_targets if targets else 0
    if everywhere:
        found = _everywhere(engine, d, t)
    else:
        rows = min(PILOT_ROWS, max(FEWEST_ROWS, PILOT_NUMBERS // max(1, d + t)))
        found = _location(_columns(engine.some(rows), d, t))
    if engine.is_sparse:
        top = column_tops(engine) if tops is None else tops
        found = tuple(np.r_[a, b] for a, b in zip((0.0 * top, top, top), found, strict=True))
    return _pilot(*found, engine.n_features, centred)


def column_tops(engine: Any) -> np.ndarray:
    """The largest |x| of each column of sparse rows; NaN where a number is not one."""
    with np.errstate(invalid="ignore"):
        return engine.fold(_block_tops).value


def _everywhere(engine: Any, d: int, t: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``_location`` of the first d features and the targets, by passes over all rows."""
    with np.errstate(over="ignore", invalid="ignore"):
        size = engine.fold(_block_sizes, d, t).value
        unit = _unit(size)
        mean = engine.fold(_block_sums, d, t, unit) / engine.n_rows
        top, squares = engine.fold(_block_distances, d, t, unit, mean)
        return _finite(mean * unit, np.sqrt(squares / engine.n_rows) * unit, top.value * unit)


def _columns(block: Any, d: int, t: int) -> np.ndarray:
    """The first d features and t targets; the features as they are, if those are all."""
    whole = t == 0 and d == block.X.shape[1] and block.X.dtype == np.float64
    if whole and block.X.flags.writeable:  # compiled loops know no others
        return np.ascontiguousarray(block.X)
    out = np.empty((block.X.shape[0], d + t))
    if d:
        out[:, :d] = block.X[:, :d]
    if t:
        out[:, d:] = block.y
    return out


def _block_sizes(block: Any, d: int, t: int) -> Largest:
    return Largest(np.abs(_columns(block, d, t)).max(axis=0, initial=0.0))


def _block_sums(block: Any, d: int, t: int, unit: np.ndarray) -> np.ndarray:
    return (_columns(block, d, t) / unit).sum(axis=0)


def _block_distances(
    block: Any, d: int, t: int, unit: np.ndarray, mean: np.ndarray
) -> tuple[Largest, np.ndarray]:
    away = np.abs(_columns(block, d, t) / unit - mean)
    return Largest(away.max(axis=0, initial=0.0)), (away * away).sum(axis=0)


def _block_tops(block: Any) -> Largest:
    """The largest |x| of each column of sparse rows."""
    top = np.zeros(block.X.shape[1])
    rows: Any = as_rows(block.X)
    _sparse_sizes(rows.data, rows.indices, top)
    return Largest(top)


@kernel
def _sparse_sizes(data, indices, size):
    for p in range(len(data)):
        x, j = abs(data[p]), np.uint64(indices[p])
        if x > size[j] or x != x:  # NaN stays
            size[j] = x


def _pilot(shift, spread, top, d: int, centred: bool) -> Pilot:
    exponent = -np.frexp(np.where(top > 0, top, np.where(shift != 0, np.abs(shift), 1.0)))[1]
    exponent = np.minimum(exponent, MOST_EXPONENT)
    shift = shift if centred else np.zeros_like(shift)
    mild = np.abs(shift) <= MILD_OFFSET * spread
    mild &= np.abs(exponent) <= MILD_EXPONENT
    return Pilot(Frame(shift, exponent, d), bool(mild.all()))


def _location(sample: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, standard deviation and largest distance from the mean of each column."""
    with np.errstate(over="ignore", invalid="ignore"):
        size, mean, squares, top = np.zeros((4, sample.shape[1]))
        _sizes(sample, size)
        unit = np.maximum(_unit(size), np.finfo(float).tiny)  # its inverse is exact, too
        _measure(sample, 1.0 / unit, mean, squares, top)
        return _finite(mean * unit, np.sqrt(squares / len(sample)) * unit, top * unit)


@kernel
def _sizes(sample, size):
    """max |x| of columns, in a third of the time that NumPy takes along the first axis."""
    for i in range(sample.shape[0]):
        for j in range(sample.shape[1]):
            x = abs(sample[i, j])
            size[j] = x if x > size[j] else size[j]


@kernel(error_model="numpy")
def _measure(sample, inverse, mean, squares, top):
    """Mean, Σ (x − mean)² and max |x − mean| of columns in units that are given as 1/unit."""
    n, d = sample.shape
    for i in range(n):
        for j in range(d):
            mean[j] += sample[i, j] * inverse[j]
    for j in range(d):
        mean[j] /= n
    for i in range(n):
        for j in range(d):
            away = abs(sample[i, j] * inverse[j] - mean[j])
            squares[j] += away * away
            top[j] = away if away > top[j] else top[j]


def _unit(size: np.ndarray) -> np.ndarray:
    return np.ldexp(1.0, np.frexp(np.where(np.isfinite(size), size, 1.0))[1])


def _finite(*found: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    # NaN and infinity are named by whoever finds the sums are not finite.
    return tuple(np.where(np.isfinite(v), v, 0.0) for v in found)  # type: ignore
