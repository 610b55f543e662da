"""Sums of products of columns that lie side by side."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from linscope.rows.column_products import STRIP, add_column_products
from linscope.rows.operations import frozen


@pytest.mark.parametrize("d", [1, 2, 3, 4, 6, 7, 8, 11])
@pytest.mark.parametrize("n", [1, STRIP - 1, STRIP, 2 * STRIP + 3])
def test_whole_numbers_are_summed_without_error(d, n):
    rng = np.random.default_rng(d * n)
    P, c, T = rng.integers(-9, 9, (d, n)), rng.integers(1, 5, n), rng.integers(-9, 9, (2, n))
    square, rest = np.ones((d, d)), np.ones((d, 2))
    add_column_products(*(frozen(A.astype(float)) for A in (P, P * c, T)), square, rest)
    upper = np.triu_indices(d)
    assert np.array_equal(square[upper], (1 + P @ (P * c).T)[upper])
    assert np.array_equal(rest, 1 + P @ T.T)


def test_the_rounding_is_that_of_a_sum_in_some_order():
    n = 1500
    P = np.random.default_rng(0).normal(size=(5, n))
    square, rest = np.zeros((5, 5)), np.zeros((5, 1))
    add_column_products(frozen(P), frozen(P), frozen(np.ones((1, n))), square, rest)
    for i in range(5):
        for j in range(i, 5):
            terms = [Fraction(a) * Fraction(b) for a, b in zip(P[i], P[j], strict=True)]
            bound = n * 2.0**-53 * float(sum(map(abs, terms)))
            assert abs(float(Fraction(square[i, j]) - sum(terms))) <= bound
