"""``class_weight="balanced"``: a row of weight 2 counts as two rows, in memory and elsewhere."""

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_class_weight

import linscope as ls
from linscope.fitting.training import class_weights

MODELS = [
    ls.LogisticRegression(),
    ls.LogisticRegression(penalty="l1"),
    ls.LogisticRegression(penalty="elasticnet", l1_ratio=0.5),
    ls.LogisticRegression(penalty=None),
    ls.LogisticRegression(multi_class="ovo"),
    ls.LogisticRegression(solver="batch", max_iter=50),
    ls.LinearSVC(),
    ls.LinearSVC(loss="squared_hinge", multi_class="ovo"),
    ls.SVC(),
    ls.SVC(kernel="linear", multi_class="ovr", probability=True),
    ls.ApproximateSVC(random_state=0),
    ls.LeastSquaresClassifier(),
    ls.FisherDiscriminant(),
    ls.GaussianNaiveBayes(),
]
FAR = [ls.LogisticRegression(), ls.LinearSVC(), ls.FisherDiscriminant(), ls.GaussianNaiveBayes()]


def table(n_classes, seed=0):
    """Classes of unequal size, where rows of the smaller ones weigh more."""
    rng = np.random.default_rng(seed)
    y = rng.choice(n_classes, 70, p=np.array([6, 3, 1])[:n_classes] / [9, 10][n_classes - 2])
    y[:n_classes] = range(n_classes)
    X = rng.normal(size=(70, 3)) + y[:, None] * [1.0, 0.5, 0.0]
    weight = rng.integers(0, 3, 70) + y * rng.integers(0, 3, 70).astype(float)
    weight[:n_classes] = 1.0
    return X, y, weight


def name(model):
    return str(model)


def scores(model, X):
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict_log_proba(X)


def balanced(model):
    return type(model)(**{**model.get_params(), "class_weight": "balanced"})


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", MODELS, ids=name)
def test_a_row_of_weight_two_is_a_row_given_twice(model, n_classes):
    X, y, weight = table(n_classes)
    rows = np.repeat(np.arange(len(y)), weight.astype(int))
    weighted = balanced(model).fit(X, y, sample_weight=weight)
    repeated = balanced(model).fit(X[rows], y[rows])
    np.testing.assert_allclose(scores(weighted, X), scores(repeated, X), rtol=1e-6, atol=1e-7)
    check = weighted.verify(X, y, sample_weight=weight)
    assert check.claim_holds, check.reason
    other = np.where(y == 1, 2.0, 1.0) * weight
    assert not weighted.verify(X, y, sample_weight=other).claim_holds


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", [ls.Perceptron(max_iter=9), ls.KernelPerceptron(max_iter=9)],
                         ids=name)  # fmt: skip
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_perceptrons_take_steps_of_balanced_weights(model, n_classes):
    """Rows given twice are visited twice: only the weights themselves can be compared."""
    X, y, weight = table(n_classes, seed=1)
    by_class = compute_class_weight(
        "balanced", classes=np.arange(n_classes), y=y, sample_weight=weight
    )
    ours = balanced(model).fit(X, y, sample_weight=weight)
    by_hand = type(model)(**model.get_params()).fit(X, y, sample_weight=weight * by_class[y])
    np.testing.assert_allclose(scores(ours, X), scores(by_hand, X), rtol=1e-9, atol=1e-9)
    assert ours.verify(X, y, sample_weight=weight).claim_holds


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("model", FAR, ids=name)
def test_rows_in_a_file_count_by_their_weight(model, tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    X, y, weight = table(3, seed=2)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(kind=y, weight=weight)
    frame.to_parquet(tmp_path / "table.parquet")
    near = balanced(model).fit(X, y, sample_weight=weight)
    far = ls.scan(tmp_path / "table.parquet", target="kind", weight="weight")
    found = balanced(model).fit(far)
    np.testing.assert_allclose(scores(found, X), scores(near, X), rtol=1e-9, atol=1e-9)
    assert found.verify(far)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("model", FAR, ids=name)
def test_compressed_rows_have_the_same_balance(model):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, size=(80, 3)).astype(float)
    y = ((X @ [1.0, 0.5, -0.5] + rng.normal(size=80)) > 1.5).astype(int)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(kind=y)
    short = balanced(model).fit(ls.compress(frame, target="kind"))
    plain = balanced(model).fit(X, y)
    np.testing.assert_allclose(scores(short, X), scores(plain, X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e150])
def test_weights_of_classes_are_those_of_scikit_learn(scale):
    _, y, weight = table(3, seed=4)
    weight = weight * scale
    theirs = compute_class_weight("balanced", classes=np.arange(3), y=y, sample_weight=weight)
    np.testing.assert_allclose(class_weights("balanced", np.arange(3), y, weight), theirs)
    plain = compute_class_weight("balanced", classes=np.arange(3), y=y)
    np.testing.assert_array_equal(class_weights("balanced", np.arange(3), y, np.zeros(0)), plain)


def test_a_class_without_weight_does_not_count():
    _, y, weight = table(3, seed=5)
    weight[y == 2] = 0.0
    left = weight > 0
    found = class_weights("balanced", np.arange(3), y, weight)[:2]
    np.testing.assert_array_equal(
        found, class_weights("balanced", np.arange(2), y[left], weight[left])
    )
