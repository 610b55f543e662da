"""Nearest points of hulls: optimality, known answers, and many rows with few scans."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from linscope.results import Result, Status
from linscope.separation.min_norm_point import affine_minimiser, min_norm_point


def check_optimal(points, groups, answer, tol=1e-9):
    """Convex coefficients that make v, and no row below its group's plane."""
    assert isinstance(answer, Result)
    assert (answer.coefficients > 0).all()
    np.testing.assert_allclose(
        answer.coefficients @ points[answer.support], answer.weights, atol=1e-9
    )
    total = 0.0
    for g in np.unique(groups):
        own = groups[answer.support] == g
        np.testing.assert_allclose(answer.coefficients[own].sum(), 1)
        total += (points[groups == g] @ answer.weights).min()
    scale = max(1.0, (points**2).max())
    assert answer.weights @ answer.weights - total <= tol * scale


@settings(max_examples=100, deadline=None)
@given(arrays(float, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=st.integers(-5, 5)))
def test_one_hull(points):
    answer = min_norm_point(points)
    check_optimal(points, np.zeros(len(points)), answer)


@settings(max_examples=100, deadline=None)
@given(
    arrays(float, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=st.integers(-5, 5)),
    st.integers(0, 2**12 - 1),
)
def test_two_hulls(points, bits):
    groups = np.array([(bits >> i) & 1 for i in range(len(points))])
    groups[:2] = [0, 1]
    check_optimal(points, groups, min_norm_point(points, groups))


def test_known_answers():
    triangle = np.array([[2.0, 0.0], [0.0, 2.0], [3.0, 3.0]])
    answer = min_norm_point(triangle)
    np.testing.assert_allclose(answer.weights, [1, 1])
    np.testing.assert_array_equal(answer.support, [0, 1])
    around = np.array([[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]])
    np.testing.assert_allclose(min_norm_point(around).weights, 0, atol=1e-12)
    # hulls x1 <= 0 and x1 >= 3: the second is negated
    pair = np.array([[3.0, 0.0], [4.0, 1.0], [0.0, 0.0], [0.0, -5.0]])
    answer = min_norm_point(pair, [0, 0, 1, 1])
    np.testing.assert_allclose(answer.weights, [3, 0], atol=1e-12)


def test_against_a_general_optimiser():
    points = np.random.default_rng(0).normal(size=(12, 4)) + 1.5
    answer = min_norm_point(points)
    peer = minimize(
        lambda a: 0.5 * np.sum((a @ points) ** 2),
        np.full(12, 1 / 12),
        jac=lambda a: points @ (a @ points),
        bounds=[(0, 1)] * 12,
        constraints={"type": "eq", "fun": lambda a: a.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    np.testing.assert_allclose(answer.weights, peer.x @ points, atol=1e-6)
    assert np.linalg.norm(answer.weights) <= np.linalg.norm(peer.x @ points) + 1e-9


def test_many_rows_take_few_scans():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(50_000, 8))
    points[:, 0] = np.abs(points[:, 0]) + 0.1
    answer = min_norm_point(points)
    assert answer.status is Status.CONVERGED
    assert answer.gap <= 1e-12
    assert answer.n_iter <= 12
    check_optimal(points, np.zeros(len(points)), answer)


def test_affine_minimiser_is_orthogonal_to_the_affine_hull():
    S = np.random.default_rng(2).normal(size=(4, 6))
    groups = np.array([0, 0, 1, 1])
    alpha = affine_minimiser(S, groups, 2, 1.0)
    v = alpha @ S
    np.testing.assert_allclose(np.bincount(groups, alpha), 1)
    np.testing.assert_allclose([v @ (S[0] - S[1]), v @ (S[2] - S[3])], 0, atol=1e-12)
    assert affine_minimiser(np.ones((3, 2)), np.zeros(3, dtype=int), 1, 1.0) is None


def test_bad_groups_are_named():
    with pytest.raises(ValueError, match="2 entries for 3 points"):
        min_norm_point(np.eye(3), [0, 1])
    with pytest.raises(ValueError, match="group 0 has no points"):
        min_norm_point(np.eye(3), [1, 1, 1])


def test_a_coefficient_of_rounding_does_not_bar_the_way():
    points = np.full((5, 4), -3.0)
    points[[0, 1, 2, 3, 4], [0, 0, 1, 1, 2]] = [-4.0, -2.0, 3.0, 1.0, 3.0]
    answer = min_norm_point(points)
    assert answer.gap < 1e-12
    check_optimal(points, np.zeros(5, dtype=int), answer)
