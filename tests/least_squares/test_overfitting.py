"""Polynomial fits: exact, nested, and the figure marks the degree that predicts best."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit, cross_val_predict
from sklearn.pipeline import make_pipeline

import linscope as ls
from linscope.validation.polynomial_fits import polynomial as polynomial_of
from tests.figures import drawn


def polynomial(degree):
    return polynomial_of(degree, ls.LinearRegression())


def curve(n=30, seed=1):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0, 6, n))
    return x[:, None], 3 * np.sin(x) + 0.4 * x + 0.6 * rng.normal(size=n)


def test_a_parabola_in_a_pipeline_is_found_exactly():
    x = np.arange(-4.0, 5.0)
    y = 1.5 - 2 * x + 0.25 * x**2
    model = make_pipeline(ls.PolynomialFeatures(2, include_bias=False), ls.LinearRegression())
    model.fit(x[:, None], y)
    assert model[-1].coef_.tolist() == [-2.0, 0.25]
    assert model[-1].intercept_ == 1.5
    assert model[-1].certificate_.verify(model[:-1].transform(x[:, None]), y)


@pytest.mark.parametrize("degree", [1, 4, 9])
def test_fits_are_those_of_numpy(degree):
    X, y = curve()
    expected = np.polynomial.Polynomial.fit(X[:, 0], y, degree)
    np.testing.assert_allclose(
        polynomial(degree).fit(X, y).predict(X), expected(X[:, 0]), atol=1e-9
    )


def test_years_do_not_spoil_the_powers():
    years = np.arange(1990.0, 2020.0)[:, None]
    y = curve()[1]
    expected = polynomial(8).fit(years - 2005, y).predict(years - 2005)
    np.testing.assert_allclose(polynomial(8).fit(years, y).predict(years), expected, rtol=1e-10)


def test_errors_by_degree():
    X, y = curve()
    display = ls.plot.overfitting(X, y)
    assert display.degrees.tolist() == list(range(1, 13))
    assert (np.diff(display.train) <= 1e-12).all()  # each degree contains the ones below it
    assert (display.validation >= display.train).all()
    assert display.best == display.degrees[display.validation.argmin()] == 3
    assert display.terms.tolist() == list(range(2, 14))
    parts = KFold(5, shuffle=True, random_state=0)
    for degree, error in zip(display.degrees, display.validation, strict=True):
        predicted = cross_val_predict(polynomial(int(degree)), X, y, cv=parts)
        assert np.sqrt(np.mean((y - predicted) ** 2)) == pytest.approx(error, rel=1e-9)


@pytest.mark.slow
def test_the_figure():
    X, y = curve()
    display = ls.plot.overfitting(X, y)
    assert display.shown == [1, 3, 12]
    text = drawn(display)
    assert "Degree 3 predicts best; degree 12 fits better and predicts worse" in text
    for panel in ("degree 1: under-fits", "degree 3: best", "degree 12: over-fits"):
        assert panel in text
    assert display.ax_.get_yscale() == "log"
    np.testing.assert_allclose(
        display.curves[1], polynomial(3).fit(X, y).predict(display.places[:, None])
    )


@pytest.mark.slow
def test_samples_kept_back():
    X, y = curve(40)
    display = ls.plot.overfitting(X[::2], y[::2], degrees=[1, 2, 3], validation=(X[1::2], y[1::2]))
    error = y[1::2] - polynomial(2).fit(X[::2], y[::2]).predict(X[1::2])
    assert display.validation[1] == pytest.approx(np.sqrt(np.mean(error**2)), rel=1e-12)
    assert display.how == "20 kept back"
    assert display.ax_.get_yscale() == "linear"
    assert "Degree 3 predicts best of all that were tried" in drawn(display)


@pytest.mark.slow
def test_several_features():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=150)
    frame = pd.DataFrame(X, columns=["a", "b"])
    display = ls.plot.overfitting(frame, pd.Series(y, name="product"), degrees=[1, 2, 3, 4, 5])
    assert display.best > 1
    assert display.validation[1] < display.validation[0] / 3  # the product is of degree 2
    assert display.terms.tolist() == [3, 6, 10, 15, 21]
    assert display.names == ("a", "product")
    assert len(display.places) == 0
    drawn(display)
    assert display.axes_[1].get_xlabel() == "product"


@pytest.mark.slow
def test_more_terms_than_samples():
    X, y = ls.datasets.load("five_points")
    display = ls.plot.overfitting(X, y, degrees=[1, 2, 4, 6], cv=LeaveOneOut())
    np.testing.assert_allclose(display.train[2:], 0, atol=1e-9)
    assert display.how == "5-fold cross-validation"
    drawn(display)
    assert ls.plot.overfitting(X, y).degrees.tolist() == [1, 2, 3]


def test_axes_of_ones_own():
    X, y = curve()
    display = ls.plot.overfitting(X, y, degrees=[1, 3], ax=Figure().subplots(1, 3))
    assert len(display.axes_) == 3
    assert len(ls.plot.overfitting(X, y, degrees=[3]).axes_) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"degrees": []}, "degrees must be whole numbers from 1"),
        ({"degrees": [0, 1]}, "degrees must be whole numbers from 1"),
        ({"degrees": [1.5]}, "degrees must be whole numbers from 1"),
        ({"degrees": [2000]}, "2,001 terms"),
        ({"cv": 1}, "cv=1, but it must be from 2 to the 30 samples"),
        ({"cv": ShuffleSplit(3)}, "must predict each sample once"),
        ({"validation": (1, 2, 3)}, "the pair"),
        ({"validation": (np.ones((3, 2)), np.ones(3))}, "validation has 2 features"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(ValueError, match=message):
        ls.plot.overfitting(*curve(), **options)


def test_bad_targets():
    X, y = curve()
    with pytest.raises(ValueError, match="one number per row"):
        ls.plot.overfitting(X, y[:-1])
    with pytest.raises(ValueError, match="NaN"):
        ls.plot.overfitting(X, np.where(y > 3, np.nan, y))
