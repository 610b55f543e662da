"""Steps of Newton's method and of coordinate descent: each against the formula, the end = fit."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import log_expit
from sklearn.linear_model import LogisticRegression as Reference

import linscope as ls
from linscope.logistic.solvers import newton, trust_region


def clouds(n=60, d=2, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, d)) + 0.8 * np.eye(classes, d)[y], y


def objective(w, X, y, C, intercept=True):
    """½‖w‖² + C Σ ln(1 + e^(−y w·x)) with its gradient and Hessian, y = 0 and 1."""
    Z = np.column_stack([np.full(len(X), float(intercept)), X])
    s = Z @ w
    p = 1 / (1 + np.exp(-s))
    mask = np.r_[0.0, np.ones(X.shape[1])]
    P = 0.5 * mask @ w**2 - C * np.sum(log_expit(np.where(y > 0, s, -s)))
    g = mask * w + C * Z.T @ (p - y)
    H = np.diag(mask) + C * (Z.T * (p * (1 - p))) @ Z
    if not intercept:
        H[0, 0] = 1.0
    return P, g, H


@pytest.mark.parametrize("C", [0.3, 20.0])
@pytest.mark.parametrize("intercept", [True, False])
def test_every_step_of_newton_is_the_formula(C, intercept):
    X, y = clouds()
    run = ls.trace(ls.LogisticRegression(C=C, fit_intercept=intercept), X, y)
    assert len(run.steps) == run.n_updates + 1 > 3
    for step in run.steps:
        before, after = (np.r_[[0.0] * (not intercept), w] for w in (step.before, step.after))
        P, g, H = objective(before, X, y, C, intercept)
        seen = step.numbers
        assert seen["P"] == pytest.approx(P, rel=1e-12)
        assert seen["gradient_norm"] == pytest.approx(np.linalg.norm(g), rel=1e-6, abs=1e-12)
        if not step.update:
            assert np.array_equal(before, after)
            assert np.isnan(seen["t"])
            continue
        # H may be that of an earlier step: the direction is downhill, and λ² = −g·(W' − W)/t
        move = (after - before) / seen["t"]
        assert seen["decrement"] ** 2 == pytest.approx(-g @ move, rel=1e-6, abs=1e-18)
        if step.number == 1:
            np.testing.assert_allclose(move, -np.linalg.solve(H, g), rtol=1e-9, atol=1e-12)
    found = Reference(C=C, fit_intercept=intercept, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(run.steps[-1].after[-2:], found.coef_[0], rtol=1e-4)
    assert run.monotonic()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"C": np.inf},
        {"penalty": "l1", "C": 0.5},
        {"penalty": "elasticnet", "l1_ratio": 0.4},
        {"solver": "trust-region"},
        {"fit_intercept": False, "class_weight": "balanced"},
    ],
    ids=str,
)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, lambda X: 1e4 + 1e-3 * X])
def test_the_replay_ends_at_the_fitted_weights_bit_for_bit(settings, classes, make):
    X, y = clouds(classes=classes)
    X = make(X)
    model = ls.LogisticRegression(**settings)
    run = ls.trace(model, X, y)
    fitted = model.fit(X, y)
    W = np.column_stack([fitted.intercept_, fitted.coef_])
    np.testing.assert_array_equal(np.array(run.replay()), W)
    np.testing.assert_array_equal(run.estimator.coef_, fitted.coef_)
    last = list(run.steps)[-1].after
    np.testing.assert_array_equal(last, W[-1] if fitted.fit_intercept else W[-1, 1:])


def test_several_binary_problems():
    X, y = clouds(classes=3)
    run = ls.trace(ls.LogisticRegression(multi_class="ovo"), X, y)
    assert run.problems == ["1 vs 0", "2 vs 0", "2 vs 1"]
    model = run.estimator
    W = np.column_stack([model.intercept_, model.coef_])
    np.testing.assert_array_equal(np.array(run.replay()), W)
    rules = model.equation()
    assert dict(run.answer) == {f"equation, {name}": rules[name] for name in run.problems}


def test_coordinate_descent_is_the_penalised_objective():
    X, y = clouds(d=5)
    C, ratio = 0.4, 0.7
    run = ls.trace(ls.LogisticRegression(C=C, penalty="elasticnet", l1_ratio=ratio), X, y)
    frame = run.to_frame(backend="dict")
    least = frame["P"][-1]
    before = np.zeros(6)
    before[0] = np.log(np.sum(y) / np.sum(1 - y))  # the best bias alone
    for k, P in enumerate(frame["P"]):
        w, s = before[1:], before[0] + X @ before[1:]
        loss = -np.sum(log_expit(np.where(y > 0, s, -s)))
        penalty = ratio * np.abs(w).sum() + 0.5 * (1 - ratio) * w @ w
        assert pytest.approx(C * loss + penalty, rel=1e-12) == P
        assert frame["features"][k] == np.count_nonzero(w)
        # the gap is a proven bound
        assert frame["P"][k] - least <= frame["gap"][k] + 1e-12
        before = np.array([frame[f"w{j}"][k] for j in range(6)])


def test_a_share_of_the_rows_comes_first(monkeypatch):
    for module in (newton, trust_region):
        monkeypatch.setattr(module, "FEWEST_ROWS", 300)
    X, y = clouds(3000)
    order = np.random.default_rng(1).permutation(3000)
    X, y = X[order], y[order]
    for solver in ("newton", "trust-region"):
        model = ls.LogisticRegression(solver=solver)
        run = ls.trace(model, X, y)
        frame = run.to_frame(backend="dict")
        assert frame["rows"][0] < 1000
        assert frame["rows"][-1] == 3000
        whole = frame["rows"] == 3000
        assert np.all(np.diff(frame["rows"]) >= 0)
        # the first look at all rows is where the share ended
        first = run.steps[int(np.flatnonzero(whole)[0])]
        assert first.numbers["P"] == pytest.approx(objective(first.before, X, y, 1.0)[0], rel=1e-12)
        np.testing.assert_array_equal(run.replay()[0][1:], model.fit(X, y).coef_[0])
        assert run.monotonic()
        assert "rows" in str(run)


def test_what_is_shown():
    X, y = ls.datasets.load("or")
    run = ls.trace(ls.LogisticRegression(), X, y)
    for words in ("‖∇P‖", "λ", "Newton's method", "C = 1", "l(W) = −1.86047", "⇒ 1"):
        assert words in str(run)
        assert words in run.to_html().replace("&#x27;", "'")
    assert r"$\lambda$" in run.to_latex()
    assert r"P(1 $|$ x) = $\sigma$(" in run.to_latex()
    assert run.to_markdown().rstrip().endswith("l(W) = −1.86047")
    assert repr(run.steps[0]).startswith("Step 1: P = 2.77259, ‖∇P‖ = 1.73205, λ = ")
    assert "→" not in repr(run.steps[-1])
    assert "Boundar" in type(run.plot()).__name__
    effects = run.effects(backend="dict")
    assert np.all(effects["P_after"] < effects["P_before"])
    wide = ls.trace(ls.LogisticRegression(), *clouds(d=3))
    assert "P falls from" in repr(wide.plot())
    # no feature at all
    flat = ls.trace(ls.LogisticRegression(C=np.inf), np.ones((4, 1)), [0, 1, 1, 1])
    assert len(flat.steps) == 1
    assert flat.replay()[0][0] == pytest.approx(np.log(3))


def test_what_is_refused():
    X, y = clouds()
    with pytest.raises(ValueError, match="steps of penalty='firth'"):
        ls.trace(ls.LogisticRegression(penalty="firth"), X, y)
    with pytest.raises(ValueError, match="not rational"):
        ls.trace(ls.LogisticRegression(), X, y, exact=True)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("multi_class", ["softmax", "ovr", "ovo"])
def test_log_likelihood_is_that_of_the_probabilities(classes, multi_class):
    from sklearn.metrics import log_loss

    X, y = clouds(classes=classes)
    c = 1.0 + np.arange(60) % 3
    model = ls.LogisticRegression(multi_class=multi_class).fit(X, y, c)
    P = model.predict_proba(X)
    assert model.log_likelihood() == pytest.approx(-log_loss(y, P, sample_weight=c) * c.sum())
    assert model.log_likelihood(X, y) == pytest.approx(-log_loss(y, P) * 60)
    assert model.log_likelihood(X[:7], y[:7]) == pytest.approx(
        -log_loss(y[:7], P[:7], labels=range(classes)) * 7
    )


def test_log_likelihood_is_that_of_statsmodels_and_largest_at_the_fit():
    import statsmodels.api as sm

    X, y = clouds()
    model = ls.LogisticRegression(C=np.inf).fit(X, y)
    outside = sm.Logit(y, sm.add_constant(X)).fit(disp=0)
    assert model.log_likelihood() == pytest.approx(outside.llf, rel=1e-12)
    w = np.r_[model.intercept_, model.coef_[0]]
    assert model.log_likelihood(weights=w) == model.log_likelihood()
    for shift in 1e-3 * np.vstack([np.eye(3), -np.eye(3)]):
        assert model.log_likelihood(weights=w + shift) < model.log_likelihood()
    assert model.log_likelihood(weights=[0, 0, 0]) == pytest.approx(-60 * np.log(2))
    # a certain and wrong class costs its score, not infinity
    assert model.log_likelihood([[0.0, 0.0]], [0], weights=[1000, 0, 0]) == -1000
    with pytest.raises(ValueError, match=r"shape \(1, 3\)"):
        model.log_likelihood(weights=[0, 0])
    with pytest.raises(ValueError, match="NaN"):
        model.log_likelihood([[np.nan, 0.0]], [0])
