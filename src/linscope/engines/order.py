"""Order statistics of something that each row has, without bringing all of it here.

Floats in their order are whole numbers in theirs. Their digits to the base 2¹² are counted, the
first digit of all rows, then the next of those that share the digits found so far, until few are
left: these are brought here and sorted.
"""

from __future__ import annotations

import numpy as np

from linscope.rows.blocks import Block, blind

from .base import Engine, Task

# So many numbers are sorted here.
FEW = 1 << 18
BITS = 12
LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1


def reached(
    engine: Engine, task: Task, words: tuple, wanted: float, *, weighted: bool = True
) -> float:
    """The least value v such that the rows with values up to v weigh ``wanted`` or more.

    The largest value, if all rows weigh less. Without weights each row counts 1.

    Parameters
    ----------
    engine : the rows
    task, words : what tells the values of a block, looking at no features
    wanted : weight
    weighted : whether the weights of the rows count, if they have any
    """
    low, high, before, shift = LOWEST, HIGHEST, 0.0, 64
    inside, weighted = engine.n_rows, weighted and engine.weighted
    while inside > FEW and shift:
        shift = max(0, shift - BITS)
        weights, counts = engine.fold(_digits, task, words, weighted, low, high, shift)
        sums = before + np.cumsum(weights)
        k = min(int(np.searchsorted(sums, wanted)), int(np.flatnonzero(counts)[-1]))
        before, inside = float(sums[k - 1]) if k else before, int(counts[k])
        low += k << shift
        high = low + (1 << shift) - 1
    values, weights = engine.gather(_between, task, words, weighted, low, high)
    order = np.argsort(values)
    at = int(np.searchsorted(before + np.cumsum(weights[order]), wanted))
    return float(values[order[min(at, len(order) - 1)]])


def _keys(values: np.ndarray) -> np.ndarray:
    """Whole numbers in the order of the floats."""
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.int64)
    return np.where(bits < 0, bits ^ HIGHEST, bits)


@blind
def _digits(block, task: Task, words: tuple, weighted: bool, low: int, high: int, shift: int):
    """Of the rows from low to high: weight and number of those with each value of a digit."""
    keys, size = _keys(task(block, *words)), 1 << BITS
    chosen = np.flatnonzero((keys >= low) & (keys <= high))
    digits = ((keys[chosen] >> shift) - (low >> shift)).astype(np.int64)
    counts = np.bincount(digits, minlength=size)
    if not weighted:
        return counts.astype(np.float64), counts
    return np.bincount(digits, block.weight[chosen], size), counts


@blind
def _between(block: Block, task: Task, words: tuple, weighted: bool, low: int, high: int):
    """Values and weights of the rows from low to high."""
    values = task(block, *words)
    keys = _keys(values)
    chosen = np.flatnonzero((keys >= low) & (keys <= high))
    return values[chosen], block.weight[chosen] if weighted else np.ones(len(chosen))
