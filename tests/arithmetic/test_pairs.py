"""Pairs of floats against 60 decimal digits."""

from decimal import Decimal, localcontext

import numpy as np

from linscope.arithmetic.pairs import LOSS, Pair, exp


def test_the_exponential_of_pairs_is_as_near_as_it_says():
    rng = np.random.default_rng(0)
    hi = np.r_[-620.0 * rng.random(60), 620.0 * rng.random(20), -(10.0 ** rng.uniform(-8, 2, 60))]
    lo = hi * rng.uniform(-1.0, 1.0, len(hi)) * 2.0**-54
    found = exp(Pair(hi, lo))
    with localcontext() as context:
        context.prec = 60
        for x, y, a, b in zip(hi, lo, *found, strict=True):
            truth = (Decimal(float(x)) + Decimal(float(y))).exp()
            error = abs((Decimal(float(a)) + Decimal(float(b))) / truth - 1)
            assert error <= Decimal((abs(float(x)) + 64.0) * LOSS)
