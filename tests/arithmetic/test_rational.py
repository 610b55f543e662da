"""Exact arithmetic against Python's own fractions and against definitions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linscope.arithmetic.dixon import solve_by_lifting
from linscope.arithmetic.modular import largest_minor
from linscope.arithmetic.rational import (
    as_integers,
    echelon,
    largest_magnitude,
    magnitude,
    null_space,
    power_of_two,
    round_up,
    solve,
    sqrt_down,
    sqrt_up,
    times_powers,
)

any_float = st.floats(allow_nan=False, allow_infinity=False)
matrices = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(-4, 4), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@given(st.lists(st.tuples(any_float, any_float), min_size=1, max_size=6), st.booleans())
def test_every_float_is_an_integer_times_a_power_of_two(rows, common):
    M, e = as_integers(rows, common)
    assert not common or len(set(e)) == 1
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            assert M[i, j] * power_of_two(e[j]) == Fraction(value)


@given(st.lists(st.tuples(st.fractions(), st.integers(-300, 300)), max_size=6))
def test_the_largest_magnitude_bounds_all_numbers_times_powers_of_two(pairs):
    values, exponents = zip(*pairs, strict=True) if pairs else ((), ())
    largest = max(map(abs, times_powers(values, exponents)), default=Fraction(0))
    e = largest_magnitude(values, exponents)
    assert Fraction(2) ** (e - 1) < largest < Fraction(2) ** (e + 1) if largest else e == 0


@given(matrices)
def test_null_space_and_rank(matrix):
    A = np.array(matrix, dtype=object)
    basis = null_space(A)
    assert len(basis) == A.shape[1] - len(echelon(A)[1])
    assert len(echelon(A)[1]) == np.linalg.matrix_rank(A.astype(float))
    for u in basis:
        assert not (A @ np.array(u, dtype=object)).any()
    if basis:
        assert len(echelon(np.array(basis, dtype=object))[1]) == len(basis)
    if len(A) >= A.shape[1]:
        assert (len(largest_minor(A).columns) == A.shape[1]) == (not basis)


@given(matrices, st.lists(st.integers(-4, 4), min_size=5, max_size=5))
def test_solve_finds_a_solution_exactly_when_there_is_one(matrix, right):
    A, b = np.array(matrix, dtype=object), np.array(right[: len(matrix)], dtype=object)
    x = solve(A, b)
    if x is None:
        assert len(echelon(np.column_stack([A, b]))[1]) > len(echelon(A)[1])
    else:
        assert all(A @ np.array(x, dtype=object) == b)


@pytest.mark.parametrize("n", [1, 2, 7, 30])
def test_lifting_agrees_with_elimination(n):
    rng = np.random.default_rng(n)
    A = np.array([[int(v) for v in row] for row in rng.integers(-(2**52), 2**52, (n, n))], object)
    b = np.array([int(v) for v in rng.integers(-(2**52), 2**52, n)], dtype=object)
    numerators, denominator = solve_by_lifting(A, b)
    assert all(A @ np.array(numerators, dtype=object) == denominator * b)


def test_lifting_gives_up_on_singular_systems():
    A = np.array([[1, 2], [2, 4]], dtype=object)
    assert solve_by_lifting(A, np.array([1, 2], dtype=object)) is None
    large = np.ones((20, 20), dtype=object)
    assert solve(large, [1] * 20) is not None
    assert solve(large, [1] * 19 + [2]) is None


@settings(max_examples=300)
@given(st.fractions(min_value=0), st.integers(-2000, 2000))
def test_square_roots_are_rounded_to_the_side_asked_for(value, exponent):
    value *= power_of_two(2 * (exponent // 4))
    if value == 0 or not -1800 < magnitude(value) < 1800:
        return
    low, high = sqrt_down(value), sqrt_up(value)
    assert Fraction(low) ** 2 <= value <= Fraction(high) ** 2
    assert high <= np.nextafter(np.nextafter(low, np.inf), np.inf)


def test_exact_roots_are_exact():
    assert sqrt_down(Fraction(9, 4)) == sqrt_up(Fraction(9, 4)) == 1.5
    assert sqrt_down(Fraction(0)) == 0


def test_round_up_beyond_float64_is_an_integer():
    assert round_up(Fraction(1, 2)) == 0.5
    assert Fraction(round_up(Fraction(1, 3))) > Fraction(1, 3)
    assert round_up(Fraction(10**400) + Fraction(1, 2)) == 10**400 + 1
