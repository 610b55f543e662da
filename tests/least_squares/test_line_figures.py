"""Straight lines: with residuals, from moments, with normal curves, by the sign of the slope."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression as Other

import linscope as ls
from tests.figures import drawn
from tests.linear_fits import noisy

MOMENTS = ls.datasets.load("sbp_age").moments


def five():
    return ls.LinearRegression().fit(*ls.datasets.load("five_points"))


class TestFromMoments:
    def test_the_notes_line_of_blood_pressure(self):
        model = ls.LinearRegression.from_moments(**MOMENTS, feature_names=["age"])
        display = ls.plot.line_fit(model)
        text = drawn(display)
        assert "ŷ = 98.71 + 0.9709·age" in text
        assert "means (x̄, ȳ) = (45.13, 142.5)" in text
        assert display.means == pytest.approx((45.13, 142.53))
        assert display.ax_.get_xlabel() == "age"
        # most ages are within 2.5 standard deviations
        reach = 2.5 * np.sqrt(233.91)
        assert display.places[[0, -1]] == pytest.approx([45.13 - reach, 45.13 + reach])
        at = pd.DataFrame({"age": display.places})
        np.testing.assert_allclose(display.line, model.predict(at))
        assert len(display.x) == len(display.confidence) == 0
        assert "residual" not in text

    def test_a_trace_of_moments_is_drawn_too(self):
        run = ls.trace(ls.LinearRegression(), ls.datasets.load("sbp_age"))
        assert run.plot().title.startswith("ŷ = 98.71 + 0.9709·age")

    def test_with_n_there_are_bands_and_curves(self):
        x, y = np.arange(12.0), np.array([1.0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 12])
        cov = np.cov(x, y)
        moments = {"mean_x": x.mean(), "mean_y": y.mean(), "var_x": cov[0, 0], "n": 12}
        model = ls.LinearRegression.from_moments(**moments, var_y=cov[1, 1], cov_xy=cov[0, 1])
        display, full = ls.plot.line_fit(model), ls.LinearRegression().fit(x[:, None], y)
        expected = full.predict_interval(display.places[:, None], kind="prediction")
        np.testing.assert_allclose(display.prediction, expected, rtol=1e-9)
        sigma = ls.plot.normal_curves(full).sigma
        assert ls.plot.normal_curves(model).sigma == pytest.approx(sigma)

    def test_a_loaded_model_has_moments_and_no_rows(self):
        model = pickle.loads(pickle.dumps(five()))
        display = ls.plot.line_fit(model)
        assert len(display.x) == 0
        assert display.means == pytest.approx((1.8, 3.2))
        expected = five().predict_interval(display.places[:, None])
        np.testing.assert_allclose(display.confidence, expected)

    def test_without_the_variance_of_y_there_is_no_r2(self):
        known = {key: value for key, value in MOMENTS.items() if key != "var_y"}
        assert "R²" not in ls.plot.line_fit(ls.LinearRegression.from_moments(**known)).title


class TestResidualLabels:
    def test_all_of_a_few(self):
        text = drawn(ls.plot.line_fit(five()))
        # printed in the notes, but for 0.24, which they have as 0.25 from rounded weights
        for value in ("−0.27", "0.57", "0.05", "−0.59", "0.24"):
            assert f"| {value} |" in f"| {text} |"

    def test_one_is_worked_out(self):
        display = ls.plot.line_fit(five(), residual=3)
        assert display.worked == "at x = 3: y − ŷ = 4 − 4.59 = −0.59"
        text = drawn(display)
        assert display.worked in text
        assert "0.57" not in text

    def test_a_negative_prediction_is_added(self):
        X, y = [[0.0], [1.0], [2.0], [3.0]], [-3.0, -2.4, -1.0, 0.0]
        worked = ls.plot.line_fit(ls.LinearRegression().fit(X, y), residual=1).worked
        # ŷ = −3.16 + 1.04·x = −2.12 at x = 1
        assert worked == "at x = 1: y − ŷ = −2.4 + 2.12 = −0.28"

    def test_rows_keep_their_numbers(self):
        X, y = noisy(20, 1)
        weight = np.r_[0.0, np.ones(19)]
        display = ls.plot.line_fit(ls.LinearRegression().fit(X, y, weight), residual=7)
        assert display.x[display.labelled[0]] == X[7, 0]
        with pytest.raises(ValueError, match="residual=0 is not the number of a sample"):
            ls.plot.line_fit(ls.LinearRegression().fit(X, y, weight), residual=0)
        assert len(ls.plot.line_fit(ls.LinearRegression().fit(X, y)).labelled) == 0
        with pytest.raises(ValueError, match="only moments are known"):
            ls.plot.line_fit(ls.LinearRegression.from_moments(**MOMENTS), residual=0)

    @pytest.mark.parametrize("size", [1e-9, 1e9, 0.0])
    def test_tiny_large_and_no_residuals(self, size):
        X, y = np.arange(4.0)[:, None], np.array([0.0, 1.0, 2.0, 3.0])
        model = ls.LinearRegression().fit(X, y + size * np.array([1, -1, -1, 1]))
        assert drawn(ls.plot.line_fit(model)).count("1e−09") == (4 if size == 1e-9 else 0)


class TestNames:
    def test_a_feature_without_a_name_is_x(self):
        X, y = ls.datasets.load("five_points")
        assert ls.plot.line_fit(five()).names == ("x", "y")
        assert ls.plot.line_fit(Other().fit(X, y), X, y).names == ("x", "y")

    def test_names_of_a_frame(self):
        frame = pd.DataFrame({"x1": [1.0, 2, 4], "SBP": [1.0, 3, 4]})
        model = ls.LinearRegression().fit(frame[["x1"]], frame["SBP"])
        display = ls.plot.line_fit(model)
        assert display.names == ("x1", "SBP")
        assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("x1", "SBP")


def test_classifiers_are_refused_but_a_line_on_labels_is_not():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 0, 1, 1])
    for figure in (ls.plot.line_fit, ls.plot.residuals, ls.plot.normal_curves):
        with pytest.raises(TypeError, match="LogisticRegression is a classifier"):
            figure(ls.LogisticRegression().fit(X, y), X, y)
    display = ls.plot.line_fit(ls.LinearRegression().fit(X, y))
    assert display.line.max() > 1  # why a line is a poor probability
    assert display.title.startswith("ŷ = 0.2·x,")  # and no crumbs of rounding for the intercept 0
    drawn(display)


class TestNormalCurves:
    def test_density_and_spread(self):
        X, y = noisy(60, 1)
        model = ls.LinearRegression().fit(X, y)
        display = ls.plot.normal_curves(model)
        fit = stats.linregress(X[:, 0], y)
        e = y - (fit.intercept + fit.slope * X[:, 0])
        sigma = np.sqrt(e @ e / 58)
        assert display.sigma == pytest.approx(sigma)
        np.testing.assert_allclose(display.density, stats.norm.pdf(display.away, scale=sigma))
        np.testing.assert_allclose(display.centres, model.predict(display.at[:, None]))
        assert display.at[[0, -1]].tolist() == [X.min(), X.max()]
        assert "the same σ everywhere" in drawn(display)

    def test_curves_where_they_are_wanted(self):
        display = ls.plot.normal_curves(five(), at=[2.0, 0.0])
        np.testing.assert_allclose(display.centres, five().predict([[0.0], [2.0]]))
        drawn(display)
        drawn(ls.plot.normal_curves(five(), at=9.0))

    def test_refuses(self):
        with pytest.raises(ValueError, match="no normal curves: the fit is penalised"):
            ls.plot.normal_curves(ls.Ridge().fit(*ls.datasets.load("five_points")))
        with pytest.raises(ValueError, match="number of rows n is not known"):
            ls.plot.normal_curves(ls.LinearRegression.from_moments(**MOMENTS))
        with pytest.raises(ValueError, match="at must be finite"):
            ls.plot.normal_curves(five(), at=[np.nan])
        with pytest.raises(ValueError, match="lie on the line"):
            ls.plot.normal_curves(ls.LinearRegression().fit([[0.0], [1.0], [2.0]], [0, 1, 2]))


class TestSlopes:
    def test_three_lines(self):
        display = ls.plot.slopes()
        text = drawn(display)
        assert len(display.axes_) == 3
        for words in ("positive slope: β₁ > 0", "zero slope: β₁ = 0", "negative slope: β₁ < 0"):
            assert words in text
        for ax, slope in zip(display.axes_, (0.6, 0.0, -0.6), strict=True):
            x, y = ax.lines[0].get_data()
            assert np.polyfit(x, y, 1) == pytest.approx([slope, 3.0])

    def test_lines_of_ones_own(self):
        display = ls.plot.slopes([2.0, -1.0], intercept=-4)
        assert display.words == ["positive slope", "negative slope"]
        assert "β₀ = −4" in drawn(display)
        drawn(ls.plot.slopes([0.0]))

    def test_refuses(self):
        with pytest.raises(ValueError, match="slopes must be finite numbers"):
            ls.plot.slopes([np.inf])
        with pytest.raises(ValueError, match="intercept must be a finite number"):
            ls.plot.slopes(intercept=np.nan)
