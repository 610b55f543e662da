"""Metrics of held-out answers against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics
from sklearn.linear_model import LogisticRegression

from linscope.selection.comparison.scoring.judging import Answers, answers_of, judge, read_metric


def _case(classes, seed, ties=False):
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(classes), rng.integers(classes, size=60)]
    P = rng.dirichlet(np.ones(classes), len(y))
    if ties:
        P = np.round(P, 1) + 0.1
        P /= P.sum(axis=1, keepdims=True)
    predicted = rng.integers(classes, size=len(y))
    scores = P[:, 1] if classes == 2 else P
    return y, Answers(predicted, P, scores)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_metrics_of_classes(classes, ties):
    y, answers = _case(classes, classes, ties)
    found = judge(y, answers, "two classes" if classes == 2 else "classes", classes)
    P = answers.probabilities
    wanted = {
        "accuracy": metrics.accuracy_score(y, answers.values),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, answers.values),
        "f1": metrics.f1_score(y, answers.values, average="binary" if classes == 2 else "macro"),
        "roc_auc": metrics.roc_auc_score(y, answers.scores, multi_class="ovr"),
        "log_loss": metrics.log_loss(y, P),
        "brier": metrics.brier_score_loss(y, P[:, 1] if classes == 2 else P),
    }
    assert found == pytest.approx(wanted, rel=1e-12)


def test_metrics_of_numbers():
    rng = np.random.default_rng(0)
    y, predicted = rng.normal(size=50), rng.normal(size=50)
    assert judge(y, Answers(predicted), "number", 0) == pytest.approx(
        {
            "rmse": metrics.root_mean_squared_error(y, predicted),
            "mae": metrics.mean_absolute_error(y, predicted),
            "r2": metrics.r2_score(y, predicted),
        },
        rel=1e-12,
    )


def test_a_fold_whose_target_is_constant_has_no_r2():
    assert "r2" not in judge(np.ones(3), Answers(np.zeros(3)), "number", 0)


def test_without_probabilities_there_is_no_log_loss():
    y = np.array([0, 1, 1, 0])
    found = judge(y, Answers(y, None, np.array([-1.0, 1.0, 2.0, -3.0])), "two classes", 2)
    assert found == {"accuracy": 1.0, "balanced_accuracy": 1.0, "f1": 1.0, "roc_auc": 1.0}


def test_answers_of_a_classifier():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 3
    model = LogisticRegression().fit(X, y)
    answers = answers_of(model, X, "classes")
    np.testing.assert_array_equal(answers.values, model.predict(X))
    np.testing.assert_array_equal(answers.scores, model.predict_proba(X))


def test_metrics_have_names():
    assert read_metric(None, "number") == "rmse"
    assert read_metric(None, "two classes") == "balanced_accuracy"
    with pytest.raises(ValueError, match="did you mean 'accuracy'"):
        read_metric("acuracy", "classes")
    with pytest.raises(ValueError, match="not one for a number"):
        read_metric("accuracy", "number")
