"""Models fitted to a table whose rows are in another process: nobody has X or y here."""

import numpy as np
import pytest
from sklearn.base import clone

import linscope as ls
from linscope.engines import RowsElsewhere, Source
from linscope.rows import far
from tests.process_engine import ProcessEngine

rng = np.random.default_rng(1)
X = rng.normal(size=(240, 4)) * [1.0, 10.0, 0.1, 3.0] + [0.0, 5.0, 0.0, -1.0]
NUMBERS = X @ [1.0, -0.2, 3.0, 0.5] + rng.normal(size=240)
WORDS = np.where(NUMBERS + rng.normal(size=240) > 0, "yes", "no")
GROUPS = np.digitize(NUMBERS + rng.normal(size=240), [-2, 2])
SOME = rng.uniform(0.5, 2.0, size=240) * (np.arange(240) % 7 > 0)  # and some are 0
NAMES = ["a", "b", "c", "d"]
MODELS = [
    (ls.LinearRegression(), NUMBERS),
    (ls.LinearRegression(), np.c_[NUMBERS, NUMBERS**2]),
    (ls.LinearRegression(solver="batch", max_iter=20), NUMBERS),
    (ls.Ridge(), NUMBERS),
    (ls.HuberRegressor(), NUMBERS),
    (ls.LogisticRegression(), WORDS),
    (ls.LogisticRegression(class_weight="balanced"), WORDS),
    (ls.LogisticRegression(penalty=None), WORDS),
    (ls.LogisticRegression(solver="batch", max_iter=20), WORDS),
    (ls.LogisticRegression(), GROUPS),
    (ls.LogisticRegression(multi_class="ovr"), GROUPS),
    (ls.LogisticRegression(multi_class="ovo"), GROUPS),
    (ls.LinearSVC(), WORDS),
    (ls.LinearSVC(loss="squared_hinge", class_weight={0: 1, 1: 2, 2: 1}), GROUPS),
    (ls.LinearSVC(loss="squared_hinge", multi_class="ovo"), GROUPS),
    (ls.FisherDiscriminant(), GROUPS),
    (ls.GaussianNaiveBayes(), GROUPS),
    (ls.LeastSquaresClassifier(), GROUPS),
    (ls.Perceptron(rule="batch", max_iter=30), WORDS),
    (ls.Perceptron(rule="batch", max_iter=30, multi_class="ovo"), GROUPS),
]


def source(y, weight=None):
    return Source(ProcessEngine(X, y, weight), NAMES, ["y"] if y.ndim == 1 else ["p", "q"])


def numbers(model):
    names = ("theta_", "var_") if hasattr(model, "theta_") else ("coef_", "intercept_")
    return [np.asarray(getattr(model, name)) for name in names]


@pytest.mark.share(8)
@pytest.mark.filterwarnings("ignore")  # of the perceptrons, which do not settle
@pytest.mark.parametrize("weight", [None, SOME], ids=["plain", "weighted"])
@pytest.mark.parametrize("place", range(len(MODELS)), ids=[str(model) for model, _ in MODELS])
def test_the_same_model_and_certificate_as_in_memory(place, weight):
    model, y = MODELS[place]
    near = clone(model).fit(X, y, sample_weight=weight)
    rows = source(y, weight)
    found = clone(model).fit(rows)
    for mine, other in zip(numbers(near), numbers(found), strict=True):
        np.testing.assert_allclose(other, mine, rtol=0, atol=1e-9 * np.abs(mine).max())
    assert found.certificate_.status == near.certificate_.status
    assert found.verify(rows).claim_holds
    assert list(found.feature_names_in_) == NAMES
    predicted = near.predict(X)
    if predicted.dtype.kind == "f":
        np.testing.assert_allclose(found.predict(rows), predicted, rtol=1e-9, atol=1e-12)
    else:
        assert (found.predict(rows) == predicted).all()
    assert found.score(rows) == pytest.approx(near.score(X, y, weight), abs=1e-12)


@pytest.mark.parametrize("robust", [None, "HC1", "HC3"])
def test_standard_errors(robust):
    near, other = ls.LinearRegression().fit(X, NUMBERS), ls.LinearRegression().fit(source(NUMBERS))
    mine, other = near.summary(robust=robust), other.summary(robust=robust)
    np.testing.assert_allclose(other.standard_errors, mine.standard_errors, rtol=1e-9)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (ls.SVC(), "SVC needs all rows in memory.*use LinearRegression"),
        (ls.LogisticRegression(penalty="l1"), "use penalty='l2'"),
        (ls.LogisticRegression(solver="stochastic"), "use solver='auto' or 'batch'"),
        (ls.LinearSVC(C=np.inf), "use a finite C"),
        (ls.LinearRegression(solver="mini-batch"), "use solver='exact' or 'batch'"),
        (ls.Perceptron(output="voted"), "use Perceptron"),
    ],
    ids=str,
)
def test_what_needs_all_rows_says_what_to_use(model, words):
    with pytest.raises(RowsElsewhere, match=words):
        model.fit(source(GROUPS))


def test_a_target_is_named_where_the_table_is_opened():
    with pytest.raises(TypeError, match="name the target where it is opened"):
        ls.Ridge().fit(source(NUMBERS), NUMBERS)
    with pytest.raises(ValueError, match="opened without a target"):
        ls.Ridge().fit(Source(ProcessEngine(X)))


def test_weights_must_be_weights():
    with pytest.raises(ValueError, match="a negative weight"):
        ls.Ridge().fit(source(NUMBERS, -SOME))
    with pytest.raises(ValueError, match="positive weights must be between"):
        ls.GaussianNaiveBayes().fit(source(GROUPS, np.where(SOME > 0, 1e-120, 0.0)))


def test_bad_numbers_are_named():
    broken = X.copy()
    broken[200, 2] = np.nan
    with pytest.raises(ValueError, match=r"NaN at row 200, column 'c'"):
        ls.LogisticRegression().fit(Source(ProcessEngine(broken, WORDS), NAMES))


@pytest.mark.share(4)
@pytest.mark.parametrize("weight", [None, SOME], ids=["plain", "weighted"])
@pytest.mark.parametrize(("model", "y"), [
    (ls.LogisticRegression(penalty=None), WORDS),
    (ls.LogisticRegression(penalty=None, fit_intercept=False), WORDS),
    (ls.LogisticRegression(C=np.inf), GROUPS),
    (ls.LogisticRegression(C=np.inf, reference=1), GROUPS),
], ids=str)  # fmt: skip
def test_likelihoods_of_many_rows_are_proven_where_the_rows_are(model, y, weight, monkeypatch):
    near = clone(model).fit(X, y, sample_weight=weight)
    monkeypatch.setattr(far, "MOST_BROUGHT", 0)
    found = clone(model).fit(source(y, weight))
    claim = found.certificate_
    assert claim.ok
    assert claim.primal == pytest.approx(near.certificate_.primal, rel=1e-12)
    assert claim.gap <= 1e-8 * claim.primal
    assert claim.verify(X, y, weight)  # by whoever has the rows
