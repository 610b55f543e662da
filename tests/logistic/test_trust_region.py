"""The logistic objective and the trust-region method, against finite differences, scikit-learn."""

import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn.linear_model import LogisticRegression

from linscope.data import datasets
from linscope.engines import choose
from linscope.fitting.driver import run
from linscope.logistic.solvers.newton import Newton
from linscope.logistic.solvers.objective import LogisticObjective
from linscope.logistic.solvers.preconditioner import make_preconditioner
from linscope.logistic.solvers.trust_region import TrustRegion
from linscope.losses import softmax
from linscope.results import Status

NO_WEIGHT = np.zeros(0)


def table(n=300, d=5, classes=2, *, seed=0, sparse_rows=False):
    """Overlapping classes; the sparse table has mostly zeros."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % classes
    X = rng.standard_normal((n, d)) + 0.5 * rng.standard_normal((classes, d))[codes]
    if sparse_rows:
        X *= rng.random((n, d)) < 0.3
        return sparse.csr_array(X), codes
    return X, codes


def solve(X, codes, *, C=1.0, rho=1.0, tol=1e-14, weight=None, intercept=True, solver=TrustRegion):
    classes = int(codes.max()) + 1
    c = np.full(len(codes), float(C)) if weight is None else C * np.asarray(weight, dtype=float)
    objective = LogisticObjective(choose(X, codes, c), classes, rho, intercept)
    return run(solver(objective, tol=tol), 200)


def objective_value(X, codes, W, C=1.0, rho=1.0):
    """P(W) by the plain formula."""
    S = X @ W[:, 1:].T + W[:, 0]
    losses = softmax.loss(S, codes)
    return 0.5 * rho * np.sum(W[:, 1:] ** 2) + C * losses.sum()


SHAPES = [(2, False), (2, True), (4, False), (4, True)]


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("rho", [0.0, 1.0, np.array([0.5, 0.0, 2.0, 1.0, 4.0])])
@pytest.mark.parametrize(("classes", "sparse_rows"), SHAPES)
def test_gradient_and_products_are_the_derivatives(classes, sparse_rows, rho, intercept):
    X, codes = table(90, 5, classes, sparse_rows=sparse_rows)
    rng = np.random.default_rng(1)
    P = LogisticObjective(choose(X, codes, rng.random(90)), classes, rho, intercept)
    W, V = rng.standard_normal((2, *P.shape)) * P.mask
    gradient = optimize.approx_fprime(W.ravel(), lambda w: P.evaluate(w).value, 1e-6) * np.tile(
        P.mask, P.rows
    )
    point = P.evaluate(W)
    np.testing.assert_allclose(point.gradient.ravel(), gradient, atol=2e-4)
    step = 1e-6
    change = P.evaluate(W + step * V).gradient - P.evaluate(W - step * V).gradient
    np.testing.assert_allclose(P.product(point, V), change / (2 * step), atol=1e-6, rtol=1e-6)
    other = P.evaluate(W + 2.0 * V)
    middle = P.evaluate(W + V).value
    assert P.between(point, other, 0.5) == pytest.approx(middle, rel=1e-13)


@pytest.mark.parametrize(("classes", "sparse_rows"), SHAPES)
def test_diagonal_and_blocks_are_those_of_the_products(classes, sparse_rows):
    X, codes = table(90, 5, classes, sparse_rows=sparse_rows)
    weight = np.random.default_rng(1).random(90)
    P = LogisticObjective(choose(X, codes, weight), classes)
    point = P.evaluate(np.random.default_rng(2).standard_normal(P.shape))
    size = P.rows * (P.d + 1)
    H = np.array([P.product(point, e).ravel() for e in np.eye(size)])
    np.testing.assert_allclose(H, H.T, atol=1e-12)
    np.testing.assert_allclose(P.diagonal(point).ravel(), np.diag(H), rtol=1e-12)
    for k, block in enumerate(P.class_hessians(point)):
        here = slice(k * (P.d + 1), (k + 1) * (P.d + 1))
        np.testing.assert_allclose(block, H[here, here], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("C", [1e-6, 1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize(("classes", "sparse_rows"), SHAPES)
def test_the_solution_is_that_of_scikit_learn(classes, sparse_rows, C):
    X, codes = table(400, 6, classes, sparse_rows=sparse_rows)
    dense = X.toarray() if sparse_rows else X
    other = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-12, max_iter=200)
    other.fit(dense, codes)
    result = solve(X, codes, C=C)
    assert result.status is Status.CONVERGED
    theirs = np.column_stack([other.intercept_, other.coef_])
    theirs[:, 0] -= theirs[:, 0].mean() if classes > 2 else 0.0
    # A tiny C makes a flat objective: the same relative accuracy, fewer digits of the weights.
    digits = (1e-6 if C >= 1e-3 else 1e-3) * np.abs(theirs).max()
    np.testing.assert_allclose(result.weights, theirs, atol=digits)
    assert objective_value(dense, codes, result.weights, C) <= objective_value(
        dense, codes, theirs, C
    ) * (1 + 1e-11)


def test_the_stopping_rule_keeps_its_promise():
    for classes, sparse_rows in SHAPES:
        X, codes = table(500, 8, classes, sparse_rows=sparse_rows)
        best = solve(X, codes, tol=1e-14).details["point"].value
        for tol in (1e-2, 1e-4, 1e-6, 1e-8):
            rough = solve(X, codes, tol=tol).details["point"].value
            assert rough - best <= 2 * tol * best


@pytest.mark.parametrize("classes", [2, 3])
def test_wide_tables(classes):
    X, codes = table(30, 150, classes)
    other = LogisticRegression(solver="newton-cholesky", tol=1e-12).fit(X, codes)
    W = solve(X, codes).weights
    np.testing.assert_allclose(W[:, 1:], other.coef_, atol=5e-6)
    np.testing.assert_allclose(solve(sparse.csr_array(X), codes).weights, W, atol=5e-6)


def test_more_columns_than_a_factor_is_worth():
    rng = np.random.default_rng(0)
    X = sparse.random_array((400, 900), density=0.03, rng=rng, format="csr")
    codes = (X @ rng.standard_normal(900) > 0).astype(int)
    result = solve(X, codes, C=10.0)
    P = LogisticObjective(choose(X, codes), 2)
    assert make_preconditioner(P, P.evaluate(np.zeros((1, 901)))).inverse is None
    other = LogisticRegression(C=10.0, solver="newton-cholesky", tol=1e-12).fit(X.toarray(), codes)
    np.testing.assert_allclose(result.weights[:, 1:], other.coef_, atol=1e-5)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("at", [0.0, 0.5])
def test_the_preconditioner_is_the_inverse_of_each_classs_hessian(classes, at):
    X, codes = table(300, 6, classes)
    P = LogisticObjective(choose(X, codes), classes)
    W = at * np.random.default_rng(1).standard_normal(P.shape)
    point = P.evaluate(W)
    R = np.random.default_rng(2).standard_normal(P.shape)
    H = np.broadcast_to(P.class_hessians(point), (len(R), 7, 7))  # at 0 there is one for all
    expected = np.stack([np.linalg.solve(own, r) for own, r in zip(H, R, strict=True)])
    expected -= expected.mean(axis=0) if classes > 2 else 0.0
    np.testing.assert_allclose(make_preconditioner(P, point).solve(R), expected, rtol=1e-4)


@pytest.mark.parametrize(("classes", "sparse_rows"), SHAPES)
def test_without_a_penalty(classes, sparse_rows):
    X, codes = table(400, 4, classes, sparse_rows=sparse_rows)
    result = solve(X, codes, rho=0.0)
    gradient = result.details["point"].gradient
    assert np.abs(gradient).max() < 1e-4
    if classes > 2:  # of all equal solutions the one that sums to 0
        np.testing.assert_allclose(result.weights.sum(axis=0), 0.0, atol=1e-12)
        np.testing.assert_allclose(gradient.sum(axis=0), 0.0, atol=1e-10)
    dense = X.toarray() if sparse_rows else X
    other = LogisticRegression(C=np.inf, solver="newton-cg", tol=1e-10, max_iter=500)
    other.fit(dense, codes)
    theirs = np.column_stack([other.intercept_, other.coef_])
    assert objective_value(dense, codes, result.weights, rho=0.0) == pytest.approx(
        objective_value(dense, codes, theirs, rho=0.0), rel=1e-9
    )


def test_separable_classes_without_a_penalty_are_not_called_solved():
    X, codes = table(60, 3, 3)
    X = X + 20.0 * np.eye(3)[codes]
    result = solve(X, codes, rho=0.0, tol=1e-8)
    assert result.status is Status.MAX_ITER
    assert np.isfinite(result.weights).all()
    W = result.weights
    np.testing.assert_array_equal(np.argmax(X @ W[:, 1:].T + W[:, 0], axis=1), codes)


@pytest.mark.parametrize("classes", [2, 4])
def test_columns_of_very_different_size(classes):
    X, codes = table(400, 5, classes)
    scale = 10.0 ** np.array([-6.0, -3.0, 0.0, 3.0, 6.0])
    plain = solve(X, codes, rho=0.0)
    scaled = solve(X * scale, codes, rho=0.0)
    np.testing.assert_allclose(scaled.weights[:, 1:] * scale, plain.weights[:, 1:], atol=1e-5)
    # A penalty of its own for each column makes up for the scale.
    P = LogisticObjective(choose(X * scale, codes), classes, scale**2)
    penalised = run(TrustRegion(P, tol=1e-12), 100).weights
    np.testing.assert_allclose(penalised[:, 1:] * scale, solve(X, codes).weights[:, 1:], atol=1e-6)


@pytest.mark.parametrize("classes", [2, 4])
def test_dependent_columns_without_a_penalty(classes):
    X, codes = table(300, 4, classes)
    twice = np.column_stack([X, X[:, 0], np.zeros(300), np.ones(300)])
    best = solve(X, codes, rho=0.0).details["point"].value
    result = solve(twice, codes, rho=0.0)
    assert result.status is Status.CONVERGED
    assert result.details["point"].value == pytest.approx(best, rel=1e-10)


@pytest.mark.parametrize(("classes", "sparse_rows"), SHAPES)
def test_dense_and_sparse_and_float32_and_weights_agree(classes, sparse_rows):
    X, codes = table(300, 6, classes, sparse_rows=sparse_rows)
    weight = np.random.default_rng(3).integers(0, 4, 300)
    W = solve(X, codes, weight=weight).weights
    repeated = np.repeat(np.arange(300), weight)
    np.testing.assert_allclose(solve(X[repeated], codes[repeated]).weights, W, atol=1e-6)
    other = X.toarray() if sparse_rows else sparse.csr_array(X)
    np.testing.assert_allclose(solve(other, codes, weight=weight).weights, W, atol=1e-6)
    single = X.astype(np.float32)
    exact = solve(single.astype(np.float64), codes).weights
    np.testing.assert_allclose(solve(single, codes).weights, exact, atol=1e-6)


@pytest.mark.parametrize(("classes", "sparse_rows"), SHAPES)
def test_the_number_of_threads_changes_no_bit(classes, sparse_rows, monkeypatch):
    X, codes = table(20_000, 30, classes, sparse_rows=sparse_rows)
    results = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("LINSCOPE_THREADS", threads)
        results.append(solve(X, codes, tol=1e-8).weights)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_a_start_near_the_end_needs_few_steps_and_any_start_the_same_end():
    X, codes = table(500, 5, 3)
    W = solve(X, codes).weights
    P = LogisticObjective(choose(X, codes), 3)
    again = run(TrustRegion(P, tol=1e-8, initial=W), 10)
    assert again.n_iter <= 2
    far = run(TrustRegion(P, tol=1e-12, initial=W + 100.0), 100)
    np.testing.assert_allclose(far.weights, W, atol=1e-6)


@pytest.mark.parametrize("classes", [2, 4])
def test_float32_that_sees_no_difference_is_not_the_end(classes):
    X, codes = table(400, 5, classes)
    far = 1e-3 * X + 100.0  # in float32 four digits of the differences are left
    penalty = np.full(5, 1e-6)
    P = LogisticObjective(choose(far, codes), classes, penalty)
    result = run(TrustRegion(P, tol=1e-10), 100)
    assert result.status is Status.CONVERGED
    best = solve(X, codes).details["point"].value
    assert result.details["point"].value == pytest.approx(best, rel=1e-7)


def test_rare_classes_are_not_lost_in_a_share():
    X, codes = table(30_000, 3, 2)
    codes[:] = 0
    codes[[17, 1234, 29_999]] = 1
    result = solve(X, codes, tol=1e-10)
    newton = solve(X, codes, tol=1e-10, solver=Newton)
    np.testing.assert_allclose(result.weights, newton.weights, atol=1e-4)


def test_digits():
    X, y = datasets.load("digits")
    X, codes = np.asarray(X, dtype=float)[:600] / 16.0, np.asarray(y, dtype=np.int64)[:600]
    result = solve(X, codes, tol=1e-9)
    other = LogisticRegression(tol=1e-5, max_iter=1000).fit(X, codes)
    theirs = np.column_stack([other.intercept_, other.coef_])
    best = objective_value(X, codes, theirs)
    assert best * (1 - 1e-5) <= result.details["point"].value <= best * (1 + 1e-9)
