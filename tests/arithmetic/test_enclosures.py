"""Balls hold the exact values, also where floats cancel, overflow or vanish."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from linscope.arithmetic.enclosures import Ball, products, scores, total

floats = st.floats(allow_nan=False, allow_infinity=False)


def exact(value) -> Fraction:
    return Fraction(float(value))


def holds(mid, rad, value: Fraction) -> bool:
    return np.isinf(rad) or abs(value - exact(mid)) <= exact(rad)


@given(floats, floats, floats, floats)
def test_operations_on_balls_hold_the_exact_results(a, b, c, d):
    rad = [abs(c) * 2.0**-30, abs(d) * 2.0**-30]
    A, B = Ball(np.float64(a), rad[0]), Ball(np.float64(b), rad[1])
    for s in (-1, 0, 1):
        for t in (-1, 0, 1):
            x, y = exact(a) + s * exact(rad[0]), exact(b) + t * exact(rad[1])
            assert holds(*(A + B), x + y)
            assert holds(*(A - B), x - y)
            assert holds(*(A * B), x * y)
            if y:
                assert holds(*A.over(B), x / y)
            part = A.positive_part()
            assert holds(*part, max(x, Fraction(0)))


def test_an_array_times_a_ball_is_a_ball():
    made = np.array([1.0, 2.0]) * Ball.of([3.0, 4.0])
    assert isinstance(made, Ball)
    assert made.mid.tolist() == [3.0, 8.0]


def problem(seed):
    r = np.random.default_rng(seed)
    n, d, k = r.integers(1, 6), r.integers(0, 6), r.integers(1, 3)
    n = 70 if seed % 10 == 0 else n  # many rows are summed by columns, few by rows
    span = r.choice([0, 4, 15, 150, 300])
    X = r.normal(size=(n, d)) * 10.0 ** r.uniform(-span, span, size=(n, d))
    W = r.normal(size=(k, d + 1)) * 10.0 ** r.uniform(-span, span, size=(k, d + 1))
    X[r.random(X.shape) < 0.3] = 0.0
    with np.errstate(all="ignore"):
        first = (X @ W[:, 1:].T)[0]
    if seed % 2 and np.isfinite(first).all():
        W[:, 0] = -first  # the first row's terms cancel
    R = r.normal(size=(n, k)) * 10.0 ** r.uniform(-span, span, size=(n, k))
    return X, W, R


@pytest.mark.share(2)
@pytest.mark.parametrize("precise", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_scores_and_products_hold_the_exact_sums(form, precise):
    for seed in range(150):
        X, W, R = problem(seed)
        found, sums = scores(form(X), W, precise=precise), products(form(X), R, precise=precise)
        A = np.column_stack([np.ones(len(X)), X])
        rows = [[exact(v) for v in row] for row in A]
        for c, w in enumerate(W):
            for i, a in enumerate(rows):
                value = sum((x * exact(v) for x, v in zip(a, w, strict=True)), Fraction(0))
                assert holds(found.mid[i, c], found.rad[i, c], value)
            for j in range(A.shape[1]):
                value = sum(
                    (a[j] * exact(r) for a, r in zip(rows, R[:, c], strict=True)), Fraction(0)
                )
                assert holds(sums.mid[c, j], sums.rad[c, j], value)


def test_precise_scores_of_cancelling_terms_have_all_digits():
    X, W = np.array([[1e12, 3.0]]), np.array([[-1e12, 1.0, 0.1]])
    found = scores(X, W, precise=True)
    assert found.rad[0, 0] < 1e-15
    assert holds(found.mid[0, 0], found.rad[0, 0], 3 * exact(0.1))


@settings(max_examples=50)
@given(st.lists(floats, max_size=20))
def test_totals_are_rounded_once(values):
    found = total(Ball.of(np.array(values, dtype=float)))
    assert holds(found.mid, found.rad, sum(map(exact, values), Fraction(0)))


def test_what_leaves_the_range_has_no_bound():
    assert np.isinf(total(Ball.of([1e308, 1e308])).rad)
    assert np.isinf(scores(np.array([[1e200]]), np.array([[0.0, 1e200]])).rad).all()
    assert np.isinf(Ball.of(1.0).over(Ball(np.float64(1.0), 1.0)).rad)
