"""What scikit-learn's meta-estimators ask of a classifier beyond its own contract."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

import linscope as ls

CLASSIFIERS = [
    ls.LogisticRegression(),
    ls.LogisticRegression(penalty="l1"),
    ls.LogisticRegression(penalty=None),
    ls.LogisticRegression(multi_class="ovr"),
    ls.LinearSVC(),
    ls.LinearSVC(multi_class="ovo"),
    ls.SVC(),
    ls.SVC(kernel="linear", multi_class="ovr"),
    ls.Perceptron(),
    ls.KernelPerceptron(),
    ls.LeastSquaresClassifier(),
    ls.FisherDiscriminant(),
    ls.FisherDiscriminant(shrinkage="auto"),
    ls.GaussianNaiveBayes(),
    ls.GaussianNaiveBayes(shared_variance=True),
]


@pytest.mark.share(5)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_bagging_of_few_samples(model):
    X, y = ls.datasets.load("iris")
    bag = BaggingClassifier(model, n_estimators=4, max_samples=5, random_state=0).fit(X, y)
    assert bag.predict(X).shape == (150,)
    assert all(list(one.classes_) == [0, 1, 2] for one in bag.estimators_)
    assert bag.score(X, y) > 0.3
    assert any(len(set(y[rows])) < 3 for rows in bag.estimators_samples_)


@pytest.mark.share(4)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("left", [(0, 2), (1,)], ids=["two classes left", "one class left"])
def test_classes_without_weight_stay_but_have_no_samples(model, left):
    X, y = ls.datasets.load("iris")
    weight = np.isin(y, left).astype(float)
    model = clone(model).fit(X, y, sample_weight=weight)
    assert list(model.classes_) == [0, 1, 2]
    if not isinstance(model, ls.Perceptron):  # its scores need not be those of one problem
        assert set(model.predict(X[weight > 0])) <= set(left)
    if "Perceptron" in str(model):
        assert model.certificate_.verify(X, y)
    else:
        assert model.certificate_.verify(X, y, weight).claim_holds


UNFINISHED = [
    ls.LogisticRegression(solver="batch", max_iter=2),
    ls.LogisticRegression(penalty=None, max_iter=1),
    ls.LinearSVC(max_iter=1, tol=1e-12),
    ls.SVC(kernel="linear", C=1e6, max_iter=1, tol=1e-9),
    ls.Perceptron(max_iter=2),
    ls.KernelPerceptron(max_iter=1, kernel="linear"),
    ls.LinearRegression(solver="batch", max_iter=2),
]


@pytest.mark.share(4)
@pytest.mark.parametrize("model", UNFINISHED, ids=str)
def test_warnings_name_the_line_of_the_caller(model):
    X, y = ls.datasets.load("breast_cancer")
    search = GridSearchCV(
        model, {"fit_intercept": [True]} if "SVC(" not in str(model) else {}, cv=2
    )
    for estimator in (model, search):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            estimator.fit(X[:200], y[:200])
        own = [w for w in caught if w.category is ConvergenceWarning]
        assert own
        assert {w.filename for w in own} == {__file__}


def test_softmax_without_samples_of_a_class_is_proven_near_its_minimum():
    X, y = ls.datasets.load("iris")
    weight = (np.asarray(y) != 1).astype(float)
    model = ls.LogisticRegression().fit(X, y, sample_weight=weight)
    assert model.certificate_.ok
    assert model.certificate_.verify(X, y, weight)
    assert set(model.predict(X)) == {0, 2}


def test_pairs_without_samples_are_refused_clearly():
    X, y = ls.datasets.load("iris")
    with pytest.raises(ValueError, match="classes 0 and 2 have no samples"):
        ls.LogisticRegression(multi_class="ovo").fit(X, y, sample_weight=np.asarray(y) == 1)
