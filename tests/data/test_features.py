"""Radial features: scikit-learn's contract, its distances, and what they are for."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import linscope as ls
from linscope.data.augment import reflect
from tests.scikit_learn import failed_checks


def separable(X, y):
    """Is there a w with w·x ≥ 1 for every reflected sample? Asked of an LP solver."""
    Z = reflect(X, y)
    w = linprog(np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=(None, None))
    return w.status == 0


@pytest.mark.parametrize(
    "estimator",
    [
        ls.RadialFeatures(),
        ls.RadialFeatures("mean", gamma=0.5),
        ls.RadialFeatures("kmeans", n_centers=2),
    ],
)
def test_scikit_learn_checks(estimator):
    assert failed_checks(estimator) == {}


def test_polynomial_features_are_scikit_learns():
    assert ls.PolynomialFeatures is PolynomialFeatures


def test_xor_becomes_separable():
    X, y = ls.datasets.load("xor")
    assert not separable(X, y)
    # All four points are equally far from their mean.
    assert not separable(ls.RadialFeatures("mean").fit_transform(X), y)
    two_bumps = ls.RadialFeatures([[0, 0], [1, 1]], gamma=1.0)
    assert separable(two_bumps.fit_transform(X), y)
    assert separable(ls.PolynomialFeatures(2).fit_transform(X), y)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_ring_becomes_separable(d):
    X, y = ls.datasets.make_ring(300, d, random_state=0)
    assert not separable(X, y)
    assert separable(ls.RadialFeatures().fit_transform(X), y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_against_scikit_learn(dtype, container):
    rng = np.random.default_rng(0)
    X, centers = rng.standard_normal((50, 4)).astype(dtype), rng.standard_normal((3, 4))
    for gamma, expected in (
        (None, euclidean_distances(X.astype(float), centers, squared=True)),
        (0.3, rbf_kernel(X.astype(float), centers, gamma=0.3)),
    ):
        out = ls.RadialFeatures(centers, gamma=gamma).fit_transform(container(X))
        assert out.dtype == dtype
        out = out.toarray() if sp.issparse(out) else out
        np.testing.assert_array_equal(out[:, :4], X)
        np.testing.assert_allclose(out[:, 4:], expected, rtol=1e-5 if dtype == np.float32 else 1e-9)


def test_far_from_the_origin():
    X = 1e8 + np.array([[0.0], [3.0]])
    assert ls.RadialFeatures([[1e8]]).fit_transform(X)[:, 1].tolist() == [0.0, 9.0]


def test_names_and_pipeline():
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, 0.0, 5.0]})
    one = ls.RadialFeatures().set_output(transform="pandas").fit_transform(frame)
    assert list(one.columns) == ["a", "b", "r²"]
    several = make_pipeline(StandardScaler(), ls.RadialFeatures("kmeans", gamma=1, n_centers=2))
    names = several.fit(frame).get_feature_names_out()
    assert names.tolist() == ["a", "b", "bump_0", "bump_1"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"centers": "centre"}, "centers must be"),
        ({"centers": [[1.0, 2.0, 3.0]]}, "3 columns, but X has 2 features"),
        ({"gamma": -1}, "gamma must be"),
        ({"gamma": "scale"}, "gamma must be"),
        ({"centers": "kmeans", "n_centers": 9}, "n_centers must be"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        ls.RadialFeatures(**parameters).fit(np.ones((3, 2)))
