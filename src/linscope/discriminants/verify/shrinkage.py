"""Shares of the ridge in the covariance: one number for all classes, or Ledoit and Wolf's formula.

For the standardised rows z_i of a class with covariance C = Σ w z zᵀ / n and d features:

    μ = tr C / d    δ² = ‖C‖²/d − μ²    β² = (Σ w ‖z‖⁴ / n − ‖C‖²) / (n d)    s = min(β², δ²) / δ²
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.arithmetic.enclosures import dense
from linscope.rows.blocks import Block, Largest, Least
from linscope.verify.claims import require

from .class_rows import ClassRows, numbers

# The formula is evaluated in floats.
SAME = 1e-7


def check_shrinkage(claim: Any, rows: ClassRows, shrinkage: np.ndarray) -> None:
    require(((shrinkage >= 0) & (shrinkage <= 1)).all(), "shrinkage is not between 0 and 1")
    everywhere = np.asarray(claim.shrinkage, dtype=np.float64)
    require(np.isfinite(everywhere).all(), "a shrinkage is not a number")
    if not claim.automatic:
        require(len(np.unique(everywhere)) == 1, "the classes have different shrinkage")
        return
    for k, claimed in enumerate(shrinkage.tolist()):
        found, doubt = ledoit_wolf(rows.engines[k])
        near = abs(found - claimed) <= SAME + doubt
        require(near, f"the shrinkage of class {k} is {found:.6g}")


def ledoit_wolf(engine: Any) -> tuple[float, float]:
    """The share s for the rows of an engine, and how far rounding may move it.

    Where C is nearly a multiple of 1 already, δ² is rounding, and any share does the same.

    >>> from linscope.engines import choose
    >>> x = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.2], [0.3, -1.0]])
    >>> round(ledoit_wolf(choose(x))[0], 6)
    1.0
    """
    low, high = (each.value for each in engine.fold(_ends))
    e = np.frexp(high - low)[1]
    n, first = engine.fold(_sums, low, e)
    scatter = engine.fold(_scatter, low, e, first / n)
    spread = np.where(low < high, np.sqrt(np.diag(scatter) / n), 1.0)
    covariance, d = scatter / n / np.outer(spread, spread), len(low)
    fourth = engine.fold(_fourth_powers, low, e, first / n, spread)
    square, mu = float((covariance**2).sum()), float(np.trace(covariance)) / d
    delta = square / d - mu * mu
    beta = min((fourth / n - square) / (n * d), delta)
    share = max(beta / delta, 0.0) if d > 1 and beta > 0 else 0.0
    lost = 1e-13 * (square / d + mu * mu)
    return share, lost / delta if delta > lost else 1.0


def _ends(block: Block) -> tuple[Least, Largest]:
    x = dense(block.X)
    return Least(x.min(axis=0, initial=np.inf)), Largest(x.max(axis=0, initial=-np.inf))


def _sums(block: Block, low: np.ndarray, e: np.ndarray) -> tuple[float, np.ndarray]:
    x, w = numbers(block)
    return float(w.sum()), w @ np.ldexp(x - low, -e)


def _scatter(block: Block, low: np.ndarray, e: np.ndarray, mean: np.ndarray) -> np.ndarray:
    x, w = numbers(block)
    z = np.ldexp(x - low, -e) - mean
    return (z.T * w) @ z


def _fourth_powers(block: Block, low, e, mean, spread) -> float:
    """Σ w ‖z‖⁴ of standardised rows."""
    x, w = numbers(block)
    z = (np.ldexp(x - low, -e) - mean) / spread
    return float(w @ (z**2).sum(axis=1) ** 2)
