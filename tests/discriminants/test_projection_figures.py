"""Figures of projections, outliers and ordinal codes: drawn, and checked against the numbers."""

import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure

import linscope as ls
from tests.figures import drawn


def two_classes(d=2, n=60, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, d))
    X[:, -1] += 1.5 * X[:, 0] + y
    X[:, 0] += y
    return X, np.array(["left", "right"])[y]


class TestProjection:
    @pytest.mark.parametrize("d", [1, 2, 5])
    def test_two_classes(self, d):
        X, y = two_classes(d)
        model = ls.FisherDiscriminant().fit(X, y)
        display = ls.plot.projection(model, X, y)
        assert display.panels == (4 if d == 2 else 2)
        text = drawn(display)
        assert "left" in text
        assert "mean ± spread" in text
        naive = ls.FisherDiscriminant(mean_difference=True).fit(X, y)
        np.testing.assert_allclose(display.criteria, [naive.criterion_, model.criterion_])
        np.testing.assert_allclose(np.abs(display.directions[1]), np.abs(model.direction_))
        for panel in range(2):  # projections, up to shift and scale
            z = X @ display.directions[panel]
            assert np.corrcoef(z, display.values[panel])[0, 1] == pytest.approx(1.0)
        if d > 1:
            assert "separates better" in display.title

    @pytest.mark.slow
    def test_other_linear_models(self):
        X, y = two_classes()
        for model in (
            ls.LeastSquaresClassifier(),
            ls.GaussianNaiveBayes(shared_variance=True),
            ls.Perceptron(rule="batch", output="pocket", max_iter=20),
        ):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*max_iter.*")
                display = ls.plot.projection(model.fit(X, y), X, y)
            assert type(model).__name__ in drawn(display)
            assert display.criteria[1] <= ls.FisherDiscriminant().fit(X, y).criterion_ * (1 + 1e-9)
        same = ls.plot.projection(ls.FisherDiscriminant(mean_difference=True).fit(X, y), X, y)
        assert "equally well" in same.title

    def test_many_classes(self):
        X, y = ls.datasets.load("wine")
        model = ls.FisherDiscriminant().fit(X, y)
        display = ls.plot.projection(model, X, y)
        np.testing.assert_allclose(display.values, model.transform(X), atol=1e-9)
        np.testing.assert_allclose(display.ratio, model.explained_variance_ratio_, rtol=1e-9)
        assert "discriminant 1" in drawn(display)
        assert "100 %" in display.title

    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    def test_errors(self):
        X, y = two_classes()
        with pytest.raises(ValueError, match="different variances"):
            ls.plot.projection(ls.GaussianNaiveBayes().fit(X, y), X, y)
        with pytest.raises(ValueError, match="no weights"):
            ls.plot.projection(ls.KernelPerceptron().fit(X, y), X, y)
        with pytest.raises(ValueError, match="weights, X has 3"):
            ls.plot.projection(ls.FisherDiscriminant().fit(X, y), np.zeros((60, 3)), y)
        iris, kinds = ls.datasets.load("iris")
        with pytest.raises(ValueError, match="no directions for 3 classes"):
            ls.plot.projection(ls.LeastSquaresClassifier().fit(iris, kinds), iris, kinds)
        model = ls.FisherDiscriminant().fit(iris[:, :1], kinds)
        with pytest.raises(ValueError, match="one direction only"):
            ls.plot.projection(model, iris[:, :1], kinds)


class TestOutliers:
    @pytest.mark.slow
    def test_the_example(self):
        display = ls.plot.outliers()
        text = drawn(display)
        assert "least squares: 0 → 9 mistakes" in text
        assert "least squares and Fisher" in display.title
        names = display.models
        assert {"least squares", "Fisher", "perceptron"} <= set(names)
        assert not display.wrong[0].any()
        assert display.wrong[1, names.index("perceptron")] == 0
        assert "Huber's loss: 0 → 1 mistake" in text

    def test_regressors_are_fitted_to_signs(self):
        models = {"squares": ls.LinearRegression(), "classifier": ls.LeastSquaresClassifier()}
        display = ls.plot.outliers(models=models | {"Huber": ls.HuberRegressor(epsilon=1.1)})
        np.testing.assert_allclose(display.lines[:, 0], display.lines[:, 1], atol=1e-9)
        assert display.wrong.tolist() == [[0, 0, 0], [9, 9, 1]]
        assert display.title.endswith("spoil squares and classifier")

    def test_lines_are_the_boundaries_of_the_fits(self):
        X, y = two_classes()
        far = np.array([[9.0, 9.0], [10.0, 8.0]])
        model = ls.LeastSquaresClassifier()
        display = ls.plot.outliers(X, y, far, models={"ours": model})
        drawn(display)
        tables = [(X, y), (np.vstack([X, far]), np.r_[y, ["right"] * 2])]
        for table, ends in zip(tables, display.lines[:, 0], strict=True):
            np.testing.assert_allclose(model.fit(*table).decision_function(ends), 0, atol=1e-9)
        near = ls.plot.outliers(X, y, X[y == "right"][:1], models={"ours": model})
        assert "1 outlier" in near.title

    def test_errors(self):
        X, y = two_classes()
        with pytest.raises(ValueError, match="all of X, y and outliers"):
            ls.plot.outliers(X, y)
        with pytest.raises(ValueError, match="about two"):
            ls.plot.outliers(*two_classes(3), [[1.0, 1.0, 1.0]])
        with pytest.raises(ValueError, match=r"shape \(m, 2\)"):
            ls.plot.outliers(X, y, [1.0, 2.0])


class TestOrdinalCodes:
    @pytest.mark.slow
    def test_the_example(self):
        display = ls.plot.ordinal_codes()
        assert display.wrong.sum(axis=1).tolist() == [159, 1]
        assert "1-of-K" in drawn(display)

    def test_mistakes_are_those_of_the_two_regressions(self):
        X, y = ls.datasets.load("iris")
        display = ls.plot.ordinal_codes(X, y, features=(0, 2))
        drawn(display)
        rounded = np.rint(ls.LinearRegression().fit(X, y).predict(X))
        np.testing.assert_array_equal(display.wrong[0], np.clip(rounded, 0, 2) != y)
        one_of_k = ls.LeastSquaresClassifier().fit(X, y).predict(X)
        np.testing.assert_array_equal(display.wrong[1], one_of_k != y)

    def test_mistakes_that_are_equally_bad_look_different_to_codes(self):
        """The notes: a target of 4 taken for 1 or for 3 is wrong either way, but 4 − 1 > 4 − 3."""
        target, first, second = 4, 1, 3
        assert target - first > target - second
        one_of_k = np.eye(4)
        errors = [((one_of_k[target - 1] - one_of_k[c - 1]) ** 2).sum() for c in (first, second)]
        assert errors[0] == errors[1]

    def test_errors_and_axes_of_the_caller(self):
        with pytest.raises(ValueError, match="both X and y"):
            ls.plot.ordinal_codes([[1.0], [2.0]])
        axes = Figure().subplots(1, 2)
        assert ls.plot.ordinal_codes(ax=axes).ax_ is axes[0]
