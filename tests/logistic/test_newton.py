"""Newton's method, against scikit-learn and the trust-region method."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import linscope as ls
from linscope.engines import choose
from linscope.fitting.driver import run
from linscope.logistic.solvers.newton import Newton
from linscope.logistic.solvers.objective import LogisticObjective
from linscope.logistic.solvers.trust_region import TrustRegion
from linscope.results import Status


def table(n=300, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, (X @ rng.standard_normal(d) + rng.standard_normal(n) > 0).astype(np.int64)


def solve(X, codes, *, C=1.0, rho=1.0, tol=1e-14, weight=None, solver=Newton):
    c = C * (np.ones(len(codes)) if weight is None else np.asarray(weight, dtype=float))
    return run(solver(LogisticObjective(choose(X, codes, c), 2, rho), tol=tol), 200)


@pytest.mark.parametrize("C", [1e-6, 1e-2, 1.0, 1e3, 1e6])
def test_the_solution_is_that_of_scikit_learn_and_of_the_trust_region(C):
    X, codes = table()
    result = solve(X, codes, C=C)
    assert result.status is Status.CONVERGED
    other = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-12).fit(X, codes)
    theirs = np.column_stack([other.intercept_, other.coef_])
    # A tiny C makes a flat objective: the same relative accuracy, fewer digits of the weights.
    digits = (1e-6 if C >= 1e-3 else 1e-3) * np.abs(theirs).max()
    np.testing.assert_allclose(result.weights, theirs, atol=digits)
    region = solve(X, codes, C=C, solver=TrustRegion).weights
    np.testing.assert_allclose(result.weights, region, atol=digits)


def test_the_hessian_is_that_of_the_products():
    X, codes = table(100, 4)
    for rows in (X, sparse.csr_array(X)):
        P = LogisticObjective(choose(rows, codes, np.random.default_rng(0).random(100)), 2)
        point = P.evaluate(np.random.default_rng(1).standard_normal((1, 5)))
        H = np.array([P.product(point, e).ravel() for e in np.eye(5)])
        np.testing.assert_allclose(P.hessian(point), H, rtol=1e-12)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_hessian_of_several_classes_is_that_of_the_products(intercept, weighted, make):
    K, d, rng = 4, 3, np.random.default_rng(0)
    X, c = rng.standard_normal((100, d)), rng.random(100) if weighted else None
    rho = np.array([1.0, 4.0, 0.25])
    P = LogisticObjective(choose(make(X), rng.integers(0, K, 100), c), K, rho, intercept)
    point = P.evaluate(rng.standard_normal((K, d + 1)) * P.mask)
    H = P.hessian(point)
    for _ in range(5):
        V = rng.standard_normal((K, d + 1)) * P.mask
        V -= V.mean(axis=0)
        np.testing.assert_allclose(
            (H @ V.ravel()).reshape(V.shape), P.product(point, V), atol=1e-11
        )
    assert np.linalg.eigvalsh(H)[0] > 0  # also where all classes move alike


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, lambda X: 1e3 + 10 * X])
def test_few_weights_of_several_classes_are_found_and_proven(make, intercept, C):
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((120, 3)), rng.integers(0, 4, 120)
    X[:, 0] += y
    X, c = make(X), rng.integers(1, 4, 120).astype(float)
    model = ls.LogisticRegression(C, fit_intercept=intercept).fit(X, y, c)
    assert model.certificate_.ok
    assert model.certificate_.verify(X, y, c)
    assert model.certificate_.how.startswith("newton")
    region = ls.LogisticRegression(C, fit_intercept=intercept, solver="trust-region").fit(X, y, c)
    np.testing.assert_allclose(model.predict_proba(X), region.predict_proba(X), atol=1e-5)
    assert intercept or not model.intercept_.any()


def test_many_rows_are_grown_and_end_at_the_same_weights():
    X, codes = table(40_000, 8)
    grown = solve(X, codes)
    whole = run(Newton(LogisticObjective(choose(X, codes), 2), 1e-14, np.zeros((1, 9))), 50)
    np.testing.assert_allclose(grown.weights, whole.weights, atol=1e-6)
    assert grown.n_iter <= whole.n_iter


def test_weights_are_repeated_rows_and_float32_is_read_as_it_is():
    X, codes = table()
    weight = np.random.default_rng(3).integers(0, 4, len(codes))
    repeated = np.repeat(np.arange(len(codes)), weight)
    W = solve(X, codes, weight=weight).weights
    np.testing.assert_allclose(solve(X[repeated], codes[repeated]).weights, W, atol=1e-7)
    single = X.astype(np.float32)
    exact = solve(single.astype(np.float64), codes).weights
    np.testing.assert_allclose(solve(single, codes).weights, exact, atol=1e-6)


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    X, codes = table(60_000, 20)
    results = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("LINSCOPE_THREADS", threads)
        results.append(solve(X, codes, tol=1e-8).weights)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


@pytest.mark.parametrize("rho", [0.0, 1.0])
def test_the_stopping_rule_keeps_its_promise(rho):
    X, codes = table(500, 6)
    best = solve(X, codes, rho=rho, tol=1e-14).details["point"].value
    for tol in (1e-2, 1e-4, 1e-6, 1e-8):
        assert solve(X, codes, rho=rho, tol=tol).details["point"].value - best <= 2 * tol * best
