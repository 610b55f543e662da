"""The notes' augmented and "normalized" samples."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis.extra.numpy import array_shapes, arrays

import linscope as ls
from linscope.data import augment, reflect

# As printed in the notes: Jane, Steve, Mary, Peter after adding 1 and turning Steve and Mary round.
NORMALIZED = [[1, 1, 1, -1, -1], [-1, -1, -1, -1, -1], [-1, 1, 1, 1, -1], [1, 1, -1, -1, 1]]


def test_students_as_printed():
    students = ls.datasets.load("students")
    np.testing.assert_array_equal(reflect(*students), NORMALIZED)
    np.testing.assert_array_equal(reflect(students.X, ["Z", "F", "F", "Z"]), NORMALIZED)
    first = ls.datasets.worked_examples()["students"]["runs"][0]
    scores = np.array(NORMALIZED) @ first["weights"]
    np.testing.assert_array_equal(scores, [v["score"] for v in first["visits"][-4:]])


@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=2), elements={"allow_nan": False}))
def test_dense_and_sparse_agree(X):
    expected = np.hstack([np.ones((len(X), 1)), X])
    np.testing.assert_array_equal(augment(X), expected)
    np.testing.assert_array_equal(augment(sp.csr_array(X)).toarray(), expected)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_matrix, pd.DataFrame])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_type_and_input_are_kept(container, dtype):
    X = np.array([[1, 0], [0, 2], [3, 3]], dtype=dtype)
    given = container(X)
    out = reflect(given, [-1, 1, 1])
    assert out.dtype == dtype
    assert sp.issparse(out) == sp.issparse(given)
    dense = out.toarray() if sp.issparse(out) else out
    np.testing.assert_array_equal(dense, [[-1, -1, 0], [1, 0, 2], [1, 3, 3]])
    after = given.toarray() if sp.issparse(given) else np.asarray(given)
    np.testing.assert_array_equal(after, X)


def test_reflect_needs_two_classes():
    with pytest.raises(ValueError, match="two classes, y has 3: 0, 1, 2"):
        reflect(np.ones((3, 1)), [0, 1, 2])
    with pytest.raises(ValueError, match="X has 3 rows, y has 2"):
        reflect(np.ones((3, 1)), [0, 1])
