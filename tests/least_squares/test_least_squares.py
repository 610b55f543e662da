"""The exact solver against rational arithmetic, and its certificates against the truth."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import linscope as ls
from linscope.engines import choose
from linscope.fitting.driver import run
from linscope.least_squares.solvers import choice as least_squares_choice
from linscope.least_squares.solvers import exact as least_squares
from linscope.least_squares.solvers import lsmr as iterative_least_squares
from linscope.least_squares.solvers.exact import LeastSquares
from linscope.least_squares.solvers.whole_numbers import rounded, whole_fit
from linscope.least_squares.solvers.wide import WideLeastSquares
from tests.linear_fits import NIST, nist
from tests.reference import digits, exact_least_squares


def constructed():
    """Tables that are hard on purpose: name -> X, y, fit_intercept."""
    rng = np.random.default_rng(7)
    x, noise = np.linspace(0, 1, 40), rng.standard_normal(40)
    far = 1e8 + rng.standard_normal((40, 3))
    scales = 10.0 ** np.array([-12, -6, 0, 6, 12])
    i, j = np.arange(20)[:, None], np.arange(12)[None, :]
    return {
        "vandermonde 8": (x[:, None] ** np.arange(1, 9), noise, True),
        "vandermonde 12": (x[:, None] ** np.arange(1, 13), noise, True),
        "shifted powers": ((x[:, None] - 6) ** np.arange(1, 7), noise, True),
        "hilbert 6": (1.0 / (i + j[:, :6] + 1), rng.standard_normal(20), False),
        "hilbert 10": (1.0 / (i + j[:, :10] + 1), rng.standard_normal(20), False),
        "hilbert 8 with intercept": (1.0 / (i + j[:, :8] + 2), rng.standard_normal(20), True),
        "far from 0": (far, noise, True),
        "far from 0, y too": (far * 1e4, 1e10 + noise, True),
        "far, through 0": (far, noise, False),
        "scales": (rng.standard_normal((40, 5)) * scales, noise, True),
        "scales and offsets": (rng.standard_normal((40, 5)) * scales + 1e3 * scales, noise, True),
        "nearly equal": (np.c_[far, far[:, 0] + 1e-6 * noise], noise[::-1].copy(), True),
        "1e150": (rng.standard_normal((30, 2)) * [1e150, 1e-150], 1e150 * noise[:30], True),
        "one feature": (x[:, None], noise, True),
        "exact line": (x[:, None], 3 * x, True),
    }


HARD = constructed()


@pytest.mark.parametrize("name", NIST)
def test_nist_sets_to_the_last_digits(name):
    X, y, intercept = nist(name)
    model = ls.LinearRegression(fit_intercept=intercept).fit(X, y)
    exact = exact_least_squares(X, y, fit_intercept=intercept)
    table = model.summary()
    assert min(map(digits, table.coefficients, exact.weights)) >= 15
    sigma2 = exact.rss / (len(y) - len(exact.weights))
    for error, inverse in zip(table.standard_errors, exact.inverse, strict=True):
        assert digits(error**2, sigma2 * inverse) >= 13
    assert digits(table.sigma**2, sigma2) >= 13
    assert model.certificate_.digits >= 15
    assert model.certificate_.verify(X, y)


@pytest.mark.share(3)
@pytest.mark.parametrize("name", HARD)
def test_hard_tables_to_the_last_digits(name):
    X, y, intercept = HARD[name]
    model = ls.LinearRegression(fit_intercept=intercept).fit(X, y)
    exact = exact_least_squares(X, y, fit_intercept=intercept)
    table = model.summary()
    assert min(map(digits, table.coefficients, exact.weights)) >= 15
    sigma2 = exact.rss / (len(y) - len(exact.weights))
    assert ("range of floats" in str(table)) == (name == "1e150")
    if name not in ("exact line", "1e150"):  # no residual, or squares beyond the range of floats
        for error, inverse in zip(table.standard_errors, exact.inverse, strict=True):
            assert digits(error**2, sigma2 * inverse) >= 13
        assert digits(table.sigma**2, sigma2) >= 13
    assert model.certificate_.verify(X, y)


def test_filip_is_near_the_certified_values_of_nist():
    # NIST takes powers of the decimals; the powers as floats move the answer in the 8th digit.
    X, y, _ = nist("filip")
    model = ls.LinearRegression().fit(X, y)
    assert model.intercept_ == pytest.approx(-1467.48961422980, rel=1e-6)
    assert model.coef_[-1] == pytest.approx(-0.402962525080404e-4, rel=1e-6)


def claims_hold(result, exact, fit_intercept):
    """No weight is further from the truth than claimed, nor is the objective."""
    facts = result.details["assess"](result.weights)
    first = int(not fit_intercept)
    for w, error, truth in zip(
        result.weights[0, first:], facts.error[0, first:], exact.weights, strict=True
    ):
        assert error == np.inf or abs(Fraction(float(w)) - truth) <= Fraction(float(error))
    return facts


@pytest.mark.share(2)
@pytest.mark.parametrize("cheap", [4_000_000, 0], ids=["double-double", "float"])
@pytest.mark.parametrize("name", [*HARD, *NIST])
def test_errors_are_never_worse_than_claimed(name, cheap, monkeypatch):
    monkeypatch.setattr(least_squares, "CHEAP_PRODUCTS", cheap)
    monkeypatch.setattr(least_squares, "whole_fit", lambda *args, **options: None)
    X, y, intercept = HARD[name] if name in HARD else nist(name)
    result = run(LeastSquares(choose(X, y[:, None]), fit_intercept=intercept), 20)
    facts = claims_hold(result, exact_least_squares(X, y, fit_intercept=intercept), intercept)
    # Without whole numbers nothing is proven about columns that are too close to dependent.
    assert np.isfinite(facts.error).all() == (result.details["unique"] is True)
    assert result.details["unique"] or result.details["condition"] > 1e4


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(6, 30),
    d=st.integers(1, 4),
    spread=st.integers(0, 9),
    offset=st.sampled_from([0.0, 1.0, 1e4, 1e8]),
    intercept=st.booleans(),
    alpha=st.sampled_from([0.0, 0.0, 1e-6, 0.7]),
    weighted=st.booleans(),
)
def test_claims_on_random_tables(seed, n, d, spread, offset, intercept, alpha, weighted):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-spread, spread + 1, d) + offset
    X[:, -1] += 10.0 ** rng.integers(0, 6) * X[:, 0]
    y = rng.standard_normal(n) * 10.0 ** rng.integers(-5, 6) + offset
    c = rng.random(n) + 0.01 if weighted else None
    solver = LeastSquares(choose(X, y[:, None], c), fit_intercept=intercept, alpha=alpha)
    result = run(solver, 20)
    if result.details["dependent"]:
        return
    exact = exact_least_squares(X, y, c, fit_intercept=intercept, alpha=alpha)
    claims_hold(result, exact, intercept)
    assert digits(result.details["rss"][0], exact.rss) >= 13


def test_the_fast_path_is_taken_and_vouched_for():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40_000, 12)) * np.arange(1, 13) + 2
    y = 5 + X @ np.arange(1.0, 13.0) + rng.standard_normal(40_000)
    model = ls.LinearRegression().fit(X, y)
    assert model.result_.details["path"] == "float"
    slow = LeastSquares(choose(X, y[:, None]))
    slow._quickly = lambda: None
    best = run(slow, 20)
    assert best.details["path"] == "double-double"
    error = np.abs(model.result_.weights - best.weights)
    assert (error <= model.certificate_.error).all()
    assert 9 < model.certificate_.digits < 16
    assert model.certificate_.verify(X, y)


def test_whole_numbers_are_exact():
    rng = np.random.default_rng(1)
    X, c = rng.standard_normal((9, 3)), rng.random(9)
    y = rng.standard_normal(9)
    for intercept in (True, False):
        for alpha in (0.0, 0.1):
            fit = whole_fit(choose(X, y[:, None], c), fit_intercept=intercept, alpha=alpha)
            exact = exact_least_squares(X, y, c, fit_intercept=intercept, alpha=alpha)
            first = int(not intercept)
            assert rounded(fit)[0, first:].tolist() == [float(w) for w in exact.weights]
            assert fit.least_squares.tolist() == [float(exact.rss)]
            assert fit.unique
    assert not whole_fit(
        choose(np.c_[X, X[:, 0]], y[:, None], c), fit_intercept=True, alpha=0.0
    ).unique


def minimum_norm(X, y, weight=None):
    """Centred least squares of least norm, by the singular value decomposition."""
    c = np.ones(len(y)) if weight is None else weight
    mean, centre = (c @ X) / c.sum(), (c @ y) / c.sum()
    root = np.sqrt(c)[:, None]
    w = np.linalg.lstsq(root * (X - mean), root[:, 0] * (y - centre), rcond=1e-12)[0]
    return w, centre - mean @ w


def dependent_tables():
    """To the last bit: name -> table and sentence."""
    rng = np.random.default_rng(3)
    X, whole = rng.standard_normal((40, 3)), rng.integers(-99, 99, (40, 3)).astype(float)
    return {
        "duplicate": (np.c_[X, X[:, 1]], "x4 = x2"),
        "sum": (np.c_[whole, whole[:, 0] + whole[:, 2]], "x4 = x1 + x3"),
        "constant": (np.c_[X, np.full(40, 0.1)], "x4 is constant"),
        "zero": (np.c_[X, np.zeros(40)], "x4 is constant"),
        "thirds": (np.c_[3 * whole[:, :1], whole[:, 0] - 7], "x2 = -7 + 0.333333·x1"),
        "scaled": (np.c_[X, 2.0**-30 * X[:, 0]], "x4 = 9.31323e-10·x1"),
        "dummies": (np.eye(4)[rng.integers(4, size=40)], "x4 = 1 − x1 − x2 − x3"),
    }


@pytest.mark.parametrize("name", dependent_tables())
def test_dependent_columns_are_named(name):
    X, sentence = dependent_tables()[name]
    y = np.random.default_rng(5).standard_normal(len(X))
    model = ls.LinearRegression().fit(X, y)
    assert model.certificate_.dependent == [sentence.replace("= -", "= −")]
    assert model.certificate_.status is ls.Status.RANK_DEFICIENT
    assert model.rank_ == X.shape[1] - 1
    w, b = minimum_norm(X, y)
    if name != "scaled":  # lstsq drops the small column instead
        np.testing.assert_allclose(model.coef_, w, rtol=1e-9, atol=1e-12)
        assert model.intercept_ == pytest.approx(b, rel=1e-9, abs=1e-12)
    assert model.certificate_.verify(X, y)
    low, high = model.predict_interval(X[:1])[0]
    assert low < model.predict(X[:1])[0] < high
    assert "Dependent columns" in str(model.summary())


def test_rank_decision_does_not_depend_on_units():
    rng = np.random.default_rng(0)
    X = rng.integers(-99, 99, (50, 4)).astype(float)
    X[:, 3] = X[:, 0] - 2 * X[:, 1]
    for scale in ([1, 1, 1, 1], [2.0**-40, 2.0**30, 1, 2.0**50]):
        assert ls.LinearRegression().fit(X * np.array(scale), X[:, 2]).rank_ == 3
    X[:, 3] += 1e-9 * rng.standard_normal(50)
    assert ls.LinearRegression().fit(X, X[:, 2]).rank_ == 4


@pytest.mark.parametrize(("n", "d"), [(5, 8), (12, 12), (1, 3), (3, 1)])
def test_fewer_rows_than_columns(n, d):
    rng = np.random.default_rng(n)
    X, y = rng.standard_normal((n, d)) + 3, rng.standard_normal(n)
    model = ls.LinearRegression().fit(X, y)
    w, b = minimum_norm(X, y)
    np.testing.assert_allclose(model.coef_, w, rtol=1e-9, atol=1e-12)
    assert model.intercept_ == pytest.approx(b)
    assert model.certificate_.verify(X, y)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.5])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_wide_side_agrees(intercept, alpha, weighted):
    rng = np.random.default_rng(2)
    X, Y = rng.standard_normal((20, 50)) + 4, rng.standard_normal((20, 2))
    c = rng.random(20) if weighted else np.zeros(0)
    wide = run(WideLeastSquares(X, Y, c, intercept, alpha), 20)
    tall = run(LeastSquares(choose(X, Y, c), intercept, alpha), 20)
    np.testing.assert_allclose(wide.weights, tall.weights, rtol=1e-9, atol=1e-11)
    held = wide.details["assess"](wide.weights)
    error = np.abs(wide.weights - tall.weights)
    assert (error <= held.error + tall.details["assess"](tall.weights).error).all()
    assert (held.gap <= 1e-15 * held.tss).all()


@pytest.mark.slow
def test_the_wide_side_with_dependent_rows():
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((20, 50)), rng.standard_normal(20)
    X, y = np.r_[X, X[:4]], np.r_[y, y[:4] + 1]
    w, b = minimum_norm(X, y)
    result = run(WideLeastSquares(X, y[:, None]), 20)
    np.testing.assert_allclose(result.weights[0], np.r_[b, w], rtol=1e-9, atol=1e-12)
    assert result.details["rank"] is None
    model = ls.LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, w, rtol=1e-9, atol=1e-12)
    assert model.rank_ == 19
    assert model.certificate_.status is ls.Status.RANK_DEFICIENT
    assert model.certificate_.verify(X, y)


@pytest.mark.parametrize("path", ["QR", "rows", "LSMR"])
def test_other_paths_through_the_estimator(path, monkeypatch):
    rng = np.random.default_rng(4)
    shape = (12, 40) if path == "rows" else (60, 8)
    X, y = rng.standard_normal(shape), rng.standard_normal(shape[0])
    expected = ls.LinearRegression().fit(X, y)
    limit = 4 if path == "QR" else 10
    monkeypatch.setattr(least_squares, "MOST_EXACT_COLUMNS", limit)
    monkeypatch.setattr(least_squares, "CHEAP_PRODUCTS", 0)
    monkeypatch.setattr(LeastSquares, "_quickly", lambda self: None)
    monkeypatch.setattr(least_squares, "whole_fit", lambda *args, **options: None)
    if path == "LSMR":
        monkeypatch.setattr(least_squares_choice, "too_large", lambda *_: True)
    for alpha in (0.0, 0.3):
        model = ls.Ridge(alpha=alpha).fit(X, y)
        assert model.result_.details["path"] == path
        assert model.certificate_.verify(X, y)
        if alpha == 0:
            np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9, atol=1e-11)
        nudged = replace(model.certificate_, weights=model.certificate_.weights * (1 + 1e-6))
        assert not nudged.verify(X, y).claim_holds


def test_sparse_tables_too_large_for_a_gram_matrix(monkeypatch):
    monkeypatch.setattr(iterative_least_squares, "lsmr", iterative_least_squares.lsmr)
    X = sp.random_array((300, 60), density=0.2, format="csr", random_state=0)
    y = np.random.default_rng(0).standard_normal(300)
    expected = ls.LinearRegression().fit(X, y)
    monkeypatch.setattr(least_squares_choice, "too_large", lambda *_: True)
    model = ls.LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-8, atol=1e-10)
    assert model.certificate_.digits is None
    assert model.certificate_.verify(X, y)


def fitted(alpha=0.0, weight=None):
    rng = np.random.default_rng(11)
    X = rng.standard_normal((50, 3)) * [1, 100, 1e-3] + [0, 5, 0]
    y = X @ [1.0, -0.5, 30.0] + 2 + rng.standard_normal(50)
    model = ls.Ridge(alpha=alpha).fit(X, y, weight)
    return model, X, y


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_nudged_weights_are_rejected(alpha):
    model, X, y = fitted(alpha)
    claim = model.certificate_
    assert claim.verify(X, y)
    for j in range(4):
        for nudge in (1e-14, 1e-9, 0.1):
            w = claim.weights.copy()
            w[0, j] *= 1 + nudge
            assert not replace(claim, weights=w).verify(X, y).claim_holds, (j, nudge)


def test_changed_rows_are_rejected():
    model, X, y = fitted()
    claim = model.certificate_
    for change in (1e-9, 1.0):
        X2, y2 = X.copy(), y.copy()
        X2[7, 1] += change
        y2[7] += change
        assert not claim.verify(X2, y).claim_holds
        assert not claim.verify(X, y2).claim_holds
    assert not claim.verify(X[:-1], y[:-1]).claim_holds
    assert "49 rows, y has 50 entries" in claim.verify(X[:-1], y).reason
    assert not claim.verify(X[:, :2], y).claim_holds
    assert not claim.verify(X, np.where(np.arange(50) == 3, np.nan, y)).claim_holds


def test_forged_claims_are_rejected():
    model, X, y = fitted()
    claim = model.certificate_
    assert not replace(claim, rss=claim.rss * (1 + 1e-6)).verify(X, y).claim_holds
    assert not replace(claim, alpha=1.0).verify(X, y).claim_holds
    assert not replace(claim, rank=2).verify(X, y).claim_holds
    assert not replace(claim, weights=np.full((1, 4), np.nan)).verify(X, y).claim_holds
    assert not replace(claim, fit_intercept=False).verify(X, y).claim_holds
    nudged = replace(claim, weights=claim.weights * (1 + 1e-7))
    assert not nudged.verify(X, y).claim_holds
    assert not replace(nudged, error=nudged.error * 10).verify(X, y).claim_holds
    # A descent that stopped early must not claim digits that it does not have.
    early = ls.LinearRegression(solver="batch", tol=1e-3).fit(X / [1, 100, 1e-3], y)
    honest = early.certificate_
    assert honest.verify(X / [1, 100, 1e-3], y)
    assert not replace(honest, error=honest.error / 2).verify(X / [1, 100, 1e-3], y).claim_holds


def test_a_longer_solution_is_rejected():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 2))
    X = np.c_[X, X[:, 0]]
    y = rng.standard_normal(30)
    claim = ls.LinearRegression().fit(X, y).certificate_
    w = claim.weights.copy()
    w[0, 1] += 0.5
    w[0, 3] -= 0.5
    assert claim.verify(X, y)
    assert "shortest solution" in replace(claim, weights=w).verify(X, y).reason


def test_weighted_claims_need_their_weights():
    weight = np.random.default_rng(1).random(50)
    weight[:5] = 0
    model, X, y = fitted(weight=weight)
    assert model.certificate_.verify(X, y, weight)
    assert "sample_weight" in model.certificate_.verify(X, y).reason
    assert not model.certificate_.verify(X, y, weight[::-1]).claim_holds


def test_without_intercept_weights_far_from_the_mean_of_the_rows():
    """Sums about the mean of the rows would cancel: the heavy rows are nowhere near it."""
    X = np.array([[1e28], [2.0], [3.0]])
    y = np.array([1.0, 5.0, 7.0])
    weight = np.array([1e-12, 1e12, 1e12])
    model = ls.LinearRegression(fit_intercept=False).fit(X, y, sample_weight=weight)
    exact = exact_least_squares(X, y, weight, fit_intercept=False)
    assert digits(model.coef_[0], exact.weights[0]) > 15.5
    assert model.certificate_.verify(X, y, weight)
    parts = ls.LinearRegression(fit_intercept=False)
    for rows in (slice(0, 1), slice(1, 3)):
        parts.partial_fit(X[rows], y[rows], sample_weight=weight[rows])
    assert digits(parts.coef_[0], exact.weights[0]) > 15.5


def hold(X, y, weight=None, **options):
    """Fit; every weight is within its claimed error of the exact one, and the claim is verified."""
    model = ls.Ridge(**{"alpha": 0.0} | options).fit(X, y, sample_weight=weight)
    claim = model.certificate_
    exact = exact_least_squares(X, y, weight, **options).weights
    used = slice(0 if options.get("fit_intercept", True) else 1, None)
    for w, error, truth in zip(claim.weights[0, used], claim.error[0, used], exact, strict=True):
        assert abs(Fraction(float(w)) - truth) <= Fraction(float(error))
    assert claim.verify(X, y, weight)
    return model


@pytest.mark.slow
def test_errors_bound_the_last_rounding_too():
    """The bound is a bound in exact arithmetic, not up to its own rounding."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        n, d = int(rng.integers(3, 9)), int(rng.integers(1, 3))
        hold(rng.standard_normal((n, d)) + 1e3, rng.standard_normal(n))


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e200])
def test_weights_far_from_1(size):
    rng = np.random.default_rng(1)
    X, y, c = rng.standard_normal((9, 2)), rng.standard_normal(9), rng.integers(1, 4, 9)
    model = hold(X, y, size * c)
    plain = ls.LinearRegression().fit(X, y, sample_weight=c)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-15)
    model = ls.LinearRegression().fit(X, y, sample_weight=size * c)
    np.testing.assert_allclose(
        model.summary().standard_errors, plain.summary().standard_errors, rtol=1e-13
    )
    with pytest.raises(ValueError, match="multiply all weights"):
        ls.LinearRegression().partial_fit(X, y, sample_weight=size * c)


def test_rank_deficient_fits_far_from_0_are_verified():
    rng = np.random.default_rng(2)
    X, noise = rng.standard_normal((8, 3)), rng.standard_normal(8)
    zero = np.c_[X, np.zeros(8)]
    huge = np.c_[X, np.full(8, 1e200)]
    far, wide = (1e12 + X[:3], noise[:3]), (X[:2], noise[:2])
    for A, y in [(zero, 1e12 + noise), (huge, noise), far, wide]:
        model = ls.LinearRegression().fit(A, y)
        assert model.certificate_.dependent
        assert model.rank_ < len(A)
        assert model.certificate_.verify(A, y).claim_holds


def test_a_penalty_larger_than_the_columns():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((6, 2)) * [1e-150, 1.0], rng.standard_normal(6)
    for alpha in (1e100, 1e300):
        hold(X, y, alpha=alpha)


def test_residuals_whose_squares_are_no_floats():
    with pytest.raises(ValueError, match="divide y"):
        ls.LinearRegression().fit([[0.0], [1.0], [2.0]], [1e200, -1e200, 1e200])
