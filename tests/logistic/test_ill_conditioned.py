"""Columns that nearly depend on each other: Newton's method on factors of the rows."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import linscope as ls
from linscope.engines import choose
from linscope.logistic.solvers.objective import LogisticObjective
from linscope.results import Status


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_the_root_of_the_hessian_is_one(n_classes, intercept):
    rng = np.random.default_rng(n_classes)
    X, y = rng.normal(size=(30, 4)), rng.integers(0, n_classes, 30)
    y[:n_classes] = range(n_classes)
    engine = choose(X, y, rng.random(30) + 0.5)
    objective = LogisticObjective(
        engine, n_classes, rho=np.array([1.0, 2.0, 3.0, 4.0]), intercept=intercept
    )
    W = rng.normal(size=objective.shape)
    W[:, 0] *= intercept
    point = objective.evaluate(W)
    root, H = objective.hessian_root(point), objective.hessian(point)
    V = rng.normal(size=(5, *objective.shape))
    if n_classes > 2:  # what classes have in common changes no probability
        V -= V.mean(axis=1, keepdims=True)
    V = V.reshape(5, -1)
    np.testing.assert_allclose(V @ root.T @ root @ V.T, V @ H @ V.T, rtol=1e-10, atol=1e-10)


def polynomials(name, degree, standardised):
    data = load_iris() if name.startswith("iris") else load_breast_cancer()
    y = (data.target == 1).astype(int) if name == "iris" else data.target
    X = StandardScaler().fit_transform(data.data[:, :2])
    X = PolynomialFeatures(degree, include_bias=False).fit_transform(X)
    return (StandardScaler().fit_transform(X) if standardised else X), y


@pytest.mark.parametrize("standardised", [False, True])
@pytest.mark.parametrize("degree", [8, 10])
@pytest.mark.parametrize("name", ["iris", "iris, 3 classes", "breast_cancer"])
def test_polynomials_of_high_degree_come_to_the_minimum(name, degree, standardised):
    X, y = polynomials(name, degree, standardised)
    model = ls.LogisticRegression(C=1e6).fit(X, y)
    claim = model.certificate_
    assert claim.gap <= 1e-7 * claim.primal
    assert model.verify(X, y).claim_holds
    assert model.n_iter_[0] < 400


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_polynomials_as_they_are_come_near():
    """Columns from 1 to 1e7, H of condition 1e18: no step is made on rounding alone."""
    data = load_iris()
    X, y = data.data[:, :2], (data.target == 1).astype(int)
    X = PolynomialFeatures(8, include_bias=False).fit_transform(X)
    model = ls.LogisticRegression(C=1e6).fit(X, y)
    claim = model.certificate_
    assert claim.gap <= 1e-5 * claim.primal
    assert model.n_iter_[0] < 300
    assert model.verify(X, y).claim_holds


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("options", [{"penalty": "l1"}, {"penalty": "elasticnet", "l1_ratio": 0.5}])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_weak_l1_penalty_on_dependent_columns_takes_few_steps(seed, options):
    """Two of 20 columns are combinations of others: only the penalty tells their weights."""
    X, y = make_classification(500, 20, random_state=seed)
    model = ls.LogisticRegression(C=1e6, max_iter=200, **options).fit(X, y)
    claim = model.certificate_
    assert claim.gap <= 1e-4 * claim.primal
    assert model.n_iter_[0] < 100
    assert claim.status is not Status.MAX_ITER
    assert "max_iter" not in claim.advice
    assert model.verify(X, y).claim_holds
