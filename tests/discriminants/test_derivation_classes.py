"""Derivations of Fisher's direction and of the least squares classifier, against fractions."""

from __future__ import annotations

import re
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import linscope as ls
from linscope.tracing import derivation_numbers

X = np.array([[1, 2], [2, 3], [3, 3], [6, 1], [7, 3], [8, 2.5]])
Y = np.array(["a", "a", "a", "b", "b", "b"])


def quarters(n, d, classes, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.integers(-20, 20, (n, d)) / 4.0 + 3.0 * y[:, None], y


def exact_array(values):
    return [[Fraction(float(v)) for v in row] for row in np.asarray(values)]


def scatter_by_hand(rows):
    """Mean, and Σ (x − m)(x − m)ᵀ, one number at a time."""
    n, d = len(rows), len(rows[0])
    m = [sum(row[j] for row in rows) / n for j in range(d)]
    return m, [
        [sum((row[j] - m[j]) * (row[k] - m[k]) for row in rows) for k in range(d)] for j in range(d)
    ]


class TestFisher:
    @pytest.mark.parametrize("d", [1, 2, 4])
    def test_exact(self, d):
        data, y = quarters(15, d, 2)
        run = ls.trace(ls.FisherDiscriminant(), data, y, exact=True)
        rows = exact_array(data)
        m1, S1 = scatter_by_hand([row for row, k in zip(rows, y, strict=True) if k == 0])
        m2, S2 = scatter_by_hand([row for row, k in zip(rows, y, strict=True) if k == 1])
        w = np.atleast_1d(run.steps["w"].value).tolist()
        S = [[S1[j][k] + S2[j][k] for k in range(d)] for j in range(d)]
        # S_W w = m₂ − m₁, without rounding
        for j in range(d):
            assert sum(S[j][k] * w[k] for k in range(d)) == m2[j] - m1[j]
        assert np.atleast_1d(run.steps["mean_1"].value).tolist() == m1
        assert np.all(run.steps["S_W"].value == (S if d > 1 else S[0][0]))
        # at the best direction J = w·(m₂ − m₁)
        best = sum(v * (b - a) for v, a, b in zip(w, m1, m2, strict=True))
        assert run.steps["J"].value == best
        assert float(best) == pytest.approx(run.estimator.criterion_, rel=1e-12)
        np.testing.assert_allclose(
            run.steps["direction"].value, run.estimator.direction_, rtol=1e-12, atol=1e-14
        )

    def test_floats_are_those_fractions(self):
        data, y = quarters(12, 3, 2)
        exact = ls.trace(ls.FisherDiscriminant(), data, y, exact=True)
        plain = ls.trace(ls.FisherDiscriminant(), data, y)
        for name in ("w", "J", "S_W", "mean_2", "s2_1", "projected_2"):
            np.testing.assert_array_equal(
                plain.steps[name].value, np.array(exact.steps[name].value, dtype=float)
            )

    def test_many_rows(self, monkeypatch):
        data, y = quarters(500, 3, 2, seed=1)
        small = ls.trace(ls.FisherDiscriminant(), data, y)
        monkeypatch.setattr(derivation_numbers, "FEW_PRODUCTS", 0)
        for table in (data, sparse.csr_matrix(data)):
            large = ls.trace(ls.FisherDiscriminant(), table, y)
            for name in ("w", "J", "S_W", "direction"):
                np.testing.assert_allclose(
                    large.steps[name].value, small.steps[name].value, rtol=1e-10
                )

    def test_projection_of_each_sample(self):
        run = ls.trace(ls.FisherDiscriminant(), X, Y)
        frame = run.to_frame(backend="dict")
        np.testing.assert_allclose(frame["projection"], X @ run.steps["w"].value, rtol=1e-14)
        assert frame["class"].tolist() == Y.tolist()
        spread = [frame["projection"][label == Y].var() * 3 for label in "ab"]
        np.testing.assert_allclose([run.steps[f"s2_{k}"].value for k in (1, 2)], spread, rtol=1e-12)

    def test_mean_difference(self):
        run = ls.trace(ls.FisherDiscriminant(mean_difference=True), X, Y, exact=True)
        assert run.steps["w"].value.tolist() == run.steps["difference"].value.tolist()
        assert float(run.steps["J"].value) == pytest.approx(run.estimator.criterion_, rel=1e-12)
        assert "S_W" in run.parts
        assert (
            run.steps["J"].value
            < ls.trace(ls.FisherDiscriminant(), X, Y, exact=True).steps["J"].value
        )

    def test_a_weight_of_two_is_the_row_twice(self):
        weighted = ls.trace(
            ls.FisherDiscriminant(), X, Y, sample_weight=[1, 2, 1, 1, 0, 1], exact=True
        )
        rows = [0, 1, 1, 2, 3, 5]
        repeated = ls.trace(ls.FisherDiscriminant(), X[rows], Y[rows], exact=True)
        assert np.all(weighted.steps["w"].value == repeated.steps["w"].value)
        assert weighted.to_frame(backend="dict")["sample"].tolist() == [0, 1, 2, 3, 5]
        assert "Σ cᵢ xᵢ / n₁" in str(weighted)

    def test_balanced_weights_are_fractions(self):
        rows = [0, 1, 2, 3, 4, 5, 4]
        run = ls.trace(ls.FisherDiscriminant(class_weight="balanced"), X[rows], Y[rows], exact=True)
        assert [run.steps[f"n_{k}"].value for k in (1, 2)] == [Fraction(7, 2)] * 2

    def test_several_classes(self):
        data, y = ls.datasets.load("iris")
        run = ls.trace(ls.FisherDiscriminant(), ls.datasets.load("iris"))
        assert run.elimination is None
        total = (len(y) - 1) * np.cov(data.T)
        np.testing.assert_allclose(run.steps["S_W"].value + run.steps["S_B"].value, total)
        peer = LinearDiscriminantAnalysis(solver="eigen").fit(data, y)
        ours = run.steps["directions"].value / np.linalg.norm(run.steps["directions"].value, axis=0)
        theirs = peer.scalings_[:, :2] / np.linalg.norm(peer.scalings_[:, :2], axis=0)
        np.testing.assert_allclose(np.abs(ours), np.abs(theirs), rtol=1e-8)
        assert {"S_W", "S_B", "directions"} <= set(run.parts)
        with pytest.raises(ValueError, match="eigenvectors, which are not rational"):
            ls.trace(ls.FisherDiscriminant(), data, y, exact=True)

    def test_singular(self):
        data = np.column_stack([X, X[:, 0] - 2 * X[:, 1]])
        run = ls.trace(ls.FisherDiscriminant(), data, Y)
        assert "S_W is singular" in str(run)
        np.testing.assert_allclose(
            run.steps["direction"].value, run.estimator.direction_, rtol=1e-12
        )
        with pytest.raises(ValueError, match="no unique maximum"):
            ls.trace(ls.FisherDiscriminant(), data, Y, exact=True)

    @pytest.mark.parametrize("options", [{"priors": [0.5, 0.5]}, {"shrinkage": 0.1}])
    def test_plain_scatter_only(self, options):
        with pytest.raises(ValueError, match="plain S_W"):
            ls.trace(ls.FisherDiscriminant(**options), X, Y)


class TestLeastSquaresClassifier:
    @pytest.mark.parametrize("classes", [2, 3])
    @pytest.mark.parametrize("intercept", [True, False])
    @pytest.mark.parametrize("alpha", [0.0, 0.5])
    def test_exact(self, classes, intercept, alpha):
        data, y = quarters(14, 2, classes)
        model = ls.LeastSquaresClassifier(alpha=alpha, fit_intercept=intercept)
        run = ls.trace(model, data, y, exact=True)
        rows = [[Fraction(1)] * intercept + row for row in exact_array(data)]
        W = run.steps["W"].value.tolist()
        p = len(W)
        for k in range(classes):
            score = [sum(x * W[j][k] for j, x in enumerate(row)) for row in rows]
            for j in range(p):
                # the gradient of ½ Σ (XW − T)² + ½ α‖W‖² (bias free) vanishes
                slope = sum(
                    row[j] * (s - (label == k))
                    for row, s, label in zip(rows, score, y.tolist(), strict=True)
                )
                pull = 0 if intercept and j == 0 else Fraction(alpha) * W[j][k]
                assert slope + pull == 0
        fitted = run.estimator
        own = np.column_stack([fitted.intercept_, fitted.coef_])[:, 1 - intercept :]
        W = run.steps["W"].value.astype(float).T
        np.testing.assert_allclose(W[1:] - W[:1] if classes == 2 else W, own, atol=1e-13)
        if classes == 2:
            assert np.all(run.steps["w"].value == run.steps["W"].value @ [-1, 1])

    def test_what_the_fit_leaves(self):
        data, y = ls.datasets.load("iris")
        run = ls.trace(ls.LeastSquaresClassifier(), ls.datasets.load("iris"))
        model = run.estimator
        scores = model.decision_function(data)
        assert run.steps["E"].value == pytest.approx(((scores - np.eye(3)[y]) ** 2).sum() / 2)
        assert run.steps["mistakes"].value == (model.predict(data) != y).sum()
        frame = run.to_frame(backend="dict")
        assert frame["predicted"].tolist() == [str(label) for label in model.predict(data)]
        augmented = np.column_stack([np.ones(150), data])
        np.testing.assert_allclose(run.steps["XtX"].value, augmented.T @ augmented, rtol=1e-12)
        np.testing.assert_allclose(run.steps["XtT"].value, augmented.T @ np.eye(3)[y], rtol=1e-12)

    def test_many_rows(self, monkeypatch):
        data, y = quarters(400, 2, 2, seed=2)
        small = ls.trace(ls.LeastSquaresClassifier(), data, y)
        monkeypatch.setattr(derivation_numbers, "FEW_PRODUCTS", 0)
        large = ls.trace(ls.LeastSquaresClassifier(), data, y)
        for name in ("W", "E", "XtX", "w"):
            np.testing.assert_allclose(large.steps[name].value, small.steps[name].value, rtol=1e-11)

    def test_dependent_columns(self):
        data = np.column_stack([X, X.sum(axis=1)])
        for exact in (True, False):
            run = ls.trace(ls.LeastSquaresClassifier(), data, Y, exact=exact)
            assert "of all solutions the shortest" in str(run)
            W = run.steps["W"].value.astype(float)
            np.testing.assert_allclose(W[1:, 1] - W[1:, 0], run.estimator.coef_[0], atol=1e-12)


@pytest.mark.parametrize("model", [ls.FisherDiscriminant, ls.LeastSquaresClassifier])
@pytest.mark.parametrize("exact", [False, True])
def test_documents(model, exact):
    frame = pd.DataFrame(X, columns=["height", "width"])
    run = ls.trace(model(), frame, Y, exact=exact, title="two classes")
    assert "x1 = height, x2 = width" in str(run)
    latex = run.to_latex()
    code = "\n".join(line for line in latex.splitlines() if not line.startswith("%"))
    assert code.isascii()
    begun, ended = (re.findall(rf"\\{word}{{(\w+\*?)}}", latex) for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended)
    assert "two classes" in run.to_markdown()
    assert run.to_html().count("<table") == len(run.parts)
    assert "class" in run.to_csv().splitlines()[0]
    assert run.plot() is not None


def test_sample_names_and_rows():
    run = ls.trace(ls.FisherDiscriminant(), X, Y, sample_names=list("uvwxyz"))
    text = run.to_markdown(part="projection", start=2, stop=3)
    assert [line.split()[1] for line in text.splitlines()[-2:]] == ["v", "w"]


def test_unbounded_criterion_is_warned_about_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ls.trace(ls.FisherDiscriminant(), np.column_stack([X, Y == "a"]), Y)
    assert len([w for w in caught if issubclass(w.category, UserWarning)]) == 1
