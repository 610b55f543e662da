"""LogisticRegression: against scikit-learn, its certificates against the truth, bad input."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Reference
from sklearn.preprocessing import StandardScaler

import linscope as ls
from linscope.data.threads import THREADS_VARIABLE
from linscope.losses import logistic


def two_classes(n=300, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.arange(1, d + 1)
    return X, np.where(X @ rng.standard_normal(d) + 2 * rng.logistic(size=n) > 0.5, "yes", "no")


def three_classes(n=240, d=3, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    return rng.standard_normal((n, d)) + np.eye(3, d)[y], np.array(["a", "b", "c"])[y]


def standard(name):
    X, y = ls.datasets.load(name)
    X = StandardScaler().fit_transform(X)
    return X[:, X.std(axis=0) > 0], y


@pytest.mark.parametrize("K", [1, 4])
def test_loss_and_derivative(K):
    rng = np.random.default_rng(0)
    s = rng.standard_normal((6, K)) * 3 if K > 1 else rng.standard_normal(6) * 3
    y = rng.integers(max(K, 2), size=6)
    step = 1e-6
    numeric = np.zeros_like(s)
    for k in range(K):
        move = np.zeros_like(s)
        move[(slice(None), k) if K > 1 else slice(None)] = step
        change = (logistic.loss(s + move, y) - logistic.loss(s - move, y)) / (2 * step)
        numeric[(slice(None), k) if K > 1 else slice(None)] = change
    np.testing.assert_allclose(logistic.derivative(s, y), numeric, atol=1e-8)


def test_loss_and_its_conjugate_meet():
    # f(s) + f*(u) = u s where u = f'(s): Fenchel's equality.
    s, y = np.linspace(-4, 4, 9), np.arange(9) % 2
    u = logistic.derivative(s, y)
    np.testing.assert_allclose(logistic.loss(s, y) + logistic.entropy(u + y), u * s, atol=1e-12)


@pytest.mark.parametrize("name", ["breast_cancer", "iris", "wine", "digits"])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_agrees_with_scikit_learn(name, C):
    X, y = standard(name)
    ours = ls.LogisticRegression(C=C, tol=1e-14).fit(X, y)
    theirs = Reference(C=C, tol=1e-12, max_iter=100_000, solver="lbfgs").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-6)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert ours.certificate_.verify(X, y)


@pytest.mark.parametrize("solver", ["newton", "trust-region", "lbfgs"])
@pytest.mark.parametrize("C", [0.1, 10.0, np.inf])
@pytest.mark.parametrize("intercept", [True, False])
def test_solvers_agree_within_their_certificates(solver, C, intercept):
    X, y = two_classes()
    options = {"C": C, "fit_intercept": intercept}
    best = ls.LogisticRegression(**options, tol=1e-15).fit(X, y)
    model = ls.LogisticRegression(**options, solver=solver, tol=1e-9).fit(X, y)
    assert model.certificate_.verify(X, y)
    above = model.certificate_.primal - best.certificate_.primal
    assert -1e-9 <= above <= model.certificate_.gap + 1e-9
    np.testing.assert_allclose(model.coef_, best.coef_, rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-6, 1e-10])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("C", [0.1, 3.0])
def test_the_gap_bounds_the_distance_to_the_minimum(tol, classes, C):
    X, y = two_classes() if classes == 2 else three_classes()
    best = ls.LogisticRegression(C=C, tol=1e-15).fit(X, y).certificate_.primal
    claim = ls.LogisticRegression(C=C, tol=tol).fit(X, y).certificate_
    assert claim.primal - best <= claim.gap * (1 + 1e-9) + 1e-9
    if tol == 1e-10:
        assert claim.gap < 1e-4 * best


@pytest.mark.parametrize("multi_class", ["softmax", "ovr", "ovo"])
def test_forged_claims_are_rejected(multi_class):
    X, y = three_classes()
    model = ls.LogisticRegression(multi_class=multi_class, tol=1e-12).fit(X, y)
    claim = model.certificate_
    assert claim.verify(X, y)
    assert not claim.verify(X + 0.01 * (np.arange(len(X)) == 3)[:, None], y)
    assert not claim.verify(X, np.roll(y, 1))
    assert not claim.verify(X[:, :2], y)
    parts = claim.parts or {"": claim}
    for name, part in parts.items():
        for forged in (
            replace(part, weights=part.weights * (1 + 1e-3)),
            replace(part, primal=part.primal * (1 - 1e-6)),
            replace(part, C=2.0),
            replace(part, weights=np.full_like(part.weights, np.nan)),
        ):
            whole = replace(claim, parts={**claim.parts, name: forged}) if name else forged
            assert not whole.verify(X, y)
    if multi_class == "softmax":
        lazy = ls.LogisticRegression(tol=1e-2).fit(X, y).certificate_
        assert not replace(lazy, gap=lazy.gap / 100).verify(X, y)


@pytest.mark.parametrize("multi_class", ["softmax", "ovr"])
def test_weights_are_repeated_rows_and_dense_is_sparse(multi_class):
    X, y = three_classes(60)
    times = np.random.default_rng(0).integers(0, 3, 60)
    times[:3] = 1
    options = {"multi_class": multi_class, "tol": 1e-15}
    a = ls.LogisticRegression(**options).fit(X, y, times)
    b = ls.LogisticRegression(**options).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-6)
    assert a.certificate_.verify(X[times > 0], y[times > 0], times[times > 0])
    assert "sample_weight" in a.certificate_.verify(X, y).reason
    s = ls.LogisticRegression(**options).fit(sp.csr_array(X), y)
    d = ls.LogisticRegression(**options).fit(X, y)
    np.testing.assert_allclose(s.coef_, d.coef_, atol=1e-6)
    np.testing.assert_allclose(s.predict_proba(sp.csr_array(X)), d.predict_proba(X), atol=1e-6)


def test_probabilities_do_not_contradict_predictions():
    for X, y in (two_classes(), three_classes()):
        for multi_class in ("softmax", "ovr", "ovo"):
            model = ls.LogisticRegression(multi_class=multi_class).fit(X, y)
            p = model.predict_proba(X)
            np.testing.assert_allclose(p.sum(axis=1), 1.0)
            np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))
            np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), p)


def test_threads_do_not_change_a_bit(monkeypatch):
    X, y = two_classes(60_000, 6)
    weights = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv(THREADS_VARIABLE, threads)
        weights.append(ls.LogisticRegression().fit(X, y).certificate_.weights)
    np.testing.assert_array_equal(weights[0], weights[1])
    np.testing.assert_array_equal(weights[0], weights[2])


def test_offsets_and_scales():
    X, y = two_classes()
    plain = ls.LogisticRegression(C=np.inf, tol=1e-14).fit(X, y)
    for moved in (X + 1e8, X * 2.0**400, X * 2.0 ** np.array([-300, 0, 300, 5])):
        model = ls.LogisticRegression(C=np.inf, tol=1e-14).fit(moved, y)
        scores = model.decision_function(moved)
        np.testing.assert_allclose(scores, plain.decision_function(X), atol=1e-6)
        assert model.certificate_.verify(moved, y)


def test_float32_one_hot_and_class_weight():
    X, y = three_classes()
    model = ls.LogisticRegression().fit(X.astype(np.float32), y)
    assert model.coef_.dtype == model.predict_proba(X.astype(np.float32)).dtype == np.float32
    one_hot = (y[:, None] == np.unique(y)).astype(int)
    codes = ls.LogisticRegression().fit(X, one_hot)
    np.testing.assert_allclose(codes.coef_, ls.LogisticRegression().fit(X, y).coef_)
    ours = ls.LogisticRegression(class_weight="balanced", tol=1e-14).fit(X, y)
    theirs = Reference(class_weight="balanced", tol=1e-12, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


def test_warm_start_goes_on():
    X, y = two_classes()
    model = ls.LogisticRegression(warm_start=True).fit(X, y)
    cold = model.n_iter_[0]
    assert model.fit(X, y).n_iter_[0] < cold
    assert model.set_params(C=1.1).fit(X, y).certificate_.verify(X, y)


def test_too_few_steps_warn_and_say_how_far():
    X, y = two_classes()
    with pytest.warns(ConvergenceWarning, match="above its minimum"):
        model = ls.LogisticRegression(max_iter=1, tol=1e-14).fit(X, y)
    assert model.certificate_.status is ls.Status.MAX_ITER
    assert model.certificate_.verify(X, y)


def test_bad_input():
    X, y = two_classes()
    with pytest.raises(ValueError, match="at least two classes"):
        ls.LogisticRegression().fit(X, np.zeros(len(X)))
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="row 3, column 1"):
        ls.LogisticRegression().fit(bad, y)
    with pytest.raises(ValueError, match="row 3, column 1"):
        ls.LogisticRegression().fit(X, y).predict(bad)
    for options in ({"C": 0.0}, {"C": -1.0}, {"solver": "sag"}, {"tol": 0}, {"penalty": "l3"}):
        with pytest.raises(ValueError, match=next(iter(options))):
            ls.LogisticRegression(**options).fit(X, y)
    with pytest.raises(ValueError, match="two classes"):
        ls.LogisticRegression(solver="newton").fit(*three_classes())


@pytest.mark.parametrize("penalty", ["l1", "elasticnet", "firth"])
def test_other_penalties_are_certified(penalty):
    X, y = two_classes()
    options = {"penalty": penalty, "l1_ratio": 0.4} if penalty == "elasticnet" else {
        "penalty": penalty
    }  # fmt: skip
    model = ls.LogisticRegression(**options).fit(X, y)
    assert model.certificate_.verify(X, y)
    forged = replace(model.certificate_, weights=model.certificate_.weights * 1.01)
    assert not forged.verify(X, y)
    if penalty != "firth":
        ratio = {"l1": 1.0, "elasticnet": 0.4}[penalty]
        theirs = Reference(solver="saga", l1_ratio=ratio, tol=1e-10, max_iter=100_000).fit(X, y)
        np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-4)


def test_separation_is_named_and_explained():
    X = np.array([[0.0, 1], [1, 0], [2, 1], [3, 0]])
    y = np.array([0, 0, 1, 1])
    with pytest.warns(ConvergenceWarning, match="column x1 separates the classes completely"):
        model = ls.LogisticRegression(C=np.inf).fit(X, y)
    assert model.certificate_.status is ls.Status.INFINITE
    assert np.abs(model.coef_).max() < 1e3
    assert "separates the classes" in str(model.summary())
    assert np.isfinite(ls.LogisticRegression(penalty="firth").fit(X[:, :1], y).coef_).all()


def test_summary_agrees_with_statsmodels():
    import statsmodels.api as sm

    X, y = two_classes()
    table = ls.LogisticRegression(penalty=None).fit(X, y).summary()
    theirs = sm.Logit(y == "yes", sm.add_constant(X)).fit(disp=0, tol=1e-14, maxiter=100)
    np.testing.assert_allclose(table.coefficients[0], theirs.params, rtol=1e-8)
    np.testing.assert_allclose(table.standard_errors[0], theirs.bse, rtol=1e-8)
    X, y = three_classes()
    model = ls.LogisticRegression(penalty=None).fit(X, y)
    theirs = sm.MNLogit(np.unique(y, return_inverse=True)[1], sm.add_constant(X)).fit(
        disp=0, tol=1e-14, maxiter=100
    )
    np.testing.assert_allclose(model.summary().coefficients, theirs.params.T, rtol=1e-6)
    penalised = ls.LogisticRegression().fit(X, y)
    assert "penalised" in str(penalised.summary())


def test_reference_class_changes_no_probability():
    X, y = three_classes()
    plain = ls.LogisticRegression().fit(X, y)
    model = ls.LogisticRegression(reference="b").fit(X, y)
    assert not model.coef_[1].any()
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), atol=1e-12)
    with pytest.raises(ValueError, match="not among the classes"):
        ls.LogisticRegression(reference="z").fit(X, y)


def test_naive_bayes_is_a_logistic_regression_too():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=4000)
    X = rng.standard_normal((4000, 2)) + np.array([[0.0, 0.0], [1.5, -1.0]])[y]
    derived = ls.GaussianNaiveBayes(shared_variance=True).fit(X, y).as_logistic()
    fitted = ls.LogisticRegression(penalty=None).fit(X, y)
    np.testing.assert_allclose(np.r_[fitted.intercept_, fitted.coef_[0]], derived, atol=0.15)


def test_one_sample_in_a_hundred_thousand():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100_000, 3))
    y = np.zeros(100_000, dtype=int)
    y[777] = 1
    model = ls.LogisticRegression().fit(X, y)
    assert model.certificate_.verify(X, y)
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(1e-5, rel=1e-3)
