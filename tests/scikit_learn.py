"""What tests of several models share about scikit-learn: its checks, its tables."""

import warnings

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import linscope as ls


def failed_checks(model):
    """Those of scikit-learn's checks that an estimator fails, with the errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes = check_estimator(model, on_fail=None, on_skip=None)
    assert sum(o["status"] == "passed" for o in outcomes) > 40
    return {o["check_name"]: o["exception"] for o in outcomes if o["status"] == "failed"}


def blobs(n=60):
    """Three classes with names, well apart."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    return rng.normal(size=(n, 4)) + 3 * np.eye(4)[y], np.array(["a", "b", "c"])[y]


def standard(name, rows=None):
    """A data set with standardised columns; those that do not vary are left out."""
    X, y = ls.datasets.load(name)
    X = StandardScaler().fit_transform(np.asarray(X)[:rows])
    return X[:, X.std(axis=0) > 0], np.asarray(y)[:rows]
