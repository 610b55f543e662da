"""Fisher's discriminant: exact rationals, scikit-learn, and what makes its direction the best."""

import pickle
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import linscope as ls
from linscope.results import Status


def two_classes(n=80, d=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    mix = rng.standard_normal((d, d))
    return rng.standard_normal((n, d)) @ mix + y[:, None] * rng.standard_normal(d), y


def many_classes(n=120, d=4, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    means = 2 * rng.standard_normal((k, d))
    return rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + means[y], y


def exact_direction(X, y):
    """S_W⁻¹ (m_2 − m_1) and J in rational arithmetic, for two features."""
    means, S = [], [[Fraction(0)] * 2 for _ in range(2)]
    for label in sorted(set(y)):
        rows = [[Fraction(v) for v in row] for row, own in zip(X, y, strict=True) if own == label]
        m = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        means.append(m)
        for row in rows:
            for i in range(2):
                for j in range(2):
                    S[i][j] += (row[i] - m[i]) * (row[j] - m[j])
    a, b = means[1][0] - means[0][0], means[1][1] - means[0][1]
    det = S[0][0] * S[1][1] - S[0][1] * S[1][0]
    w = [(S[1][1] * a - S[0][1] * b) / det, (S[0][0] * b - S[1][0] * a) / det]
    return w, w[0] * a + w[1] * b


@given(
    points=st.lists(
        st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=7, max_size=20, unique=True
    )
)
@settings(max_examples=60, deadline=None)
def test_direction_and_criterion_against_fractions(points):
    X, y = [list(p) for p in points], [i % 2 for i in range(len(points))]
    try:
        w, J = exact_direction(X, y)
    except ZeroDivisionError:
        return
    if J == 0:
        return
    model = ls.FisherDiscriminant().fit(X, y)
    exact = np.array([float(v) for v in w])
    np.testing.assert_allclose(model.direction_, exact / np.linalg.norm(exact), atol=1e-9)
    assert model.criterion_ == pytest.approx(float(J), rel=1e-9)
    assert model.criterion(model.direction_) == pytest.approx(float(J), rel=1e-9)
    check = model.certificate_.verify(X, y)
    assert check, check.reason


DATA = {"iris": load_iris, "wine": load_wine, "breast_cancer": load_breast_cancer}
SETTINGS = [
    {},
    {"shrinkage": 0.3},
    {"shrinkage": 1.0},
    {"shrinkage": "auto"},
    {"priors": True},
    {"priors": True, "shrinkage": "auto"},
]


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize("name", DATA)
def test_classification_is_that_of_scikit_learn(name, options):
    X, y = DATA[name](return_X_y=True)
    K = len(np.unique(y))
    if "priors" in options:
        options = {**options, "priors": np.arange(1, K + 1) / (K * (K + 1) / 2)}
    ours = ls.FisherDiscriminant(**options).fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr", **options).fit(X, y)
    np.testing.assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(ours.means_, theirs.means_, rtol=1e-12)
    np.testing.assert_allclose(ours.priors_, theirs.priors_, rtol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    if K == 2:
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-5)
    else:  # the scores differ by what is the same for all classes
        apart = ours.decision_function(X) - theirs.decision_function(X)
        np.testing.assert_allclose(np.ptp(apart, axis=1), 0, atol=1e-6)
    check = ours.certificate_.verify(X, y)
    assert check, check.reason


@pytest.mark.parametrize("name", DATA)
def test_directions_are_those_of_the_generalised_eigenproblem(name):
    X, y = DATA[name](return_X_y=True)
    ours = ls.FisherDiscriminant().fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    np.testing.assert_allclose(
        ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-8
    )
    m = ours.scalings_.shape[1]
    assert m == min(X.shape[1], len(np.unique(y)) - 1)
    signs = np.sign((ours.scalings_ * theirs.scalings_[:, :m]).sum(axis=0))
    np.testing.assert_allclose(ours.scalings_ * signs, theirs.scalings_[:, :m], rtol=1e-4)
    centred = theirs.transform(X)[:, :m] - theirs.transform(X)[:, :m].mean(axis=0)
    np.testing.assert_allclose(ours.transform(X) * signs, centred, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        ours.scalings_.T @ ours.covariance_ @ ours.scalings_, np.eye(m), atol=1e-9
    )


@given(seed=st.integers(0, 10_000), k=st.integers(2, 4))
@settings(max_examples=40, deadline=None)
def test_no_direction_does_better(seed, k):
    X, y = many_classes(seed=seed, k=k)
    model = ls.FisherDiscriminant().fit(X, y)
    rng = np.random.default_rng(seed)
    others = np.vstack([rng.standard_normal((50, 4)), np.eye(4)])
    best = model.direction_ if k == 2 else model.scalings_[:, 0]
    near = best + 0.01 * np.abs(best).max() * rng.standard_normal((20, 4))
    values = model.criterion(np.vstack([others, near]))
    assert (values <= model.criterion_ * (1 + 1e-7)).all()
    assert model.criterion(best) == pytest.approx(model.criterion_, rel=1e-6)
    naive = ls.FisherDiscriminant(mean_difference=True).fit(X, y)
    assert naive.criterion_ <= model.criterion_ * (1 + 1e-10)


def test_criterion_is_that_of_the_notes():
    """J(w) = (m_2 − m_1)² / (s_1² + s_2²) of the projections, scale and sign of w do not matter."""
    X, y = two_classes()
    model = ls.FisherDiscriminant().fit(X, y)
    for w in ([1.0, 0.0, 0.0], [0.3, -2.0, 5.0], model.direction_):
        z = X @ np.asarray(w)
        a, b = z[y == 0], z[y == 1]
        J = (b.mean() - a.mean()) ** 2 / (((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum())
        assert model.criterion(w) == pytest.approx(J, rel=1e-10)
        assert model.criterion(-1e200 * np.asarray(w)) == pytest.approx(J, rel=1e-10)
    assert model.criterion([0.0, 0.0, 0.0]) == 0.0
    with pytest.raises(ValueError, match="3 features"):
        model.criterion([1.0, 2.0])
    with pytest.raises(ValueError, match="NaN"):
        model.criterion([1.0, np.nan, 0.0])


def test_difference_of_means_is_the_naive_direction():
    X, y = two_classes()
    model = ls.FisherDiscriminant(mean_difference=True).fit(X, y)
    apart = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    np.testing.assert_allclose(model.direction_, apart / np.linalg.norm(apart), atol=1e-12)
    # as a classifier it is linear discriminant analysis of the projections
    z = X @ model.direction_[:, None]
    line = LinearDiscriminantAnalysis(solver="lsqr").fit(z, y)
    np.testing.assert_allclose(model.predict_proba(X), line.predict_proba(z), atol=1e-9)
    assert model.certificate_.verify(X, y)
    round_classes = np.random.default_rng(0).standard_normal((4000, 2)) + 3 * (
        np.arange(4000)[:, None] % 2
    )
    y = np.arange(4000) % 2
    both = [
        ls.FisherDiscriminant(mean_difference=naive).fit(round_classes, y).direction_
        for naive in (False, True)
    ]
    assert both[0] @ both[1] > 0.999  # isotropic classes: both agree


STORES = {"dense": np.asarray, "sparse": sparse.csr_array, "matrix": sparse.csr_matrix}


@pytest.mark.parametrize("options", [{}, {"shrinkage": "auto"}, {"mean_difference": True}], ids=str)
@pytest.mark.parametrize("k", [2, 3])
def test_dense_is_sparse_and_weights_are_repeated_rows(k, options):
    X, y = many_classes(k=k)
    X[np.abs(X) < 0.7] = 0.0
    plain = ls.FisherDiscriminant(**options).fit(X, y)
    stored = ls.FisherDiscriminant(**options).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(stored.coef_, plain.coef_, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(stored.transform(sparse.csr_array(X)), plain.transform(X), atol=1e-9)
    np.testing.assert_allclose(
        stored.decision_function(sparse.csr_array(X)), plain.decision_function(X), atol=1e-9
    )
    times = np.arange(len(y)) % 4
    weighted = clone(plain).fit(X, y, sample_weight=times)
    repeated = clone(plain).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-9)
    assert weighted.criterion_ == pytest.approx(repeated.criterion_, rel=1e-10)
    assert weighted.certificate_.verify(X, y, sample_weight=times)


@pytest.mark.parametrize("options", [{}, {"priors": [0.2, 0.5, 0.3]}, {"shrinkage": 0.1}], ids=str)
def test_chunks_make_the_same_model(options):
    X, y = many_classes()
    whole = ls.FisherDiscriminant(**options).fit(X, y)
    chunked = ls.FisherDiscriminant(**options)
    order = np.argsort(y, kind="stable")  # the first chunks have one class only
    for part in np.array_split(order, 7):
        chunked.partial_fit(X[part], y[part], classes=[0, 1, 2])
        assert set(chunked.predict(X)) <= set(y[order[: part[-1] + 1]]) | {0, 1, 2}
        assert np.isfinite(chunked.predict_proba(X)).all()
    for name in ("coef_", "intercept_", "covariance_", "means_", "priors_", "criterion_"):
        np.testing.assert_allclose(getattr(chunked, name), getattr(whole, name), rtol=1e-9)
    check = chunked.certificate_.verify(X[order], y[order])
    assert check, check.reason
    more = clone(whole).fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
    np.testing.assert_allclose(more.coef_, whole.coef_, rtol=1e-10)


def test_classes_that_have_not_come_yet_are_never_predicted():
    X, y = many_classes()
    model = ls.FisherDiscriminant().partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    assert set(model.predict(X)) <= {0, 1}
    assert (model.predict_proba(X)[:, 2] == 0).all()
    assert model.certificate_.verify(X[y < 2], y[y < 2])
    two = ls.FisherDiscriminant().partial_fit(X[y == 1], y[y == 1], classes=[0, 1])
    assert set(two.predict(X)) == {1}


def test_partial_fit_says_what_it_cannot_do():
    X, y = two_classes()
    with pytest.raises(AttributeError, match="partial_fit"):
        ls.FisherDiscriminant(shrinkage="auto").partial_fit(X, y)
    with pytest.raises(ValueError, match="balanced"):
        ls.FisherDiscriminant(class_weight="balanced").partial_fit(X, y)
    model = ls.FisherDiscriminant().partial_fit(X, y)
    with pytest.raises(ValueError, match="changed since"):
        model.set_params(priors=[0.5, 0.5]).partial_fit(X, y)
    model.set_params(priors=None)
    with pytest.raises(ValueError, match="differs from the first call"):
        model.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="not among classes"):
        model.partial_fit(X, y + 1)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(np.full_like(X, np.nan), y)
    np.testing.assert_array_equal(model.coef_, before)


def test_threads_change_no_bit(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60_000, 30)), rng.integers(0, 3, 60_000)
    results = []
    for threads in ("1", "3"):
        monkeypatch.setenv("LINSCOPE_THREADS", threads)
        model = ls.FisherDiscriminant().fit(X, y)
        results.append((model.coef_, model.intercept_, model.transform(X)))
    for one, many in zip(*results, strict=True):
        np.testing.assert_array_equal(one, many)


@pytest.mark.parametrize("store", ["dense", "sparse"])
def test_offsets_lose_nothing(store):
    X, y = many_classes()
    X = np.round(X, 3)  # so that adding the offset rounds little
    near = ls.FisherDiscriminant().fit(X, y)
    shift = 1e8 * np.array([1.0, -1.0, 0.5, 2.0])
    far = ls.FisherDiscriminant().fit(STORES[store](X + shift), y)
    exact = ls.FisherDiscriminant().fit((X + shift) - shift, y)  # the same roundings
    np.testing.assert_allclose(far.coef_, exact.coef_, rtol=1e-9)
    assert far.criterion_ == pytest.approx(exact.criterion_, rel=1e-10)
    np.testing.assert_allclose(far.predict_proba(X + shift), near.predict_proba(X), atol=1e-5)
    check = far.certificate_.verify(X + shift, y)
    assert check, check.reason


@pytest.mark.parametrize("size", [1e-150, 1e-80, 1e80, 1e150])
@pytest.mark.parametrize("k", [2, 3])
def test_extreme_units(k, size):
    X, y = many_classes(k=k)
    X /= np.abs(X).max()
    unit = np.array([1.0, size, 1.0, 1 / size])
    plain, scaled = ls.FisherDiscriminant().fit(X, y), ls.FisherDiscriminant().fit(X * unit, y)
    np.testing.assert_allclose(scaled.coef_ * unit, plain.coef_, rtol=1e-9)
    assert scaled.criterion_ == pytest.approx(plain.criterion_, rel=1e-10)
    np.testing.assert_array_equal(scaled.predict(X * unit), plain.predict(X))
    np.testing.assert_allclose(scaled.transform(X * unit), plain.transform(X), rtol=1e-8, atol=1e-9)
    check = scaled.certificate_.verify(X * unit, y)
    assert check, check.reason
    naive = ls.FisherDiscriminant(mean_difference=True).fit(X * size, y)
    assert naive.certificate_.verify(X * size, y)


def test_values_beyond_the_range_are_refused():
    X, y = two_classes()
    X[3, 1] = 1e200
    with pytest.raises(ValueError, match="beyond 1e"):
        ls.FisherDiscriminant().fit(X, y)


def test_single_precision():
    X, y = many_classes()
    small = ls.FisherDiscriminant().fit(X.astype(np.float32), y)
    assert small.coef_.dtype == small.transform(X.astype(np.float32)).dtype == np.float32
    assert small.predict_proba(X.astype(np.float32)).dtype == np.float32
    exact = ls.FisherDiscriminant().fit(X.astype(np.float32).astype(np.float64), y)
    np.testing.assert_allclose(small.coef_, exact.coef_, rtol=1e-6)
    assert small.certificate_.verify(X.astype(np.float32), y)


def test_constant_and_duplicate_columns_change_nothing():
    X, y = many_classes()
    X = np.round(X * 64) / 64  # so that the sum is exact
    plain = ls.FisherDiscriminant().fit(X, y)
    wide = np.column_stack([X, np.full(len(y), 7.0), X[:, 1], X[:, 0] + 2 * X[:, 2]])
    frame = pd.DataFrame(wide, columns=["a", "b", "c", "d", "seven", "again", "sum"])
    model = ls.FisherDiscriminant().fit(frame, y)
    np.testing.assert_allclose(model.predict_proba(frame), plain.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(
        np.abs(model.transform(frame)), np.abs(plain.transform(X)), atol=1e-9
    )
    certificate = model.certificate_
    assert certificate.status is Status.RANK_DEFICIENT
    assert certificate.ok
    assert [certificate.names[j] for j in certificate.constant] == ["seven"]
    assert [certificate.names[j] for j in certificate.dependent] == ["again", "sum"]
    assert "again, sum" in str(certificate)
    for forged in ({"constant": ()}, {"dependent": (1, 5)}, {"dependent": (5,)}, {"rank": 5}):
        assert not replace(certificate, **forged).verify(frame, y).claim_holds
    assert certificate.rank == 4
    check = certificate.verify(frame, y)
    assert check, check.reason
    theirs = LinearDiscriminantAnalysis(solver="svd", tol=1e-12).fit(wide, y)
    np.testing.assert_array_equal(model.predict(frame), theirs.predict(wide))


def test_classes_that_do_not_vary_where_they_differ():
    X, y = two_classes()
    X = np.column_stack([X, 5.0 * y])
    with pytest.warns(UserWarning, match=r"J has no maximum.*shrinkage"):
        model = ls.FisherDiscriminant().fit(X, y)
    assert model.certificate_.status is Status.UNBOUNDED
    assert not model.certificate_.ok
    check = model.certificate_.verify(X, y)
    assert check.claim_holds, check.reason
    assert model.criterion([0.0, 0.0, 0.0, 1.0]) == np.inf
    with pytest.raises(ValueError, match="number of samples must be more"):
        ls.FisherDiscriminant().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])


@pytest.mark.filterwarnings("ignore:the class means differ")
@pytest.mark.parametrize("k", [2, 3])
def test_more_features_than_samples(k):
    X, y = many_classes(n=20, d=50, k=k)
    model = ls.FisherDiscriminant().fit(X, y)
    assert model.certificate_.rank == 20 - k
    check = model.certificate_.verify(X, y)
    assert check.claim_holds, check.reason
    # what is left is the pseudo-inverse of the standardised columns
    spread = np.sqrt(np.diag(model.covariance_))
    inverse = np.linalg.pinv(model.covariance_ / np.outer(spread, spread), rcond=1e-10)
    coef = (model.means_ - model.xbar_) / spread @ inverse / spread
    coef = coef[1:] - coef[:1] if k == 2 else coef
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-6, atol=1e-9)
    shrunk = ls.FisherDiscriminant(shrinkage="auto").fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y)
    np.testing.assert_allclose(shrunk.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    assert shrunk.certificate_.status is Status.SOLVED
    assert shrunk.certificate_.verify(X, y)


@pytest.mark.parametrize("digits", [3, 5, 7, 9])
def test_nearly_dependent_columns_are_measured_again(digits):
    """The covariance alone would lose twice as many digits as the columns do."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    hidden = rng.standard_normal((200, 3)) + y[:, None] * [0.5, -0.5, 1.0]
    X = np.column_stack([hidden[:, 0], hidden[:, 1], hidden[:, 0] + 10.0**-digits * hidden[:, 2]])
    model = ls.FisherDiscriminant().fit(X, y)
    assert model.certificate_.status is Status.SOLVED
    exact = ls.FisherDiscriminant().fit(hidden, y)
    assert model.criterion_ == pytest.approx(exact.criterion_, rel=10.0 ** (digits - 14))
    np.testing.assert_array_equal(model.predict(X), exact.predict(hidden))
    check = model.certificate_.verify(X, y)
    assert check, check.reason


def test_digits_have_pixels_that_never_change():
    X, y = load_digits(return_X_y=True)
    model = ls.FisherDiscriminant().fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    assert (model.predict(X) == theirs.predict(X)).mean() > 0.999
    assert model.certificate_.constant == (0, 32, 39)
    check = model.certificate_.verify(X, y)
    assert check, check.reason


def test_the_scikit_learn_side():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = ls.FisherDiscriminant(n_components=1).fit(X, y)
    assert model.transform(X).shape == (150, 1)
    assert model.get_feature_names_out().tolist() == ["fisherdiscriminant0"]
    framed = clone(model).set_output(transform="pandas").fit(X, y)
    assert framed.transform(X).columns.tolist() == ["fisherdiscriminant0"]
    np.testing.assert_allclose(
        clone(model).fit_transform(X, y), framed.transform(X).to_numpy(), rtol=1e-12
    )
    assert not hasattr(model, "direction_")
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.certificate_.verify(X, y)
    with pytest.raises(ValueError, match="n_components"):
        ls.FisherDiscriminant(n_components=3).fit(X, y)
    with pytest.raises(NotFittedError):
        ls.FisherDiscriminant().transform(X)
    one_hot = np.eye(3)[y]
    np.testing.assert_array_equal(
        ls.FisherDiscriminant().fit(X, one_hot).predict(X), model.predict(X)
    )


def test_equations():
    X, y = load_iris(return_X_y=True, as_frame=True)
    lines = ls.FisherDiscriminant().fit(X, y).equation()
    assert set(lines) == {"1 vs 0", "2 vs 0", "2 vs 1"}
    frame = pd.DataFrame({"u": [0.0, 1.0, 0.0, 3.0, 4.0, 3.0], "v": [0.0, 0.0, 1.0] * 2})
    text = ls.FisherDiscriminant().fit(frame, list("aaabbb")).equation()
    assert text.endswith("⇒ b")
    assert "·u" in text


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        ([0.5, 0.5], "number of priors must match"),
        ([0.5, 0.6, -0.1], "positive"),
        ([0.5, 0.5, 0.5], "sum of the priors"),
    ],
)
def test_priors_are_checked(priors, message):
    X, y = many_classes()
    with pytest.raises(ValueError, match=message):
        ls.FisherDiscriminant(priors=priors).fit(X, y)


@pytest.mark.parametrize("weights", ["balanced", {0: 1.0, 1: 2.5, 2: 0.5}], ids=str)
def test_class_weight_multiplies_sample_weight(weights):
    X, y = many_classes()
    factor = len(y) / (3 * np.bincount(y)) if weights == "balanced" else np.array([1.0, 2.5, 0.5])
    weighted = ls.FisherDiscriminant(class_weight=weights).fit(X, y)
    by_hand = ls.FisherDiscriminant().fit(X, y, sample_weight=factor[y])
    np.testing.assert_allclose(weighted.coef_, by_hand.coef_, rtol=1e-12)
    if weights == "balanced":
        np.testing.assert_allclose(weighted.priors_, 1 / 3)
    check = weighted.certificate_.verify(X, y)
    assert check, check.reason


def test_bad_input():
    X, y = two_classes()
    bad = X.copy()
    bad[4, 2] = np.inf
    with pytest.raises(ValueError, match="inf at row 4, column 2"):
        ls.FisherDiscriminant().fit(bad, y)
    model = ls.FisherDiscriminant().fit(X, y)
    for method in ("predict", "transform", "predict_proba"):
        with pytest.raises(ValueError, match="inf at row 4"):
            getattr(model, method)(bad)
    with pytest.raises(ValueError, match="one class"):
        ls.FisherDiscriminant().fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="shrinkage"):
        ls.FisherDiscriminant(shrinkage=1.5).fit(X, y)
    with pytest.raises(ValueError, match="weight 0"):
        ls.FisherDiscriminant(class_weight={0: 0.0, 1: 0.0}).partial_fit(X, y)


FORGED = {
    "weights": lambda c: {"weights": c.weights * (1 + 1e-6)},
    "one weight": lambda c: {"weights": c.weights + 1e-4 * np.eye(*c.weights.shape, 1)},
    "bias": lambda c: {"weights": c.weights + 1e-3 * np.eye(*c.weights.shape)},
    "J": lambda c: {"criterion": c.criterion * 1.001},
    "no J": lambda c: {"criterion": np.nan},
    "directions": lambda c: {"scalings": np.roll(c.scalings, 1, axis=0)},
    "a turn": lambda c: {"scalings": c.scalings + 1e-4 * np.abs(c.scalings).max()},
    "totals": lambda c: {"totals": c.totals + 1},
    "means": lambda c: {"means": c.means + 1e-6},
    "priors": lambda c: {"priors": np.roll(c.priors, 1) + [0.1, -0.1, 0.0][: len(c.priors)]},
    "labels": lambda c: {"labels": tuple(reversed(c.labels))},
    "rank": lambda c: {"rank": c.rank - 1},
    "status": lambda c: {"status": Status.RANK_DEFICIENT},
    "unbounded": lambda c: {"status": Status.UNBOUNDED},
    "other model": lambda c: {"status": Status.SEPARATED},
    "gap": lambda c: {"gap": 0.0},
    "shrinkage": lambda c: {"shrinkage": c.shrinkage + 0.01},
    "naive": lambda c: {"mean_difference": True},
    "class weight": lambda c: {"class_weight": {0: 2.0}},
    "columns": lambda c: {"constant": (1,)},
    "shape": lambda c: {"weights": c.weights[:, :-1]},
    "infinite": lambda c: {"weights": c.weights * np.inf},
    "vague": lambda c: {"accuracy": 1.0, "weights": c.weights * 1.5},
    "perfect": lambda c: {"accuracy": 0.0, "weights": c.weights * (1 + 1e-12)},
}


@pytest.mark.parametrize("forged", FORGED)
@pytest.mark.parametrize("k", [2, 3])
def test_forged_claims_are_rejected(k, forged):
    X, y = many_classes(k=k)
    true = ls.FisherDiscriminant().fit(X, y).certificate_
    check = true.verify(X, y)
    assert check, check.reason
    check = replace(true, **FORGED[forged](true)).verify(X, y)
    assert not check.claim_holds
    assert check.reason


def test_certificates_belong_to_their_data():
    X, y = many_classes()
    certificate = ls.FisherDiscriminant().fit(X, y).certificate_
    moved, swapped = X.copy(), y.copy()
    moved[7, 1] += 1e-3
    swapped[[0, 1]] = swapped[[1, 0]]
    for data in ((moved, y), (X, swapped), (X[:-1], y[:-1]), (X[:, :3], y), (X, y + 5)):
        assert not certificate.verify(*data).claim_holds
    assert not certificate.verify(X, y, sample_weight=np.ones(len(y))).claim_holds
    weighted = ls.FisherDiscriminant().fit(X, y, sample_weight=np.arange(len(y))).certificate_
    assert not weighted.verify(X, y).claim_holds
    assert weighted.verify(X, y, sample_weight=np.arange(len(y)))
    assert "J(w)" in str(certificate)
    assert "J(w)" in certificate._repr_html_()


def test_a_mean_difference_cannot_pass_as_the_best_direction():
    X, y = two_classes()
    naive = ls.FisherDiscriminant(mean_difference=True).fit(X, y).certificate_
    assert naive.verify(X, y)
    assert not replace(naive, mean_difference=False).verify(X, y).claim_holds


# ---- what a certificate claims is true, without rounding ---------------------------------------


def error_of_means(X, y, held):
    """‖w − w*‖_Σ / ‖w*‖_Σ in fractions, w* = a (a·a) / aᵀΣa for a = m_2 − m_1."""
    S, a = exact_fisher(X, y)

    def energy(w):
        return sum(u * s * v for u, row in zip(w, S, strict=True)
                   for v, s in zip(w, row, strict=True))  # fmt: skip

    scale = sum(v * v for v in a) / energy(a)
    best = [v * scale for v in a]
    off = [Fraction(float(u)) - v for u, v in zip(held, best, strict=True)]
    return float(energy(off) / energy(best)) ** 0.5


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("close", [1.0, 1e-3, 1e-7])
def test_differences_of_means_are_as_accurate_as_claimed(dtype, close):
    """Also where two columns are nearly the same and the means differ across them."""
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    same, own = np.repeat(rng.normal(size=15), 2), rng.normal(size=30)
    X = np.column_stack([same - close * y, same + close * (own + y)]).astype(dtype)
    model = ls.FisherDiscriminant(mean_difference=True).fit(X, y)
    claim = model.certificate_
    assert model.verify(X, y)
    error = error_of_means(X.astype(np.float64), y, model.coef_[0])
    assert error <= claim.accuracy
    if np.isfinite(claim.accuracy):
        assert not replace(claim, accuracy=1e-12).verify(X, y).claim_holds


def test_a_difference_of_means_where_no_class_varies_is_said():
    X, y = two_classes()
    with pytest.warns(UserWarning, match="J has no maximum"):
        model = ls.FisherDiscriminant(mean_difference=True).fit(np.column_stack([X, 5.0 * y]), y)
    assert model.certificate_.status is Status.UNBOUNDED


def exact_fisher(X, y, weight=None):
    """S_W / W and m_2 − m_1 of two classes in fractions."""
    weight = np.ones(len(y)) if weight is None else weight
    rows = [[Fraction(float(v)) for v in row] for row in X]
    share = [Fraction(float(w)) for w in weight]
    d, means = X.shape[1], []
    S = [[Fraction(0)] * d for _ in range(d)]
    for k in np.unique(y):
        own = [(rows[i], share[i]) for i in np.flatnonzero(y == k)]
        total = sum(w for _, w in own)
        mean = [sum(w * x[j] for x, w in own) / total for j in range(d)]
        means.append(mean)
        for x, w in own:
            for i in range(d):
                for j in range(d):
                    S[i][j] += w * (x[i] - mean[i]) * (x[j] - mean[j])
    C = [[v / sum(share) for v in row] for row in S]
    delta = [b - a for a, b in zip(*means, strict=True)]
    return C, delta


def solve_exactly(C, delta):
    rows = [[*row, v] for row, v in zip(C, delta, strict=True)]
    for i in range(len(rows)):
        pivot = next(r for r in range(i, len(rows)) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for r in range(len(rows)):
            if r != i:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]


def test_equal_means_up_to_rounding():
    """The means differ by a unit in the last place; that is the direction, and no mistake."""
    X, y = np.array([[-0.1], [0.0], [-0.8], [0.6], [1.9], [-0.1]]), np.array([1, 1, 1, 0, 1, 0])
    model = ls.FisherDiscriminant().fit(X, y)
    C, delta = exact_fisher(X, y)
    assert abs(delta[0]) < Fraction(1, 10**15)
    expected = delta[0] / C[0][0]
    assert abs(Fraction(float(model.coef_[0, 0])) / expected - 1) < Fraction(1, 10**12)
    assert model.certificate_.status is Status.SOLVED
    assert model.verify(X, y)


@pytest.mark.parametrize("close", [1e-3, 1e-6, 1e-9])
def test_nearly_dependent_columns_are_solved_to_the_accuracy_claimed(close):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(30, 3))
    X[:, 2] = X[:, 0] + close * rng.normal(size=30)
    y = np.arange(30) % 2
    model = ls.FisherDiscriminant().fit(X, y)
    C, delta = exact_fisher(X, y)
    best = solve_exactly(C, delta)
    error = [Fraction(float(v)) - b for v, b in zip(model.coef_[0], best, strict=True)]
    form = [
        float(sum(u[i] * C[i][j] * u[j] for i in range(3) for j in range(3))) for u in (error, best)
    ]
    assert model.certificate_.status is Status.SOLVED
    assert model.certificate_.rank == 3
    assert np.sqrt(form[0] / form[1]) <= model.certificate_.accuracy <= 1e-6
    assert model.verify(X, y)


def test_columns_that_floats_cannot_tell_apart_are_not_called_dependent():
    X, y = many_classes()
    X = np.column_stack([X, X[:, 0] / 3 + X[:, 1] / 7])  # rounded: independent by a hair
    with pytest.warns(ConvergenceWarning, match="up to rounding"):
        model = ls.FisherDiscriminant().fit(X, y)
    claim = model.certificate_
    assert claim.status is Status.NEARLY_DEPENDENT
    assert claim.dependent == (4,)
    assert claim.verify(X, y).claim_holds
    assert not replace(claim, status=Status.RANK_DEFICIENT, accuracy=1e-9).verify(X, y).claim_holds
    assert not replace(claim, weights=2 * claim.weights).verify(X, y).claim_holds
    assert not replace(claim, weights=0 * claim.weights).verify(X, y).claim_holds
    plain = ls.FisherDiscriminant().fit(X[:, :4], y)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X[:, :4]), atol=1e-6)


def test_values_that_differ_by_a_unit_are_no_constant():
    """J is huge, but it has a maximum; only a constant has none."""
    y = np.array([0, 0, 0, 1, 1, 1])
    X = np.array([[1.0], [1.0], [1.0 + 2**-52], [2.0], [2.0], [2.0 + 2**-51]])
    model = ls.FisherDiscriminant().fit(X, y)
    assert model.certificate_.status is Status.SOLVED
    assert model.verify(X, y)
    with pytest.raises(ValueError, match="no class varies"):
        ls.FisherDiscriminant().fit(np.round(X), y)


STATUSES = {
    Status.SOLVED: lambda X, y: X,
    Status.RANK_DEFICIENT: lambda X, y: np.column_stack([X, X[:, 0] * 2]),
    Status.UNBOUNDED: lambda X, y: np.column_stack([X, 3.0 * y]),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("true", STATUSES)
@pytest.mark.parametrize("k", [2, 3])
def test_every_status_is_proven_and_no_other_passes(k, true):
    X, y = many_classes(k=k)
    X = STATUSES[true](X, y)
    claim = ls.FisherDiscriminant().fit(X, y).certificate_
    for status in Status:
        check = replace(claim, status=status).verify(X, y)
        assert bool(check.claim_holds) == (status is true), check.reason


@pytest.mark.filterwarnings("ignore")
def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 30)), np.arange(12) % 3
    model = ls.FisherDiscriminant().fit(X, y)
    claim = model.certificate_
    assert claim.status is Status.UNBOUNDED
    assert claim.rank == 9
    assert model.verify(X, y).claim_holds
    for forged in ({"rank": 8}, {"status": Status.RANK_DEFICIENT}, {"weights": 2 * claim.weights}):
        assert not replace(claim, **forged).verify(X, y).claim_holds


@pytest.mark.parametrize("name", ["coef_", "intercept_", "scalings_", "means_", "priors_"])
def test_the_live_attributes_are_checked(name):
    X, y = many_classes()
    model = ls.FisherDiscriminant().fit(X, y)
    assert model.verify(X, y)
    for change in (lambda v: 2 * v, lambda v: v * np.nan, lambda v: v[:-1]):
        other = ls.FisherDiscriminant().fit(X, y)
        setattr(other, name, change(getattr(other, name)))
        assert not other.verify(X, y).claim_holds
        assert other.certificate_.verify(X, y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("small", [1e-158, 1e-161, 3e-162, 1e-162, 1e-170])
def test_a_criterion_at_the_end_of_the_range_is_its_own_claim(small):
    """w = 2t / Σ_22 with Σ_22 = 1/4: the largest J is about t², a number without digits."""
    X = np.array([[1, small], [-1, small], [1, 3 * small], [-1, 3 * small]] * 3)
    y = np.array([0, 0, 1, 1] * 3)
    model = ls.FisherDiscriminant(shrinkage=0.5).fit(X, y)
    assert model.coef_[0, 1] == pytest.approx(8 * small, rel=1e-9)
    found = model.verify(X, y)
    assert found, found.reason


@pytest.mark.parametrize("small", [1e-60, 1e-90, 1e-128, 1e-140])
def test_shrinkage_of_columns_of_very_different_size(small):
    """Σ = C/2 + tr(C)/4 I is diagonal: w_j = δ_j / Σ_jj, in fractions; errors count by Σ."""
    X = np.array([[1.0, 1], [-1, 1], [1, -1], [-1, -1]])
    X = np.vstack([X, X + np.array([3, 1])]) * [1.0 / small, small]
    y = np.repeat([0, 1], 4)
    model = ls.FisherDiscriminant(shrinkage=0.5).fit(X, y)
    a, b = (Fraction(float(v)) for v in X[0])
    ridge = (a * a + b * b) / 4
    spread = [a * a / 2 + ridge, b * b / 2 + ridge]
    held = [Fraction(float(v)) for v in model.coef_[0]]
    w = [3 * a / spread[0], b / spread[1]]
    off = sum((u - v) ** 2 * s for u, v, s in zip(held, w, spread, strict=True))
    size = sum(v**2 * s for v, s in zip(w, spread, strict=True))
    assert off <= size * Fraction(model.certificate_.accuracy) ** 2
    assert model.certificate_.ok
    assert model.verify(X, y)


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e-150, 1e149, 1e160, 1e300])
@pytest.mark.parametrize("options", [{}, {"shrinkage": 0.1}, {"mean_difference": True}], ids=str)
def test_extreme_values_are_certified_or_refused(options, size):
    X, y = two_classes()
    X = X / np.abs(X).max() * size
    model = ls.FisherDiscriminant(**options)
    if not 1e-153 < size < 1e151:
        with pytest.raises(ValueError, match=r"[Ss]cale the columns"):
            model.fit(X, y)
        return
    model.fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.verify(X, y)


def test_means_that_differ_where_no_class_varies_are_no_reason_to_take_roots_of_rounding():
    X = np.array([[0.0, 0, 0, 1], [0, 1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]])
    y = np.array([0, 1, 0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        model = ls.FisherDiscriminant(mean_difference=True).fit(X, y)
    assert model.verify(X, y).claim_holds


IDENTITY = np.eye(4)


@pytest.mark.parametrize(
    ("rows", "y", "shrinkage"),
    [
        ([0, 2, 1, 0], [1, 0, 0, 1], 0.1),
        ([1, 3, 0, 2, 2, 2, 2, 0, 0, 3, 3, 0, 1, 3], [1, *[0] * 11, 1, 0], 0.5),
        ([3, 0, 1, 0, 1], [2, 1, 0, 1, 1], 1.0),
    ],
)
def test_the_criterion_along_a_direction_without_spread_is_not_rounding(rows, y, shrinkage):
    """Shrinkage makes Σ regular, but no class varies along w: J is that of the floats, exactly."""
    X, y = IDENTITY[rows], np.array(y)
    X = X[:, X.any(axis=0)]
    model = ls.FisherDiscriminant(shrinkage=shrinkage).fit(X, y)
    w = model.coef_[0] if len(model.classes_) == 2 else model.scalings_[:, 0]
    R, v = [[Fraction(x) for x in row] for row in X.tolist()], [Fraction(x) for x in w.tolist()]
    heights = [sum(a * b for a, b in zip(row, v, strict=True)) for row in R]
    means = {k: sum(h for h, c in zip(heights, y, strict=True) if c == k) / int((y == k).sum())
             for k in set(y.tolist())}  # fmt: skip
    within = sum((h - means[c]) ** 2 for h, c in zip(heights, y.tolist(), strict=True))
    if len(means) == 2:
        between = (means[1] - means[0]) ** 2
    else:
        centre = sum(heights) / len(y)
        between = sum(int((y == k).sum()) * (m - centre) ** 2 for k, m in means.items())
    true = float(between / within) if within else np.inf
    assert model.certificate_.criterion == pytest.approx(true, rel=1e-9)
    assert model.verify(X, y)


@pytest.mark.filterwarnings("ignore:the class means differ")
def test_axes_of_the_means_without_spread_are_left_out_by_the_check_too():
    X, y = IDENTITY[[0, 1, 0, 2, 3, 2]], np.array([2, 1, 3, 3, 1, 0])
    model = ls.FisherDiscriminant(mean_difference=True).fit(X, y)
    assert model.scalings_.shape[1] == 1
    assert model.verify(X, y).claim_holds


def test_weights_beyond_the_range_of_float32_make_no_noise():
    X = np.array([[1e-8, 6e-8], [-1.4e15, 3.4e14], [-1e7, 1.8e7], [1.4e-7, 3.9e-7],
                  [5.8e-11, -1.6e-11], [575.0, -590.8]], dtype=np.float32)  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ls.FisherDiscriminant().fit(X, [3, 0, 2, 3, 1, 3])
    assert not model.certificate_.ok


def test_weights_that_float32_cannot_hold_are_refused_by_name():
    """A column of 1e-14 and weights of the samples from 1e-13 to 1e13."""
    rng = np.random.default_rng(3)
    X = (rng.normal(size=(6, 4)) * [0.1, 1e-4, 1e-5, 1e-30]).astype(np.float32)
    c = np.array([2e-11, 7e12, 3.6e-12, 2.5e-8, 1.2e-3, 8e-13])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        with pytest.raises(ValueError, match="beyond the range of float32"):
            ls.FisherDiscriminant().fit(X, [0, 1, 1, 1, 0, 0], sample_weight=c)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-160, 1e-100, 1e100, 1e149])
@pytest.mark.parametrize("shape", [(4, 6), (9, 2)])
def test_columns_of_extreme_sizes_are_solved_or_refused(scale, shape):
    rng = np.random.default_rng(4)
    y = np.arange(shape[0]) % 2
    for factor in (np.full(shape[1], scale), scale ** np.linspace(-1, 1, shape[1])):
        X = (rng.normal(size=shape) + y[:, None]) * factor
        try:
            model = ls.FisherDiscriminant().fit(X, y)
        except ValueError as error:
            if "range of float" not in str(error):
                raise
            continue
        check = model.verify(X, y)
        assert check.claim_holds, check.reason


def test_means_of_a_class_far_smaller_than_the_others_are_kept():
    """In one unit for a column of 1e150 the mean 5e-301 of a class would be 0."""
    X = np.array([[0.0, 1.0], [1e-300, 2.0], [1e150, 5.0], [-3e149, 3.0], [2e149, 4.5]])
    y, weight = [0, 0, 1, 1, 1], np.full(5, 1.5)
    model = ls.FisherDiscriminant(shrinkage=0.5).fit(X, y, sample_weight=weight)
    assert model.means_[0, 0] == 5e-301
    check = model.verify(X, y, sample_weight=weight)
    assert check.claim_holds, check.reason


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_projections_have_right_digits_far_from_the_origin(offset):
    X, y = ls.datasets.load("iris")
    X = X + offset
    model = ls.FisherDiscriminant().fit(X, y)
    for row, found in zip(X.tolist(), model.transform(X).tolist(), strict=True):
        for column, value in enumerate(found):
            parts = zip(row, model.xbar_.tolist(), model.scalings_[:, column].tolist(), strict=True)
            terms = [(Fraction(x) - Fraction(c)) * Fraction(v) for x, c, v in parts]
            assert abs(Fraction(value) - sum(terms)) <= 2.0**-36 * abs(value)
