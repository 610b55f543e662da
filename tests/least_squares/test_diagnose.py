"""The verdicts on the assumptions: numbers against statsmodels, sentences against made faults."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import statsmodels.api as sm
from scipy import stats
from sklearn.datasets import load_diabetes
from statsmodels.stats import diagnostic, stattools
from statsmodels.stats.outliers_influence import OLSInfluence, variance_inflation_factor

from linscope.data import datasets
from linscope.least_squares.inference.diagnose import diagnose
from linscope.least_squares.inference.existence import tail_index
from tests.linear_fits import design, fit_of, noisy, weights

FIVE = ["existence", "independence", "linearity", "homoscedasticity", "normality"]


def close(ours, theirs, rtol=1e-9):
    np.testing.assert_allclose(ours, theirs, rtol=rtol)


def data(name):
    if name == "diabetes":
        return load_diabetes(return_X_y=True)
    if name == "longley":
        longley = sm.datasets.longley.load_pandas()
        return longley.exog.to_numpy(), longley.endog.to_numpy()
    return noisy(bend=0.2, fan=0.2, memory=0.4)


def statistic(diagnosis, assumption, name):
    test = diagnosis[assumption].test(name)
    return test.statistic, test.p_value


@pytest.fixture(params=["noisy", "noisy weighted", "diabetes", "longley"])
def both(request):
    """A diagnosis, and statsmodels' fit of the same (whitened) rows."""
    X, y = data(request.param.split()[0])
    c = weights(len(y)) if "weighted" in request.param else None
    root = np.ones(len(y)) if c is None else np.sqrt(c)
    A = design(X)
    theirs = sm.OLS(root * y, root[:, None] * A).fit()
    rtol = 1e-6 if request.param == "longley" else 1e-9
    return diagnose(fit_of(X, y, c)), theirs, A, rtol


class TestNumbers:
    def test_independence(self, both):
        diagnosis, theirs, _, rtol = both
        found, _ = statistic(diagnosis, "independence", "Durbin–Watson")
        close(found, stattools.durbin_watson(theirs.resid), rtol)
        box = diagnostic.acorr_ljungbox(theirs.resid).iloc[-1]
        close(statistic(diagnosis, "independence", "Ljung–Box"), box, rtol)

    def test_normality(self, both):
        diagnosis, theirs, _, rtol = both
        jb, p, skewness, kurtosis = stattools.jarque_bera(theirs.resid)
        close(statistic(diagnosis, "normality", "Jarque–Bera"), (jb, p), rtol)
        close(statistic(diagnosis, "normality", "skewness")[0], skewness, rtol)
        close(statistic(diagnosis, "normality", "kurtosis")[0], kurtosis, rtol)
        expected = diagnostic.normal_ad(theirs.resid)
        close(statistic(diagnosis, "normality", "Anderson–Darling"), expected, rtol)

    @pytest.mark.filterwarnings("ignore:The design matrix is rank-deficient")
    def test_breusch_pagan_and_white(self, both):
        diagnosis, theirs, A, rtol = both
        expected = diagnostic.het_breuschpagan(theirs.resid, A)[:2]
        close(statistic(diagnosis, "homoscedasticity", "Breusch–Pagan"), expected, rtol)
        found = statistic(diagnosis, "homoscedasticity", "White")
        if len(A) > 100:
            close(found, diagnostic.het_white(theirs.resid, A)[:2], max(rtol, 1e-8))
        else:  # too few rows for all products
            f = theirs.fittedvalues
            few = np.column_stack([np.ones(len(f)), f, f**2])
            close(found, diagnostic.het_breuschpagan(theirs.resid, few)[:2], rtol)
            assert "27 products are too many" in str(diagnosis["homoscedasticity"].tests[1])

    @pytest.mark.share(4)
    def test_influence(self, both):
        diagnosis, theirs, _, rtol = both
        influence, rows = OLSInfluence(theirs), diagnosis.rows
        close(rows.leverages, influence.hat_matrix_diag, rtol)
        close(rows.cooks_distance, influence.cooks_distance[0], rtol)
        close(rows.standardized, influence.resid_studentized_internal, rtol)
        close(rows.studentized, influence.resid_studentized_external, rtol)
        close(rows.scaled, theirs.resid, rtol * 10)
        found, _ = statistic(diagnosis, "existence", "largest Cook's distance")
        close(found, influence.cooks_distance[0].max(), rtol)

    @pytest.mark.parametrize("name", ["noisy", "diabetes", "longley"])
    def test_reset_and_rainbow(self, name):
        X, y = data(name)
        theirs, fit = sm.OLS(y, design(X)).fit(), fit_of(X, y)
        diagnosis = diagnose(fit)
        found = statistic(diagnosis, "linearity", "RESET")
        if name == "longley":  # raw powers of ŷ ~ 65,000 leave statsmodels no digits
            f = stats.zscore(theirs.fittedvalues)
            A = design(stats.zscore(X))
            more = sm.OLS(y, np.column_stack([A, f**2, f**3])).fit()
            close(found, more.compare_f_test(theirs)[:2], 1e-6)
        else:
            reset = diagnostic.linear_reset(theirs, use_f=True)
            close(found, (float(reset.fvalue), float(reset.pvalue)), 1e-8)
        # statsmodels takes the middle half in an order of ours: the central rows in the middle
        central = np.argsort(diagnosis.rows.leverages)[: len(y) // 2]
        outer = np.setdiff1d(np.arange(len(y)), central)
        low = -(-len(y) // 4)
        order = np.concatenate([outer[:low], central, outer[low:]])
        expected = diagnostic.linear_rainbow(theirs, order_by=order)
        rtol = 1e-5 if name == "longley" else 1e-9
        close(statistic(diagnosis, "linearity", "rainbow"), expected, rtol)

    @pytest.mark.parametrize("name", ["noisy", "diabetes", "longley"])
    def test_vif_and_condition_number(self, name):
        X, y = data(name)
        diagnosis = diagnose(fit_of(X, y))
        A = design(X)
        expected = [variance_inflation_factor(A, j) for j in range(1, A.shape[1])]
        close(list(diagnosis.vif.values()), expected, 1e-6 if name == "longley" else 1e-9)
        centred = X - X.mean(axis=0)
        unit = centred / np.linalg.norm(centred, axis=0)
        close(diagnosis.condition_number, np.linalg.cond(unit), 1e-7)

    def test_weights_and_powers(self):
        """RESET of a weighted fit is the F test of two more columns by WLS."""
        X, y = data("noisy")
        c = weights(len(y))
        small = sm.WLS(y, design(X), weights=c).fit()
        f = small.fittedvalues
        large = sm.WLS(y, np.column_stack([design(X), f**2, f**3]), weights=c).fit()
        F, p, _ = large.compare_f_test(small)
        close(statistic(diagnose(fit_of(X, y, c)), "linearity", "RESET"), (F, p), 1e-8)

    def test_without_intercept(self):
        X, y = data("noisy")
        theirs = sm.OLS(y, X).fit()
        diagnosis = diagnose(fit_of(X, y, intercept=False))
        reset = diagnostic.linear_reset(theirs, use_f=True)
        close(statistic(diagnosis, "linearity", "RESET")[0], float(reset.fvalue), 1e-8)
        close(diagnosis.rows.leverages, OLSInfluence(theirs).hat_matrix_diag)
        expected = diagnostic.het_breuschpagan(theirs.resid, design(X))[:2]
        close(statistic(diagnosis, "homoscedasticity", "Breusch–Pagan"), expected)

    def test_sparse_is_dense(self):
        X, y = noisy(300)
        X[np.abs(X) < 1] = 0.0
        fit = fit_of(X, y)
        dense, sparse = diagnose(fit), diagnose(replace(fit, X=sp.csr_array(X)))
        a, b = dense.to_frame(backend="dict"), sparse.to_frame(backend="dict")
        close(a["statistic"], b["statistic"], 1e-8)
        close(dense.rows.cooks_distance, sparse.rows.cooks_distance, 1e-8)

    @pytest.mark.parametrize("unit", [1e-150, 1e-9, 1e150])
    def test_units_do_not_matter(self, unit):
        X, y = noisy(200)
        one = diagnose(fit_of(X, y)).to_frame(backend="dict")
        scaled = fit_of(X, y)
        scaled = replace(scaled, y=y * unit, weights=scaled.weights * unit)
        scaled = replace(scaled, rss=scaled.rss * unit**2, tss=scaled.tss * unit**2)
        close(diagnose(scaled).to_frame(backend="dict")["statistic"], one["statistic"], 1e-8)

    def test_features_far_from_zero_have_the_same_diagnosis(self):
        X, y = noisy(200)
        shift = np.array([1e6, -1e6, 1e5])
        near = diagnose(fit_of(X, y)).to_frame(backend="dict")
        far = diagnose(fit_of(X + shift, y)).to_frame(backend="dict")
        close(near["statistic"], far["statistic"], 1e-4)


class TestVerdicts:
    def test_nothing_wrong(self):
        diagnosis = diagnose(fit_of(*noisy(400, seed=1)))
        assert [verdict.assumption for verdict in diagnosis] == [*FIVE, "collinearity"]
        assert diagnosis.ok
        assert all(verdict.ok for verdict in diagnosis)

    @pytest.mark.slow
    def test_a_right_model_is_seldom_accused(self):
        """Each assumption is rejected about 1 time in 20 when it holds."""
        rejected = dict.fromkeys(FIVE, 0)
        rng = np.random.default_rng(0)
        for _ in range(200):
            X = rng.normal(size=(80, 2))
            for verdict in diagnose(fit_of(X, X @ [1, 2] + rng.normal(size=80))):
                rejected[verdict.assumption] = rejected.get(verdict.assumption, 0) + (
                    verdict.ok is False
                )
        assert max(rejected.values()) <= 20
        assert rejected["existence"] == 0

    @pytest.mark.parametrize(
        ("fault", "assumption", "words"),
        [
            ({"bend": 0.3}, "linearity", "bend with the fitted values"),
            ({"fan": 0.5}, "homoscedasticity", "grows with the fitted values"),
            ({"fan": -0.5}, "homoscedasticity", "shrinks with the fitted values"),
            ({"memory": 0.6}, "independence", "Neighbouring residuals are alike"),
            ({"memory": -0.6}, "independence", "Neighbouring residuals are opposite"),
        ],
    )
    def test_faults_are_found(self, fault, assumption, words):
        diagnosis = diagnose(fit_of(*noisy(400, 2, **fault)))
        assert diagnosis[assumption].ok is False
        assert words in diagnosis[assumption].sentence
        assert not diagnosis.ok

    def test_advice_for_unequal_spread(self):
        sentence = diagnose(fit_of(*noisy(400, 2, fan=0.5)))["homoscedasticity"].sentence
        assert "robust='HC3'" in sentence

    @pytest.mark.parametrize(
        ("errors", "words"),
        [
            (stats.expon, "skewed to the right and have heavy tails"),
            (stats.uniform, "have light tails"),
            (stats.t(3), "have heavy tails"),
        ],
    )
    def test_normality(self, errors, words):
        X, _ = noisy(500, 2)
        y = X @ [1, 2] + errors.rvs(size=500, random_state=1)
        verdict = diagnose(fit_of(X, y))["normality"]
        assert verdict.ok is False
        assert words in verdict.sentence
        assert "prediction intervals are not" in verdict.sentence

    def test_influential_row(self):
        X, y = noisy(60, 1)
        X[13], y[13] = 12.0, -20.0
        fit = fit_of(X, y, rows=np.arange(60) + 1000)
        verdict = diagnose(fit)["existence"]
        assert verdict.ok is False
        assert verdict.sentence.startswith("Row 1013 pulls the fit")
        # without it the line is another one
        rest = np.arange(60) != 13
        assert abs(fit_of(X[rest], y[rest]).weights[1] - fit.weights[1]) > 0.5

    def test_heavy_tails(self):
        X, _ = noisy(4000, 1)
        y = X[:, 0] + stats.cauchy.rvs(size=4000, random_state=0)
        verdict = diagnose(fit_of(X, y))["existence"]
        assert verdict.ok is False
        assert "may not be finite" in verdict.sentence

    @pytest.mark.parametrize("alpha", [1.0, 3.0])
    def test_tail_index(self, alpha):
        sample = stats.pareto(alpha).rvs(size=20_000, random_state=0)
        found, error = tail_index(sample, np.ones(len(sample)))
        assert abs(found - alpha) < 4 * error
        assert tail_index(sample[:100], np.ones(100)) is None
        assert tail_index(np.zeros(2000), np.ones(2000)) is None
        assert tail_index(np.ones(2000), np.ones(2000)) is None

    def test_collinear_features(self):
        X, y = noisy(200)
        X[:, 2] = X[:, 0] + X[:, 1] + 0.01 * X[:, 2]
        verdict = diagnose(fit_of(X, y, names=["a", "b", "c"]))["collinearity"]
        assert verdict.ok is False
        assert "almost combinations" in verdict.sentence

    def test_many_rows_small_effects(self):
        """Significant but small is not a fault."""
        X, y = noisy(200_000, 2, bend=0.005, fan=0.01, memory=0.012)
        y += 0.05 * stats.expon.rvs(size=len(y), random_state=3) ** 2
        diagnosis = diagnose(fit_of(X, y))
        small = ("independence", "linearity", "homoscedasticity")
        for name in small:
            assert diagnosis[name].ok is True
            assert min(test.p_value or 0.0 for test in diagnosis[name].tests) < 0.01
        assert diagnosis.ok

    def test_five_points_are_too_few(self):
        X, y = datasets.load("five_points")
        diagnosis = diagnose(fit_of(X, y, names=["x"]))
        assert diagnosis["existence"].ok is True
        for name in FIVE[1:]:
            assert diagnosis[name].ok is None
            assert "3 degrees of freedom" in diagnosis[name].sentence
        close(diagnosis.rows.leverages.sum(), 2)

    @pytest.mark.parametrize("n", [4, 5, 6, 9, 12, 13, 14])
    def test_any_small_number_of_rows(self, n):
        X, y = noisy(14)
        diagnosis = diagnose(fit_of(X[:n], y[:n]) if n > 4 else fit_of(X, y, n=4))
        assert len(str(diagnosis).splitlines()) > 6
        for verdict in diagnosis:
            for test in verdict.tests:
                assert np.isfinite(test.statistic)

    def test_exact_fit(self):
        X, _ = noisy(30)
        diagnosis = diagnose(fit_of(X, 1 + X @ [1, 2, 3]))
        assert all(diagnosis[name].ok is None for name in FIVE)
        assert "exact" in diagnosis["normality"].sentence
        assert diagnosis["collinearity"].ok is True

    @pytest.mark.parametrize("facts", [{"refused": "the fit is penalised"}, {"X": None}])
    def test_refused(self, facts):
        diagnosis = diagnose(replace(fit_of(*noisy()), **facts))
        assert all(verdict.ok is None for verdict in diagnosis)
        assert ("penalised" in str(diagnosis)) == ("refused" in facts)
        assert diagnosis.rows is None

    def test_binary_feature(self):
        """Two values leave no bend and no distance from the centre to see."""
        rng = np.random.default_rng(0)
        x = np.repeat([0.0, 1.0], 50)
        diagnosis = diagnose(fit_of(x[:, None], x + rng.normal(size=100)))
        assert diagnosis["linearity"].ok is None
        assert diagnosis["homoscedasticity"].test("White").df == (1,)

    def test_order_of_the_rows_matters_for_independence_only(self):
        X, y = noisy(150, memory=0.3)
        order = np.random.default_rng(0).permutation(150)
        one, two = diagnose(fit_of(X, y)), diagnose(fit_of(X[order], y[order]))
        for name in ("linearity", "homoscedasticity", "normality"):
            for a, b in zip(one[name].tests, two[name].tests, strict=True):
                close(a.statistic, b.statistic, 1e-8)


class TestPrinting:
    def test_text_html_frame(self):
        diagnosis = diagnose(fit_of(*noisy(), names=["a<b", "b", "c"], target="y & z"))
        text = str(diagnosis)
        assert max(map(len, text.splitlines())) <= 80
        assert text.count("✓") + text.count("✗") == 6
        assert "y &amp; z" in diagnosis._repr_html_()
        assert "a<b" not in diagnosis.to_html()
        frame = diagnosis.to_frame(backend="pandas")
        assert set(frame["assumption"]) == {*FIVE, "collinearity"}
        assert len(diagnosis) == 6

    def test_unknown_names(self):
        diagnosis = diagnose(fit_of(*noisy()))
        with pytest.raises(KeyError, match="known are existence"):
            diagnosis["normal"]
        with pytest.raises(KeyError, match="no test 'Shapiro'"):
            diagnosis["normality"].test("Shapiro")

    def test_a_test_prints_its_numbers(self):
        test = diagnose(fit_of(*noisy(400, fan=0.5)))["homoscedasticity"].test("Breusch–Pagan")
        assert str(test).startswith("Breusch–Pagan LM(3) = ")
        assert str(test).endswith("p < 0.0001")
