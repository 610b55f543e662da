"""The best bias of given weights for the hinge: a weighted quantile.

    Σ_i c_i max(0, 1 − y_i (s_i + b)),      kinks at b = t_i = y_i − s_i

Its slope is −Σ_{y_i=+1} c_i at b = −∞ and rises by c_i at every kink. So it is 0 where the weights
of the kinks up to b add up to those of the positive class: at one kink, or between two, and then
the middle is taken. The bias of a support vector machine need not be unique; this one is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.engines import Engine
from linscope.engines.order import reached
from linscope.rows.blocks import Block, blind

# Sums of weights that differ by less, relatively, are equal.
EQUAL = 1e-12


def hinge_bias(engine: Engine, kinks: Any, *words: Any) -> float | None:
    """The middle of all b that minimise the sum; None if all rows are of one class.

    Parameters
    ----------
    engine : the rows with labels −1.0 and +1.0, and their weights
    kinks, words : the task that tells y − w·x of each row of a block, looking at no features
    """
    wanted, everything = engine.fold(_weights)
    if wanted in (0.0, everything):
        return None
    more = np.nextafter(wanted + EQUAL * everything, np.inf) if engine.weighted else wanted + 1.0
    less = wanted - EQUAL * everything if engine.weighted else wanted
    low, high = (reached(engine, kinks, words, weight) for weight in (less, more))
    return 0.5 * low + 0.5 * high


def bias_of_slopes(engine: Engine, slopes: Any, *words: Any) -> float | None:
    """The same of rows whose w·x a task with features tells."""
    engine.keep("slopes", _keep_slopes, slopes, words)
    try:
        return hinge_bias(engine, _kinks)
    finally:
        engine.forget("slopes")


@blind
def _weights(block: Block) -> tuple[float, float]:
    """Σ c of the positive rows, and of all."""
    own = block.weight if block.weighted else np.ones(len(block.y))
    return float(own[block.y > 0].sum()), float(own.sum())


def _keep_slopes(block: Block, slopes: Any, words: tuple) -> tuple[np.ndarray, int]:
    return slopes(block, *words), 0


@blind
def _kinks(block: Block) -> np.ndarray:
    return block.y - block.kept["slopes"]
