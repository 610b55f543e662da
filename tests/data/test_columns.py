"""TableColumns: the same matrix from every container, and new tables with awkward values."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from linscope.data.columns import TableColumns
from linscope.data.files import columns_of
from linscope.data.question import read_question

TABLE = {
    "id": [11, 12, 13, 14],
    "age": [31.0, 18.5, None, 50.0],
    "plan": ["basic", "plus", "basic", None],
    "member": ["Yes", "No", "No", "Yes"],
    "since": ["2024-01-03", "2024-01-01", "2024-02-01", "2024-01-01"],
}
MATRIX = np.array(
    [[31, 0, 1, 2], [18.5, 1, 0, 0], [np.nan, 0, 0, 31], [50, np.nan, 1, 0]], dtype=float
)
MAKERS = [dict, columns_of, pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("make", MAKERS)
def test_every_container_gives_the_same_matrix(make):
    reader = TableColumns().fit(make(TABLE))
    assert reader.get_feature_names_out().tolist() == ["age", "plan", "member", "since"]
    np.testing.assert_array_equal(reader.transform(make(TABLE)), MATRIX)
    np.testing.assert_array_equal(TableColumns().fit(TABLE).transform(make(TABLE)), MATRIX)


def test_clone_pickle_and_frames_out():
    reader = TableColumns(leave_out=["age"], keep=["id"])
    again = pickle.loads(pickle.dumps(clone(reader).fit(TABLE)))
    assert again.get_feature_names_out().tolist() == ["id", "plan", "member", "since"]
    np.testing.assert_array_equal(again.transform(TABLE)[:, 0], TABLE["id"])
    frame = TableColumns().set_output(transform="pandas").fit_transform(pd.DataFrame(TABLE))
    np.testing.assert_array_equal(frame["age"], MATRIX[:, 0])


def test_columns_are_found_by_name():
    reader = TableColumns().fit(TABLE)
    frame = pd.DataFrame(TABLE)[["since", "member", "plan", "age"]].assign(extra="x")
    np.testing.assert_array_equal(reader.transform(frame), MATRIX)
    with pytest.raises(ValueError, match=r"no column 'plan', which the model needs; .* 'Plan'"):
        reader.transform(frame.rename(columns={"plan": "Plan"}))


def test_unknown_categories_get_a_code_of_their_own_and_are_counted():
    reader = TableColumns().fit(TABLE)
    new = {key: values[:3] for key, values in TABLE.items()}
    new |= {"plan": ["gold", "plus", "silver"], "member": ["yes", "perhaps", None]}
    X = reader.transform(new)
    assert X[:, 1].tolist() == [2.0, 1.0, 2.0]
    np.testing.assert_array_equal(X[:, 2], [1.0, np.nan, np.nan])
    assert reader.unknown_ == {"plan": 2, "member": 1}
    reader.transform(TABLE)
    assert reader.unknown_ == {}


def test_texts_and_numbers_that_changed_places():
    """A new file may hold only numbers where the first had text, and the other way round."""
    reader = TableColumns().fit({"code": ["1", "2", "A", "1", "2"], "size": [1, 2, 3, 4, 4]})
    X = reader.transform({"code": [2.0, 1.0], "size": ["3", " 4.5"]})
    assert X.tolist() == [[1.0, 3.0], [0.0, 4.5]]
    with pytest.raises(ValueError, match="column 'size' has 'big' at row 1, where a number"):
        reader.transform({"code": [1, 1], "size": ["3", "big"]})
    truth = TableColumns().fit({"flag": [True, False, True]})
    assert truth.transform({"flag": ["False", "True"]}).tolist() == [[0.0], [1.0]]
    words = TableColumns().fit({"flag": ["false", "true"]})
    assert words.transform({"flag": [False, True]}).tolist() == [[0.0], [1.0]]


def test_dates_before_the_first_and_texts_that_are_none():
    reader = TableColumns().fit(TABLE)
    new = {key: values[:1] for key, values in TABLE.items()}
    assert reader.transform(new | {"since": ["2023-12-31 12:00"]})[0, 3] == -0.5
    with pytest.raises(ValueError, match=r"'since' has 'soon' at row 0, where a date such as 2024"):
        reader.transform(new | {"since": ["soon"]})


def test_plain_arrays():
    X = np.array([[1.0, 5.0, 2.0], [2.0, 5.0, 0.5], [4.0, 5.0, np.nan]])
    reader = TableColumns().fit(X)
    assert reader.get_feature_names_out().tolist() == ["x1", "x3"]
    np.testing.assert_array_equal(reader.transform(X), X[:, [0, 2]])
    np.testing.assert_array_equal(reader.transform(X[:, [0, 2]]), X[:, [0, 2]])
    np.testing.assert_array_equal(reader.transform(X[:2].tolist()), X[:2, [0, 2]])
    with pytest.raises(ValueError, match="4 columns, but the model was fitted with 2 features: x1"):
        reader.transform(np.ones((2, 4)))
    mixed = TableColumns().fit([[1.5, "a"], [2.5, "b"], [3.5, "a"]])
    assert mixed.transform([[7, "b"]]).tolist() == [[7.0, 1.0]]
    np.testing.assert_array_equal(TableColumns().fit(TABLE).transform(MATRIX), MATRIX)


def test_sparse_rows_pass_through():
    X = sp.csr_array(np.eye(3))
    reader = TableColumns().fit(X)
    assert (reader.transform(X) != X).nnz == 0
    assert reader.get_feature_names_out().tolist() == ["x1", "x2", "x3"]
    with pytest.raises(TypeError, match="give sparse rows again"):
        reader.transform({"x1": [1], "x2": [1], "x3": [1]})


@pytest.mark.parametrize("X", [np.ones(3), np.ones((0, 2)), [[1, 2], [3]], 5])
def test_what_is_no_table(X):
    with pytest.raises((ValueError, TypeError), match=r"rows|table|frame"):
        TableColumns().fit(X)


TEXTS = st.sampled_from(["a", "b", "c", "1", "yes", "no", "2024-01-01", "x y", "é", None])
NUMBERS = st.one_of(st.none(), st.integers(-5, 5), st.floats(-1e6, 1e6))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_reading_the_training_table_again_gives_the_question(data):
    n = data.draw(st.integers(4, 12))
    column = st.one_of(
        st.lists(TEXTS, min_size=n, max_size=n), st.lists(NUMBERS, min_size=n, max_size=n)
    )
    names = st.sampled_from(["id", "a", "b", "colour", "day"])
    table = data.draw(st.dictionaries(names, column, min_size=1))
    table |= {"size": list(range(n)), "y": ["yes", "no"] * (n // 2) + ["no"] * (n % 2)}
    question = read_question(table, "y", missing="impute")
    frame = pd.DataFrame({name: pd.Series(v, dtype=object) for name, v in table.items()})
    for again in (table, columns_of(table), frame, question.table):
        np.testing.assert_array_equal(question.reader.transform(again), question.X)
        assert not question.reader.unknown_
    np.testing.assert_array_equal(clone(question.reader).fit(table).transform(table), question.X)
