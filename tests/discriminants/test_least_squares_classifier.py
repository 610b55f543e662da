"""The least squares classifier: its formula, a ridge classifier, Fisher's direction, its proofs."""

import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import RidgeClassifier

import linscope as ls
from linscope.discriminants.solvers.moments import class_moments
from linscope.discriminants.solvers.one_of_k import regression_moments, solve_quickly, targets
from linscope.engines import choose
from linscope.least_squares.solvers.moments import exact_moments
from linscope.results import Status


def classes(n=120, d=4, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    means = 2 * rng.standard_normal((k, d))
    return rng.standard_normal((n, d)) + means[y], y


def formula(X, y, alpha=0.0, intercept=True):
    """W = (XᵀX + αI)⁻¹ XᵀT by an augmented least squares problem."""
    T = np.eye(y.max() + 1)[y]
    d = X.shape[1]
    A = np.column_stack([np.ones(len(X)), X]) if intercept else X
    ridge = np.sqrt(alpha) * np.eye(A.shape[1])[int(intercept) :]
    W = np.linalg.lstsq(np.vstack([A, ridge]), np.vstack([T, np.zeros((d, T.shape[1]))]))[0]
    return W.T


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.7, 100.0])
def test_the_formula_of_the_notes(alpha, intercept):
    X, y = classes()
    model = ls.LeastSquaresClassifier(alpha=alpha, fit_intercept=intercept).fit(X, y)
    W = formula(X, y, alpha, intercept)
    np.testing.assert_allclose(model.coef_, W[:, -4:], rtol=1e-9, atol=1e-12)
    if intercept:
        np.testing.assert_allclose(model.intercept_, W[:, 0], rtol=1e-9)
    else:
        assert not model.intercept_.any()
    scores = model.decision_function(X)
    np.testing.assert_array_equal(model.predict(X), scores.argmax(axis=1))
    check = model.certificate_.verify(X, y)
    assert check, check.reason


@pytest.mark.parametrize("intercept", [True, False])
def test_two_classes_are_the_difference_of_their_columns(intercept):
    X, y = classes(k=2)
    model = ls.LeastSquaresClassifier(fit_intercept=intercept).fit(X, y)
    W = formula(X, y, intercept=intercept)
    assert model.coef_.shape == (1, 4)
    np.testing.assert_allclose(model.coef_[0], (W[1] - W[0])[-4:], rtol=1e-9)
    A = np.column_stack([np.ones(len(X)), X]) if intercept else X
    np.testing.assert_array_equal(model.predict(X), (A @ W.T).argmax(axis=1))
    score = model.decision_function(X)
    np.testing.assert_array_equal(model.predict(X), (score > 0).astype(int))


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("alpha", [0.1, 10.0])
def test_against_the_ridge_classifier_of_scikit_learn(load, alpha):
    """Its targets are ±1 for every class: twice the weights of 1-of-K targets."""
    X, y = load(return_X_y=True)
    ours = ls.LeastSquaresClassifier(alpha=alpha).fit(X, y)
    theirs = RidgeClassifier(alpha=alpha, solver="svd").fit(X, y)
    factor = 1 if len(np.unique(y)) == 2 else 2
    theirs_coef = np.atleast_2d(theirs.coef_)
    np.testing.assert_allclose(factor * ours.coef_, theirs_coef, rtol=1e-7, atol=1e-10)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    check = ours.certificate_.verify(X, y)
    assert check, check.reason


@given(seed=st.integers(0, 1000), share=st.floats(0.05, 0.95), d=st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_the_direction_is_fishers_whatever_the_class_sizes(seed, share, d):
    rng = np.random.default_rng(seed)
    y = (rng.uniform(size=80) < share).astype(int)
    y[:2], y[2:4] = 0, 1
    X = rng.standard_normal((80, d)) + y[:, None] * rng.standard_normal(d)
    w = ls.LeastSquaresClassifier().fit(X, y).coef_[0]
    fisher = ls.FisherDiscriminant().fit(X, y).direction_
    np.testing.assert_allclose(w / np.linalg.norm(w), fisher, atol=1e-9)
    # with targets N/N_1 and −N/N_2 it is S_W⁻¹(m_2 − m_1) up to a factor as well
    n = np.bincount(y)
    t = np.where(y == 1, len(y) / n[1], -len(y) / n[0])
    other = ls.LinearRegression().fit(X, t).coef_
    np.testing.assert_allclose(other / np.linalg.norm(other), fisher, atol=1e-9)


def test_small_tables_are_solved_to_the_last_digit():
    X, y = [[0, 1], [1, 3], [2, 2], [3, 5], [4, 4], [5, 9]], [0, 1, 0, 1, 1, 0]
    model = ls.LeastSquaresClassifier().fit(X, y)
    A = [[Fraction(1), Fraction(a), Fraction(b)] for a, b in X]
    t = [Fraction(2 * v - 1) for v in y]
    M = [[sum(r[i] * r[j] for r in A) for j in range(3)] for i in range(3)]
    v = [sum(r[i] * u for r, u in zip(A, t, strict=True)) for i in range(3)]
    for i in range(3):  # Gauss-Jordan in fractions
        p = M[i][i]
        M[i], v[i] = [x / p for x in M[i]], v[i] / p
        for k in range(3):
            if k != i:
                f = M[k][i]
                M[k] = [a - f * b for a, b in zip(M[k], M[i], strict=True)]
                v[k] -= f * v[i]
    assert [model.intercept_[0], *model.coef_[0]] == [float(x) for x in v]
    assert model.certificate_.regression.digits > 15


@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_class_moments_give_the_moments_of_the_regression(k, offset):
    """The targets are never made, but their products are right."""
    X, y = classes(n=300, k=k)
    X = X + offset
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 300)
    found = regression_moments(class_moments(choose(X, y, weight), k))
    true = exact_moments(choose(X, targets(y, k), weight)).in_frame(found.frame)
    upper = np.triu_indices(len(true.gram.hi))
    size = np.sqrt(np.outer(*2 * [np.diag(true.gram.hi)]))[upper]
    assert (np.abs(found.gram.hi[upper] - true.gram.hi[upper]) <= 1e-13 * size).all()


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 3.0])
@pytest.mark.parametrize("k", [2, 4])
def test_many_rows_are_solved_from_class_moments(k, alpha, intercept):
    X, y = classes(n=30_000, d=12, k=k)
    options = {"alpha": alpha, "fit_intercept": intercept}
    model = ls.LeastSquaresClassifier(**options).fit(X, y)
    assert model.result_.details["path"] == "float"
    small = solve_quickly(class_moments(choose(X, y), k), **options)
    np.testing.assert_array_equal(small.weights, model.certificate_.weights)
    W = formula(X, y, alpha, intercept)
    W = W[1:] - W[:1] if k == 2 else W
    np.testing.assert_allclose(model.coef_, W[:, -12:], rtol=1e-9, atol=1e-12)
    check = model.certificate_.verify(X, y)
    assert check, check.reason


def test_columns_close_to_dependent_go_to_the_exact_solver():
    rng = np.random.default_rng(0)
    y = np.arange(40_000) % 3
    X = rng.standard_normal((40_000, 10)) + np.eye(10)[y]
    X[:, 9] = X[:, 0] + 1e-7 * rng.standard_normal(40_000)
    model = ls.LeastSquaresClassifier().fit(X, y)
    assert model.result_.details["path"] != "float"
    assert model.certificate_.regression.digits > 6
    check = model.certificate_.verify(X, y)
    assert check, check.reason


@pytest.mark.parametrize("k", [2, 3])
def test_dense_is_sparse_and_weights_are_repeated_rows(k):
    X, y = classes(k=k)
    X[np.abs(X) < 0.7] = 0.0
    plain = ls.LeastSquaresClassifier().fit(X, y)
    stored = clone(plain).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(stored.coef_, plain.coef_, rtol=1e-10)
    np.testing.assert_allclose(
        stored.decision_function(sparse.csr_array(X)), plain.decision_function(X), atol=1e-12
    )
    times = np.arange(len(y)) % 4
    weighted = clone(plain).fit(X, y, sample_weight=times)
    repeated = clone(plain).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)
    assert weighted.certificate_.verify(X, y, sample_weight=times)
    assert not weighted.certificate_.verify(X, y).claim_holds
    balanced = clone(plain).set_params(class_weight="balanced").fit(X, y)
    by_hand = clone(plain).fit(X, y, sample_weight=len(y) / (k * np.bincount(y))[y])
    np.testing.assert_allclose(balanced.coef_, by_hand.coef_, rtol=1e-12)
    check = balanced.certificate_.verify(X, y)
    assert check, check.reason


@pytest.mark.parametrize("options", [{}, {"alpha": 2.0}, {"fit_intercept": False}], ids=str)
@pytest.mark.parametrize("k", [2, 3])
def test_chunks_make_the_same_model(k, options):
    X, y = classes(k=k)
    whole = ls.LeastSquaresClassifier(**options).fit(X, y)
    chunked, order = clone(whole), np.argsort(y, kind="stable")
    for part in np.array_split(order, 7):
        chunked.partial_fit(X[part], y[part], classes=range(k))
        assert set(chunked.predict(X)) <= set(y[order[: part[-1] + 1]]) | set(range(k))
    np.testing.assert_allclose(chunked.coef_, whole.coef_, rtol=1e-14)
    np.testing.assert_allclose(chunked.intercept_, whole.intercept_, rtol=1e-14)
    check = chunked.certificate_.verify(X, y)
    assert check, check.reason
    more = clone(whole).fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
    np.testing.assert_allclose(more.coef_, whole.coef_, rtol=1e-14)


def test_classes_that_have_not_come_yet_are_never_predicted():
    X, y = classes()
    for intercept in (True, False):
        model = ls.LeastSquaresClassifier(fit_intercept=intercept)
        model.partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
        assert set(model.predict(X)) <= {0, 1}
        assert model.certificate_.verify(X[y < 2], y[y < 2])


def test_threads_change_no_bit(monkeypatch):
    X, y = classes(n=60_000, d=20)
    results = []
    for threads in ("1", "3"):
        monkeypatch.setenv("LINSCOPE_THREADS", threads)
        model = ls.LeastSquaresClassifier().fit(X, y)
        results.append((model.coef_, model.intercept_, model.decision_function(X)))
    for one, many in zip(*results, strict=True):
        np.testing.assert_array_equal(one, many)


@pytest.mark.parametrize("n", [200, 40_000])
def test_offsets_lose_nothing(n):
    X, y = classes(n=n, d=10)
    shift = 1e8 * np.linspace(-1, 2, 10)
    far, near = X + shift, (X + shift) - shift  # the same roundings
    a, b = (ls.LeastSquaresClassifier().fit(table, y) for table in (far, near))
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(a.decision_function(far), b.decision_function(near), atol=1e-5)
    check = a.certificate_.verify(far, y)
    assert check, check.reason


@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_extreme_units(size):
    X, y = classes()
    X /= np.abs(X).max()
    unit = np.array([1.0, size, 1.0, 1 / size])
    plain = ls.LeastSquaresClassifier().fit(X, y)
    scaled = ls.LeastSquaresClassifier().fit(X * unit, y)
    np.testing.assert_allclose(scaled.coef_ * unit, plain.coef_, rtol=1e-9)
    np.testing.assert_array_equal(scaled.predict(X * unit), plain.predict(X))
    assert scaled.certificate_.verify(X * unit, y)


def test_dependent_columns_are_named():
    X, y = classes()
    X = np.round(X, 2) * 64  # so that sums are exact
    X = np.round(X)
    wide = np.column_stack([X, X[:, 0] + X[:, 1], np.full(len(y), 2.0)])
    model = ls.LeastSquaresClassifier().fit(wide, y)
    assert model.certificate_.status is Status.RANK_DEFICIENT
    assert model.rank_ == 4
    np.testing.assert_allclose(
        model.decision_function(wide),
        ls.LeastSquaresClassifier().fit(X, y).decision_function(X),
        atol=1e-10,
    )
    check = model.certificate_.verify(wide, y)
    assert check, check.reason
    again = ls.LeastSquaresClassifier()
    for part in np.array_split(np.arange(len(y)), 4):
        again.partial_fit(wide[part], y[part], classes=[0, 1, 2])
    np.testing.assert_allclose(again.coef_, model.coef_, atol=1e-12)
    check = again.certificate_.verify(wide, y)
    assert check.claim_holds, check.reason


@pytest.mark.parametrize("d", [50, 800])
def test_more_features_than_samples(d):
    X, y = classes(n=30, d=d)
    model = ls.LeastSquaresClassifier().fit(X, y)
    assert model.score(X, y) == 1.0
    check = model.certificate_.verify(X, y)
    assert check, check.reason
    if d == 800:
        with pytest.raises(ValueError, match="without moments"):
            model.partial_fit(X, y)


def test_single_precision_labels_and_pickles():
    X, y = classes()
    names = np.array(["ant", "bee", "cat"])[y]
    model = ls.LeastSquaresClassifier().fit(X.astype(np.float32), names)
    assert model.coef_.dtype == model.decision_function(X.astype(np.float32)).dtype == np.float32
    assert set(model.predict(X)) == {"ant", "bee", "cat"}
    assert model.certificate_.verify(X.astype(np.float32), names)
    assert set(model.equation()) == {"bee vs ant", "cat vs ant", "cat vs bee"}
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    one_hot = ls.LeastSquaresClassifier().fit(X, np.eye(3)[y])
    np.testing.assert_array_equal(
        one_hot.predict(X), ls.LeastSquaresClassifier().fit(X, y).predict(X)
    )


def test_bad_input():
    X, y = classes()
    bad = X.copy()
    bad[4, 2] = np.inf
    with pytest.raises(ValueError, match="inf at row 4, column 2"):
        ls.LeastSquaresClassifier().fit(bad, y)
    with pytest.raises(ValueError, match="inf at row 4"):
        ls.LeastSquaresClassifier().fit(X, y).predict(bad)
    with pytest.raises(ValueError, match="alpha"):
        ls.LeastSquaresClassifier(alpha=-1.0).fit(X, y)
    with pytest.raises(ValueError, match="one class"):
        ls.LeastSquaresClassifier().fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="balanced"):
        ls.LeastSquaresClassifier(class_weight="balanced").partial_fit(X, y)


FORGED = {
    "weights": lambda c: {
        "regression": replace(c.regression, weights=c.regression.weights * (1 + 1e-9))
    },
    "labels": lambda c: {"labels": tuple(reversed(c.labels))},
    "other labels": lambda c: {"labels": (7, 8, 9)[: len(c.labels)]},
    "objective": lambda c: {"primal": 0.0},
    "residuals": lambda c: {"regression": replace(c.regression, rss=c.regression.rss * 0.9)},
    "penalty": lambda c: {"regression": replace(c.regression, alpha=1.0)},
    "status": lambda c: {"status": Status.SEPARATED},
    "gap": lambda c: {"gap": 0.0},
    "weighted": lambda c: {"weighted": True},
    "class weight": lambda c: {"class_weight": {0: 2.0}},
    "no regression": lambda c: {"regression": None},
}


@pytest.mark.parametrize("forged", FORGED)
@pytest.mark.parametrize("k", [2, 3])
def test_forged_claims_are_rejected(k, forged):
    X, y = classes(k=k)
    true = ls.LeastSquaresClassifier().fit(X, y).certificate_
    assert true.verify(X, y)
    check = replace(true, **FORGED[forged](true)).verify(X, y)
    assert not check.claim_holds
    assert check.reason
    moved, swapped = X.copy(), y.copy()
    moved[7, 1] += 1e-3
    swapped[[0, 1]] = swapped[[1, 0]]
    for data in ((moved, y), (X, swapped), (X[:-1], y[:-1]), (X[:, :3], y)):
        assert not true.verify(*data).claim_holds
    assert "targets" in str(true)
