"""LogisticRegression: against scikit-learn, its certificates against the truth, bad input."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Reference

import linscope as ls
from linscope.engines import choose
from linscope.logistic.certificates.finite_solution import finite_solution
from linscope.losses import softmax
from linscope.rows.threads import THREADS_VARIABLE
from tests.scikit_learn import standard


def two_classes(n=300, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.arange(1, d + 1)
    return X, np.where(X @ rng.standard_normal(d) + 2 * rng.logistic(size=n) > 0.5, "yes", "no")


def three_classes(n=240, d=3, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    return rng.standard_normal((n, d)) + np.eye(3, d)[y], np.array(["a", "b", "c"])[y]


def text(K, index=np.int32):
    """Counts of rare words, rows of length 1."""
    rng = np.random.default_rng(0)
    X = sp.random_array((500, 2000), density=0.01, rng=rng, format="csr")
    X.data = np.abs(rng.standard_normal(X.nnz)) + 0.1
    length = np.sqrt(X.multiply(X).sum(axis=1))
    X = sp.csr_array(sp.diags_array(1.0 / np.maximum(length, 1e-12)) @ X)
    y = (X @ rng.standard_normal((2000, K)) + 0.1 * rng.gumbel(size=(500, K))).argmax(axis=1)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return X, y


@pytest.mark.share(3)
@pytest.mark.parametrize(
    ("name", "C"),
    [
        ("digits", 1.0),
        *((name, C) for name in ("breast_cancer", "iris", "wine") for C in (0.01, 1.0)),
        *((name, C) for name in ("text 2", "text 3") for C in (0.1, 1.0)),
    ],
)
def test_every_solver_agrees_with_scikit_learn(name, C):
    X, y = text(int(name[-1])) if name.startswith("text") else standard(name)
    way = "newton-cg" if name.startswith("text") else "newton-cholesky"
    theirs = Reference(C=C, tol=1e-12, max_iter=10_000, solver=way).fit(X, y)
    size = np.abs(theirs.coef_).max()
    for solver in ["auto", "trust-region", "lbfgs", "newton"][: 4 if len(set(y)) == 2 else 3]:
        ours = ls.LogisticRegression(C=C, tol=1e-15, solver=solver).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6 * size)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
        assert ours.certificate_.verify(X, y)


@pytest.mark.parametrize("options", [{}, {"penalty": "l1"}, {"penalty": None, "C": 1.0}])
def test_indices_of_64_bits_change_no_bit(options):
    (X, y), (wide, _) = text(3), text(3, np.int64)
    X, wide = X[:, :40], wide[:, :40]
    for table in (X, wide):
        table.sort_indices()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        a, b = (ls.LogisticRegression(**options).fit(table, y) for table in (X, wide))
    np.testing.assert_array_equal(a.coef_, b.coef_)


@pytest.mark.parametrize("name", ["iris", "wine", "text 2", "text 3"])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_l1_objectives_are_not_above_those_of_scikit_learn(name, l1_ratio):
    """saga, or liblinear where its penalised bias can be left out."""
    X, y = text(int(name[-1])) if name.startswith("text") else standard(name)
    C, K = 2.0, len(set(y))
    way = {"fit_intercept": False, "C": C}
    if K == 2 and l1_ratio == 1.0:
        theirs = Reference(solver="liblinear", l1_ratio=1.0, tol=1e-8, max_iter=10_000, **way)
    else:
        theirs = Reference(solver="saga", l1_ratio=l1_ratio, tol=1e-9, max_iter=20_000, **way)
    theirs.fit(X, y)
    ours = ls.LogisticRegression(penalty="elasticnet", l1_ratio=l1_ratio, **way).fit(X, y)

    def objective(W):
        scores = X @ W.T
        scores = np.column_stack([np.zeros(len(y)), scores]) if K == 2 else scores
        fit = softmax.loss(scores, np.unique(y, return_inverse=True)[1]).sum()
        return C * fit + l1_ratio * np.abs(W).sum() + 0.5 * (1 - l1_ratio) * np.sum(W * W)

    assert objective(ours.coef_) <= objective(theirs.coef_) * (1 + 1e-8)
    np.testing.assert_allclose(objective(ours.coef_), ours.certificate_.primal, rtol=1e-9)


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
    assert not claim.verify(X + 0.01 * (np.arange(len(X)) == 3)[:, None], y).claim_holds
    assert not claim.verify(X, np.roll(y, 1)).claim_holds
    assert not claim.verify(X[:, :2], y).claim_holds
    parts = claim.parts or {"": claim}
    for name, part in parts.items():
        for forged in (
            replace(part, weights=part.weights * (1 + 1e-3)),
            replace(part, primal=part.primal * (1 - 1e-6)),
            replace(part, C=2.0),
            replace(part, weights=np.full_like(part.weights, np.nan)),
        ):
            whole = replace(claim, parts={**claim.parts, name: forged}) if name else forged
            assert not whole.verify(X, y).claim_holds
    if multi_class == "softmax":
        lazy = ls.LogisticRegression(tol=1e-2).fit(X, y).certificate_
        assert not replace(lazy, gap=lazy.gap / 100).verify(X, y).claim_holds


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
    assert model.certificate_.verify(X, y).claim_holds


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


class Counter(ls.Observer):
    steps = 0

    def step(self, done, state):
        self.steps += 1
        return False


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": "elasticnet", "l1_ratio": 2.0}, "l1_ratio"),
        ({"penalty": "l1", "solver": "newton"}, "use 'coordinate'"),
        ({"penalty": "l1", "solver": "batch"}, "smooth penalty"),
        ({"solver": "coordinate"}, "is for penalty='l1'"),
        (
            {"penalty": "firth", "solver": "lbfgs", "multi_class": "ovr"},
            "cannot do penalty='firth'",
        ),
        ({"penalty": "firth"}, "use multi_class='ovr'"),
        ({"penalty": None, "solver": "newton"}, "is for two classes"),
        ({"reference": "z"}, "not among the classes"),
        ({"reference": "a", "multi_class": "ovr"}, "needs multi_class='softmax'"),
        ({"reference": "a", "multi_class": "ovo"}, "needs multi_class='softmax'"),
        ({"multi_class": "multinomial"}, "'softmax'"),
        ({"class_weight": {"z": 1.0}}, "class_weight"),
        ({"class_weight": {"a": -1.0}}, "not negative"),
        ({"C": np.nan}, "'C'"),
        ({"tol": -1.0}, "'tol'"),
        ({"tol": 0.0}, "tol=0"),
        ({"max_iter": 0}, "'max_iter'"),
        ({"warm_start": "yes"}, "'warm_start'"),
    ],
    ids=str,
)
def test_options_that_mean_nothing_are_refused_before_any_work(options, message):
    X, y = three_classes(30)
    with ls.observe(Counter()) as counter, pytest.raises(ValueError, match=message):
        ls.LogisticRegression(**options).fit(X, y)
    assert counter.steps == 0


@pytest.mark.parametrize("penalty", ["l1", "elasticnet", "firth"])
def test_other_penalties_are_certified(penalty):
    X, y = two_classes()
    options = {"penalty": penalty, "l1_ratio": 0.4} if penalty == "elasticnet" else {
        "penalty": penalty
    }  # fmt: skip
    model = ls.LogisticRegression(**options).fit(X, y)
    assert model.certificate_.verify(X, y)
    forged = replace(model.certificate_, weights=model.certificate_.weights * 1.01)
    assert not forged.verify(X, y).claim_holds
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


def split(kind, K, n=200):
    """Classes that some columns tell apart: completely, or with rows on the boundary."""
    rng = np.random.default_rng(K)
    X = rng.integers(-3, 4, size=(n, 4)).astype(float)
    X[:, 3] = rng.standard_normal(n)
    y = np.digitize(X[:, 1] + X[:, 2], [-0.5, 2.5][: K - 1])
    if kind == "quasi-complete":
        border = X[:, 1] + X[:, 2] == 0
        y[border] = rng.integers(0, 2, border.sum())
    return X, y


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("kind", ["complete", "quasi-complete"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_separation(kind, K, make):
    X, y = split(kind, K)
    extra = np.r_[X, -X[:1]]  # a row of weight 0 does not count
    labels, weight = np.r_[y, y[0]], np.r_[np.ones(len(y)), 0.0]
    with pytest.warns(ConvergenceWarning, match="separates the classes") as caught:
        model = ls.LogisticRegression(penalty=None).fit(make(extra), labels, weight)
    text = str(caught[0].message)
    assert ("quasi-complete" in text) == (kind == "quasi-complete")
    assert model.certificate_.status is ls.Status.INFINITE
    assert np.abs(model.coef_).max() < 1e4
    assert "not finite" in str(model.summary())
    verdict = finite_solution(choose(make(extra), labels, weight), K)
    assert verdict.exact_direction
    assert verdict.verify(make(extra), labels, weight)
    assert verdict.columns == [1, 2]
    assert ls.LogisticRegression(C=10.0).fit(make(X), y).certificate_.status.ok


def test_separation_without_a_bias():
    """x > 0 for one class: through the origin it separates, away from it not."""
    X, y = np.array([[1.0], [2.0], [-1.0], [-3.0]]), np.array([1, 1, 0, 0])
    with pytest.warns(ConvergenceWarning, match="column x1 separates"):
        ls.LogisticRegression(penalty=None, fit_intercept=False).fit(X, y)
    model = ls.LogisticRegression(penalty=None, fit_intercept=False).fit(X + 5, y)
    assert model.certificate_.status is ls.Status.CONVERGED


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
    assert penalised.summary().standard_errors is None
    rest = ls.LogisticRegression(penalty=None, multi_class="ovr").fit(X, y)
    assert "no common likelihood" in str(rest.summary())


def test_summary_with_weights_and_robust_errors():
    import statsmodels.api as sm

    X, y = two_classes()
    c = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    model = ls.LogisticRegression(penalty=None, tol=1e-15).fit(X, y, c)
    glm = sm.GLM(y == "yes", sm.add_constant(X), family=sm.families.Binomial(), freq_weights=c)
    theirs = glm.fit(tol=1e-14, maxiter=100)
    np.testing.assert_allclose(model.summary().coefficients[0], theirs.params, rtol=1e-8)
    np.testing.assert_allclose(model.summary().standard_errors[0], theirs.bse, rtol=1e-8)
    logit = sm.Logit(y == "yes", sm.add_constant(X))
    robust = logit.fit(disp=0, tol=1e-14, maxiter=100, cov_type="HC0")
    table = ls.LogisticRegression(penalty=None, tol=1e-15).fit(X, y).summary(robust="HC0")
    np.testing.assert_allclose(table.standard_errors[0], robust.bse, rtol=1e-8)


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
