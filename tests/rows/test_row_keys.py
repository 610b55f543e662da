"""Keys of rows: equal for equal rows, dense or sparse, in any order and precision."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse

from linscope.rows.row_hashes import row_keys


def test_a_row_has_one_key_wherever_it_is():
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, size=(5000, 300)) * rng.integers(0, 2, size=(5000, 300)) * 0.5
    keys = row_keys(X)
    order = rng.permutation(len(X))
    np.testing.assert_array_equal(row_keys(X[order]), keys[order])
    np.testing.assert_array_equal(row_keys(X[:7]), keys[:7])
    np.testing.assert_array_equal(row_keys(X.astype(np.float32)), keys)
    np.testing.assert_array_equal(row_keys(np.where(X == 0, -0.0, X)), keys)
    for kind in (sparse.csr_array, sparse.csr_matrix):
        np.testing.assert_array_equal(row_keys(kind(X)), keys)
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    wide.data[:10] = 0.0  # entries that are there, but zero
    np.testing.assert_array_equal(row_keys(wide), row_keys(wide.toarray()))


@pytest.mark.parametrize(
    "X",
    [
        np.array(list(product([0.0, 1.0], repeat=15))),
        np.array(list(product(np.arange(-16.0, 16.0), repeat=3))),
        1e15 + np.arange(30_000.0)[:, None],
        np.random.default_rng(0).normal(size=(20_000, 2)),
        sparse.eye_array(30_000, format="csr"),
    ],
    ids=["bits", "lattice", "large", "normal", "wide"],
)
def test_different_rows_have_different_keys(X):
    assert len(np.unique(row_keys(X))) == X.shape[0]


def test_no_rows_and_no_entries():
    assert row_keys(np.zeros((0, 3))).shape == (0,)
    assert row_keys(np.zeros((2, 0))).tolist() == [0, 0]
