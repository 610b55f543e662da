"""Is a kernel matrix one of inner products, φ(x_i)·φ(x_j)? That is: is vᵀKv ≥ 0 for all v?

A Cholesky factorisation of A that runs to its end in floats proves that no eigenvalue of A is below
−γ_{n+1}/(1 − γ_{n+1})·tr A (Demmel). With A = K + ½ρI that proves K + ρI to be one, if rounding is
less than ½ρ. One vector with vᵀKv < 0 proves that K is not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from linscope.arithmetic.enclosures import TINY, Ball, gamma, total
from linscope.verify.kernel_values import Values

# Rows up to which a claim must show it; a factorisation of more takes too long.
MOST = 2000


def rounding_of(K: Values) -> float:
    """What a proof by floats cannot see: rounding of the factors, of the values, of symmetry."""
    A = K.layers[0]
    n = len(A)
    with np.errstate(all="ignore"):
        trace = float(np.abs(A.diagonal()).sum())
        uneven = float(np.abs(A - A.T).max(initial=0.0))
        doubt = float(K.rad.max(initial=0.0))
        return 1.1 * (2.0 * gamma(n + 2) * trace + n * (uneven + doubt) + n * n * TINY)


def raised_is_inner_product(K: Values, ridge: float) -> bool:
    """Whether ½(K + Kᵀ) + ridge·I is proven to be a matrix of inner products."""
    if not (np.isfinite(ridge) and rounding_of(K) <= 0.5 * ridge):
        return False
    A = 0.5 * (K.layers[0] + K.layers[0].T)
    A.flat[:: len(A) + 1] += 0.5 * ridge
    try:
        factor = linalg.cholesky(A, check_finite=True)
    except (linalg.LinAlgError, ValueError):
        return False
    return bool(np.isfinite(factor).all())


def energy(K: Values, v: Any) -> Ball:
    """vᵀKv."""
    v = Ball.of(v)
    values = Ball(K.layers[0], K.rad)
    return total(values * Ball(v.mid[:, None], v.rad[:, None]) * Ball(v.mid[None], v.rad[None]))
