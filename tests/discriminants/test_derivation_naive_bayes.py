"""The derivation of P(Y | X) by naive Bayes: against fractions, the fit, and scikit-learn."""

from fractions import Fraction as F

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import norm
from sklearn.naive_bayes import GaussianNB

import linscope as ls
from linscope.tracing import derivation_numbers

X = np.array([[1, 2], [2, 3], [3, 3], [6, 1], [7, 3], [8, 2.5], [7.5, 0.5]])
Y = np.array(["a", "a", "a", "b", "b", "b", "b"])


def moments_by_hand(rows):
    n, d = len(rows), len(rows[0])
    mean = [sum(row[j] for row in rows) / n for j in range(d)]
    return mean, [sum((row[j] - mean[j]) ** 2 for row in rows) for j in range(d)]


def halves(labels=Y):
    rows = [[F(float(v)) for v in row] for row in X]
    sides = [[r for r, k in zip(rows, labels, strict=True) if k == c] for c in ("a", "b")]
    return [moments_by_hand(side) for side in sides]


def test_shared_variances_by_hand():
    run = ls.trace(ls.GaussianNaiveBayes(shared_variance=True), X, Y, exact=True)
    (m0, s0), (m1, s1) = halves()
    variance = [(a + b) / 7 for a, b in zip(s0, s1, strict=True)]
    steps = run.steps
    assert steps["pi"].value == F(4, 7)
    assert steps["mean_0"].value.tolist() == m0
    assert steps["mean_1"].value.tolist() == m1
    assert steps["variance"].value.tolist() == variance
    w = [(m1[j] - m0[j]) / variance[j] for j in range(2)]
    assert steps["w"].value.tolist() == w
    rest = sum((m0[j] ** 2 - m1[j] ** 2) / (2 * variance[j]) for j in range(2))
    assert steps["constant"].value == rest
    assert steps["w_0"].value == pytest.approx(float(rest) + np.log(4 / 3), rel=1e-15)
    np.testing.assert_allclose(
        [steps["w_0"].value, *map(float, w)], run.estimator.as_logistic(), rtol=1e-12
    )
    # P by Bayes' rule from the densities themselves
    joint = [
        prior * np.prod(norm.pdf(X, np.array(m, float), np.sqrt(np.array(variance, float))), axis=1)
        for prior, m in ((3 / 7, m0), (4 / 7, m1))
    ]
    frame = run.to_frame(backend="dict")
    np.testing.assert_allclose(frame["P"], joint[1] / sum(joint), rtol=1e-10)
    np.testing.assert_array_equal(frame["predicted"], run.estimator.predict(X))


def test_equal_classes_need_no_logarithm():
    run = ls.trace(ls.GaussianNaiveBayes(shared_variance=True), X[:6], Y[:6], exact=True)
    assert isinstance(run.steps["w_0"].value, F)
    assert all(isinstance(v, F) for v in run.to_frame(backend="dict")["log_odds"])
    given = ls.GaussianNaiveBayes(shared_variance=True, priors=[0.5, 0.5])
    run = ls.trace(given, X, Y, exact=True)
    assert isinstance(run.steps["w_0"].value, F)
    assert "as given" in str(run)


def test_different_variances_are_quadratic():
    run = ls.trace(ls.GaussianNaiveBayes(), X, Y, exact=True)
    (m0, s0), (m1, s1) = halves()
    v0, v1 = [s / 3 for s in s0], [s / 4 for s in s1]
    steps = run.steps
    assert steps["variance_0"].value.tolist() == v0
    assert steps["a"].value.tolist() == [
        1 / (2 * p) - 1 / (2 * q) for p, q in zip(v0, v1, strict=True)
    ]
    assert steps["b"].value.tolist() == [m1[j] / v1[j] - m0[j] / v0[j] for j in range(2)]
    P = GaussianNB(var_smoothing=0).fit(X, Y).predict_proba(X)[:, 1]
    frame = run.to_frame(backend="dict")
    np.testing.assert_allclose(frame["P"], P, rtol=1e-9)
    a, b = (np.array(steps[name].value, float) for name in "ab")
    np.testing.assert_allclose(
        frame["log_odds"].astype(float), X**2 @ a + X @ b + steps["c"].value, rtol=1e-12
    )
    assert "quadratic" in str(run)
    assert "²" in dict(run.answer)["equation"]


@pytest.mark.parametrize("shared", [True, False])
def test_floats_fractions_sparse_and_many_rows_agree(shared, monkeypatch):
    model = ls.GaussianNaiveBayes(shared_variance=shared)
    exact, plain = ls.trace(model, X, Y, exact=True), ls.trace(model, X, Y)
    monkeypatch.setattr(derivation_numbers, "FEW_PRODUCTS", 0)
    large = [ls.trace(model, table, Y) for table in (X, sparse.csr_array(X))]
    names = ["mean_0", "constant", *(["w", "w_0", "variance"] if shared else ["a", "b", "c"])]
    for name in names:
        value = np.array(exact.steps[name].value, dtype=float)
        np.testing.assert_allclose(plain.steps[name].value, value, rtol=1e-15)
        for run in large:
            np.testing.assert_allclose(run.steps[name].value, value, rtol=1e-10)


def test_weights_count_as_rows():
    c = np.array([1, 2, 1, 3, 1, 1, 2])
    model = ls.GaussianNaiveBayes(shared_variance=True)
    weighted = ls.trace(model, X, Y, sample_weight=c, exact=True)
    repeated = ls.trace(model, np.repeat(X, c, axis=0), np.repeat(Y, c), exact=True)
    for name in ("pi", "mean_1", "variance", "w", "constant"):
        assert np.all(weighted.steps[name].value == repeated.steps[name].value)


def test_a_class_that_does_not_vary():
    table = np.array([[1.0, 0], [1, 1], [2, 0], [3, 5]])
    run = ls.trace(ls.GaussianNaiveBayes(), table, [0, 0, 1, 1], exact=True)
    # V/(n + 1) of the column: V = 11/16, n = 2
    assert run.steps["variance_0"].value[0] == F(11, 48)
    np.testing.assert_allclose(run.estimator.var_[0, 0], 11 / 48)


@pytest.mark.parametrize("shared", [True, False])
def test_several_classes(shared):
    table, y = ls.datasets.load("iris")
    run = ls.trace(ls.GaussianNaiveBayes(shared_variance=shared), table, y)
    frame = run.to_frame(backend="dict")
    g = np.column_stack([frame[f"g_{k}"] for k in range(3)])
    np.testing.assert_allclose(g, run.estimator.discriminants(table), rtol=1e-9)
    P = np.column_stack([frame[f"P_{k}"] for k in range(3)])
    np.testing.assert_allclose(P, run.estimator.predict_proba(table), rtol=1e-7)
    np.testing.assert_array_equal(frame["predicted"].astype(int), run.estimator.predict(table))
    assert ("W" in run.parts) == shared
    if shared:
        W = run.steps["W"].value
        scores = W[:, 0] + table @ W[:, 1:].T
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        np.testing.assert_allclose(P, odds / odds.sum(axis=1, keepdims=True), rtol=1e-7)


def test_what_is_printed():
    frame = pd.DataFrame({"hours": [1, 2, 3, 5, 6, 7]})
    run = ls.trace(ls.GaussianNaiveBayes(shared_variance=True), frame, list("nnnyyy"), exact=True)
    assert run.answer == [
        ("equation", "6·hours > 24 ⇒ y"),
        ("probability", "P(y | x) = σ(6·hours − 24)"),
    ]
    assert repr(run.steps["w"]) == "w = (μ₁ − μ₀) / σ² = (6 − 2) / (2/3) = 6"
    for words in (str(run), run.to_html(), run.to_markdown()):
        assert "hours" in words
        assert "24 ⇒ y" in words
    latex = run.to_latex()
    assert r"\frac{\boldsymbol{\mu}_1 - \boldsymbol{\mu}_0}{\boldsymbol{\sigma}^2}" in latex
    assert r"P(y $|$ x) = $\sigma$(6$\cdot$hours $-$ 24)" in latex
    assert "answer" not in run.to_markdown(part="classes")
    assert run.plot() is not None


def test_a_class_without_samples():
    with pytest.raises(ValueError, match="every class"):
        ls.trace(ls.GaussianNaiveBayes(), X, Y, sample_weight=(Y == "a").astype(float))
