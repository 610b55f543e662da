"""Frequency and precision weights: statistics against repeated rows and statsmodels."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import statsmodels.api as sm

import linscope as ls
from linscope.fitting import training_rows

ROBUST = (None, "HC0", "HC1", "HC2", "HC3")


def problem(kind="numbers", n=60, seed=0):
    """Rows with weights 1 … 5, and the same rows repeated."""
    r = np.random.default_rng(seed)
    X = np.column_stack([r.integers(0, 6, n) + 100.0, r.normal(size=n)])
    score = (X[:, 0] - 102) / 2 - X[:, 1] + r.normal(size=n)
    y = (
        score.round(1)
        if kind == "numbers"
        else (score > 0).astype(int) + (score > 2) * (kind == "three")
    )
    c = r.integers(1, 6, n).astype(float)
    again = np.repeat(np.arange(n), c.astype(int))
    return X, y, c, X[again], y[again]


def numbers(table):
    """Everything that a summary says, but for how often rows are repeated."""
    found = [v for k, v in vars(table).items() if k != "weight_kind" and not isinstance(v, str)]
    return np.concatenate([np.ravel(v) for v in found if isinstance(v, float | int | np.ndarray)])


def close(a, b, rtol=1e-9):
    np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-9)


@pytest.fixture(params=[0, training_rows.SMALL], ids=["no rows kept", "rows kept"])
def small(request, monkeypatch):
    monkeypatch.setattr(training_rows, "SMALL", request.param)


@pytest.mark.parametrize("intercept", [True, False])
def test_frequencies_of_a_regression_are_repeated_rows(intercept, small):
    X, y, c, many, long = problem()
    options = {"fit_intercept": intercept}
    model = ls.LinearRegression(weight_kind="frequency", **options).fit(X, y, sample_weight=c)
    plain = ls.LinearRegression(**options).fit(many, long)
    peer = sm.OLS(long, sm.add_constant(many) if intercept else many).fit()
    for robust in ROBUST:
        table = model.summary(robust)
        close(numbers(table), numbers(plain.summary(robust)))
        other = peer if robust is None else peer.get_robustcov_results(robust)
        close(table.standard_errors, other.bse)
        close(table.p_values, other.pvalues, 1e-7)
        close(table.intervals, other.conf_int())
    close([table.aic, table.bic, table.r2, table.adjusted_r2], [peer.aic, peer.bic, peer.rsquared,
                                                                peer.rsquared_adj])  # fmt: skip
    assert (table.n, table.df_residual) == (int(c.sum()), peer.df_resid)
    close(model.sigma2_ml_, plain.sigma2_ml_)
    close(model.log_likelihood(), peer.llf)
    close(model.log_likelihood(sigma2=2.0), plain.log_likelihood(sigma2=2.0))
    for kind in ("confidence", "prediction"):
        close(model.predict_interval(X, kind), plain.predict_interval(X, kind))
    assert "a row of weight 2 is 2 equal rows" in str(table)


def test_precisions_of_a_regression_are_wls(small):
    X, y, c, *_ = problem()
    peer = sm.WLS(y, sm.add_constant(X), weights=c).fit()
    for kind in ("auto", "precision"):
        model = ls.LinearRegression(weight_kind=kind).fit(X, y, sample_weight=c)
        for robust in ROBUST:
            table = model.summary(robust)
            other = peer if robust is None else peer.get_robustcov_results(robust)
            close(table.standard_errors, other.bse)
        close([table.aic, table.bic], [peer.aic, peer.bic])
        close(model.log_likelihood(), peer.llf)
        assert (table.n, table.weight_kind) == (len(y), "precision")
        assert "the variance of a row is σ²/weight" in str(table)


def test_clusters_of_frequencies_are_those_of_repeated_rows():
    X, y, c, many, long = problem()
    groups = np.arange(len(y)) // 5
    model = ls.LinearRegression(weight_kind="frequency").fit(X, y, sample_weight=c)
    plain = ls.LinearRegression().fit(many, long)
    table = model.summary(cov="cluster", groups=groups)
    other = plain.summary(cov="cluster", groups=np.repeat(groups, c.astype(int)))
    close(numbers(table), numbers(other))


@pytest.mark.parametrize("n", [40, 1500])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_diagnosis_of_frequencies_is_that_of_repeated_rows(n, seed):
    X, y, c, many, long = problem(n=n, seed=seed)
    y, long = y + X[:, 0] ** 2 * seed, long + many[:, 0] ** 2 * seed
    found = ls.LinearRegression(weight_kind="frequency").fit(X, y, sample_weight=c).diagnose()
    plain = ls.LinearRegression().fit(many, long).diagnose()
    assert found.n == plain.n == c.sum()
    close(found.condition_number, plain.condition_number)
    for verdict in plain:
        if verdict.assumption == "independence":
            assert found["independence"].ok is None
            continue
        mine = found[verdict.assumption]
        assert mine.ok == verdict.ok
        for test in verdict.tests:
            same = mine.test(test.name)
            close(same.statistic, test.statistic, 1e-6)
            assert (same.p_value is None) == (test.p_value is None)
            close(same.p_value or 0.0, test.p_value or 0.0, 1e-5)


def test_residual_figures_count_equal_rows():
    X, y, c, many, long = problem(n=200)
    weighted = ls.LinearRegression(weight_kind="frequency").fit(X, y, sample_weight=c)
    few = ls.plot.residuals(weighted).quantiles
    all_of_them = ls.plot.residuals(ls.LinearRegression().fit(many, long)).quantiles
    starts = np.r_[0, np.cumsum(c.astype(int))]
    for i in range(len(y)):
        same = np.sort(all_of_them[starts[i] : starts[i + 1]])
        assert same[0] - 0.05 <= few[i] <= same[-1] + 0.05


@pytest.mark.parametrize("kind", ["two", "three"])
def test_frequencies_of_a_logistic_regression_are_repeated_rows(kind, small):
    X, y, c, many, long = problem(kind)
    model, plain = (ls.LogisticRegression(C=np.inf, tol=1e-12) for _ in range(2))
    model.fit(X, y, sample_weight=c)
    plain.fit(many, long)
    for robust in (None, "HC0", "HC1"):
        close(numbers(model.summary(robust)), numbers(plain.summary(robust)), 1e-6)
    for interval in ("wald", "profile"):
        mine, other = model.odds_ratios(kind=interval), plain.odds_ratios(kind=interval)
        close(mine.intervals, other.intervals, 1e-5)
        close(mine.p_values, other.p_values, 1e-5)
    assert model.summary().weight_kind == "frequency"


def test_precisions_of_a_logistic_regression_are_var_weights(small):
    """The kinds differ in n and in robust errors only."""
    X, y, c, *_ = problem("two")
    A, family = sm.add_constant(X), sm.families.Binomial()
    by_kind = {"precision": sm.GLM(y, A, family, var_weights=c).fit(tol=1e-14),
               "frequency": sm.GLM(y, A, family, freq_weights=c).fit(tol=1e-14)}  # fmt: skip
    for kind, peer in by_kind.items():
        model = ls.LogisticRegression(C=np.inf, tol=1e-12, weight_kind=kind)
        table = model.fit(X, y, sample_weight=c).summary()
        close(table.standard_errors[0], peer.bse, 1e-6)
        close([table.log_likelihood, table.deviance], [peer.llf, peer.deviance], 1e-8)
        close(table.aic, peer.aic)
        n = len(y) if kind == "precision" else c.sum()
        assert (table.n, table.weight_kind) == (n, kind)
        close(table.bic, -2 * peer.llf + 3 * np.log(n))
        close(table.cox_snell, 1 - np.exp(2 * (table.null_log_likelihood - peer.llf) / n), 1e-7)
        # White's sandwich by hand, of scores cᵢ sᵢ, or of sᵢ as often as cᵢ says.
        scores = A * (y - peer.fittedvalues)[:, None]
        bread = np.linalg.inv(
            A.T @ (A * (c * peer.fittedvalues * (1 - peer.fittedvalues))[:, None])
        )
        middle = scores.T @ (scores * (c[:, None] ** (1 + (kind == "precision"))))
        close(model.summary("HC0").covariance, bread @ middle @ bread, 1e-6)
        close(model.summary("HC1").covariance, bread @ middle @ bread * n / (n - 3), 1e-6)


def whole(kind):
    *_, many, long = problem(kind)
    return pd.DataFrame({"a": many[:, 0], "b": many[:, 1].round(1), "y": long})


@pytest.mark.parametrize("robust", ROBUST)
@pytest.mark.parametrize("how", ["True", "auto", "compress"])
def test_compressed_tables_have_the_errors_of_their_rows(how, robust, tmp_path):
    table = pd.concat([whole("numbers")] * 4, ignore_index=True)
    table.to_parquet(tmp_path / "t.parquet")
    if how == "compress":
        rows = ls.compress(tmp_path / "t.parquet", "y")
    else:
        rows = ls.scan(tmp_path / "t.parquet", "y", compress=how == "True" or "auto")
    assert rows.shape[0] < len(table)
    model = ls.LinearRegression().fit(rows)
    peer = sm.OLS(table.y, sm.add_constant(table[["a", "b"]])).fit()
    close(model.summary(robust).standard_errors, (peer if robust is None else
          peer.get_robustcov_results(robust)).bse)  # fmt: skip
    assert model.summary().weight_kind == "frequency"
    ends = peer.get_prediction(sm.add_constant(table[["a", "b"]])).conf_int(obs=True)
    close(model.predict_interval(table[["a", "b"]], "prediction"), ends)


def test_a_compressed_logistic_table_has_the_errors_of_its_rows():
    table = whole("two")
    rows = ls.compress(pa.Table.from_pandas(table), "y")
    peer = sm.Logit(table.y, sm.add_constant(table[["a", "b"]])).fit(disp=0)
    found = ls.LogisticRegression(C=np.inf, tol=1e-12).fit(rows).summary()
    close(found.standard_errors[0], peer.bse, 1e-6)
    close([found.bic, found.n], [peer.bic, peer.nobs])


def test_added_weights_are_frequencies_only_if_the_user_says_so():
    X, y, c, many, long = problem()
    table = pa.table({"a": X[:, 0], "y": y, "c": c})
    rows = ls.compress(table, "y", weight="c")
    unsure = ls.LinearRegression().fit(rows).summary()
    assert unsure.standard_errors is None
    assert "weight_kind='frequency'" in unsure.refused
    plain = ls.LinearRegression().fit(many[:, :1], long).summary()
    close(ls.LinearRegression(weight_kind="frequency").fit(rows).summary().standard_errors,
          plain.standard_errors)  # fmt: skip
    labels = pa.table({"a": X[:, 0], "y": (y > 1).astype(int), "c": c})
    found = ls.LogisticRegression(C=np.inf).fit(ls.compress(labels, "y", weight="c"))
    assert found.summary().n == c.sum()
    rows = ls.compress(labels, "y", weight="c")
    unsure = ls.LogisticRegression(C=np.inf, weight_kind="precision").fit(rows).summary()
    assert "weight_kind='frequency'" in unsure.refused


def test_weights_that_count_rows_are_no_precisions():
    rows = ls.compress({"a": [1.0, 1.0, 2.0, 3.0], "y": [1.0, 1.0, 2.0, 2.0]}, "y")
    with pytest.raises(ValueError, match="count equal rows"):
        ls.LinearRegression(weight_kind="precision").fit(rows)
    with pytest.raises(ValueError, match="weight_kind"):
        ls.LinearRegression(weight_kind="counts").fit([[1], [2]], [1, 2])


def test_files_scans_and_dask_take_the_kind_from_the_model(tmp_path):
    dask = pytest.importorskip("dask.dataframe")
    X, y, c, many, long = problem()
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y, "c": c})
    frame.to_csv(tmp_path / "t.csv", index=False)
    plain = ls.LinearRegression().fit(many, long)
    model = ls.LinearRegression(weight_kind="frequency")
    rows = ls.scan(tmp_path / "t.csv", "y", weight="c")
    for fit in (
        lambda: model.fit(rows),
        lambda: model.fit(dask.from_pandas(frame, npartitions=3), "y", "c"),
    ):
        fit()
        close(numbers(model.summary()), numbers(plain.summary()))
        close(numbers(model.summary("HC3", X=X, y=y, sample_weight=c)),
              numbers(plain.summary("HC3")))  # fmt: skip
    model.fit(rows)
    close(model.diagnose()["normality"].tests[0].statistic,
          plain.diagnose()["normality"].tests[0].statistic)  # fmt: skip
    close(model.log_likelihood(), plain.log_likelihood())


def test_parts_and_files_keep_the_kind(tmp_path):
    X, y, c, many, long = problem()
    plain = numbers(ls.LinearRegression().fit(many, long).summary())
    model = ls.LinearRegression(weight_kind="frequency")
    model.partial_fit(X[:20], y[:20], sample_weight=c[:20])
    once = np.repeat(np.arange(20, 60), c[20:].astype(int))
    model.partial_fit(X[once], y[once])
    close(numbers(model.summary()), plain, 1e-8)
    halves = [ls.LinearRegression(weight_kind="frequency").fit(X[part], y[part], c[part])
              for part in (slice(0, 30), slice(30, 60))]  # fmt: skip
    close(numbers(halves[0].merge(halves[1]).summary()), plain, 1e-8)
    ls.save(halves[0].merge(halves[1]), tmp_path / "m.linscope")
    close(numbers(ls.load(tmp_path / "m.linscope").summary()), plain, 1e-8)
    # A fit with weights goes on with rows without: their weight is 1.
    model = ls.LinearRegression(weight_kind="frequency").fit(X[:20], y[:20], c[:20])
    close(numbers(model.partial_fit(X[once], y[once]).summary()), plain, 1e-8)
    rows = ls.compress(pa.table({"a": many[:, 0], "b": many[:, 1], "y": long}), "y")
    mixed = ls.LinearRegression().fit(rows)
    with pytest.raises(ValueError, match="set weight_kind"):
        mixed.partial_fit(pd.DataFrame(X, columns=["a", "b"]), y, sample_weight=c)


def test_a_comparison_has_the_rows_of_a_compressed_table_as_often():
    table = whole("two")
    columns, step, n = ls.compress(pa.Table.from_pandas(table), "y").sample()
    assert (step, n) == (1, len(table))
    rows = pd.DataFrame(columns)[["a", "b", "y"]].sort_values(["a", "b", "y"])
    np.testing.assert_array_equal(rows, table.sort_values(["a", "b", "y"]))


@pytest.mark.parametrize("where", ["scan", "dask"])
def test_statistics_of_rows_elsewhere_are_those_of_rows_in_memory(where, tmp_path):
    """All of them, with weights, also where a Dask collection is given by keyword."""
    X, y, c, *_ = problem()
    for labels, model in (
        (y, ls.LinearRegression()),
        ((y > 1).astype(int), ls.LogisticRegression(C=np.inf, tol=1e-12)),
    ):
        frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": labels, "c": c})
        near = type(model)(**model.get_params()).fit(frame[["a", "b"]], labels, c)
        if where == "scan":
            frame.to_csv(tmp_path / "t.csv", index=False)
            given = {"X": ls.scan(tmp_path / "t.csv", "y", weight="c")}
        else:
            table = pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=3)
            given = {"X": table, "y": "y", "sample_weight": "c"}
        model.fit(**given)
        for robust in (None, "HC1"):
            mine, other = model.summary(robust=robust, **given), near.summary(robust)
            close(mine.intervals, other.intervals, 1e-6)
            close([mine.bic, mine.n], [other.bic, other.n])
        if isinstance(model, ls.LinearRegression):
            mine, other = model.diagnose(**given), near.diagnose()
            close(mine["independence"].tests[0].statistic, other["independence"].tests[0].statistic)
            close(model.log_likelihood(), near.log_likelihood())
        else:
            mine, other = (
                model.odds_ratios(kind="profile", **given),
                near.odds_ratios(kind="profile"),
            )
            close(mine.intervals, other.intervals, 1e-5)
            close(model.log_likelihood(**given), near.log_likelihood(), 1e-8)
