"""Labels in: the classes and codes that NumPy's sort gives, for every container."""

import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning
from sklearn.preprocessing import LabelBinarizer

from linscope.data import encode_labels, signs, to_matrix

LABELS = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=30),
    st.lists(st.integers(-3, 3), min_size=2, max_size=30),
    st.lists(st.integers(-(10**6), 10**6).map(float), min_size=2, max_size=30),
    st.lists(st.booleans(), min_size=2, max_size=30),
    st.lists(st.text(st.characters(exclude_characters="\0"), max_size=3), min_size=2, max_size=30),
)


@given(LABELS)
def test_same_as_a_sort(values):
    assume(len(set(values)) > 1)
    classes, codes = np.unique(np.array(values), return_inverse=True)
    labels = encode_labels(values)
    assert labels.classes.tolist() == classes.tolist()
    assert labels.classes.dtype == classes.dtype
    assert labels.codes.dtype == np.int64
    np.testing.assert_array_equal(labels.codes, codes)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint64", "int64", "f4", "f8"])
def test_extreme_values_of_a_type(dtype):
    info = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else np.finfo(dtype)
    y = np.array([info.max, info.min, 3, info.max], dtype=dtype)
    labels = encode_labels(y)
    np.testing.assert_array_equal(labels.classes[labels.codes], y)
    assert labels.classes.dtype == y.dtype


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        np.array,
        pd.Series,
        pl.Series,
        pa.array,
        lambda v: pa.chunked_array([v[:1], v[1:]]),
        lambda v: pd.Series(v, dtype="category"),
        lambda v: pl.Series(v, dtype=pl.Categorical),
        lambda v: np.array(v, dtype=object),
        lambda v: np.array(v, dtype=np.dtypes.StringDType()),
        lambda v: pd.Series(v, dtype="string"),
    ],
)
def test_every_container_of_strings(make):
    labels = encode_labels(make(["b", "a", "b"]))
    assert labels.classes.tolist() == ["a", "b"]
    assert labels.codes.tolist() == [1, 0, 1]


def test_categories_that_are_numbers():
    labels = encode_labels(pd.Series([10, 9, 10], dtype="category"))
    assert labels.classes.tolist() == [9, 10]


@pytest.mark.parametrize(
    ("container", "negative"),
    [
        (np.asarray, 0),
        (np.asarray, -1),
        (sp.csr_array, 0),
        (pd.DataFrame, 0),
        (pd.DataFrame, -1),
        (np.ndarray.tolist, 0),
        (np.ndarray.tolist, -1),
    ],
)
def test_one_hot_is_undone(container, negative):
    codes = np.array([2, 0, 1, 2, 1])
    Y = LabelBinarizer(neg_label=negative).fit_transform(codes)
    labels = encode_labels(container(Y))
    assert labels.classes.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(labels.codes, codes)


def test_column_is_flattened_with_a_warning():
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        labels = encode_labels(np.array([[1], [2]]))
    assert labels.codes.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None"),
        (3, "one label per sample"),
        ("abc", "one label per sample"),
        ([], r"0 sample\(s\)"),
        ([1, 1, 1], "only one class, 1"),
        (["x", "x"], "only one class, 'x'"),
        ([True, True], "only one class"),
        ([[0, 1], [0, 1]], "only one class"),
        ([0.0, np.nan], "NaN at row 1"),
        ([np.inf, 0.0], "inf at row 0"),
        (["a", None], "missing label .* row 1"),
        (pd.Series(["a", None]), "missing label .* row 1"),
        (pd.Series(["a", None], dtype="string"), "missing label .* row 1"),
        (pl.Series([1, None]), "NaN at row 1"),
        ([0.5, 1.5], "^Unknown label type: continuous"),
        ([1, "a"], "mixed.* 1 .int. at row 0 .*'a' .str. at row 1"),
        ([1j, 2], "Complex"),
        (np.array([0, 1], dtype="M8[D]"), "^Unknown label type: datetime64"),
        (np.array([{}, {}]), "^Unknown label type: dict"),
        ([[0, 1], [1, 1]], "Row 1 .* 2 positive"),
        ([[0, 0], [1, 0]], "Row 0 .* 0 positive"),
        ([[-1, -1], [1, -1]], "Row 0 .* 0 positive"),
        ([[0, 2], [1, 0]], "1d array"),
        ([[0, -1], [1, 0]], "1d array"),
        ([["a", "b"], ["c", "d"]], "1d array"),
        ([[1, 2], [1]], "different lengths"),
        (np.zeros((2, 2, 2)), "1d array"),
    ],
)
def test_bad_labels(y, message):
    with pytest.raises(ValueError, match=message):
        encode_labels(y)


def test_wrong_length_names_both():
    with pytest.raises(ValueError, match="X has 3 rows, y has 2 labels"):
        encode_labels([0, 1], n_samples=3)


def test_signs():
    assert signs(encode_labels(["yes", "no", "yes"]).codes).tolist() == [1.0, -1.0, 1.0]


def test_one_in_a_million():
    y = np.zeros(1_000_001, dtype=np.int64)
    y[77] = 5
    labels = encode_labels(y)
    assert labels.classes.tolist() == [0, 5]
    assert np.flatnonzero(labels.codes).tolist() == [77]


@pytest.mark.parametrize("values", [[-1, 1], [0, 1], list(range(10))])
def test_faster_than_a_sort(values):
    y = np.random.default_rng(0).choice(values, 500_000)

    def best(function):
        times = []
        for _ in range(5):
            start = time.perf_counter()
            function()
            times.append(time.perf_counter() - start)
        return min(times)

    assert best(lambda: encode_labels(y)) < best(lambda: np.unique(y, return_inverse=True))


@pytest.mark.parametrize(
    "make", [list, lambda y: np.array(y, dtype=object)], ids=["list", "object"]
)
@pytest.mark.parametrize(
    "y",
    [[2**70, 1, 2**70], [2**63, -1, 2**63 + 1], [2**53, 2**53 + 1, 1.0]],
    ids=["beyond int64", "beyond uint64", "mixed"],
)
def test_integers_that_no_float_holds_stay_apart(make, y):
    labels = encode_labels(make(y))
    assert labels.classes.tolist() == sorted(set(y))
    assert labels.classes[labels.codes].tolist() == y


def test_masked_labels_are_missing():
    y = np.ma.array([0, 1, 2, 1], mask=[0, 0, 1, 0])
    with pytest.raises(ValueError, match="row 2"):
        encode_labels(y)
    assert encode_labels(np.ma.array([0, 1])).codes.tolist() == [0, 1]
    X = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]])
    with pytest.raises(ValueError, match="row 0, column 1"):
        to_matrix(X)
