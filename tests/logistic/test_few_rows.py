"""Tables with far fewer rows than columns: solved in the rows' coordinates first."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import linscope as ls
from linscope.engines import here
from linscope.logistic.solvers.few_rows import in_all_columns, in_few_columns
from linscope.logistic.solvers.objective import LogisticObjective
from linscope.rows.blocks import Block


def table(n, d, classes, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X[:, :classes] + 2.0 * rng.normal(size=(n, classes))
    return X, scores.argmax(axis=1), rng.uniform(0.5, 2.0, n)


def objective_of(X, y, weight, C, coef, bias):
    """½‖w‖² + C Σ c log loss, from scores by NumPy alone."""
    S = X @ coef.T + bias
    S = np.column_stack([np.zeros(len(X)), S[:, 0]]) if S.shape[1] == 1 else S
    S = S - S.max(axis=1, keepdims=True)
    loss = np.log(np.exp(S).sum(axis=1)) - S[np.arange(len(X)), y]
    return 0.5 * float(np.sum(coef**2)) + C * float(weight @ loss)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("scaled", [False, True])
def test_both_objectives_agree_at_any_weights(classes, scaled):
    X, y, weight = table(12, 60, classes)
    rho = np.random.default_rng(1).uniform(0.1, 10.0, 60) if scaled else 1.0
    whole = LogisticObjective(here(Block(0, X, y, weight)), classes, rho)
    part, S, L = in_few_columns(whole)
    V = np.random.default_rng(2).normal(size=part.shape)
    W = in_all_columns(whole, V, S, L)
    assert np.isclose(whole.evaluate(W).value, part.evaluate(V).value, rtol=1e-12)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("intercept", [True, False])
def test_minimum_is_that_of_scikit_learn_or_lower(classes, intercept):
    X, y, weight = table(40, 400, classes)
    options = {"C": 0.3, "fit_intercept": intercept}
    ours = ls.LogisticRegression(**options, solver="trust-region").fit(X, y, weight)
    theirs = LogisticRegression(**options, tol=1e-10, max_iter=10_000).fit(X, y, weight)
    found, wanted = (
        objective_of(X, y, weight, 0.3, model.coef_, model.intercept_) for model in (ours, theirs)
    )
    assert found <= wanted * (1.0 + 1e-12)
    assert ours.certificate_.ok
    assert ours.verify(X, y, weight)


@pytest.mark.parametrize(
    "change",
    [
        lambda X: np.vstack([X[:-1], X[:1]]),  # a row twice: no triangular L
        lambda X: X + 1e8,
        lambda X: X * 1e-150,
        lambda X: X * 1e3,
        lambda X: np.column_stack([X, np.ones((len(X), 40))]),
        lambda X: np.vstack([X[:-1], X[:1] * (1.0 + 1e-15)]),
    ],
)
def test_dependent_rows_and_far_scales_are_proven_too(change):
    X, y, _ = table(30, 200, 2)
    X = change(X)
    model = ls.LogisticRegression(solver="trust-region").fit(X, y)
    assert model.certificate_.ok
    assert model.verify(X, y)
    model.coef_ = model.coef_ * 1.01
    assert not model.verify(X, y).claim_holds
