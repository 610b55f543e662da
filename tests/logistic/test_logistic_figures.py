"""Figures of logistic regression: the sigmoid, steepening, and boundaries that over-fit."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.special import expit
from sklearn.linear_model import LogisticRegression as Other
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures
from sklearn.svm import SVC

import linscope as ls
from tests.figures import drawn

HOURS, PASSED = np.arange(1.0, 7.0)[:, None], np.array([0, 0, 1, 0, 1, 1])


class TestSigmoid:
    def test_the_curve_and_its_derivative(self):
        display = ls.plot.sigmoid()
        np.testing.assert_allclose(display.values, expit(display.places), rtol=1e-14)
        h = 1e-5
        rise = expit(display.places + h) - expit(display.places - h)
        np.testing.assert_allclose(display.slopes, rise / (2 * h), atol=1e-9)
        assert display.slopes.max() == 0.25
        text = drawn(display)
        assert "σ(0) = ½" in text
        assert "σ′(0) = ¼" in text

    def test_the_table(self):
        table = ls.plot.sigmoid().table
        for p, odds, log_odds in zip(table.p, table.odds, table.log_odds, strict=True):
            if 0 < p < 1:
                exact = Fraction(str(p)) / (1 - Fraction(str(p)))
                assert odds == pytest.approx(float(exact), rel=1e-14)
                assert log_odds == pytest.approx(math.log(exact), abs=1e-14)
        # the notes: p = 0 → −∞, ½ → 0, 1 → +∞
        known = dict(zip(table.p.tolist(), table.log_odds.tolist(), strict=True))
        assert (known[0.0], known[0.5], known[1.0]) == (-math.inf, 0.0, math.inf)
        assert "−∞" in str(table)
        assert table.to_frame("pandas")["odds"][5] == 3
        assert r"\infty" in table.to_latex()
        assert "∞" in table.to_html()


class TestProbabilities:
    @pytest.mark.parametrize("kind", [ls.LogisticRegression, Other])
    def test_one_feature(self, kind):
        model = kind(C=10.0).fit(HOURS, PASSED)
        display = ls.plot.sigmoid(model, HOURS, PASSED)
        expected = model.predict_proba(display.places[:, None])[:, 1]
        np.testing.assert_allclose(display.values, expected, rtol=1e-9)
        assert model.predict_proba([[display.threshold]])[0, 1] == pytest.approx(0.5)
        assert display.wrong.tolist() == [False, False, True, True, False, False]
        text = drawn(display)
        assert "is 0.5 at x = 3.5" in text
        assert "wrong" in text

    def test_several_features_along_the_score(self):
        X, y = ls.datasets.load("breast_cancer")
        model = ls.LogisticRegression().fit(X[:, :3], y)
        display = ls.plot.sigmoid(model)
        np.testing.assert_allclose(expit(display.at), model.predict_proba(X[:, :3])[:, 1])
        assert display.wrong.sum() == (model.predict(X[:, :3]) != y).sum()
        assert display.ax_.get_xlabel() == "w·x"
        drawn(display)

    def test_names_and_labels(self):
        frame, y = pd.DataFrame({"hours": HOURS[:, 0]}), np.where(PASSED, "yes", "no")
        for display in (
            ls.plot.sigmoid(ls.LogisticRegression().fit(frame, y)),
            ls.plot.sigmoid(ls.LogisticRegression().fit(frame, y), frame, y),
        ):
            assert display.ax_.get_xlabel() == "hours"
            assert display.ax_.get_ylabel() == "P(yes | x)"
            drawn(display)

    def test_a_threshold_far_away_or_nowhere(self):
        rare = ls.LogisticRegression(C=0.001).fit(HOURS, [0, 0, 0, 0, 0, 1])
        display = ls.plot.sigmoid(rare)
        assert display.places.max() < 10 < display.threshold
        drawn(display)
        flat = ls.LogisticRegression().fit([[0.0], [0.0], [0.0]], [0, 0, 1])
        assert "everywhere" in drawn(ls.plot.sigmoid(flat))

    def test_refuses(self):
        X, y = ls.datasets.load("iris")
        with pytest.raises(TypeError, match="of two classes, got LogisticRegression of 3 classes"):
            ls.plot.sigmoid(ls.LogisticRegression().fit(X, y))
        with pytest.raises(TypeError, match="logistic regression of two classes, got SVC"):
            ls.plot.sigmoid(SVC().fit(HOURS, PASSED))
        with pytest.raises(TypeError, match="got Perceptron"):
            ls.plot.sigmoid(ls.Perceptron().fit(HOURS, HOURS[:, 0] > 3), HOURS, PASSED)
        model = ls.LogisticRegression().fit(HOURS, PASSED)
        with pytest.raises(ValueError, match="needs its samples here: pass X and y"):
            ls.plot.sigmoid(pickle.loads(pickle.dumps(model)))
        with pytest.raises(ValueError, match="X has 4 features, but the model has 1"):
            ls.plot.sigmoid(model, X[:100], y[:100])
        with pytest.raises(ValueError, match="of a fitted model"):
            ls.plot.sigmoid(X=HOURS, y=PASSED)


class TestSteepening:
    def test_weights_grow_and_the_loss_falls_to_0(self):
        display = ls.plot.steepening()
        assert (np.diff(display.weights[:, 1]) > 0).all()
        assert (np.diff(display.losses) < 0).all()
        assert display.losses[-1] < 0.02
        X, y = display.samples.X, display.samples.truth
        for C, w, loss in zip(display.Cs, display.weights, display.losses, strict=True):
            model = Other(C=C, tol=1e-10).fit(X, y)
            assert w == pytest.approx([model.intercept_[0], model.coef_[0, 0]], rel=1e-3)
            p = expit(w[0] + w[1] * X[:, 0])
            assert loss == pytest.approx(-np.log(np.where(y == 1, p, 1 - p)).sum())
        np.testing.assert_allclose(
            display.curves[2], expit(display.weights[2] @ [np.ones(801), display.places])
        )
        text = drawn(display)
        assert "steepens without end" in text
        assert "C = 1000" in text

    def test_the_step_is_in_the_middle_of_the_gap(self):
        display = ls.plot.steepening([[1], [2], [5], [9]], ["b", "b", "a", "a"], Cs=[1, 1e8])
        assert display.step == 3.5
        w0, w1 = display.weights[-1]
        assert -w0 / w1 == pytest.approx(3.5, abs=0.05)
        assert w1 < 0  # "b" is the second class, and on the left
        drawn(display)

    def test_classes_that_overlap_or_touch(self):
        display = ls.plot.steepening(HOURS, PASSED)
        assert not display.separable
        exact = ls.LogisticRegression(C=np.inf).fit(HOURS, PASSED)
        assert display.weights[-1, 1] == pytest.approx(exact.coef_[0, 0], rel=0.01)
        assert "settles" in drawn(display)
        touching = ls.plot.steepening([[1], [2], [2], [3]], [0, 0, 1, 1])
        assert touching.separable  # their weights are not finite either
        assert touching.weights[-1, 1] > 2 * touching.weights[-3, 1]
        assert not ls.plot.steepening([[2], [2]], [0, 1]).separable

    def test_refuses(self):
        with pytest.raises(ValueError, match="this figure is about one"):
            ls.plot.steepening(*ls.datasets.load("or"))
        with pytest.raises(ValueError, match="Cs must be above 0"):
            ls.plot.steepening(Cs=[0.0, 1.0])
        with pytest.raises(ValueError, match="Cs must be finite"):
            ls.plot.steepening(Cs=[np.inf])
        with pytest.raises(ValueError, match="both X and y"):
            ls.plot.steepening(HOURS)


def bent(n=60, seed=0):
    """Two classes with a bent border and noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    inside = X[:, 0] ** 2 + X[:, 1] + 0.7 * rng.normal(size=n) > 0.8
    return X, np.where(inside, "in", "out")


def other(degree, C):
    powers = PolynomialFeatures(degree, include_bias=False)
    return make_pipeline(MinMaxScaler((-1, 1)), powers, Other(C=C, tol=1e-8, max_iter=10_000))


class TestOverfitting:
    def test_errors_are_those_of_scikit_learn(self):
        X, y = bent()
        model = ls.LogisticRegression(C=100.0)
        display = ls.plot.overfitting(X, y, estimator=model, degrees=[1, 2, 3])
        parts = StratifiedKFold(5, shuffle=True, random_state=0)
        for k, degree in enumerate(display.degrees):
            theirs = other(int(degree), 100.0)
            predicted = cross_val_predict(theirs, X, y, cv=parts)
            assert display.validation[k] == pytest.approx((predicted != y).mean())
            assert display.train[k] == pytest.approx(1 - theirs.fit(X, y).score(X, y))
        assert display.terms.tolist() == [3, 6, 10]

    def test_a_high_degree_fits_all_samples_and_predicts_worse(self):
        model = ls.LogisticRegression(C=1e8)
        display = ls.plot.overfitting(*bent(80), estimator=model, degrees=[1, 2, 6])
        assert display.best == 2
        assert display.train[-1] == 0
        assert display.validation[-1] > display.validation[1]
        text = drawn(display)
        assert "Degree 2 predicts best; degree 6 fits better and predicts worse" in text
        for panel in ("degree 1: under-fits", "degree 2: best", "degree 6: over-fits"):
            assert panel in text

    def test_a_ring_needs_degree_2_and_no_more(self):
        model = ls.LogisticRegression(C=1e3)
        X, y = ls.datasets.make_ring(60, gap=1.5, random_state=0)
        display = ls.plot.overfitting(X, y, estimator=model, degrees=[1, 2, 3])
        assert display.best == 2
        assert display.train[1] == display.validation[1] == 0
        assert "degree 3: no better" in drawn(display)

    def test_boundaries_are_those_of_the_fits(self):
        X, y = bent()
        display = ls.plot.overfitting(X, y, estimator=ls.LogisticRegression(C=100.0), degrees=[2])
        model = other(2, 100.0).fit(X, y)
        spots = np.stack(np.meshgrid(display.u, display.v), axis=-1).reshape(-1, 2)
        decision = model.decision_function(spots)
        clear = np.abs(decision) > 1e-2
        ours = display.lead[0, 1].ravel() > 0
        assert (ours == (decision > 0))[clear].all()

    def test_samples_kept_back_one_feature_and_axes(self):
        X, y = bent(80)
        display = ls.plot.overfitting(
            X[:50, :1], y[:50], degrees=[1, 2], validation=(X[50:, :1], y[50:])
        )
        model = other(2, 1e6).fit(X[:50, :1], y[:50])
        assert display.validation[1] == pytest.approx(1 - model.score(X[50:, :1], y[50:]))
        assert display.how == "30 kept back"
        drawn(display)
        axes = Figure().subplots(1, 3)
        assert len(ls.plot.overfitting(*bent(), degrees=[1, 3], ax=axes).axes_) == 3

    def test_refuses(self):
        X, y = bent()
        with pytest.raises(ValueError, match="boundaries are drawn of one or two"):
            ls.plot.overfitting(np.column_stack([X, X[:, 0]]), y)
        with pytest.raises(ValueError, match="labels that y does not have"):
            ls.plot.overfitting(X, y, validation=(X, np.where(y == "in", "elsewhere", y)))
        with pytest.raises(ValueError, match="validation has 1 features, but X has 2"):
            ls.plot.overfitting(X, y, validation=(X[:, :1], y))
        with pytest.raises(ValueError, match="the pair"):
            ls.plot.overfitting(X, y, validation=(X, y, X))
