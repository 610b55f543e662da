"""J and its gradient over row blocks: what every gradient rule asks of the data.

J(w)   =  Σ_i c_i f(w·x_i, y_i)  +  ½ α Σ_{j≥1} w_j²
∇J(w)  =  −Σ_i c_i (y_i − h(w·x_i)) x_i  +  α [0, w_1 … w_d]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from linscope.engines import Engine, MemoryEngine, choose
from linscope.losses.hypotheses import BENDS, SQUARED, at_zero
from linscope.rows.blocks import Block
from linscope.rows.operations import NO_WEIGHT, as_rows

from . import gradient_loops as loops
from .gradient_rates import Curvature, curvature

LARGEST = 1e150
SMALLEST = 1e-280


@dataclass
class Objective:
    """J for one or several target columns; weights W are (t, d + 1), bias first.

    Parameters
    ----------
    X : C-contiguous array or CSR matrix (n, d)
    targets : C-contiguous float64 array (n, t)
    weight : n weights of the samples; may be empty
    bias : 1, or 0 for a model without intercept
    alpha : strength of the penalty, which spares the bias
    loss : integer code of ``hypotheses``
    engine : the same data as row blocks; by default made from X
    unit : c if X, bias and alpha have been scaled, see ``in_range``

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [3.0]]), np.array([[1.0], [2.0], [2.0]])
    >>> J, slope = Objective(X, y).evaluate(np.array([[1.0, 0.0]]))
    >>> J, slope
    (array([1.]), array([[-2., -5.]]))
    """

    X: Any
    targets: np.ndarray
    weight: np.ndarray = field(default_factory=lambda: NO_WEIGHT)
    bias: float = 1.0
    alpha: float = 0.0
    loss: int = SQUARED
    engine: Engine | None = None
    unit: float = 1.0

    def __post_init__(self) -> None:
        if self.engine is None:
            self.engine = choose(self.X, self.targets, self.weight)

    @property
    def shape(self) -> tuple[int, int]:
        """Of the weights: (t, d + 1)."""
        return self.targets.shape[1], self.X.shape[1] + 1

    def in_range(self) -> Objective:
        """The same J over rows whose squares neither overflow nor vanish.

        With x' = cx, w' = w/c, α' = c²α and η' = η/c², J is the same and a step is the same step.
        c is a power of 2, so even the bits are.
        """
        highest = float(self.norms.max(initial=0.0))
        if SMALLEST < highest < 1.0 / SMALLEST or not isinstance(self.engine, MemoryEngine):
            return self
        largest = float(abs(self.X).max()) if min(self.X.shape) else 0.0
        if largest == 0.0 or not np.isfinite(largest):
            return self
        if largest > LARGEST:
            raise ValueError(
                f"X has values up to {largest:.3g}, beyond {LARGEST:g}: their squares leave the "
                "range of floating point. Scale the columns, e.g. with "
                "sklearn.preprocessing.StandardScaler"
            )
        c = 2.0 ** min(-int(np.frexp(largest)[1]), 500)
        X = self.X.astype(np.float64) * c
        scaled = self.bias * c, self.alpha * c * c
        return Objective(X, self.targets, self.weight, *scaled, self.loss, unit=c)

    def evaluate(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """J of each target column, and ∇J of the shape of W."""
        function = partial(block_descent, bias=self.bias, loss=self.loss, W=W)
        total, value = self._over_blocks(function)
        slope = self.alpha * W - total
        slope[:, 0] = -total[:, 0]
        return value + 0.5 * self.alpha * np.square(W[:, 1:]).sum(axis=1), slope

    @cached_property
    def norms(self) -> np.ndarray:
        """c_i‖x_i‖² of each sample."""
        norms = np.empty(len(self.targets))
        loops.weighted_norms(as_rows(self.X, self.bias), self.weight, norms)
        return norms

    @cached_property
    def curvature(self) -> Curvature:
        """Extreme eigenvalues of b Σ c_i x_i x_i' + α diag(0, 1 … 1), b the largest f''."""
        bend = BENDS[self.loss]
        return curvature(self._over_blocks, self.shape[1], self.bias, self.alpha, bend)

    @cached_property
    def value_at_zero(self) -> float:
        """J(0), where that does not depend on y; else 0."""
        size = self.weight.sum() if len(self.weight) else len(self.targets)
        return float(size) * at_zero(self.loss, self.shape[0])

    def _over_blocks(self, function: Any) -> Any:
        """The sum of a function of a block over all row blocks, in block order."""
        if self._alone is not None:
            return function(self._alone)
        assert self.engine is not None
        return self.engine.fold(function)

    @cached_property
    def _alone(self) -> Block | None:
        """All rows, if they are one block: then no threads need to be asked."""
        if not isinstance(self.engine, MemoryEngine) or len(self.engine.sizes) > 1:
            return None
        return Block(0, self.X, self.targets, self.weight)


def block_descent(block: Block, *, bias: float, loss: int, W: np.ndarray):
    """Σ c_i (y_i − h(w·x_i)) x_i and Σ c_i f_i over one row block, for each target column."""
    total, value = np.zeros_like(W), np.zeros(len(W))
    weight = block.weight
    loops.add_descent(as_rows(block.X, bias), block.y, weight, loss, W, total, value)
    return total, value
