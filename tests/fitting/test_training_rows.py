"""No fitted model keeps a table alive, and statistics stay what they are without it."""

import gc
import weakref

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import linscope as ls
from linscope.fitting import training_rows
from linscope.fitting.training_rows import SMALL
from tests.registry import REGISTRY


def named(X):
    return dict(zip([f"c{j}" for j in range(X.shape[1])], X.T.copy(), strict=True))


FORMS = {
    "numpy": np.copy,
    "float32": lambda X: X.astype(np.float32),
    "fortran": lambda X: np.copy(X, order="F"),
    "sparse": sparse.csr_array,
    "pandas": lambda X: pd.DataFrame(named(X)),
    "polars": lambda X: pl.DataFrame(named(X)),
}


def watched(*objects):
    """Weak references to tables and to the arrays that sparse ones are made of."""
    parts = [part for one in objects if sparse.issparse(one) for part in (one.data, one.indices)]
    return [weakref.ref(one) for one in [*objects, *parts]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("small", [0, SMALL])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", REGISTRY)
def test_a_fitted_model_lets_go_of_its_table(name, form, small, monkeypatch):
    monkeypatch.setattr(training_rows, "SMALL", small)
    entry = REGISTRY[name]
    if form == "sparse" and "sparse" in entry.lacks:
        pytest.skip(entry.lacks["sparse"])
    X, y = entry.problem()
    X, y, c = FORMS[form](X), y.copy(), np.ones(len(y)) + np.arange(len(y)) % 2
    seen, model = watched(X, y, c), entry.make().fit(X, y, sample_weight=c)
    del X, y, c
    gc.collect()
    assert [one() for one in seen] == [None] * len(seen)
    assert model.certificate_ is not None


@pytest.fixture
def large(monkeypatch):
    """Tables of any size count as large."""
    monkeypatch.setattr(training_rows, "SMALL", 0)


@pytest.mark.parametrize("kind", ["table", "compressed"])
def test_a_scan_of_a_table_in_memory_is_let_go(kind, large):
    r = np.random.default_rng(0)
    table = pa.table({"x": r.integers(0, 9, 500) / 1.0, "y": r.integers(0, 2, 500)})
    rows = ls.scan(table, "y") if kind == "table" else ls.compress(table, "y")
    seen = watched(table, rows)
    models = [ls.LinearRegression().fit(rows), ls.LogisticRegression(C=np.inf).fit(rows)]
    before = [model.summary().standard_errors for model in models]
    del rows, table
    gc.collect()
    assert [one() for one in seen] == [None, None]
    for model, errors in zip(models, before, strict=True):
        np.testing.assert_array_equal(model.summary().standard_errors, errors)


def numbers(table):
    """Everything that a summary says, flat."""
    found = [value for value in vars(table).values() if not isinstance(value, str | list)]
    flat = [np.ravel(one) for one in found if one is not None]
    return np.concatenate(flat).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["linear", "logistic", "softmax", "penalised"])
def test_classical_errors_do_not_need_the_table(name, weighted, large):
    r = np.random.default_rng(1)
    X = r.normal(size=(300, 3)) * [1.0, 1e3, 1e-3] + [0.0, 1e6, 0.0]
    labels = (X[:, 0] + r.normal(size=300) > 0) + (name == "softmax") * (r.random(300) < 0.3)
    y = X[:, 0] + r.normal(size=300) if name == "linear" else labels.astype(int)
    c = r.uniform(0.5, 2.0, 300) if weighted else None
    model = ls.LinearRegression() if name == "linear" else ls.LogisticRegression(C=np.inf)
    model.set_params(**({"C": 1.0} if name == "penalised" else {}))
    table = X.copy()
    model.fit(table, y, sample_weight=c)
    with_rows, words = model.summary(X=X, y=y, sample_weight=c), str(model.summary())
    del table
    gc.collect()
    np.testing.assert_allclose(numbers(model.summary()), numbers(with_rows), rtol=1e-9)
    assert str(model.summary()) == words
    if name == "linear":
        ends = model.predict_interval(X[:5])
        assert (ends[:, 0] < ends[:, 1]).all()
        assert model.sigma2_ml_ == pytest.approx(with_rows.sigma2_ml)
    elif name != "penalised":
        assert model.odds_ratios().p_values == pytest.approx(with_rows.p_values[:, 1:])


def test_what_needs_the_rows_says_so(large):
    r = np.random.default_rng(2)
    X = r.normal(size=(200, 2))
    t = X @ [1.0, 2.0] + r.normal(size=200)
    y = (t > 0).astype(int)
    line, curve = ls.LinearRegression(), ls.LogisticRegression(C=np.inf)
    given = X.copy(), t.copy(), y.copy()
    line.fit(given[0], given[1])
    curve.fit(given[0], given[2])
    here = line.summary("HC3"), curve.summary("HC0"), curve.odds_ratios(kind="profile")
    assert line.diagnose().n == 200
    assert np.isfinite(curve.log_likelihood())
    del given
    gc.collect()
    for asks in (
        lambda: line.summary("HC3"), line.diagnose, lambda: curve.summary("HC0"),
        curve.log_likelihood, line.log_likelihood, lambda: curve.odds_ratios(kind="profile"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="pass X and y"):
            asks()
    again = line.summary("HC3", X=X, y=t), curve.summary("HC0", X=X, y=y)
    for now, before in zip(again, here, strict=False):
        np.testing.assert_array_equal(now.standard_errors, before.standard_errors)
    with pytest.raises(ValueError, match="not the data of the fit"):
        line.summary("HC3", X=X[::-1], y=t)


def test_small_tables_and_lists_are_copied():
    line = ls.LinearRegression().fit([[1], [2], [3], [5], [7]], [2, 4, 5, 9, 12])
    assert np.isfinite(line.summary("HC1").standard_errors).all()
    X, y = np.random.default_rng(3).normal(size=(40, 2)), np.arange(40) % 2
    model = ls.LogisticRegression(C=np.inf).fit(X, y)
    before = model.summary("HC0").standard_errors
    X[:] = 0.0
    np.testing.assert_array_equal(model.summary("HC0").standard_errors, before)


def test_a_small_compressed_table_is_kept_without_the_whole_one():
    r = np.random.default_rng(5)
    x, y = r.integers(0, 9, 500) / 1.0, r.integers(0, 2, 500)
    table = pa.table({"x": x, "y": y})
    seen = watched(table)
    models = [ls.LinearRegression(), ls.LogisticRegression(C=np.inf)]
    for model in models:
        model.fit(ls.compress(table, "y"))
    del table
    gc.collect()
    assert [one() for one in seen] == [None]
    for model in models:
        whole = type(model)().set_params(**model.get_params()).fit(x[:, None], y)
        found, expected = (one.summary("HC1").standard_errors for one in (model, whole))
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_files_are_read_again(tmp_path):
    r = np.random.default_rng(4)
    frame = pd.DataFrame({"x": r.normal(size=400), "y": r.normal(size=400)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    model = ls.LinearRegression().fit(ls.scan(tmp_path / "t.csv", "y"))
    gc.collect()
    near = ls.LinearRegression().fit(frame[["x"]], frame.y)
    for robust in (None, "HC3"):
        np.testing.assert_allclose(
            model.summary(robust).standard_errors, near.summary(robust).standard_errors, rtol=1e-12
        )
