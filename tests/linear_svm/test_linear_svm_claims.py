"""What a linear SVM claims, against exact rationals; forged claims are rejected."""

import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import linscope as ls
from linscope.engines import choose
from linscope.linear_svm.certificates.duality import duality
from linscope.linear_svm.solvers.objective import margin_problem
from linscope.linear_svm.verify.bounds import Problem, bounds
from linscope.results import Status

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def exact_objective(X, y, W, C, *, squared=False, penalised=False, c=None):
    """P(w, b) of these floats as a fraction; None for ∞."""
    W = [Fraction(float(v)) for v in W]
    loss = Fraction(0)
    for i, (row, sign) in enumerate(zip(np.asarray(X).tolist(), y, strict=True)):
        score = W[0] + sum(w * Fraction(v) for w, v in zip(W[1:], row, strict=True))
        xi = max(Fraction(0), 1 - int(sign) * score)
        if np.isinf(C):
            if xi:
                return None
            continue
        own = Fraction(1 if c is None else float(c[i]))
        loss += Fraction(C) * own * (xi * xi if squared else xi)
    return sum(w * w for w in W[0 if penalised else 1 :]) / 2 + loss


def test_no_hard_margin_is_claimed_that_the_floats_do_not_have():
    """Two numbers, one unit in the last place apart: w = 2⁴⁰, and b has no digits for the rest."""
    X, y = np.array([[1e4], [1e4 + 2e-12]]), [0, 1]
    model = ls.LinearSVC(C=np.inf, penalize_intercept=True).fit(X, y)
    claim = model.certificate_
    assert claim.verify(X, y).claim_holds
    value = exact_objective(
        X, [-1, 1], np.r_[model.intercept_, model.coef_[0]], np.inf, penalised=True
    )
    least = (Fraction(2) ** 80 + (Fraction(2) ** 40 * 10**4 + 1) ** 2) / 2
    if value is None:
        assert not claim.ok
        assert claim.gap == np.inf
    else:
        assert value - least <= Fraction(claim.gap)
        assert claim.ok == (claim.gap <= 1e-6 * claim.primal)
    for forged in Status:
        if forged.ok and not claim.ok:
            assert not replace(claim, status=forged).verify(X, y).claim_holds


def test_an_infinite_objective_is_never_ok():
    X, y = np.array([[0.0], [1.0]]), [0, 1]
    claim = ls.LinearSVC(C=np.inf).fit(X, y).certificate_
    wrong = {"weights": np.array([0.0, 1.0]), "primal": np.inf, "gap": np.inf}
    assert not replace(claim, **wrong).verify(X, y).claim_holds
    assert not replace(claim, **wrong, tol=np.inf).verify(X, y).claim_holds
    honest = replace(claim, **wrong, status=Status.STALLED)
    assert honest.verify(X, y).claim_holds


@pytest.mark.parametrize(
    ("X", "weight"),
    [
        ([[-26629488.498290963], [32686026.118500732]], None),
        ([[-1e12], [1e12]], [0.53, 0.98]),
        ([[-1e12], [1e12]], None),
        ([[-3e7, 1.0], [4e7, 2.0], [5e7, -3.0]], None),
    ],
)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_large_columns_get_floats_whose_objective_is_the_least(X, weight, loss):
    """½‖w‖² is far below the rounding of a margin: the floats must have no slack at all."""
    X, y = np.array(X), [0] + [1] * (len(X) - 1)
    model = ls.LinearSVC(loss=loss).fit(X, y, weight)
    claim = model.certificate_
    W = np.r_[model.intercept_, model.coef_[0]]
    squared = loss == "squared_hinge"
    value = exact_objective(X, np.where(y, 1, -1), W, 1.0, squared=squared, c=weight)
    assert claim.ok
    assert abs(Fraction(claim.primal) - value) <= value / 10**9
    assert value - Fraction(claim.dual) <= Fraction(claim.gap)
    # by hand: the two nearest points of the classes, 2/|x₊ − x₋|
    near = min(np.linalg.norm(X[0] - x) for x in X[1:])
    assert float(value) == pytest.approx(0.5 * (2 / near) ** 2, rel=1e-6)
    assert claim.verify(X, y, weight)


def test_tiny_problems_are_exact_to_the_last_digits():
    """Every α is 0 or C: w = Σ α y x = 0.1·(1, −1)."""
    X, y = ls.datasets.load("non_separable")
    model = ls.LinearSVC(C=0.1).fit(X, y)
    np.testing.assert_allclose(model.coef_, [[0.1, -0.1]], rtol=4e-16)
    np.testing.assert_allclose(model.intercept_, [0.9], rtol=4e-16)


def table(n=40, d=3, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X.astype(dtype), (X[:, 0] + rng.standard_normal(n) > 0).astype(int)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("penalised", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_claim_is_about_the_floats_that_are_held(loss, penalised, dtype):
    for seed in range(5):
        X, y = table(seed=seed, dtype=dtype)
        c = np.random.default_rng(seed).random(len(y)) + 0.1
        model = ls.LinearSVC(loss=loss, penalize_intercept=penalised, C=0.7).fit(X, y, c)
        claim = model.certificate_
        W = np.r_[model.intercept_, model.coef_[0]].astype(np.float64)
        assert np.array_equal(claim.weights, W)
        squared = loss == "squared_hinge"
        value = exact_objective(
            X.astype(float), 2 * y - 1, W, 0.7, squared=squared, penalised=penalised, c=c
        )
        assert abs(Fraction(claim.primal) - value) <= value / 10**8
        assert value - Fraction(claim.dual) <= Fraction(claim.gap) * (1 + Fraction(1, 10**12))
        assert model.verify(X, y, c)


@pytest.mark.parametrize("precise", [False, True])
def test_bounds_hold_the_true_values(precise):
    rng = np.random.default_rng(2)
    for scale in (1e-8, 1.0, 1e8):
        for squared in (False, True):
            X = scale * (rng.standard_normal((12, 3)) + 10.0)
            y, W = np.where(np.arange(12) % 2, 1.0, -1.0), rng.standard_normal(4) / scale
            problem = Problem(choose(X, y), 0.3, squared, False, True)
            alpha = 0.3 * rng.random(12)
            found = bounds(problem, W, alpha, precise=precise)
            value = exact_objective(X, y, W, 0.3, squared=squared)
            assert Fraction(float(found.primal.low)) <= value <= Fraction(float(found.primal.high))
            assert Fraction(found.dual) <= value
            assert value - Fraction(found.dual) <= Fraction(found.gap)


FORGED = [
    {"gap": 0.0},
    {"gap": np.nan},
    {"gap": np.inf},
    {"gap": 1e9},
    {"gap": -1.0},
    {"primal": np.nan},
    {"primal": np.inf},
    {"primal": 0.0},
    {"dual": np.nan},
    {"dual": -1.0},
    {"dual": -np.inf},
    {"dual": 0.0},
    {"dual": 1e9},
    {"kkt": 0.0},
    {"backward_error": 0.0},
    {"C": 0.5},
    {"C": np.inf},
    {"C": np.nan},
    {"C": -1.0},
    {"tol": np.inf},
    {"tol": 1.0},
    {"tol": np.nan},
    {"tol": -1.0},
    {"tol": 0.0},
    {"squared": True},
    {"penalize_intercept": True},
    {"fit_intercept": False},
    {"side": (1, 0)},
]


@pytest.mark.parametrize("forged", FORGED, ids=str)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_forged_numbers_are_rejected(forged, form):
    X, y = table()
    claim = ls.LinearSVC().fit(form(X), y).certificate_
    assert claim.verify(form(X), y)
    assert claim.verify(X, y)
    assert not replace(claim, **forged).verify(form(X), y).claim_holds


def test_forged_weights_and_coefficients_are_rejected():
    X, y = table()
    claim = ls.LinearSVC().fit(X, y).certificate_
    w, a = claim.weights, claim.alpha
    hurt = np.where(np.arange(len(w)) == 1, np.nan, w)
    for weights in (2 * w, -w, w + 1e-5, 0 * w, hurt, w[1:], w * np.inf):
        for more in ({}, {"gap": 1e9}, {"gap": np.inf, "primal": np.inf}, {"tol": np.inf}):
            assert not replace(claim, weights=weights, **more).verify(X, y).claim_holds
    for alpha in (2 * a, -a, 0 * a, a[::-1], a + 1e-4, np.where(a > 0, np.nan, a), a[:-1]):
        assert not replace(claim, alpha=alpha).verify(X, y).claim_holds


@pytest.mark.parametrize("classes", [2, 3])
def test_every_other_status_is_rejected(classes):
    X, _ = table()
    y = np.arange(len(X)) % classes
    claim = ls.LinearSVC().fit(X, y).certificate_
    for status in Status:
        assert replace(claim, status=status).verify(X, y).claim_holds == (status is claim.status)
    cut = ls.LinearSVC(max_iter=1, tol=1e-12, penalize_intercept=True, C=50.0).fit(X, y)
    unfinished = cut.certificate_
    assert unfinished.verify(X, y).claim_holds
    for status in Status:
        if status.ok:
            assert not replace(unfinished, status=status).verify(X, y).claim_holds


@pytest.mark.parametrize("kind", ["ovr", "ovo"])
def test_the_whole_is_the_sum_of_its_parts(kind):
    X, _ = table()
    y = np.arange(len(X)) % 3
    claim = ls.LinearSVC(multi_class=kind).fit(X, y).certificate_
    assert claim.verify(X, y)
    for forged in (
        {"primal": 2 * claim.primal},
        {"dual": 0.0},
        {"gap": np.nan},
        {"weights": 2 * claim.weights},
        {"alpha": 2 * claim.alpha},
        {"C": 2.0},
        {"tol": 1e-3},
        {"kkt": 0.0},
        {"squared": True},
    ):
        assert not replace(claim, **forged).verify(X, y).claim_holds, forged


def test_live_attributes_are_checked():
    X, y = table()
    model = ls.LinearSVC(class_weight="balanced").fit(X, y)
    assert model.verify(X, y)
    model.coef_ = 2 * model.coef_
    assert not model.verify(X, y).claim_holds
    assert "coef_" in model.verify(X, y).reason


@pytest.mark.parametrize("tol", [1.0, 5.0])
def test_a_tolerance_that_asks_for_nothing_gets_no_claim(tol):
    X, y = table()
    with pytest.warns(ConvergenceWarning, match="asks for nothing"):
        model = ls.LinearSVC(tol=tol).fit(X, y)
    assert not model.certificate_.ok
    assert model.certificate_.verify(X, y).claim_holds


def test_dropping_a_row_from_the_compiled_pass_is_noticed(monkeypatch):
    """A solver that does not see its first rows cannot make a claim that stands."""
    from linscope.linear_svm.solvers import blocks

    X, y = table(n=900, d=3)
    honest = blocks.evaluate_block

    def blind(block, *arguments):
        terms, (totals, _) = honest(block, *arguments)
        terms.alpha[:300] = 0.0
        seen = terms.alpha * block.y
        return terms, (totals * (2 / 3), np.r_[seen.sum(), seen @ block.X])

    monkeypatch.setattr(blocks, "evaluate_block", blind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        claim = ls.LinearSVC().fit(X, y).certificate_
    monkeypatch.undo()
    assert not (claim.ok and claim.verify(X, y).claim_holds)


@pytest.mark.parametrize("seed", range(12))
def test_the_solvers_own_passes_are_within_their_bounds(seed):
    """Large tables are measured in the solver's coordinates: never better than the truth."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(300, 900)), int(rng.integers(3, 12))
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-5, 6) + 10.0 ** rng.integers(-3, 8)
    X = sparse.csr_array(np.where(rng.random((n, d)) < 0.3, X, 0.0)) if seed % 3 == 0 else X
    y, c = np.where(rng.random(n) < 0.5, 1.0, -1.0), rng.random(n) + 0.1
    squared, penalised = bool(seed % 2), bool(seed % 4 < 2)
    W = np.r_[rng.standard_normal(), rng.standard_normal(d) / abs(X).max()]
    objective, frame = margin_problem(
        choose(X, y, c), 2.0, squared=squared, penalize_intercept=penalised
    )
    problem = Problem(choose(X, y, c), 2.0, squared, penalised, True)
    alpha = 2.0 * c * rng.random(n)
    quick = duality(problem, objective, frame, W, alpha, 0.5)
    truth = bounds(problem, W, alpha, precise=True)
    assert quick.primal.low <= truth.primal.high
    assert quick.primal.high >= truth.primal.low
    assert quick.dual <= truth.dual * (1 + 1e-12)
    assert quick.gap >= truth.gap * (1 - 1e-9)
