"""J and its gradient over row blocks: what every gradient rule asks of the data.

J(w)   =  Σ_i c_i f(w·x_i, y_i)  +  ½ α Σ_{j≥1} w_j²
∇J(w)  =  −Σ_i c_i (y_i − h(w·x_i)) x_i  +  α [0, w_1 … w_d]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from linscope.engines import Engine
from linscope.losses.hypotheses import BENDS, SQUARED, at_zero
from linscope.rows.blocks import Block, Largest, largest_value, scaled_rows
from linscope.rows.operations import as_rows, frozen

from . import gradient_loops as loops
from .gradient_rates import Curvature, curvature

LARGEST = 1e150
SMALLEST = 1e-280


@dataclass
class Objective:
    """J for one or several target columns; weights W are (t, d + 1), bias first.

    Parameters
    ----------
    engine : rows, with targets (n, t) in float64
    bias : 1, or 0 for a model without intercept
    alpha : strength of the penalty, which spares the bias
    loss : integer code of ``hypotheses``
    unit : c if X, bias and alpha have been scaled, see ``in_range``

    Examples
    --------
    >>> from linscope.engines import choose
    >>> X, y = np.array([[1.0], [2.0], [3.0]]), np.array([[1.0], [2.0], [2.0]])
    >>> J, slope = Objective(choose(X, y)).evaluate(np.array([[1.0, 0.0]]))
    >>> J, slope
    (array([1.]), array([[-2., -5.]]))
    """

    engine: Engine
    bias: float = 1.0
    alpha: float = 0.0
    loss: int = SQUARED
    unit: float = 1.0

    @property
    def shape(self) -> tuple[int, int]:
        """Of the weights: (t, d + 1)."""
        return self.engine.n_targets, self.engine.n_features + 1

    def in_range(self) -> Objective:
        """The same J over rows whose squares neither overflow nor vanish.

        With x' = cx, w' = w/c, α' = c²α and η' = η/c², J is the same and a step is the same step.
        c is a power of 2, so even the bits are.
        """
        if SMALLEST < self.lengths[0] < 1.0 / SMALLEST:
            return self
        largest = self.engine.fold(largest_value).value
        if largest == 0.0 or not np.isfinite(largest):
            return self
        if largest > LARGEST:
            raise ValueError(
                f"X has values up to {largest:.3g}, beyond {LARGEST:g}: their squares leave the "
                "range of floating point. Scale the columns, e.g. with "
                "sklearn.preprocessing.StandardScaler"
            )
        c = 2.0 ** min(-int(np.frexp(largest)[1]), 500)
        bias, alpha = self.bias * c, self.alpha * c * c
        engine = self.engine.derive(scaled_rows, c)
        return replace(self, engine=engine, bias=bias, alpha=alpha, unit=c)

    def evaluate(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """J of each target column, and ∇J of the shape of W."""
        total, value = self.engine.fold(block_descent, self.bias, self.loss, W)
        slope = self.alpha * W - total
        slope[:, 0] = -total[:, 0]
        return value + 0.5 * self.alpha * np.square(W[:, 1:]).sum(axis=1), slope

    @cached_property
    def lengths(self) -> tuple[float, float]:
        """The largest c_i‖x_i‖², and the sum of all."""
        largest, total = self.engine.fold(_block_extent, self.bias)
        return float(largest.value), total

    def longest(self, size: int) -> float:
        """The sum of the ``size`` largest c_i‖x_i‖²."""
        if size == 1:
            return self.lengths[0]
        lengths, n = self.engine.gather(_block_lengths, self.bias), self.engine.n_rows
        return float(np.partition(lengths, n - size)[n - size :].sum())

    @cached_property
    def curvature(self) -> Curvature:
        """Extreme eigenvalues of b Σ c_i x_i x_i' + α diag(0, 1 … 1), b the largest f''."""
        return curvature(self.engine, self.bias, self.alpha, BENDS[self.loss])

    @cached_property
    def value_at_zero(self) -> float:
        """J(0), where that does not depend on y; else 0."""
        return float(self.engine.fold(_block_weight)) * at_zero(self.loss, self.shape[0])


def block_descent(block: Block, bias: float, loss: int, W: np.ndarray):
    """Σ c_i (y_i − h(w·x_i)) x_i and Σ c_i f_i over one row block, for each target column."""
    total, value = np.zeros_like(W), np.zeros(len(W))
    rows, y = as_rows(block.X, bias), frozen(block.y)
    loops.add_descent(rows, y, block.weight, loss, W, total, value)
    return total, value


def _block_lengths(block: Block, bias: float) -> np.ndarray:
    """c_i‖x_i‖² of each row."""
    out = np.empty(block.X.shape[0])
    loops.weighted_norms(as_rows(block.X, bias), block.weight, out)
    return out


def _block_extent(block: Block, bias: float) -> tuple[Largest, float]:
    lengths = _block_lengths(block, bias)
    return Largest(lengths.max(initial=0.0)), float(lengths.sum())


def _block_weight(block: Block) -> float:
    return float(block.weight.sum()) if block.weighted else float(block.X.shape[0])
