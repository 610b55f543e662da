"""The perceptron in feature space: the linear kernel is ``Perceptron``, the rest a dual loop."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels, polynomial_kernel

import linscope as ls
from tests import reference

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def overlapping(n=20, d=3):
    rng = np.random.default_rng(3)
    X = rng.integers(-3, 4, (n, d)).astype(float)
    return X, np.where(X @ np.ones(d) + rng.normal(size=n) > 0, 1, -1)


def ring(n=40):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 2))
    return X, np.where((X**2).sum(axis=1) > 1.2, 1, -1)


@pytest.mark.parametrize("output", ["last", "averaged", "voted", "pocket"])
@pytest.mark.parametrize("rule", ["single", "batch", "mini-batch"])
def test_linear_kernel_is_the_perceptron(output, rule):
    if output == "voted" and rule != "single":
        output = "last"
    X, y = overlapping()
    points = np.random.default_rng(0).integers(-5, 6, (50, 3)).astype(float)
    for number, tie in enumerate(("update", "positive", "negative")):
        settings = {
            "output": output,
            "rule": rule,
            "tie": tie,
            "schedule": ["constant", "inverse"][number % 2],
            "fit_intercept": number != 2,
            "batch_size": 6,
            "max_iter": 8,
            "margin": float(number == 1),
            "shuffle": number == 2,
            "random_state": 0,
        }
        plain = ls.Perceptron(**settings).fit(X, y)
        model = ls.KernelPerceptron(kernel="linear", **settings).fit(X, y)
        assert (model.n_updates_, model.n_iter_) == (plain.n_updates_, plain.n_iter_)
        exact = settings["schedule"] == "constant" and output != "averaged"
        compare = np.testing.assert_array_equal if exact else np.testing.assert_allclose
        if output == "voted":
            expected = plain.committees_[0].survival
            np.testing.assert_array_equal(model.committees_[0].survival, expected)
        else:
            compare(model.coef_, plain.coef_)
            compare(model.intercept_, plain.intercept_)
        compare(model.decision_function(points), plain.decision_function(points))


def test_linear_kernel_on_floats_and_classes():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 3, 60)
    X += 2 * np.eye(4)[y]
    for multi_class in ("ovr", "ovo"):
        settings = {"max_iter": 10, "multi_class": multi_class}
        plain = ls.Perceptron(**settings).fit(X, y)
        model = ls.KernelPerceptron(kernel="linear", **settings).fit(X, y)
        np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-9)
        np.testing.assert_array_equal(model.predict(X), plain.predict(X))
        assert model.dual_coef_.shape == (3, len(model.support_))
        np.testing.assert_array_equal(model.support_vectors_, X[model.support_])


def callable_kernel(X, Z):
    return (1 + X @ Z.T) ** 3


KERNELS = {
    "poly": {"kernel": "poly", "degree": 3, "gamma": 0.5, "coef0": 1.0},
    "rbf": {"kernel": "rbf", "gamma": 0.8},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.1, "coef0": -0.2},
    "callable": {"kernel": callable_kernel},
    "precomputed": {"kernel": "precomputed"},
}


def gram_of(name, X, Z):
    """The kernel by scikit-learn, an outside opinion."""
    settings = dict(KERNELS[name])
    if name == "callable":
        return callable_kernel(X, Z)
    if name == "precomputed":
        return pairwise_kernels(X, Z, metric="rbf", gamma=0.8)
    return pairwise_kernels(X, Z, metric=settings.pop("kernel"), **settings)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_kernels_equal_the_dual_loop(name, fit_intercept):
    X, y = ring()
    points = np.random.default_rng(7).normal(size=(30, 2))
    K, cross = gram_of(name, X, X), gram_of(name, points, X)
    alpha, updates, history = reference.kernel_perceptron(K + fit_intercept, y, max_iter=6)
    settings = KERNELS[name] | {"fit_intercept": fit_intercept, "max_iter": 6}
    train, test = (K, cross) if name == "precomputed" else (X, points)

    model = ls.KernelPerceptron(**settings).fit(train, y)
    assert model.n_updates_ == updates
    np.testing.assert_array_equal(model.support_, np.flatnonzero(alpha))
    np.testing.assert_array_equal(model.dual_coef_[0], np.array(alpha)[model.support_])
    np.testing.assert_allclose(
        model.decision_function(test), (cross + fit_intercept) @ alpha, atol=1e-9
    )
    assert model.certificate_.verify(train, y).claim_holds

    mean = np.mean(history, axis=0)
    model = ls.KernelPerceptron(output="averaged", **settings).fit(train, y)
    np.testing.assert_allclose(
        model.decision_function(test), (cross + fit_intercept) @ mean, rtol=1e-9, atol=1e-9
    )

    vectors = np.array([[0.0] * len(y), *history])
    model = ls.KernelPerceptron(output="voted", **settings).fit(train, y)
    signs = np.where(vectors[1:] @ (cross + fit_intercept).T >= 0, 1, -1)  # zero counts as +1
    np.testing.assert_allclose(model.decision_function(test), signs.mean(axis=0), atol=1e-12)

    wrong = [(y * ((K + fit_intercept) @ a) <= 0).sum() for a in vectors]
    model = ls.KernelPerceptron(output="pocket", **settings).fit(train, y)
    best = vectors[int(np.argmin(wrong))]
    np.testing.assert_allclose(
        model.decision_function(test), (cross + fit_intercept) @ best, rtol=1e-9, atol=1e-9
    )


def notes_features(X):
    """φ(x) of (1 + x·z)², as the notes write it."""
    a, b = X.T
    root = np.sqrt(2)
    return np.column_stack([np.ones(len(X)), a * a, root * a * b, b * b, root * a, root * b])


def test_polynomial_kernel_is_the_map_of_the_notes():
    X, y = ring(60)
    phi = notes_features(X)
    settings = {"fit_intercept": False, "max_iter": 1000}
    np.testing.assert_allclose(
        phi @ phi.T, polynomial_kernel(X, degree=2, gamma=1, coef0=1), atol=1e-12
    )
    mapped = ls.Perceptron(**settings).fit(phi, y)
    kernel = ls.KernelPerceptron(kernel="poly", degree=2, gamma=1, coef0=1, **settings).fit(X, y)
    assert kernel.n_updates_ == mapped.n_updates_
    np.testing.assert_allclose(
        kernel.decision_function(X), mapped.decision_function(phi), rtol=1e-9, atol=1e-9
    )
    assert kernel.score(X, y) == 1.0
    assert kernel.certificate_.status is mapped.certificate_.status is ls.Status.SEPARATED


@pytest.mark.parametrize(
    "settings",
    [
        {"kernel": "poly", "degree": 2, "gamma": 1, "coef0": 1},
        {"kernel": "rbf"},
        {"kernel": "rbf", "gamma": "auto"},
    ],
)
def test_xor_is_solved_in_feature_space(settings):
    X, y = ls.datasets.load("xor")
    model = ls.KernelPerceptron(**settings).fit(X, y)
    assert model.predict(X).tolist() == np.asarray(y).tolist()
    assert model.certificate_.status is ls.Status.SEPARATED
    assert model.certificate_.verify(X, y)
    line = ls.Perceptron(max_iter=50).fit(X, y)
    assert line.certificate_.status is ls.Status.MAX_ITER


def test_containers_and_dtypes():
    X, y = ring()
    dense = ls.KernelPerceptron(max_iter=6).fit(X, y)
    rows = ls.KernelPerceptron(max_iter=6).fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(dense.dual_coef_, rows.dual_coef_)
    np.testing.assert_allclose(
        dense.decision_function(X), rows.decision_function(sparse.csr_matrix(X)), atol=1e-10
    )
    small = ls.KernelPerceptron(max_iter=6).fit(X.astype(np.float32), y)
    assert small.dual_coef_.dtype == small.decision_function(X.astype(np.float32)).dtype == "f4"
    assert small.certificate_.verify(X.astype(np.float32), y)


def test_weights_of_zero_leave_rows_out():
    X, y = ring()
    sample_weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    keep = sample_weight > 0
    for output in ("last", "voted"):
        settings = {"gamma": 0.8, "max_iter": 6, "output": output}
        model = ls.KernelPerceptron(**settings).fit(X, y, sample_weight)
        same = ls.KernelPerceptron(**settings).fit(X[keep], y[keep], sample_weight[keep])
        np.testing.assert_array_equal(model.decision_function(X), same.decision_function(X))
        K = pairwise_kernels(X, metric="rbf", gamma=0.8)
        given = ls.KernelPerceptron(**(settings | {"kernel": "precomputed"}))
        given.fit(K, y, sample_weight)
        np.testing.assert_allclose(
            given.decision_function(K), model.decision_function(X), atol=1e-10
        )
        assert set(given.support_) <= set(np.flatnonzero(keep))
        assert given.certificate_.verify(K, y)
        assert model.certificate_.verify(X, y)


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("output", ["last", "voted"])
def test_several_classes(kernel, multi_class, output):
    rng = np.random.default_rng(0)
    y = np.arange(36) % 3
    X = rng.normal(size=(36, 2)) + 4 * np.column_stack([np.cos(2 * y), np.sin(2 * y)])
    table = pairwise_kernels(X, metric="rbf", gamma=0.5) if kernel == "precomputed" else X
    model = ls.KernelPerceptron(
        kernel=kernel, gamma=0.5, multi_class=multi_class, output=output
    ).fit(table, y)
    assert model.decision_function(table).shape == (36, 3)
    assert model.score(table, y) == 1.0
    assert model.certificate_.verify(table, y)
    assert not model.certificate_.verify(table, np.roll(y, 1)).claim_holds


def test_only_a_linear_kernel_has_coef():
    X, y = ring()
    model = ls.KernelPerceptron(max_iter=3).fit(X, y)
    assert not hasattr(model, "coef_")
    line = ls.KernelPerceptron(kernel="linear", max_iter=3).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(
        line.coef_, ls.KernelPerceptron(kernel="linear", max_iter=3).fit(X, y).coef_
    )
