"""The table of a logistic regression against statsmodels; profiles against plain optimisation."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import statsmodels.api as sm
from scipy import optimize, stats
from statsmodels.tools.sm_exceptions import ConvergenceWarning

from linscope.logistic.inference.fit import LogisticFit
from linscope.logistic.inference.odds_ratios import likelihood_ratio_tests, odds_ratios
from linscope.logistic.inference.profile_likelihood import profile_interval
from linscope.logistic.inference.table import logistic_covariance, logistic_summary
from linscope.logistic.solvers.constrained_newton import maximise
from tests.linear_fits import design
from tests.logistic_data import endometrial, fit_of, noisy


def close(ours, theirs, rtol=1e-8, atol=1e-12):
    np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol)


def polished(model, **more):
    """statsmodels' own maximum: its default stops early."""
    start = model.fit(disp=0, **more).params
    return model.fit(disp=0, start_params=np.ravel(start, order="F"), maxiter=3, tol=0.0, **more)


@pytest.fixture(scope="module", params=["two", "three", "no intercept"])
def case(request):
    X, y = noisy(n_classes=3 if request.param == "three" else 2)
    intercept = request.param != "no intercept"
    kind = sm.MNLogit if request.param == "three" else sm.Logit
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # tol = 0 may never be met
        theirs = polished(kind(y, design(X, intercept)))
        robust = polished(kind(y, design(X, intercept)), cov_type="HC0")
    return fit_of(X, y, intercept=intercept), theirs, robust


class TestAgainstStatsmodels:
    def test_coefficients(self, case):
        fit, theirs, _ = case
        table = logistic_summary(fit)
        shape = table.coefficients.shape
        rows = [np.reshape(v.T, shape) for v in (theirs.params, theirs.bse, theirs.tvalues)]
        close(table.coefficients, rows[0])
        close(table.standard_errors, rows[1])
        close(table.z, rows[2])
        close(table.p_values, np.reshape(theirs.pvalues.T, shape), rtol=1e-7)
        ends = np.reshape(np.asarray(theirs.conf_int(0.1)), (*shape, 2))
        close(logistic_summary(fit, level=0.9).intervals, ends)
        close(table.covariance, theirs.cov_params())

    def test_the_whole(self, case):
        fit, theirs, _ = case
        table = logistic_summary(fit)
        close(table.log_likelihood, theirs.llf)
        close(table.deviance, -2 * theirs.llf)
        close(table.aic, theirs.aic)
        close(table.bic, theirs.bic)
        if fit.fit_intercept:
            close(table.null_log_likelihood, theirs.llnull, rtol=1e-7)
            close(table.lr_statistic, theirs.llr, rtol=1e-6)
            close(table.mcfadden, theirs.prsquared, rtol=1e-6)
            assert table.df_model == theirs.df_model
        else:
            close(table.null_log_likelihood, len(fit.codes) * np.log(0.5))

    def test_robust_errors(self, case):
        fit, _, robust = case
        ours = logistic_summary(fit, robust="HC0").standard_errors
        close(ours, np.reshape(robust.bse.T, ours.shape))
        n, k = len(fit.codes), fit.weights.size
        close(logistic_covariance(fit, "HC1"), logistic_covariance(fit, "HC0") * n / (n - k))

    def test_frequency_weights(self):
        X, y = noisy()
        c = np.random.default_rng(1).integers(1, 4, size=len(y)).astype(float)
        glm = sm.GLM(y, design(X), family=sm.families.Binomial(), freq_weights=c)
        theirs = glm.fit(tol=1e-14, maxiter=50)
        table = logistic_summary(fit_of(X, y, c))
        close(table.standard_errors[0], theirs.bse)
        close(table.log_likelihood, theirs.llf)
        close(table.deviance, theirs.deviance)
        close(table.null_log_likelihood, theirs.llnull)
        close(table.aic, theirs.aic)


class TestProperties:
    @pytest.mark.parametrize("robust", [None, "HC0", "HC1"])
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_weights_are_repeated_rows(self, robust, n_classes):
        X, y = noisy(n_classes=n_classes)
        c = np.random.default_rng(1).integers(0, 4, size=len(y))
        weighted = logistic_summary(fit_of(X, y, c.astype(float)), robust)
        repeated = logistic_summary(fit_of(np.repeat(X, c, axis=0), np.repeat(y, c)), robust)
        for name in ("standard_errors", "log_likelihood", "cox_snell", "nagelkerke", "bic", "n"):
            close(getattr(weighted, name), getattr(repeated, name))

    def test_pseudo_r2(self):
        table = logistic_summary(fit_of(*noisy()))
        n, ratio = table.n, np.exp(table.null_log_likelihood - table.log_likelihood)
        close(table.cox_snell, 1 - ratio ** (2 / n))
        close(table.nagelkerke, table.cox_snell / (1 - np.exp(2 * table.null_log_likelihood / n)))

    def test_sparse_is_dense(self):
        X, y = noisy()
        dense, thin = fit_of(X, y), fit_of(sp.csr_array(X), y)
        close(logistic_summary(dense, "HC1").covariance, logistic_summary(thin, "HC1").covariance)

    def test_offsets_and_units_do_no_harm(self):
        X, y = noisy()
        plain = logistic_summary(fit_of(X, y))
        far = logistic_summary(fit_of(X * 1e-6 + 1e3, y))
        close(far.standard_errors[0, 1:], plain.standard_errors[0, 1:] * 1e6, rtol=1e-5)
        close(far.log_likelihood, plain.log_likelihood)

    def test_another_reference(self):
        X, y = noisy(n_classes=3)
        first, last = fit_of(X, y), fit_of(X, y, reference=2)
        close(last.weights[0], -first.weights[1])
        close(last.log_likelihood, first.log_likelihood)
        a, b = logistic_summary(first), logistic_summary(last)
        close(b.standard_errors[0], a.standard_errors[1])
        assert b.reference == 2
        assert b.classes == [0, 1]


def objective(X, y):
    """−ℓ of two classes, written down once more."""
    A = design(X)

    def value(w):
        s = A @ w
        return np.sum(np.logaddexp(0.0, s) - y * s), A.T @ (1 / (1 + np.exp(-s)) - y)

    return value


def restricted_minimum(X, y, j, t):
    """min −ℓ with coefficient j (not the intercept) equal to t."""
    value = objective(X, y)
    free = [k for k in range(X.shape[1] + 1) if k != j]

    def part(v):
        w = np.insert(v, j, t)
        f, g = value(w)
        return f, g[free]

    tight = {"gtol": 1e-10, "ftol": 1e-15, "maxiter": 5000}
    return optimize.minimize(part, np.zeros(len(free)), jac=True, method="L-BFGS-B", options=tight)


class TestProfile:
    def test_ends_are_where_the_likelihood_says(self):
        X, y = noisy(n=60, d=2)
        X = X / X.std(axis=0)
        ratios = odds_ratios(fit_of(X, y), level=0.9, kind="profile")
        full = optimize.minimize(objective(X, y), np.zeros(3), jac=True, method="BFGS").fun
        for j in range(2):
            for end in ratios.intervals[0, j]:
                fall = 2 * (restricted_minimum(X, y, j + 1, np.log(end)).fun - full)
                close(fall, stats.chi2.ppf(0.9, 1), rtol=1e-6)
            statistic = 2 * (restricted_minimum(X, y, j + 1, 0.0).fun - full)
            close(ratios.p_values[0, j], stats.chi2.sf(statistic, 1), rtol=1e-5)

    def test_two_by_two_table(self):
        """The odds ratio of a table of counts, whose likelihood has one parameter a row."""
        cells = np.array([7.0, 3.0, 2.0, 8.0])
        X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 1, 0, 1])
        fit = fit_of(X, y, cells)
        close(odds_ratios(fit).ratios, [[7 * 8 / (3 * 2)]])
        close(fit.inverse[1, 1], np.sum(1 / cells))

    def test_intercept_has_a_profile(self):
        X, y = noisy(n=60, d=2)
        X = X / X.std(axis=0)
        full = optimize.minimize(objective(X, y), np.zeros(3), jac=True, method="BFGS").fun
        for end in profile_interval(fit_of(X, y), 0, 3.0):
            close(2 * (restricted_minimum(X, y, 0, end).fun - full), 3.0, rtol=1e-6)

    def test_near_the_normal_limit_wald_and_profile_agree(self):
        X, y = noisy(n=20_000, d=1)
        fit = fit_of(X, y)
        wald, profile = odds_ratios(fit), odds_ratios(fit, kind="profile")
        close(profile.intervals, wald.intervals, rtol=2e-3)

    def test_three_classes(self):
        """A profile end is where 2(ℓ − ℓ_p) is the quantile of χ²."""
        X, y = noisy(n_classes=3, n=80, d=2)
        fit = fit_of(X, y)
        low, high = profile_interval(fit, 4, 3.0)
        assert low < fit.weights[1, 1] < high
        for t in (low, high):
            there = maximise(fit.likelihood, np.zeros(6), fit.units[4], t)
            close(2 * (fit.log_likelihood - there.place.value), 3.0, rtol=1e-6)

    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_leaving_out_a_feature(self, n_classes):
        X, y = noisy(n_classes=n_classes)
        fit = fit_of(X, y)
        statistics, p = likelihood_ratio_tests(fit)
        for j in range(X.shape[1]):
            less = fit_of(np.ascontiguousarray(np.delete(X, j, axis=1)), y)
            close(statistics[j], 2 * (fit.log_likelihood - less.log_likelihood), rtol=1e-7)
            close(p[j], stats.chi2.sf(statistics[j], n_classes - 1), rtol=1e-7)


class TestRefusal:
    def test_a_penalised_fit_has_coefficients_only(self):
        fit = fit_of(*noisy(), refused="the fit is penalised")
        table = logistic_summary(fit)
        assert table.standard_errors is None
        assert table.aic is None
        assert "No standard errors, tests or intervals: the fit is penalised." in str(table)
        assert odds_ratios(fit).intervals is None
        assert "the fit is penalised" in str(odds_ratios(fit))
        with pytest.raises(ValueError, match="no likelihood-ratio tests: the fit is penalised"):
            likelihood_ratio_tests(fit)

    def test_dependent_columns(self):
        X, y = noisy(d=2)
        names = ["intercept", "a", "b", "c"]
        twice = np.column_stack([X, X[:, 0]])
        fit = LogisticFit(names=names, classes=[0, 1], weights=np.zeros((1, 4)), X=twice, codes=y)
        assert "no inverse" in logistic_summary(fit).refused

    def test_unknown_options(self):
        fit = fit_of(*noisy())
        with pytest.raises(ValueError, match="robust must be None or one of HC0, HC1"):
            logistic_summary(fit, robust="HC3")
        with pytest.raises(ValueError, match="kind must be one of wald, profile"):
            odds_ratios(fit, kind="exact")
        with pytest.raises(ValueError, match=r"say 0\.95"):
            logistic_summary(fit, level=95)
        with pytest.raises(ValueError, match="weights must be"):
            LogisticFit(
                names=["intercept"],
                classes=[0, 1],
                weights=np.zeros((2, 1)),
                X=fit.X,
                codes=fit.codes,
            )


class TestPrinted:
    @pytest.mark.parametrize("robust", [None, "HC1"])
    @pytest.mark.parametrize("n_classes", [2, 4])
    def test_text_fits_the_screen(self, n_classes, robust):
        fit = fit_of(*noisy(n_classes=n_classes), classes=["a very long label " * 5] * n_classes)
        fit.names[1] = "a name that no table was made for, and longer than the screen is wide " * 2
        for table in (logistic_summary(fit, robust), odds_ratios(fit)):
            assert max(map(len, str(table).splitlines())) <= 80

    def test_html_and_latex_escape(self):
        fit = fit_of(*noisy(), classes=["<b>", "50 % & more"])
        for table in (logistic_summary(fit), odds_ratios(fit)):
            page, paper = table.to_html(), table.to_latex()
            assert "&lt;b&gt;" in page
            assert "<b>50" not in page
            assert r"50 \% \& more" in paper
            assert paper.count(r"\begin{tabular}") == paper.count(r"\end{tabular}") == 1
        assert "$R^2$" in logistic_summary(fit).to_latex()

    def test_frame(self):
        table = logistic_summary(fit_of(*noisy(n_classes=3)))
        columns = table.to_frame("dict")
        assert columns["class"].tolist() == [1] * 4 + [2] * 4
        close(columns["upper"], table.intervals[..., 1].ravel())
        assert len(odds_ratios(fit_of(*noisy(n_classes=3))).to_frame("dict")["name"]) == 6

    def test_firth_is_named(self):
        X, y = endometrial()
        fit = fit_of(X[:, 1:], y, penalty="firth")
        assert "penalised" in str(logistic_summary(fit))
        assert logistic_summary(fit).aic is None
