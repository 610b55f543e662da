"""HuberRegressor: against scikit-learn and linear programs; degenerate tables, forgeries."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import HuberRegressor as Reference

import linscope as ls
from linscope.least_squares.verify.huber_bounds import measure
from linscope.results import Status


def objective(w, b, sigma, X, y, c=1.0, epsilon=1.35, alpha=0.0):
    """The formula of scikit-learn's user guide; σ = 0 is its limit."""
    r = np.abs(y - X @ w - b)
    if sigma == 0:
        return float(np.sum(c * 2 * epsilon * r) + alpha * w @ w)
    z = r / sigma
    H = np.where(z <= epsilon, z**2, 2 * epsilon * z - epsilon**2)
    return float(np.sum(c * (sigma + sigma * H)) + alpha * w @ w)


def of(model, X, y, c=1.0, **options):
    return objective(model.coef_, model.intercept_, model.scale_, X, y, c, **options)


def table(seed=0, n=80, d=3, share=0.1, size=30.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * rng.uniform(0.1, 10.0, d) + 3.0
    y = X @ rng.standard_normal(d) + 1.0 + 0.5 * rng.standard_normal(n)
    wild = rng.random(n) < share
    return X, y + wild * size * (1.0 + rng.standard_normal(n))


def fitted(X, y, c=None, **options):
    """A fit whose claim is ok and holds."""
    model = ls.HuberRegressor(**options).fit(X, y, c)
    assert model.certificate_.ok, model.certificate_
    check = model.verify(X, y, c)
    assert check, check.reason
    return model


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("alpha", [0.0, 1e-4, 10.0])
@pytest.mark.parametrize("epsilon", [1.05, 1.35, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_objective_is_not_above_that_of_scikit_learn(seed, epsilon, alpha):
    X, y = table(seed)
    options = {"epsilon": epsilon, "alpha": alpha}
    theirs = Reference(tol=1e-10, max_iter=10_000, **options).fit(X, y)
    ours = fitted(X, y, **options)
    value, other = of(ours, X, y, **options), of(theirs, X, y, **options)
    assert value <= other * (1 + 1e-12)
    assert value == pytest.approx(ours.certificate_.primal, rel=1e-12)
    assert ours.certificate_.gap <= 1e-8 * value
    assert other >= ours.certificate_.dual
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=2e-2)


def test_diabetes_has_the_weights_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    theirs = Reference(alpha=0.0, tol=1e-12, max_iter=100_000).fit(1000 * X, y)
    ours = fitted(X, y)
    np.testing.assert_allclose(ours.coef_ / 1000, theirs.coef_, rtol=1e-3, atol=1e-4)
    assert ours.scale_ == pytest.approx(theirs.scale_, rel=1e-4)
    assert (ours.outliers_ == theirs.outliers_).mean() > 0.99


def test_without_outliers_it_is_least_squares():
    X, y = table(share=0.0)
    ours, squares = fitted(X, y, epsilon=100.0), ls.LinearRegression().fit(X, y)
    np.testing.assert_allclose(ours.coef_, squares.coef_, rtol=1e-9)
    assert ours.scale_ == pytest.approx(np.sqrt(np.mean((y - squares.predict(X)) ** 2)), rel=1e-9)
    assert not ours.outliers_.any()


def test_three_points_by_hand():
    # no features that vary: σ² is the mean of the residuals cut at εσ, squared
    X, y = np.zeros((3, 1)), np.array([-1.0, 1.0, 3.0])
    model = fitted(X, y, epsilon=2.0)
    assert model.intercept_ == pytest.approx(1.0)
    assert model.scale_ == pytest.approx(np.sqrt(8 / 3))


@pytest.mark.parametrize("seed", range(8))
def test_where_the_scale_is_zero_it_is_least_absolute_deviations(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 7))
    n = d + 3
    X, y = rng.standard_normal((n, d)), rng.standard_cauchy(n)
    ours = fitted(X, y)
    rows = np.column_stack([np.ones(n), X, np.eye(n), -np.eye(n)])
    cost = np.r_[np.zeros(d + 1), np.full(2 * n, 2.7)]
    bounds = [(None, None)] * (d + 1) + [(0, None)] * (2 * n)
    least = linprog(cost, A_eq=rows, b_eq=y, bounds=bounds).fun
    assert of(ours, X, y) <= least * (1 + 1e-9)
    if ours.scale_ < 1e-9:
        assert of(ours, X, y) == pytest.approx(least, rel=1e-9)


def exact(X):
    return X @ np.arange(1.0, X.shape[1] + 1) + 4.0


DEGENERATE = {
    "an exact fit": lambda X, y: (X, exact(X)),
    "an exact fit of most": lambda X, y: (X, np.r_[y[:20], exact(X)[20:]]),
    "constant y": lambda X, y: (X, np.full(len(y), 7.0)),
    "y is 0": lambda X, y: (X, 0.0 * y),
    "one row": lambda X, y: (X[:1], y[:1]),
    "two rows": lambda X, y: (X[:2], y[:2]),
    "as many rows as weights": lambda X, y: (X[:4], y[:4]),
    "fewer rows than columns": lambda X, y: (np.tile(X[:2], 4), y[:2]),
    "a column twice": lambda X, y: (np.column_stack([X, X[:, 0]]), y),
    "a constant column": lambda X, y: (np.column_stack([X, np.ones(len(y))]), y),
    "rows twice": lambda X, y: (np.r_[X, X], np.r_[y, y]),
    "tiny y": lambda X, y: (X, 1e-300 * y),
    "huge y": lambda X, y: (X, 1e300 * y),
    "tiny X": lambda X, y: (1e-150 * X, y),
    "huge X": lambda X, y: (1e150 * X, y),
    "columns of all sizes": lambda X, y: (X * [1e-100, 1.0, 1e100], y),
    "far from 0": lambda X, y: (X + 1e8, y),
    "a row far away": lambda X, y: (np.r_[X, 1e6 * X[:1]], np.r_[y, 0.0]),
    "whole numbers": lambda X, y: (np.round(X), np.round(y)),
    "more outliers than others": lambda X, y: (X, np.where(np.arange(len(y)) < 50, 99 * y**2, y)),
    "float32": lambda X, y: (X.astype(np.float32), y),
    "float32, exact": lambda X, y: (X.astype(np.float32), exact(X.astype(np.float32))),
    "sparse": lambda X, y: (sp.csr_array(np.where(np.abs(X) < 2, 0.0, X)), y),
}


@pytest.mark.parametrize("alpha", [0.0, 0.5])
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_tables_are_certified(name, alpha):
    X, y = DEGENERATE[name](*table())
    model = fitted(X, y, alpha=alpha)
    assert model.outliers_.shape == (len(y),)
    if "exact" in name and alpha == 0 and "most" not in name:
        assert not model.outliers_.any()


def test_what_cannot_be_proven_is_not_claimed():
    X, y = table()
    rng = np.random.default_rng(0)
    nearly = np.column_stack([X, X[:, 0] * (1 + 1e-15 * rng.standard_normal(len(y)))])
    with pytest.warns(ConvergenceWarning, match="above its minimum"):
        model = ls.HuberRegressor().fit(nearly, y)
    assert model.certificate_.status is Status.STALLED
    assert model.verify(nearly, y).claim_holds
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        model = ls.HuberRegressor(max_iter=1).fit(X, y)
    assert model.certificate_.status is Status.MAX_ITER
    assert model.verify(X, y).claim_holds


def test_weights():
    X, y = table()
    c = np.arange(len(y)) % 4.0
    weighted = fitted(X, y, c)
    repeated = fitted(np.repeat(X, c.astype(int), axis=0), np.repeat(y, c.astype(int)))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)
    assert weighted.scale_ == pytest.approx(repeated.scale_, rel=1e-9)
    assert len(weighted.outliers_) == len(y)
    scaled = fitted(X, y, 1e200 * c)
    np.testing.assert_allclose(scaled.coef_, weighted.coef_, rtol=1e-9)
    assert not weighted.certificate_.verify(X, y).claim_holds  # it needs the weights


def test_no_point_is_below_the_bound():
    rng = np.random.default_rng(3)
    X, y = table(5)
    for alpha in (0.0, 2.0):
        model = fitted(X, y, alpha=alpha)
        for size in (1e-3, 1e-1, 1.0):
            for step in size * rng.standard_normal((30, 5)):
                w, b = model.coef_ + step[:3], model.intercept_ + step[3]
                sigma = model.scale_ * np.exp(step[4])
                assert objective(w, b, sigma, X, y, alpha=alpha) >= model.certificate_.dual


@pytest.mark.share(2)
@pytest.mark.parametrize("alpha", [0.0, 0.3])
def test_a_bound_far_from_the_minimum_still_holds(alpha):
    X, y = table(7, n=30)
    best = fitted(X, y, alpha=alpha).certificate_.primal
    rng = np.random.default_rng(0)
    for _ in range(40):
        found = measure(
            X, y, np.ones(30), weights=5 * rng.standard_normal(4), scale=rng.uniform(0, 9.0),
            epsilon=1.35, alpha=alpha, fit_intercept=True, tolerance=1e-6, single=False,
        )  # fmt: skip
        assert found.dual <= best * (1 + 1e-12)
        assert found.primal.high >= best


@pytest.mark.parametrize(
    "forged",
    [
        {"scale": 1.0}, {"gap": 0.0}, {"dual": 1e9}, {"epsilon": 1.0}, {"tolerance": 0.5},
        {"alpha": 1.0}, {"single": True}, {"kkt": 0.0}, {"status": Status.SOLVED},
        {"status": Status.MAX_ITER}, {"outliers": np.ones(80, bool)}, {"outliers": None},
        {"outliers": np.zeros(80, bool)}, {"weights": np.zeros(4)}, {"weights": np.zeros(3)},
    ],
    ids=str,
)  # fmt: skip
def test_forgeries_are_rejected_with_a_reason(forged):
    X, y = table()
    check = replace(fitted(X, y).certificate_, **forged).verify(X, y)
    assert not check.claim_holds
    assert check.reason


def test_changed_attributes_are_noticed():
    X, y = table()
    model = fitted(X, y)
    model.outliers_ = ~model.outliers_
    assert not model.verify(X, y).claim_holds
    model = fitted(X, y)
    model.scale_ *= 1.01
    assert not model.verify(X, y).claim_holds


def test_many_rows_start_from_a_share_of_them():
    X, y = table(n=60_000)
    ours = fitted(X, y)
    few = fitted(X[::20], y[::20])
    assert of(ours, X, y) <= of(few, X, y)
    assert ours.certificate_.gap <= 1e-7 * ours.certificate_.primal


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 1.0}, "epsilon.*range"),
        ({"epsilon": 0.5}, "epsilon.*range"),
        ({"alpha": -1.0}, "alpha.*range"),
        ({"max_iter": 0}, "max_iter.*range"),
        ({"tol": 0.0}, "tol.*range"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        ls.HuberRegressor(**options).fit(*table())


def test_bad_data():
    X, y = table()
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        ls.HuberRegressor().fit(bad, y)
    with pytest.raises(ValueError, match="NaN"):
        ls.HuberRegressor().fit(X, np.where(np.arange(80) == 5, np.nan, y))
    with pytest.raises(ValueError, match="1d array"):
        ls.HuberRegressor().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="columns"):
        ls.HuberRegressor().fit(np.zeros((2, 6000)), [0.0, 1.0])


def test_it_prints_what_it_knows():
    X, y = table()
    model = fitted(X, y)
    assert repr(model) == "HuberRegressor()"
    text = str(model.certificate_)
    assert "Converged: the objective is within tolerance of its minimum" in text
    assert f"outliers: {model.outliers_.sum()} of 80 (residual above 1.35·scale)" in text
    assert model.equation().startswith("y = ")
