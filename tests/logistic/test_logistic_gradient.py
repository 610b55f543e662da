"""Gradient ascent for logistic regression: against plain loops of the notes, and all solvers."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from sklearn.exceptions import ConvergenceWarning

import linscope as ls
from linscope.engines import choose
from linscope.fitting.driver import run
from linscope.fitting.gradient_objective import Objective
from linscope.losses import logistic
from linscope.losses import softmax as cross_entropy
from linscope.losses.hypotheses import LOGISTIC, SOFTMAX, STEP, predictions
from linscope.results import VisitOrder
from tests.gradient import gradient_solver
from tests.linear_fits import design

KINDS = ["batch", "mini-batch", "stochastic"]


def table(seed=0, n=40, d=3, n_classes=2):
    """Classes that overlap; columns with offsets, which other solvers shift inside."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    scores = X @ rng.standard_normal((d, n_classes)) + rng.gumbel(size=(n, n_classes))
    y = scores.argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)
    return X + np.arange(d), y


def notes(X, Y, h, eta, size, passes, *, c=None, C=np.inf, inverse=False, order=None):
    """w_l ← w_l + η (Σ c (y_l − p_l) x − |B|/n [0, w]/C), one row of W a column of Y."""
    A, n, k = design(X), len(X), 0
    c, W = np.ones(n) if c is None else c, np.zeros((Y.shape[1], X.shape[1] + 1))
    for epoch in range(passes):
        visits = np.arange(n) if order is None else order.epoch(epoch)
        for at in range(0, n, size):
            batch = visits[at : at + size]
            k += 1
            P = h(A[batch] @ W.T)
            step = (c[batch, None] * (Y[batch] - P)).T @ A[batch]
            shrink = W * (len(batch) / n / C)
            shrink[:, 0] = 0.0
            W = W + (eta / k if inverse else eta) * (step - shrink)
    return W


def sigma(s):
    return 1 / (1 + np.exp(-s))


def softmax(S):
    E = np.exp(S)
    return E / E.sum(axis=1, keepdims=True)


def model(kind, **options):
    fixed = {"eta0": 0.01, "tol": 0, "max_iter": 6, "batch_size": 7, "random_state": 0}
    return ls.LogisticRegression(solver=kind, **{**fixed, **options})


# The rule of the notes, in the units of the table


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("schedule", ["constant", "inverse"])
@pytest.mark.parametrize("C", [np.inf, 0.5])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_the_weights_are_those_of_the_formula(kind, n_classes, C, schedule):
    X, y = table(1, n_classes=n_classes)
    c = np.random.default_rng(2).uniform(0.2, 2.0, len(X))
    fitted = model(kind, C=C, schedule=schedule).fit(X, y, c)
    Y = y[:, None].astype(float) if n_classes == 2 else np.eye(3)[y]
    h = sigma if n_classes == 2 else softmax
    size = {"batch": len(X), "mini-batch": 7, "stochastic": 1}[kind]
    seed = int(np.random.RandomState(0).randint(2**31 - 1))
    order = None if kind == "batch" else VisitOrder(len(X), seed)
    inverse = schedule == "inverse"
    W = notes(X, Y, h, 0.01, size, 6, c=c, C=C, inverse=inverse, order=order)
    found = np.column_stack([fitted.intercept_, fitted.coef_])
    np.testing.assert_allclose(found, W, rtol=1e-9, atol=1e-13)
    assert fitted.certificate_.verify(X, y, c).claim_holds


def test_one_step_by_hand():
    """From w = 0, h is ½: w = η Σ (y − ½) x, which is ½ (−[1 1] − [1 2] + [1 4] + [1 8])."""
    X, y = np.array([[1.0], [2.0], [4.0], [8.0]]), [0, 0, 1, 1]
    with pytest.warns(ConvergenceWarning):
        fitted = model("batch", eta0=1.0, max_iter=1, C=np.inf).fit(X, y)
    assert fitted.intercept_[0] == 0.0
    assert fitted.coef_[0, 0] == 4.5


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_pairs_and_rests_are_the_binary_rule(multi_class):
    X, y = table(3, n_classes=3)
    fitted = model("batch", multi_class=multi_class).fit(X, y)
    if multi_class == "ovr":
        parts = [(X, y == k) for k in range(3)]
    else:
        rows = [(y == a) | (y == b) for a, b in ((0, 1), (0, 2), (1, 2))]
        parts = [(X[r], y[r] == b) for r, b in zip(rows, (1, 2, 2), strict=True)]
    for row, (part, own) in enumerate(parts):
        alone = model("batch").fit(part, own)
        np.testing.assert_array_equal(fitted.coef_[row], alone.coef_[0])


# Losses and hypotheses


@pytest.mark.parametrize("code", [LOGISTIC, SOFTMAX, STEP])
def test_the_gradient_matches_finite_differences(code):
    X, y = table(4, n_classes=3)
    Y = np.eye(3)[y]
    rng = np.random.default_rng(5)
    W, c, step = rng.standard_normal((3, 4)), rng.uniform(0.1, 2.0, len(X)), 1e-6
    J = Objective(choose(X, Y, c), alpha=0.7, loss=code)
    slope = J.evaluate(W)[1]
    for place in np.ndindex(W.shape):
        move = np.zeros_like(W)
        move[place] = step
        rise = J.evaluate(W + move)[0].sum() - J.evaluate(W - move)[0].sum()
        assert slope[place] == pytest.approx(rise / (2 * step), abs=1e-6)


@pytest.mark.parametrize("size", [1.0, 300.0])
def test_values_are_those_of_the_log_loss(size):
    rng = np.random.default_rng(6)
    S, y = size * rng.standard_normal((30, 4)), rng.integers(4, size=30)
    two = Objective(choose(S[:, :1], (y % 2)[:, None].astype(float)), bias=0.0, loss=LOGISTIC)
    value = two.evaluate(np.array([[0.0, 1.0]]))[0]
    assert value[0] == pytest.approx(logistic.loss(S[:, 0], y % 2).sum(), rel=1e-12)
    many = Objective(choose(S, np.eye(4)[y]), bias=0.0, loss=SOFTMAX)
    value = many.evaluate(np.column_stack([np.zeros(4), np.eye(4)]))[0]
    assert value.sum() == pytest.approx(cross_entropy.loss(S, y).sum(), rel=1e-12)
    np.testing.assert_allclose(predictions(SOFTMAX, S), cross_entropy.softmax(S), rtol=1e-12)
    np.testing.assert_allclose(predictions(LOGISTIC, S), logistic.sigmoid(S), rtol=1e-12)


# All solvers, one minimum


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n_classes=st.integers(2, 4),
    C=st.sampled_from([0.05, 1.0, 20.0]),
    intercept=st.booleans(),
)
def test_solvers_agree_within_their_certificates(seed, n_classes, C, intercept):
    X, y = table(seed, 30, 3, n_classes)
    solvers = ["trust-region", "lbfgs", "batch", "mini-batch", "stochastic"]
    solvers += ["newton"] if n_classes == 2 else []
    options = {"C": C, "fit_intercept": intercept, "random_state": 0, "max_iter": 300}
    claims = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for solver in solvers:
            fitted = ls.LogisticRegression(solver=solver, **options).fit(X, y)
            claims[solver] = fitted.certificate_
            assert fitted.certificate_.verify(X, y).claim_holds, solver
    for name, a in claims.items():
        for other, b in claims.items():
            assert a.primal - b.primal <= a.gap + 1e-9 * a.primal, (name, other)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), n_classes=st.integers(2, 3), ratio=st.floats(0.05, 1.0))
def test_no_weights_beat_the_bound_of_coordinate_descent(seed, n_classes, ratio):
    X, y = table(seed, 30, 3, n_classes)
    fitted = ls.LogisticRegression(penalty="elasticnet", l1_ratio=ratio).fit(X, y)
    claim = fitted.certificate_
    other = ls.LogisticRegression(C=0.1, solver="batch", tol=1e-4).fit(X, y)
    for W in (other.certificate_.weights, 0.9 * claim.weights, 0 * claim.weights):
        S = design(X) @ W.T
        value = cross_entropy.loss(S, y).sum()
        value += ratio * np.abs(W[:, 1:]).sum() + (1 - ratio) / 2 * np.square(W[:, 1:]).sum()
        assert claim.primal - value <= claim.gap + 1e-9 * value


@pytest.mark.share(3)
@pytest.mark.parametrize("C", [0.1, 1.0, np.inf])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_batch_steps_reach_the_minimum_and_never_rise(n_classes, C):
    X, y = table(7, 120, n_classes=n_classes)
    best = ls.LogisticRegression(C=C).fit(X, y)
    fitted = ls.LogisticRegression(C=C, solver="batch", tol=1e-9, max_iter=20_000).fit(X, y)
    np.testing.assert_allclose(fitted.predict_proba(X), best.predict_proba(X), atol=1e-5)
    history = fitted.results_[0].details["history"]
    assert (np.diff(history[:, 0]) <= 1e-9).all()
    assert fitted.results_[0].details["eta_reason"] == "1.5/λmax of a bound of ∇²J"


@pytest.mark.parametrize("kind", ["stochastic", "mini-batch"])
def test_far_from_the_minimum_is_said(kind):
    X, y = table(8, 80)
    best = ls.LogisticRegression().fit(X, y).certificate_.primal
    with pytest.warns(ConvergenceWarning, match=r"above its minimum: η‖∇J‖ = .* is above tol"):
        fitted = ls.LogisticRegression(solver=kind, max_iter=3, random_state=0).fit(X, y)
    claim = fitted.certificate_
    assert claim.status is ls.Status.MAX_ITER
    assert 1e-4 < claim.primal - best <= claim.gap
    assert "gradient steps" in claim.how


def test_small_steps_far_from_the_minimum_are_said_too():
    """A column of about 1e8 leaves room for tiny steps only: η‖∇J‖ ≤ tol at once."""
    X, y = table(8, 80)
    with pytest.warns(ConvergenceWarning, match="need not be the minimum: scale X, or lower tol"):
        fitted = ls.LogisticRegression(solver="batch").fit(X + 1e8, y)
    assert fitted.certificate_.status is ls.Status.SHORT_STEPS
    assert fitted.certificate_.gap > 0.01 * fitted.certificate_.primal
    assert fitted.certificate_.verify(X + 1e8, y).claim_holds


@pytest.mark.usefixtures("quiet")
def test_averages_are_nearer_to_the_minimum():
    X, y = table(9, 200)
    best = ls.LogisticRegression().fit(X, y).certificate_.primal
    options = {"solver": "stochastic", "max_iter": 100, "random_state": 0}
    last = ls.LogisticRegression(**options).fit(X, y).certificate_.primal - best
    mean = ls.LogisticRegression(**options, average=True).fit(X, y).certificate_.primal - best
    assert mean < 0.1 * last


# Rates


@pytest.mark.parametrize(("code", "bend"), [(LOGISTIC, 0.25), (SOFTMAX, 0.5)])
def test_the_limit_is_a_bound_of_the_curvature(code, bend):
    X, y = table(10, n_classes=3)
    Y = np.eye(3)[y] if code == SOFTMAX else (y > 0)[:, None].astype(float)
    A = design(X)
    H = bend * A.T @ A + 0.3 * np.diag([0.0, 1, 1, 1])
    solver = gradient_solver(X, Y, loss=code, alpha=0.3)
    assert solver.limit == pytest.approx(2 / np.linalg.eigvalsh(H)[-1])
    # The Hessian at any weights: its largest eigenvalue stays below.
    W = np.random.default_rng(0).standard_normal((Y.shape[1], 4))
    P = predictions(code, A @ W.T)
    full = np.zeros((W.size, W.size))
    for x, p in zip(A, P, strict=True):
        block = np.diag(p) - np.outer(p, p) if code == SOFTMAX else np.diag(p * (1 - p))
        full += np.kron(block, np.outer(x, x))
    full += np.kron(np.eye(len(W)), 0.3 * np.diag([0.0, 1, 1, 1]))
    assert np.linalg.eigvalsh(full)[-1] <= 2 / solver.limit


def test_a_rate_above_the_limit_may_fail_and_need_not():
    X, y = table(11)
    limit = gradient_solver(X, y.astype(float), loss=LOGISTIC, alpha=1.0).limit
    with pytest.warns(ConvergenceWarning, match="so the steps need not shrink: use eta0='auto'"):
        ls.LogisticRegression(solver="batch", eta0=20 * limit, max_iter=50).fit(X, y)
    # The log loss is flatter away from w = 0, so some rates above the limit do no harm.
    assert ls.LogisticRegression(solver="batch", eta0=1.05 * limit).fit(X, y).certificate_.status.ok


def test_a_rate_that_the_penalty_cannot_take_diverges():
    X, y = table(12)
    with pytest.warns(ConvergenceWarning, match="η = 3 is too large: J grew from"):
        fitted = ls.LogisticRegression(solver="batch", eta0=3.0, C=0.5).fit(X, y)
    assert fitted.certificate_.status is ls.Status.DIVERGED
    assert np.isfinite(fitted.coef_).all()


# The same data in other forms


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_sparse_float32_and_repeats(kind, n_classes):
    X, y = table(13, n_classes=n_classes)
    dense = model(kind).fit(X, y)
    thin = model(kind).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-10)
    single = model(kind).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == single.predict_proba(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.coef_, dense.coef_, rtol=1e-3, atol=1e-5)
    np.testing.assert_array_equal(model(kind).fit(X, y).coef_, dense.coef_)


@pytest.mark.usefixtures("quiet")
def test_weights_are_repeats_for_batch_steps():
    X, y = table(14)
    times = np.random.default_rng(0).integers(0, 4, len(X))
    weighted = model("batch").fit(X, y, times)
    repeated = model("batch").fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-10)
    balanced = model("batch", class_weight={0: 2.0, 1: 0.5}).fit(X, y)
    by_hand = model("batch").fit(X, y, np.where(y == 0, 2.0, 0.5))
    np.testing.assert_array_equal(balanced.coef_, by_hand.coef_)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_warm_start_goes_on(n_classes):
    X, y = table(15, n_classes=n_classes)
    long = model("batch", max_iter=10).fit(X, y)
    warm = model("batch", max_iter=5, warm_start=True)
    np.testing.assert_array_equal(warm.fit(X, y).fit(X, y).coef_, long.coef_)


@pytest.mark.usefixtures("quiet")
def test_huge_numbers_take_the_same_steps():
    X, y = table(16)
    big = model("batch", eta0=0.01 * 2.0**-800, C=np.inf).fit(X * 2.0**400, y)
    plain = model("batch", C=np.inf, fit_intercept=False).fit(X, y)
    alone = model("batch", eta0=0.01 * 2.0**-800, C=np.inf, fit_intercept=False)
    np.testing.assert_array_equal(alone.fit(X * 2.0**400, y).coef_, plain.coef_ * 2.0**-400)
    assert np.isfinite(big.coef_).all()


# What cannot be, and what never ends


@pytest.mark.parametrize("penalty", ["l1", "elasticnet", "firth"])
def test_penalties_without_a_gradient_are_refused(penalty):
    X, y = table()
    with pytest.raises(
        ValueError, match=f"smooth penalty, not on penalty='{penalty}': use solver="
    ):
        ls.LogisticRegression(solver="batch", penalty=penalty, l1_ratio=0.5).fit(X, y)


def test_odd_numbers_are_refused():
    X, y = table()
    with pytest.raises(ValueError, match="tol=0 never ends but with gradient steps"):
        ls.LogisticRegression(tol=0).fit(X, y)
    with pytest.raises(ValueError, match="is too small for solver='batch': 1/C overflows"):
        ls.LogisticRegression(solver="batch", C=1e-310).fit(X, y)
    with pytest.raises(ValueError, match="'eta0' parameter"):
        ls.LogisticRegression(solver="batch", eta0=0.0).fit(X, y)


def test_separated_classes_grow_as_long_as_asked():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1]
    lengths = []
    for passes in (100, 1000):
        with pytest.warns(ConvergenceWarning, match="column x1 separates the classes completely"):
            fitted = model("batch", eta0=0.5, C=np.inf, max_iter=passes).fit(X, y)
        assert fitted.certificate_.status is ls.Status.INFINITE
        assert fitted.n_iter_[0] == passes
        lengths.append(fitted.coef_[0, 0])
    assert lengths[1] > 1.5 * lengths[0]


def test_statistics_need_the_maximum():
    X, y = table(17, 100)
    with pytest.warns(ConvergenceWarning):
        rough = ls.LogisticRegression(solver="stochastic", penalty=None, max_iter=2).fit(X, y)
    assert "has not converged" in str(rough.summary())
    with pytest.warns(ConvergenceWarning, match="need not be the minimum"):
        slow = ls.LogisticRegression(solver="batch", penalty=None, eta0=1e-6, tol=0.01).fit(X, y)
    assert slow.certificate_.status is ls.Status.SHORT_STEPS
    assert "may be far from the maximum" in " ".join(str(slow.summary()).split())
    fine = ls.LogisticRegression(solver="batch", penalty=None, tol=1e-9).fit(X, y)
    exact = ls.LogisticRegression(penalty=None).fit(X, y)
    np.testing.assert_allclose(
        fine.summary().standard_errors, exact.summary().standard_errors, rtol=1e-5
    )


# Traces


@pytest.mark.share(8)
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("multi_class", ["two", "softmax", "ovr", "ovo"])
@pytest.mark.parametrize("schedule", ["constant", "inverse"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_replay_is_the_fit_bit_for_bit(kind, schedule, multi_class):
    X, y = table(18, n_classes=2 if multi_class == "two" else 3)
    weight = np.random.default_rng(2).uniform(0.0, 2.0, len(X))
    weight[3] = 0.0
    options = {} if multi_class == "two" else {"multi_class": multi_class}
    for form in (X, sp.csr_array(X)):
        asked = model(kind, schedule=schedule, **options)
        trace = ls.trace(asked, form, y, sample_weight=weight)
        fitted = asked.fit(form, y, weight)
        weights = np.vstack([result.weights for result in trace.estimator.results_])
        np.testing.assert_array_equal(np.array(trace.replay()), weights)
        np.testing.assert_array_equal(fitted.coef_, trace.estimator.coef_)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_columns_of_the_stochastic_rule(n_classes):
    X, y = table(19, n_classes=n_classes)
    names = ["no", "yes"] if n_classes == 2 else ["a", "b", "c"]
    trace = ls.trace(model("stochastic", C=2.0), X, np.array(names)[y], criterion=True)
    assert trace.problems == (["yes vs no"] if n_classes == 2 else names)
    columns = trace.to_frame(problem=0, backend="dict")
    A, K, n = design(X), len(trace.problems), len(X)
    Y = y[:, None].astype(float) if n_classes == 2 else np.eye(3)[y]
    W = np.zeros((K, 4))
    for t, i in enumerate(columns["sample"]):
        S = A[i] @ W.T
        P = sigma(S) if K == 1 else softmax(S[None])[0]
        assert columns["score"][t] == pytest.approx(S[0], abs=1e-12)
        assert columns["prediction"][t] == pytest.approx(P[0], abs=1e-12)
        assert columns["error"][t] == pytest.approx(Y[i, 0] - P[0], abs=1e-12)
        shrink = np.column_stack([np.zeros(K), W[:, 1:]]) / (2.0 * n)
        W = W + 0.01 * (np.outer(Y[i] - P, A[i]) - shrink)
        found = [columns[f"w{j}"][t] for j in range(4)]
        np.testing.assert_allclose(found, W[0], rtol=1e-9, atol=1e-14)
        S = A @ W.T
        J = cross_entropy.loss(S, y).sum() + np.square(W[:, 1:]).sum() / 4
        assert columns["J"][t] == pytest.approx(J)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("kind", ["batch", "mini-batch"])
def test_columns_of_the_batch_rules(kind):
    X, y = table(20, n_classes=3)
    trace = ls.trace(model(kind, shuffle=False), X, y, criterion=True)
    size = len(X) if kind == "batch" else 7
    A, Y, W, k = design(X), np.eye(3)[y], np.zeros((3, 4)), 0
    columns = [trace.to_frame(problem=c, backend="dict") for c in range(3)]
    for _ in range(6):
        for at in range(0, len(X), size):
            rows = slice(at, at + size)
            slope = (softmax(A[rows] @ W.T) - Y[rows]).T @ A[rows]
            slope[:, 1:] += W[:, 1:] * len(A[rows]) / len(X)
            for c in range(3):
                norm = np.linalg.norm(slope[c])
                assert columns[c]["gradient_norm"][k] == pytest.approx(norm, rel=1e-6)
            W, k = W - 0.01 * slope, k + 1
    np.testing.assert_allclose(np.array(trace.replay()), W, rtol=1e-9)


@pytest.mark.usefixtures("quiet")
def test_the_ledger_reads_like_the_notes():
    X, y = ls.datasets.load("or")
    trace = ls.trace(model("stochastic", eta0=1.0, shuffle=False, max_iter=1, C=np.inf), X, y)
    with (console := Console(width=120)).capture() as shown:
        console.print(trace.ledger(width=120))
    text = shown.get()
    for part in ("w·x", "h(x)", "y − h", "0.377541", "gradient descent on the log loss"):
        assert part in text
    assert repr(trace.steps[0]) == (
        "Step 1: sample 0, w·x = 0, h(x) = 0.5, error −0.5, [0 0 0] → [−0.5 0 0]"
    )
    effects = trace.effects(backend="dict")
    assert (np.abs(effects["error_after"]) < np.abs(effects["error_before"])).all()
    several = ls.trace(model("batch", multi_class="ovo"), *table(21, n_classes=3))
    assert "several binary problems" in str(several)


@pytest.mark.usefixtures("quiet")
def test_figures_of_the_steps():
    X, y = table(22, d=2)
    assert "Boundar" in type(ls.trace(model("batch"), X, y).plot()).__name__
    trace = ls.trace(model("batch"), *table(22, d=3))
    assert "J falls from" in repr(trace.plot())
    with pytest.raises(ValueError, match="plot shows J instead"):
        trace.animate()


def test_what_cannot_be_traced_is_said_before_the_fit():
    X, y = table()
    with pytest.raises(ValueError, match="is not rational"):
        ls.trace(model("batch"), X, y, exact=True)
    with pytest.raises(ValueError, match="steps of solver='lbfgs': use LogisticRegression"):
        ls.trace(ls.LogisticRegression(solver="lbfgs"), X, y)
    with pytest.raises(ValueError, match="eta0"):
        ls.trace(model("batch", eta0=-1.0), X, y)


def test_passes_can_be_watched_and_stopped():
    class Twice(ls.Observer):
        def step(self, done, state):
            return done == 2

    X, y = table(23)
    with pytest.warns(ConvergenceWarning), ls.observe(Twice()):
        fitted = model("batch", max_iter=50).fit(X, y)
    assert fitted.n_iter_.tolist() == [2]
    assert fitted.certificate_.status is ls.Status.STOPPED
    solver = gradient_solver(X, y.astype(float), loss=LOGISTIC, alpha=1.0, eta0=0.01, tol=0)
    np.testing.assert_array_equal(run(solver, 2).weights[1:], fitted.coef_[0])
