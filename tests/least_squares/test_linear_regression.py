"""LinearRegression and Ridge: equivalences, streaming, moments, gradient solvers, bad input."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import linscope as ls
from linscope.fitting.training_rows import SMALL
from linscope.rows.threads import THREADS_VARIABLE


def table(n=80, d=4, targets=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.arange(1, d + 1) + np.arange(d)
    shape = n if targets is None else (n, targets)
    W = rng.standard_normal(d if targets is None else (d, targets))
    return X, X @ W + 3 + rng.standard_normal(shape)


def close(model, other, rtol=1e-14):
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=rtol)
    np.testing.assert_allclose(model.intercept_, other.intercept_, rtol=rtol)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 2.5])
@pytest.mark.parametrize("targets", [None, 1, 3])
@pytest.mark.parametrize("weighted", [True, False])
def test_same_answer_as_scikit_learn(intercept, alpha, targets, weighted):
    X, y = table(targets=targets)
    weight = np.random.default_rng(1).random(len(X)) if weighted else None
    ours = ls.Ridge(alpha, fit_intercept=intercept).fit(X, y, weight)
    theirs = sklearn.linear_model.Ridge(alpha, fit_intercept=intercept, solver="svd")
    theirs.fit(X, y, weight)
    if alpha == 0:
        plain = ls.LinearRegression(fit_intercept=intercept).fit(X, y, weight)
        close(ours, plain)
    np.testing.assert_allclose(ours.coef_, np.reshape(theirs.coef_, ours.coef_.shape), rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-12)
    expected = np.reshape(theirs.predict(X), np.shape(y))
    np.testing.assert_allclose(ours.predict(X), expected, rtol=1e-9)
    assert ours.certificate_.verify(X, y, weight)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), cuts=st.lists(st.integers(1, 39), max_size=4, unique=True))
def test_chunks_give_the_same_model(seed, cuts):
    X, y = table(40, 3, seed=seed)
    X += 1e6
    whole, parts = ls.LinearRegression().fit(X, y), ls.LinearRegression()
    for rows in np.split(np.arange(40), sorted(cuts)):
        parts.partial_fit(X[rows], y[rows])
    close(parts, whole)
    assert parts.certificate_.verify(X, y)
    np.testing.assert_allclose(
        parts.summary().standard_errors, whole.summary().standard_errors, rtol=1e-13
    )


def test_chunks_of_different_size_and_place():
    X, y = table(60)
    X[30:] = X[30:] * 1e3 + 1e5
    c = np.random.default_rng(2).random(60)
    whole, parts = ls.Ridge(0.1).fit(X, y, c), ls.Ridge(0.1)
    for rows in (slice(0, 30), slice(30, 59), slice(59, 60)):
        parts.partial_fit(X[rows], y[rows], c[rows])
    close(parts, whole)
    assert parts.certificate_.verify(X, y, c)


def test_merged_models_are_those_of_all_rows():
    X, y = table(50, targets=2)
    halves = [ls.LinearRegression().fit(X[rows], y[rows]) for rows in np.split(np.arange(50), [17])]
    before = halves[0].coef_.copy()
    both = halves[0].merge(halves[1])
    close(both, ls.LinearRegression().fit(X, y))
    assert both.certificate_.verify(X, y)
    np.testing.assert_array_equal(halves[0].coef_, before)
    with pytest.raises(ValueError, match="same parameters"):
        halves[0].merge(ls.LinearRegression(fit_intercept=False).fit(X, y))
    with pytest.raises(ValueError, match="targets"):
        halves[0].merge(ls.LinearRegression().fit(X, y[:, 0]))


@pytest.mark.parametrize("model", [ls.LinearRegression(), ls.Ridge(0.7)], ids=repr)
def test_weights_are_repeated_rows(model):
    X, y = table(30)
    times = np.random.default_rng(0).integers(0, 4, 30)
    a, b = (type(model)(**model.get_params()) for _ in range(2))
    close(a.fit(X, y, times), b.fit(np.repeat(X, times, axis=0), np.repeat(y, times)))


@pytest.mark.parametrize("format", ["csr_array", "csc_matrix", "coo_array"])
def test_sparse_tables(format):
    X, y = table()
    X[np.abs(X) < 2] = 0
    for model in (ls.LinearRegression(), ls.Ridge(), ls.LinearRegression(fit_intercept=False)):
        other = type(model)(**model.get_params())
        S = getattr(sp, format)(X)
        close(model.fit(S, y), other.fit(X, y))
        np.testing.assert_allclose(model.predict(S), other.predict(X), rtol=1e-13)
        assert model.certificate_.verify(S, y)


def test_ridge_goes_to_least_squares():
    X, y = table()
    plain = ls.LinearRegression().fit(X, y)
    close(ls.Ridge(1e-12).fit(X, y), plain, rtol=1e-11)
    lengths = [np.linalg.norm(ls.Ridge(a).fit(X, y).coef_) for a in (0.0, 1.0, 10.0, 1e3, 1e6)]
    assert lengths == sorted(lengths, reverse=True)


@pytest.mark.share(2)
@pytest.mark.parametrize("solver", ["batch", "mini-batch", "stochastic"])
@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_gradient_solvers_reach_the_exact_answer(solver, alpha):
    X, y = table(60, 2)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    exact = ls.Ridge(alpha).fit(X, y)
    options = {"tol": 1e-10} if solver == "batch" else {"average": True, "max_iter": 2000}
    model = ls.Ridge(alpha, solver=solver, random_state=0, **options)
    if solver == "batch":
        model.fit(X, y)
        close(model, exact, rtol=1e-8)
        assert model.certificate_.digits > 8
    else:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            model.fit(X, y)
        # the proven bound decides, not the limit of passes
        told = ["constant rate" in str(warning.message) for warning in seen]
        assert told == ([] if model.certificate_.ok else [True])
        np.testing.assert_allclose(model.coef_, exact.coef_, atol=0.05)
    assert model.certificate_.verify(X, y).claim_holds
    error = np.abs(np.r_[model.intercept_, model.coef_] - exact.result_.weights[0])
    assert (error <= model.certificate_.error[0] * 1.001 + exact.certificate_.error[0]).all()


def test_a_diverging_rate_is_explained():
    X, y = table()
    model = ls.LinearRegression(solver="batch", eta0=0.5)
    with pytest.warns(ConvergenceWarning, match=r"η = 0\.5 is above 2/λmax = "):
        model.fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.certificate_.status is ls.Status.DIVERGED
    assert "eta0='auto'" in model.certificate_.advice


def test_gradient_fits_refuse_statistics():
    X, y = table()
    model = ls.LinearRegression(solver="batch").fit(X / 5, y)
    assert "gradient descent" in str(model.summary())
    with pytest.raises(ValueError, match="solver='exact'"):
        model.predict_interval(X)
    with pytest.raises(AttributeError, match="has no attribute 'partial_fit'"):
        model.partial_fit(X, y)


def test_several_targets_are_single_targets():
    X, Y = table(targets=3)
    model = ls.LinearRegression().fit(X, Y)
    assert model.coef_.shape == (3, 4)
    assert model.predict(X).shape == Y.shape
    for k in range(3):
        one = ls.LinearRegression().fit(X, Y[:, k])
        np.testing.assert_allclose(model.coef_[k], one.coef_, rtol=1e-14)
        ours, its = model.summary(output=k), one.summary()
        np.testing.assert_allclose(ours.standard_errors, its.standard_errors, rtol=1e-13)
    assert len(model.equation()) == 3
    with pytest.raises(ValueError, match=r"output must be 0 … 2"):
        model.summary(output=3)


def test_float32_stays_float32():
    X, y = table()
    model = ls.LinearRegression().fit(X.astype(np.float32), y)
    assert model.coef_.dtype == model.predict(X.astype(np.float32)).dtype == np.float32
    # The sums are exact all the same.
    best = ls.LinearRegression().fit(X.astype(np.float32).astype(np.float64), y)
    np.testing.assert_array_equal(model.coef_, best.coef_.astype(np.float32))


@pytest.mark.parametrize("n", [50, 60_000])
def test_threads_do_not_change_a_bit(n, monkeypatch):
    X, y = table(n, 9)
    weights = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv(THREADS_VARIABLE, threads)
        weights.append(ls.LinearRegression().fit(X, y).result_.weights)
    np.testing.assert_array_equal(weights[0], weights[1])
    np.testing.assert_array_equal(weights[0], weights[2])


def test_moments_of_the_notes():
    model = ls.LinearRegression.from_moments(
        mean_x=45.13, mean_y=142.53, var_x=233.91, var_y=509.91, cov_xy=227.10
    )
    assert round(model.coef_[0], 2) == 0.97
    assert round(model.intercept_, 2) == 98.71
    assert model.summary().r == pytest.approx(227.10 / np.sqrt(233.91 * 509.91), rel=1e-12)
    assert model.predict([[45.13]])[0] == pytest.approx(142.53, rel=1e-14)


def test_moments_give_the_model_of_the_rows():
    X, y = table(targets=2)
    n, d = X.shape
    joint = np.cov(np.c_[X, y].T)
    model = ls.LinearRegression.from_moments(
        mean_x=X.mean(axis=0),
        mean_y=y.mean(axis=0),
        var_x=joint[:d, :d],
        cov_xy=joint[:d, d:],
        var_y=joint[d:, d:],
        n=n,
        feature_names=list("abcd"),
    )
    rows = ls.LinearRegression().fit(X, y)
    close(model, rows, rtol=1e-11)
    for k in range(2):
        ours, its = model.summary(output=k), rows.summary(output=k)
        np.testing.assert_allclose(ours.standard_errors, its.standard_errors, rtol=1e-10)
        assert ours.r2 == pytest.approx(its.r2, rel=1e-10)
    np.testing.assert_allclose(
        model.predict_interval(X[:3]), rows.predict_interval(X[:3]), rtol=1e-9
    )
    assert "·a" in model.equation()[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"var_x": [[1.0, 0.5], [0.4, 1.0]]}, "symmetric"),
        ({"var_x": [1.0, 1.0]}, "covariance matrix"),
        ({"var_x": [[-1.0, 0], [0, 1.0]]}, "negative"),
        ({"cov_xy": [5.0, 5.0]}, "impossible"),
        ({"cov_xy": [1.0]}, "shape"),
        ({"mean_x": [1.0, np.nan]}, "finite"),
        ({"n": 1}, "at least 2"),
        ({"var_y": -1.0}, "not negative"),
        ({"feature_names": ["a"]}, "1 feature names"),
    ],
)
def test_impossible_moments(change, message):
    given = {"mean_x": [1.0, 2.0], "mean_y": 3.0, "var_x": np.eye(2), "cov_xy": [0.1, 0.2]}
    with pytest.raises(ValueError, match=message):
        ls.LinearRegression.from_moments(**({"var_y": 1.0} | given | change))


def test_likelihood_has_its_maximum_at_least_squares():
    X, y = table()
    model = ls.LinearRegression().fit(X, y)
    w = np.r_[model.intercept_, model.coef_]
    best = model.log_likelihood()
    assert model.sigma2_ml_ == pytest.approx(np.mean((y - model.predict(X)) ** 2), rel=1e-12)
    assert model.log_likelihood(weights=w, sigma2=model.sigma2_ml_) == pytest.approx(best)
    rng = np.random.default_rng(0)
    for _ in range(20):
        other = w + 0.01 * rng.standard_normal(5)
        assert model.log_likelihood(weights=other) < best
        assert model.log_likelihood(weights=other, sigma2=model.sigma2_ml_) < best
    new = X[:5] + 1, y[:5]
    r = new[1] - model.predict(new[0])
    expected = -2.5 * np.log(2 * np.pi * 2.0) - (r @ r) / 4.0
    assert model.log_likelihood(*new, sigma2=2.0) == pytest.approx(expected)
    for sigma2 in (0.9 * model.sigma2_ml_, 1.1 * model.sigma2_ml_):
        assert model.log_likelihood(sigma2=sigma2) < best


def test_extreme_values():
    X, y = table()
    plain = ls.LinearRegression().fit(X, y)
    for scale in (2.0**500, 2.0**-500, 2.0**900):
        model = ls.LinearRegression().fit(X * scale, y)
        np.testing.assert_allclose(model.coef_ * scale, plain.coef_, rtol=1e-14)
    np.testing.assert_allclose(
        ls.LinearRegression().fit(X, y * 2.0**500).coef_ / 2.0**500, plain.coef_, rtol=1e-14
    )
    with pytest.raises(ValueError, match="range of floats"):
        ls.LinearRegression().fit(X * 2.0**-800, y * 2.0**800)


@pytest.mark.parametrize("solver", ["exact", "batch", "stochastic"])
@pytest.mark.parametrize("n", [80, 60_000])
def test_bad_numbers_are_named(solver, n):
    X, y = table(n)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.iloc[3, 2] = np.nan
    with pytest.raises(ValueError, match="X has NaN at row 3, column 'c'"):
        ls.LinearRegression(solver=solver).fit(frame, y)
    y[7] = np.inf
    with pytest.raises(ValueError, match="y has inf at row 7"):
        ls.LinearRegression(solver=solver).fit(X, y)


def test_bad_input():
    X, y = table()
    model = ls.LinearRegression()
    for bad, message in (
        (y[:-1], "80 rows, but y has 79"),
        (None, "requires y"),
        (np.zeros((80, 0)), "no columns|0 feature"),
        (["a"] * 80, "could not convert"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            model.fit(X, bad)
    with pytest.raises(ValueError, match="non-zero"):
        model.fit(X, y, np.zeros(80))
    with pytest.raises(ValueError, match="solver"):
        ls.LinearRegression(solver="newton").fit(X, y)
    with pytest.raises(ValueError, match="alpha"):
        ls.Ridge(alpha=-1).fit(X, y)
    with pytest.raises(NotFittedError):
        ls.LinearRegression().summary()


def test_the_rows_are_checked_before_a_diagnosis():
    X, y = table()
    model = ls.LinearRegression().fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="pass X and y"):
        again.diagnose()
    assert str(again.diagnose(X, y)) == str(model.diagnose())
    np.testing.assert_array_equal(again.summary().standard_errors, model.summary().standard_errors)
    before = str(model.diagnose())
    X[0, 0] += 1
    assert str(model.diagnose()) == before  # a small table is copied
    with pytest.raises(ValueError, match="not the data of the fit"):
        again.diagnose(X, y)
    X = np.random.default_rng(0).standard_normal((SMALL, 1))
    y = X[:, 0] ** 2
    large = ls.LinearRegression().fit(X, y)
    assert large.diagnose()
    X[0, 0] += 1
    with pytest.raises(ValueError, match="changed since"):
        large.diagnose()


def test_dependent_columns_are_a_verdict():
    X = np.random.default_rng(0).standard_normal((30, 2))
    model = ls.LinearRegression().fit(np.c_[X, X[:, 0]], X[:, 1] + X[:, 0] ** 2)
    verdict = model.diagnose().verdicts[-1]
    assert verdict.assumption == "collinearity"
    assert verdict.ok is False
    assert "x3 = x1" in verdict.sentence


def test_equations():
    X = pd.DataFrame({"age": [1.0, 2, 3, 4], "dose": [1.0, 0, 0, 1]})
    y = pd.Series(2 - X["age"] + 0.5 * X["dose"], name="pressure")
    assert ls.LinearRegression().fit(X, y).equation() == "pressure = 2 − age + 0.5·dose"
    assert ls.LinearRegression(fit_intercept=False).fit(X[["age"]], -X["age"]).equation() == (
        "age = −age"
    )


def test_impossible_moments_are_refused():
    with pytest.raises(ValueError, match="not positive semidefinite"):
        ls.LinearRegression.from_moments(
            mean_x=[0, 0], mean_y=0, var_x=[[1, 2], [2, 1]], cov_xy=[1, 1], var_y=9, n=10
        )
    with pytest.raises(ValueError, match="variance 0"):
        ls.LinearRegression.from_moments(mean_x=0, mean_y=0, var_x=0, cov_xy=1)


@pytest.mark.parametrize("solver", ["batch", "mini-batch", "stochastic"])
def test_descents_can_be_looked_at_though_they_have_no_likelihood_estimate(solver, quiet):
    model = ls.LinearRegression(solver=solver, tol=1e-3, random_state=0).fit(*table())
    assert "coef_" in dir(model)
    with pytest.raises(AttributeError, match="solver='exact'"):
        _ = model.sigma2_ml_


def test_a_partial_fit_does_not_warn_before_the_last_rows():
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([-1.0, 1, 1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ls.LinearRegression().partial_fit(X[:2], y[:2])
        model.partial_fit(X[2:], y[2:])
    assert model.certificate_.ok
    np.testing.assert_allclose(model.coef_, [1, 1], rtol=1e-15)
