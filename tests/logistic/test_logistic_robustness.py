"""LogisticRegression under attack: extreme numbers, contradictions, forged and rough claims."""

import warnings
from dataclasses import replace
from decimal import Decimal, localcontext

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

import linscope as ls
from linscope.logistic.verify.check import smallest_gap
from linscope.logistic.verify.values import Problem, evaluate

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X0 = np.array([[0, 1], [1, 0.5], [2, 1.5], [3, 0], [4, 2], [5, 1], [2.5, 3], [2.2, 0.1]])
TARGETS = {
    "overlap": np.array([0, 1, 0, 1, 1, 0, 0, 1]),
    "separable": np.array([0, 0, 0, 1, 1, 1, 0, 1]),
    "three": np.array([0, 1, 2, 0, 1, 2, 1, 0]),
}
OPTIONS = [
    {},
    {"penalty": None},
    {"penalty": "l1"},
    {"penalty": "elasticnet", "l1_ratio": 0.5},
    {"penalty": "firth", "multi_class": "ovr"},
    {"C": 1e10},
    {"fit_intercept": False},
    {"solver": "lbfgs"},
    {"solver": "trust-region"},
    {"multi_class": "ovo"},
]


def honest(X, y, weight=None, **options):
    """A finite answer that verifies and does not contradict itself, or an error that says scale."""
    try:
        model = ls.LogisticRegression(**options, max_iter=100).fit(X, y, weight)
    except ValueError as error:
        if "scale" not in str(error):
            raise
        return None
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()
    consistent(model, X)
    check = model.certificate_.verify(X, y, weight)
    assert check.claim_holds, check.reason
    return model


def consistent(model, X):
    p, logs, scores = model.predict_proba(X), model.predict_log_proba(X), model.decision_function(X)
    eps = np.finfo(p.dtype).eps
    assert p.dtype == logs.dtype == scores.dtype == X.dtype
    for values in (p, logs, scores):
        assert np.isfinite(values).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=4 * p.shape[1] * eps)
    assert (p >= 0).all()
    said = model.predict(X)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], said)
    np.testing.assert_array_equal(model.classes_[logs.argmax(axis=1)], said)
    large = p > 1e-30
    np.testing.assert_allclose(np.exp(logs[large]), p[large], rtol=1000 * eps)


# ---- predictions --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted():
    out = {}
    rng = np.random.default_rng(0)
    for K in (2, 3, 5):
        X, y = rng.standard_normal((60, 3)), np.arange(60) % K
        for way in ("softmax", "ovr", "ovo"):
            for dtype in (np.float64, np.float32):
                model = ls.LogisticRegression(multi_class=way).fit(X.astype(dtype), y)
                out[K, way, dtype] = model
    return out


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([2, 3, 5]),
    st.sampled_from(["softmax", "ovr", "ovo"]),
    st.sampled_from([np.float64, np.float32]),
    st.sampled_from([1e-20, 1e-17, 1e-8, 1.0, 36.0, 40.0, 800.0, 1e30]),
    st.integers(0, 10**6),
)
def test_predictions_are_the_largest_probabilities(fitted, K, way, dtype, size, seed):
    """Ties, σ(40) = 1 on both sides, scores that differ in the last bit, scores out of range."""
    model, rng = fitted[K, way, dtype], np.random.default_rng(seed)
    shape = model.coef_.shape
    model.coef_ = (np.rint(4 * rng.standard_normal(shape)) / 4 * size).astype(dtype)
    model.intercept_ = np.zeros(shape[0], dtype=dtype)
    whole = np.rint(4 * rng.standard_normal((40, 3))) / 4
    far = rng.standard_normal((5, 3)) * 1e30
    X = np.vstack([np.zeros((1, 3)), whole, rng.standard_normal((40, 3)), far]).astype(dtype)
    consistent(model, X)
    p = model.predict_proba(X)
    assert len(set(p[0])) == 1 or way == "ovo"  # all scores are 0: a tie, to the first class
    assert model.predict(X[:1])[0] == 0


def test_far_rows_keep_the_side_they_are_on(fitted):
    model = fitted[2, "softmax", np.float64]
    model.coef_, model.intercept_ = np.array([[1e10, 1e10, -1e10]]), np.zeros(1)
    X = np.array([[1e300, 1e300, 1e300], [-1.7e308, 1e308, 1.0]])
    np.testing.assert_array_equal(np.sign(model.decision_function(X)), [1, -1])
    consistent(model, X)


def test_another_threshold_is_set_outside_the_model():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3))
    y = np.where(X[:, 0] + rng.logistic(size=400) > 1, "yes", "no")
    model = ls.LogisticRegression()
    careful = FixedThresholdClassifier(model, threshold=0.2, pos_label="yes").fit(X, y)
    p = model.fit(X, y).predict_proba(X)[:, 1]
    np.testing.assert_array_equal(careful.predict(X) == "yes", p >= 0.2)
    tuned = TunedThresholdClassifierCV(model, scoring="balanced_accuracy", cv=3).fit(X, y)
    assert 0 < tuned.best_threshold_ < 0.5
    curves = ls.evaluate(y, model.predict(X), scores=p)
    assert "yes" in str(curves)


# ---- numbers ------------------------------------------------------------------------------------


@pytest.mark.share(4)
@quiet
@pytest.mark.parametrize("unit", [1e300, 1e150, 1e8, 1e-150, 1e-300, 1e-310])
@pytest.mark.parametrize("target", TARGETS)
def test_units(unit, target):
    y = TARGETS[target]
    for number, options in enumerate(OPTIONS):
        # Sparse and dense tables in turn: what differs is only the copy that is scaled.
        table = sp.csr_array(X0 * unit) if number % 3 == 2 else X0 * unit
        model = honest(table, y, **options)
        if 1e-150 <= unit <= 1e150:
            assert model is not None, options


@pytest.mark.parametrize("unit", [2.0**-498, 2.0**-30, 2.0**30, 2.0**498])
def test_maximum_likelihood_does_not_depend_on_the_unit(unit):
    for y in (TARGETS["overlap"], TARGETS["three"]):
        plain = ls.LogisticRegression(penalty=None).fit(X0, y)
        for table in (X0 * unit, sp.csr_array(X0 * unit)):
            model = ls.LogisticRegression(penalty=None).fit(table, y)
            np.testing.assert_allclose(model.coef_ * unit, plain.coef_, rtol=1e-5)
            assert model.certificate_.gap < 1e-9


@pytest.mark.parametrize("options", OPTIONS[:5] + OPTIONS[7:])
def test_offsets(options):
    """A bias takes up an offset of 1e8: the other weights stay as they were, to its digits."""
    rng = np.random.default_rng(1)
    X = np.rint(rng.standard_normal((80, 3)) * 64) / 64
    y = (X[:, 0] + rng.logistic(size=80) > 0).astype(int)
    plain, moved = honest(X, y, **options), honest(X + 1e8, y, **options)
    np.testing.assert_allclose(moved.coef_, plain.coef_, atol=1e-4)
    assert moved.certificate_.status is ls.Status.CONVERGED


@pytest.mark.parametrize("options", OPTIONS[:4] + OPTIONS[6:])
def test_useless_columns_and_wide_tables(options):
    """Constant, duplicate and zero columns; more columns than rows; a single one."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((60, 2))
    y = (X[:, 0] + rng.logistic(size=60) > 0).astype(int)
    odd = np.column_stack([X, X[:, 0], np.full(60, 3.0), np.zeros(60), -2 * X[:, 1]])
    for table in (odd, sp.csr_array(odd), X[:, :1]):
        model = honest(table, y, **options)
        assert model.certificate_.status is ls.Status.CONVERGED
        assert model.certificate_.gap <= 1e-6 * model.certificate_.primal
    if options.get("penalty", "l2") is not None:
        wide = rng.standard_normal((20, 50))
        assert honest(wide, y[:20], **options).certificate_.status is ls.Status.CONVERGED


@pytest.mark.parametrize("unit", [1e38, 1e30, 1e-30, 1e-40])
def test_float32(unit):
    rng = np.random.default_rng(3)
    X = (rng.standard_normal((80, 2)) / 6).astype(np.float32) * np.float32(unit)
    y = (X[:, 0] / unit + rng.logistic(size=80) > 0).astype(int)
    for options in OPTIONS[:5]:
        model = honest(X, y, **options)
        assert model is None or model.coef_.dtype == np.float32
    if unit == 1e-40:
        with pytest.raises(ValueError, match="beyond the range of float32"):
            ls.LogisticRegression(penalty=None).fit(X, y)


@pytest.mark.parametrize("size", [1e-300, 1e-10, 1e10, 1e150])
def test_weights_and_strengths(size):
    """Σ c f grows with c: unpenalised weights stay, and C is a weight of all samples."""
    y = TARGETS["overlap"]
    c = np.full(8, size)
    plain = honest(X0, y, penalty=None)
    np.testing.assert_allclose(honest(X0, y, c, penalty=None).coef_, plain.coef_, rtol=1e-5)
    for penalty in ("l2", "l1"):
        a = honest(X0, y, c, penalty=penalty)
        b = honest(X0, y, penalty=penalty, C=size)
        np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-6)


@pytest.mark.share(3)
@quiet
@pytest.mark.parametrize("big", [1e12, 1e140, 1e300])
def test_an_outlier_that_a_look_at_some_rows_misses(big):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((20_000, 2))
    y = (X[:, 0] + rng.logistic(size=20_000) > 0).astype(int)
    X[777, 1] = big
    for options in ({}, {"penalty": None}, {"solver": "trust-region"}, {"solver": "lbfgs"}):
        model = honest(X, y, **options)
        assert model is None or model.certificate_.primal < 20_000 * np.log(2)


@pytest.mark.share(3)
@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ({}, 100_000),
        pytest.param({}, 1_000_000, marks=pytest.mark.slow),
        ({"penalty": None}, 100_000),
        ({"penalty": "l1"}, 100_000),
    ],
)
def test_one_in_a_million(options, rows):
    """The bias gives the rare class its share: Σ p = 1 at the minimum."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((rows + 1, 1))
    y = np.zeros(len(X), dtype=np.int8)
    y[rows // 3] = 1
    model = ls.LogisticRegression(**options).fit(X, y)
    assert model.certificate_.status is ls.Status.CONVERGED
    assert model.predict_proba(X)[:, 1].sum() == pytest.approx(1.0, rel=1e-3)
    assert model.certificate_.gap < 1e-5


@quiet
def test_no_convergence_is_claimed_where_the_bound_says_otherwise():
    """A table without a bias, far from 0: nearly dependent columns defeat any solver."""
    for solver in ("newton", "trust-region", "lbfgs"):
        model = honest(X0 + 1e8, TARGETS["separable"], fit_intercept=False, solver=solver)
        claim, start = model.certificate_, 8 * np.log(2)
        assert claim.gap <= 1e-3 * start or not claim.status.ok


# ---- the bound against fifty digits -------------------------------------------------------------


def exact_minimum(X, y, K, strength, C, intercept=True):
    """min ½·strength·‖W‖² + C Σ loss over weights against class 0, to 40 digits, by Newton.

    K rows of weights that sum to 0 have the penalty ½ θᵀ(I − 11ᵀ/K)θ; for two classes ½θ².
    """
    with localcontext() as context:
        context.prec = 50
        Z = [[Decimal(1)] * intercept + [Decimal(float(v)) for v in row] for row in X]
        p, R = len(Z[0]), K - 1
        theta = [Decimal(0)] * (R * p)
        C, strength = Decimal(C), Decimal(strength)
        share = Decimal(0) if K == 2 else Decimal(1) / K

        def value(theta):
            total = Decimal(0)
            for z, own in zip(Z, y, strict=True):
                s = [Decimal(0)] + [
                    sum((theta[k * p + j] * z[j] for j in range(p)), Decimal(0)) for k in range(R)
                ]
                total += C * (sum((v.exp() for v in s), Decimal(0)).ln() - s[own])
            for j in range(int(intercept), p):
                t = [theta[k * p + j] for k in range(R)]
                total += strength / 2 * (sum(v * v for v in t) - share * sum(t) ** 2)
            return total

        best = value(theta)
        for _ in range(100):
            g, H = _derivatives(Z, y, theta, R, p, C, strength, share, intercept)
            move = _solved(H, g)
            decrement, t = sum(a * b for a, b in zip(g, move, strict=True)), Decimal(1)
            if decrement < Decimal(10) ** -40:
                break
            while True:
                there = [a - t * b for a, b in zip(theta, move, strict=True)]
                found = value(there)
                if found <= best - t * decrement / 10000:
                    break
                t /= 2
            theta, best = there, found
        return best


def _derivatives(Z, y, theta, R, p, C, strength, share, intercept):
    g = [Decimal(0)] * (R * p)
    H = [[Decimal(0)] * (R * p) for _ in g]
    for z, own in zip(Z, y, strict=True):
        e = [Decimal(1)] + [
            sum((theta[k * p + j] * z[j] for j in range(p)), Decimal(0)).exp() for k in range(R)
        ]
        q = [v / sum(e) for v in e[1:]]
        for k in range(R):
            for i in range(p):
                g[k * p + i] += C * (q[k] - (own == k + 1)) * z[i]
                for m in range(R):
                    curve = C * q[k] * ((k == m) - q[m]) * z[i]
                    for j in range(p):
                        H[k * p + i][m * p + j] += curve * z[j]
    for k in range(R):
        for m in range(R):
            for j in range(int(intercept), p):
                pull = strength * ((k == m) - share)
                g[k * p + j] += pull * theta[m * p + j]
                H[k * p + j][m * p + j] += pull
    return g, H


def _solved(H, g):
    """H⁻¹g by elimination."""
    rows, n = [[*row, v] for row, v in zip(H, g, strict=True)], len(g)
    for i in range(n):
        best = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for k in range(n):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[n] / row[i] for i, row in enumerate(rows)]


def small(K, seed=0, n=24):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, 2)), np.arange(n) % K
    X[:, 0] += 0.7 * y
    return X, y


@pytest.mark.share(3)
@quiet
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("C", [0.1, 10.0, np.inf])
def test_the_gap_is_a_bound_however_rough_the_solution(K, C):
    X, y = small(K)
    free = np.isinf(C)
    minimum = exact_minimum(X, y, K, 0 if free else 1, 1 if free else C)
    solvers = ["trust-region", "lbfgs", "batch", "stochastic", "newton"][: 5 if K == 2 else 4]
    for solver in solvers:
        for steps in (1, 2, 3, 1000):
            model = ls.LogisticRegression(C, solver=solver, max_iter=steps).fit(X, y)
            claim = model.certificate_
            above = float(Decimal(claim.primal) - minimum)
            room = 1e-14 * claim.primal
            assert -room <= above <= claim.gap + room, (solver, steps)
            assert claim.verify(X, y).claim_holds
    exact = ls.LogisticRegression(C).fit(X, y).certificate_
    assert abs(float(Decimal(exact.primal) - minimum)) <= 1e-12 * exact.primal
    assert exact.gap <= 1e-9 * exact.primal


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("rho", [0.0, 0.5])
def test_the_bound_around_the_minimum(K, rho):
    """Wherever it claims anything it holds, and near the minimum it is not far from the truth."""
    X, y = small(K, seed=1)
    minimum = exact_minimum(X, y, K, rho, 1)
    problem = Problem(X, y, K, np.ones(len(y)), l2=rho)
    best = ls.LogisticRegression(C=1 / rho if rho else np.inf, tol=1e-15).fit(X, y)
    rng, claims = np.random.default_rng(0), 0
    for size in (1e-4, 1e-2, 0.1, 0.3, 1.0, 3.0):
        for _ in range(5):
            shape = best.certificate_.weights.shape
            W = best.certificate_.weights + size * rng.standard_normal(shape)
            W[:, 1:] -= W[:, 1:].mean(axis=0) * (K > 2)  # a common part only adds to the penalty
            place = evaluate(problem, W)
            bound = smallest_gap(problem, place)
            above = float(Decimal(float(place.value.mid)) - minimum)
            assert above <= bound + float(place.value.rad)
            claims += bound < float(place.value.mid)
            if size == 1e-4:
                assert bound <= 1.1 * above + 1e-13
    assert claims >= 10


@quiet
@pytest.mark.parametrize("options", [{"penalty": "l1"}, {"penalty": "elasticnet", "l1_ratio": 0.3}])
@pytest.mark.parametrize("K", [2, 3])
def test_the_gap_of_rough_l1_solutions(options, K):
    X, y = small(K, seed=2)
    best = ls.LogisticRegression(**options, C=0.5, tol=1e-14).fit(X, y).certificate_
    for steps in (1, 2, 3, 100):
        claim = ls.LogisticRegression(**options, C=0.5, max_iter=steps).fit(X, y).certificate_
        # The best one is itself at most its own gap above the minimum.
        assert claim.primal - best.primal <= claim.gap + 1e-12
        assert claim.primal >= best.primal - best.gap - 1e-12
        assert claim.verify(X, y).claim_holds


@pytest.mark.parametrize(
    "options", [*OPTIONS[:4], {"C": 3.0}, {"penalty": None, "solver": "lbfgs"}]
)
@pytest.mark.parametrize("K", [2, 3])
def test_forged_claims(options, K):
    X, y = small(K, seed=3)
    claim = ls.LogisticRegression(**options).fit(X, y).certificate_
    assert claim.verify(X, y)
    moved = claim.weights.copy()
    moved[0, 1] += 1e-3 * (np.abs(moved).max() + 1)
    forged = [
        replace(claim, weights=moved),
        replace(claim, weights=-claim.weights),
        replace(claim, primal=claim.primal * (1 - 1e-6)),
        replace(claim, primal=claim.primal - 1e-6, weights=moved),
        replace(claim, C=2 * claim.C if np.isfinite(claim.C) else 5.0),
        replace(claim, weights=claim.weights[:, :2]),
        replace(claim, classes=claim.classes[::-1]),
        replace(claim, fit_intercept=False),
    ]
    for one in forged:
        assert not one.verify(X, y).claim_holds
    assert not claim.verify(X, np.roll(y, 1)).claim_holds
    assert not claim.verify(X[::-1], y).claim_holds
    assert not claim.verify(X[:-1], y[:-1]).claim_holds
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        rough = ls.LogisticRegression(**options, max_iter=1).fit(X, y).certificate_
    if 1e-6 < rough.gap < rough.primal:
        assert not replace(rough, gap=rough.gap / 100).verify(X, y).claim_holds
