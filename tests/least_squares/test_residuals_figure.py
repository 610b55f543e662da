"""Figures of regressions: what they show is checked against its definition."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import statsmodels.api as sm
from scipy import stats
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Lasso
from sklearn.linear_model import LinearRegression as Other
from sklearn.tree import DecisionTreeRegressor

import linscope as ls
from linscope.least_squares.figures.lowess import smooth
from tests.figures import drawn
from tests.linear_fits import design, fit_of, noisy, weights


class TestResiduals:
    def test_four_panels(self):
        X, y = noisy()
        display = ls.plot.residuals(ls.LinearRegression().fit(X, y))
        text = drawn(display)
        for word in ("Linearity", "Normality", "Equal spread", "Influence", "120 rows"):
            assert word in text
        assert len(display.axes_) == 4
        influence = sm.OLS(y, design(X)).fit().get_influence()
        r = influence.resid_studentized_internal
        np.testing.assert_allclose(display.values.standardized, r, rtol=1e-9)
        assert display.extreme.tolist() == np.argsort(-np.abs(r))[:3].tolist()
        cook = influence.cooks_distance[0]
        assert display.influential.tolist() == np.argsort(-cook)[:3].tolist()
        for row in display.extreme:
            assert str(row) in text

    def test_quantiles_are_those_of_a_normal_sample(self):
        display = ls.plot.residuals(ls.LinearRegression().fit(*noisy()))
        r, q = display.values.standardized, display.quantiles
        order = np.argsort(r)
        np.testing.assert_allclose(q[order], stats.norm.ppf((np.arange(120) + 0.5) / 120))

    @pytest.mark.slow
    def test_cook_contours(self):
        """A row beyond the line of D = 1 has a Cook's distance above 1."""
        X, y = noisy(60, 1)
        X[13], y[13] = 12.0, -20.0
        display = ls.plot.residuals(fit_of(X, y))
        text = drawn(display)
        assert "D = 0.5" in text
        values = display.values
        lines = [line for line in display.axes_[3].lines if len(line.get_xdata()) == 1000]
        assert len(lines) == 4
        h, r = lines[-1].get_data()
        limit = np.interp(values.leverages[13], h, np.abs(r))
        assert (abs(values.standardized[13]) > limit) == (values.cooks_distance[13] > 1)
        assert f"D ≤ {values.cooks_distance.max():.2g}" in text
        assert "D = " not in drawn(ls.plot.residuals(fit_of(*noisy(1000))))

    @pytest.mark.slow
    def test_rows_keep_their_numbers(self):
        X, y = noisy(60)
        y[40] += 30
        weight = np.ones(60)
        weight[:10] = 0
        display = ls.plot.residuals(ls.LinearRegression().fit(X, y, weight))
        assert display.numbers[display.extreme[0]] == 40
        assert "40" in drawn(display)
        assert display.values.n == 50

    @pytest.mark.slow
    def test_many_rows_are_thinned_but_the_extreme_stay(self):
        X, y = noisy(20_000, 2, fan=0.3)
        display = ls.plot.residuals(fit_of(X, y))
        assert len(display.shown) < 5000
        assert set(display.extreme) <= set(display.shown)
        assert set(display.influential) <= set(display.shown)
        assert f"20,000 rows ({len(display.shown):,} shown)" in drawn(display)

    @pytest.mark.parametrize("model", [ls.Ridge(alpha=2.0), Lasso(alpha=0.1), Other()])
    def test_other_linear_models(self, model):
        X, y = noisy()
        model.fit(X, y)
        values = ls.plot.residuals(model, X, y).values
        np.testing.assert_allclose(values.residuals, y - model.predict(X), atol=1e-9)
        A = design(X)
        np.testing.assert_allclose(values.leverages, np.diag(A @ np.linalg.pinv(A)), rtol=1e-8)

    def test_repeated_and_constant_columns(self):
        X, y = noisy()
        more = np.column_stack([X, X[:, 0], np.ones(len(X))])
        display = ls.plot.residuals(ls.LinearRegression().fit(more, y))
        expected = ls.plot.residuals(ls.LinearRegression().fit(X, y))
        np.testing.assert_allclose(display.values.leverages, expected.values.leverages, rtol=1e-7)

    def test_weights_and_sparse(self):
        X, y = noisy()
        c = weights(len(y))
        dense = ls.plot.residuals(ls.LinearRegression().fit(X, y, c)).values
        sparse = ls.plot.residuals(ls.LinearRegression().fit(sp.csr_array(X), y, c)).values
        np.testing.assert_allclose(dense.cooks_distance, sparse.cooks_distance, rtol=1e-8)

    def test_several_targets(self):
        X, y = noisy()
        model = ls.LinearRegression().fit(X, np.column_stack([y, -2 * y]))
        one, two = (ls.plot.residuals(model, output=k).values for k in (0, 1))
        np.testing.assert_allclose(two.residuals, -2 * one.residuals, rtol=1e-8, atol=1e-12)

    @pytest.mark.slow
    @pytest.mark.parametrize("target", ["$y_1$", "_hidden", "a name " * 30])
    def test_odd_names(self, target):
        drawn(ls.plot.residuals(fit_of(*noisy(), target=target)))

    def test_five_points(self):
        X, y = ls.datasets.load("five_points")
        assert "5 rows" in drawn(ls.plot.residuals(ls.LinearRegression().fit(X, y)))

    def test_refuses(self):
        X, y = noisy()
        with pytest.raises(TypeError, match="linear model with coef_"):
            ls.plot.residuals(DecisionTreeRegressor().fit(X, y), X, y)
        with pytest.raises(TypeError, match="LogisticRegression is a classifier"):
            ls.plot.residuals(ls.LogisticRegression().fit(X, y > 0), X, y > 0)
        with pytest.raises(ValueError, match="Lasso does not keep its data: give X and y"):
            ls.plot.residuals(Lasso().fit(X, y))
        with pytest.raises(ValueError, match="one target and a coefficient per feature"):
            ls.plot.residuals(Lasso().fit(X, y), X[:, :2], y)
        with pytest.raises(ValueError, match="X has NaN at row 0"):
            ls.plot.residuals(Lasso().fit(X, y), np.full_like(X, np.nan), y)
        with pytest.raises(ValueError, match="the fit is exact"):
            ls.plot.residuals(fit_of(X, X.sum(axis=1)))
        with pytest.raises(ValueError, match="4 rows leave no residuals"):
            ls.plot.residuals(ls.LinearRegression().fit(X[:4], y[:4]))


class TestLineFit:
    def test_notes_line(self):
        X, y = ls.datasets.load("five_points")
        model = ls.LinearRegression().fit(X, y)
        display = ls.plot.line_fit(model)
        text = drawn(display)
        assert "ŷ = 1.108 + 1.162·x" in text
        assert "residual" in text
        assert "95 % confidence" in text
        # at x = 3: 4 − 4.59 = −0.59
        assert round((display.y - display.fitted)[3], 2) == -0.59
        places = display.places[:, None]
        for kind in ("confidence", "prediction"):
            expected = model.predict_interval(places, kind=kind)
            np.testing.assert_allclose(getattr(display, kind), expected)
        np.testing.assert_allclose(display.line, model.predict(places))

    def test_many_points_and_no_bands(self):
        X, y = noisy(400, 1)
        assert "residual" not in drawn(ls.plot.line_fit(fit_of(X, y), level=0.5))
        ridge = ls.plot.line_fit(ls.Ridge(alpha=100.0).fit(X, y))
        assert len(ridge.confidence) == 0
        assert "confidence" not in drawn(ridge)
        big = ls.plot.line_fit(fit_of(*noisy(6000, 1)))
        assert len(big.x) == 6000
        drawn(big)

    def test_through_the_origin(self):
        X, y = noisy(30, 1)
        display = ls.plot.line_fit(ls.LinearRegression(fit_intercept=False).fit(X, -y))
        slope = float(X[:, 0] @ -y / (X[:, 0] @ X[:, 0]))
        assert display.weights == pytest.approx((0.0, slope))
        assert display.title.startswith("ŷ = −" if slope < 0 else "ŷ = ")
        assert "means" not in drawn(display)

    def test_refuses(self):
        with pytest.raises(ValueError, match="3 features, and a line has one"):
            ls.plot.line_fit(fit_of(*noisy()))
        steps = ls.LinearRegression(solver="batch").fit(*ls.datasets.load("five_points"))
        model = pickle.loads(pickle.dumps(steps))
        with pytest.raises(ValueError, match="rows are not at hand"):
            ls.plot.line_fit(model)
        with pytest.raises(NotFittedError):
            ls.plot.line_fit(ls.LinearRegression())
        with pytest.raises(ValueError, match="level must be between 0 and 1"):
            ls.plot.line_fit(fit_of(*noisy(d=1)), level=2)


class TestSmoother:
    def test_agrees_with_lowess(self):
        rng = np.random.default_rng(0)
        x = np.sort(rng.uniform(0, 6, size=90))
        y = np.sin(x) + 0.2 * rng.normal(size=90)
        places, curve = smooth(x, y, rounds=0)
        expected = sm.nonparametric.lowess(y, x, frac=2 / 3, it=0, delta=0.0, return_sorted=False)
        np.testing.assert_allclose(curve, expected[np.searchsorted(x, places)], atol=1e-8)
        _, robust = smooth(x, y, rounds=2)
        expected = sm.nonparametric.lowess(y, x, frac=2 / 3, it=2, delta=0.0, return_sorted=False)
        np.testing.assert_allclose(robust, expected[np.searchsorted(x, places)], atol=1e-8)

    def test_an_outlier_does_not_pull_the_curve(self):
        x = np.linspace(0, 1, 50)
        y = 2 * x
        y[25] = 100.0
        _, curve = smooth(x, y)
        np.testing.assert_allclose(curve, 2 * x, atol=1e-6)

    def test_few_or_equal_values_have_no_curve(self):
        assert len(smooth(np.arange(5.0), np.arange(5.0))[0]) == 0
        assert len(smooth(np.zeros(50), np.arange(50.0))[0]) == 0

    def test_many_equal_values(self):
        x = np.r_[np.zeros(500), np.arange(1.0, 30)]
        _, curve = smooth(x, 3 * x)
        assert np.isfinite(curve).all()

    def test_many_points(self):
        x = np.random.default_rng(0).normal(size=100_000)
        places, curve = smooth(x, 1 + 2 * x)
        np.testing.assert_allclose(curve, 1 + 2 * places, atol=1e-8)
