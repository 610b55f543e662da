"""The LMS rules: against lstsq and plain loops."""

import numpy as np
import pytest
import scipy.sparse as sp

import linscope as ls
from linscope.engines import MemoryEngine, choose
from linscope.fitting import descent as gradient
from linscope.fitting.descent import GradientDescent
from linscope.fitting.driver import run
from linscope.fitting.gradient_objective import Objective
from linscope.fitting.iterates import iterates
from linscope.losses import hypotheses as gradient_losses
from linscope.results import Status, VisitOrder
from tests.gradient import gradient_solver
from tests.linear_fits import design
from tests.reference import squared_criterion, squared_gradient

KINDS = ["batch", "mini-batch", "stochastic"]


def problem(seed=0, n=60, d=3, targets=None, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    shape = (d,) if targets is None else (d, targets)
    y = 1.0 + X @ rng.standard_normal(shape)
    return X, y + noise * rng.standard_normal(y.shape)


def fit(X, y, max_iter=500, **options):
    return run(gradient_solver(X, y, **options), max_iter)


def textbook(X, y, w, eta, size, passes, *, c=None, alpha=0.0, inverse=False, order=None):
    """The rule as it is written, in plain Python; the weights after each update."""
    A, n = design(X), len(X)
    c, k, out = np.ones(n) if c is None else c, 0, []
    for epoch in range(passes):
        visits = np.arange(n) if order is None else order.epoch(epoch)
        for at in range(0, n, size):
            batch = visits[at : at + size]
            k += 1
            step = sum(c[i] * (y[i] - w @ A[i]) * A[i] for i in batch)
            shrink = alpha * len(batch) / n * np.r_[0.0, w[1:]]
            w = w + (eta / k if inverse else eta) * (step - shrink)
            out.append(w)
    return out


# J over row blocks


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_objective_equals_the_loss(as_sparse, intercept):
    X, y = problem(3, targets=2)
    rng = np.random.default_rng(4)
    W, c = rng.standard_normal((2, 4)), rng.uniform(0.1, 3.0, len(X))
    A = design(X)
    A[:, 0] = intercept
    J = Objective(choose(sp.csr_array(X) if as_sparse else X, y, c), float(intercept), 0.7)
    value, slope = J.evaluate(W)
    for k in range(2):
        arguments = W[k], A, y[:, k], c, 0.7
        assert value[k] == pytest.approx(squared_criterion(*arguments), rel=1e-12)
        np.testing.assert_allclose(slope[k], squared_gradient(*arguments), rtol=1e-12)


def test_one_thread_and_many_give_the_same_bits():
    X, y = problem(5, n=500)
    results = []
    for threads in (1, 4):
        engine = MemoryEngine(X, y[:, None], n_threads=threads, block_rows=64)
        results.append(run(GradientDescent(engine, eta0=1e-3, tol=1e-8), 500))
    one, many = results
    assert one.n_iter == many.n_iter > 5
    np.testing.assert_array_equal(one.weights, many.weights)


def test_curvature_of_many_weights_is_a_tight_lower_bound(monkeypatch):
    X, y = problem(6, n=200, d=20)
    X[:, 0] *= 5
    exact = Objective(choose(X, y[:, None]), alpha=2.0).curvature.largest
    H = design(X).T @ design(X) + np.diag([0.0] + [2.0] * 20)
    assert exact == pytest.approx(np.linalg.eigvalsh(H)[-1], rel=1e-12)
    monkeypatch.setattr("linscope.fitting.gradient_rates.EXACT_WEIGHTS", 3)
    found = Objective(choose(X, y[:, None]), alpha=2.0).curvature
    assert 0.99 * exact <= found.largest <= exact * (1 + 1e-12)
    assert np.isnan(found.smallest)


# The rules


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 3.0])
@pytest.mark.parametrize(("kind", "size"), [("batch", 25), ("mini-batch", 4), ("stochastic", 1)])
def test_updates_are_those_of_the_textbook(kind, size, alpha, inverse, as_sparse):
    X, y = problem(7, n=25)
    order = VisitOrder(25, 11)
    c = np.random.default_rng(8).uniform(0.2, 2.0, 25)
    first = np.array([0.5, -1.0, 2.0, 0.25])
    eta = 0.05 if inverse else 0.01
    expected = textbook(X, y, first, eta, size, 3, c=c, alpha=alpha, inverse=inverse, order=order)
    result = fit(
        sp.csr_array(X) if as_sparse else X,
        y,
        max_iter=3,
        weight=c,
        kind=kind,
        order=order,
        eta0=eta,
        schedule="inverse" if inverse else "constant",
        alpha=alpha,
        batch_size=4,
        tol=0.0,
        initial=first,
        average=True,
    )
    assert result.n_updates == len(expected)
    np.testing.assert_allclose(result.weights, expected[-1], rtol=1e-11)
    # the mean of all iterates after the middle of three passes, that is after the first
    tail = np.mean(expected[len(expected) // 3 :], axis=0)
    np.testing.assert_allclose(result.details["averaged"], tail, rtol=1e-10)


def test_strong_shrinking_keeps_the_lazy_scale_in_range():
    X, y = problem(9, n=40)
    options = {"eta": 0.01, "size": 1, "passes": 6, "alpha": 3900.0}
    expected = textbook(X, y, np.ones(4), **options)  # shrinks by 1 − 0.975 at each of 240 updates
    result = fit(
        X, y, 6, kind="stochastic", eta0=0.01, alpha=3900.0, tol=0.0, initial=np.ones(4),
        average=True,
    )  # fmt: skip
    np.testing.assert_allclose(result.weights, expected[-1], rtol=1e-9)
    np.testing.assert_allclose(
        result.details["averaged"], np.mean(expected[120:], axis=0), atol=1e-10
    )


@pytest.mark.parametrize("alpha", [0.0, 5.0])
@pytest.mark.parametrize("targets", [None, 3])
def test_batch_descent_reaches_the_least_squares_solution(alpha, targets):
    X, y = problem(10, targets=targets)
    A = design(X)
    rows = np.vstack([A, np.sqrt(alpha) * np.eye(4)[1:]])
    right = np.concatenate([y, np.zeros((3, *y.shape[1:]))])
    best = np.linalg.lstsq(rows, right, rcond=None)[0]
    result = fit(X, y, alpha=alpha, tol=1e-12)
    assert result.status is Status.CONVERGED
    assert result.weights.shape == best.shape
    np.testing.assert_allclose(result.weights, best, atol=1e-10)
    assert result.details["criterion"] == pytest.approx(squared_criterion(best, A, y, None, alpha))


@pytest.mark.parametrize("kind", KINDS)
def test_without_noise_every_rule_finds_the_weights(kind):
    X, y = problem(11, noise=0.0)
    best = np.linalg.lstsq(design(X), y, rcond=None)[0]
    result = fit(X, y, kind=kind, order=VisitOrder(len(X), 3), tol=1e-9)
    assert result.status is Status.CONVERGED
    np.testing.assert_allclose(result.weights, best, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_without_intercept_the_bias_stays_zero(kind):
    X, y = problem(12)
    result = fit(X, y, kind=kind, intercept=False, max_iter=50)
    assert result.weights[0] == 0.0
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    np.testing.assert_allclose(result.weights[1:], best, atol=0.2)


@pytest.mark.parametrize("kind", KINDS)
def test_dense_and_sparse_agree(kind):
    X, y = problem(13, targets=2)
    X[np.abs(X) < 0.7] = 0.0
    options = {"kind": kind, "alpha": 0.5, "order": VisitOrder(len(X), 1), "max_iter": 20}
    dense = fit(X, y, **options)
    for form in (sp.csr_array(X), sp.csr_array(X.astype(np.float32))):
        loose = 1e-5 if form.dtype == np.float32 else 1e-10
        sparse = fit(form, y, **options)
        np.testing.assert_allclose(sparse.weights, dense.weights, rtol=loose, atol=loose)


def test_float32_is_accumulated_in_float64():
    X, y = problem(14)
    X = X.astype(np.float32)
    single, double = fit(X, y, tol=1e-10), fit(X.astype(np.float64), y, tol=1e-10)
    np.testing.assert_allclose(single.weights, double.weights, rtol=1e-12)


def test_weights_are_repeated_rows():
    X, y = problem(15, n=20)
    counts = np.random.default_rng(0).integers(1, 4, 20)
    repeated = np.repeat(np.arange(20), counts)
    options = {"eta0": 0.01, "tol": 1e-12, "max_iter": 3000}
    weighted = fit(X, y, weight=counts.astype(float), **options)
    copied = fit(X[repeated], y[repeated], **options)
    assert weighted.status is Status.CONVERGED
    np.testing.assert_allclose(weighted.weights, copied.weights, rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_targets_are_independent(kind):
    X, y = problem(16, targets=3)
    options = {"kind": kind, "tol": 0.0, "max_iter": 7, "alpha": 1.0, "average": True}
    together = fit(X, y, **options)
    for k in range(3):
        alone = fit(X, y[:, k], **options)
        np.testing.assert_array_equal(together.weights[:, k], alone.weights)
        np.testing.assert_array_equal(together.details["averaged"][:, k], alone.details["averaged"])


def test_the_stop_rule_is_that_of_the_notes():
    X, y = problem(17)
    result = fit(X, y, eta0=0.01, tol=1e-3)
    A = design(X)
    step = 0.01 * np.linalg.norm(squared_gradient(result.weights, A, y))
    assert step <= 1e-3
    assert result.details["step"] == pytest.approx(step)
    before = fit(X, y, eta0=0.01, tol=0.0, max_iter=result.n_iter - 1)
    assert 0.01 * np.linalg.norm(squared_gradient(before.weights, A, y)) > 1e-3


def test_a_start_at_the_minimum_makes_no_update():
    X, y = problem(18)
    best = np.linalg.lstsq(design(X), y, rcond=None)[0]
    for kind in KINDS:
        result = fit(X, y, kind=kind, initial=best, tol=1e-8)
        assert (result.status, result.n_iter, result.n_updates) == (Status.CONVERGED, 1, 0)
        np.testing.assert_array_equal(result.weights, best)


def test_the_history_is_that_of_j():
    X, y = problem(19)
    result = fit(X, y, max_iter=6, tol=0.0, kind="stochastic", eta0=0.02)
    A, path = design(X), textbook(X, y, np.zeros(4), 0.02, 1, 6)
    ends = [np.zeros(4), *path[59::60]]
    J = [squared_criterion(w, A, y) for w in ends]
    np.testing.assert_allclose(result.details["history"][:, 0], J)


# Rates


@pytest.mark.share(2)
@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_two_over_the_largest_eigenvalue_is_the_border(factor):
    X, y = problem(20)
    largest = np.linalg.eigvalsh(design(X).T @ design(X))[-1]
    eta = factor * 2 / largest
    solver = gradient_solver(X, y, eta0=eta, tol=1e-9)
    assert solver.diverges(eta) == (factor > 1)
    result = run(solver, 30_000)
    assert result.status is (Status.DIVERGED if factor > 1 else Status.CONVERGED)


def test_divergence_is_told_even_before_it_shows():
    X, y = problem(20)
    result = fit(X, y, eta0=0.05, max_iter=2)
    limit = 2 / np.linalg.eigvalsh(design(X).T @ design(X))[-1]
    assert result.status is Status.DIVERGED
    words = result.details["explanation"]
    assert words.startswith("η = 0.05 is above 2/λmax = ")
    told = float(words.split("at most ")[1])
    assert 0.99 * limit < told <= limit
    fine = fit(X, y, eta0=told, max_iter=100_000)
    assert fine.status is Status.CONVERGED


@pytest.mark.parametrize("schedule", ["constant", "inverse"])
@pytest.mark.parametrize("eta", [1.0, 1e3, 1e30, 1e300])
@pytest.mark.parametrize("kind", KINDS)
def test_weights_stay_finite_whatever_the_rate(kind, eta, schedule):
    X, y = problem(21)
    result = fit(X, y, kind=kind, eta0=eta, schedule=schedule, max_iter=60, average=True)
    assert np.isfinite(result.weights).all()
    assert np.isfinite(result.details["averaged"]).all()
    assert np.isfinite(result.details["criterion"])
    if schedule == "constant":
        assert result.status is Status.DIVERGED
        assert not result.status.ok
        assert "auto" in result.details["explanation"]


@pytest.mark.share(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_auto_never_diverges(kind, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((80, 4)) * 10.0 ** rng.integers(-3, 4, 4) + rng.normal(0, 50, 4)
    X[:3] *= 30  # outliers
    y = X @ rng.standard_normal(4) + rng.standard_normal(80)
    c = rng.uniform(0.01, 5.0, 80)
    for alpha in (0.0, 100.0):
        options = {"weight": c, "kind": kind, "alpha": alpha, "max_iter": 100}
        for order in (None, VisitOrder(80, seed)):
            result = fit(X, y, order=order, **options)
            J = result.details["history"][:, 0]
            assert result.status is not Status.DIVERGED
            assert J[-1] < J[0]


def test_auto_says_what_it_chose():
    X, y = problem(22)
    eigenvalues = np.linalg.eigvalsh(design(X).T @ design(X))
    details = fit(X, y).details
    assert details["eta_reason"] == "2/(λmax + λmin) of ∇²J"
    assert details["eta"] == pytest.approx(2 / (eigenvalues[0] + eigenvalues[-1]))
    X[:, 0] *= 10
    assert fit(X, y).details["eta_reason"] == "1.5/λmax of ∇²J"
    norms = (design(X) ** 2).sum(axis=1)
    details = fit(X, y, kind="stochastic", max_iter=2).details
    assert details["eta"] == pytest.approx(min(0.1 / norms.mean(), 1 / norms.max()))


def test_the_tail_average_is_nearer_than_the_last_iterate():
    X, y = problem(23, n=200, noise=1.0)
    best = np.linalg.lstsq(design(X), y, rcond=None)[0]
    result = fit(
        X, y, kind="stochastic", order=VisitOrder(200, 5), eta0=0.05, average=True, max_iter=100
    )
    last = np.linalg.norm(result.weights - best)
    tail = np.linalg.norm(result.details["averaged"] - best)
    assert tail < last / 5


def test_inverse_rates_settle_where_constant_ones_oscillate():
    X, y = problem(24, n=200, noise=1.0)
    best = np.linalg.lstsq(design(X), y, rcond=None)[0]
    options = {"kind": "stochastic", "order": VisitOrder(200, 5), "max_iter": 50, "tol": 0.0}
    swings = fit(X, y, eta0=0.05, **options)
    settles = fit(X, y, eta0=2.0, schedule="inverse", **options)
    distances = [np.linalg.norm(r.weights - best) for r in (settles, swings)]
    assert distances[0] < distances[1] / 5


# Range


@pytest.mark.parametrize("scale", [2e149, 1e-150])
@pytest.mark.parametrize("kind", KINDS)
def test_extreme_values_are_scaled_inside(kind, scale):
    X, y = problem(25)
    X, c = X * 2.0**-3, 2.0 ** np.round(np.log2(scale))
    options = {"kind": kind, "intercept": False, "max_iter": 30}
    plain = fit(X, y, tol=1e-9, **options)
    scaled = fit(X * c, y, tol=1e-9 / c, **options)
    np.testing.assert_allclose(scaled.weights * c, plain.weights, rtol=1e-9)
    assert scaled.details["criterion"] == pytest.approx(plain.details["criterion"])
    assert scaled.details["eta"] == pytest.approx(plain.details["eta"] / c**2)
    assert scaled.status is plain.status


def test_values_beyond_the_range_are_refused():
    X, y = problem(26)
    with pytest.raises(ValueError, match="Scale the columns"):
        gradient_solver(X * 1e200, y)
    for bad in (np.nan, np.inf):
        X[3, 1] = bad
        with pytest.raises(ValueError, match="not finite"):
            fit(X, y)
    X, y = problem(26)
    with pytest.raises(ValueError, match="scale y"):
        fit(X, y * 1e200)


def test_all_zero_rows_need_no_step():
    result = fit(np.zeros((4, 2)), np.arange(4.0), intercept=False)
    assert result.status is Status.CONVERGED
    np.testing.assert_array_equal(result.weights, np.zeros(3))


def test_unknown_kinds_are_refused():
    with pytest.raises(ValueError, match="kind must be one of"):
        gradient_solver(np.zeros((2, 1)), np.zeros(2), kind="sgd")


def test_the_log_keeps_few_arrays():
    kept = gradient.Kept(8)
    for epoch in range(1001):
        kept.add(epoch, np.array([float(epoch)]))
    assert len(kept.arrays) <= 8
    for epoch in (0, 1, 500, 1000):
        found, array = kept.before(epoch)
        assert found <= epoch < found + kept.stride
        assert array[0] == found


def test_an_unknown_loss_has_no_value():
    assert np.isnan(gradient_losses.hypothesis(99, 1.0))


# Replay


@pytest.mark.parametrize("schedule", ["constant", "inverse"])
@pytest.mark.parametrize("alpha", [0.0, 40.0])
@pytest.mark.parametrize("kind", KINDS)
def test_the_log_replays_the_fit_bit_for_bit(kind, alpha, schedule, monkeypatch):
    X, y = problem(27, n=37, targets=2)
    monkeypatch.setattr(gradient, "LOG_BYTES", 8 * 8 * 5)  # five arrays: others are worked out
    solver = gradient_solver(
        X, y, kind=kind, alpha=alpha, schedule=schedule, batch_size=5, order=VisitOrder(37, 2),
        tol=0.0, keep_log=True, eta0=0.02 if schedule == "inverse" else "auto",
    )  # fmt: skip
    result = run(solver, 12)
    log = result.log
    weights, scores = iterates(solver, log, 0, log.n_updates, scores=True)
    np.testing.assert_array_equal(solver.shaped(weights[-1]), result.weights)
    for epoch, kept in log.kept.arrays.items():
        np.testing.assert_array_equal(weights[epoch * solver.batches], kept)
    assert log.kept.stride > 1
    # any part of it is the same
    for first, last in [(0, 0), (3, 9), (solver.batches, log.n_updates), (7, 8)]:
        part, some = iterates(solver, log, first, last, scores=True)
        np.testing.assert_array_equal(part, weights[first : last + 1])
        if kind == "stochastic":
            np.testing.assert_array_equal(some, scores[first:last])
    if kind == "stochastic":
        samples = solver.order.samples(np.arange(log.n_updates))
        by_hand = np.einsum("ij,ikj->ik", design(X)[samples], weights[:-1])
        np.testing.assert_allclose(scores, by_hand, rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("max_iter", [1, 10, 200, 5000])
@pytest.mark.parametrize("eta0", [0.002, 0.02, 0.065])
@pytest.mark.parametrize("model", ["batch", "stochastic", "logistic batch", "logistic stochastic"])
def test_status_text_facts_and_advice_are_one_decision(model, eta0, max_iter):
    options = {"solver": model.split()[-1], "eta0": eta0, "max_iter": max_iter}
    if "logistic" in model:
        estimator, data = ls.LogisticRegression(**options), ls.datasets.load("or")
    else:
        estimator, data = ls.LinearRegression(**options), ls.datasets.load("five_points")
    run = ls.trace(estimator, *data)
    certificate = run.estimator.certificate_
    near = certificate.gap <= 0.01 * certificate.primal
    words = f"{certificate} {run.ledger(stop=1, width=300).caption}"
    assert certificate.text.startswith("Converged") == certificate.ok
    check = certificate.verify(*data)
    assert check.claim_holds
    assert bool(check) == certificate.ok
    if certificate.ok:
        assert near
        assert "Nothing more to do" in words
        assert not any(each in words.lower() for each in ("raise", "is above", "too large", "use "))
    else:
        assert "Nothing more to do" not in words
