"""A loaded model is the saved one: the same bits, the same claims, the same words."""

import dataclasses
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV

import linscope as ls
from linscope.persist import read_about
from linscope.persist.allowed import ESTIMATORS
from tests.registry import apart, noisy_plane, overlapping, three_classes

from .checks import check_answers, same_bits
from .models import MODELS, fitted


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.linscope"


def trip(model, path):
    ls.save(model, path)
    return ls.load(path)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", MODELS)
def test_every_estimator_keeps_its_bits_and_claims(name, path):
    model, X, y = fitted(name)
    again = trip(model, path)
    check_answers(model, again, X)
    assert repr(again) == repr(model)
    assert str(again.certificate_) == str(model.certificate_)
    assert same(again.certificate_, model.certificate_)
    assert again.verify(X, y) == model.verify(X, y)
    assert bool(again.verify(X, y).claim_holds)
    if not isinstance(model, ls.ApproximateSVC):
        assert again.certificate_.verify(X, y) == model.certificate_.verify(X, y)


@pytest.mark.parametrize("name", MODELS)
def test_all_that_a_model_holds_is_kept_or_named_as_left_out(name, path):
    model, _, _ = fitted(name)
    again, row = trip(model, path), ESTIMATORS[type(model).__name__]
    assert vars(model).keys() - vars(again).keys() <= set(row.leaves.split())
    for key in vars(again).keys() & vars(model).keys() - {*row.blank.split(), "result_"}:
        assert same(vars(again)[key], vars(model)[key]), key


def same(a, b):
    """Equal in every part, arrays by their bits."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray) or sp.issparse(a):
        return same_bits(a, b)
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if dataclasses.is_dataclass(a):
        names = [field.name for field in dataclasses.fields(a)]
        return all(same(getattr(a, n), getattr(b, n)) for n in names)
    if hasattr(a, "get_params"):
        return all(same(vars(a)[k], vars(b)[k]) for k in vars(a).keys() & vars(b).keys())
    return a == b or (a != a and b != b)


LINEAR = ["LinearRegression", "Ridge", "HuberRegressor", "LogisticRegression", "logistic, pairs"]


@pytest.mark.parametrize("name", [*LINEAR, "LinearSVC", "Perceptron", "fisher, two classes"])
def test_equations_are_the_same_words(name, path):
    model, _, _ = fitted(name)
    assert trip(model, path).equation() == model.equation()


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"]), np.array(["no", "yes"], dtype=object), np.array([False, True]),
        np.array([-7, 2**40]), np.array([-1.0, 3.0]), np.array(["", "ä\u2028\x00b"], dtype=object),
    ],
    ids=["text", "object", "bool", "int", "float", "odd"],
)  # fmt: skip
def test_labels_of_any_kind(labels, path):
    X, y = overlapping()
    model = ls.LogisticRegression().fit(X, labels[y])
    check_answers(model, trip(model, path), X)
    assert bool(ls.load(path).verify(X, labels[y]))


@pytest.mark.parametrize(
    "model", [ls.LogisticRegression(), ls.SVC(), ls.LinearSVC(), ls.FisherDiscriminant()], ids=str
)
def test_single_precision(model, path):
    X, y = overlapping()
    X = X.astype(np.float32)
    again = trip(model.fit(X, y), path)
    check_answers(model, again, X)
    assert again.intercept_.dtype == model.intercept_.dtype


def test_single_precision_regression_has_a_number_as_intercept(path):
    X, y = noisy_plane()
    model = ls.LinearRegression().fit(X.astype(np.float32), y.astype(np.float32))
    again = trip(model, path)
    assert type(again.intercept_) is type(model.intercept_) is np.float32


def test_names_of_features_are_kept_and_compared(path):
    X, y = overlapping()
    frame = pd.DataFrame(X, columns=["age", "größe", 'a "b"'])
    again = trip(ls.LogisticRegression().fit(frame, y), path)
    assert again.feature_names_in_.tolist() == list(frame)
    assert "größe" in again.equation()
    with pytest.raises(ValueError, match="names"):
        again.predict(frame.rename(columns={"age": "Age"}))


def test_a_model_of_sparse_rows_predicts_dense_ones(path):
    X, y = overlapping()
    again = trip(ls.SVC().fit(sp.csr_matrix(X), y), path)
    assert sp.issparse(again.support_vectors_)
    np.testing.assert_allclose(
        again.decision_function(X), ls.SVC().fit(X, y).decision_function(X), atol=1e-9
    )


def test_a_loaded_regression_can_say_what_its_summary_says(path):
    X, y = noisy_plane()
    model = ls.LinearRegression().fit(X, y)
    assert str(trip(model, path).summary()) == str(model.summary())
    assert str(ls.load(path).diagnose(X, y)) == str(model.diagnose(X, y))


def test_a_loaded_logistic_regression_asks_for_the_rows_of_its_summary(path):
    X, y = overlapping()
    model = ls.LogisticRegression(C=np.inf).fit(X, y)
    again = trip(model, path)
    with pytest.raises(ValueError, match="pass X and y"):
        again.summary()
    assert str(again.summary(X=X, y=y)) == str(model.summary())


def test_a_loaded_regression_goes_on_learning(path):
    X, y = noisy_plane()
    model = ls.LinearRegression().fit(X[:30], y[:30])
    again = trip(model, path).partial_fit(X[30:], y[30:])
    np.testing.assert_allclose(again.coef_, ls.LinearRegression().fit(X, y).coef_, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:Perceptron stopped")
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"output": "averaged", "schedule": "inverse"},
        {"output": "pocket"},
        {"output": "voted"},
        {"shuffle": True, "random_state": 3},
        {"init": "random", "random_state": 3, "multi_class": "ovo"},
        {"rule": "mini-batch", "batch_size": 4, "fit_intercept": False},
    ],
)
def test_a_loaded_perceptron_goes_on_bit_for_bit(path, parameters):
    """As one that was never written: the same weights, counts and certificate after each pass."""
    X, y = overlapping()
    y = np.where(X[:, 0] > 1.0, 2, y)
    plain, travelled = ls.Perceptron(**parameters), ls.Perceptron(**parameters)
    for rows in np.array_split(np.arange(len(y)), 4):
        plain.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
        travelled.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
        travelled = trip(travelled, path)
        np.testing.assert_array_equal(travelled.decision_function(X), plain.decision_function(X))
        np.testing.assert_array_equal(travelled._weights, plain._weights)
        assert travelled.n_updates_ == plain.n_updates_
        assert repr(travelled.certificate_) == repr(plain.certificate_)
    fitted = ls.Perceptron(**parameters).fit(X, y)
    again = trip(fitted, path).partial_fit(X, y)
    np.testing.assert_array_equal(again.predict(X), fitted.partial_fit(X, y).predict(X))


def test_what_is_left_out_says_so_and_comes_back_with_a_fit(path):
    X, y = overlapping()
    again = trip(ls.LogisticRegression().fit(X, y), path)
    with pytest.raises(AttributeError, match="a loaded LogisticRegression does not keep results_"):
        _ = again.results_
    assert again.fit(X, y).results_
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = again.nonsense
    loaded = trip(ls.SVC().fit(X, y), path)
    with pytest.raises(AttributeError, match="SVC"):  # not the words of what was left out
        _ = loaded.predict_proba
    with pytest.raises(AttributeError, match="kernel='linear'"):
        _ = loaded.coef_


def test_changes_after_loading_are_noticed(path):
    X, y = overlapping()
    again = trip(ls.LogisticRegression().fit(X, y), path)
    again.coef_[0, 0] += 1.0  # the arrays are the user's own, and nobody else's
    assert not again.verify(X, y).claim_holds
    assert again.certificate_.verify(X, y)


def test_a_file_can_be_saved_again(path, tmp_path):
    X, y = three_classes()
    model = ls.SVC(probability=True).fit(X, y)
    check_answers(model, trip(trip(model, path), tmp_path / "again"), X)


def test_fractions_of_a_direction_are_exact(path):
    X, y = apart()
    with pytest.warns(ConvergenceWarning):
        model = ls.LogisticRegression(penalty=None).fit(X, y)
    direction = trip(model, path).certificate_.direction
    assert direction == model.certificate_.direction
    assert isinstance(direction[0][0], Fraction)


def test_about_is_given_back(path):
    X, y = overlapping()
    about = {"target": "churn", "rows": 60, "classes": ["no", "ja ✓"], "columns": {"x": None}}
    ls.save(ls.LogisticRegression().fit(X, y), path, about=about)
    found = read_about(path)
    assert found.pop("file").items() >= {"format": 1, "model": "LogisticRegression"}.items()
    assert found == about


def test_what_cannot_be_written_is_refused_before_anything_is(path):
    X, y = overlapping()
    path.write_bytes(b"older")

    def kernel(A, B):
        return A @ B.T

    class Mine(ls.LogisticRegression):
        pass

    search = GridSearchCV(ls.LogisticRegression(), {"C": [1.0, 2.0]}, cv=2).fit(X, y)
    seeded = ls.LogisticRegression(random_state=np.random.RandomState(0))
    cases = [
        (ls.SVC(kernel=kernel).fit(X, y), TypeError, "SVC.kernel is a function"),
        (ls.KernelPerceptron(kernel=kernel, max_iter=5), TypeError, "kernel is a function"),
        (seeded.fit(X, y), TypeError, "random_state is of type RandomState"),
        (Mine().fit(X, y), TypeError, "Mine cannot be saved"),
        (search, TypeError, "save its best_estimator_"),
        (ls.LogisticRegression(), NotFittedError, "not fitted"),
        (ls.LogisticRegression, TypeError, "not the class"),
        (X, TypeError, "ndarray cannot be saved"),
    ]
    for model, error, words in cases:
        if isinstance(model, ls.KernelPerceptron):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(X, y)
        with pytest.raises(error, match=words):
            ls.save(model, path)
    with pytest.raises(TypeError, match="about"):
        ls.save(ls.LogisticRegression().fit(X, y), path, about={"x": np.nan})
    broken = ls.LogisticRegression().fit(X, y)
    broken.coef_ = broken.coef_[:, :2]
    with pytest.raises(TypeError, match="coef_ of LogisticRegression"):
        ls.save(broken, path)
    assert path.read_bytes() == b"older"
    assert [one.name for one in path.parent.iterdir()] == [path.name]
