"""The scikit-learn contract of the moment classifiers: checks, pipelines, searches, names."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import linscope as ls
from tests.scikit_learn import blobs, failed_checks

MODELS = [
    ls.FisherDiscriminant(),
    ls.FisherDiscriminant(shrinkage="auto"),
    ls.FisherDiscriminant(shrinkage=0.2, n_components=1),
    ls.FisherDiscriminant(mean_difference=True),
    ls.GaussianNaiveBayes(),
    ls.GaussianNaiveBayes(shared_variance=True),
    ls.LeastSquaresClassifier(),
    ls.LeastSquaresClassifier(alpha=1.0),
]


@pytest.mark.share(4)
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_scikit_learn_checks(model):
    assert failed_checks(clone(model)) == {}


def test_pipelines_and_searches():
    X, y = blobs(90)
    pipeline = make_pipeline(StandardScaler(), ls.FisherDiscriminant())
    grid = {"fisherdiscriminant__shrinkage": [None, "auto", 0.1, 0.5]}
    assert GridSearchCV(pipeline, grid, cv=3).fit(X, y).best_score_ > 0.8
    as_step = make_pipeline(ls.FisherDiscriminant(), ls.GaussianNaiveBayes())
    assert cross_val_score(as_step, X, y, cv=3).min() > 0.8
    assert as_step.set_output(transform="pandas").fit(X, y)[0].transform(X).shape == (90, 2)
    for model in MODELS:
        weighted = clone(model).fit(X, y, sample_weight=np.ones(len(y)))
        assert weighted.score(X, y) > 0.8
    selected = SelectFromModel(ls.LeastSquaresClassifier()).fit(X, y)
    assert selected.transform(X).shape[0] == len(y)


FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("model", MODELS[::2], ids=repr)
def test_feature_names_must_match(frame, model):
    X, y = blobs(90)
    columns = {name: X[:, j] for j, name in enumerate(["p", "q", "r", "s"])}
    fitted = clone(model).fit(FRAMES[frame](columns), y)
    assert fitted.feature_names_in_.tolist() == ["p", "q", "r", "s"]
    expected = clone(model).fit(X, y).predict(X)
    np.testing.assert_array_equal(fitted.predict(FRAMES[frame](columns)), expected)
    with pytest.raises(ValueError, match="same order"):
        fitted.predict(FRAMES[frame]({name: columns[name] for name in reversed(columns)}))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_unfitted_models_say_so(model):
    for method in ("predict", "decision_function", "equation"):
        with pytest.raises(NotFittedError, match="not fitted"):
            getattr(clone(model), method)(*[[[1.0]]] * (method != "equation"))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_failed_fit_leaves_the_model_as_it_was(model):
    X, y = blobs(90)
    fitted = clone(model).fit(X, y)
    before = fitted.predict(X)
    with pytest.raises(ValueError, match="NaN"):
        fitted.fit(np.where(X > 3, np.nan, X), y)
    np.testing.assert_array_equal(fitted.predict(X), before)
    assert fitted.certificate_.verify(X, y)


@pytest.mark.parametrize("weight", [1e101, 1e-101])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_weights_that_leave_nothing_of_other_samples_are_refused(model, weight):
    X, y = blobs(90)
    with pytest.raises(ValueError, match=rf"{weight:g}".replace("+", r"\+") + ": positive weights"):
        clone(model).fit(X, y, sample_weight=np.r_[weight, 0.0, np.ones(88)])


ODD = {
    "plain": lambda X, y, rng: X,
    "far": lambda X, y, rng: X + 10.0 ** rng.integers(0, 9),
    "units": lambda X, y, rng: X * 10.0 ** rng.integers(-140, 140, X.shape[1]),
    "dependent": lambda X, y, rng: np.column_stack([X, X[:, 0] + 2 * X[:, -1], np.full(len(y), 7)]),
    "nearly dependent": lambda X, y, rng: np.column_stack(
        [X, X[:, 0] + 10.0 ** -rng.integers(2, 12) * rng.standard_normal(len(y))]
    ),
    "integers": lambda X, y, rng: np.round(3 * X / X.std(axis=0)),
    "label": lambda X, y, rng: np.column_stack([X, y]),
    "single": lambda X, y, rng: X.astype(np.float32),
    "binary": lambda X, y, rng: (np.median(X, axis=0) < X).astype(float),
}


@pytest.mark.filterwarnings("ignore:the class means differ")
@given(
    seed=st.integers(0, 10_000),
    odd=st.sampled_from(sorted(ODD)),
    number=st.integers(0, len(MODELS) - 1),
    weighted=st.booleans(),
    chunks=st.integers(1, 3),
)
@settings(max_examples=150, deadline=None)
def test_honest_certificates_are_never_rejected(seed, odd, number, weighted, chunks):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(12, 150)), int(rng.integers(1, 20)), int(rng.integers(2, 5))
    y = rng.integers(0, k, n)
    y[: 2 * k] = np.arange(2 * k) % k
    X = rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + rng.standard_normal((k, d))[y]
    X = ODD[odd](X, y, rng)
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    model = clone(MODELS[number])
    if getattr(model, "n_components", None):
        model.set_params(n_components=None)
    if chunks == 1 or not hasattr(model, "partial_fit"):
        model.fit(X, y, sample_weight=weight)
    else:
        for part in np.array_split(np.arange(n), chunks):
            own = None if weight is None else weight[part]
            model.partial_fit(X[part], y[part], classes=range(k), sample_weight=own)
    check = model.certificate_.verify(X, y, sample_weight=weight)
    assert check.claim_holds, check.reason


def test_a_stream_that_has_not_varied_yet():
    X, y = np.ones((6, 2)), np.arange(6) % 2
    for model in MODELS[:4:3] + MODELS[4:]:
        model = clone(model).partial_fit(X, y)
        check = model.certificate_.verify(X, y)
        assert check.claim_holds, check.reason
        assert set(model.predict(X)) <= {0, 1}


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_consoles_and_notebooks_show_the_certificate(model):
    X, y = blobs(90)
    certificate = clone(model).fit(X, y).certificate_
    assert len(str(certificate).splitlines()) < 15
    assert "<table" in certificate._repr_html_()
    assert str(certificate.verify(X, y)).startswith("verified")
