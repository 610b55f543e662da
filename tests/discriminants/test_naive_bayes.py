"""Gaussian naive Bayes: scikit-learn, the notes' derivation of the logistic posterior, moments."""

import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB

import linscope as ls
from linscope.results import Status

BOTH = pytest.mark.parametrize("shared", [False, True])


def classes(n=120, d=4, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    y[: 2 * k] = np.arange(2 * k) % k
    means, spreads = 2 * rng.standard_normal((k, d)), rng.uniform(0.5, 2.0, (k, d))
    return means[y] + spreads[y] * rng.standard_normal((n, d)), y


@pytest.mark.parametrize("priors", [None, "given"])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_against_scikit_learn_without_smoothing(load, priors):
    X, y = load(return_X_y=True)
    K = len(np.unique(y))
    priors = None if priors is None else np.arange(1, K + 1) / (K * (K + 1) / 2)
    ours = ls.GaussianNaiveBayes(priors=priors).fit(X, y)
    theirs = GaussianNB(priors=priors, var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=1e-12)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-10)
    np.testing.assert_allclose(ours.class_prior_, theirs.class_prior_, rtol=1e-12)
    np.testing.assert_array_equal(ours.class_count_, theirs.class_count_)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-9
    )
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(
        ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-8, atol=1e-9
    )
    check = ours.certificate_.verify(X, y)
    assert check, check.reason


@BOTH
def test_discriminants_are_log_densities_and_log_priors(shared):
    X, y = classes()
    model = ls.GaussianNaiveBayes(shared_variance=shared).fit(X, y)
    for k in range(3):
        densities = stats.norm.logpdf(X, model.theta_[k], np.sqrt(model.var_[k]))
        expected = densities.sum(axis=1) + np.log(model.class_prior_[k])
        np.testing.assert_allclose(model.discriminants(X)[:, k], expected, rtol=1e-10)
    np.testing.assert_array_equal(model.predict(X), model.discriminants(X).argmax(axis=1))


def test_shared_variance_is_the_variance_within_classes():
    X, y = classes()
    model = ls.GaussianNaiveBayes(shared_variance=True).fit(X, y)
    within = np.mean((X - model.theta_[y]) ** 2, axis=0)
    np.testing.assert_allclose(model.var_, np.tile(within, (3, 1)), rtol=1e-12)


@given(
    seed=st.integers(0, 1000),
    slope=st.floats(1e-3, 1e3),
    shift=st.floats(-1e3, 1e3),
    shape=st.sampled_from(["linear", "cube", "exp", "arctan", "posterior"]),
)
@settings(max_examples=50, deadline=None)
def test_any_increasing_function_of_the_discriminants_decides_alike(seed, slope, shift, shape):
    """The discriminant functions are not unique: f(g_k) will do, f increasing."""
    X, y = classes(seed=seed)
    model = ls.GaussianNaiveBayes().fit(X, y)
    g = model.discriminants(X)
    top = g.max(axis=1, keepdims=True)
    changed = {
        "linear": slope * g + shift,
        "cube": g**3,
        "exp": np.exp(g - top),  # P(x | C_k) P(C_k), up to a factor
        "arctan": np.arctan(g - top),
        "posterior": model.predict_proba(X),
    }[shape]
    np.testing.assert_array_equal(model.classes_[changed.argmax(axis=1)], model.predict(X))


def test_weights_of_the_notes_derivation():
    """w_i = (μ_i1 − μ_i0)/σ_i², w_0 = ln(π/(1 − π)) + Σ (μ_i0² − μ_i1²)/(2σ_i²)."""
    X, y = classes(k=2)
    model = ls.GaussianNaiveBayes(shared_variance=True).fit(X, y)
    (m0, m1), var, pi = model.theta_, model.var_[0], y.mean()
    w = model.as_logistic()
    np.testing.assert_allclose(w[1:], (m1 - m0) / var, rtol=1e-12)
    bias = np.log(pi / (1 - pi)) + ((m0**2 - m1**2) / (2 * var)).sum()
    assert w[0] == pytest.approx(bias, rel=1e-12)
    score = w[0] + X @ w[1:]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(score), atol=1e-12)
    np.testing.assert_allclose(model.decision_function(X), score, rtol=1e-10, atol=1e-10)
    assert model.equation().endswith("⇒ 1")


@given(seed=st.integers(0, 1000), k=st.integers(2, 5), d=st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_the_posterior_is_the_sigmoid_or_softmax_of_the_weights(seed, k, d):
    X, y = classes(d=d, k=k, seed=seed)
    model = ls.GaussianNaiveBayes(shared_variance=True).fit(X, y)
    W = model.as_logistic()
    augmented = np.column_stack([np.ones(len(X)), X])
    if k == 2:
        assert W.shape == (d + 1,)
        posterior = expit(augmented @ W)
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], posterior, atol=1e-12)
    else:
        assert W.shape == (k, d + 1)
        posterior = softmax(augmented @ W.T, axis=1)
        np.testing.assert_allclose(model.predict_proba(X), posterior, atol=1e-12)
        assert set(model.equation()) == {f"{b} vs {a}" for b in range(k) for a in range(b)}


def test_different_variances_are_no_logistic_regression():
    X, y = classes()
    with pytest.raises(ValueError, match="quadratic"):
        ls.GaussianNaiveBayes().fit(X, y).as_logistic()
    equal = ls.GaussianNaiveBayes().fit([[0.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
    np.testing.assert_allclose(equal.as_logistic(), [-17.5, 5.0])


@BOTH
def test_dense_is_sparse_and_weights_are_repeated_rows(shared):
    X, y = classes()
    X[np.abs(X) < 0.7] = 0.0
    plain = ls.GaussianNaiveBayes(shared_variance=shared).fit(X, y)
    stored = clone(plain).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(stored.var_, plain.var_, rtol=1e-10)
    np.testing.assert_allclose(
        stored.discriminants(sparse.csr_array(X)), plain.discriminants(X), rtol=1e-9
    )
    times = np.arange(len(y)) % 4
    weighted = clone(plain).fit(X, y, sample_weight=times)
    repeated = clone(plain).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.var_, repeated.var_, rtol=1e-10)
    np.testing.assert_allclose(weighted.theta_, repeated.theta_, rtol=1e-12)
    np.testing.assert_allclose(weighted.class_prior_, repeated.class_prior_, rtol=1e-12)
    assert weighted.certificate_.verify(X, y, sample_weight=times)
    assert not weighted.certificate_.verify(X, y).claim_holds
    theirs = GaussianNB(var_smoothing=0).fit(X, y, sample_weight=times)
    if not shared:
        np.testing.assert_allclose(weighted.var_, theirs.var_, rtol=1e-10)


@BOTH
def test_chunks_make_the_same_model(shared):
    X, y = classes()
    whole = ls.GaussianNaiveBayes(shared_variance=shared).fit(X, y)
    chunked, order = clone(whole), np.argsort(y, kind="stable")
    for part in np.array_split(order, 9):
        chunked.partial_fit(X[part], y[part], classes=[0, 1, 2])
        assert np.isfinite(chunked.predict_proba(X)).all()
    for name in ("theta_", "var_", "class_prior_", "class_count_"):
        np.testing.assert_allclose(getattr(chunked, name), getattr(whole, name), rtol=1e-12)
    check = chunked.certificate_.verify(X, y)
    assert check, check.reason
    first = clone(whole).partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    assert set(first.predict(X)) == {0, 1}
    assert (first.predict_proba(X)[:, 2] == 0).all()
    assert first.certificate_.verify(X[y < 2], y[y < 2])


@BOTH
def test_threads_change_no_bit(shared, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60_000, 30)), rng.integers(0, 3, 60_000)
    results = []
    for threads in ("1", "3"):
        monkeypatch.setenv("LINSCOPE_THREADS", threads)
        model = ls.GaussianNaiveBayes(shared_variance=shared).fit(X, y)
        results.append((model.theta_, model.var_, model.discriminants(X)))
    for one, many in zip(*results, strict=True):
        np.testing.assert_array_equal(one, many)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@BOTH
def test_offsets_lose_nothing(shared, store):
    X, y = classes()
    shift = 1e8 * np.array([1.0, -1.0, 0.5, 2.0])
    far, near = X + shift, (X + shift) - shift  # the same roundings
    a = ls.GaussianNaiveBayes(shared_variance=shared).fit(store(far), y)
    b = ls.GaussianNaiveBayes(shared_variance=shared).fit(near, y)
    np.testing.assert_allclose(a.var_, b.var_, rtol=1e-12)
    np.testing.assert_allclose(a.discriminants(store(far)), b.discriminants(near), rtol=1e-6)
    assert a.certificate_.verify(far, y)
    if shared:
        np.testing.assert_allclose(a.as_logistic()[:, 1:], b.as_logistic()[:, 1:], rtol=1e-6)


@pytest.mark.parametrize("size", [1e-150, 1e-80, 1e80, 1e150])
@BOTH
def test_extreme_units(shared, size):
    X, y = classes()
    X /= np.abs(X).max()
    unit = np.array([1.0, size, 1.0, 1 / size])
    plain = ls.GaussianNaiveBayes(shared_variance=shared).fit(X, y)
    scaled = ls.GaussianNaiveBayes(shared_variance=shared).fit(X * unit, y)
    np.testing.assert_allclose(scaled.predict_proba(X * unit), plain.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(scaled.var_ / unit / unit, plain.var_, rtol=1e-9)
    check = scaled.certificate_.verify(X * unit, y)
    assert check, check.reason
    if shared:
        W = scaled.as_logistic()
        np.testing.assert_allclose(W[:, 1:] * unit, plain.as_logistic()[:, 1:], rtol=1e-9)


def test_single_precision():
    X, y = classes()
    small = X.astype(np.float32)
    model = ls.GaussianNaiveBayes().fit(small, y)
    exact = ls.GaussianNaiveBayes().fit(small.astype(np.float64), y)
    np.testing.assert_allclose(model.var_, exact.var_, rtol=1e-12)
    for method in ("predict_proba", "predict_log_proba", "discriminants", "decision_function"):
        found = getattr(model, method)(small)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, getattr(exact, method)(small), rtol=1e-5, atol=1e-6)
    assert model.certificate_.verify(small, y)


@BOTH
def test_variances_of_zero_are_replaced_and_named(shared):
    X, y = classes()
    same = X.copy()
    same[:, 1] = 3.0  # constant: nothing changes
    same[y == 2, 2] = 5.0  # constant in one class
    frame = pd.DataFrame(same, columns=["a", "b", "c", "d"])
    model = ls.GaussianNaiveBayes(shared_variance=shared).fit(frame, y)
    assert np.isfinite(model.predict_proba(frame)).all()
    assert model.certificate_.replaced == ((1,) if shared else (1, 2))
    assert f": {'b' if shared else 'b, c'}" in str(model.certificate_)
    check = model.certificate_.verify(frame, y)
    assert check, check.reason
    without = ls.GaussianNaiveBayes(shared_variance=shared).fit(frame.drop(columns="b"), y)
    np.testing.assert_allclose(
        model.predict_proba(frame), without.predict_proba(frame.drop(columns="b")), atol=1e-12
    )
    if not shared:
        expected = same[:, 2].var() / ((y == 2).sum() + 1)
        assert model.var_[2, 2] == pytest.approx(expected, rel=1e-9)


def test_digits_have_many_variances_of_zero():
    X, y = load_digits(return_X_y=True)
    model = ls.GaussianNaiveBayes().fit(X[::2], y[::2])
    theirs = GaussianNB().fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) >= theirs.score(X[1::2], y[1::2])
    check = model.certificate_.verify(X[::2], y[::2])
    assert check, check.reason


@pytest.mark.parametrize("d", [1, 50])
def test_few_samples_and_single_features(d):
    X, y = classes(n=12, d=d, k=2)
    model = ls.GaussianNaiveBayes().fit(X, y)
    theirs = GaussianNB(var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    one_hot = np.eye(2)[y]
    np.testing.assert_array_equal(
        ls.GaussianNaiveBayes().fit(X, one_hot).predict(X), model.predict(X)
    )
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.discriminants(X), model.discriminants(X))


def test_bad_input():
    X, y = classes()
    bad = X.copy()
    bad[4, 2] = np.nan
    with pytest.raises(ValueError, match="NaN at row 4, column 2"):
        ls.GaussianNaiveBayes().fit(bad, y)
    model = ls.GaussianNaiveBayes().fit(X, y)
    for method in ("predict", "predict_proba", "discriminants"):
        with pytest.raises(ValueError, match="NaN at row 4"):
            getattr(model, method)(bad)
    bad[4, 2] = 1e200
    with pytest.raises(ValueError, match="row 4 of X is so far"):
        model.predict(bad)
    with pytest.raises(ValueError, match="beyond 1e"):
        ls.GaussianNaiveBayes().fit(bad, y)
    with pytest.raises(ValueError, match="number of priors must match"):
        ls.GaussianNaiveBayes(priors=[0.5, 0.5]).fit(X, y)
    with pytest.raises(ValueError, match="sum of the priors"):
        ls.GaussianNaiveBayes(priors=[0.5, 0.5, 0.5]).fit(X, y)
    with pytest.raises(ValueError, match="one class"):
        ls.GaussianNaiveBayes().fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="balanced"):
        ls.GaussianNaiveBayes(class_weight="balanced").partial_fit(X, y)
    with pytest.raises(ValueError, match="range of floats"):
        ls.GaussianNaiveBayes().fit([[1e-170], [2e-170], [3e-170], [5e-170]], [0, 0, 1, 1])


FORGED = {
    "variances": lambda c: {"variances": c.variances * (1 + 1e-6)},
    "a spread": lambda c: {"variances": c.variances + 1e-6 * np.eye(*c.variances.shape)},
    "means": lambda c: {"means": c.means + 1e-6},
    "totals": lambda c: {"totals": c.totals * 2},
    "priors": lambda c: {"priors": np.roll(c.priors, 1)},
    "no priors": lambda c: {"priors": np.full(3, np.nan)},
    "labels": lambda c: {"labels": (0, 1, 3)},
    "shared": lambda c: {"shared": not c.shared},
    "status": lambda c: {"status": Status.CONVERGED},
    "gap": lambda c: {"gap": 0.0},
    "replaced": lambda c: {"replaced": (1,)},
    "weighted": lambda c: {"weighted": True},
    "class weight": lambda c: {"class_weight": {0: 3.0}},
    "shape": lambda c: {"variances": c.variances[:, 1:]},
    "nan": lambda c: {"variances": c.variances * np.nan},
}


@pytest.mark.parametrize("forged", FORGED)
@BOTH
def test_forged_claims_are_rejected(shared, forged):
    X, y = classes()
    true = ls.GaussianNaiveBayes(shared_variance=shared).fit(X, y).certificate_
    assert true.verify(X, y)
    check = replace(true, **FORGED[forged](true)).verify(X, y)
    assert not check.claim_holds
    assert check.reason
    moved, swapped = X.copy(), y.copy()
    moved[7, 1] += 1e-3
    swapped[[0, 1]] = swapped[[1, 0]]
    for data in ((moved, y), (X, swapped), (X[:-1], y[:-1]), (X[:, :3], y)):
        assert not true.verify(*data).claim_holds
    assert "likelihood" in str(true)


def test_class_weight_multiplies_sample_weight():
    X, y = classes()
    balanced = ls.GaussianNaiveBayes(class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(balanced.class_prior_, 1 / 3)
    np.testing.assert_allclose(balanced.var_, ls.GaussianNaiveBayes().fit(X, y).var_, rtol=1e-12)
    assert balanced.certificate_.verify(X, y)


def test_values_one_unit_apart_have_their_true_variance():
    X = np.array([[104], [99], [97], [97], [99.00000000000001], [102]])
    y = [0, 2, 0, 1, 2, 1]
    model = ls.GaussianNaiveBayes().fit(X, y)
    unit = np.spacing(99.0)
    assert model.var_[2, 0] == (unit / 2) ** 2
    assert model.certificate_.replaced == ()
    assert model.certificate_.verify(X, y)
    assert model.verify(X, y)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_nearly_constant_columns_against_fractions(store):
    rng = np.random.default_rng(3)
    for _ in range(30):
        n = int(rng.integers(4, 12))
        base = 10.0 ** rng.integers(-3, 12)
        X = base * (1 + 2.0**-52 * rng.integers(-2, 3, size=(n, 2)))
        y, weight = np.arange(n) % 2, rng.random(n)
        model = ls.GaussianNaiveBayes().fit(store(X), y, weight)
        for k in range(2):
            w, x = [[Fraction(v) for v in a[y == k].tolist()] for a in (weight, X[:, 0])]
            mean = sum(a * b for a, b in zip(w, x, strict=True)) / sum(w)
            exact = sum(a * (b - mean) ** 2 for a, b in zip(w, x, strict=True)) / sum(w)
            if exact:
                assert abs(Fraction(float(model.var_[k, 0])) / exact - 1) < Fraction(1, 10**9)
            else:
                assert 0 in model.certificate_.replaced
        assert model.certificate_.verify(store(X), y, weight)


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e-150, 1e150, 1e160, 1e300])
@BOTH
def test_extreme_values_are_certified_or_refused(shared, size):
    X, y = classes()
    model = ls.GaussianNaiveBayes(shared_variance=shared)
    if 1e-155 < size < 1e151:
        model.fit(X * size / 8, y)
        assert model.verify(X * size / 8, y)
    else:
        with pytest.raises(ValueError, match="range of float"):
            model.fit(X * size, y)


def test_a_class_that_varies_beyond_squares_of_floats_has_its_variance_replaced():
    X, y = np.array([[0.0], [1e-200], [1.0], [3.0]]), [0, 0, 1, 1]
    model = ls.GaussianNaiveBayes().fit(X, y)
    whole = X.var() / 3
    np.testing.assert_allclose(model.var_.ravel(), [whole, 1.0])
    assert model.certificate_.replaced == (0,)
    assert model.verify(X, y)


@pytest.mark.parametrize("status", list(Status))
def test_the_status_is_part_of_the_claim(status):
    X, y = classes()
    true = ls.GaussianNaiveBayes().fit(X, y).certificate_
    assert replace(true, status=status).verify(X, y).claim_holds == (status is Status.SOLVED)


@pytest.mark.parametrize("name", ["theta_", "var_", "class_prior_", "class_count_"])
def test_the_live_attributes_are_checked(name):
    X, y = classes()
    model = ls.GaussianNaiveBayes().fit(X, y)
    assert model.verify(X, y)
    for change in (lambda v: 2 * v, lambda v: v * np.nan, lambda v: v[:-1]):
        other = ls.GaussianNaiveBayes().fit(X, y)
        setattr(other, name, change(getattr(other, name)))
        assert not other.verify(X, y).claim_holds
        assert other.certificate_.verify(X, y)
    given = ls.GaussianNaiveBayes(priors=[0.2, 0.3, 0.5]).fit(X, y)
    assert given.verify(X, y)
    given.class_prior_ = np.array([0.3, 0.2, 0.5])
    assert not given.verify(X, y).claim_holds


@pytest.mark.parametrize("accuracy", [0.0, -1.0, np.nan, np.inf, 1e-3, 1e9])
@pytest.mark.parametrize("name", ["accuracy", "tolerance"])
def test_accuracies_that_say_nothing_are_rejected(name, accuracy):
    X, y = classes()
    true = ls.GaussianNaiveBayes().fit(X, y).certificate_
    forged = {"accuracy": accuracy, "tolerance": max(accuracy, 0.02)}
    assert (
        not replace(true, **(forged if name == "tolerance" else {name: accuracy}))
        .verify(X, y)
        .claim_holds
    )


def test_large_tables_are_checked_in_floats_with_bounds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 3)) + np.array([0.0, 1e8, 1e-8])
    y = rng.integers(0, 3, 30_000)
    X[y == 1, 2] = 0.25
    model = ls.GaussianNaiveBayes().fit(X, y)
    assert model.verify(X, y)
    assert model.certificate_.replaced == (2,)
    moved = model.certificate_.variances.copy()
    moved[0, 1] *= 1 + 1e-9
    assert not replace(model.certificate_, variances=moved).verify(X, y).claim_holds


def test_a_prior_of_zero_rules_a_class_out():
    X, y = classes()
    model = ls.GaussianNaiveBayes(priors=[0.5, 0.0, 0.5]).fit(X, y)
    assert set(model.predict(X)) == {0, 2}
    assert (model.predict_proba(X)[:, 1] == 0).all()
    assert model.verify(X, y)
    theirs = GaussianNB(priors=[0.5, 0.0, 0.5], var_smoothing=0)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict(X), theirs.fit(X, y).predict(X))


def test_a_sparse_row_of_little_weight_that_stores_nothing_counts():
    """Its weight is a difference of two sums, and next to 2.5e11 nothing would be left of it."""
    dense = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    y, c = np.array([0, 0, 1, 2, 1]), np.array([2.5e11, 3.3e-11, 4.6e14, 8e10, 1e15])
    model = ls.GaussianNaiveBayes().fit(sparse.csr_array(dense), y, sample_weight=c)
    heavy, light = (Fraction(float(v)) for v in c[:2])
    true = heavy * light / (heavy + light) ** 2
    np.testing.assert_allclose(model.var_[0], float(true), rtol=1e-12)
    assert model.verify(sparse.csr_array(dense), y, sample_weight=c)


EXTREME = {
    "single samples whose squares vanish": ([[5.8e-219], [-7.2e-219], [4.9e-219]], [0, 1, 2], None),
    "a class of 1e-150 beside one of 1e80": (
        [[-1.6e-151, 7.2e-151], [1.4e-150, 6.6e-151], [-8.2e80, 2.2e80], [-1.0e-150, 8.3e-151]],
        [0, 1, 1, 0], None,
    ),
    "weights of 1e-38 on values of 1e-299": (
        [[-0.0, -1.1e-51], [-0.0, -7.5e-52], [-7.7e-299, 2.9e-52], [0.0, -1.9e-52]],
        [1, 1, 0, 0], [7.8e-39] * 4,
    ),
    "1e-300 beside 1e81": ([[1e-300], [2e-300], [1e81], [3e81]], [0, 0, 1, 1], None),
    "1e-300 and 1e81 in each class": ([[1e-300], [1e81], [2e-300], [3e81]], [0, 0, 1, 1], None),
}  # fmt: skip


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", EXTREME)
def test_values_beyond_squares_are_refused_or_right(name, shared):
    """Where squares leave the range of floats, nothing false is claimed."""
    X, y, weight = EXTREME[name]
    model = ls.GaussianNaiveBayes(shared_variance=shared)
    try:
        model.fit(X, y, sample_weight=weight)
    except ValueError as error:
        if "range of floats" not in str(error):
            raise
        return
    check = model.verify(X, y, sample_weight=weight)
    assert check.claim_holds, check.reason
    for k in (0, 1):
        rows = [Fraction(x[0]) for x, label in zip(X, y, strict=True) if label == k]
        mean = sum(rows) / len(rows)  # weights are equal
        assert abs(Fraction(float(model.theta_[k, 0])) - mean) <= max(
            abs(mean) * Fraction(1, 2**50), Fraction(1, 2**1074)
        )
