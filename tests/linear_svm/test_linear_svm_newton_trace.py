"""Newton's steps of a linear machine: P and active samples by the formula, the end = fit."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

import linscope as ls
from linscope.linear_svm.solvers import squared_hinge


def clouds(n=40, classes=2, seed=4):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.standard_normal((n, 2)) + 1.5 * np.eye(classes, 2)[y], y


SETTINGS = [
    {},
    {"loss": "squared_hinge", "C": 3.0},
    {"C": 0.05, "penalize_intercept": True},
    {"fit_intercept": False, "loss": "squared_hinge"},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, lambda X: 1e3 + X])
def test_every_look_is_the_formula_and_the_end_is_the_fit(settings, make):
    X, y = clouds()
    X = make(X)
    run = ls.trace(ls.LinearSVC(**settings), X, y)
    model = ls.LinearSVC(**settings).fit(X, y)
    fitted = np.r_[model.intercept_, model.coef_[0]]
    np.testing.assert_array_equal(run.replay()[0], fitted)
    np.testing.assert_array_equal(run.estimator.alphas_, model.alphas_)
    dense = X.toarray() if sparse.issparse(X) else X
    first = 0 if model.fit_intercept else 1
    least = None
    for step in reversed(list(run.steps)):
        w = np.zeros(3)
        w[first:] = step.before
        xi = np.maximum(0, 1 - np.where(y > 0, 1, -1) * (w[0] + dense @ w[1:]))
        penalised = w if model.penalize_intercept else w[1:]
        loss = np.sum(xi**2 if model.loss == "squared_hinge" else xi)
        P = 0.5 * penalised @ penalised + model.C * loss
        assert step.numbers["P"] == pytest.approx(P, rel=1e-9)
        least = P if least is None else least
        assert P - least <= step.numbers["gap"] + 1e-9 * P  # a bound
        if model.loss == "squared_hinge" and step.number > 1:
            assert abs(step.numbers["active"] - np.count_nonzero(xi > 1e-12)) <= 1
    effects = run.effects(backend="dict")
    assert np.all(effects["P_after"] <= effects["P_before"] * (1 + 1e-9))


def test_the_answer_is_that_of_libsvm():
    X, y = clouds()
    run = ls.trace(ls.LinearSVC(C=2.0), X, y, sample_names=[f"s{i}" for i in range(40)])
    other = SVC(kernel="linear", C=2.0, tol=1e-10).fit(X, y)
    answer = dict(run.answer)
    w, b, margin = other.coef_[0], other.intercept_[0], 2 / np.linalg.norm(other.coef_)
    expected = f"w = [{w[0]:.6g} {w[1]:.6g}], b = {b:.6g}".replace("-", "−")
    assert answer["weights"] == expected
    assert answer["margin"] == f"M = 2/‖w‖ = {margin:.6g}"
    assert answer["support vectors"].startswith(f"{len(other.support_)} of 40 samples: α = ")
    alpha = dict(zip(other.support_, np.abs(other.dual_coef_[0]), strict=True))
    for row in sorted(alpha)[:8]:
        assert f"{alpha[row]:.6g} (s{row})" in answer["support vectors"]
    for words in (str(run), run.to_markdown(), run.to_html()):
        assert answer["margin"] in words
    assert "multipliers" in str(run)


def test_several_classes_float32_and_weights():
    X, y = clouds(60, classes=3)
    c = np.arange(60) % 4
    run = ls.trace(ls.LinearSVC(multi_class="ovo"), X.astype(np.float32), y, sample_weight=c)
    model = run.estimator
    W = np.column_stack([model.intercept_, model.coef_])
    np.testing.assert_array_equal(np.array(run.replay(), dtype=np.float32), W)
    labels = [label for label, _ in run.answer]
    assert labels[::4] == ["equation, 1 vs 0", "equation, 2 vs 0", "equation, 2 vs 1"]
    assert "a vote for 2, else for 1" in dict(run.answer)["equation, 2 vs 1"]


def test_a_share_of_the_rows_comes_first(monkeypatch):
    monkeypatch.setattr(squared_hinge, "FEWEST_ROWS", 200)
    X, y = clouds(2000)
    order = np.random.default_rng(0).permutation(2000)
    X, y = X[order], y[order]
    model = ls.LinearSVC(loss="squared_hinge")
    run = ls.trace(model, X, y)
    rows = run.to_frame(backend="dict")["rows"]
    assert rows[0] < 500
    assert rows[-1] == 2000
    np.testing.assert_array_equal(run.replay()[0][1:], model.fit(X, y).coef_[0])
    assert run.monotonic()


def test_one_side_only_and_the_picture():
    X, y = clouds()
    assert "Boundar" in type(ls.trace(ls.LinearSVC(), X, y).plot()).__name__
    run = ls.trace(ls.LinearSVC(), X, y, sample_weight=y)
    assert len(run.steps) == 1
    assert dict(run.answer)["margin"] == "M = ∞: w = 0"
