"""Strides along the last steps: exact gradients, feasible points, the best of their plane."""

import numpy as np
import pytest

from linscope.fitting.driver import run
from linscope.kernel_svm.solvers.decomposition import SvmDual
from linscope.kernel_svm.solvers.dual_problem import SvmProblem
from linscope.kernel_svm.solvers.kernel_rows import KernelRows
from linscope.kernel_svm.solvers.strides import Momentum
from linscope.kernels.tiles import make_tiles
from linscope.rows.threads import Workers

GAMMA = 5.0


def problem(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] * X[:, 1] + 0.4 * rng.normal(size=n) > 0, 1.0, -1.0)
    K = np.exp(-GAMMA * ((X[:, None] - X[None]) ** 2).sum(-1))
    rows = KernelRows(make_tiles(X, "rbf", gamma=GAMMA, dtype=np.float64), Workers(2))
    return X, y, K, rows


def points(y, count, rng, size=0.1):
    """Feasible coefficients, Σβ = 0."""
    found = []
    for _ in range(count):
        alpha = size * rng.random(len(y))
        alpha[y > 0] *= alpha[y < 0].sum() / alpha[y > 0].sum()
        found.append(y * alpha)
    return found


def objective(K, y, beta):
    return 0.5 * beta @ K @ beta - y @ beta


@pytest.mark.share(3)
@pytest.mark.parametrize("C", [3.0, 10.0, 1000.0])
def test_every_stride_of_a_run_is_feasible_better_and_has_its_true_gradient(monkeypatch, C):
    X, y, K, _ = problem(1000)
    strides, tried, plain = [], [], Momentum.stride

    def watched(self, add, beta, g, lower, upper):
        found = plain(self, add, beta, g, lower, upper)
        tried.append(found is not None)
        if found is not None and len(beta) == len(y):
            moved, after = found
            strides.append(objective(K, y, beta) - objective(K, y, moved))
            assert (moved >= lower).all()
            assert (moved <= upper).all()
            assert abs(moved.sum() - beta.sum()) < 1e-9
            single = 1e-6 * np.abs(moved).sum()  # kernel values are float32
            np.testing.assert_allclose(after - g, K @ (moved - beta), atol=single)
        return found

    monkeypatch.setattr(Momentum, "stride", watched)
    monkeypatch.setattr("linscope.kernel_svm.solvers.decomposition.NEAR", 0.0)  # no equations
    dual = SvmDual(SvmProblem.of(X, y, C, gamma=GAMMA), tol=1e-3, working_set=128)
    assert run(dual, None).status.ok
    # Rounding decides whether the last steps lead anywhere better; if not, a stride is refused.
    assert tried
    assert min(strides, default=1.0) > 0.0


def test_without_bounds_it_is_the_best_point_of_the_plane():
    _, y, K, rows = problem()
    rng = np.random.default_rng(2)
    *earlier, beta = points(y, 4, rng)
    free = np.full(len(y), np.inf)
    momentum = Momentum()
    for point in earlier:
        momentum.remember(point, K @ point - y)
    found = momentum.stride(rows.add_product, beta, K @ beta - y, -free, free)
    assert found is not None
    for point in earlier:  # the gradient is at right angles to all directions
        way = beta - point
        assert abs(way @ found[1]) < 1e-6 * np.linalg.norm(way) * np.linalg.norm(found[1])


@pytest.mark.parametrize("bounded", [False, True])
def test_a_stride_is_taken_where_the_way_leads_on(bounded):
    """Half of the best step along a direction of descent: the stride makes it whole, or nearly."""
    _, y, K, rows = problem()
    beta = points(y, 1, np.random.default_rng(5), size=0.01)[0]
    g = K @ beta - y
    way = -(g - g.mean())  # Σ = 0, and the objective falls along it
    step = 0.5 * -(way @ g) / (way @ K @ way)
    now = beta + step * way
    room = 1.2 * np.abs(now).max() + np.abs(beta + 2.0 * step * way).max()
    ends = (np.full(len(y), -room), np.full(len(y), room))
    if bounded:  # one sample would go beyond its bound, and is put on it
        most = int(np.argmax(way))
        ends[1][most] = now[most] + 0.5 * step * way[most]
    momentum = Momentum()
    momentum.remember(beta, g)
    found = momentum.stride(rows.add_product, now, K @ now - y, *ends)
    assert found is not None
    moved, after = found
    assert (moved >= ends[0]).all()
    assert (moved <= ends[1]).all()
    assert abs(moved.sum() - now.sum()) < 1e-9
    np.testing.assert_allclose(after, K @ moved - y, atol=1e-9)
    assert objective(K, y, moved) < objective(K, y, now)
    if not bounded:
        np.testing.assert_allclose(moved, beta + 2.0 * step * way, atol=1e-6 * room)


def test_nothing_to_go_by():
    _, y, K, rows = problem()
    momentum = Momentum()
    beta = points(y, 1, np.random.default_rng(0))[0]
    momentum.remember(0.5 * beta, K @ (0.5 * beta) - y)
    momentum.forget()
    ends = np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0)
    assert momentum.stride(rows.add_product, beta, K @ beta - y, *ends) is None


def test_a_worse_point_is_refused():
    """A gradient that is not that of β leads astray; the objective tells."""
    _, y, K, rows = problem()
    ends = np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0)
    first, beta = points(y, 2, np.random.default_rng(3))
    momentum = Momentum()
    momentum.remember(first, 2.0 * (K @ beta - y) - (K @ first - y))  # KΔ with the wrong sign
    assert momentum.stride(rows.add_product, beta, K @ beta - y, *ends) is None


def test_fewer_steps_to_the_same_optimum(monkeypatch):
    """Large C, many free samples, working sets of a fifth of them."""
    X, y, _, _ = problem(1000)
    steps, found = [], []
    for every in (10**9, 2):
        monkeypatch.setattr("linscope.kernel_svm.solvers.decomposition.STRIDE_EVERY", every)
        monkeypatch.setattr("linscope.kernel_svm.solvers.decomposition.NEAR", 0.0)  # no equations
        dual = SvmDual(SvmProblem.of(X, y, 1000.0, gamma=GAMMA), tol=1e-4, working_set=192)
        result = run(dual, None)
        assert result.status.ok
        steps.append(result.n_iter)
        found.append(result.details["objective"])
    assert steps[1] < steps[0]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)
