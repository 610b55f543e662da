"""Curves of one class against the rest are those of scikit-learn, bands those of SciPy."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from linscope.selection.comparison.last_fit.ranking import (
    MOST_CLASSES,
    against_rest,
    calibration,
    macro,
)
from linscope.selection.comparison.scoring.judging import Answers


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def answers(rng, rows=150, classes=3, digits=2):
    """Probabilities with ties, that say something of the class."""
    y = rng.integers(0, classes, rows)
    scores = rng.normal(size=(rows, classes)) + 1.5 * np.eye(classes)[y]
    P = np.exp(scores).round(digits)
    P /= P.sum(axis=1, keepdims=True)
    return y, Answers(P.argmax(axis=1), P, P)


LABELS = ("a", "b", "c")


def test_curves_and_areas_are_those_of_scikit_learn(rng):
    y, said = answers(rng)
    for k, each in enumerate(against_rest(y, said, LABELS, 0.95)):
        fpr, tpr, _ = roc_curve(y == k, said.scores[:, k], drop_intermediate=False)
        np.testing.assert_allclose(each.roc["fpr"], fpr, rtol=1e-5)
        np.testing.assert_allclose(each.roc["tpr"], tpr, rtol=1e-5)
        precision, recall, _ = precision_recall_curve(y == k, said.scores[:, k])
        np.testing.assert_allclose(each.pr["precision"], precision[-2::-1], rtol=1e-5)
        np.testing.assert_allclose(each.pr["recall"], recall[-2::-1], rtol=1e-5)
        assert each.auc == pytest.approx(roc_auc_score(y == k, said.scores[:, k]))
        assert each.average == pytest.approx(average_precision_score(y == k, said.scores[:, k]))
        assert (each.label, each.rows) == (LABELS[k], (y == k).sum())


def test_macro_means_are_those_of_scikit_learn(rng):
    y, said = answers(rng)
    means = macro(against_rest(y, said, LABELS, 0.95))
    assert means["auc"] == pytest.approx(roc_auc_score(y, said.probabilities, multi_class="ovr"))
    wanted = average_precision_score(np.eye(3)[y], said.probabilities, average="macro")
    assert means["average"] == pytest.approx(wanted)


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_calibration_is_that_of_scikit_learn_with_exact_intervals(rng, level):
    y, said = answers(rng, digits=6)
    for k, each in enumerate(against_rest(y, said, LABELS, level)):
        P, found = said.probabilities[:, k], each.calibration
        observed, predicted = calibration_curve(y == k, P, n_bins=10)
        np.testing.assert_allclose(found["predicted"], predicted, rtol=1e-5)
        np.testing.assert_allclose(found["observed"], observed, rtol=1e-5, atol=1e-12)
        assert sum(found["count"]) == len(y)
        for share, n, low, high in zip(
            observed, found["count"], found["low"], found["high"], strict=True
        ):
            exact = binomtest(round(share * n), n).proportion_ci(level, method="exact")
            np.testing.assert_allclose((low, high), exact, rtol=1e-5)


def test_groups_of_equal_size_are_those_of_scikit_learn(rng):
    y, said = answers(rng, digits=12)
    found = calibration(y == 1, said.probabilities[:, 1], 0.95)
    observed, predicted = calibration_curve(
        y == 1, said.probabilities[:, 1], n_bins=10, strategy="quantile"
    )
    np.testing.assert_allclose(found["predicted"], predicted, rtol=1e-5)
    np.testing.assert_allclose(found["observed"], observed, rtol=1e-5)


def test_of_many_classes_the_hardest_are_drawn(rng):
    y, said = answers(rng, rows=600, classes=11)
    found = against_rest(y, said, [f"c{k}" for k in range(11)], 0.95)
    drawn = [each for each in found if each.roc]
    left = [each for each in found if not each.roc]
    assert len(drawn) == MOST_CLASSES
    assert all(each.pr and each.calibration for each in drawn)
    assert not any(each.pr or each.calibration for each in left)
    assert max(each.auc for each in drawn) <= min(each.auc for each in left)
    wanted = roc_auc_score(y, said.probabilities, multi_class="ovr")
    assert macro(found)["auc"] == pytest.approx(wanted)  # those left out count as well


def test_a_class_without_held_out_rows_has_no_curve(rng):
    y, said = answers(rng)
    some = y != 2
    part = Answers(*(values[some] for values in said))
    found = against_rest(y[some], part, LABELS, 0.95)
    assert (found[2].rows, found[2].auc, found[2].roc) == (0, None, {})
    assert macro(found)["auc"] == pytest.approx((found[0].auc + found[1].auc) / 2)


def test_without_probabilities_there_is_no_calibration(rng):
    y, said = answers(rng)
    found = against_rest(y, said._replace(probabilities=None), LABELS, 0.95)
    assert all(each.roc and not each.calibration for each in found)
