"""The perceptron criterion against its definition, finite differences and distances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linscope.losses.perceptron import criterion, distances, gradient, mistakes


def problem(seed, n=30, d=3):
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(n), rng.standard_normal((n, d))])
    return X, rng.choice([-1.0, 1.0], n), rng.standard_normal(d + 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_criterion_is_the_sum_over_the_mistakes(seed):
    X, y, w = problem(seed)
    by_hand = sum(-label * (w @ x) for x, label in zip(X, y, strict=True) if label * (w @ x) < 0)
    assert criterion(w, X, y) == pytest.approx(by_hand, rel=1e-12)
    assert criterion(w, X, y) >= 0


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_gradient_matches_finite_differences(seed):
    X, y, w = problem(seed)
    step = 1e-7
    if np.abs(X @ w).min() < 1e-4:  # too near a kink for a difference quotient
        return
    quotient = [
        (criterion(w + step * e, X, y) - criterion(w - step * e, X, y)) / (2 * step)
        for e in np.eye(len(w))
    ]
    np.testing.assert_allclose(gradient(w, X, y), quotient, rtol=1e-5, atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.01, 100.0))
def test_criterion_is_the_length_times_the_distances(seed, scale):
    X, y, w = problem(seed)
    w = scale * w
    total = distances(w, X, y).sum()
    assert criterion(w, X, y) == pytest.approx(np.linalg.norm(w) * total, rel=1e-12)
    # and in feature space, where the hyperplane has the normal w1 ... wd
    wrong = mistakes(w, X, y)
    in_space = np.abs(X[wrong] @ w).sum() / np.linalg.norm(w[1:])
    assert criterion(w, X, y) == pytest.approx(np.linalg.norm(w[1:]) * in_space, rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_criterion_is_convex_and_scales_with_w(seed):
    X, y, w = problem(seed)
    v = problem(seed + 1)[2]
    middle = criterion((w + v) / 2, X, y)
    assert middle <= (criterion(w, X, y) + criterion(v, X, y)) / 2 + 1e-12
    assert criterion(3 * w, X, y) == pytest.approx(3 * criterion(w, X, y))


@pytest.mark.parametrize(
    ("tie", "expected"),
    [("update", [True, True]), ("positive", [False, True]), ("negative", [True, False])],
)
def test_score_zero_follows_the_tie_rule(tie, expected):
    X, y = np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([1.0, -1.0])
    w = np.array([1.0, -1.0])
    assert mistakes(w, X, y, tie).tolist() == expected
    assert criterion(w, X, y) == 0
    np.testing.assert_array_equal(gradient(w, X, y, tie), -(y * expected) @ X)


@pytest.mark.parametrize("tie", ["update", "positive", "negative"])
def test_gradient_at_a_kink_is_a_subgradient(tie):
    X, y, _ = problem(3)
    w = np.zeros(4)
    slope = gradient(w, X, y, tie)
    for v in np.random.default_rng(0).standard_normal((50, 4)):
        assert criterion(v, X, y) >= slope @ v - 1e-12


def test_at_zero_the_first_batch_step_is_the_sum_of_the_reflected_samples():
    X, y, _ = problem(5)
    np.testing.assert_allclose(-gradient(np.zeros(4), X, y), y @ X)


def test_several_weights_at_once():
    X, y, _ = problem(1)
    W = np.random.default_rng(2).standard_normal((3, 5, 4))
    assert criterion(W, X, y).shape == (3, 5)
    assert mistakes(W, X, y).shape == (3, 5, 30)
    assert criterion(W, X, y)[1, 2] == pytest.approx(criterion(W[1, 2], X, y))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y, w: criterion(w[1:], X, y), "augmented"),
        (lambda X, y, w: criterion(w, X, y[1:]), "one for each row"),
        (lambda X, y, w: criterion(w, X, y + 2), "−1 or \\+1"),
        (lambda X, y, w: mistakes(w, X, y, "maybe"), "tie must be one of 'update'"),
        (lambda X, y, w: distances(0 * w, X, y), "w is 0"),
    ],
)
def test_errors_name_the_parameter(call, message):
    with pytest.raises(ValueError, match=message):
        call(*problem(0))
