"""At the door: a data set stands for X and y, wrong names and swapped arguments are named."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model
from scipy.special import softmax
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

import linscope as ls
from linscope.data.datasets import Dataset
from linscope.fitting.estimator import Estimator
from tests.registry import REGISTRY, overlapping, three_classes

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

OR = ls.datasets.load("or")
CLASSIFIERS = {
    name: entry for name, entry in REGISTRY.items() if hasattr(entry.make(), "decision_function")
}
ESTIMATORS = [
    getattr(ls, name)
    for name in ls.__all__
    if isinstance(getattr(ls, name), type) and issubclass(getattr(ls, name), Estimator)
]


class TestDataSets:
    def test_it_is_a_pair(self):
        X, y = OR
        assert OR[0] is X
        assert OR[1] is y
        assert OR[-1] is y
        assert len(OR) == 2
        with pytest.raises(IndexError):
            OR[2]
        with pytest.raises(ValueError, match="only moments"):
            ls.datasets.load("sbp_age")[0]

    def test_only_public_names_are_offered(self):
        assert sorted(ls.datasets.__all__) == dir(ls.datasets)

    @pytest.mark.parametrize("name", REGISTRY)
    def test_every_estimator_takes_one(self, name):
        X, y = REGISTRY[name].problem()
        data = Dataset("problem", X, y)
        one, two = REGISTRY[name].make().fit(data), REGISTRY[name].make().fit(X, y)
        assert np.array_equal(one.predict(data), two.predict(X))
        assert one.score(data) == two.score(X, y)
        assert str(one.verify(data)) == str(two.verify(X, y))
        if name != "ApproximateSVC":  # whose certificate speaks of other features
            assert str(one.certificate_.verify(data)) == str(two.certificate_.verify(X, y))
        assert not hasattr(one, "feature_names_in_")

    def test_what_follows_y_follows_the_data_set(self):
        X, y = ls.datasets.load("iris")
        weight = np.linspace(0.5, 2.0, len(y))
        expected = ls.LogisticRegression().fit(X, y, weight).coef_
        for call in ((), (weight,)):
            model = ls.LogisticRegression()
            model.fit(Dataset("d", X, y), *call, **({} if call else {"sample_weight": weight}))
            assert np.array_equal(model.coef_, expected)
        assert np.array_equal(
            ls.LogisticRegression().fit(X=Dataset("d", X, y), sample_weight=weight).coef_, expected
        )

    @pytest.mark.parametrize(
        "kind", [ls.Perceptron, ls.FisherDiscriminant, ls.GaussianNaiveBayes, ls.LinearRegression]
    )
    def test_rows_that_come_in_parts(self, kind):
        X, y = overlapping()
        model, same = kind(), kind()
        for part in (slice(0, 30), slice(30, None)):
            model.partial_fit(Dataset("part", X[part], y[part]))
            same.partial_fit(X[part], y[part])
        assert np.array_equal(
            model.coef_ if hasattr(model, "coef_") else model.theta_,
            same.coef_ if hasattr(same, "coef_") else same.theta_,
        )

    def test_a_method_that_parameters_rule_out_is_not_there(self):
        assert not hasattr(ls.LinearRegression(solver="batch"), "partial_fit")

    def test_statistics_take_one(self):
        data = ls.datasets.load("five_points")
        model = ls.LinearRegression().fit(data)
        assert str(model.diagnose(data)) == str(model.diagnose(*data))
        assert np.polyfit(data.X[:, 0], data.y, 1) == pytest.approx(
            [model.coef_[0], model.intercept_]
        )

    def test_functions_take_one(self):
        for data in (OR, ls.datasets.load("xor"), ls.datasets.load("iris")):
            verdict = ls.separability(data)
            assert str(verdict) == str(ls.separability(*data))
            assert verdict.verify(data)
        iris = ls.datasets.load("iris")
        one, two = (ls.path(ls.LogisticRegression(), *data, Cs=3) for data in ([iris], iris))
        assert np.array_equal(one.scores, two.scores)
        assert one.verify(iris)
        model = ls.Perceptron().fit(OR)
        assert str(ls.evaluate(model, OR)) == str(ls.evaluate(model, *OR))
        assert str(ls.trace(model, OR)).endswith(str(ls.trace(model, *OR)).split("\n", 1)[1])

    def test_figures_take_one(self):
        model = ls.Perceptron().fit(OR)
        path = np.array([[0.0, 0.0, 0.0], [-1.0, 2.0, 2.0]])
        calls = [
            (ls.plot.boundary, [model], []),
            (ls.plot.margin, [ls.LinearSVC().fit(OR)], []),
            (ls.plot.weight_space, [], []),
            (ls.plot.path_of_boundaries, [], [path]),
            (ls.plot.convergence, [model], []),
            (ls.plot.criterion, [model], []),
            (ls.plot.orders, [], []),
            (ls.plot.confusion, [model], []),
            (ls.plot.roc, [model], []),
        ]
        for draw, before, after in calls:
            assert repr(draw(*before, OR, *after)) == repr(draw(*before, *OR, *after))

    def test_two_targets_are_refused(self):
        with pytest.raises(TypeError, match="'or' has a y of its own"):
            ls.Perceptron().fit(OR, y=OR.y)
        with pytest.raises(ValueError, match="only moments"):
            ls.LinearRegression().fit(ls.datasets.load("sbp_age"))
        with pytest.raises(ValueError, match="or a data set in place of X and y"):
            ls.Perceptron().fit(OR.X)
        with pytest.raises(ValueError, match="or a data set in place of X and y"):
            ls.Ridge().fit(OR.X)


class TestSwapped:
    @pytest.mark.parametrize(
        "call",
        [
            ls.Perceptron().fit,
            ls.LinearRegression().fit,
            ls.separability,
            lambda *data: ls.trace(ls.Perceptron(), *data),
            lambda *data: ls.path(ls.LogisticRegression(), *data),
        ],
    )
    @pytest.mark.parametrize("kind", [np.asarray, list, pd.DataFrame])
    def test_a_vector_before_a_table(self, call, kind):
        vector = pd.Series(OR.y) if kind is pd.DataFrame else kind(OR.y)
        with pytest.raises(ValueError, match=r"did you mean \(X, y\), the table of samples first"):
            call(vector, kind(OR.X))

    def test_other_errors_stay(self):
        with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
            ls.Perceptron().fit(OR.y, OR.y)
        with pytest.raises(ValueError, match="different lengths"):
            ls.Perceptron().fit([[1], [2, 3]], [[1, 2], [3, 4]])


class TestParameters:
    @pytest.mark.parametrize("kind", ESTIMATORS)
    def test_a_wrong_name_is_a_type_error(self, kind):
        with pytest.raises(TypeError, match=f"{kind.__name__} has no parameter 'zzz'. It has "):
            kind(zzz=1)

    @pytest.mark.parametrize(
        ("make", "meant"),
        [
            (lambda: ls.Perceptron(learning_rate=0.1), "'eta0'"),
            (lambda: ls.Perceptron(epochs=10), "'max_iter'"),
            (lambda: ls.SVC(kernal="rbf"), "'kernel'"),
            (lambda: ls.Ridge(lam=1.0), "'alpha'"),
            (lambda: ls.LogisticRegression(**{"lambda": 1.0}), r"'C'\? .*C = 1/\(2λ\)"),
            (lambda: ls.HuberRegressor(delta=1.0), "'epsilon'"),
        ],
    )
    def test_the_name_that_was_meant(self, make, meant):
        with pytest.raises(TypeError, match=f"did you mean {meant}"):
            make()

    @pytest.mark.parametrize("kind", ESTIMATORS)
    def test_the_contract_of_scikit_learn_holds(self, kind):
        model = kind()
        given = model.get_params()
        assert clone(model).get_params() == given
        assert model.set_params(**given) is model
        assert pickle.loads(pickle.dumps(model)).get_params() == given
        assert set(inspect.signature(kind).parameters) == set(given)
        assert "sample_weight" in inspect.signature(kind.fit).parameters

    def test_subclasses_have_their_own(self):
        class Own(ls.Perceptron):
            def __init__(self, eta0=1.0, power=2):
                super().__init__(eta0=eta0)
                self.power = power

        class Anything(ls.Perceptron):
            def __init__(self, **options):
                super().__init__(**options)

        assert Own(power=3).fit(OR).power == 3
        assert Anything(eta0=0.5).eta0 == 0.5
        with pytest.raises(TypeError, match="Own has no parameter 'powr'; did you mean 'power'"):
            Own(powr=1)


class TestDiscriminants:
    @pytest.mark.parametrize("problem", [overlapping, three_classes])
    @pytest.mark.parametrize("name", CLASSIFIERS)
    def test_the_largest_is_predicted(self, name, problem):
        X, y = problem()
        model = CLASSIFIERS[name].make().fit(X, y)
        g = model.discriminants(X)
        assert g.shape == (len(y), len(model.classes_))
        assert np.array_equal(model.classes_[g.argmax(axis=1)], model.predict(X))
        if len(model.classes_) == 2:  # g = g_2 − g_1, whose sign decides
            np.testing.assert_allclose(g[:, 1] - g[:, 0], model.decision_function(X), rtol=1e-12)

    @pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
    @pytest.mark.parametrize("kind", [ls.Perceptron, ls.LinearSVC, ls.SVC, ls.LogisticRegression])
    def test_pairs_and_rests(self, kind, multi_class):
        X, y = three_classes()
        model = kind(multi_class=multi_class).fit(X, y)
        assert np.array_equal(model.discriminants(X).argmax(axis=1), model.predict(X))

    @pytest.mark.parametrize("problem", [overlapping, three_classes])
    def test_of_a_logistic_regression_they_are_log_posteriors(self, problem):
        X, y = problem()
        peer = sklearn.linear_model.LogisticRegression(tol=1e-10, max_iter=10_000).fit(X, y)
        g = ls.LogisticRegression().fit(X, y).discriminants(X)
        np.testing.assert_allclose(softmax(g, axis=1), peer.predict_proba(X), atol=1e-6)

    def test_of_least_squares_they_are_the_fit_to_1_of_K_targets(self):
        X, y = three_classes()
        augmented = np.column_stack([np.ones(len(X)), X])
        fit = augmented @ np.linalg.lstsq(augmented, np.eye(3)[y], rcond=None)[0]
        np.testing.assert_allclose(
            ls.LeastSquaresClassifier().fit(X, y).discriminants(X), fit, atol=1e-10
        )

    def test_of_naive_bayes_they_are_log_joint_probabilities(self):
        X, y = three_classes()
        peer = GaussianNB(var_smoothing=0.0).fit(X, y).predict_joint_log_proba(X)
        np.testing.assert_allclose(ls.GaussianNaiveBayes().fit(X, y).discriminants(X), peer)

    def test_float32_stays(self):
        X, y = overlapping()
        model = ls.LinearSVC().fit(X.astype(np.float32), y)
        assert model.discriminants(X.astype(np.float32)).dtype == np.float32
