"""Shares of the ridge in the covariance: one number for all classes, or Ledoit and Wolf's formula.

For the standardised rows z_i of a class with covariance C = Σ w z zᵀ / n and d features:

    μ = tr C / d    δ² = ‖C‖²/d − μ²    β² = (Σ w ‖z‖⁴ / n − ‖C‖²) / (n d)    s = min(β², δ²) / δ²
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.verify.claims import require

from .class_rows import ClassRows, dense

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
        found, doubt = ledoit_wolf(dense(rows.parts[k]), rows.weights[k])
        near = abs(found - claimed) <= SAME + doubt
        require(near, f"the shrinkage of class {k} is {found:.6g}")


def ledoit_wolf(x: np.ndarray, w: np.ndarray) -> tuple[float, float]:
    """The share s for rows x of weights w, and how far rounding may move it.

    Where C is nearly a multiple of 1 already, δ² is rounding, and any share does the same.

    >>> x = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.2], [0.3, -1.0]])
    >>> round(ledoit_wolf(x, np.ones(4))[0], 6)
    1.0
    """
    n, d = float(w.sum()), x.shape[1]
    varies = x.min(axis=0) < x.max(axis=0)
    z = x - x[0]
    z = np.ldexp(z, -np.frexp(np.abs(z).max(axis=0))[1])
    z = z - w @ z / n
    spread = np.sqrt(w @ z**2 / n)
    z = np.where(varies, z / np.where(varies, spread, 1.0), 0.0)
    covariance = (z.T * w) @ z / n
    square, mu = float((covariance**2).sum()), float(np.trace(covariance)) / d
    delta = square / d - mu * mu
    fourth = float(w @ (z**2).sum(axis=1) ** 2)
    beta = min((fourth / n - square) / (n * d), delta)
    share = max(beta / delta, 0.0) if d > 1 and beta > 0 else 0.0
    lost = 1e-13 * (square / d + mu * mu)
    return share, lost / delta if delta > lost else 1.0
