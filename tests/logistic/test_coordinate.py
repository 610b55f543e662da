"""Coordinate descent with an ℓ1 penalty: optimality, scikit-learn, and the duality gap."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import linscope as ls
from linscope.engines import choose
from linscope.fitting.driver import run
from linscope.logistic.solvers.coordinate.descent import Coordinate, gap, largest_l1, null_weights
from linscope.logistic.solvers.objective import LogisticObjective
from linscope.results import Status

PENALTIES = [(1.0, 0.0), (0.4, 0.6), (0.0, 1.0)]


def problem(n_classes, n=120, d=12, kind="dense", intercept=True, weighted=False, C=0.5):
    rng = np.random.default_rng(n_classes + n)
    X = rng.standard_normal((n, d)) + 3.0 * (np.arange(d) == 1)
    if kind != "dense":
        X[rng.random((n, d)) < 0.6] = 0.0
    scores = X @ np.where(rng.random((d, n_classes)) < 0.4, 2.0, 0.0)
    codes = np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)
    weight = C * (rng.integers(0, 4, n) if weighted else np.ones(n))
    X = sparse.csr_array(X) if kind == "sparse" else X
    return LogisticObjective(choose(X, codes, weight), n_classes, 0.0, intercept)


def rows_of(objective):
    return objective.engine.all_rows("a test")


def residuals(objective, W):
    point = objective.evaluate(W)
    return objective.engine.gather(
        lambda block: block.kept[point.name].residual(block.y, block.weight)
    )


def solve(objective, l1, l2=0.0, tol=1e-10, **more):
    return run(Coordinate(objective, l1, l2, tol, **more), 200)


def check_optimal(objective, W, l1, l2, accuracy):
    """g + l2 w = −l1 sign(w) where w ≠ 0, |g| ≤ l1 elsewhere; the bias has no gradient."""
    g = objective.evaluate(W).gradient
    nonzero = W[:, 1:] != 0
    wanted = -l1 * np.sign(W[:, 1:]) - l2 * W[:, 1:]
    np.testing.assert_allclose(g[:, 1:][nonzero], wanted[nonzero], atol=accuracy)
    assert (np.abs(g[:, 1:][~nonzero]) <= l1 + accuracy).all()
    np.testing.assert_allclose(g[:, 0], 0, atol=accuracy)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize(("l1", "l2"), PENALTIES)
def test_optimality(n_classes, kind, l1, l2, intercept):
    objective = problem(n_classes, kind=kind, intercept=intercept, weighted=True)
    result = solve(objective, l1, l2)
    assert result.status is Status.CONVERGED
    check_optimal(objective, result.weights, l1, l2, 1e-4)
    primal, dual = gap(objective, result.weights, l1, l2)
    assert -1e-12 * primal <= primal - dual <= 1e-10 * primal
    assert result.details["gap"] <= 1e-10 * primal
    np.testing.assert_allclose(result.details["dual"], dual, rtol=1e-9)
    np.testing.assert_array_equal(result.details["point"].W, result.weights)
    if not intercept:
        assert not result.weights[:, 0].any()


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.3])
def test_not_above_saga(n_classes, kind, l1_ratio):
    objective = problem(n_classes, kind=kind)
    model = LogisticRegression(
        C=0.5, l1_ratio=l1_ratio, solver="saga", tol=1e-8, max_iter=20_000, random_state=0
    ).fit(rows_of(objective).X, rows_of(objective).y)
    theirs = np.column_stack([model.intercept_, model.coef_])
    l1, l2 = l1_ratio, 1.0 - l1_ratio
    ours = solve(objective, l1, l2).weights
    best, other = gap(objective, ours, l1, l2)[0], gap(objective, theirs, l1, l2)[0]
    assert best <= other * (1 + 1e-10)
    assert other <= best * (1 + 1e-6)  # it is the same problem
    first, second = (residuals(objective, W) for W in (ours, theirs))
    np.testing.assert_allclose(first, second, atol=1e-3)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_not_above_liblinear(kind):
    objective = problem(2, kind=kind, intercept=False)
    model = LogisticRegression(
        C=0.5, l1_ratio=1.0, solver="liblinear", tol=1e-10, max_iter=10_000, fit_intercept=False
    ).fit(rows_of(objective).X, rows_of(objective).y)
    ours = solve(objective, 1.0).weights
    theirs = np.column_stack([[0.0], model.coef_])
    assert gap(objective, ours, 1.0, 0.0)[0] <= gap(objective, theirs, 1.0, 0.0)[0] * (1 + 1e-12)
    np.testing.assert_allclose(ours, theirs, atol=1e-4)
    np.testing.assert_array_equal(ours == 0, theirs == 0)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("l1", "l2"), PENALTIES)
def test_gap_bounds_the_distance_to_the_minimum(n_classes, l1, l2):
    objective = problem(n_classes, weighted=True)
    result = solve(objective, l1, l2, tol=1e-13)
    least = gap(objective, result.weights, l1, l2)[0]
    rng = np.random.default_rng(0)
    for size in [0.0, 1e-6, 1e-3, 0.1, 1.0, 30.0]:
        W = result.weights + size * rng.standard_normal(result.weights.shape)
        primal, dual = gap(objective, W, l1, l2)
        assert dual <= least * (1 + 1e-12)
        assert primal >= least * (1 - 1e-12)
    W = null_weights(objective)
    assert gap(objective, W, l1, l2)[1] <= least


@pytest.mark.parametrize("n_classes", [2, 3])
def test_dense_and_sparse_and_float32_agree(n_classes):
    sparse_one = problem(n_classes, kind="sparse")
    single = rows_of(sparse_one).X.toarray().astype(np.float32)
    rounded = single.astype(np.float64)
    given = rows_of(sparse_one).y, rows_of(sparse_one).weight
    answers = [
        solve(LogisticObjective(choose(X, *given), n_classes, 0.0), 0.7, 0.1).weights
        for X in (rounded, single, sparse.csr_array(rounded), sparse.csr_array(single))
    ]
    for other in answers[1:]:
        np.testing.assert_allclose(other[:, 1:], answers[0][:, 1:], atol=1e-5)
        np.testing.assert_array_equal(other[:, 1:] == 0, answers[0][:, 1:] == 0)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_all_forms_of_the_model_agree(n_classes, monkeypatch):
    objective = problem(n_classes)
    by_gram = solve(objective, 0.7)
    monkeypatch.setattr("linscope.logistic.solvers.coordinate.model.LARGEST_GRAM", 0)
    monkeypatch.setattr("linscope.logistic.solvers.coordinate.model.FEWEST", 2)
    by_columns = solve(objective, 0.7)
    np.testing.assert_allclose(by_columns.weights[:, 1:], by_gram.weights[:, 1:], atol=1e-5)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_are_repeated_rows(n_classes, kind):
    objective = problem(n_classes, kind=kind, weighted=True)
    given = rows_of(objective)
    rows = np.repeat(np.arange(objective.n), np.rint(given.weight / 0.5).astype(int))
    engine = choose(given.X[rows], given.y[rows], np.full(len(rows), 0.5))
    repeated = LogisticObjective(engine, n_classes, 0.0)
    ours, theirs = solve(objective, 1.0).weights, solve(repeated, 1.0).weights
    np.testing.assert_allclose(ours[:, 1:], theirs[:, 1:], atol=1e-5)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_weights_from_the_largest_l1_on(n_classes, kind):
    objective = problem(n_classes, kind=kind)
    largest = largest_l1(objective)
    above = solve(objective, largest * (1 + 1e-9))
    assert not above.weights[:, 1:].any()
    assert above.status is Status.CONVERGED
    below = solve(objective, largest * 0.98)
    assert 1 <= np.count_nonzero(below.weights[:, 1:]) <= 3


def test_more_columns_than_rows_and_useless_columns():
    objective = problem(2, n=40, d=300, C=2.0)
    given = rows_of(objective)
    X = given.X.copy()
    X[:, 10], X[:, 11], X[:, 12] = 0.0, 5.0, X[:, 0]  # zero, constant, copied
    objective = LogisticObjective(choose(X, given.y, given.weight), 2, 0.0)
    result = solve(objective, 1.0)
    check_optimal(objective, result.weights, 1.0, 0.0, 1e-4)
    assert result.weights[0, 11] == result.weights[0, 12] == 0.0
    assert np.count_nonzero(result.weights) <= 41


@pytest.mark.parametrize("n_classes", [2, 3])
def test_from_given_weights_and_separable_classes(n_classes):
    """Nearly no penalty on classes that a hyperplane separates: weights large but finite."""
    objective = problem(n_classes, n=30, d=40, C=1e4)
    far = np.random.default_rng(1).standard_normal(objective.shape) * 20
    result = solve(objective, 1.0, tol=1e-8, initial=far)
    again = solve(objective, 1.0, tol=1e-8)
    assert result.status is again.status is Status.CONVERGED
    P, Q = (gap(objective, r.weights, 1.0, 0.0)[0] for r in (result, again))
    np.testing.assert_allclose(P, Q, rtol=2e-8)


def test_bad_penalties():
    objective = problem(2)
    with pytest.raises(ValueError, match="not both 0"):
        Coordinate(objective, 0.0, 0.0)
    with pytest.raises(ValueError, match="l1 and l2"):
        Coordinate(objective, -1.0)
    with pytest.raises(ValueError, match="rho = 0"):
        Coordinate(LogisticObjective(objective.engine, 2), 1.0)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_long_tables_are_begun_with_a_share_of_the_rows(n_classes, monkeypatch):
    objective = problem(n_classes, n=2000, d=4, weighted=True)
    plain = solve(objective, 5.0)
    monkeypatch.setattr("linscope.logistic.solvers.coordinate.descent.FEWEST_ROWS", 300)
    shared = solve(objective, 5.0)
    assert shared.status is Status.CONVERGED
    check_optimal(objective, shared.weights, 5.0, 0.0, 1e-3)
    np.testing.assert_allclose(shared.weights[:, 1:], plain.weights[:, 1:], atol=1e-5)


def test_a_weak_penalty_on_nearly_separated_rows_takes_few_steps():
    """Probabilities near 1e-6: curvature made larger than it is would take hundreds."""
    X, y = [[0.0, 0.0], [1.0, 0.0], [3.0, 1.0], [2.0, 5.0], [4.0, 1.0]], [0, 0, 1, 0, 1]
    model = ls.LogisticRegression(penalty="l1", C=1e6).fit(X, y)
    assert model.certificate_.ok
    assert model.verify(X, y)
    assert model.n_iter_[0] < 100
