"""Every model in onnxruntime: labels, scores, probabilities and predictions are linscope's."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import PolynomialFeatures

import linscope as ls
from tests.onnx_runs import agree, expected, run, session_of
from tests.registry import noisy_plane, overlapping, three_classes

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore::UserWarning"
)

LINEAR = {
    "perceptron": lambda: ls.Perceptron(max_iter=10),
    "perceptron, no bias": lambda: ls.Perceptron(max_iter=10, fit_intercept=False),
    "perceptron averaged": lambda: ls.Perceptron(output="averaged", max_iter=10),
    "perceptron pocket": lambda: ls.Perceptron(output="pocket", tie="positive", max_iter=10),
    "perceptron pairs": lambda: ls.Perceptron(multi_class="ovo", tie="negative", max_iter=10),
    "logistic": lambda: ls.LogisticRegression(),
    "logistic, rest": lambda: ls.LogisticRegression(multi_class="ovr"),
    "logistic, pairs": lambda: ls.LogisticRegression(multi_class="ovo"),
    "least squares": lambda: ls.LeastSquaresClassifier(),
    "Fisher": lambda: ls.FisherDiscriminant(),
    "linear SVM": lambda: ls.LinearSVC(),
    "linear SVM, pairs": lambda: ls.LinearSVC(multi_class="ovo"),
}
OTHERS = {
    "voted": lambda: ls.Perceptron(output="voted", max_iter=5),
    "voted pairs": lambda: ls.Perceptron(
        output="voted", max_iter=5, multi_class="ovo", tie="negative", fit_intercept=False
    ),
    "naive Bayes": lambda: ls.GaussianNaiveBayes(),
    "naive Bayes, shared": lambda: ls.GaussianNaiveBayes(shared_variance=True),
    "rbf": lambda: ls.SVC(),
    "rbf, rest": lambda: ls.SVC(multi_class="ovr"),
    "narrow rbf": lambda: ls.SVC(gamma=1e4),
    "linear": lambda: ls.SVC(kernel="linear"),
    "poly": lambda: ls.SVC(kernel="polynomial", degree=2, coef0=1.0),
    "sigmoid": lambda: ls.SVC(kernel="sigmoid", gamma=0.05, multi_class="ovr"),
    "probability": lambda: ls.SVC(probability=True),
    "kernel perceptron": lambda: ls.KernelPerceptron(max_iter=5),
    "kernel perceptron poly": lambda: ls.KernelPerceptron(
        kernel="poly", coef0=1.0, max_iter=5, multi_class="ovo", output="averaged"
    ),
    "kernel perceptron voted": lambda: ls.KernelPerceptron(
        kernel="linear", output="voted", max_iter=5
    ),
    "approximate, random": lambda: ls.ApproximateSVC(
        method="random", n_components=30, check_rows=0, random_state=0
    ),
}
MODELS = LINEAR | OTHERS
# Third powers of 1e150 are beyond the range of floats.
NOT_FINITE = {"kernel perceptron poly"}
PROBLEMS = {"two": overlapping, "three": three_classes}


def rows(X):
    """The training rows, and points outside of them."""
    return np.vstack([X, 7.0 * X[:20] - 1.0, np.zeros((1, X.shape[1]))])


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("name", MODELS)
def test_classifiers_say_what_linscope_says(name, problem):
    X, y = PROBLEMS[problem]()
    model = MODELS[name]().fit(X, y)
    session = session_of(model)
    agree(model, rows(X), session=session)
    agree(model, X[:1], session=session)
    empty = run(session, X[:0])
    assert {key: value.shape[1:] for key, value in empty.items()} == {
        key: value.shape[1:] for key, value in expected(model, X).items()
    }
    assert all(len(value) == 0 for value in empty.values())


@pytest.mark.parametrize("name", [name for name in MODELS if "random" not in name])
def test_rows_near_the_ends_of_the_range(name):
    X, y = overlapping()
    model = MODELS[name]().fit(X, y)
    session = session_of(model)
    agree(model, 1e-150 * X, session=session)
    if name in NOT_FINITE:
        with pytest.raises(ValueError, match=r"range|overflow"):
            model.decision_function(1e150 * X)
    else:
        agree(model, 1e150 * X, session=session)


@pytest.mark.parametrize("size", [1e150, 1e-150])
@pytest.mark.parametrize("name", ["rbf", "poly", "sigmoid", "kernel perceptron", "logistic"])
def test_models_of_tables_near_the_ends_of_the_range(name, size):
    X, y = overlapping()
    model = MODELS[name]()
    if hasattr(model, "gamma"):
        model.set_params(gamma="scale")
    agree(model.fit(size * X, y), size * X)


@pytest.mark.parametrize("name", LINEAR)
def test_scores_beyond_the_range_keep_their_sign(name):
    X, y = three_classes()
    model = LINEAR[name]().fit(X, y == 1)
    model.coef_ = model.coef_ * 1e30
    said = run(model, 1e300 * X)
    np.testing.assert_array_equal(said["label"], model.predict(1e300 * X))
    assert np.isfinite(said["scores"]).all()


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("name", LINEAR)
def test_equal_scores_go_where_linscope_sends_them(name, problem):
    X, y = PROBLEMS[problem]()
    model = LINEAR[name]().fit(X, y)
    model.coef_, model.intercept_ = 0.0 * model.coef_, 0.0 * model.intercept_
    agree(model, X[:3])


@pytest.mark.parametrize("tie", ["update", "positive", "negative"])
def test_a_perceptron_decides_by_the_exact_sum(tie):
    """0.1·3 − 0.3 is no tie of the floats, and its float sum may have the wrong sign."""
    grid = np.round(np.arange(-20, 21) * 0.1, 1)
    X, y = overlapping()
    model = ls.Perceptron(tie=tie, max_iter=5).fit(np.round(X[:, :2], 1), y)
    model.coef_, model.intercept_ = np.array([[0.3, -0.1]]), np.array([0.2])
    points = np.array([[a, b] for a in grid for b in grid])
    b, (v, w) = Fraction(model.intercept_[0]), map(Fraction, model.coef_[0].tolist())
    sums = [b + v * Fraction(x) + w * Fraction(z) for x, z in points.tolist()]
    right = [s > 0 or (s == 0 and tie != "negative") for s in sums]
    float_sums = points @ model.coef_[0] + model.intercept_[0]
    assert any((s > 0) != (f > 0) for s, f in zip(sums, float_sums, strict=True))
    np.testing.assert_array_equal(run(model, points)["label"], np.array(right).astype(int))


@pytest.mark.parametrize("tie", ["update", "negative"])
@pytest.mark.parametrize("output", ["last", "voted"])
def test_ties_of_the_or_table(tie, output):
    X, y = ls.datasets.load("or")
    agree(ls.Perceptron(tie=tie, output=output).fit(X, y), X)
    agree(ls.KernelPerceptron(kernel="linear", tie=tie, output=output).fit(X, y), X)


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1.0, 1.0], [7, 9]])
def test_labels_of_any_kind(labels):
    X, y = overlapping()
    model = ls.LogisticRegression().fit(X, np.array(labels)[y])
    said = run(model, X)["label"]
    np.testing.assert_array_equal(said, model.predict(X))
    assert said.dtype == (object if isinstance(labels[0], str) else np.int64)


def test_probabilities_of_huge_scores():
    X, y = three_classes()
    for multi_class in ("softmax", "ovr", "ovo"):
        model = ls.LogisticRegression(multi_class=multi_class).fit(X, y)
        agree(model, 1e4 * X)
        P = run(model, 1e4 * X)["probabilities"]
        np.testing.assert_array_equal(P.argmax(axis=1), model.predict(1e4 * X))


def test_a_reference_class():
    X, y = three_classes()
    agree(ls.LogisticRegression(reference=1).fit(X, y), rows(X))


def test_a_class_that_no_sample_has_had():
    X, y = three_classes()
    for model in (ls.LeastSquaresClassifier(), ls.FisherDiscriminant(), ls.GaussianNaiveBayes()):
        model.partial_fit(X, y, classes=[0, 1, 2, 3])
        agree(model, X)


@pytest.mark.parametrize("name", ["logistic", "perceptron", "rbf", "probability", "Fisher"])
def test_models_of_single_precision(name):
    X, y = three_classes()
    agree(MODELS[name]().fit(X.astype(np.float32), y), X)


@pytest.mark.parametrize("name", ["logistic", "voted", "rbf", "kernel perceptron"])
def test_models_of_sparse_tables(name):
    X, y = three_classes()
    X = np.where(X > 0.5, X, 0.0)
    agree(MODELS[name]().fit(sp.csr_array(X), y), X)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_approximate_machines(kernel):
    """The features of Nyström's method are ill conditioned, in scikit-learn as in ONNX."""
    X, y = three_classes()
    model = ls.ApproximateSVC(
        kernel=kernel, n_components=20, check_rows=0, random_state=0, gamma=0.5, coef0=1.0
    ).fit(X, y)
    weights = model.map_.normalization_.T @ model.linear_.coef_.T
    lost = np.abs(weights).sum(axis=0).max() * (1.0 if kernel == "rbf" else 1e3)
    agree(model, X, tolerance=1e-15 * lost)


@pytest.mark.parametrize("model", [ls.LinearRegression(), ls.Ridge(), ls.HuberRegressor()])
def test_regressions(model):
    X, y = noisy_plane()
    model.fit(X, y)
    agree(model, rows(X))
    agree(model, X[:1])
    assert run(model, X[:0])["prediction"].shape == (0,)


@pytest.mark.parametrize("targets", [1, 2])
def test_regressions_of_several_targets(targets):
    X, y = noisy_plane()
    agree(ls.LinearRegression().fit(X, np.column_stack([y, y**2])[:, :targets]), rows(X))


def test_a_machine_without_support_vectors_says_its_bias():
    X, y = overlapping()
    for model in (ls.SVC().fit(X, y), ls.KernelPerceptron(max_iter=5).fit(X, y)):
        model.support_vectors_ = model.support_vectors_[:0]
        model.dual_coef_, model.support_ = model.dual_coef_[:, :0], model.support_[:0]
        agree(model, X)


@pytest.mark.filterwarnings("ignore")
def test_weights_that_cancel_predict_as_linscope_does():
    X, _ = ls.datasets.load("iris")
    P, y = PolynomialFeatures(12, include_bias=False).fit_transform(X[:, :2]), X[:, 2]
    model = ls.LinearRegression().fit(P, y)
    proto = ls.to_onnx(model)
    about = {entry.key: entry.value for entry in proto.metadata_props}
    off = np.abs(run(model, P)["prediction"] - model.predict(P)) - model.prediction_error_bound(P)
    assert (off <= float(about["score_error"]) * np.abs(model.predict(P))).all()
    classifier = ls.LogisticRegression(C=1e6).fit(X + 1e6, y > y.mean())
    agree(classifier, X + 1e6, tolerance=1e-9)
