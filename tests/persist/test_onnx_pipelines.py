"""Pipelines in onnxruntime: each step before the model does what it does in scikit-learn."""

import json

import numpy as np
import onnx
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, PolynomialFeatures, StandardScaler

import linscope as ls
from linscope.data.question import read_question
from linscope.selection.comparison.scoring.balanced import BalancedDecision
from linscope.validation.preparation import preparation
from tests.onnx_runs import agree, run, session_of
from tests.registry import noisy_plane, three_classes

RNG = np.random.default_rng(7)


def with_gaps(X):
    return np.where(RNG.random(X.shape) < 0.15, np.nan, X)


STEPS = {
    "standard": [StandardScaler()],
    "standard, no mean": [StandardScaler(with_mean=False)],
    "largest": [MaxAbsScaler(clip=True)],
    "passthrough": ["passthrough", StandardScaler(), None],
    "powers": [PolynomialFeatures(3), StandardScaler()],
    "products": [PolynomialFeatures((2, 3), interaction_only=True, include_bias=False)],
    "linscope's powers": [ls.PolynomialFeatures(2, include_bias=False)],
    "distances": [ls.RadialFeatures("kmeans", n_centers=3, random_state=0)],
    "bumps": [ls.RadialFeatures("mean", gamma=0.3)],
    "kernel features": [Nystroem(gamma=1.0, n_components=8, random_state=0)],
    "nested": [make_pipeline(StandardScaler(), MaxAbsScaler())],
    "frozen": [FrozenEstimator(StandardScaler().fit(three_classes()[0]))],
}


@pytest.mark.parametrize("name", STEPS)
def test_steps_of_numbers(name):
    X, y = three_classes()
    model = make_pipeline(*STEPS[name], ls.LogisticRegression()).fit(X, y)
    agree(model, np.vstack([X, 5.0 * X]))


GAPS = {
    "mean": SimpleImputer(),
    "median and marks": SimpleImputer(strategy="median", add_indicator=True),
    "constant": SimpleImputer(strategy="constant", fill_value=-1.0),
    "marks": MissingIndicator(error_on_new=False),
}


@pytest.mark.parametrize("name", GAPS)
def test_missing_values(name):
    X, y = three_classes()
    X = with_gaps(X)
    agree(make_pipeline(GAPS[name], ls.LogisticRegression()).fit(X, y), X)


@pytest.mark.filterwarnings("ignore:Skipping features without any observed values")
@pytest.mark.parametrize("keep", [True, False])
def test_a_column_without_values(keep):
    X, y = three_classes()
    X = X.copy()
    X[:, 1] = np.nan
    model = make_pipeline(SimpleImputer(keep_empty_features=keep), ls.LogisticRegression())
    agree(model.fit(X, y), X)


ENCODERS = {
    "all": OneHotEncoder(),
    "drop first": OneHotEncoder(drop="first", sparse_output=False),
    "if binary": OneHotEncoder(drop="if_binary"),
    "ignore": OneHotEncoder(handle_unknown="ignore"),
    "rare": OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=3),
    "rare, drop first": OneHotEncoder(
        handle_unknown="infrequent_if_exist", min_frequency=15, drop="first"
    ),
}


def codes(n):
    return np.column_stack(
        [RNG.integers(0, 2, n), RNG.integers(0, 6, n) ** 2, np.full(n, 3.0), RNG.normal(size=n)]
    ).astype(float)


@pytest.mark.filterwarnings("ignore:Found unknown categories")
@pytest.mark.parametrize("name", ENCODERS)
def test_one_column_per_category(name):
    X, y = codes(75), three_classes()[1]
    X[::9, 1] = np.nan
    split = ColumnTransformer(
        [("codes", ENCODERS[name], [0, 1, 2]), ("rest", StandardScaler(), [3])],
        transformer_weights={"rest": 0.5},
    )
    model = make_pipeline(split, ls.LogisticRegression()).fit(X, y)
    session = session_of(model)
    agree(model, X, session=session)
    strange = X.copy()
    strange[:5, 1] = 99.0
    if ENCODERS[name].handle_unknown == "error":
        with pytest.raises(Exception, match="out of data bounds"):
            run(session, strange)
    else:
        agree(model, strange, session=session)


@pytest.mark.parametrize(
    "columns", [["c", "a"], slice("a", "b"), [True, False, True], slice(1, 3), [-1], ["b"]]
)
def test_columns_by_name_place_and_mask(columns):
    X, y = three_classes()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    split = ColumnTransformer([("part", StandardScaler(), columns)], remainder="passthrough")
    model = make_pipeline(split, ls.LinearSVC()).fit(frame, y)
    agree(model, frame, X)
    names = {one.key: one.value for one in ls.to_onnx(model).metadata_props}["feature_names"]
    assert json.loads(names) == ["a", "b", "c"]


@pytest.mark.parametrize("scaler", [StandardScaler(), MaxAbsScaler()])
def test_one_column(scaler):
    """onnxruntime joins a product with a single number in float32, and drops it near 1 or 0."""
    X, y = noisy_plane()
    X = X[:, :1]
    agree(make_pipeline(scaler, ls.LinearRegression()).fit(X, y), X)
    unit = X / X.std() * (1.0 + 3e-9) + 1e-60
    agree(make_pipeline(scaler, ls.LinearRegression()).fit(unit, y), unit)
    small = 1e-60 * X
    agree(make_pipeline(StandardScaler(with_std=False), ls.LinearRegression()).fit(small, y), small)


@pytest.mark.parametrize("classes", [2, 3])
def test_decisions_that_count_every_class_alike(classes):
    X, y = three_classes()
    rare = np.flatnonzero(~((y == 1) & (np.arange(len(y)) % 5 > 0)))
    X, y = X[rare], y[rare] if classes == 3 else (y[rare] == 1)
    model = make_pipeline(StandardScaler(), BalancedDecision(ls.LogisticRegression())).fit(X, y)
    inside = make_pipeline(model[0], model[1].estimator_)
    assert (model.predict(X) != inside.predict(X)).any()
    agree(model, X)


def table(n=120):
    plans = np.array(["basic", "plus", "góld", "A b", None], dtype=object)
    new = np.array(["no", "yes", None], dtype=object)
    return {
        "age": np.where(RNG.random(n) < 0.1, np.nan, RNG.integers(18, 80, n)),
        "monthly bill": RNG.normal(50.0, 9.0, n),
        "plan": plans[RNG.integers(0, 5, n)],
        "new": new[RNG.integers(0, 3, n)],
        "flag": RNG.integers(0, 2, n).astype(float),
        "since": np.array([f"2024-{k % 12 + 1:02}-{k % 28 + 1:02}" for k in range(n)], object),
        "y": RNG.choice(["leave", "stay"], n).astype(object),
    }


def fed(columns, reader):
    """The columns of a table as the graph takes them."""
    feed = {}
    for name in reader.feature_names_in_:
        values, kind = columns[name], reader.kinds_[name]
        if kind.kind == "date":
            values = np.array([kind.dates.days(text) for text in values], dtype=float)
        elif values.dtype == object:
            values = np.array(["" if text is None else text for text in values], dtype=object)
        feed[name] = values[:, None]
    return feed


@pytest.mark.parametrize("scale", [True, False])
def test_a_table_has_an_input_for_each_column(scale):
    columns = table()
    question = read_question(columns, "y", missing="impute")
    steps = preparation(question, scale=scale).fit(question.X)
    last = ls.LogisticRegression().fit(steps.transform(question.X), question.y)
    reader = FrozenEstimator(question.reader)
    model = Pipeline([("columns", reader), ("prepare", steps), ("model", last)])
    new = {name: values for name, values in columns.items() if name != "y"}
    new["plan"] = np.where(np.arange(120) % 10 == 0, "unheard of", new["plan"])
    new["new"] = np.where(np.arange(120) % 7 == 0, "YES", new["new"])
    new["new"] = np.where(np.arange(120) % 11 == 0, "perhaps", new["new"])
    agree(model, new, fed(new, question.reader))
    kinds = {one.name: one.type.tensor_type.elem_type for one in ls.to_onnx(model).graph.input}
    text, number = onnx.TensorProto.STRING, onnx.TensorProto.DOUBLE
    assert kinds == {
        "age": number,
        "monthly bill": number,
        "plan": text,
        "new": text,
        "flag": number,
        "since": number,
    }
