"""Preparation: against pandas and scikit-learn by hand, and nothing of the test rows leaks in."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import linscope as ls
from linscope.data.question import read_question
from linscope.validation.preparation import preparation

N = 120
RNG = np.random.default_rng(2)
FRAME = pd.DataFrame(
    {
        "age": RNG.normal(50, 10, N),
        "income": RNG.lognormal(8, 1, N),
        "colour": RNG.choice(["red", "green", "blue"], N),
        "sex": RNG.choice(["male", "female"], N),
        "member": RNG.choice(["Yes", "No"], N),
        "y": RNG.permutation([0, 1] * (N // 2)),
    }
)
GAPS = FRAME.copy()
GAPS.loc[[3, 40, 41], "age"] = None
GAPS.loc[[5, 40], "colour"] = None
GAPS.loc[[7], "sex"] = None
GAPS.loc[[8, 9], "member"] = None


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def fitted(question, rows=slice(None), **options):
    return preparation(question, **{"scale": False} | options).fit(question.X[rows])


def as_frame(prepare, X):
    return pd.DataFrame(prepare.transform(X), columns=prepare.get_feature_names_out())


@pytest.mark.parametrize("reference", [False, True])
def test_against_get_dummies(reference):
    question = read_question(FRAME, "y")
    found = as_frame(fitted(question, reference=reference), question.X)
    plain = FRAME.drop(columns="y").assign(member=(FRAME["member"] == "Yes") * 1.0)
    plain = pd.get_dummies(plain, prefix_sep="=", dtype=float)
    first = ["colour=blue", "sex=female"] if reference else ["sex=female"]
    expected = plain.drop(columns=first)
    assert sorted(found.columns) == sorted(expected.columns)
    pd.testing.assert_frame_equal(found[expected.columns], expected)
    rank = np.linalg.matrix_rank(np.column_stack([np.ones(N), found]))
    assert (rank == 1 + found.shape[1]) == reference


def test_numbers_are_scaled_and_categories_are_not():
    question = read_question(FRAME, "y")
    found = as_frame(fitted(question, scale=True), question.X)
    expected = StandardScaler().fit_transform(FRAME[["age", "income"]])
    np.testing.assert_allclose(found[["age", "income"]], expected, rtol=1e-13)
    assert set(found["member"]) == set(found["colour=red"]) == {0.0, 1.0}
    assert fitted(question).transform(question.X).dtype == np.float64


def test_imputation_by_hand():
    question = read_question(GAPS, "y", missing="impute")
    found = as_frame(fitted(question), question.X)
    assert set(found.columns) == {
        *("age", "income", "member", "age is missing", "member is missing"),
        *("colour=blue", "colour=green", "colour=red", "colour is missing"),
        *("sex=female", "sex=male", "sex is missing"),
    }
    np.testing.assert_allclose(found["age"], GAPS["age"].fillna(GAPS["age"].median()))
    for name in ("age", "colour", "sex", "member"):
        np.testing.assert_array_equal(found[f"{name} is missing"], GAPS[name].isna())
    often = GAPS["member"].mode()[0]
    np.testing.assert_array_equal(found["member"], GAPS["member"].fillna(often) == "Yes")
    np.testing.assert_array_equal(found["colour=red"], GAPS["colour"] == "red")


def test_scaling_leaves_indicators_alone():
    question = read_question(GAPS, "y", missing="impute")
    found = as_frame(fitted(question, scale=True), question.X)
    assert set(found["age is missing"]) == {0.0, 1.0}
    age = GAPS["age"].fillna(GAPS["age"].median())
    np.testing.assert_allclose(found["age"], (age - age.mean()) / age.std(ddof=0), rtol=1e-10)


def test_only_training_rows_are_learned_from():
    """Whatever the other rows hold, the preparation is that of the training rows."""
    question = read_question(GAPS, "y", missing="impute")
    train = np.arange(60)
    prepare = fitted(question, train, scale=True)
    changed = question.X.copy()
    changed[60:, :2] = 1e9
    changed[60:, 2:] = 0.0
    again = clone(prepare).fit(changed[train])
    np.testing.assert_array_equal(
        prepare.transform(question.X[train]), again.transform(question.X[train])
    )
    ages = GAPS["age"][:60]
    filled = ages.fillna(ages.median())
    column = as_frame(prepare, question.X[train])["age"]
    np.testing.assert_allclose(
        column, (filled - filled.mean()) / filled.std(ddof=0), rtol=1e-10, atol=1e-12
    )


def test_a_category_of_test_rows_only_is_ignored():
    colours = ["red", "green", "blue"] * 20 + ["violet"] * 3 + ["red"] * 17
    table = {"x": RNG.normal(size=80), "colour": colours, "y": [0, 1] * 40}
    question = read_question(table, "y")
    assert question.categories == {1: ["blue", "green", "red", "violet"]}
    prepare = fitted(question, slice(0, 60))
    found = as_frame(prepare, question.X)
    assert list(found.columns) == ["x", "colour=blue", "colour=green", "colour=red"]
    assert not found.iloc[60:63, 1:].to_numpy().any()
    # So is one that no row of the question had, and a missing value.
    new = question.reader.transform({"x": [1.0, 2.0], "colour": ["pink", None]})
    assert prepare.transform(new).tolist() == [[1.0, 0, 0, 0], [2.0, 0, 0, 0]]


def test_gaps_in_test_rows_only():
    question = read_question(GAPS, "y", missing="impute")
    found = as_frame(fitted(question, slice(42, None)), question.X)
    assert "age is missing" not in found
    np.testing.assert_allclose(found["age"][3], GAPS["age"][42:].median())
    empty = question.X.copy()
    empty[:60, 0] = np.nan
    prepare = preparation(question, scale=True).fit(empty[:60])
    assert np.isfinite(prepare.transform(empty)).all()


def test_rare_categories_share_a_column():
    cities = [f"c{i:02d}" for i in range(60)]
    rows = [city for i, city in enumerate(cities) for _ in range(2 + (i < 50) * 3)]
    table = {"city": rows, "x": RNG.normal(size=len(rows)), "y": [0, 1] * (len(rows) // 2)}
    question = read_question(table, "y")
    found = as_frame(fitted(question), question.X)
    assert list(found.columns[1:]) == [f"city={city}" for city in cities[:50]] + ["city=other"]
    np.testing.assert_array_equal(found["city=other"], [city >= "c50" for city in rows])
    np.testing.assert_array_equal(found["city=c07"], [city == "c07" for city in rows])
    column = next(column for column in question.columns if column.name == "city")
    assert column.became.startswith("51 columns")
    new = question.reader.transform({"city": ["elsewhere"], "x": [0.0]})
    assert as_frame(fitted(question), new)["city=other"].tolist() == [1.0]


def test_sparse_rows():
    X = sp.random(40, 6, density=0.3, format="csr", random_state=0)
    question = read_question(X, target_values=[0, 1] * 20)
    plain, scaled = fitted(question), fitted(question, scale=True)
    assert (plain.transform(X) != X).nnz == 0
    largest = np.maximum(np.abs(X).max(axis=0).toarray(), 1e-300)
    np.testing.assert_allclose(scaled.transform(X).toarray(), X.toarray() / largest)
    assert plain.get_feature_names_out().tolist() == [f"x{j}" for j in range(1, 7)]


def test_in_a_pipeline_with_the_reader():
    question = read_question(GAPS, "y", missing="impute")
    # The reader knows the kinds and categories of the whole table; a fold does not fit it again.
    model = make_pipeline(
        FrozenEstimator(question.reader),
        preparation(question, scale=True),
        ls.LeastSquaresClassifier(alpha=1.0),
    )
    table = GAPS.drop(columns="y")
    by_table = cross_val_predict(clone(model), table, question.y, cv=4)
    by_matrix = cross_val_predict(clone(model[1:]), question.X, question.y, cv=4)
    np.testing.assert_array_equal(by_table, by_matrix)
    model.fit(table, question.y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(GAPS), model.predict(question.X))
    assert "colour=red" in model[:-1].get_feature_names_out()


def test_columns_that_are_missing_in_the_same_rows_share_an_indicator():
    """Copies of an indicator would be dependent columns of a regression."""
    table = GAPS.assign(y=RNG.normal(size=N), weight=GAPS["age"] * 2.0 + RNG.normal(size=N))
    table.loc[[5, 40], ["income"]] = None  # where colour is missing
    question = read_question(table, "y", missing="impute")
    found = as_frame(fitted(question, reference=True), question.X)
    marks = [name for name in found if name.endswith("is missing")]
    assert sorted(marks) == ["age is missing", "colour is missing", "member is missing",
                             "sex is missing"]  # fmt: skip
    for name in marks:
        np.testing.assert_array_equal(found[name], table[name.removesuffix(" is missing")].isna())
    rank = np.linalg.matrix_rank(np.column_stack([np.ones(N), found]))
    assert rank == 1 + found.shape[1]
    table.loc[3, "age"] = 50.0  # now the rows differ
    question = read_question(table, "y", missing="impute")
    assert "weight is missing" in as_frame(fitted(question), question.X)
