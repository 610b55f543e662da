"""Tables with columns that are combinations of others up to rounding."""

from fractions import Fraction

import numpy as np
import pytest

import linscope as ls
from linscope.separation.apart import set_apart
from linscope.separation.signed_rows import SignedRows


def near_copies(n, d, seed):
    X = np.random.default_rng(seed).normal(size=(n, d))
    X[:, 1] = 1.1 * X[:, 0]
    return X


def test_a_hyperplane_that_only_rounding_errors_show():
    X = near_copies(60, 6, 1)
    left = [Fraction(b) - Fraction(11, 10) * Fraction(a) for a, b in X[:, :2].tolist()]
    y = np.array([1 if error > 0 else -1 for error in left])
    verdict = ls.separability(X, y)
    assert type(verdict) is ls.Separable
    assert verdict.verify(X, y).ok
    y[:15] *= -1
    verdict = ls.separability(X, y)
    assert type(verdict) is ls.NotSeparable
    assert verdict.verify(X, y).ok


@pytest.mark.parametrize("unit", [1.0, 1e150, 1e-150])
def test_many_columns_and_a_near_copy(unit):
    # The simplex method in whole numbers would take minutes here.
    X = near_copies(400, 30, 2)
    X[:, 4] = 0.3 * X[:, 1] - X[:, 3]
    y = np.where(X @ np.arange(30) + np.random.default_rng(3).normal(0, 99, 400) > 0, 1, -1)
    verdict = ls.separability(X * unit, y)
    assert type(verdict) is ls.NotSeparable
    assert verdict.verify(X * unit, y).ok


def test_vectors_span_the_same_and_those_without_rows_go():
    X = near_copies(50, 4, 4)
    X[:, 3] = 0
    rows = SignedRows(X, np.where(X[:, 0] > 0, 1.0, -1.0))
    units = [[Fraction(int(j == k)) for j in range(5)] for k in range(5)]
    vectors = set_apart(rows, units)
    assert len(vectors) == 4
    assert all(rows.signs_of(vector).any() for vector in vectors)
    scores = [[float(sum(a * Fraction(b) for a, b in zip(v, [1, *x], strict=True)))
               for v in vectors] for x in X.tolist()]  # fmt: skip
    assert np.linalg.cond(scores) < 1e3
    assert set_apart(rows, vectors) is None
