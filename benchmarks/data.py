"""Data of the cases: synthetic ones of any size, scikit-learn's, and LIBSVM files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from .case import Data


def overlapping(rows: int, features: int) -> Data:
    """Dense float64, two classes; about 15 % of a perceptron's visits are mistakes."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, features))
    direction = rng.standard_normal(features)
    return Data(X, np.where(X @ direction + 2 * rng.standard_normal(rows) > 0, 1, -1))


def text_like(rows: int, features: int, per_row: int = 50) -> Data:
    """CSR float64 like word counts: few entries a row, common columns more often than rare ones."""
    rng = np.random.default_rng(0)
    columns = np.minimum(rng.zipf(1.3, size=(rows, per_row)) - 1, features - 1)
    values = rng.exponential(size=(rows, per_row))
    indptr = np.arange(rows + 1) * per_row
    X = sparse.csr_array((values.ravel(), columns.ravel(), indptr), shape=(rows, features))
    X.sum_duplicates()
    X = narrow(X)
    score = X @ rng.standard_normal(features)
    noise = rng.standard_normal(rows) * score.std() / 2
    return Data(X, np.where(score - np.median(score) + noise > 0, 1, -1))


def narrow(X: sparse.csr_array) -> sparse.csr_array:
    """32-bit indices: peers take no others."""
    parts = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sparse.csr_array(parts, shape=X.shape)


def named(name: str) -> Data:
    """A data set of scikit-learn, columns scaled to unit variance."""
    from sklearn.preprocessing import StandardScaler

    from linscope.data import datasets

    X, y = datasets.load(name)
    return Data(StandardScaler().fit_transform(X), np.asarray(y))


def libsvm_file(path: Path) -> Data:
    """A file in LIBSVM format; dense if more than a quarter of the entries are there."""
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(path))
    X = narrow(sparse.csr_array(X))
    if X.nnz > 0.25 * X.shape[0] * X.shape[1]:
        X = X.toarray()
    return Data(X, y.astype(np.int64) if np.all(y == np.rint(y)) else y)
