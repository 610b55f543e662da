"""R² = max ‖[1, x_i]‖², exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy import sparse

from linscope.arithmetic.rational import as_integers, power_of_two

from .signed_rows import UNIT, SignedRows, distinct

BLOCK = 1 << 16
# More rows than this within rounding of the largest: the rounded-up float value is taken instead.
MOST_CANDIDATES = 4096


def squared_radius(rows: SignedRows) -> Fraction:
    """The maximum; with thousands of rows of nearly equal norm, a value above it by < 1e-13."""
    e = int(np.frexp(max(1.0, float(rows.largest.max(initial=0.0))))[1])
    norms = np.empty(rows.n)
    for start in range(0, rows.n, BLOCK):
        block = rows.X[start : start + BLOCK]
        if sparse.issparse(block):
            scaled = block.copy()
            scaled.data = np.ldexp(block.data, -e) ** 2
            norms[start : start + BLOCK] = np.asarray(scaled.sum(axis=1)).ravel()
        else:
            scaled = np.ldexp(block, -e) if e > 100 else block * 2.0**-e
            norms[start : start + BLOCK] = np.einsum("ij,ij->i", scaled, scaled)
    norms += 2.0 ** (-2 * e) if e < 500 else 0.0
    # each term has one rounding, the sum p more; underflow is far below the bound's slack
    slack = (rows.p + 8) * UNIT
    top = float(norms.max())
    candidates = np.flatnonzero(norms >= top * (1 - 4 * slack))
    if len(candidates) > 64:
        block, _ = distinct(rows.raw(candidates))
    else:
        block = rows.raw(candidates)
    if len(block) > MOST_CANDIDATES:
        return Fraction(top * (1 + 2 * slack)) * power_of_two(2 * e)
    M, exponent = as_integers(np.column_stack([np.ones(len(block)), block]), common=True)
    return max((M * M).sum(axis=1)) * power_of_two(2 * exponent[0])
