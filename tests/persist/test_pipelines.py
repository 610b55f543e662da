"""Pipelines of scikit-learn's usual transformers, of tables, and what a comparison recommends."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)

import linscope as ls
from linscope.data.question import read_question
from linscope.persist.allowed import ESTIMATORS
from linscope.selection.comparison.scoring.balanced import BalancedDecision
from linscope.selection.comparison.scoring.candidates import Setting, candidates
from linscope.validation.preparation import preparation

from .checks import check_answers


def table():
    random = np.random.default_rng(0)
    n = 80
    number = random.normal(size=n)
    return pd.DataFrame(
        {
            "age": number,
            "gap": np.where(random.random(n) < 0.2, np.nan, random.normal(size=n)),
            "plan": random.choice(["basic", "plus", "gold"], n, p=[0.6, 0.35, 0.05]),
            "town": random.choice(["Ulm", "Köln", None], n),
            "since": pd.date_range("2024-01-01", periods=n).astype(str),
            "active": random.choice(["yes", "no"], n),
            "y": np.where(number + random.normal(size=n) > 0, "stay", "leave"),
        }
    )


TABLE = table()
X, Y = TABLE.drop(columns="y"), TABLE["y"].to_numpy()
NUMBERS = X[["age", "gap"]].fillna(0.0)
TEXTS = X[["plan", "town", "active"]]


def columns():
    numbers = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True), StandardScaler(), PolynomialFeatures()
    )
    texts = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=10)
    parts = [("numbers", numbers, ["age", "gap"]), ("texts", texts, ["plan", "town"])]
    return ColumnTransformer(parts, n_jobs=1)


PIPELINES = {
    "columns": (columns(), X),
    "columns and a model": (make_pipeline(columns(), ls.LogisticRegression()), X),
    "columns and a kernel": (make_pipeline(columns(), ls.SVC(probability=True)), X),
    "passed through, as a table": (
        make_pipeline(
            make_column_transformer(
                (StandardScaler(), ["age"]), remainder="passthrough"
            ).set_output(transform="pandas"),
            ls.LinearSVC(),
        ),
        NUMBERS,
    ),
    "one of two": (OneHotEncoder(drop="if_binary", sparse_output=False), TEXTS),
    "rare numbers": (
        OneHotEncoder(max_categories=3, dtype=np.float32, handle_unknown="infrequent_if_exist"),
        np.arange(60).reshape(30, 2) % 7,
    ),
    "categories that are given": (
        OneHotEncoder(categories=[["basic", "gold", "plus"]]), TEXTS[["plan"]],
    ),
    "imputed texts": (
        SimpleImputer(strategy="constant", fill_value="?"),
        TEXTS.astype(object).to_numpy(),
    ),
    "indicator": (MissingIndicator(error_on_new=False), X[["age", "gap"]]),
    "polynomial": (
        make_pipeline(PolynomialFeatures(3, interaction_only=True), ls.FisherDiscriminant()),
        NUMBERS,
    ),
    "bumps": (
        make_pipeline(ls.RadialFeatures([[0, 0], [1, 1]], gamma=1.0), ls.Perceptron(max_iter=5)),
        NUMBERS,
    ),
    "sparse": (make_pipeline(MaxAbsScaler(), ls.LinearSVC()), sp.csr_array(NUMBERS.to_numpy())),
    "nystroem": (
        make_pipeline(Nystroem(n_components=9, random_state=0), ls.LogisticRegression()), NUMBERS,
    ),
    "frozen": (
        make_pipeline(FrozenEstimator(StandardScaler().fit(NUMBERS)), ls.LogisticRegression()),
        NUMBERS,
    ),
    "balanced": (BalancedDecision(ls.LogisticRegression()), NUMBERS),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PIPELINES)
def test_pipelines_keep_their_bits(name, tmp_path):
    model, rows = PIPELINES[name]
    model.fit(rows, Y[: rows.shape[0]])
    ls.save(model, tmp_path / "m")
    again = ls.load(tmp_path / "m")
    check_answers(model, again, rows)
    assert kept(model, again) == set()
    if hasattr(model, "transform"):
        assert list(again.get_feature_names_out()) == list(model.get_feature_names_out())


def kept(before, after):
    """Attributes that a loaded model has lost, and those of all that is in it."""
    if isinstance(before, list | tuple) and after is not None:
        return set().union(*(kept(a, b) for a, b in zip(before, after, strict=True)))
    row = ESTIMATORS.get(type(before).__name__)
    if row is None or not hasattr(before, "__dict__"):
        return set()
    lost = vars(before).keys() - vars(after).keys() - set(row.leaves.split())
    return lost.union(*(kept(v, vars(after).get(k)) for k, v in vars(before).items()))


@pytest.mark.parametrize("scale", [False, True])
def test_a_table_and_its_columns(scale, tmp_path):
    question = read_question(TABLE, "y", missing="impute")
    prepare = preparation(question, scale=scale, reference=True).fit(question.X)
    model = ls.LogisticRegression().fit(prepare.transform(question.X), question.y)
    steps = [("columns", question.reader), ("prepare", prepare), ("model", model)]
    ls.save(Pipeline(steps), tmp_path / "m")
    again = ls.load(tmp_path / "m")
    check_answers(Pipeline(steps), again, TABLE)
    names = again["prepare"].get_feature_names_out()
    assert names.tolist() == prepare.get_feature_names_out().tolist()
    assert "plan=gold" in names
    new = TABLE.assign(town="Bonn").drop(columns="y")
    again.predict(new)
    assert again["columns"].unknown_ == {"town": len(new)}
    with pytest.raises(ValueError, match="did you mean 'Age'"):
        again.predict(new.rename(columns={"age": "Age"}))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("task", ["classes", "number"])
def test_all_that_a_comparison_may_recommend(task, tmp_path):
    question = read_question(TABLE.drop(columns="since"), "y", missing="impute")
    prepare = preparation(question, scale=True, reference=True).fit(question.X)
    rows = prepare.transform(question.X)
    y = question.y if task == "classes" else rows[:, 0] + rows[:, 1] ** 2
    setting = Setting(task, "balanced_accuracy", *rows.shape, 2, 2, True, False, 0)
    for model in candidates(task):
        if model.family != "reference":
            estimator = model.make(setting).fit(rows, y)
            steps = [("reader", FrozenEstimator(question.reader)), ("prepare", prepare)]
            pipeline = Pipeline([*steps, ("model", estimator)])
            ls.save(pipeline, tmp_path / "m")
            check_answers(pipeline, ls.load(tmp_path / "m"), TABLE)


@pytest.mark.filterwarnings("ignore")
def test_what_a_comparison_recommends(tmp_path):
    found = ls.compare(TABLE, target="y", missing="impute", models=["fisher"], repeats=1)
    ls.save(found.best_, tmp_path / "m")
    check_answers(found.best_, ls.load(tmp_path / "m"), TABLE)


def test_functions_are_refused_wherever_they_are(tmp_path):
    steps = make_pipeline(FunctionTransformer(np.log1p), ls.LogisticRegression())
    chosen = make_column_transformer((StandardScaler(), lambda frame: ["age"]))
    for model in (steps.fit(NUMBERS**2, Y), chosen.fit(NUMBERS)):
        with pytest.raises(TypeError, match="is a function"):
            ls.save(model, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_how_to_use_the_machine_is_not_part_of_a_model(tmp_path):
    model = make_pipeline(StandardScaler(), ls.LogisticRegression(), memory=str(tmp_path / "cache"))
    ls.save(model.fit(NUMBERS, Y), tmp_path / "m")
    assert ls.load(tmp_path / "m").memory is None
