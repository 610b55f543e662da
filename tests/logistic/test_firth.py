"""Firth's penalised likelihood: published figures, tables of counts, and plain optimisation."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import optimize, stats

from linscope.engines import choose
from linscope.fitting.driver import run
from linscope.logistic.inference.fit import LogisticFit
from linscope.logistic.inference.odds_ratios import odds_ratios
from linscope.logistic.inference.profile_likelihood import drop, profile_interval
from linscope.logistic.inference.table import logistic_summary
from linscope.logistic.solvers.firth import IDLE, Firth
from linscope.logistic.solvers.objective import LogisticObjective
from linscope.results import Status
from tests.logistic_data import endometrial, noisy

QUANTILE = stats.chi2.ppf(0.95, 1)


def firth(X, y, weight=None, intercept=True, **more):
    weight = None if weight is None else np.asarray(weight, dtype=float)
    objective = LogisticObjective(choose(X, y, weight), int(y.max()) + 1, 0.0, intercept)
    return run(Firth(objective, **more), 500)


def fit_of(X, y, weight=None):
    weights = firth(X, y, weight).weights
    names = ["intercept", *(f"x{j + 1}" for j in range(X.shape[1]))]
    return LogisticFit(
        names=names, classes=[0, 1], weights=weights, X=X, codes=y, weight=weight, penalty="firth"
    )


def penalised(X, y, w):
    """ℓ* written down once more."""
    A = np.column_stack([np.ones(len(X)), X])
    s = A @ w
    D = np.exp(-np.logaddexp(0, s) - np.logaddexp(0, -s))
    return np.sum(y * s - np.logaddexp(0, s)) + 0.5 * np.linalg.slogdet((A.T * D) @ A)[1]


class TestPublished:
    """The endometrial data; figures of R's logistf, which stops at steps of 1e-5."""

    def test_coefficients(self):
        result = firth(*endometrial())
        published = [3.77455951, 2.92927330, -0.03475175, -2.60416387]
        np.testing.assert_allclose(result.weights[0], published, rtol=1e-6)
        assert result.status is Status.CONVERGED

    def test_profile_intervals(self):
        fit = fit_of(*endometrial())
        published = [
            [1.0825371, 7.20928050],
            [0.6097244, 7.85463171],
            [-0.1244587, 0.04045547],
            [-4.3651832, -1.23272106],
        ]
        ends = [profile_interval(fit, j, QUANTILE) for j in range(4)]
        np.testing.assert_allclose(ends, published, rtol=1e-6)
        ratios = odds_ratios(fit, kind="profile")
        np.testing.assert_allclose(ratios.intervals[0], np.exp(published[1:]), rtol=1e-6)


class TestAgainstOptimisation:
    def test_maximum(self):
        X, y = noisy(n=40, d=2)
        X = X / X.std(axis=0)
        result = firth(X, y)
        best = optimize.minimize(lambda w: -penalised(X, y, w), np.zeros(3), tol=1e-12)
        np.testing.assert_allclose(result.weights[0], best.x, atol=1e-6)
        details = result.details
        np.testing.assert_allclose(details["penalised_log_likelihood"], -best.fun, rtol=1e-12)
        s = result.weights[0, 0] + X @ result.weights[0, 1:]
        plain = np.sum(y * s - np.logaddexp(0, s))
        np.testing.assert_allclose(details["log_likelihood"], plain, rtol=1e-12)

    def test_gradient_vanishes(self):
        X, y = endometrial()
        w, h = firth(X, y).weights[0], 1e-5
        for j in range(4):
            step = h * np.eye(4)[j]
            slope = (penalised(X, y, w + step) - penalised(X, y, w - step)) / (2 * h)
            assert abs(slope) < 1e-5

    def test_leaving_out_a_coefficient(self):
        """The determinant stays that of all coefficients."""
        X, y = endometrial()
        fit = fit_of(X, y)

        def restricted(v):
            return -penalised(X, y, np.array([v[0], v[1], 0.0, v[2]]))

        options = {"xatol": 1e-9, "fatol": 1e-13, "maxiter": 20_000, "maxfev": 20_000}
        start = [3.0, 3.0, -2.0]
        best = optimize.minimize(restricted, start, method="Nelder-Mead", options=options)
        expected = 2 * (fit.log_likelihood + best.fun)
        assert drop(fit, [2]) == pytest.approx(expected, abs=1e-8)

    def test_ends_of_a_profile_by_bisection(self):
        """Where the profile falls by half the quantile: plain maxima and SciPy's root finder."""
        X, y = noisy(n=40, d=1)
        X = X / X.std(axis=0)
        fit = fit_of(X, y)
        top = -optimize.minimize(lambda w: -penalised(X, y, w), np.zeros(2), tol=1e-12).fun

        def fall(slope):
            best = optimize.minimize_scalar(
                lambda b: -penalised(X, y, np.array([b, slope])), tol=1e-12
            )
            return 2 * (top + best.fun) - QUANTILE

        middle = fit.weights[0, 1]
        ends = [optimize.brentq(fall, middle, middle + away, xtol=1e-12) for away in (-5, 5)]
        np.testing.assert_allclose(profile_interval(fit, 1, QUANTILE), ends, rtol=1e-6)


class TestTablesOfCounts:
    @pytest.mark.parametrize("cells", [(7, 3, 2, 8), (5, 0, 3, 4), (6, 0, 0, 6)])
    def test_half_is_added_to_every_cell(self, cells):
        """Exact for a saturated 2 × 2 table, zero cells or not."""
        a, b, c, d = cells
        X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 1, 0, 1])
        x_rows, y_rows = np.repeat(X, cells, axis=0), np.repeat(y, cells)
        w = firth(x_rows, y_rows).weights[0]
        a, b, c, d = (v + 0.5 for v in cells)
        np.testing.assert_allclose(w, [np.log(b / a), np.log(a * d / (b * c))], rtol=1e-9)

    def test_one_share(self):
        """The constant alone: (k + ½)/(n + 1)."""
        y = np.r_[np.zeros(7, int), np.ones(3, int)]
        ones = np.ones((10, 1))
        w = firth(ones, y, intercept=False).weights[0]
        assert w[0] == 0.0
        assert w[1] == pytest.approx(np.log(3.5 / 7.5), rel=1e-9)


class TestProperties:
    def test_weights_are_repeated_rows(self):
        X, y = endometrial()
        c = np.random.default_rng(0).integers(0, 3, size=len(y))
        weighted = firth(X, y, c)
        repeated = firth(np.repeat(X, c, axis=0), np.repeat(y, c))
        np.testing.assert_allclose(weighted.weights, repeated.weights, rtol=1e-8)
        np.testing.assert_allclose(
            weighted.details["covariance"], repeated.details["covariance"], rtol=1e-7
        )

    def test_sparse_units_and_a_warm_start(self):
        X, y = endometrial()
        w = firth(X, y).weights
        np.testing.assert_allclose(firth(sp.csr_array(X), y).weights, w, rtol=1e-8)
        scale = np.array([1e-3, 1e3, 1.0])
        np.testing.assert_allclose(firth(X * scale, y).weights[0, 1:] * scale, w[0, 1:], rtol=1e-7)
        again = firth(X, y, initial=w)
        assert again.n_iter <= 1
        np.testing.assert_allclose(again.weights, w, rtol=1e-12)

    def test_complete_separation_is_finite(self):
        X = np.arange(8.0)[:, None]
        y = (X[:, 0] > 3.5).astype(int)
        result = firth(X, y)
        assert result.status is Status.CONVERGED
        assert np.isfinite(result.weights).all()
        assert result.weights[0, 1] > 0
        best = optimize.minimize(lambda w: -penalised(X, y, w), result.weights[0], tol=1e-12)
        np.testing.assert_allclose(result.weights[0], best.x, atol=1e-5)

    def test_summary(self):
        fit = fit_of(*endometrial())
        table = logistic_summary(fit)
        np.testing.assert_allclose(table.covariance, firth(fit.X, fit.codes).details["covariance"])
        assert table.lr_statistic == pytest.approx(drop(fit, [1, 2, 3]))


class TestRefused:
    def test_more_classes(self):
        with pytest.raises(ValueError, match="defined for two classes, y has 3: use multi_class="):
            firth(*noisy(n_classes=3))

    def test_dependent_columns(self):
        X, y = noisy(d=2)
        with pytest.raises(ValueError, match="columns that do not depend on each other"):
            firth(np.column_stack([X, X[:, 0]]), y)

    def test_no_second_penalty(self):
        X, y = noisy()
        with pytest.raises(ValueError, match="stands alone"):
            Firth(LogisticObjective(choose(X, y), 2))


def test_steps_that_rounding_undoes_are_not_repeated(monkeypatch):
    """Where floats are too coarse for the weights, a step ends where it began."""
    monkeypatch.setattr(
        "linscope.logistic.solvers.firth.search", lambda _, theta, here, *rest: (theta, here)
    )
    result = firth(*noisy())
    assert result.n_iter <= IDLE + 1
    assert result.status is Status.STALLED
