"""A share of the campaign on statistics, and its references against statsmodels."""

import numpy as np
import pytest
import statsmodels.api as sm

from . import statistics
from .statistics_reference import LinearReference, LogisticReference, tail_chi2, tail_f, tail_t


@pytest.mark.parametrize(
    "first", [0, 8, 16, *(pytest.param(k, marks=pytest.mark.slow) for k in range(24, 184, 20))]
)
def test_no_finding(first):
    report = statistics.Report()
    for number in range(first, first + (8 if first < 24 else 20)):
        statistics.attack(statistics.problem_of(12, number), report)
    assert not report.findings, str(report)
    assert report.counts["summaries"] >= 5


@pytest.fixture
def table():
    r = np.random.default_rng(0)
    X, c = r.normal(size=(30, 2)), r.integers(1, 5, 30)
    return X, X @ [1.0, -2.0] + r.normal(size=30), c


def floats(values):
    return np.array(values, dtype=float)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", ["frequency", "precision"])
def test_the_linear_reference_is_statsmodels(kind, intercept, table):
    X, y, c = table
    truth = LinearReference(X, y, c, kind, intercept)
    A = sm.add_constant(X) if intercept else X
    again = np.repeat(np.arange(30), c)
    plain = sm.OLS(y[again], A[again]) if kind == "frequency" else sm.WLS(y, A, weights=c)
    peer, whole = plain.fit(), truth.whole()
    for robust in (None, "HC0", "HC1", "HC2", "HC3"):
        other = peer if robust is None else peer.get_robustcov_results(robust)
        found = truth.coefficients(robust, 0.9)
        np.testing.assert_allclose(floats(found["standard_errors"]), other.bse, rtol=1e-9)
        np.testing.assert_allclose(floats(found["p_values"]), other.pvalues, rtol=1e-7)
        np.testing.assert_allclose(floats(found["intervals"]), other.conf_int(0.1), rtol=1e-7)
    names = {"r2": "rsquared", "adjusted_r2": "rsquared_adj", "f_statistic": "fvalue",
             "f_pvalue": "f_pvalue", "log_likelihood": "llf", "aic": "aic",
             "bic": "bic"}  # fmt: skip
    for mine, theirs in names.items():
        np.testing.assert_allclose(float(whole[mine]), getattr(peer, theirs), rtol=1e-8)
    groups = np.arange(30) // 4
    labels = groups[again] if kind == "frequency" else groups
    peer = plain.fit(cov_type="cluster", cov_kwds={"groups": labels})
    found = truth.coefficients("cluster", 0.9, groups)["standard_errors"]
    np.testing.assert_allclose(floats(found), peer.bse, rtol=1e-9)
    middle, half = truth.intervals(X[:3], "prediction", 0.9)
    if kind == "frequency":
        ends = plain.fit().get_prediction(A[:3]).conf_int(obs=True, alpha=0.1)
        np.testing.assert_allclose(floats(middle) - floats(half), ends[:, 0], rtol=1e-7)


@pytest.mark.parametrize("kind", ["frequency", "precision"])
def test_the_logistic_reference_is_statsmodels(kind, table):
    X, y, c = table
    y = (y + np.sin(np.arange(30.0) * 7) * 2 > 0).astype(int)
    truth, A = LogisticReference(X, y, c, kind, True, np.zeros(3)), sm.add_constant(X)
    if kind == "frequency":
        again = np.repeat(np.arange(30), c)
        peer = sm.Logit(y[again], A[again]).fit(disp=0, tol=1e-14)
        np.testing.assert_allclose(float(truth.whole()["bic"]), peer.bic, rtol=1e-8)
        robust = sm.Logit(y[again], A[again]).fit(disp=0, cov_type="HC0").bse
        found = truth.coefficients("HC0", 0.9)["standard_errors"]
        np.testing.assert_allclose(floats(found), robust, rtol=1e-6)
    else:
        peer = sm.GLM(y, A, sm.families.Binomial(), var_weights=c).fit(tol=1e-14)
    found = truth.coefficients(None, 0.9)
    np.testing.assert_allclose(floats(found["standard_errors"]), peer.bse, rtol=1e-6)
    np.testing.assert_allclose(floats(found["p_values"]), peer.pvalues, rtol=1e-6)
    np.testing.assert_allclose(float(truth.value), peer.llf, rtol=1e-9)
    np.testing.assert_allclose(float(truth.whole()["aic"]), peer.aic, rtol=1e-9)


def test_tails():
    from scipy import stats

    for t, df in ((0.3, 3), (4.0, 50.5), (40.0, 7)):
        np.testing.assert_allclose(float(tail_t(t, df)), 2 * stats.t.sf(t, df), rtol=1e-10)
        np.testing.assert_allclose(float(tail_f(t, 2, df)), stats.f.sf(t, 2, df), rtol=1e-10)
        np.testing.assert_allclose(float(tail_chi2(t, df)), stats.chi2.sf(t, df), rtol=1e-10)
