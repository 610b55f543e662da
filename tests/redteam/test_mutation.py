"""A changed model is not verified: a share of the campaign, and its worst cases by name."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import linscope as ls

from .mutation import ACCEPTED, CRASHED, PREPARED, REFUSED, attack, attack_file, models, prepared


@pytest.mark.share(6)
@pytest.mark.parametrize("way", [attack, attack_file])
@pytest.mark.parametrize("name", models())
def test_what_changes_a_prediction_is_refused(name, way):
    report = way(name, np.random.default_rng(7), most=120)
    assert not report.found, report.found
    assert report.counts[REFUSED] > 0
    assert report.counts[ACCEPTED] == report.counts[CRASHED] == 0


def test_a_changed_preparation_is_refused(capsys):
    report = attack_file(PREPARED, np.random.default_rng(7), most=150)
    assert not report.found, report.found
    assert report.counts[REFUSED] > 0


def some_patients():
    data = ls.datasets.load("breast_cancer")
    return data.X[:100, :5], data.y[:100]


KINDS = [
    ls.LogisticRegression(),
    ls.LinearSVC(),
    ls.SVC(),
    ls.Perceptron(max_iter=5),
    ls.KernelPerceptron(max_iter=5),
    ls.LeastSquaresClassifier(),
    ls.FisherDiscriminant(),
    ls.GaussianNaiveBayes(),
    ls.ApproximateSVC(n_components=20),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", KINDS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("classes", [[1, 0], [7, 8]], ids=["exchanged", "others"])
def test_labels_are_part_of_the_claim(model, classes):
    X, y = some_patients()
    model.fit(X, y)
    assert model.verify(X, y).claim_holds
    model.classes_ = np.array(classes)
    if isinstance(model, ls.ApproximateSVC):  # its labels are those of the machine inside
        model.linear_.classes_ = np.array(classes)
    assert not model.verify(X, y).claim_holds


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "change",
    [{"kernel": "linear"}, {"_gamma": 1e-3}, {"kernel": "poly"}, {"_gamma": "scale"}],
    ids=str,
)
@pytest.mark.parametrize("kind", [ls.SVC, ls.KernelPerceptron])
def test_the_kernel_is_part_of_the_claim(kind, change):
    X, y = some_patients()
    model = kind(max_iter=100).fit(X, y)
    for name, value in change.items():
        setattr(model, name, value)
    assert not model.verify(X, y).claim_holds


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("model", KINDS[:3], ids=lambda model: type(model).__name__)
def test_weights_that_are_no_numbers_get_a_verdict(model, value, tmp_path):
    X, y = some_patients()
    model.fit(X, y)
    for name in ("coef_", "dual_coef_"):
        if name in vars(model):
            setattr(model, name, np.full_like(getattr(model, name), value))
    ls.save(model, tmp_path / "m.linscope")
    assert not ls.load(tmp_path / "m.linscope").verify(X, y).claim_holds


def test_true_means_right_and_good():
    X, y = ls.datasets.load("breast_cancer")
    with pytest.warns(ConvergenceWarning):
        model = ls.LogisticRegression(penalty="l1", C=100, max_iter=1).fit(X, y)
    check = model.verify(X, y)
    assert not check
    assert check.claim_holds
    assert "the claim is right, but the fit is not good" in str(check)
    assert bool(model.certificate_.verify(X, y)) is model.certificate_.ok is False
    model = ls.LogisticRegression().fit(X, y)
    assert model.verify(X, y)
    assert model.verify(X, y).claim_holds


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", [ls.Perceptron, ls.KernelPerceptron])
@pytest.mark.parametrize("change", [{"samples": 1000}, {"samples": -1}, {"survival": None}])
def test_a_damaged_committee_is_refused_before_its_votes_are_counted(kind, change):
    X, y = some_patients()
    model = kind(output="voted", max_iter=3).fit(X, y)
    (name, value), committee = next(iter(change.items())), model.committees_[0]
    held = getattr(committee, name)
    forged = held[:-1] if value is None else np.full_like(held, value)
    object.__setattr__(committee, name, forged)
    with pytest.raises(ValueError, match="damaged"):
        model.predict(X)
    assert not model.verify(X, y).claim_holds


@pytest.mark.parametrize("drop", [-1, 7])
def test_damaged_categories_are_refused_before_columns_are_written(drop, tmp_path, capsys):
    load, table, _, _ = prepared(tmp_path / "m.linscope", np.random.default_rng(0))
    model = load(tmp_path / "m.linscope")
    preparation = model.file.steps.steps[0][1]
    categories = next(
        step for _, step, _ in preparation.transformers_ if hasattr(step, "categories_")
    )
    categories._drop_idx_after_grouping = np.array([drop], dtype=object)
    with pytest.raises(ValueError, match="the categories are damaged"):
        model.predict(table)
    assert not model.verify(table, None).claim_holds
