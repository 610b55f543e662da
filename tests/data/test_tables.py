"""Tables in: the same matrix whatever the container, and errors that name the place."""

import builtins
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from sklearn.datasets import dump_svmlight_file
from sklearn.preprocessing import OneHotEncoder

from linscope.data import encode_frame, read_table, to_matrix
from linscope.rows.finite import check_finite

NUMBERS = np.array([[1.0, 2.5], [3.0, -4.0], [0.0, 7.0]])
FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "pandas-arrow": lambda d: pa.table(d).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas-nullable": lambda d: pd.DataFrame(d).convert_dtypes(),
}


@pytest.fixture(params=FRAMES, name="make_frame")
def _make_frame(request):
    return FRAMES[request.param]


def test_every_container_gives_the_same_matrix(make_frame):
    frame = make_frame({"a": NUMBERS[:, 0], "b": NUMBERS[:, 1]})
    matrix, names = to_matrix(frame)
    assert names == ["a", "b"]
    assert matrix.dtype == np.float64
    assert matrix.flags.c_contiguous
    np.testing.assert_array_equal(matrix, NUMBERS)
    np.testing.assert_array_equal(to_matrix(NUMBERS.tolist())[0], NUMBERS)


def test_frame_of_mixed_numbers_and_booleans(make_frame):
    frame = make_frame({"i": [1, 2], "b": [True, False], "f": [0.5, 1.5]})
    np.testing.assert_array_equal(to_matrix(frame)[0], [[1, 1, 0.5], [2, 0, 1.5]])


def test_float32_frames_stay_float32():
    column = np.array([1, 2], dtype=np.float32)
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        assert to_matrix(make({"a": column, "b": column}))[0].dtype == np.float32
        assert to_matrix(make({"a": column, "b": [1.0, 2.0]}))[0].dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ready_arrays_are_not_copied(dtype):
    X = np.ones((3, 2), dtype=dtype)
    assert to_matrix(X)[0] is X
    assert to_matrix(np.asfortranarray(X))[0].flags.c_contiguous


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("int8", "f8"), ("uint64", "f8"), ("bool", "f8"), ("float16", "f4"), ("longdouble", "f8")],
)
def test_other_numbers_become_floats(dtype, expected):
    X = np.array([[1, 0], [0, 1]]).astype(dtype)
    assert to_matrix(X)[0].dtype == expected
    if dtype not in ("float16", "longdouble"):
        assert to_matrix(sp.csr_array(X))[0].dtype == expected


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("container", [sp.coo_array, sp.coo_matrix])
def test_sparse_of_any_format(kind, container):
    matrix, names = to_matrix(container(NUMBERS).asformat(kind))
    assert matrix.format == "csr"
    assert names is None
    assert matrix.has_canonical_format
    np.testing.assert_array_equal(matrix.toarray(), NUMBERS)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_indices_have_32_bits_where_they_suffice(index):
    X = sp.csr_array(NUMBERS)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    matrix, _ = to_matrix(X)
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    assert X.indices.dtype == index
    assert np.shares_memory(matrix.data, X.data)
    np.testing.assert_array_equal(matrix.toarray(), NUMBERS)


def test_sparse_indices_that_need_64_bits_keep_them():
    far = 2**31 + 5
    X = sp.csr_array(([2.0, 3.0], ([0, 1], [far, 0])), shape=(2, far + 1))
    matrix, _ = to_matrix(X)
    assert matrix.indices.dtype == np.int64
    assert matrix[0, far] == 2.0


def test_duplicate_sparse_entries_are_summed_in_a_copy():
    X = sp.csr_array((np.ones(2), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
    assert to_matrix(X)[0].toarray() == [[2.0]]
    assert X.nnz == 2


def test_sparse_pandas_stays_sparse():
    values = [0.0, 0.0, 1.0]
    frame = pd.DataFrame({"a": pd.arrays.SparseArray(values, fill_value=0.0)})
    matrix, names = to_matrix(frame)
    assert sp.issparse(matrix)
    assert names == ["a"]
    assert matrix.toarray().ravel().tolist() == values
    # Without a zero to leave out there is nothing to gain.
    matrix, _ = to_matrix(pd.DataFrame({"a": pd.arrays.SparseArray(values)}))
    assert matrix.ravel().tolist() == values


def test_objects_that_are_numbers():
    X = np.array([[1, 2.5], [True, np.float32(3)]], dtype=object)
    np.testing.assert_array_equal(to_matrix(X)[0], [[1, 2.5], [1, 3]])


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (np.ones(3), ValueError, ["Reshape your data"]),
        (3.0, ValueError, ["Reshape your data"]),
        (np.ones((2, 2, 2)), ValueError, ["dim 3"]),
        (np.ones((0, 3)), ValueError, ["0 sample(s)"]),
        (np.ones((3, 0)), ValueError, ["0 feature(s)", "shape=(3, 0)"]),
        (np.array([[1j]]), ValueError, ["Complex data not supported"]),
        (np.array([[1j]], dtype=object), ValueError, ["Complex data not supported"]),
        (sp.csr_array([[1j]]), ValueError, ["Complex data not supported"]),
        (pd.DataFrame({"z": [1j]}), ValueError, ["Complex data not supported", "'z'"]),
        ([[1, 2], [3]], ValueError, ["row 0 has 2", "row 1 has 1"]),
        ([[1, 2], [3, "a"]], ValueError, ["row 1, column 1", "'a'"]),
        (np.array([["1", "2"]]), ValueError, ["row 0, column 0"]),
        (np.array([[1, {}]], dtype=object), TypeError, ["row 0, column 1", "argument must be"]),
        (np.array([["2020-01-01"]], dtype="M8[D]"), TypeError, ["datetime64"]),
        (np.matrix([[1.0]]), TypeError, ["np.matrix"]),
        ("text", TypeError, ["str"]),
        (None, TypeError, ["NoneType"]),
        (pl.LazyFrame({"a": [1]}), TypeError, ["lazy", "collect"]),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, ["same name", "'a'"]),
        (pd.DataFrame([[1, 2]], columns=["a", 1]), TypeError, ["Feature names", "string"]),
        (pd.DataFrame({"a": [1, {}]}), TypeError, ["row 1, column 'a'"]),
        (pd.Series([1, 2]), ValueError, ["Reshape your data"]),
    ],
)
def test_bad_tables(X, error, words):
    with pytest.raises(error) as caught:
        to_matrix(X)
    for word in words:
        assert word in str(caught.value)


def test_columns_that_are_not_numbers_are_all_named():
    frame = pl.DataFrame(
        {
            "ok": [1.0],
            "text": ["x"],
            "kind": pl.Series(["x"], dtype=pl.Categorical),
            "day": pl.Series([0], dtype=pl.Date),
            "many": [[1, 2]],
        }
    )
    with pytest.raises(ValueError, match="OneHotEncoder") as caught:
        to_matrix(frame)
    for name in ("'text'", "'kind'", "'day'", "'many'"):
        assert name in str(caught.value)
    assert "'ok'" not in str(caught.value)


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"a": [1, 2], "age": [1, None]}),
        pa.table({"a": [1, 2], "age": [1.5, None]}),
        pd.DataFrame({"a": [1, 2], "age": pd.array([1, None], dtype="Int64")}),
    ],
)
def test_null_names_row_and_column(frame):
    with pytest.raises(ValueError, match=r"NaN.*row 1, column 'age' \(1\)"):
        to_matrix(frame)


def test_plain_nan_in_a_frame_is_found_by_check_finite():
    frame = pd.DataFrame({"a": [1.0, 2.0], "age": [1.0, np.nan]})
    with pytest.raises(ValueError, match=r"NaN at row 1, column 'age' \(1\)"):
        check_finite(*to_matrix(frame))


@settings(max_examples=60, deadline=None)
@given(
    arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=40)),
    st.sampled_from([np.nan, np.inf, -np.inf]),
    st.data(),
)
def test_check_finite_finds_the_first_bad_entry(X, value, data):
    X = np.where(np.isfinite(X), X, 1.0)
    check_finite(X)
    check_finite(sp.csr_array(X))
    row = data.draw(st.integers(0, X.shape[0] - 1))
    column = data.draw(st.integers(0, X.shape[1] - 1))
    X[row, column] = value
    X[row:, column:] = np.where(X[row:, column:] == value, value, X[row:, column:])
    expected = f"{'NaN' if np.isnan(value) else 'inf'} at row {row}, column {column}:"
    for table in (X, sp.csr_array(X)):
        with pytest.raises(ValueError, match=expected):
            check_finite(table)


def test_check_finite_is_not_fooled_by_an_overflowing_sum():
    check_finite(np.full((1000, 3), 1e308))
    check_finite(np.full((1000, 3), 3e38, dtype=np.float32))


def test_check_finite_beyond_the_first_block():
    X = np.zeros((300_000, 2))
    X[299_999, 1] = np.inf
    with pytest.raises(ValueError, match="inf at row 299999, column 'b'"):
        check_finite(X, ["a", "b"])


MIXED = {
    "size": [1.0, 2.0, 3.0, 4.0],
    "colour": ["red", "blue", "red", "green"],
    "y": ["no", "yes", "no", "yes"],
}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_encode_frame_agrees_with_scikit_learn(make):
    X, y, names = encode_frame(make(MIXED), "y")
    encoder = OneHotEncoder(
        sparse_output=False, feature_name_combiner=lambda column, value: f"{column}={value}"
    ).fit(pd.DataFrame(MIXED)[["colour"]])
    np.testing.assert_array_equal(X[:, 0], MIXED["size"])
    np.testing.assert_array_equal(X[:, 1:], encoder.transform(pd.DataFrame(MIXED)[["colour"]]))
    assert names == ["size", *encoder.get_feature_names_out()]
    assert y.tolist() == MIXED["y"]


def test_encode_frame_for_a_fitted_model():
    _, _, names = encode_frame(MIXED, "y")
    fresh = {"colour": ["green", "red"], "extra": [9, 9], "size": [5, 6]}
    X, y, same = encode_frame(fresh, None, feature_names=names)
    assert y is None
    assert same == names
    np.testing.assert_array_equal(X, [[5, 0, 1, 0], [6, 0, 0, 1]])
    with pytest.raises(ValueError, match=r"'colour' has 'pink' at row 0.*blue, green, red"):
        encode_frame({"size": [1], "colour": ["pink"]}, None, names)
    with pytest.raises(ValueError, match="lacks the feature 'size'"):
        encode_frame({"sizes": [1], "colour": ["red"]}, None, names)
    with pytest.raises(ValueError, match=r"'size' has 'big' at row 1, where .* a number"):
        encode_frame({"size": ["1", "big"], "colour": ["red", "red"]}, None, names)


@pytest.mark.parametrize(
    ("frame", "target", "message"),
    [
        (MIXED, "Size", "no column 'Size' among size, colour, y; did you mean 'size'"),
        ({"y": [1, 2]}, "y", "no column beside the target"),
        ({"a": ["x", None], "y": [1, 2]}, "y", "column 'a' has a missing value .* row 1"),
        ({"a": [1, 2], "y": [1.0, np.nan]}, "y", "target column 'y' .* row 1"),
        ({"a": [str(i) for i in range(2000)], "y": [1] * 2000}, "y", "'a' has 2000 .* identifier"),
    ],
)
def test_encode_frame_errors(frame, target, message):
    with pytest.raises(ValueError, match=message):
        encode_frame(frame, target)


def test_csv_round_trip(tmp_path):
    frame = pd.DataFrame(MIXED)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "t.tsv", index=False, sep="\t")
    frame.to_csv(tmp_path / "semicolon.csv", index=False, sep=";", encoding="utf-8-sig")
    frame.to_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.tsv", "semicolon.csv", "t.parquet"):
        table = read_table(tmp_path / name)
        assert len(table) == 4
        for column, values in MIXED.items():
            assert table.columns[column].tolist() == values


@settings(max_examples=25, deadline=None)
@given(arrays(np.float64, (3, 2), elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_csv_numbers_are_read_exactly(tmp_path_factory, X):
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    pd.DataFrame(X, columns=["a", "b"]).to_csv(path, index=False)
    np.testing.assert_array_equal(np.column_stack(list(read_table(path).columns.values())), X)
    path.write_text(path.read_text() + '"1","NA"\n')
    assert np.isnan(read_table(path).columns["b"][-1])


def test_csv_without_header(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("1,2\n3,4\n")
    assert read_table(path).names == ["x1", "x2"]
    assert len(read_table(path)) == 2


def test_csv_needs_no_frame_library(tmp_path, monkeypatch):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,x\n2,y\n")
    parquet = tmp_path / "x.parquet"
    pd.DataFrame({"a": [1]}).to_parquet(parquet)
    real_import = builtins.__import__

    def without_frames(name, *args, **kwargs):
        if name.partition(".")[0] in ("pandas", "polars", "pyarrow"):
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    for name in [n for n in sys.modules if n.partition(".")[0] in ("pandas", "polars", "pyarrow")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without_frames)
    X, y, names = encode_frame(read_table(path), "b")
    assert (X.tolist(), y.tolist(), names) == ([[1.0], [2.0]], ["x", "y"], ["a"])
    with pytest.raises(ImportError, match=r"linscope\[scale\]"):
        read_table(parquet)


def test_libsvm(tmp_path):
    path = tmp_path / "x.svm"
    dump_svmlight_file(NUMBERS, [1, -1, 1], str(path), zero_based=False)
    X, y, names = encode_frame(read_table(path), "target")
    np.testing.assert_array_equal(X.toarray(), NUMBERS)
    assert y.tolist() == [1, -1, 1]
    assert names is None


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", b"", "x.csv is empty"),
        ("x.csv", b"\n\n", "x.csv is empty"),
        ("x.csv", b"a,b\n", "no rows"),
        ("x.csv", b"a,b\n1,2\n3\n", "line 3: 1 fields where the header has 2"),
        ("x.csv", b"a,b\n1,2,3\n", "line 2: 3 fields"),
        ("x.csv", b"a,a\n1,2\n", "columns 0 and 1 are both called 'a'"),
        ("x.csv", b"\x89PNG\0\0\0", "binary"),
        ("x.csv", b"a,b\n1,\xff\n", "line 2: not UTF-8"),
        ("x.parquet", b"PAR1 not really", "not a readable Parquet file"),
        ("x.svm", b"hello world\n", "not a readable LIBSVM file"),
        ("x.doc", b"PK", "unknown kind of file '.doc'"),
    ],
)
def test_damaged_files(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_table(path)


def test_missing_file_and_folder(tmp_path):
    (tmp_path / "students.csv").write_text("a\n1\n")
    with pytest.raises(FileNotFoundError, match=r"did you mean 'students.csv'"):
        read_table(tmp_path / "student.csv")
    with pytest.raises(ValueError, match="folder"):
        read_table(tmp_path)


def test_decimal_commas_between_semicolons(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("age;name;size\n1,5;a,b;2\n-2,25;c;1e3\n")
    columns = read_table(path).columns
    np.testing.assert_array_equal(columns["age"], [1.5, -2.25])
    np.testing.assert_array_equal(columns["size"], [2.0, 1000.0])
    assert columns["name"].tolist() == ["a,b", "c"]
    path.write_text("1,5;2;3\n3;4,5;6\n")
    assert read_table(path).names == ["x1", "x2", "x3"]


@pytest.mark.parametrize("column", [-1, 3, 10**6])
def test_damaged_sparse_matrices_are_refused(column):
    X = sp.csr_array(np.eye(3))
    X.indices[1] = column
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        to_matrix(X)
