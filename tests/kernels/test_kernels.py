"""Kernels against scikit-learn, against the notes' φ, and against exact properties."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC

from linscope.kernels import KERNELS, gram, resolve_gamma, resolve_kernel
from linscope.kernels import gram as gram_module
from linscope.kernels.functions import whole_power

PARAMETERS = {"gamma": 0.3, "degree": 3, "coef0": 0.7}
rng = np.random.default_rng(0)
X = rng.standard_normal((1100, 6)) * (rng.uniform(size=(1100, 6)) < 0.6)
Z = rng.standard_normal((700, 6)) * (rng.uniform(size=(700, 6)) < 0.6)


def taken(kernel):
    return {name: PARAMETERS[name] for name in KERNELS[kernel][1]}


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("left", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("right", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kernel", KERNELS)
def test_against_scikit_learn(kernel, left, right, dtype):
    K = gram(left(X.astype(dtype)), right(Z.astype(dtype)), kernel=kernel, **PARAMETERS)
    expected = pairwise_kernels(X, Z, metric=kernel, **taken(kernel))
    assert K.dtype == dtype
    assert K.flags.c_contiguous
    tolerance = 1e-11 if dtype == np.float64 else 2e-5
    np.testing.assert_allclose(K, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("kernel", KERNELS)
def test_symmetric_to_the_last_bit(kernel, container, dtype):
    K = gram(container(X.astype(dtype)), kernel=kernel, **PARAMETERS)
    assert (K == K.T).all()
    expected = pairwise_kernels(X, metric=kernel, **taken(kernel))
    tolerance = 1e-11 if dtype == np.float64 else 2e-5
    np.testing.assert_allclose(K, expected, rtol=tolerance, atol=tolerance)
    if kernel == "rbf":
        assert (np.diag(K) == 1.0).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_same_bits_for_any_number_of_threads(kernel):
    one, two, four = (gram(X, kernel=kernel, **PARAMETERS, n_threads=k) for k in (1, 2, 4))
    assert (one == two).all()
    assert (one == four).all()


def notes_map(x):
    """φ(x) = [1, x1², √2 x1x2, x2², √2 x1, √2 x2], printed in the notes for (1 + x·z)²."""
    x1, x2 = x.T
    root = np.sqrt(2)
    return np.column_stack([np.ones(len(x)), x1**2, root * x1 * x2, x2**2, root * x1, root * x2])


VALUES = st.floats(-100, 100)


@given(arrays(np.float64, (3, 2), elements=VALUES), arrays(np.float64, (4, 2), elements=VALUES))
def test_polynomial_kernel_is_the_notes_inner_product(x, z):
    K = gram(x, z, kernel="poly", gamma=1, degree=2, coef0=1)
    scale = np.abs(notes_map(x)) @ np.abs(notes_map(z)).T
    assert (np.abs(K - notes_map(x) @ notes_map(z).T) <= 1e-13 * scale).all()


@given(arrays(np.float64, 5, elements=VALUES), st.integers(0, 9))
def test_whole_power(x, degree):
    np.testing.assert_allclose(whole_power(x.copy(), degree), np.power(x, degree), rtol=1e-14)


@given(arrays(np.float64, (6, 3), elements=VALUES), st.floats(1e-3, 10))
def test_gaussian_is_an_inner_product(x, sigma):
    K = gram(x, sigma=sigma)
    assert (K >= 0).all()
    assert (K <= 1).all()
    # Squared distances are right to the rounding of the largest square, relative to σ².
    rounding = 1e-12 + 100 * np.finfo(float).eps * (x**2).sum(axis=1).max() / sigma**2
    assert np.linalg.eigvalsh(K).min() > -rounding
    i, j = 2, 4
    direct = np.exp(-((x[i] - x[j]) ** 2).sum() / (2 * sigma**2))
    assert K[i, j] == pytest.approx(direct, rel=1e-6, abs=rounding)


def test_far_from_the_origin_nothing_is_lost():
    near = rng.integers(-8, 8, (40, 3)).astype(float)
    np.testing.assert_allclose(gram(near + 1e8, gamma=0.1), gram(near, gamma=0.1), rtol=1e-6)
    np.testing.assert_allclose(
        gram(near + 1e8, near[:5] + 1e8, gamma=0.1), gram(near, near[:5], gamma=0.1), rtol=1e-6
    )


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_very_small_and_large_values(scale):
    np.testing.assert_allclose(gram(X[:50] * scale), gram(X[:50]), rtol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
def test_overflow_is_an_error_not_an_answer(kernel):
    # With fused arithmetic 1e600 − 1e600 comes out as +inf, whose tanh would look like an answer.
    huge = np.array([[1e300, -1e300], [1e300, 1e300]])
    with pytest.raises(ValueError, match="scale the features"):
        gram(huge, kernel=kernel, gamma=1.0)
    with pytest.raises(ValueError, match="scale the features"):
        gram(np.array([[1e100]]), kernel="poly", degree=7)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_gamma_that_no_number_can_hold(scale):
    with pytest.raises(ValueError, match="scale the features"):
        resolve_gamma("scale", np.array([[scale], [-scale]]))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_gamma_by_name_is_scikit_learns(container):
    y = np.arange(len(X)) % 2
    for name in ("scale", "auto"):
        svc = SVC(gamma=name, kernel="rbf", tol=10.0).fit(X, y)
        assert resolve_gamma(name, container(X)) == pytest.approx(svc._gamma, rel=1e-12)
    assert resolve_gamma(0.25, X) == 0.25
    assert resolve_gamma("scale", container(np.ones((3, 2)))) == 1.0
    offset = 1e8 + np.arange(10.0)[:, None]
    assert resolve_gamma("scale", container(offset)) == pytest.approx(1 / 8.25, rel=1e-7)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_weights_are_repetitions(container):
    counts = rng.integers(0, 4, len(X))
    repeated = resolve_gamma("scale", np.repeat(X, counts, axis=0))
    assert resolve_gamma("scale", container(X), counts) == pytest.approx(repeated, rel=1e-12)


def test_precomputed_and_callable():
    K = gram(X[:9], kernel="linear")
    assert gram(K, kernel="precomputed") is K
    np.testing.assert_array_equal(gram(X[:9], kernel=lambda a, b: a @ b.T), X[:9] @ X[:9].T)
    with pytest.raises(ValueError, match=r"square.* 3 × 6"):
        gram(X[:3], kernel="precomputed")
    with pytest.raises(
        ValueError, match=r"must return a matrix of 3 × 3 numbers, got shape \(3,\)"
    ):
        gram(X[:3], kernel=lambda a, b: a[:, 0])
    with pytest.raises(ValueError, match="the kernel matrix has NaN at row 0"):
        gram(X[:3], kernel=lambda a, b: np.full((3, 3), np.nan))


def test_memory_limit_names_the_bytes():
    with pytest.raises(ValueError, match="1100 × 1100 samples needs 9680000 bytes"):
        gram(X, memory_limit=9_000_000)
    assert gram(X.astype(np.float32), memory_limit=9_000_000).nbytes == 4_840_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "rfb"}, "did you mean 'rbf'"),
        ({"kernel": "gauss"}, "linear, poly, rbf, sigmoid, precomputed"),
        ({"gamma": -1.0}, "gamma must not be negative"),
        ({"gamma": "scal"}, "gamma must be 'scale'"),
        ({"gamma": np.nan}, "gamma must be a finite number"),
        ({"sigma": 0.0}, "sigma must be a positive number"),
        ({"kernel": "poly", "degree": 1.5}, "degree must be a whole number"),
        ({"kernel": "sigmoid", "coef0": np.inf}, "coef0 must be a finite number"),
        ({"n_threads": 0}, "n_threads"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        gram(X[:5], **options)


def test_bad_tables():
    with pytest.raises(ValueError, match="X has 6 features, but Z has 2"):
        gram(X, Z[:, :2])
    bad = Z.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="Z has NaN at row 3, column 1"):
        gram(X, bad)
    with pytest.raises(ValueError, match="sample_weight has 2"):
        resolve_gamma("scale", X, [1, 2])
    with pytest.raises(ValueError, match="positive sum"):
        resolve_gamma("scale", X, np.zeros(len(X)))


def test_resolve_kernel_ignores_what_a_formula_does_not_have():
    K = resolve_kernel("linear", gamma=np.nan)
    np.testing.assert_array_equal(K(X[:2], Z[:2]), X[:2] @ Z[:2].T)
    assert callable(gram_module)
