"""Columns that seem to be combinations of others: duplicates, full sets of indicators, totals.

Such a column adds no direction, so a proof about the others is a proof about all. The Gram matrix
of some rows suggests the combination; all rows decide (``fitting.relations``).
"""

from __future__ import annotations

import numpy as np

from linscope.rows.blocks import Block
from linscope.verify.relations import MOST_ULPS

from ..solvers.multinomial import Frame, Multinomial

NOTHING_LEFT = 1e-10
# Smaller terms take no part, relative to the column: of numbers in float64, in float32.
NO_PART, NO_PART_32 = 1e-9, 1e-5
MOST_ROWS = 20_000


def constant(frame: Frame) -> dict[int, dict[int, float]]:
    """The relations of constant columns; without a bias, of those that are 0."""
    found = np.setdiff1d(np.arange(len(frame.low)), frame.changing).tolist()
    values = [float(frame.low[j]) for j in found]
    return {j: {j: -1.0} | ({-1: v} if v else {}) for j, v in zip(found, values, strict=True)}


def nearly_constant(frame: Frame, ulp: float) -> dict[int, dict[int, float]]:
    """Guesses: columns that are constant up to rounding, if there is a bias."""
    middle, width = frame.low / 2 + frame.high / 2, frame.high - frame.low
    few = (width > 0) & (width <= 4 * MOST_ULPS * ulp * np.abs(middle)) & frame.intercept
    return {j: {-1: float(middle[j])} for j in np.flatnonzero(few).tolist()}


def suspects(model: Multinomial, single: bool) -> dict[int, dict[int, float]]:
    """Columns that may be combinations of the constant and earlier ones, and these in floats."""
    part, frame = model.some(MOST_ROWS), model.frame
    p, first = frame.p, int(model.intercept)
    pivots = _pivots(part.at(np.zeros(model.shape)).information[:p, :p])
    Z = part.engine.gather(_coordinates, frame)
    size, shift = np.r_[np.ones(first), frame.scale], np.r_[np.zeros(first), frame.shift]
    found: dict[int, dict[int, float]] = {}
    for j in np.setdiff1d(np.arange(first, p), pivots).tolist():
        factors = np.linalg.lstsq(Z[:, pivots], Z[:, j], rcond=None)[0] * size[j] / size[pivots]
        terms = np.abs(factors) * size[pivots]
        used = terms > (NO_PART_32 if single else NO_PART) * size[j]
        guess = {
            int(k) - first: float(c)
            for k, c in zip(pivots[used], factors[used], strict=True)
            if k >= first
        }
        if first:
            guess[-1] = float(factors[0] + shift[j] - factors[1:] @ shift[pivots[1:]])
        found[j - first] = guess
    return found


def _pivots(gram: np.ndarray) -> np.ndarray:
    """Columns that are not combinations of earlier ones, by Cholesky's elimination."""
    left, kept = gram.copy(), []
    for j in range(len(gram)):
        if left[j, j] > NOTHING_LEFT * gram[j, j]:
            kept.append(j)
            left -= np.outer(left[:, j], left[j]) / left[j, j]
    return np.array(kept)


def _coordinates(block: Block, frame: Frame) -> np.ndarray:
    return frame.rows(block.X)
