"""Linear SVM solvers against LIBLINEAR, LIBSVM and their own certificates."""

import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import SVC, LinearSVC

from linscope.engines import MemoryEngine, choose
from linscope.fitting.driver import run
from linscope.linear_svm.certificates.duality import duality
from linscope.linear_svm.certificates.linear_svm import certify
from linscope.linear_svm.solvers.dual_coordinate import DualCoordinate
from linscope.linear_svm.solvers.dual_coordinate_loops import replay_steps
from linscope.linear_svm.solvers.hard_margin import hard_margin
from linscope.linear_svm.solvers.hinge import Multipliers
from linscope.linear_svm.solvers.hinge_bias import bias_of_slopes
from linscope.linear_svm.solvers.objective import margin_problem
from linscope.linear_svm.solvers.squared_hinge import FiniteNewton
from linscope.linear_svm.verify.bounds import Problem, feasible
from linscope.results import Status, VisitOrder


def data(n, d, noise=1.0, density=None, seed=4):
    rng = np.random.default_rng([seed, n, d])
    X = rng.standard_normal((n, d))
    y = np.where(
        X @ rng.standard_normal(d) + noise * np.sqrt(d) * rng.standard_normal(n) > 0.3, 1.0, -1.0
    )
    if noise > 0:
        y[:2] = 1.0, -1.0
    if density is not None:
        X = sparse.csr_array(np.where(rng.random((n, d)) < density, X, 0.0))
    return X, y


def solve(X, y, C=1.0, *, squared, pen, c=None, tol=1e-9, bias=True, **more):
    options = {"squared": squared, "penalize_intercept": pen, "fit_intercept": bias}
    whole, frame = margin_problem(choose(X, y, c), C, **options)
    result = run((FiniteNewton if squared else Multipliers)(whole, tol=tol, **more), 300)
    return result, frame.original(result.weights[None, :])[0]


def certified(X, y, result, W, C, *, squared, pen, c=None, bias=True, tol=1e-8):
    options = {"squared": squared, "penalize_intercept": pen, "fit_intercept": bias}
    whole, frame = margin_problem(choose(X, y, c), min(C, 1e300), **options)
    problem = Problem(choose(X, y, c), C, squared, pen, bias)
    alpha = result.details["alpha"]
    found = duality(problem, whole, frame, W, alpha, tol)
    return certify(found, problem, result, W, alpha, tol=tol, classes=np.array([-1.0, 1.0]))


def objective(X, y, W, C, squared, pen, c=1.0):
    xi = np.maximum(0.0, 1.0 - y * (X @ W[1:] + W[0]))
    return 0.5 * W[1:] @ W[1:] + 0.5 * pen * W[0] ** 2 + C * np.sum(c * (xi**2 if squared else xi))


SHAPES = {
    "tall": data(1500, 8),
    "small": data(60, 5),
    "wide": data(40, 90),
    "wider": data(200, 1300),
    "sparse": data(900, 40, density=0.2),
    "one column": data(200, 1),
    "separable": data(200, 6, noise=0.0),
}


@pytest.mark.share(2)
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
def test_penalised_bias_is_liblinear(name, squared, C):
    X, y = SHAPES[name]
    result, W = solve(X, y, C, squared=squared, pen=True)
    assert result.status.ok
    dual = not squared or X.shape[1] > X.shape[0]
    peer = LinearSVC(
        C=C, loss="squared_hinge" if squared else "hinge", dual=dual, tol=1e-10, max_iter=5000
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer.fit(X, y)
    theirs = objective(X, y, np.r_[peer.intercept_, peer.coef_[0]], C, squared, True)
    ours = objective(X, y, W, C, squared, True)
    assert ours <= theirs * (1 + 2e-9)
    if peer.n_iter_ < 5000:
        assert ours >= theirs * (1 - 1e-6)
    found = certified(X, y, result, W, C, squared=squared, pen=True)
    assert found.gap <= 1e-8 * ours
    assert found.verify(X, y)


@pytest.mark.share(12)
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
def test_free_bias_is_libsvm(name, C):
    X, y = SHAPES[name]
    result, W = solve(X, y, C, squared=False, pen=False)
    assert result.status.ok
    ours = objective(X, y, W, C, False, False)
    found = certified(X, y, result, W, C, squared=False, pen=False)
    assert found.gap <= 1e-8 * ours
    assert found.verify(X, y)
    if name not in ("tall", "one column"):  # LIBSVM takes too many steps there
        peer = SVC(C=C, kernel="linear", tol=1e-8, max_iter=3_000_000).fit(X, y)
        w = peer.coef_.toarray()[0] if sparse.issparse(X) else peer.coef_[0]
        theirs = objective(X, y, np.r_[peer.intercept_, w], C, False, False)
        assert ours <= theirs * (1 + 1e-8)
        assert ours >= theirs * (1 - 2e-3)  # LIBSVM's own error; the gap above is the proof


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
def test_free_bias_squared(name, C):
    X, y = SHAPES[name]
    result, W = solve(X, y, C, squared=True, pen=False)
    found = certified(X, y, result, W, C, squared=True, pen=False)
    assert result.status.ok
    assert found.gap <= 1e-8 * found.primal
    assert found.verify(X, y)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("pen", [False, True])
def test_weights_are_repeated_rows(squared, pen):
    X, y = data(300, 4)
    c = np.random.default_rng(3).integers(0, 4, 300).astype(float)
    c[:2] = 1.0
    _, W = solve(X, y, 0.7, squared=squared, pen=pen, c=c, tol=1e-11)
    many = np.repeat(np.arange(300), c.astype(int))
    _, V = solve(X[many], y[many], 0.7, squared=squared, pen=pen, tol=1e-11)
    ours, theirs = (objective(X, y, w, 0.7, squared, pen, c) for w in (W, V))
    assert ours == pytest.approx(theirs, rel=1e-10)


def test_forged_solutions_are_rejected():
    X, y = SHAPES["small"]
    result, W = solve(X, y, squared=False, pen=False)
    good = certified(X, y, result, W, 1.0, squared=False, pen=False)
    assert good.verify(X, y)
    assert not replace(good, weights=1.1 * good.weights).verify(X, y).claim_holds
    assert (
        not replace(good, weights=W * 1.1, primal=objective(X, y, 1.1 * W, 1.0, False, False))
        .verify(X, y)
        .claim_holds
    )
    assert not replace(good, alpha=1.5 * good.alpha).verify(X, y).claim_holds
    assert not replace(good, alpha=0.9 * good.alpha).verify(X, y).claim_holds
    assert (
        not replace(good, alpha=np.where(np.arange(len(y)) == 0, -1e-9, good.alpha))
        .verify(X, y)
        .claim_holds
    )
    assert not replace(good, C=2.0).verify(X, y).claim_holds
    assert not good.verify(X[::-1], y).claim_holds


@pytest.mark.share(3)
@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("index", [np.int32, np.int64, None])
def test_coordinate_descent_replays(squared, index):
    X, y = data(300, 10, density=0.4)
    X = (
        X.toarray()
        if index is None
        else sparse.csr_array(
            (X.data, X.indices.astype(index), X.indptr.astype(index)), shape=X.shape
        )
    )
    solver = DualCoordinate(
        X, y, 0.5, VisitOrder(300, 7), squared=squared, tol=1e-7, keep_log=True, shrink=False
    )
    result = run(solver, 20000)
    assert result.status.ok
    log, w = result.log, result.log.initial.copy()
    replay_steps(solver.rows, solver.y, log.samples, log.before, log.values, w, np.zeros((0, 0)))
    assert np.array_equal(w, result.weights)
    alpha = np.zeros(300)
    before = log.alpha_at(log.updates)
    assert np.array_equal(before, log.before)
    for sample, old, value in zip(log.samples, before, log.values, strict=True):
        assert alpha[sample] == old
        alpha[sample] = value
    assert np.array_equal(alpha, result.details["alpha"])
    visits = np.arange(log.n_visits)[::97]
    later = np.searchsorted(log.updates, visits)
    for visit, end, value in zip(visits, later, log.alpha_at(visits), strict=True):
        sample = log.order.epoch(visit // 300)[visit % 300]
        past = np.flatnonzero(log.samples[:end] == sample)
        assert value == (log.values[past[-1]] if len(past) else 0.0)
    best, _ = solve(X, y, 0.5, squared=squared, pen=True, tol=1e-10)
    assert result.details["primal"] == pytest.approx(best.details["primal"], rel=2e-7)
    assert np.array_equal(run(solver, 20000).weights, result.weights)
    if not squared:
        objective_, _ = margin_problem(choose(X, y), 0.5, squared=False, penalize_intercept=True)
        warm = run(Multipliers(objective_, tol=1e-10, alpha=result.details["alpha"]), 100)
        assert warm.status.ok
        assert warm.details["primal"] == pytest.approx(best.details["primal"], rel=1e-9)


def test_hard_margin():
    X, y = SHAPES["separable"]
    for pen in (False, True):
        found = hard_margin(X, y, penalize_intercept=pen)
        assert found.status.ok
        soft, _ = solve(X, y, 1e6, squared=False, pen=pen, tol=1e-9)
        assert found.details["primal"] == pytest.approx(soft.details["primal"], rel=1e-6)
        value = certified(X, y, found, found.weights, np.inf, squared=False, pen=pen)
        assert value.gap <= 1e-9 * value.primal
        assert value.verify(X, y).claim_holds
    with pytest.raises(ValueError, match="C=inf"):
        hard_margin(*SHAPES["small"])


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("pen", [False, True])
def test_duplicates_constants_float32(squared, pen):
    X, y = data(400, 3)
    Z = np.repeat(np.c_[X, np.full(400, 2.0), np.zeros(400), X[:, 0]], 3, axis=0)
    t = np.repeat(y, 3)
    for table in (Z, Z.astype(np.float32)):
        result, _ = solve(table, t, squared=squared, pen=pen)
        assert result.status.ok
        assert result.details["gap"] <= 1e-9 * result.details["primal"]


@pytest.mark.parametrize("scale", [1e9, 1e12, 1e20, 1e50])
def test_large_columns_have_the_weights_of_almost_no_penalty(scale):
    X, y = data(300, 4)
    _, W = solve(scale * X, y, squared=False, pen=False, tol=1e-8)
    _, V = solve(X, y, 1e8, squared=False, pen=False, tol=1e-6)
    scores, expected = scale * X @ W[1:] + W[0], X @ V[1:] + V[0]
    np.testing.assert_allclose(scores, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("pen", [False, True])
@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1e8])
def test_extreme_sizes(squared, pen, scale):
    X, y = data(300, 4)
    result, W = solve(scale * X, y, squared=squared, pen=pen, tol=1e-8)
    found = certified(scale * X, y, result, W, 1.0, squared=squared, pen=pen, tol=1e-6)
    assert found.status.ok
    assert found.verify(scale * X, y)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("squared", [False, True])
def test_where_rounding_hides_the_dual_nothing_is_claimed(squared, seed):
    """With columns of 1e150 the penalty is as good as none, and Σ α y x is all rounding."""
    X, y = data(300, 4, seed=seed)
    result, W = solve(1e150 * X, y, squared=squared, pen=False, tol=1e-8)
    assert np.isfinite(W).all()
    found = certified(1e150 * X, y, result, W, 1.0, squared=squared, pen=False)
    assert found.status is Status.STALLED
    assert found.gap == pytest.approx(found.primal)
    assert found.verify(1e150 * X, y).claim_holds
    assert not replace(found, status=Status.CONVERGED).verify(1e150 * X, y).claim_holds
    _, V = solve(X, y, 1e8, squared=squared, pen=False, tol=1e-6)
    scores, expected = 1e150 * X @ W[1:] + W[0], X @ V[1:] + V[0]
    np.testing.assert_allclose(scores, expected, rtol=1e-3, atol=1e-3)


@given(
    st.lists(st.tuples(st.floats(0, 1e3), st.booleans()), min_size=2, max_size=30),
)
def test_repaired_coefficients_sum_to_nothing(pairs):
    alpha, y = np.array([p[0] for p in pairs]), np.where([p[1] for p in pairs], 1.0, -1.0)
    engine = MemoryEngine(np.zeros((len(y), 1)), y, block_rows=7)
    found = feasible(Problem(engine, 1e3), alpha, engine)
    fixed = engine.gather(lambda block: found.of(block))
    assert sum((Fraction(float(a)) * int(s) for a, s in zip(fixed, y, strict=True))) == 0
    assert (fixed >= 0).all()
    assert (fixed <= alpha).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_bias_minimises_the_hinge(weighted):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        s, y = rng.standard_normal(15), np.where(rng.random(15) < 0.4, 1.0, -1.0)
        y[:2] = 1.0, -1.0
        c = rng.integers(1, 4, 15).astype(float) if weighted else np.ones(15)
        engine = choose(s[:, None], y, c if weighted else None)
        b = bias_of_slopes(engine, lambda block: block.X[:, 0])
        loss = [np.sum(c * np.maximum(0, 1 - y * (s + t))) for t in [*(y - s), b]]
        assert loss[-1] == pytest.approx(min(loss), rel=1e-14)


def test_far_offset():
    X, y = data(300, 4)
    _, W = solve(X + 1e8, y, squared=False, pen=False)
    _, V = solve(X, y, squared=False, pen=False)
    assert np.allclose(W[1:], V[1:], rtol=1e-5, atol=1e-7)


def test_no_slack_needed_and_one_sided():
    X = np.r_[np.full((50, 2), 3.0), np.full((1, 2), -3.0)]
    y = np.r_[np.ones(50), -1.0]
    for squared in (False, True):
        for pen in (False, True):
            result, _ = solve(X, y, 1e-3, squared=squared, pen=pen)
            assert result.status.ok


@pytest.mark.share(4)
@pytest.mark.parametrize("squared", [True, False])
@pytest.mark.parametrize("C", [0.1, 100.0])
def test_sparse_rows_of_many_columns_take_products_and_end_where_dense_ones_do(squared, C):
    """Dense rows solve the system of the active rows, sparse ones mostly multiply with H."""
    X, y = data(400, 1500, density=0.02)
    found, W = solve(X, y, C, squared=squared, pen=False)
    dense, V = solve(X.toarray(), y, C, squared=squared, pen=False)
    values = [objective(X, y, w, C, squared, False) for w in (W, V)]
    assert abs(values[0] - values[1]) <= 1e-8 * values[1]
    assert certified(X, y, found, W, C, squared=squared, pen=False).status.ok
    assert dense.status.ok


def test_products_give_way_to_the_system_of_the_rows(monkeypatch):
    """With no product allowed every direction is exact, and the answer the same."""
    X, y = data(300, 1300, density=0.02)
    _, W = solve(X, y, squared=True, pen=True)
    monkeypatch.setattr("linscope.linear_svm.solvers.systems._affordable", lambda active: 0)
    _, V = solve(X, y, squared=True, pen=True)
    np.testing.assert_allclose(W, V, atol=1e-4 * np.abs(V).max())
