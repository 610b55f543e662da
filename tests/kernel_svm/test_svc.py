"""The kernel SVM: against LIBSVM, its attributes, certificates, interruption, probabilities."""

import dataclasses
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC as LibSVM

import linscope as ls
from linscope.kernel_svm.estimators.probability import best_slope, folds_of
from linscope.kernel_svm.solving import all_problems as svc_many
from linscope.kernel_svm.solving import one_problem as svc_solving
from linscope.results import Status

KERNELS = [
    {"kernel": "rbf", "gamma": 0.3},
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "gamma": 0.3, "coef0": 1.0},
    {"kernel": "sigmoid", "gamma": 0.05},
]


def mixed(n=120, d=4, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X[:, 0] * X[:, 1] + X[:, -1] + 0.5 * rng.normal(size=n)
    return X, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


def dual_value(model, X, y, K):
    """Σα − ½ βᵀKβ of two classes, from dual_coef_ alone."""
    beta = np.zeros(len(y))
    beta[model.support_] = np.asarray(model.dual_coef_, dtype=np.float64)[0]
    return np.abs(beta).sum() - 0.5 * beta @ K @ beta


@pytest.mark.parametrize("options", KERNELS, ids=lambda o: o["kernel"])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_as_libsvm_with_and_without_weights(options, C):
    X, y = mixed()
    weight = np.random.default_rng(1).uniform(0.2, 2.0, len(y))
    for c in (None, weight):
        ours = ls.SVC(C, **options).fit(X, y, c)
        theirs = LibSVM(C=C, tol=1e-9, **options).fit(X, y, c)
        certificate = ours.certificate_
        assert certificate.verify(X, y, c).claim_holds
        if options["kernel"] == "sigmoid" and C > 1:
            continue  # not convex: there are several stationary points
        K = _plain(options, X, X)
        assert dual_value(ours, X, y, K) == pytest.approx(dual_value(theirs, X, y, K), rel=1e-6)
        assert certificate.primal == pytest.approx(dual_value(ours, X, y, K), rel=1e-6)
        # LIBSVM's kernel values are float32.
        np.testing.assert_allclose(
            ours.decision_function(X), theirs.decision_function(X), atol=1e-4 * max(1, C / 10)
        )


def _plain(options, X, Z):
    model = LibSVM(**options)
    gamma, degree, coef0 = model.gamma, model.degree, model.coef0
    if options["kernel"] == "rbf":
        return rbf_kernel(X, Z, gamma)
    P = X @ Z.T
    if options["kernel"] == "poly":
        return (gamma * P + coef0) ** degree
    return P if options["kernel"] == "linear" else np.tanh(gamma * P + coef0)


def test_larger_tables_as_libsvm():
    X, y = mixed(1000, 5)
    ours = ls.SVC(10.0, tol=1e-6).fit(X, y)
    theirs = LibSVM(C=10.0, tol=1e-6).fit(X, y)
    K = rbf_kernel(X, gamma=1 / (5 * X.var()))
    assert dual_value(ours, X, y, K) == pytest.approx(dual_value(theirs, X, y, K), rel=1e-6)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert ours.certificate_.verify(X, y)
    loose = ls.SVC(10.0).fit(X, y)
    assert loose.certificate_.kkt <= 1e-3
    assert loose.certificate_.verify(X, y)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_attributes_mean_what_scikit_learns_mean(kernel, classes):
    X, y = mixed(150, classes=classes)
    ours = ls.SVC(kernel=kernel, tol=1e-8).fit(X, y)
    theirs = LibSVM(kernel=kernel, tol=1e-8, decision_function_shape="ovo").fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.support_vectors_, theirs.support_vectors_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert ours.shape_fit_ == theirs.shape_fit_
    scores = theirs.decision_function(X).reshape(len(X), -1)
    sign = -1 if classes > 2 else 1
    np.testing.assert_allclose(sign * ours._problem_scores(X), scores, atol=1e-4)
    if kernel == "linear":
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    else:
        with pytest.raises(AttributeError, match="linear"):
            _ = ours.coef_
    decision = ours.decision_function(X)
    if classes > 2:
        assert decision.shape == (150, classes)
        np.testing.assert_array_equal(ours.predict(X), ours.classes_[decision.argmax(axis=1)])
        assert ours.margin_.shape == (classes * (classes - 1) // 2,)


def test_one_against_the_rest_is_a_fit_for_each_class():
    X, y = mixed(150, classes=3)
    model = ls.SVC(multi_class="ovr").fit(X, y)
    assert model.dual_coef_.shape == (3, len(model.support_))
    for k in range(3):
        single = ls.SVC(gamma=model._gamma).fit(X, y == k)
        np.testing.assert_allclose(
            model.decision_function(X)[:, k], single.decision_function(X), atol=1e-7
        )
    assert model.certificate_.verify(X, y)


def test_margin_slack_and_alphas():
    X, y = mixed()
    model = ls.SVC(kernel="linear").fit(X, y)
    signs = np.where(y == 1, 1, -1)
    margins = signs * model.decision_function(X)
    np.testing.assert_allclose(model.slack_[0], np.maximum(0, 1 - margins), atol=1e-8)
    assert model.margin_ == pytest.approx(2 / np.linalg.norm(model.coef_))
    np.testing.assert_array_equal(np.flatnonzero(model.alphas_[0]), np.sort(model.support_))
    np.testing.assert_allclose((signs * model.alphas_[0]) @ X, model.coef_[0], atol=1e-10)
    assert (model.slack_[0][model.alphas_[0] == 0] < 1e-8).all()


def test_the_feature_map_of_the_notes():
    """Note 003: (1 + x·z)² is the dot product of φ = [1, x1², √2 x1x2, x2², √2 x1, √2 x2]."""
    X, y = mixed(80, 2)
    a, b = X.T
    r = np.sqrt(2)
    phi = np.column_stack([np.ones(80), a**2, r * a * b, b**2, r * a, r * b])
    kernel = ls.SVC(kernel="poly", degree=2, gamma=1, coef0=1).fit(X, y)
    linear = ls.SVC(kernel="linear").fit(phi, y)
    np.testing.assert_allclose(
        kernel.decision_function(X), linear.decision_function(phi), atol=1e-7
    )
    assert kernel.margin_ == pytest.approx(linear.margin_, rel=1e-7)
    np.testing.assert_allclose(
        linear.decision_function(phi),
        ls.LinearSVC().fit(phi, y).decision_function(phi),
        atol=1e-5,
    )


def test_sigma_is_the_width():
    X, y = mixed()
    a, b = ls.SVC(sigma=0.7).fit(X, y), ls.SVC(gamma=1 / (2 * 0.49)).fit(X, y)
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-9)
    with pytest.raises(ValueError, match="give one of them"):
        ls.SVC(sigma=1.0, gamma=0.5).fit(X, y)


# ---- hard margins -------------------------------------------------------------------------------


def test_hard_margins():
    X, y = ls.datasets.load("or")
    model = ls.SVC(np.inf, kernel="linear").fit(X, y)
    np.testing.assert_allclose(model.coef_, [[2, 2]], atol=1e-7)
    np.testing.assert_allclose(model.intercept_, [-1], atol=1e-7)
    assert model.margin_ == pytest.approx(2 * ls.separability(X, y).geometric.margin)
    assert model.certificate_.verify(X, y)
    X, y = mixed(200, 3)
    rbf = ls.SVC(np.inf, gamma=2.0).fit(X, y)
    assert rbf.score(X, y) == 1
    assert rbf.certificate_.verify(X, y)
    assert rbf.certificate_.gap <= 1e-6 * rbf.certificate_.primal


def test_no_hard_margin_is_said():
    X, y = ls.datasets.load("xor")
    with pytest.raises(ValueError, match="not separable"):
        ls.SVC(np.inf, kernel="linear").fit(X, y)
    X = np.vstack([X, X[:1]])
    with pytest.raises(ValueError, match=r"not separable in the feature space"):
        ls.SVC(np.inf).fit(X, np.r_[y, -y[0]])


# ---- certificates -------------------------------------------------------------------------------


def test_forged_claims_are_rejected(monkeypatch):
    X, y = mixed()
    claim = ls.SVC().fit(X, y).certificate_
    alpha = claim.alpha.copy()
    i, j = np.flatnonzero((alpha > 0.1) & (alpha < 0.9) & (y == 1))[:2]
    alpha[i], alpha[j] = alpha[i] + 0.05, alpha[j] - 0.05
    forged = [
        {"alpha": alpha},
        {"alpha": 1.5 * claim.alpha},
        {"alpha": -claim.alpha},
        {"alpha": claim.alpha[:-1]},
        {"alpha": np.full(len(y), np.nan)},
        {"bias": claim.bias + 0.01},
        {"bias": np.nan},
        {"C": 0.9},
        {"C": 2.0},
        {"primal": claim.primal * 1.001},
        {"dual": claim.dual * 1.001},
        {"parameters": {**claim.parameters, "gamma": 0.31}},
        {"kernel": "linear"},
        {"gap": None},
        {"classes": np.array([0, 2])},
    ]
    assert claim.verify(X, y)
    for change in forged:
        assert not dataclasses.replace(claim, **change).verify(X, y).claim_holds, change
    assert not claim.verify(X + 0.01 * np.sin(X), y).claim_holds
    assert not claim.verify(X, 1 - y).claim_holds
    X, y = mixed(900)
    monkeypatch.setattr(svc_many, "ALONE", 0)
    stopped = _interrupted(X, y, 1)
    lie = dataclasses.replace(stopped.certificate_, gap=1e-9, status=Status.CONVERGED, kkt=1e-9)
    assert stopped.certificate_.verify(X, y).claim_holds
    assert not lie.verify(X, y).claim_holds


def test_weights_belong_to_the_claim():
    X, y = mixed(classes=3)
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    model = ls.SVC(5.0).fit(X, y, weight)
    assert model.certificate_.verify(X, y, weight)
    assert not model.certificate_.verify(X, y).claim_holds
    assert not model.certificate_.verify(X, y, weight + 1).claim_holds
    kept = np.repeat(np.arange(len(y)), weight.astype(int))
    again = ls.SVC(5.0, gamma=model._gamma).fit(X[kept], y[kept])
    np.testing.assert_allclose(model._problem_scores(X), again._problem_scores(X), atol=1e-7)
    balanced = ls.SVC(class_weight={0: 2.0, 1: 1.0, 2: 0.5}).fit(X, y)
    by_hand = ls.SVC(gamma=balanced._gamma).fit(X, y, np.array([2.0, 1.0, 0.5])[y])
    np.testing.assert_allclose(balanced.dual_coef_, by_hand.dual_coef_, atol=1e-8)


# ---- stopping early -----------------------------------------------------------------------------


class Interrupt(ls.Observer):
    def __init__(self, step):
        self.at = step
        self.tasks = []

    def begin(self, task, total):
        self.tasks.append(task)

    def step(self, done, state):
        if done == self.at:
            raise KeyboardInterrupt
        return False


def _interrupted(X, y, step, **options):
    model = ls.SVC(tol=1e-9, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with ls.observe(Interrupt(step)):
            return model.fit(X, y)


@pytest.mark.share(3)
@pytest.mark.parametrize(("n", "step"), [(300, 1), (1300, 1), (1300, 3)])
def test_ctrl_c_keeps_a_feasible_answer(monkeypatch, n, step):
    monkeypatch.setattr(svc_solving, "SMALL", 100)
    monkeypatch.setattr(svc_many, "ALONE", 0)
    X, y = mixed(n, 5)
    with pytest.warns(ConvergenceWarning, match="violated by"), ls.observe(Interrupt(step)):
        model = ls.SVC(10.0, tol=1e-9).fit(X, y)
    claim = model.certificate_
    assert claim.status is Status.INTERRUPTED
    assert claim.kkt > 1e-9
    alpha, signs = claim.alpha, np.where(y == 1, 1, -1)
    assert (alpha >= 0).all()
    assert (alpha <= 10).all()
    assert abs(alpha @ signs) < 1e-9 * alpha.sum()
    assert claim.verify(X, y).claim_holds
    best = ls.SVC(10.0, tol=1e-7).fit(X, y).certificate_
    assert claim.dual <= best.primal
    assert claim.primal - claim.gap <= best.primal * (1 + 1e-9)


def test_ctrl_c_in_one_of_several_problems():
    X, y = mixed(200, classes=4)
    watcher = Interrupt(1)
    with pytest.warns(ConvergenceWarning), ls.observe(watcher):
        model = ls.SVC().fit(X, y)
    assert model.certificate_.verify(X, y).claim_holds
    assert model.predict(X).shape == y.shape
    # what was within tol when it was stopped has converged
    assert {result.status for result in model.results_} <= {Status.INTERRUPTED, Status.CONVERGED}
    assert model.results_[-1].status is Status.INTERRUPTED


def test_few_steps_warn_and_long_fits_are_announced(monkeypatch):
    X, y = mixed(1200, 5)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = ls.SVC(100.0, max_iter=2).fit(X, y)
    assert model.certificate_.verify(X, y).claim_holds
    monkeypatch.setattr(svc_solving, "LONG", 0.0)
    monkeypatch.setattr(svc_many, "ALONE", 0)
    watcher = Interrupt(-1)
    with ls.observe(watcher):
        ls.SVC().fit(X, y)
    assert "about" in watcher.tasks[0]
    assert "MB" in watcher.tasks[0]


# ---- probabilities ------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.sampled_from(["ovo", "ovr"]))
def test_probabilities_never_contradict_labels(seed, classes, multi_class):
    X, y = mixed(60, 3, seed, classes)
    model = ls.SVC(probability=True, multi_class=multi_class).fit(X, y)
    points = np.vstack([X, 3 * np.random.default_rng(seed).normal(size=(200, 3))])
    P = model.predict_proba(points)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(points))
    np.testing.assert_allclose(model.predict_log_proba(points), np.log(P), atol=1e-9)
    again = clone(model).fit(X, y)
    assert again.slope_ == model.slope_ > 0


def test_the_slope_has_the_largest_likelihood():
    rng = np.random.default_rng(0)
    f = rng.normal(size=400)
    codes = (rng.random(400) < 1 / (1 + np.exp(-3 * f))).astype(int)
    a = best_slope(np.column_stack([-f / 2, f / 2]), codes, np.ones(400), np.bincount(codes))
    assert a == pytest.approx(3.0, rel=0.25)
    with pytest.raises(AttributeError, match="predict_proba"):
        _ = ls.SVC().predict_proba


@pytest.mark.share(2)
@pytest.mark.parametrize("table", [np.asarray, sparse.csr_array])
def test_probabilities_of_weights_are_those_of_copies_in_any_order(table):
    X, y = mixed(60, 3, classes=3)
    X[y == 2] = X[y == 2][0]  # one sample only, which no fold can do without
    weight = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    weight[np.flatnonzero(y == 2)[0]] = 2.0
    model = ls.SVC(probability=True, gamma=0.5).fit(table(X), y, weight)
    rows = np.random.default_rng(2).permutation(np.repeat(np.arange(len(y)), weight.astype(int)))
    copies = ls.SVC(probability=True, gamma=0.5).fit(table(X[rows]), y[rows])
    np.testing.assert_allclose(copies.predict_proba(X), model.predict_proba(X), rtol=1e-6)
    # the weights of the fit are 1e-6 of those, at C = 1e6, but there are as many samples
    small = ls.SVC(1e6, probability=True, gamma=0.5).fit(table(X), y, 1e-6 * weight)
    assert small.slope_ == pytest.approx(model.slope_, rel=0.1)


def test_folds_are_of_samples_and_out_of_their_models():
    X, y = mixed(203, 3, classes=3)
    X, y = np.vstack([X, X[:50]]), np.concatenate([y, y[:50]])
    folds, different = folds_of(X, y, 3)
    np.testing.assert_array_equal(different, np.bincount(y[:203]))
    np.testing.assert_array_equal(folds[203:], folds[:50])
    for k in range(3):
        counts = np.bincount(folds[:203][y[:203] == k], minlength=5)
        assert counts.max() - counts.min() <= 1
    np.testing.assert_array_equal(folds_of(sparse.csr_array(X), y, 3)[0], folds)
    np.testing.assert_array_equal(folds_of(X[::-1], y[::-1], 3)[0], folds[::-1])
    # Made by hand from the folds: the decision values without the sample.
    f, binary = np.zeros(len(y)), (y > 0).astype(int)
    folds, different = folds_of(X, binary, 2)
    for k in range(5):
        out = folds == k
        f[out] = ls.SVC(gamma=0.5).fit(X[~out], binary[~out]).decision_function(X[out])
    columns = np.column_stack([-f / 2, f / 2])
    expected = best_slope(columns, binary, np.ones(len(y)), np.bincount(binary))
    model = ls.SVC(gamma=0.5, probability=True).fit(X, binary)
    assert model.slope_ == pytest.approx(expected, rel=1e-6)


def test_samples_too_few_for_probabilities_are_named():
    X, y = mixed(20, classes=2)
    with pytest.raises(ValueError, match="2 different samples"):
        ls.SVC(probability=True).fit(X[[0, 0, 1, 1]], [0, 0, 1, 1])
    labels, weight = np.array(["a", "b"])[y], np.append(np.ones(20), 0.0)
    with pytest.raises(ValueError, match="'c' has none"):
        ls.SVC(probability=True).fit(np.vstack([X, X[:1]]), np.append(labels, "c"), weight)


# ---- kinds of input -----------------------------------------------------------------------------


def test_sparse_precomputed_and_callable_give_the_same():
    X, y = mixed(classes=3)
    X = np.where(X > 0.3, X, 0.0)
    model = ls.SVC(gamma=0.3).fit(X, y)
    narrow = sparse.csr_array(X)
    wide = narrow.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    expected = model.decision_function(X)
    for table in (narrow, wide):
        other = ls.SVC(gamma=0.3).fit(table, y)
        np.testing.assert_allclose(other.decision_function(table), expected, atol=1e-7)
        assert other.certificate_.verify(table, y)
    K = rbf_kernel(X, gamma=0.3)
    given = ls.SVC(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(given.decision_function(K), expected, atol=1e-7)
    assert given.certificate_.verify(K, y)
    own = ls.SVC(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.3)).fit(X, y)
    np.testing.assert_allclose(own.decision_function(X), expected, atol=1e-7)
    weight = np.arange(len(y)) % 3.0
    a = ls.SVC(kernel="precomputed").fit(K, y, weight)
    b = ls.SVC(gamma=0.3).fit(X, y, weight)
    np.testing.assert_array_equal(a.support_, b.support_)
    np.testing.assert_allclose(a.decision_function(K), b.decision_function(X), atol=1e-7)
    np.testing.assert_array_equal(
        cross_val_score(ls.SVC(kernel="precomputed"), K, y, cv=3),
        cross_val_score(ls.SVC(gamma=0.3), X, y, cv=3),
    )


@pytest.mark.parametrize("options", KERNELS, ids=lambda o: o["kernel"])
def test_float32_stays_float32(options):
    X, y = mixed()
    single = ls.SVC(**options, probability=True).fit(X.astype(np.float32), y)
    double = ls.SVC(**options).fit(X.astype(np.float32).astype(np.float64), y)
    for values in (
        single.dual_coef_,
        single.intercept_,
        single.decision_function(X.astype(np.float32)),
        single.predict_proba(X.astype(np.float32)),
    ):
        assert values.dtype == np.float32
    np.testing.assert_allclose(
        single.decision_function(X.astype(np.float32)), double.decision_function(X), atol=1e-4
    )
    assert single.certificate_.verify(X.astype(np.float32), y).claim_holds


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("scale", [1e150, 1e-150, 1e30])
def test_units_do_not_matter(kernel, scale):
    X, y = mixed()
    C = 1.0 if kernel != "linear" else scale**-2.0
    plain = ls.SVC(kernel=kernel).fit(X, y)
    scaled = ls.SVC(C, kernel=kernel).fit(X * scale, y)
    np.testing.assert_allclose(
        scaled.decision_function(X * scale), plain.decision_function(X), atol=1e-5
    )
    assert scaled.certificate_.verify(X * scale, y)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_an_offset_does_not_matter(kernel):
    X, y = mixed()
    X = np.round(X, 3)
    plain = ls.SVC(kernel=kernel, gamma=0.3).fit(X, y)
    moved = ls.SVC(kernel=kernel, gamma=0.3).fit(X + 1e8, y)
    np.testing.assert_allclose(
        moved.decision_function(X + 1e8), plain.decision_function(X), atol=1e-5
    )
    assert moved.certificate_.verify(X + 1e8, y)


def test_points_beyond_the_range():
    X, y = mixed()
    model = ls.SVC().fit(X, y)
    far = np.full((1, 4), 1e300)
    np.testing.assert_allclose(model.decision_function(far), model.intercept_)
    with pytest.raises(ValueError, match="range"):
        ls.SVC(kernel="poly").fit(X, y).decision_function(far)


def test_memory_limits_change_nothing():
    X, y = mixed(1200, 80, classes=3)
    free, tight = ls.SVC(tol=1e-6).fit(X, y), ls.SVC(tol=1e-6, memory_limit=1e6).fit(X, y)
    np.testing.assert_allclose(free.decision_function(X), tight.decision_function(X), atol=1e-4)


def test_labels_names_and_pickles():
    X, codes = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[codes]
    model = ls.SVC().fit(X, y)
    assert model.score(X, y) > 0.95
    assert set(model.certificate_.parts) == {
        "versicolor vs setosa",
        "virginica vs setosa",
        "virginica vs versicolor",
    }
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again.certificate_.verify(X, y)
    assert "KKT" in repr(model.certificate_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "gauss"}, "'rbf'"),
        ({"kernel": "precomputed"}, "square"),
        ({"gamma": "wide"}, "'scale'"),
        ({"gamma": -1.0}, "gamma"),
        ({"sigma": 0.0}, "sigma"),
        ({"C": 0.0}, "C"),
        ({"C": np.nan}, "C"),
        ({"tol": 0.0}, "tol"),
        ({"memory_limit": -1}, "memory_limit"),
        ({"max_iter": 0}, "max_iter"),
        ({"multi_class": "all"}, "multi_class"),
        ({"kernel": lambda A, B: np.zeros((2, 2))}, "must return a matrix"),
        ({"kernel": lambda A, B: np.full((len(A), len(B)), np.nan)}, "NaN"),
        ({"kernel": "poly", "gamma": 1e200, "degree": 5}, "range|overflow"),
    ],
)
def test_bad_options(options, message):
    X, y = mixed()
    with pytest.raises(ValueError, match=message):
        ls.SVC(**options).fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("C", [1.0, 1e3])
def test_small_sparse_tables_have_the_answer_of_dense_ones(kernel, C):
    """Fits that end within rounding of each other may have other probabilities: these are equal."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = 1e3 * rng.normal(size=(5, 1 + seed % 2)), np.array([0, 0, 1, 1, seed % 2])
        models = [
            ls.SVC(C, kernel=kernel, probability=True).fit(table, y)
            for table in (X, sparse.csr_matrix(X))
        ]
        dense, rare = (model.predict_proba(X) for model in models)
        np.testing.assert_array_equal(dense, rare)
        assert sparse.issparse(models[1].support_vectors_)
        assert models[1].verify(sparse.csr_matrix(X), y).claim_holds
