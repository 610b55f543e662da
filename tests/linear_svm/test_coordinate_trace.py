"""Traces of dual coordinate descent: replay = fit, and each step is the formula's."""

import numpy as np
import pytest
from scipy import sparse

import linscope as ls

SETTINGS = [
    {"penalize_intercept": True},
    {"fit_intercept": False},
    {"penalize_intercept": True, "loss": "squared_hinge"},
    {"penalize_intercept": True, "random_state": 3, "C": 0.3},
]


def clouds(n=30, classes=2):
    rng = np.random.default_rng(4)
    y = np.arange(n) % classes
    return rng.standard_normal((n, 2)) + np.eye(classes, 2)[y], y


def traced(X, y, **settings):
    options = {"solver": "coordinate", "tol": 1e-3, **settings}
    return ls.trace(ls.LinearSVC(**options), X, y, criterion=True)


@pytest.mark.share(4)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, np.float32])
def test_every_step_is_the_formula(settings, make):
    X, y = clouds()
    trace = traced(make(X), y, **settings)
    model, frame = trace.estimator, trace.to_frame(backend="pandas")
    assert np.array_equal(trace.replay()[0], model.results_[0].weights)
    augmented = model.fit_intercept
    Z = np.column_stack([np.full(len(y), float(augmented)), make(X) if make is np.float32 else X])
    signs, C = np.where(y > 0, 1.0, -1.0), model.C
    squared = model.loss == "squared_hinge"
    q, top = (0.5 / C, np.inf) if squared else (0.0, C)
    alpha, w = np.zeros(len(y)), np.zeros(3)
    names = ["w0", "w1", "w2"] if augmented else ["w1", "w2"]
    for row in frame.itertuples():
        i = row.sample
        G = signs[i] * (w @ Z[i]) - 1 + q * alpha[i]
        assert row.normalized == pytest.approx(signs[i] * (w @ Z[i]), abs=1e-12)
        assert row.gradient == pytest.approx(G, abs=1e-12)
        assert row.alpha_before == pytest.approx(alpha[i], abs=1e-12)
        new = np.clip(alpha[i] - G / (Z[i] @ Z[i] + q), 0, top)
        w += (new - alpha[i]) * signs[i] * Z[i]
        alpha[i] = new
        assert row.alpha == pytest.approx(new, abs=1e-12)
        assert [getattr(row, name) for name in names] == pytest.approx(w[3 - len(names) :].tolist())
        xi = np.maximum(0, 1 - signs * (Z @ w))
        primal = 0.5 * w @ w + C * np.sum(xi**2 if squared else xi)
        assert row.primal == pytest.approx(primal, rel=1e-9)
        assert row.dual == pytest.approx(alpha.sum() - 0.5 * w @ w - 0.5 * q * alpha @ alpha)
    np.testing.assert_allclose(model.alphas_, alpha, atol=1e-12)


def test_the_dual_value_never_falls():
    trace = traced(*clouds(), penalize_intercept=True)
    effects = trace.effects(backend="pandas")
    assert (effects.dual_after >= effects.dual_before - 1e-12).all()
    assert (effects.primal_after >= effects.dual_after).all()


def test_steps_of_several_problems_with_weights():
    X, y = clouds(classes=3)
    model = ls.LinearSVC(solver="coordinate", penalize_intercept=True, tol=1e-2, multi_class="ovo")
    trace = ls.trace(model, X, y, sample_weight=np.arange(30) % 4)
    assert trace.problems == ["1 vs 0", "2 vs 0", "2 vs 1"]
    for replayed, result in zip(trace.replay(), trace.estimator.results_, strict=True):
        assert np.array_equal(replayed, result.weights)
    assert not {step.sample for step in trace.steps} & set(range(0, 30, 4))
    same = model.fit(X, y, sample_weight=np.arange(30) % 4)
    np.testing.assert_array_equal(same.coef_, trace.estimator.coef_)


def test_the_ledger_of_or():
    X, y = ls.datasets.load("or")
    trace = traced(X, y, penalize_intercept=True)
    assert str(trace.steps[0]) == (
        "Step 1: sample 0, y w·x = 0, G = −1, α 0 → 1, [0 0 0] → [−1 0 0]"
    )
    assert "α = 0 stays" in str(trace.steps[3])
    shown = str(trace)
    for words in ("y w·x", "bias penalised", "20 visits, 11 updates", "0.5 → 0.625"):
        assert words in shown
    for text in (trace.to_markdown(), trace.to_latex(), trace.to_html(), trace.to_csv()):
        assert text
    assert trace.plot() is not None


def test_what_has_no_steps():
    X, y = clouds()
    with pytest.raises(ValueError, match=r"use SVC\(kernel='linear', C=np.inf\)"):
        ls.trace(ls.LinearSVC(C=np.inf), X, y)
    with pytest.raises(ValueError, match="fractions"):
        ls.trace(ls.LinearSVC(solver="coordinate", fit_intercept=False), X, y, exact=True)
    with pytest.raises(ValueError, match="penalize_intercept=True"):
        ls.trace(ls.LinearSVC(solver="coordinate"), X, y)
