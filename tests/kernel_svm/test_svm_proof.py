"""The last gradient of a kernel SVM: float64 wherever it matters, a bound elsewhere."""

import numpy as np
import pytest
from scipy import sparse

import linscope as ls
from linscope.kernel_svm.solvers.float64_gradient import proven_gradient
from linscope.kernels.kernel_maps import add_symmetric
from linscope.kernels.tiles import make_tiles
from linscope.rows.threads import Workers

GAMMA = 0.2


def clouds(n=1200, d=4, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    return rng.normal(size=(n, d)) + 0.8 * y[:, None], y


def plain(kernel, X):
    if kernel == "rbf":
        return np.exp(-GAMMA * ((X[:, None] - X[None]) ** 2).sum(-1))
    return (GAMMA * X @ X.T + 1.0) ** 2


@pytest.mark.share(3)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("kernel", "way"), [("rbf", "dense"), ("rbf", "sparse"), ("poly", "dense")]
)
def test_exact_where_it_matters_and_against_us_elsewhere(kernel, way, threads):
    X, y = clouds()
    K, C = plain(kernel, X), 1.0
    model = ls.SVC(C, kernel=kernel, gamma=GAMMA, degree=2, coef0=1.0).fit(X, y)
    beta = y * model.alphas_.ravel()
    lower, upper = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
    table = sparse.csr_array(X) if way == "sparse" else X
    double, single = (
        make_tiles(table, kernel, gamma=GAMMA, degree=2, coef0=1.0, dtype=dtype)
        for dtype in (np.float64, np.float32)
    )
    g = proven_gradient(double, single, Workers(threads), beta, y, lower, upper)
    exact = K @ beta - y
    b = model.intercept_[0]
    matters = (beta != 0) | (y * (exact + y + b) < 1.0)
    np.testing.assert_allclose(g[matters], exact[matters], atol=1e-10)
    # A sample with y = +1 that could grow looks a little more as if it wanted to.
    assert (y * (g - exact) <= 1e-10).all()
    assert np.abs(g - exact).max() < 0.1
    assert (np.abs(g - exact) > 1e-10).any() == (kernel == "rbf")


@pytest.mark.parametrize("n", [1, 31, 32, 33, 600, 1100])
def test_a_symmetric_product_is_the_product(n):
    rng = np.random.default_rng(n)
    X, beta, total = rng.normal(size=(n, 3)), rng.normal(size=n), np.zeros(n)
    tiles = make_tiles(X, "rbf", gamma=GAMMA, dtype=np.float64)
    for first in range(0, n, 64):
        part = first, min(first + 64, n)
        add_symmetric(tiles.left, tiles.right, tiles.code, tiles.degree, beta, *part, total)
    np.testing.assert_allclose(total, plain("rbf", X) @ beta, atol=1e-11)


@pytest.mark.share(3)
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_claims_of_a_fit_hold_in_plain_float64(C):
    """Primal, dual and gap are those of NumPy; the KKT violation is an upper bound."""
    X, y = clouds(2500, seed=1)
    model = ls.SVC(C, gamma=GAMMA).fit(X, y)
    claim, K = model.certificate_, plain("rbf", X)
    alpha, b = model.alphas_.ravel(), model.intercept_[0]
    beta = y * alpha
    s = K @ beta
    primal = 0.5 * beta @ s + C * np.maximum(0.0, 1.0 - y * (s + b)).sum()
    dual = alpha.sum() - 0.5 * beta @ s
    np.testing.assert_allclose(claim.primal, primal, rtol=1e-10)
    np.testing.assert_allclose(claim.dual, dual, rtol=1e-7)
    assert claim.dual <= dual  # a bound: rounding counts against us
    assert claim.gap >= (primal - dual) * (1 - 1e-6)
    g = s - y
    grow, shrink = beta < np.where(y > 0, C, 0.0), beta > np.where(y > 0, 0.0, -C)
    assert g[shrink].max() - g[grow].min() <= claim.kkt + 1e-10
    assert claim.kkt <= 1e-3
    assert claim.verify(X, y)
