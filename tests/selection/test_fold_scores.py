"""Scores of a path without its proofs are the path's own."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import linscope as ls
from linscope.results.certificate import without_proofs
from linscope.selection.path import fold_scores

X, Y = ls.datasets.load("iris")


@pytest.mark.parametrize(
    ("model", "gammas"),
    [
        (ls.LogisticRegression(), None),
        (ls.LogisticRegression(penalty="l1"), None),
        (ls.LinearSVC(loss="squared_hinge"), None),
        (ls.SVC(), [0.1, 1.0]),
        (ls.SVC(kernel="linear"), None),
    ],
)
def test_scores_are_those_of_the_path(model, gammas):
    asked = {"Cs": [0.1, 10.0], "gammas": gammas, "cv": 3, "scoring": "balanced_accuracy"}
    wanted = ls.path(model, X, Y, **asked).scores
    found = fold_scores(model, X, Y, **asked)
    np.testing.assert_array_equal(found, wanted.reshape(found.shape))


@pytest.mark.parametrize(
    "model",
    [
        ls.LogisticRegression(),
        ls.LogisticRegression(penalty="l1"),
        ls.LinearSVC(),
        ls.LinearSVC(loss="squared_hinge"),
    ],
)
def test_what_is_fitted_without_proofs_is_right_but_does_not_claim_any(model):
    with without_proofs(), pytest.warns(ConvergenceWarning):
        model.fit(X, Y)
    assert not model.certificate_.ok
    found = model.decision_function(X)
    assert model.fit(X, Y).certificate_.ok
    np.testing.assert_allclose(found, model.decision_function(X), rtol=0, atol=0.02)
