"""The solvers of the kernel SVM's dual problem: optimality by plain NumPy, LIBSVM, exact QPs."""

import itertools
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import LinearConstraint, minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC as LibSVM

import linscope as ls
from linscope.fitting.driver import run
from linscope.kernel_svm.solvers import decomposition as svm_dual
from linscope.kernel_svm.solvers.decomposition import SvmDual
from linscope.kernel_svm.solvers.dual_problem import SvmProblem, feasible
from linscope.kernel_svm.solvers.smo import SMO
from linscope.kernel_svm.solvers.state import Progress
from linscope.kernel_svm.solvers.whole_matrix import SvmSmall
from linscope.kernels import tiles as tiles_module
from linscope.kernels.kernel_maps import map_rows
from linscope.kernels.source import KernelSource
from linscope.kernels.sums import KernelSums
from linscope.kernels.tiles import make_tiles
from linscope.results import Status
from linscope.rows import memory_budget as memory

GAMMA, DEGREE, COEF0 = 0.3, 3, 0.5


def plain(kernel, X, Z, gamma=GAMMA, degree=DEGREE, coef0=COEF0):
    X, Z = (A.toarray() if sparse.issparse(A) else A for A in (X, Z))
    if kernel == "rbf":
        return np.exp(-gamma * ((X[:, None] - Z[None]) ** 2).sum(-1))
    P = X @ Z.T
    return {
        "linear": P,
        "poly": (gamma * P + coef0) ** degree,
        "sigmoid": np.tanh(gamma * P + coef0),
    }[kernel]


def violation(K, y, C, alpha):
    """Feasibility, m(α) − M(α) and ½ βᵀKβ − Σα."""
    beta, C = y * alpha, np.broadcast_to(C, y.shape)
    assert (alpha >= 0).all()
    assert (alpha <= C).all()
    assert abs(beta.sum()) <= 1e-9 * max(1.0, alpha.sum())
    g = K @ beta - y
    grow, shrink = np.where(y > 0, alpha < C, alpha > 0), np.where(y > 0, alpha > 0, alpha < C)
    gap = np.max(g, where=shrink, initial=-np.inf) - np.min(g, where=grow, initial=np.inf)
    return gap, 0.5 * beta @ K @ beta - alpha.sum()


def mixed(n, d, seed=0, flips=0.4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] * X[:, -1] + flips * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = 1, -1
    return X, y


def dual(X, y, C=1.0, kernel="rbf", gamma=GAMMA):
    return SvmProblem.of(X, y, C, kernel=kernel, gamma=gamma, degree=DEGREE, coef0=COEF0)


SOLVERS = {
    "small": lambda problem, tol: SvmSmall(problem, tol=tol, aim=tol),
    "dual": lambda problem, tol: SvmDual(problem, tol=tol, working_set=64),
    "smo": lambda problem, tol: SMO(problem, tol=tol, steps_a_call=1000),
}


@cache
def small_problem(n, kernel, C):
    """X, y, γ, the bounds of α, the kernel's values, and ½ βᵀKβ − Σα of LIBSVM's answer."""
    X, y = mixed(n, 4, seed=n)
    gamma = 0.05 if kernel == "sigmoid" else GAMMA
    bounds = C * np.exp(0.5 * np.random.default_rng(n).normal(size=n)) if n == 20 else C
    K = plain(kernel, X, X, gamma)
    peer = LibSVM(C=1.0, kernel="precomputed", tol=1e-7)
    peer.fit(K, y, sample_weight=bounds * np.ones(n))
    alpha = np.zeros(n)
    alpha[peer.support_] = np.abs(peer.dual_coef_[0])
    beta = y * alpha
    return X, y, gamma, bounds, K, 0.5 * beta @ K @ beta - alpha.sum()


@pytest.mark.share(20)
@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("C", [0.1, 1.0, 5.0])
def test_optimal_and_no_worse_than_libsvm(name, kernel, C):
    for n in (2, 3, 20, 100):
        X, y, gamma, bounds, K, theirs = small_problem(n, kernel, C)
        result = run(SOLVERS[name](dual(X, y, bounds, kernel, gamma), 1e-7), 20_000)
        assert result.status is Status.CONVERGED
        gap, objective = violation(K, y, bounds, result.weights)
        assert gap <= 1.1e-7
        if kernel != "sigmoid":  # not convex: two answers may both be stationary
            assert objective <= theirs + 1e-6 * abs(theirs)


@pytest.mark.share(3)
@pytest.mark.parametrize("name", SOLVERS)
def test_an_exact_quadratic_program(name):
    """Against a general solver, and against all ways to put samples at their bounds."""
    X, y = mixed(7, 2, seed=3)
    K, C = plain("rbf", X, X), 0.7
    Q = K * np.outer(y, y)
    best = min(_face(Q, y, C, sides) for sides in itertools.product((0, 1, 2), repeat=7))
    result = run(SOLVERS[name](dual(X, y, C), 1e-9), 20_000)
    assert 0.5 * result.weights @ Q @ result.weights - result.weights.sum() == pytest.approx(
        best, rel=1e-9
    )
    general = minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        np.zeros(7),
        jac=lambda a: Q @ a - 1,
        bounds=[(0, C)] * 7,
        constraints=[LinearConstraint(y[None], 0, 0)],
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    np.testing.assert_allclose(result.weights, general.x, atol=1e-5)


def _face(Q, y, C, sides):
    """The objective with samples at 0 (0), at C (2) and free (1); infinite if infeasible."""
    sides = np.array(sides)
    alpha, free = C * (sides == 2), np.flatnonzero(sides == 1)
    if len(free):
        k = len(free)
        A = np.zeros((k + 1, k + 1))
        A[:k, :k], A[:k, k], A[k, :k] = Q[np.ix_(free, free)], y[free], y[free]
        right = np.r_[1 - (Q @ alpha)[free], -(y @ alpha)]
        alpha[free] = np.linalg.lstsq(A, right, rcond=None)[0][:k]
    feasible = (alpha >= -1e-12).all() and (alpha <= C + 1e-12).all() and abs(y @ alpha) < 1e-10
    return 0.5 * alpha @ Q @ alpha - alpha.sum() if feasible else np.inf


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_rounds_in_single_precision_reach_any_tolerance(monkeypatch, kernel, tol):
    monkeypatch.setattr(svm_dual, "SMALL", 50)
    X, y = mixed(700, 6)
    result = run(SvmDual(dual(X, y, 1.0, kernel, 0.2), tol=tol, working_set=128), 5000)
    assert result.status is Status.CONVERGED
    assert violation(plain(kernel, X, X, 0.2), y, 1.0, result.weights)[0] <= 1.05 * tol


def test_one_answer_from_every_source_of_kernel_values(monkeypatch):
    monkeypatch.setattr(svm_dual, "SMALL", 50)
    X, y = mixed(400, 6)
    X = np.where(X > 0.5, X, 0.0)
    K, narrow = plain("rbf", X, X), sparse.csr_array(X)
    problems = [
        dual(X, y),
        dual(narrow, y),
        SvmProblem.of(K, y, kernel="precomputed"),
        SvmProblem.of(X, y, kernel=lambda A, B: plain("rbf", A, B)),
    ]
    monkeypatch.setattr(tiles_module, "DENSE_BYTES", 0)
    problems.append(dual(narrow, y))
    found = [run(SvmDual(p, tol=1e-7, working_set=128), 5000) for p in problems]
    for result in found:
        assert violation(K, y, 1.0, result.weights)[0] <= 1.1e-7
        assert result.details["objective"] == pytest.approx(found[0].details["objective"])


def test_small_memory_gives_the_same_answer_within_it():
    X, y = mixed(1500, 70)
    free = run(SvmDual(dual(X, y, gamma=0.02), tol=1e-6), 5000)
    limit = 1_000_000
    solver = SvmDual(dual(X, y, gamma=0.02), tol=1e-6, memory_limit=limit)
    state, most = solver.init(), 0
    while state.status is None:
        state = solver.step(state)
        block = state.rows.tiles.dtype.itemsize * solver.working_set**2
        most = max(most, state.rows.store.nbytes + block)
    assert 0 < most <= limit
    tight = solver.result(state)
    assert tight.details["objective"] == pytest.approx(free.details["objective"], rel=1e-9)


def test_memory_is_a_quarter_of_what_is_available(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 5e9)
    X, y = mixed(30, 3)
    assert SvmDual(dual(X, y)).limit == 2**30
    assert SvmDual(dual(X, y), memory_limit=1e6).limit == 1e6
    monkeypatch.setattr(memory, "available_memory", lambda: 1000.0)
    with pytest.raises(ValueError, match="raise memory_limit"):  # 141 MB, and 134 MB always go
        ls.path(ls.SVC(), *mixed(4200, 2), Cs=[1.0], gammas=[1.0])


def test_threads_do_not_change_the_answer():
    X, y = mixed(1200, 5)
    one, two = (run(SvmDual(dual(X, y), n_threads=k), 5000).weights for k in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("name", "shift"), [("small", 3.0), ("dual", 3.0), ("smo", 3.0), ("small", 0.0), ("dual", 0.0)]
)
def test_hard_margins_exist_only_for_separable_classes(name, shift):
    rng = np.random.default_rng(0)
    y = np.where(rng.random(60) < 0.5, 1.0, -1.0)
    X = rng.normal(size=(60, 2))
    X[:, 0] += shift * y
    solver = SOLVERS[name](dual(X, y, np.inf, "linear"), 1e-6)
    result = run(solver, 20_000)
    if not shift:
        assert result.status is Status.UNBOUNDED
        return
    best = ls.separability(X, y).geometric.margin
    w = (y * result.weights) @ X
    assert 1 / np.linalg.norm(w) == pytest.approx(best, rel=1e-5)


def test_warm_starts_are_made_feasible():
    X, y = mixed(900, 4)
    cold = run(SvmDual(dual(X, y, 1.5)), 1000)
    start = np.random.default_rng(0).random(900) * 3
    warm = run(SvmDual(dual(X, y, 1.5), initial=start), 1000)
    again = run(SvmDual(dual(X, y, 1.5), initial=cold.weights), 1000)
    assert warm.details["objective"] == pytest.approx(cold.details["objective"], rel=1e-4)
    assert again.n_iter <= 1
    beta = feasible(y * start, np.where(y > 0, 0, -1.5), np.where(y > 0, 1.5, 0))
    assert abs(beta.sum()) < 1e-10


def test_the_log_of_pairs_replays_to_the_answer():
    X, y = mixed(40, 2)
    result = run(SMO(dual(X, y, 2.0)), 10_000)
    beta, log = result.log.initial.copy(), result.log
    for i, j, t in zip(log.grown, log.shrunk, log.change, strict=True):
        beta[i] += t
        beta[j] -= t
    np.testing.assert_allclose(y * beta, result.weights, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernel_maps_are_right_to_the_last_places(dtype):
    t = np.linspace(-60, 3, 2001).astype(dtype)[None]
    out, places = np.empty_like(t), np.zeros(1, dtype=np.int64)
    eps = np.finfo(dtype).eps
    map_rows(t, 2, 1, out, places, 0)
    # A squared distance is not negative: what rounding puts above 0 is 0.
    np.testing.assert_allclose(out, np.exp2(np.minimum(t, 0).astype(np.float64)), rtol=4 * eps)
    assert (out[t >= 0] == 1.0).all()
    map_rows(t, 1, 3, out, places, 0)
    np.testing.assert_allclose(out, t.astype(np.float64) ** 3, rtol=4 * eps)
    map_rows(2 * np.log2(np.e).astype(dtype) * t, 3, 1, out, places, 0)
    np.testing.assert_allclose(out, np.tanh(t.astype(np.float64)), atol=100 * eps)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("scale", [1.0, 2.0**100, 2.0**-100])
def test_units_change_no_kernel_value(kernel, scale):
    X, Z = mixed(30, 3)[0], mixed(300, 3, seed=1)[0]
    gamma = GAMMA / scale**2
    source = KernelSource(X * scale, kernel, gamma=gamma, degree=DEGREE, coef0=COEF0)
    rows = np.arange(30)
    K = source.unit * source.tiles(np.float64).block(rows, rows)
    expected = plain(kernel, X, X) * (scale**2 if kernel == "linear" else 1.0)
    if kernel == "linear":  # known up to what coefficients with sum 0 do not see
        H = np.eye(30) - 1 / 30
        K, expected = H @ K @ H, H @ expected @ H
    np.testing.assert_allclose(K, expected, rtol=1e-11, atol=1e-12 * np.abs(expected).max())
    if kernel != "linear":
        c = np.random.default_rng(0).normal(size=(30, 3))
        sums = KernelSums(X * scale, [(0, 30, c)], kernel, gamma=gamma, degree=DEGREE, coef0=COEF0)
        np.testing.assert_allclose(sums(Z * scale), plain(kernel, Z, X) @ c, atol=1e-10)


def test_part_of_a_source_is_that_part():
    X, _ = mixed(50, 3)
    some = np.array([4, 7, 31])
    for source in (X, sparse.csr_array(X)):
        whole = make_tiles(source, "rbf", gamma=GAMMA, dtype=np.float64)
        np.testing.assert_allclose(
            whole.take(some).block(np.arange(3), slice(0, 3)), plain("rbf", X[some], X[some])
        )


@pytest.mark.slow
def test_a_fit_that_rounding_leads_nowhere_ends_and_says_so():
    """Kernel values of 1e18 and of 1 in one table: floats cannot tell half of the rows apart."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 3))
    X[::2] += 1e9
    y = rng.integers(0, 2, 800)
    model = ls.SVC(kernel="poly", degree=2, gamma=2, coef0=0, C=100)
    with pytest.warns(ConvergenceWarning):
        claim = model.fit(X, y).certificate_
    assert claim.status is Status.STALLED
    assert not claim.ok
    assert claim.verify(X, y).claim_holds


def test_an_even_pace_leads_nowhere_only_if_the_box_is_far():
    for box, nowhere in [(1e3, False), (1e9, True)]:
        progress = Progress()
        progress.new_round(2.0)
        found = []
        for _ in range(10):
            progress.add(np.array([1.0, -1.0]), np.array([-1.0, 1.0]), np.array([-1.0, 1.0]))
            found.append(progress.leads_nowhere(2.0, 1e-6, box))
        assert any(found) is nowhere
        assert progress.gained == 20.0
