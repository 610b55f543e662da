"""Summary, covariance, likelihood and intervals against statsmodels and the notes."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
import statsmodels.api as sm
from scipy import optimize, stats
from sklearn.datasets import load_diabetes

import linscope as ls
from linscope.arithmetic.distributions import t_quantile, two_sided
from linscope.data import datasets
from linscope.least_squares.inference.covariance import covariance
from linscope.least_squares.inference.diagnose import diagnose
from linscope.least_squares.inference.fit import LinearFit
from linscope.least_squares.inference.intervals import predict_interval
from linscope.least_squares.inference.likelihood import log_likelihood, sigma2_ml
from linscope.least_squares.inference.rows import row_values
from linscope.least_squares.inference.table import summary
from tests.linear_fits import NIST, design, fit_of, nist, noisy, weights

KINDS = (None, "HC0", "HC1", "HC2", "HC3")
CASES = ["plain", "weighted", "no intercept", "weighted, no intercept", "diabetes", "longley"]


def case(name):
    """A LinearFit and the same fit by statsmodels."""
    if name == "diabetes":
        X, y = load_diabetes(return_X_y=True)
    elif name == "longley":
        data = sm.datasets.longley.load_pandas()
        X, y = data.exog.to_numpy(), data.endog.to_numpy()
    else:
        X, y = noisy(fan=0.3)
    intercept = "no intercept" not in name
    c = weights(len(y)) if "weighted" in name else None
    A = design(X, intercept)
    model = sm.OLS(y, A) if c is None else sm.WLS(y, A, weights=c)
    return fit_of(X, y, c, intercept=intercept), model.fit()


def digits(name):
    """Longley's design has a condition number of 5e9: there statsmodels has fewer digits."""
    return 1e-7 if name == "longley" else 1e-9


def close(ours, theirs, rtol=1e-9, atol=0.0):
    np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol)


class TestSummary:
    @pytest.mark.parametrize("name", CASES)
    def test_agrees_with_statsmodels(self, name):
        fit, theirs = case(name)
        ours = summary(fit, level=0.9)
        rtol = digits(name)
        close(ours.coefficients, theirs.params, rtol)
        close(ours.standard_errors, theirs.bse, rtol)
        close(ours.t, theirs.tvalues, rtol)
        close(ours.p_values, theirs.pvalues, rtol, atol=1e-300)
        close(ours.intervals, theirs.conf_int(0.1), rtol)
        for mine, other in [
            ("r2", "rsquared"),
            ("adjusted_r2", "rsquared_adj"),
            ("f_statistic", "fvalue"),
            ("f_pvalue", "f_pvalue"),
            ("log_likelihood", "llf"),
            ("aic", "aic"),
            ("bic", "bic"),
            ("df_model", "df_model"),
            ("df_residual", "df_resid"),
        ]:
            close(getattr(ours, mine), getattr(theirs, other), 1e-9)
        close(ours.sigma**2, theirs.mse_resid)

    def test_notes_five_points(self):
        X, y = datasets.load("five_points")
        table = summary(fit_of(X, y, names=["x"]))
        assert round(table.r, 2) == 0.98
        assert np.round(table.coefficients, 2).tolist() == [1.11, 1.16]
        assert round(5 * table.sigma2_ml, 3) == 0.811
        # exactly: w = 41/37, 43/37, rss = 30/37
        close(table.coefficients, [41 / 37, 43 / 37], 1e-13)
        close(table.sigma**2, 30 / 37 / 3, 1e-13)

    def test_notes_sbp_from_moments_without_n(self):
        m = datasets.load("sbp_age").moments
        slope = m["cov_xy"] / m["var_x"]
        fit = LinearFit(
            names=["intercept", "age"],
            weights=np.array([m["mean_y"] - slope * m["mean_x"], slope]),
            rss=m["var_y"] - slope * m["cov_xy"],
            tss=m["var_y"],
            fit_intercept=True,
            target="sbp",
        )
        table = summary(fit)
        assert round(table.coefficients[1], 2) == 0.97
        close(table.r, m["cov_xy"] / math.sqrt(m["var_x"] * m["var_y"]))
        assert table.standard_errors is None
        assert table.f_pvalue is None
        assert "n is not known" in str(table)
        with pytest.raises(ValueError, match="no prediction interval: the number of rows"):
            predict_interval(fit, [[40]], kind="prediction")

    def test_moments_with_n_give_the_same_inference(self):
        X, y = noisy(d=1)
        full = fit_of(X, y)
        moments = LinearFit(
            names=full.names,
            weights=full.weights,
            rss=full.rss,
            tss=full.tss,
            fit_intercept=True,
            n=full.n,
            inverse=full.inverse,
        )
        close(summary(moments).intervals, summary(full).intervals)
        close(predict_interval(moments, X[:5]), predict_interval(full, X[:5]))
        with pytest.raises(ValueError, match="needs the training rows"):
            summary(moments, robust="HC3")

    def test_moments_of_a_weighted_fit(self):
        """All but the likelihood, which needs every weight."""
        X, y = noisy()
        c = weights(len(y))
        full = fit_of(X, y, c)
        means = np.average(X, axis=0, weights=c)
        gone = {"X": None, "y": None, "weight": None, "means": means, "total_weight": c.sum()}
        table = summary(replace(full, **gone))
        close(table.intervals, summary(full).intervals)
        assert (table.log_likelihood, table.aic) == (None, None)
        close(predict_interval(replace(full, **gone), X[:5]), predict_interval(full, X[:5]))

    def test_r_has_the_sign_of_the_slope(self):
        X, y = noisy(d=1)
        close(summary(fit_of(X, -y)).r, stats.pearsonr(X[:, 0], -y)[0])
        assert summary(fit_of(*noisy(d=2))).r is None
        assert summary(fit_of(X, y, intercept=False)).r is None

    def test_doubling_all_weights_changes_no_test(self):
        X, y = noisy()
        c = weights(len(y))
        one, two = summary(fit_of(X, y, c)), summary(fit_of(X, y, 2 * c))
        close(one.p_values, two.p_values)
        close(one.intervals, two.intervals)
        close(one.log_likelihood, two.log_likelihood)

    def test_exact_fit(self):
        """NIST's Wampler1: a polynomial through all points, rss = 0."""
        x = np.arange(21.0)
        X = np.column_stack([x**k for k in range(1, 6)])
        fit = fit_of(X, X.sum(axis=1) + 1, weights=np.ones(6), rss=0.0)
        table = summary(fit)
        assert (table.standard_errors == 0).all()
        assert np.isinf(table.t).all()
        assert (table.p_values == 0).all()
        assert table.r2 == 1
        assert (table.f_statistic, table.f_pvalue) == (math.inf, 0.0)
        assert table.log_likelihood == math.inf
        assert "∞" in str(table)
        assert summary(fit, robust="HC1").f_pvalue == 0

    def test_constant_y(self):
        X, _ = noisy()
        fit = fit_of(X, np.full(len(X), 2.0), weights=np.array([2.0, 0, 0, 0]), rss=0.0, tss=0.0)
        table = summary(fit)
        assert math.isnan(table.r2)
        assert math.isnan(table.f_pvalue)
        assert table.t[0] == math.inf
        assert np.isnan(table.t[1:]).all()
        assert "–" in str(table)

    def test_refused(self):
        X, y = noisy()
        why = "the fit is penalised, so its coefficients are biased"
        table = summary(fit_of(X, y, refused=why))
        for absent in ("standard_errors", "t", "p_values", "intervals", "f_pvalue", "aic"):
            assert getattr(table, absent) is None
        for text in (str(table), table.to_html(), table.to_latex()):
            assert why in text.replace("\n", " ")
        assert list(table.to_frame(backend="dict")) == ["name", "coefficient"]

    @pytest.mark.parametrize(
        ("facts", "why"),
        [
            ({"n": 4}, "4 rows leave no degree of freedom after 4 coefficients"),
            ({"inverse": None}, "AᵀA has no inverse"),
            ({"rss": math.nan, "tss": math.nan}, "the variance of y is not known"),
        ],
    )
    def test_refuses_by_itself(self, facts, why):
        X, y = noisy()
        assert summary(fit_of(X, y, **facts)).refused == why

    def test_bad_options(self):
        fit = fit_of(*noisy())
        with pytest.raises(ValueError, match="HC0, HC1, HC2, HC3, cluster, got 'HC4'"):
            summary(fit, robust="HC4")
        with pytest.raises(ValueError, match=r"for 95 % say 0\.95"):
            summary(fit, level=95)
        with pytest.raises(TypeError, match="level must be a number"):
            summary(fit, level="95%")

    @pytest.mark.parametrize("scale", [1.0, 1e-7, 1e9, 1e120])
    def test_text_fits_80_columns(self, scale):
        X, y = noisy()
        names = ["a name that is much too long for a table", "b", "c_%"]
        fit = fit_of(X, y * scale, names=names, target="a long name " * 10)
        for table in (summary(fit), summary(fit, robust="HC3", level=0.999)):
            assert max(map(len, str(table).splitlines())) <= 80
            assert "a name that" in str(table)

    def test_html_and_latex_escape_names(self):
        table = summary(fit_of(*noisy(d=1), names=["a<b&_"], target="<i>"))
        assert "a&lt;b&amp;_" in table.to_html()
        assert "<i>" not in table._repr_html_()
        assert r"a$<$b\&\_" in table.to_latex()

    @pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow", "dict"])
    def test_to_frame(self, backend):
        table = summary(fit_of(*noisy()))
        frame = table.to_frame(backend=backend)
        assert [str(name) for name in frame["name"]] == table.names
        close(np.asarray(frame["upper"], dtype=float), table.intervals[:, 1])


class TestCovariance:
    @pytest.mark.parametrize("robust", KINDS)
    @pytest.mark.parametrize("name", CASES)
    def test_agrees_with_statsmodels(self, name, robust):
        fit, theirs = case(name)
        expected = theirs.cov_params() if robust is None else getattr(theirs, f"cov_{robust}")
        found = covariance(fit, robust)
        scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
        close(found / scale, expected / scale, 0, atol=digits(name))
        np.testing.assert_array_equal(found, found.T)

    def test_robust_tests_agree_with_statsmodels(self):
        fit, theirs = case("plain")
        theirs = theirs.get_robustcov_results("HC3", use_t=True)
        ours = summary(fit, robust="HC3")
        close(ours.t, theirs.tvalues)
        close(ours.p_values, theirs.pvalues)
        close(ours.intervals, theirs.conf_int())
        close(ours.f_statistic, theirs.fvalue)
        close(ours.f_pvalue, theirs.f_pvalue)

    @pytest.mark.parametrize("name", CASES)
    @pytest.mark.parametrize("labels", [4, 11])
    def test_clustered_tests_agree_with_statsmodels(self, name, labels):
        fit, theirs = case(name)
        groups = np.random.default_rng(labels).integers(labels, size=fit.n)
        theirs = theirs.get_robustcov_results("cluster", groups=groups, use_t=True)
        ours = summary(replace(fit, groups=groups.astype(float)), robust="cluster")
        rtol = digits(name)
        close(ours.standard_errors, theirs.bse, rtol)
        close(ours.p_values, theirs.pvalues, 10 * rtol)
        close(ours.intervals, theirs.conf_int(), rtol, atol=rtol * np.abs(ours.intervals).max())
        if labels > fit.df_model:  # else the matrix has no inverse
            close(ours.f_statistic, theirs.fvalue, 1e3 * rtol)
            close(ours.f_pvalue, theirs.f_pvalue, 1e3 * rtol)
        assert f"the {ours.n_groups} groups" in " ".join(str(ours).split())

    def test_groups_have_labels_of_any_kind(self):
        X, y = noisy()
        c = weights(len(y))
        c[::7] = 0.0
        model = ls.LinearRegression().fit(X, y, c)
        numbers = np.arange(len(y)) % 9
        names = np.array(["ab", "c", "déf", "x", "y", "z", "1", "2", "3"])[numbers]
        expected = model.summary(cov="cluster", groups=numbers).covariance
        close(model.summary("cluster", groups=names.tolist()).covariance, expected)
        close(model.summary("cluster", groups=names[c > 0]).covariance, expected)

    def test_a_group_for_each_row_is_hc1(self):
        X, y = noisy()
        model, n = ls.LinearRegression().fit(X, y), len(y)
        found = model.summary(cov="cluster", groups=np.arange(n)).covariance
        close(found, model.summary("HC1").covariance, 1e-12)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"cov": "cluster"}, "needs groups"),
            ({"cov": "cluster", "groups": [1, 2]}, "2 labels for"),
            ({"cov": "HC1", "groups": [1, 2]}, "groups are for"),
            ({"cov": "HC1", "robust": "HC1"}, "two names"),
            ({"cov": "cluster", "groups": "one"}, "at least two groups"),
            ({"cov": "cluster", "groups": "nan"}, r"groups\[0\] is missing"),
        ],
    )
    def test_bad_groups(self, options, words):
        X, y = noisy()
        made = {"one": np.zeros(len(y)), "nan": np.full(len(y), np.nan)}
        if isinstance(options.get("groups"), str):
            options = options | {"groups": made[options["groups"]]}
        with pytest.raises(ValueError, match=words):
            ls.LinearRegression().fit(X, y).summary(**options)

    def test_features_far_from_zero(self):
        """Slopes and their errors do not change when a constant is added to the features."""
        X, y = noisy()
        near = fit_of(X, y)
        shift = np.array([1e8, -1e8, 1e6])
        P = np.eye(4)
        P[0, 1:] = -shift
        moved = {"weights": P @ near.weights, "inverse": P @ near.inverse @ P.T}
        far = replace(near, X=X + shift, **moved)
        for robust in KINDS:
            close(np.diag(covariance(far, robust))[1:], np.diag(covariance(near, robust))[1:], 1e-6)
        close(row_values(far).leverages, row_values(near).leverages, 1e-6)

    def test_root_of_the_inverse_is_used(self):
        X, y = noisy()
        fit = fit_of(X, y)
        A = design(X)
        S = np.linalg.pinv(A)  # S Sᵀ = (AᵀA)⁻¹
        with_root = fit_of(X, y, inverse=None, inverse_root=S)
        close(covariance(with_root, "HC3"), covariance(fit, "HC3"), 1e-9, atol=1e-14)

    def test_leverage_one_is_refused(self):
        X, y = noisy(30, 2)
        X[:, 1] = 0.0
        X[7, 1] = 1.0
        fit = fit_of(X, y, rows=np.arange(100, 130))
        assert np.isfinite(covariance(fit, "HC1")).all()
        for robust in ("HC2", "HC3"):
            with pytest.raises(ValueError, match="row 107 has leverage 1"):
                covariance(fit, robust)
        values = row_values(fit)
        assert values.leverages[7] == pytest.approx(1)
        assert values.cooks_distance[7] == 0
        assert np.isfinite(values.studentized).all()

    def test_leverages_of_a_refused_fit_are_those_of_the_hat_matrix(self):
        X, y = noisy(50, 2)
        twice = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.full(50, 3.0)])
        fit = replace(fit_of(X, y), X=twice, weights=np.r_[fit_of(X, y).weights, 0, 0])
        fit = replace(fit, names=[*fit.names, "c", "d"], inverse=None)
        values = row_values(fit)
        A = design(twice)
        close(values.leverages, np.diag(A @ np.linalg.pinv(A)))
        close(values.cooks_distance, row_values(fit_of(X, y)).cooks_distance)
        close(row_values(replace(fit, X=sp.csr_array(twice))).leverages, values.leverages)
        with pytest.raises(ValueError, match="3 rows leave no residuals after 3 coefficients"):
            row_values(replace(fit, X=twice[:3], y=y[:3], n=3))

    @pytest.mark.parametrize("robust", KINDS)
    def test_sparse_and_single_precision(self, robust):
        X, y = noisy(300)
        X[np.abs(X) < 1] = 0.0
        X = X.astype(np.float32)
        fit = fit_of(X, y)
        expected = covariance(fit, robust)
        for same in (X, sp.csr_array(X), sp.csr_matrix(X.astype(np.float64))):
            close(covariance(replace(fit, X=same), robust), expected)

    def test_threads_do_not_matter(self, monkeypatch):
        X, y = noisy(60_000, 5)
        fit = fit_of(X, y)
        found = []
        for threads in ("1", "3"):
            monkeypatch.setenv("LINSCOPE_THREADS", threads)
            found.append(covariance(fit, "HC3"))
        np.testing.assert_array_equal(*found)


class TestLikelihood:
    def test_definition(self):
        X, y = noisy(20)
        w, c = np.array([1.0, 0.5, -1.0, 2.0]), weights(20)
        expected = stats.norm.logpdf(y, design(X) @ w, np.sqrt(2.5 / c)).sum()
        close(log_likelihood(w, 2.5, X, y, sample_weight=c), expected)
        expected = stats.norm.logpdf(y, X @ w[1:], np.sqrt(2.5)).sum()
        close(log_likelihood(w[1:], 2.5, X, y, fit_intercept=False), expected)

    @pytest.mark.parametrize("weighted", [False, True])
    def test_maximiser_is_least_squares(self, weighted):
        """Section 2.4 of the notes: maximising ℓ is minimising the squared loss."""
        X, y = noisy(40, 2)
        c = weights(40) if weighted else None
        fit = fit_of(X, y, c)

        def negative(parameters):
            *w, log_sigma2 = parameters
            return -log_likelihood(w, math.exp(log_sigma2), X, y, sample_weight=c)

        best = optimize.minimize(negative, np.zeros(4), method="BFGS", options={"gtol": 1e-7})
        close(best.x[:-1], fit.weights, 1e-4)
        close(math.exp(best.x[-1]), sigma2_ml(fit.rss, fit.n), 1e-4)
        close(-best.fun, summary(fit).log_likelihood, 1e-9)
        close(log_likelihood(fit.weights, None, X, y, sample_weight=c), -best.fun, 1e-9)
        close(summary(fit).sigma2_ml, fit.rss / 40)

    def test_bad_input(self):
        X, y = noisy(20)
        with pytest.raises(ValueError, match="sigma2 must be above 0"):
            log_likelihood(np.zeros(4), 0.0, X, y)
        with pytest.raises(ValueError, match="4 numbers are needed for 3 features and an inter"):
            log_likelihood(np.zeros(3), 1.0, X, y)
        with pytest.raises(ValueError, match=r"sample_weight of row 2 is 0\.0"):
            log_likelihood(np.zeros(4), 1.0, X, y, sample_weight=[1, 1, 0] + [1] * 17)


class TestIntervals:
    @pytest.mark.parametrize("kind", ["confidence", "prediction"])
    @pytest.mark.parametrize("name", CASES)
    def test_agrees_with_statsmodels(self, name, kind):
        fit, theirs = case(name)
        new = fit.X[:10] + 0.3 * fit.X[10:11]
        frame = theirs.get_prediction(design(new, fit.fit_intercept)).summary_frame(0.1)
        part = "mean_ci" if kind == "confidence" else "obs_ci"
        expected = frame[[f"{part}_lower", f"{part}_upper"]].to_numpy()
        found = predict_interval(fit, new, kind=kind, level=0.9)
        assert found.shape == (10, 2)
        close(found, expected, digits(name))

    def test_a_prediction_is_less_sure_than_a_mean_and_far_out_both_are(self):
        fit = fit_of(*noisy(d=1))
        x = [[0.0], [100.0]]
        mean, new = predict_interval(fit, x), predict_interval(fit, x, kind="prediction")
        width = np.ptp(mean, axis=1)
        assert (np.ptp(new, axis=1) > width).all()
        assert width[1] > width[0]

    def test_coverage(self):
        """95 of 100 intervals hold the truth."""
        rng = np.random.default_rng(3)
        X, hits, new_hits = rng.normal(size=(15, 2)), 0, 0
        at = np.array([[0.5, -1.0]])
        for _ in range(400):
            fit = fit_of(X, 1 + X @ [2, 3] + rng.normal(size=15))
            low, high = predict_interval(fit, at)[0]
            hits += low <= -1.0 <= high
            low, high = predict_interval(fit, at, kind="prediction")[0]
            new_hits += low <= -1.0 + rng.normal() <= high
        assert 0.91 < hits / 400 < 0.99
        assert 0.91 < new_hits / 400 < 0.99

    def test_bad_options(self):
        fit = fit_of(*noisy())
        with pytest.raises(ValueError, match="kind must be one of confidence, prediction"):
            predict_interval(fit, fit.X, kind="both")
        with pytest.raises(ValueError, match="level must be between 0 and 1"):
            predict_interval(fit, fit.X, level=1.0)
        with pytest.raises(ValueError, match="X has 2 features, the model has 3"):
            predict_interval(fit, fit.X[:, :2])
        refused = fit_of(*noisy(), refused="the fit is penalised")
        with pytest.raises(ValueError, match="no confidence interval: the fit is penalised"):
            predict_interval(refused, fit.X)


@pytest.mark.parametrize("df", [1, 2, 7, 100, 10**6])
def test_tails_against_scipy_stats(df):
    t = np.array([0.0, 1e-3, 0.7, 2.0, 9.0, 40.0])
    close(two_sided(t, df), 2 * stats.t.sf(t, df), 1e-9, atol=1e-300)
    close(t_quantile(0.99, df), stats.t.ppf(0.995, df), 1e-9)


def exact_standard_errors(X, y, intercept):
    """√(rss/(n − p) · (AᵀA)⁻¹) by elimination in fractions; the root at the end in floats."""
    A = [[Fraction(v) for v in row] for row in design(X, intercept).tolist()]
    b = [Fraction(v) for v in y.tolist()]
    n, p = len(A), len(A[0])
    rows = [
        [sum(r[i] * r[j] for r in A) for j in range(p)]
        + [Fraction(int(i == j)) for j in range(p)]
        + [sum(r[i] * v for r, v in zip(A, b, strict=True))]
        for i in range(p)
    ]
    for i in range(p):
        pivot = next(k for k in range(i, p) if rows[k][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(p):
            if k != i:
                rows[k] = [a - rows[k][i] * c for a, c in zip(rows[k], rows[i], strict=True)]
    w = [row[-1] for row in rows]
    fitted = [sum(a * c for a, c in zip(r, w, strict=True)) for r in A]
    rss = sum((v - f) ** 2 for v, f in zip(b, fitted, strict=True))
    return np.array([math.sqrt(rss / (n - p) * rows[i][p + i]) for i in range(p)])


class TestEstimator:
    @pytest.mark.parametrize("name", NIST)
    def test_standard_errors_of_the_nist_sets(self, name):
        X, y, intercept = nist(name)
        found = ls.LinearRegression(fit_intercept=intercept).fit(X, y).summary().standard_errors
        close(found, exact_standard_errors(X, y, intercept), 1e-11, atol=1e-15)

    def test_longley_as_certified_by_nist(self):
        table = ls.LinearRegression().fit(*nist("longley")[:2]).summary()
        certified = [
            *(890420.383607373, 84.9149257747669, 0.0334910077722432, 0.488399681651699),
            *(0.214274163161675, 0.226073200069370, 455.478499142212),
        ]
        close(table.standard_errors, certified, 1e-13)
        close(table.sigma, 304.854073561965, 1e-13)
        close(table.r2, 0.995479004577296, 1e-13)
        close(table.f_statistic, 330.285339234588, 1e-12)

    def test_methods_are_the_functions(self):
        X, y = noisy()
        c = weights(len(y))
        model, fit = ls.LinearRegression().fit(X, y, c), fit_of(X, y, c)
        close(model.summary(robust="HC3", level=0.8).intervals, summary(fit, "HC3", 0.8).intervals)
        frames = (found.to_frame(backend="dict") for found in (model.diagnose(), diagnose(fit)))
        close(*(frame["statistic"] for frame in frames), 1e-8)
        for kind in ("confidence", "prediction"):
            found = model.predict_interval(X[:5], kind=kind, level=0.8)
            close(found, predict_interval(fit, X[:5], kind, 0.8))
        close(model.log_likelihood(), summary(fit).log_likelihood)
        close(model.sigma2_ml_, summary(fit).sigma2_ml)

    def test_streamed_rows_have_the_same_summary(self):
        X, y = noisy()
        c = weights(len(y))
        whole, parts = ls.LinearRegression().fit(X, y, c), ls.LinearRegression()
        for rows in (slice(0, 30), slice(30, 120)):
            parts.partial_fit(X[rows], y[rows], c[rows])
        close(parts.summary().intervals, whole.summary().intervals)
        close(parts.predict_interval(X), whole.predict_interval(X))
        with pytest.raises(ValueError, match="rows are not at hand"):
            parts.diagnose()
        assert len(parts.diagnose(X, y, c)) == 6

    def test_only_valid_inference_is_shown(self):
        X, y = noisy()
        refused = [
            (ls.Ridge().fit(X, y), "penalised"),
            (ls.LinearRegression().fit(X[:3], y[:3]), "the rows allow only 2 to be independent"),
            (ls.LinearRegression(solver="batch").fit(X / 10, y), "gradient descent"),
            (ls.LinearRegression().fit(X[:4], y[:4]), "no degree of freedom"),
        ]
        for model, why in refused:
            table = model.summary()
            assert why in table.refused
            assert table.p_values is None
            with pytest.raises(ValueError, match="no confidence interval"):
                model.predict_interval(X if table.df_model == 3 else np.ones((1, 4)))
