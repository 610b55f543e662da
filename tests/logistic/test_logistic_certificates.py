"""Certificates of logistic regression against fifty digits, and forgeries of every field."""

import warnings
from dataclasses import replace
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression as Reference

import linscope as ls
from linscope.engines import choose
from linscope.fitting.driver import run
from linscope.logistic.certificates.gap import _unchanged_gap, rounding_of
from linscope.logistic.solvers.objective import LogisticObjective
from linscope.logistic.solvers.trust_region import TrustRegion
from linscope.logistic.verify.check import smallest_gap
from linscope.logistic.verify.values import Problem, evaluate
from linscope.results import Status

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
DIGITS = 60


def overlapping(seed, n=40, d=2):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, (X[:, 0] + rng.logistic(size=n) > 0).astype(int)


# ---- fifty digits -------------------------------------------------------------------------------


def objective(X, y, w, C, weight=None):
    """½‖w‖² + C Σ c log(1 + e^−m) of two classes, bias first; C = ∞: no penalty."""
    total, strength = mp.mpf(0), 1 if np.isinf(C) else mp.mpf(C)
    for i, (row, own) in enumerate(zip(X, y, strict=True)):
        s = w[0] + sum(mp.mpf(float(x)) * v for x, v in zip(row, w[1:], strict=True))
        c = 1 if weight is None else mp.mpf(float(weight[i]))
        total += c * mp.log1p(mp.exp(-s if own else s))
    return strength * total + (0 if np.isinf(C) else sum(v * v for v in w[1:]) / 2)


def minimum(X, y, C, weight=None, steps=80, digits=DIGITS):
    """The least objective, by Newton's method about the column means."""
    with mp.workdps(digits):
        mean = [mp.fsum(map(mp.mpf, column)) / len(X) for column in X.T.tolist()]
        Z = [
            [mp.mpf(1)] + [mp.mpf(v) - m for v, m in zip(row, mean, strict=True)]
            for row in X.tolist()
        ]
        strength, ridge = (mp.mpf(1), 0) if np.isinf(C) else (mp.mpf(C), 1)
        theta, p = mp.matrix(len(mean) + 1, 1), len(mean) + 1

        def value(theta):
            w = list(theta)
            w[0] -= sum(v * m for v, m in zip(w[1:], mean, strict=True))
            return objective(X, y, w, C, weight)

        best = value(theta)
        for _ in range(steps):
            g, H = mp.matrix(p, 1), mp.matrix(p, p)
            for i, (z, own) in enumerate(zip(Z, y, strict=True)):
                q = 1 / (1 + mp.exp(-sum(a * b for a, b in zip(z, theta, strict=True))))
                c = strength * (1 if weight is None else mp.mpf(float(weight[i])))
                for a in range(p):
                    g[a] += c * (q - own) * z[a]
                    for b in range(p):
                        H[a, b] += c * q * (1 - q) * z[a] * z[b]
            for a in range(1, p):
                g[a] += ridge * theta[a]
                H[a, a] += ridge
            move = mp.lu_solve(H, g)
            promised, t = (g.T * move)[0], mp.mpf(1)
            if promised < mp.mpf(10) ** -50 * abs(best):
                break
            while (found := value(theta - t * move)) > best - t * promised / 10000:
                t /= 2
            theta, best = theta - t * move, found
        return best


def check_claim(model, X, y, C, weight=None, digits=DIGITS):
    """The claim against the truth, and the checks against the claim."""
    claim = model.certificate_
    with mp.workdps(digits):
        w = [mp.mpf(float(v)) for v in (model.intercept_[0], *model.coef_[0])]
        held, least = objective(X, y, w, C, weight), minimum(X, y, C, weight, digits=digits)
        assert 0 <= held - least <= claim.gap
        assert claim.dual <= least
        assert abs(held - claim.primal) <= 1e-9 * claim.primal
        assert claim.ok == (claim.gap <= claim.tolerance * claim.primal)
    for check in (model.verify(X, y, weight), claim.verify(X, y, weight)):
        assert check.claim_holds, check


@pytest.mark.share(3)
@quiet
@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8, 1e12, 1e13, 1e15])
@pytest.mark.parametrize("C", [1.0, 100.0, np.inf])
def test_the_claim_is_about_the_floats_that_are_held(offset, C):
    X, y = overlapping(1)
    X = X + offset
    model = ls.LogisticRegression(C).fit(X, y)
    check_claim(model, X, y, C)
    assert model.certificate_.ok or offset > 1e12


@pytest.mark.share(4)
@quiet
@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1e8, 1e150])
@pytest.mark.parametrize("C", [1.0, np.inf])
def test_units_do_not_matter_to_a_claim(scale, C):
    X, y = overlapping(2)
    check_claim(ls.LogisticRegression(C).fit(scale * X, y), scale * X, y, C, digits=700)


@pytest.mark.parametrize("constant", [0.1, 0.3, 3.7, 0.001, 1e9, -1e-9])
def test_a_constant_column_gets_no_weight(constant):
    rng = np.random.default_rng(55)
    X = rng.normal(size=(30, 2))
    X[:, 1] = constant
    y = (X[:, 0] + rng.normal(size=30) > 0).astype(int)
    model = ls.LogisticRegression(penalty=None).fit(X, y)
    alone = ls.LogisticRegression(penalty=None).fit(X[:, :1], y)
    assert model.coef_[0, 1] == 0
    np.testing.assert_allclose(model.coef_[0, 0], alone.coef_[0, 0], rtol=1e-9)
    assert model.score(X, y) == alone.score(X[:, :1], y) == 26 / 30
    assert model.certificate_.ok
    assert model.verify(X, y)
    with mp.workdps(DIGITS):
        least = minimum(X[:, :1], y, np.inf)
        assert 0 <= model.certificate_.primal * (1 + 1e-12) - least <= 1e-9


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_columns_that_say_nothing(fit_intercept, K):
    y = np.arange(7) % K
    model = ls.LogisticRegression(penalty=None, fit_intercept=fit_intercept)
    model.fit(np.zeros((7, 2)), y)
    assert not model.coef_.any()
    share = np.bincount(y) / 7 if fit_intercept else np.full(K, 1 / K)
    np.testing.assert_allclose(model.predict_proba(np.zeros((1, 2)))[0], share, rtol=1e-9)
    assert model.certificate_.ok
    assert model.verify(np.zeros((7, 2)), y)


def test_nearly_equal_columns_are_solved_and_proven():
    X, y = overlapping(3)
    X = np.column_stack([X, X[:, 0] + 1e-6 * np.random.default_rng(0).standard_normal(len(X))])
    model = ls.LogisticRegression(penalty=None).fit(X, y)
    check_claim(model, X, y, np.inf)
    assert model.certificate_.ok


def test_an_outlier_on_its_own_side_hides_nothing():
    X, y = np.array([[0.0], [1.0], [0.5], [1e9]]), np.array([0, 0, 1, 1])
    model = ls.LogisticRegression(penalty=None).fit(X, y)
    assert model.certificate_.status is Status.CONVERGED
    check_claim(model, X, y, np.inf)


@pytest.mark.parametrize("penalty", ["l1", "l2", "elasticnet"])
def test_rows_without_weight_say_nothing_however_large(penalty):
    """The claim is about rows 1 and 2; the size of row 3 must not enter any bound of rounding."""
    X = np.array([[2.6e-13, -4.5e-13], [-7617.252034600375, -320784.8823803088], [-3.4e12, 2.3e12]])
    y, weight = np.array([0, 1, 1]), np.array([1.0, 1.0, 0.0])
    ratio = {"l1_ratio": 0.5} if penalty == "elasticnet" else {}
    model = ls.LogisticRegression(penalty=penalty, tol=1e-12, **ratio)
    model.fit(X, y, sample_weight=weight)
    assert model.verify(X, y, sample_weight=weight)
    assert model.certificate_.verify(X[:2], y[:2], sample_weight=weight[:2])
    assert not model.certificate_.verify(X, y, sample_weight=np.zeros(3)).claim_holds


@quiet
def test_likelihoods_that_vanish_where_weights_are_infinite():
    X = np.array(
        [[735908253.8925524, 20764020.987604447], [469986678.98342264, -75592976.70805474],
         [1573819016.3126647, 69600175.94331832], [-254288272.89105338, -98937254.16663878]]
    )  # fmt: skip
    y = np.array([1, 2, 0, 1])
    weight = np.array(
        [99894109.29282126, 0.07883745561132868, 75.86223334151381, 4969026.265214797]
    )
    model = ls.LogisticRegression(penalty=None).fit(X, y, sample_weight=weight)
    assert model.certificate_.status is Status.INFINITE
    check = model.verify(X, y, sample_weight=weight)
    assert check.claim_holds, check.reason


def test_separation_far_below_the_largest_margin_is_proven():
    X = np.array([[-0.5, -4e3], [-0.1 - 1e-14, -2e3], [0.5, 1e3], [0.9 + 1e-14, 3e3]])
    y = np.array([0, 1, 0, 0])
    with pytest.warns(ConvergenceWarning, match="No finite maximum-likelihood weights"):
        model = ls.LogisticRegression(penalty=None).fit(X, y)
    claim = model.certificate_
    assert claim.status is Status.INFINITE
    first, second = claim.direction
    v = [b - a for a, b in zip(first, second, strict=True)]
    exact = [[Fraction(1), *map(Fraction, row)] for row in X.tolist()]
    margins = [
        (1 if own else -1) * sum(a * b for a, b in zip(v, row, strict=True))
        for row, own in zip(exact, y, strict=True)
    ]
    assert min(margins) >= 0
    assert max(margins) > 0
    assert model.verify(X, y).claim_holds


def test_separation_by_the_rounding_of_the_table_is_none():
    """x2 = 5000·x1 − 1500, but decimals are rounded: up to that the classes overlap."""
    X = np.array([[-0.5, -4000.0], [-0.1, -2000.0], [0.5, 1000.0], [0.9, 3000.0]])
    y = np.array([0, 1, 0, 0])
    model = ls.LogisticRegression(penalty=None).fit(X, y)
    claim = model.certificate_
    assert claim.ok
    assert claim.dependent == ["x2 = −1500 + 5000·x1"]
    assert claim.ulps == 1
    assert "differs from yours by at most 1 ulp" in claim.text
    assert model.verify(X, y)


@quiet
def test_the_bound_holds_wherever_one_looks():
    """Any weights, any penalty: the value lies in its ball and the minimum above the bound."""
    X, y = overlapping(4, n=25)
    rng = np.random.default_rng(0)
    c = rng.uniform(0.1, 3, len(y))
    for C in (0.1, 30.0):
        with mp.workdps(DIGITS):
            least = minimum(X, y, C, c)
            for _ in range(6):
                W = 10.0 ** rng.uniform(-3, 1) * rng.standard_normal((1, 3))
                problem = Problem(X, y, 2, C * c, 2.0**-53)
                place = evaluate(problem, W)
                true = objective(X, y, [mp.mpf(float(v)) for v in W[0]], C, c)
                assert abs(true - place.value.mid) <= place.value.rad
                assert true - least <= smallest_gap(problem, place)


# ---- forgeries ----------------------------------------------------------------------------------

FORGERIES = [
    {"gap": 0.0},
    {"gap": -1.0},
    {"gap": 1e9},
    {"gap": np.inf},
    {"gap": np.nan},
    {"gap": None},
    {"primal": np.nan},
    {"primal": np.inf},
    {"primal": None},
    {"dual": np.nan},
    {"dual": np.inf},
    {"kkt": np.nan},
    {"kkt": -1.0},
    {"tolerance": 0.0},
    {"tolerance": np.nan},
    {"tolerance": 1e9},
    {"C": np.nan},
    {"C": -1.0},
    {"l1": np.nan},
    {"l2": -1.0},
    {"l1": 0.5},
    {"firth": True},
    {"fit_intercept": False},
    {"direction": ((Fraction(0),) * 3, (Fraction(1),) * 3)},
]


@pytest.fixture(scope="module")
def honest():
    X, y = overlapping(5)
    claims = {}
    for penalty in ("l2", "l1", None):
        claims[penalty] = ls.LogisticRegression(penalty=penalty, C=2.0 if penalty else 1.0).fit(
            X, y
        )
    return X, y, claims


@pytest.mark.parametrize("penalty", ["l2", "l1", None])
@pytest.mark.parametrize("change", FORGERIES, ids=str)
def test_a_forged_number_is_rejected(honest, penalty, change):
    X, y, models = honest
    claim = models[penalty].certificate_
    assert claim.verify(X, y)
    same = change == {"l1": 0.5} and penalty == "nothing"
    assert not replace(claim, **change).verify(X, y).claim_holds or same


@pytest.mark.parametrize("penalty", ["l2", "l1", None])
@pytest.mark.parametrize("status", [s for s in Status if s is not Status.CONVERGED])
def test_a_forged_status_is_rejected(honest, penalty, status):
    X, y, models = honest
    assert not replace(models[penalty].certificate_, status=status).verify(X, y).claim_holds


@pytest.mark.parametrize("penalty", ["l2", "l1", None])
def test_a_lower_bound_that_is_none_is_rejected(honest, penalty):
    X, y, models = honest
    claim = models[penalty].certificate_
    assert not replace(claim, dual=claim.primal).verify(X, y).claim_holds
    # Weaker and true by itself, but not what the gap is the difference of.
    assert not replace(claim, dual=claim.dual - 1.0).verify(X, y).claim_holds
    assert not replace(claim, dual=-np.inf).verify(X, y).claim_holds
    assert not replace(claim, primal=claim.primal * (1 + 1e-6)).verify(X, y).claim_holds
    assert not replace(claim, weights=claim.weights * (1 + 1e-4)).verify(X, y).claim_holds
    assert not replace(claim, weights=np.full_like(claim.weights, np.nan)).verify(X, y).claim_holds


@quiet
@pytest.mark.parametrize("status", [s for s in Status if s is not Status.INFINITE])
def test_infinite_weights_are_not_something_else(status):
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    claim = ls.LogisticRegression(penalty=None).fit(X, y).certificate_
    assert claim.status is Status.INFINITE
    assert claim.verify(X, y).claim_holds
    assert not replace(claim, status=status).verify(X, y).claim_holds
    turned = tuple(tuple(-v for v in row) for row in claim.direction)
    assert not replace(claim, direction=turned).verify(X, y).claim_holds
    assert not replace(claim, direction=()).verify(X, y).claim_holds
    assert not replace(claim, gap=0.0).verify(X, y).claim_holds


@quiet
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"penalty": "l1"},
        {"penalty": None},
        {"multi_class": "ovr"},
        {"multi_class": "ovo"},
        {"penalty": "firth", "multi_class": "ovr"},
        {"reference": 1},
    ],
    ids=str,
)
def test_the_live_attributes_are_what_is_checked(options):
    rng = np.random.default_rng(6)
    y = np.arange(45) % 3
    X = rng.standard_normal((45, 2)) + 0.5 * y[:, None]
    model = ls.LogisticRegression(**options).fit(X, y)
    assert model.verify(X, y), model.verify(X, y)
    assert model.verify(sp.csr_array(X), y)
    model.coef_ = 2 * model.coef_
    assert not model.verify(X, y).claim_holds
    assert model.certificate_.verify(X, y)  # the stored claim is still true


@quiet
@pytest.mark.parametrize(
    "change", [{"C": np.nan}, {"l1": 0.5}, {"tolerance": 1.0}, {"primal": 1.0}]
)
def test_what_parts_say_together(change):
    rng = np.random.default_rng(7)
    y = np.arange(45) % 3
    X = rng.standard_normal((45, 2)) + 0.5 * y[:, None]
    claim = ls.LogisticRegression(multi_class="ovr").fit(X, y).certificate_
    assert claim.verify(X, y)
    assert not replace(claim, **change).verify(X, y).claim_holds
    assert not replace(claim, status=Status.SEVERAL).verify(X, y).claim_holds


# ---- Firth --------------------------------------------------------------------------------------


def firth_score(X, y, w):
    """Firth's penalised likelihood and the length of Newton's next step, in many digits."""
    Z = [[mp.mpf(1), *map(mp.mpf, row)] for row in X.tolist()]
    p, value, I = len(Z[0]), mp.mpf(0), mp.matrix(len(Z[0]), len(Z[0]))
    probabilities = []
    for z, own in zip(Z, y, strict=True):
        s = sum(a * b for a, b in zip(z, w, strict=True))
        q = 1 / (1 + mp.exp(-s))
        probabilities.append(q)
        value -= mp.log1p(mp.exp(-s if own else s))
        for a in range(p):
            for b in range(p):
                I[a, b] += q * (1 - q) * z[a] * z[b]
    inverse, g = I**-1, mp.matrix(p, 1)
    for z, own, q in zip(Z, y, probabilities, strict=True):
        v = mp.matrix(z)
        h = q * (1 - q) * (v.T * inverse * v)[0]
        g += (own - q + h * (mp.mpf(1) / 2 - q)) * v
    return value + mp.log(mp.det(I)) / 2, mp.sqrt((g.T * inverse * g)[0])


@pytest.mark.parametrize("offset", [0.0, 1e5])
def test_firths_claim_against_fifty_digits(offset):
    X, y = overlapping(8)
    X = X + offset
    y = (X[:, 0] > offset).astype(int)  # separated, which Firth's penalty can stand
    model = ls.LogisticRegression(penalty="firth").fit(X, y)
    claim = model.certificate_
    with mp.workdps(DIGITS):
        w = [mp.mpf(float(v)) for v in (model.intercept_[0], *model.coef_[0])]
        value, step = firth_score(X, y, w)
        assert abs(value - claim.primal) <= 1e-9 * max(1, abs(claim.primal))
        assert step <= claim.decrement <= claim.tolerance
    assert claim.ok
    assert model.verify(X, y)


@pytest.mark.parametrize(
    "change",
    [
        {"decrement": 0.0},
        {"decrement": np.nan},
        {"decrement": np.inf},
        {"decrement": None},
        {"primal": np.nan},
        {"primal": 0.0},
        {"gap": 0.0},
        {"dual": 0.0},
        {"l1": np.inf},
        {"l2": -1.0},
        {"tolerance": 1.0},
        {"firth": False},
        *({"status": s} for s in Status if s is not Status.CONVERGED),
    ],
    ids=str,
)
def test_firths_claim_forged(change):
    X, y = overlapping(9)
    claim = ls.LogisticRegression(penalty="firth").fit(X, y).certificate_
    assert claim.verify(X, y)
    assert not replace(claim, **change).verify(X, y).claim_holds


# ---- paths --------------------------------------------------------------------------------------


@pytest.mark.share(2)
@quiet
@pytest.mark.parametrize("offset", [0.0, 1e9, 1e12, 1e14])
def test_every_fit_of_a_path_speaks_of_its_own_floats(offset):
    X, y = overlapping(10, n=60)
    X = X + offset
    found = ls.path(ls.LogisticRegression(), X, y, Cs=[0.1, 10.0], cv=2)
    assert found.verify(X, y).claim_holds, found.verify(X, y)
    rows = [np.arange(len(y)), *(split.train for split in found.splits)]
    claims = np.column_stack([found.whole_certificates, found.certificates])
    for claim, train in [(claims[i, m], rows[m]) for i in range(2) for m in range(3)]:
        with mp.workdps(DIGITS):
            w = [mp.mpf(float(v)) for v in claim.weights[0]]
            held = objective(X[train], y[train], w, claim.C)
            assert 0 <= held - minimum(X[train], y[train], claim.C) <= claim.gap
            assert abs(held - claim.primal) <= 1e-9 * claim.primal
    best = found.best_estimator
    assert best.verify(X, y).claim_holds


# ---- options ------------------------------------------------------------------------------------


def test_steps_that_are_small_at_once_are_not_convergence():
    X, y = overlapping(11, n=20)
    with pytest.warns(ConvergenceWarning, match="need not be the minimum"):
        model = ls.LogisticRegression(solver="batch", eta0=1e-12).fit(X, y)
    claim = model.certificate_
    assert not claim.ok
    assert claim.gap > claim.tolerance * claim.primal
    assert not replace(claim, status=Status.CONVERGED).verify(X, y).claim_holds
    assert model.verify(X, y).claim_holds


@pytest.mark.parametrize("solver", ["newton", "trust-region", "lbfgs"])
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_max_iter_is_the_most_steps(solver, steps):
    X, y = overlapping(12, n=200, d=5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = ls.LogisticRegression(C=100.0, solver=solver, max_iter=steps).fit(X, y)
    assert model.n_iter_.tolist() == [steps]
    assert bool(caught) is not model.certificate_.ok
    if steps == 1:
        assert issubclass(caught[0].category, ConvergenceWarning)


@pytest.mark.parametrize("tol", [1e-4, 1e-5, 1e-8, 1e-12])
@pytest.mark.parametrize("solver", ["auto", "lbfgs", "trust-region"])
def test_a_tighter_tol_is_no_worse_than_none(solver, tol):
    X, y = overlapping(13, n=300, d=6)
    best = ls.LogisticRegression(solver=solver).fit(X, y)
    tight = ls.LogisticRegression(solver=solver, tol=tol).fit(X, y)
    np.testing.assert_allclose(tight.coef_, best.coef_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("l1_ratio", [0.5, 1.0])
def test_the_l2_penalty_has_no_l1_part_whatever_l1_ratio_is(l1_ratio):
    X, y = overlapping(14, n=80, d=6)
    with pytest.warns(UserWarning, match=f"penalty='l2' .* l1_ratio={l1_ratio} is not used"):
        ours = ls.LogisticRegression(penalty="l2", l1_ratio=l1_ratio, C=0.1).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns, too
        theirs = Reference(penalty="l2", l1_ratio=l1_ratio, C=0.1, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5)
    assert ours.verify(X, y)


def test_features_are_selected_by_an_l1_penalty():
    X, y = overlapping(14, n=80, d=6)
    model = ls.LogisticRegression(penalty="l1", C=0.1)
    kept = SelectFromModel(model).fit(X, y).get_support()
    np.testing.assert_array_equal(kept, model.fit(X, y).coef_[0] != 0)
    assert not kept.all()
    assert SelectFromModel(ls.LogisticRegression()).fit(X, y).get_support().any()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"penalty": None, "C": 10.0}, "C=10.0 is not used"),
        ({"penalty": "firth", "C": 10.0}, "C=10.0 is not used"),
        ({"penalty": None, "l1_ratio": 0.5}, "l1_ratio=0.5 is not used"),
        ({"penalty": "l1", "l1_ratio": 0.5}, "l1_ratio=0.5 is not used"),
        ({"penalty": "elasticnet"}, "give l1_ratio"),
    ],
)
def test_options_that_are_not_used_are_said(options, text):
    X, y = overlapping(15)
    with pytest.warns(UserWarning, match=text):
        ls.LogisticRegression(**options).fit(X, y)


def test_many_pairs_of_classes():
    rng = np.random.default_rng(16)
    y = np.arange(240) % 12
    X = rng.standard_normal((240, 2)) + rng.standard_normal((12, 2))[y]
    model = ls.LogisticRegression(multi_class="ovo").fit(X, y)
    assert len(model.certificate_.parts) == 66
    assert model.certificate_.ok
    assert model.verify(X, y)


@pytest.mark.parametrize("C", [1.8e-163, 1.0])
def test_a_bias_that_float32_rounds_is_the_one_that_is_certified(C):
    """All columns are 0: the bias alone is rounded, and its gradient is that of the rounded one."""
    X, y = np.zeros((8, 2), np.float32), np.array([0, 0, 1, 0, 0, 0, 1, 0])
    model = ls.LogisticRegression(C).fit(X, y)
    assert model.certificate_.verify(X, y)
    p = 1 / (1 + np.exp(-np.float64(model.intercept_[0])))
    assert model.certificate_.kkt >= C * abs(8 * p - 2)


def test_weights_times_c_beyond_the_range_of_floats_are_refused_not_certified():
    X, y = np.zeros((6, 1), np.float32), np.array([1, 1, 0, 0, 1, 0])
    with pytest.raises(ValueError, match="range of floats"):
        ls.LogisticRegression(9e-100).fit(X, y, sample_weight=np.full(6, 3e-224))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_bound_with_unchanged_probabilities_is_one(classes, intercept):
    """At the minimum and away from it, against the least objective that Newton's method finds."""
    rng = np.random.default_rng(classes)
    X = rng.standard_normal((80, 3))
    codes = np.r_[:classes, rng.integers(0, classes, 80 - classes)]
    P = LogisticObjective(choose(X, codes), classes, 1.0, intercept)
    best = run(TrustRegion(P, tol=1e-15), 100).details["point"]
    for away in (0.0, 1e-9, 1e-6, 1e-3, 1.0):
        point = P.evaluate((best.W + away * rng.standard_normal(P.shape)) * P.mask)
        rounding = rounding_of(P, point, float(np.abs(X).max()), 0.0)
        bound = _unchanged_gap(P, point, rounding)
        assert bound >= point.value - best.value
        if away <= 1e-9:
            assert bound <= 1e-6 * point.value
