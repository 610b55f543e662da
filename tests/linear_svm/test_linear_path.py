"""ls.path of a LinearSVC: against GridSearchCV and scikit-learn's SVC, certificates, the choice."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.svm import SVC as Reference

import linscope as ls
from tests.figures import drawn
from tests.scikit_learn import standard

CS = [0.01, 0.1, 1.0, 10.0]


def found(data="iris", model=None, **options):
    X, y = standard(data)
    return ls.path(model or ls.LinearSVC(), X, y, **{"Cs": CS, **options}), X, y


@pytest.mark.share(4)
@pytest.mark.parametrize("data", ["iris", "breast_cancer"])
@pytest.mark.parametrize("options", [{}, {"loss": "squared_hinge", "multi_class": "ovo"}], ids=str)
def test_scores_are_those_of_a_grid_search(data, options):
    model = ls.LinearSVC(**options)
    result, X, y = found(data, model)
    search = GridSearchCV(model, {"C": CS}, cv=5).fit(X, y)
    folds = [search.cv_results_[f"split{f}_test_score"] for f in range(5)]
    np.testing.assert_allclose(result.scores, np.transpose(folds), atol=1e-12)
    assert result.best_C == search.best_params_["C"]
    assert result.best_score == pytest.approx(search.best_score_)


@pytest.mark.slow
def test_weights_are_those_of_scikit_learn():
    result, X, y = found("breast_cancer", cv=KFold(3))
    for k, C in enumerate(CS):
        for f, (train, _) in enumerate(KFold(3).split(X)):
            peer = Reference(C=C, kernel="linear", tol=1e-8).fit(X[train], y[train])
            np.testing.assert_allclose(result.fold_coefs[k, f, 0, 1:], peer.coef_[0], atol=1e-4)
        whole = Reference(C=C, kernel="linear", tol=1e-8).fit(X, y)
        np.testing.assert_allclose(result.coefs[k, 0, 1:], whole.coef_[0], atol=1e-4)


def test_every_fit_is_certified():
    result, X, y = found()
    assert result.certificates.shape == (4, 5)
    assert all(one.ok for one in result.certificates.flat)
    assert result.verify(X, y)
    assert not result.verify(X, np.roll(y, 1)).claim_holds
    forged = result.coefs.copy()
    forged[0, 0, 1] += 1e-6
    assert not replace(result, coefs=forged).verify(X, y).claim_holds
    assert result.best_estimator.certificate_.ok
    assert result.best_estimator.verify(X, y)
    assert result.best_estimator.get_params() == ls.LinearSVC(C=result.best_C).get_params()


@pytest.mark.slow
def test_the_simplest_within_one_standard_error():
    options = {"model": ls.LinearSVC(loss="squared_hinge"), "Cs": [0.01, 0.2, 3.0, 60.0]}
    result, _, _ = found(**options)
    simple, _, _ = found(**options, one_standard_error=True)
    best = result.mean_score.argmax()
    limit = result.mean_score[best] - result.scores[best].std(ddof=1) / np.sqrt(5)
    good = [C for C, s in zip(result.Cs_, result.mean_score, strict=True) if s >= limit]
    assert simple.best_estimator.C == simple.best_C == good[0]
    assert simple.best_C < result.best_C


@pytest.mark.slow
def test_weights_of_samples_and_classes():
    model = ls.LinearSVC(class_weight="balanced")
    X, y = standard("iris")
    weight = np.tile([0.0, 1.0, 2.0], 50)
    result = ls.path(model, X, y, Cs=CS, sample_weight=weight)
    assert result.verify(X, y, weight)
    assert not result.verify(X, y).claim_holds
    direct = ls.LinearSVC(C=0.1, class_weight="balanced").fit(X, y, weight)
    np.testing.assert_allclose(result.coefs[1][:, 1:], direct.coef_, atol=1e-6)


@pytest.mark.slow
def test_sparse_rows_give_the_same():
    X, y = standard("iris")
    dense, rows = (ls.path(ls.LinearSVC(), table, y, Cs=CS) for table in (X, sp.csr_array(X)))
    np.testing.assert_allclose(dense.scores, rows.scores)
    assert rows.verify(sp.csr_array(X), y)


@pytest.mark.slow
def test_other_scores():
    result, X, y = found("breast_cancer", scoring="roc_auc")
    peer = GridSearchCV(ls.LinearSVC(), {"C": CS}, cv=5, scoring="roc_auc").fit(X, y)
    np.testing.assert_allclose(result.mean_score, peer.cv_results_["mean_test_score"], atol=1e-9)


@pytest.mark.slow
def test_figure_and_table():
    result, _, _ = found("iris")
    display = ls.plot.path(result)
    drawn(display)
    assert f"C = {result.best_C:g} is chosen" in display.title
    assert str(result).startswith("Regularisation path of LinearSVC: 4 values of C, 5 folds")
    assert list(result.to_frame(backend="dict")["C"]) == CS


def test_one_warning_for_all_fits():
    with pytest.warns(ConvergenceWarning) as seen:
        found("breast_cancer", ls.LinearSVC(max_iter=1), Cs=[1.0, 100.0])
    assert sum("fits on the path did not reach" in str(one.message) for one in seen) == 1
    assert len(seen) <= 2  # and that of the chosen model


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gammas": 3}, "LinearSVC has none"),
        ({"Cs": [1.0, np.inf]}, "positive and finite"),
        ({"scoring": "neg_log_loss"}, "a path of a LinearSVC have none"),
        ({"model": ls.LinearSVC(loss="log")}, "loss"),
        ({"model": ls.LinearSVC(solver="coordinate")}, "coordinate"),
    ],
)
def test_what_cannot_be(options, message):
    with pytest.raises(ValueError, match=message):
        found(**options)
