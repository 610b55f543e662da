"""LinearSVC: exact solutions of small problems, LIBLINEAR, LIBSVM, separability, forged claims."""

import itertools
import pickle
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.svm import LinearSVC as Liblinear

import linscope as ls
from linscope.results import Status

pytestmark = pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
LOSSES = ["hinge", "squared_hinge"]


def clouds(n=120, d=4, classes=2, apart=1.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.standard_normal((n, d)) + apart * rng.standard_normal((classes, d))[y], y


def objective(model, X, y, C, loss, penalised, c=1.0):
    w, b = model.coef_[0], model.intercept_[0]
    xi = np.maximum(0, 1 - np.where(y > 0, 1, -1) * (X @ w + b))
    own = 0.5 * (w @ w + penalised * b * b)
    return own + C * np.sum(c * (xi if loss == "hinge" else xi**2))


# ---- an exact reference: every way to be at 0, at C or between, in fractions --------------------


def solve_fractions(A, b):
    """Gauss elimination; None if singular."""
    n = len(b)
    rows = [[*row, value] for row, value in zip(A, b, strict=True)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                rows[i] = [a - rows[i][k] * p for a, p in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def exact_svm(X, y, C, squared=False):
    """(b, w) of the free-bias problem, by trying all active sets."""
    n, C = len(y), Fraction(C)
    X = [[Fraction(v) for v in row] for row in X]
    dot = [
        [y[i] * y[j] * sum(a * b for a, b in zip(X[i], X[j], strict=True)) for j in range(n)]
        for i in range(n)
    ]
    for states in itertools.product((0, 1) if squared else (0, 1, 2), repeat=n):
        free = [i for i in range(n) if states[i] == 1]
        top = [i for i in range(n) if states[i] == 2]
        if not free:
            continue
        bend = 1 / (2 * C) if squared else Fraction(0)
        A = [[dot[i][j] + (bend if i == j else 0) for j in free] + [Fraction(y[i])] for i in free]
        A.append([Fraction(y[j]) for j in free] + [Fraction(0)])
        right = [1 - C * sum(dot[i][j] for j in top) for i in free]
        right.append(-C * sum(Fraction(y[j]) for j in top))
        found = solve_fractions(A, right)
        if found is None or any(a < 0 or (not squared and a > C) for a in found[:-1]):
            continue
        alpha = {**dict(zip(free, found[:-1], strict=True)), **dict.fromkeys(top, C)}
        margins = [
            sum(dot[i][j] * a for j, a in alpha.items()) + y[i] * found[-1] for i in range(n)
        ]
        if all(margins[i] >= 1 for i in range(n) if i not in alpha) and all(
            margins[i] <= 1 for i in top
        ):
            w = [sum(a * y[j] * X[j][k] for j, a in alpha.items()) for k in range(len(X[0]))]
            return float(found[-1]), [float(v) for v in w], float(sum(alpha.values()))
    raise AssertionError("no active set is optimal")


@pytest.mark.share(3)
@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("C", [0.25, 1.0, 8.0])
def test_exact_solutions_of_small_problems(squared, C):
    rng = np.random.default_rng(int(8 * C))
    for _ in range(4):
        X = rng.integers(-3, 4, (6, 2))
        y = np.array([1, -1, 1, -1, 1, -1])
        try:
            b, w, total = exact_svm(X.tolist(), y.tolist(), C, squared)
        except AssertionError:
            continue  # every α is at a bound
        model = ls.LinearSVC(C=C, loss=LOSSES[squared]).fit(X, y)
        np.testing.assert_allclose(model.coef_[0], w, atol=1e-9)
        least = 0.5 * np.dot(w, w) + C * np.sum(np.maximum(0, 1 - y * (X @ w + b)) ** (1 + squared))
        ours = objective(model, X, y, C, LOSSES[squared], False)
        assert ours == pytest.approx(least, rel=1e-12)  # the bias need not be unique
        assert model.alphas_.sum() == pytest.approx(total, abs=1e-6)


# ---- peers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [0.05, 1.0])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_a_penalised_bias_is_liblinear(loss, C, make):
    X, y = clouds()
    peer = Liblinear(C=C, loss=loss, tol=1e-10, max_iter=200_000, dual=True).fit(X, y)
    exact = ls.LinearSVC(C=C, loss=loss, penalize_intercept=True).fit(make(X), y)
    np.testing.assert_allclose(
        exact.decision_function(make(X)), peer.decision_function(X), atol=1e-5
    )
    loose = ls.LinearSVC(C=C, loss=loss, penalize_intercept=True, tol=1e-8).fit(make(X), y)
    np.testing.assert_allclose(
        loose.decision_function(make(X)), peer.decision_function(X), atol=1e-4
    )
    coordinate = ls.LinearSVC(
        C=C, loss=loss, penalize_intercept=True, solver="coordinate", tol=1e-9, max_iter=100_000
    ).fit(make(X), y)
    np.testing.assert_allclose(coordinate.coef_, peer.coef_, atol=1e-4)


@pytest.mark.parametrize("C", [0.05, 1.0])
def test_a_free_bias_is_libsvm(C):
    X, y = clouds()
    peer = SVC(C=C, kernel="linear", tol=1e-10).fit(X, y)
    model = ls.LinearSVC(C=C).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), peer.decision_function(X), atol=1e-6)
    assert set(peer.support_) == set(model.support_)
    np.testing.assert_allclose(
        model.alphas_[peer.support_], np.abs(peer.dual_coef_[0]), atol=1e-5 * C
    )


def test_pairs_of_classes_are_libsvms():
    X, y = clouds(classes=3)
    peer = SVC(kernel="linear", tol=1e-10, decision_function_shape="ovr").fit(X, y)
    model = ls.LinearSVC(multi_class="ovo").fit(X, y)
    np.testing.assert_allclose(np.abs(model.coef_), np.abs(peer.coef_), atol=1e-6)
    assert (model.predict(X) == peer.predict(X)).all()
    assert model.decision_function(X).shape == (len(y), 3)


@pytest.mark.parametrize("loss", LOSSES)
def test_one_against_the_rest_and_no_bias_are_liblinears(loss):
    X, y = clouds(classes=3)
    for options in ({"fit_intercept": False}, {"fit_intercept": True}):
        peer = Liblinear(loss=loss, tol=1e-10, max_iter=500_000, dual=True, **options).fit(X, y)
        model = ls.LinearSVC(loss=loss, penalize_intercept=True, **options).fit(X, y)
        np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5)
        np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-5)
        assert model.certificate_.verify(X, y)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("penalised", [False, True])
def test_weights_are_repeated_rows(loss, penalised):
    X, y = clouds(n=60)
    c = np.random.default_rng(1).integers(0, 4, 60)
    options = {"loss": loss, "penalize_intercept": penalised, "C": 0.3}
    weighted = ls.LinearSVC(**options).fit(X, y, sample_weight=c)
    again = ls.LinearSVC(**options).fit(np.repeat(X, c, axis=0), np.repeat(y, c))
    np.testing.assert_allclose(weighted.coef_, again.coef_, atol=1e-8)
    np.testing.assert_allclose(weighted.intercept_, again.intercept_, atol=1e-8)
    assert weighted.certificate_.verify(X, y, c)
    assert not weighted.certificate_.verify(X, y).claim_holds
    assert (weighted.alphas_[c == 0] == 0).all()
    balanced = ls.LinearSVC(**options, class_weight={0: 2.0, 1: 0.5}).fit(X, y)
    by_hand = ls.LinearSVC(**options).fit(X, y, sample_weight=np.where(y == 0, 2.0, 0.5))
    np.testing.assert_array_equal(balanced.coef_, by_hand.coef_)


# ---- the hard margin ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [np.asarray, sparse.csr_array, lambda X: X + 1e8, lambda X: X / 1e100]
)
def test_the_hard_margin_is_that_of_separability(make):
    X, y = clouds(n=80, d=3, apart=4.0, seed=5)
    X = make(X)
    verdict = ls.separability(X, y)
    assert verdict
    model = ls.LinearSVC(C=np.inf).fit(X, y)
    assert model.margin_ == pytest.approx(2 * verdict.geometric.margin, rel=1e-7)
    assert set(verdict.support) <= set(model.support_)
    assert model.slack_.max() <= 1e-6
    assert model.certificate_.verify(X, y)
    if abs(X).max() < 1e6 and abs(X).max() > 1e-6:
        short = ls.LinearSVC(C=np.inf, penalize_intercept=True).fit(X, y)
        length = np.sqrt(short.intercept_[0] ** 2 + np.sum(short.coef_**2))
        assert 1 / length == pytest.approx(verdict.augmented.margin, rel=1e-9)
        assert short.certificate_.verify(X, y)


def test_the_notes_shortest_vector():
    """Minimum length [b, w] with y w·[1, x] ≥ 1: OR has 27 = R²/γ², so γ = 1/3."""
    X, y = ls.datasets.load("or")
    model = ls.LinearSVC(C=np.inf, penalize_intercept=True).fit(X, y)
    np.testing.assert_allclose(np.r_[model.intercept_, model.coef_[0]], [-1, 2, 2], atol=1e-9)
    assert ls.separability(X, y).gamma == pytest.approx(1 / 3)


@pytest.mark.parametrize("penalised", [False, True])
def test_no_hard_margin_without_separation(penalised):
    X, y = ls.datasets.load("xor")
    with pytest.raises(ValueError, match=r"(?s)not separable.*common point: \(1/2, 1/2\)"):
        ls.LinearSVC(C=np.inf, penalize_intercept=penalised).fit(X, y)
    touching = [[0.0], [1.0], [1.0], [2.0]]
    with pytest.raises(ValueError, match=r"(?s)not separable.*common point: \(1\)"):
        ls.LinearSVC(C=np.inf, penalize_intercept=penalised).fit(touching, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="through the origin"):
        ls.LinearSVC(C=np.inf, fit_intercept=False).fit([[1.0], [2.0]], [0, 1])
    through = ls.LinearSVC(C=np.inf, fit_intercept=False).fit([[-1.0], [2.0]], [0, 1])
    assert through.coef_[0, 0] == pytest.approx(1.0)


def test_a_large_C_is_the_hard_margin():
    X, y = clouds(n=60, d=2, apart=4.0, seed=5)
    hard, soft = (ls.LinearSVC(C=C).fit(X, y) for C in (np.inf, 1e6))
    np.testing.assert_allclose(hard.coef_, soft.coef_, rtol=1e-6)


# ---- what a fit says ----------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("classes", [2, 3])
def test_attributes_fit_together(loss, classes):
    X, y = clouds(classes=classes)
    model = ls.LinearSVC(loss=loss, C=0.5, multi_class="ovo").fit(X, y)
    alphas = [model.alphas_] if classes == 2 else model.alphas_
    slack = [model.slack_] if classes == 2 else model.slack_
    support = [model.support_] if classes == 2 else model.support_
    pairs = [(0, 1)] if classes == 2 else [(0, 1), (0, 2), (1, 2)]
    for k, (a, b) in enumerate(pairs):
        signs = np.where(y == b, 1.0, -1.0)
        here = (y == a) | (y == b)
        np.testing.assert_allclose((alphas[k] * signs) @ X, model.coef_[k], atol=1e-6)
        assert (alphas[k][~here] == 0).all()
        expected = np.maximum(0, 1 - signs * (X @ model.coef_[k] + model.intercept_[k]))
        np.testing.assert_allclose(slack[k][here], expected[here], atol=1e-9)
        assert (slack[k][~here] == 0).all()
        np.testing.assert_array_equal(support[k], np.flatnonzero(alphas[k]))
        assert np.atleast_1d(model.margin_)[k] == pytest.approx(2 / np.linalg.norm(model.coef_[k]))
    lines = model.equation()
    assert ("⇒" in lines) if classes == 2 else len(lines) == 3
    assert model.certificate_.ok
    assert model.certificate_.dual <= model.certificate_.primal
    assert model.certificate_.gap <= 1e-6 * model.certificate_.primal


def test_certificates_reject_forgeries():
    X, y = clouds()
    good = ls.LinearSVC().fit(X, y).certificate_
    assert good.verify(X, y)
    worse = 1.01 * good.weights
    signs = np.where(y > 0, 1, -1)
    primal = (
        0.5 * worse[1:] @ worse[1:] + np.maximum(0, 1 - signs * (X @ worse[1:] + worse[0])).sum()
    )
    outside = good.alpha.copy()
    outside[np.argmax(outside)] *= 1 + 1e-12
    for forged in (
        {"weights": worse},
        {"weights": worse, "primal": primal, "dual": primal - good.gap},
        {"gap": 0.01 * good.gap - 1e-9},
        {"gap": good.gap * 1e-9, "dual": good.primal},
        {"dual": good.primal + 1.0},
        {"primal": 0.99 * good.primal},
        {"alpha": outside},
        {"alpha": np.where(np.arange(len(y)) == 3, -1e-12, good.alpha)},
        {"alpha": 0.9 * good.alpha},
        {"alpha": good.alpha[:-1]},
        {"C": 2.0},
        {"squared": True},
        {"weights": np.full_like(good.weights, np.nan)},
        {"gap": None},
        {"fit_intercept": False},
        {"classes": np.array([0, 2])},
    ):
        assert not replace(good, **forged).verify(X, y).claim_holds, forged
    assert not good.verify(X[::-1], y).claim_holds
    assert not good.verify(X, 1 - y).claim_holds


def test_certificates_of_several_problems_reject_forgeries():
    X, y = clouds(classes=3)
    for kind in ("ovr", "ovo"):
        good = ls.LinearSVC(multi_class=kind).fit(X, y).certificate_
        assert good.verify(X, y)
        names, parts = list(good.parts), list(good.parts.values())
        for forged in (
            dict(zip(names[:2], parts[:2], strict=True)),
            dict(zip(names, reversed(parts), strict=True)),
            dict(zip(names, [parts[0]] * 3, strict=True)),
        ):
            assert not replace(good, parts=forged).verify(X, y).claim_holds
        assert not replace(good, gap=0.0).verify(X, y).claim_holds
        assert not replace(good, status=Status.SEVERAL).verify(X, y).claim_holds


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("solver", ["newton", "coordinate"])
def test_too_few_steps_are_not_called_convergence(loss, solver):
    X, y = clouds(n=400, d=30)
    model = ls.LinearSVC(
        loss=loss, solver=solver, penalize_intercept=True, max_iter=1, tol=1e-12, C=100.0
    )
    with pytest.warns(ConvergenceWarning, match="the objective may be .* above its minimum"):
        model.fit(X, y)
    certificate = model.certificate_
    assert not certificate.ok
    assert certificate.gap > 1e-12 * certificate.primal
    assert certificate.verify(X, y).claim_holds
    assert not replace(certificate, status=Status.CONVERGED).verify(X, y).claim_holds


def test_a_tolerance_below_rounding_is_not_claimed():
    X, y = clouds()
    with pytest.warns(ConvergenceWarning, match="1e-16 was asked for"):
        model = ls.LinearSVC(tol=1e-16).fit(X, y)
    assert model.certificate_.status is Status.STALLED
    assert model.certificate_.verify(X, y).claim_holds


# ---- tables and labels of all kinds -------------------------------------------------------------


def test_tables_of_all_kinds_give_the_same_model():
    X, y = clouds()
    X[np.abs(X) < 0.7] = 0.0
    model = ls.LinearSVC().fit(X, y)
    names = ["p", "q", "r", "s"]
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for table in (sparse.csr_array(X), wide, pd.DataFrame(X, columns=names), X.tolist()):
        np.testing.assert_allclose(ls.LinearSVC().fit(table, y).coef_, model.coef_, atol=1e-8)
    assert "·q" in ls.LinearSVC().fit(pd.DataFrame(X, columns=names), y).equation()
    single = ls.LinearSVC().fit(X.astype(np.float32), y)
    assert single.coef_.dtype == single.intercept_.dtype == np.float32
    assert single.decision_function(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.coef_, model.coef_, atol=1e-5)
    assert single.certificate_.verify(X.astype(np.float32), y)


def test_labels_of_all_kinds():
    X, y = clouds(classes=3)
    words = np.array(["a", "b", "rest"])[y]
    model = ls.LinearSVC().fit(X, words)
    assert set(model.predict(X)) <= {"a", "b", "rest"}
    assert model.certificate_.verify(X, words)
    hot = ls.LinearSVC().fit(X, np.eye(3)[y])
    np.testing.assert_array_equal(hot.coef_, ls.LinearSVC().fit(X, y).coef_)
    for kind in ("ovr", "ovo"):
        for absent in (y == 2, y > 0):
            c = np.where(absent, 0.0, 1.0)
            if len(np.unique(y[c > 0])) < 2:
                continue
            some = ls.LinearSVC(multi_class=kind).fit(X, y, sample_weight=c)
            assert some.certificate_.verify(X, y, c)
            assert not (some.predict(X[c > 0]) == 2).any()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1e8])
def test_units_of_any_size(loss, scale):
    X, y = clouds(n=60, d=3)
    model = ls.LinearSVC(loss=loss, C=1 / scale**2 if scale > 1e-100 else 1.0).fit(scale * X, y)
    assert model.certificate_.verify(scale * X, y)
    if scale > 1e-100:  # ½‖w‖² + C Σ ξ is the same problem in other units
        plain = ls.LinearSVC(loss=loss).fit(X, y)
        np.testing.assert_allclose(scale * model.coef_, plain.coef_, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_an_offset_changes_only_the_bias(loss):
    X, y = clouds(n=60, d=3)
    far, near = (ls.LinearSVC(loss=loss).fit(X + offset, y) for offset in (2.0**27, 0.0))
    np.testing.assert_allclose(far.coef_, near.coef_, atol=1e-6)
    assert far.certificate_.ok


@pytest.mark.parametrize("loss", LOSSES)
def test_huge_values_give_finite_weights_or_a_clear_error(loss):
    X, y = clouds(n=60, d=3)
    with pytest.warns(ConvergenceWarning, match="scale the columns"):
        model = ls.LinearSVC(loss=loss).fit(1e150 * X, y)
    assert np.isfinite(model.coef_).all()
    alike = ls.LinearSVC(loss=loss, C=1e6).fit(X, y)
    np.testing.assert_allclose(1e150 * model.coef_, alike.coef_, atol=1e-3)
    with pytest.raises(ValueError, match="scale the columns"):
        ls.LinearSVC(loss=loss).fit(1e300 * X, y)
    with pytest.raises(ValueError, match="scale the columns"):
        ls.LinearSVC(loss=loss, solver="coordinate", fit_intercept=False).fit(1e300 * X, y)


@pytest.mark.parametrize("spread", [1e7, 1e3])
def test_pairs_of_a_few_rows_far_from_the_origin_take_few_passes(spread):
    rng = np.random.default_rng(0)
    X = 1e10 + spread * rng.normal(size=(13, 5))
    y = np.r_[np.arange(8), rng.integers(0, 8, 5)]
    model = ls.LinearSVC(multi_class="ovo").fit(X, y)
    assert model.certificate_.ok
    assert model.verify(X, y)
    # 520 each where the Newton systems lose their digits
    assert sum(result.n_iter for result in model.results_) <= 200 * len(model.results_)
    for name, part in list(model.certificate_.parts.items())[:4]:
        first, second = map(int, name.split(" vs "))
        own = (y == first) | (y == second)
        if own.sum() == 2:  # the widest strip between two points
            a, b = X[y == first][0], X[y == second][0]
            w = 2.0 * (a - b) / ((a - b) @ (a - b))
            np.testing.assert_allclose(part.weights[1:], w, rtol=1e-6)


def test_odd_tables():
    rng = np.random.default_rng(0)
    X, y = clouds(n=60, d=3)
    odd = np.column_stack([X, np.ones(60), np.zeros(60), X[:, 0]])
    for loss in LOSSES:
        for table in (odd, rng.standard_normal((10, 40)), X[:, :1], np.zeros((60, 2))):
            labels = y[: len(table)]
            for options in ({}, {"penalize_intercept": True}, {"fit_intercept": False}):
                model = ls.LinearSVC(loss=loss, **options).fit(table, labels)
                assert model.certificate_.verify(table, labels)
    rare = np.zeros(5000, int)
    rare[7] = 1
    model = ls.LinearSVC().fit(rng.standard_normal((5000, 2)), rare)
    assert model.certificate_.ok


@pytest.mark.parametrize("C", [1e-200, 1e-12, 1e12])
@pytest.mark.parametrize("loss", LOSSES)
def test_prices_of_any_size(C, loss):
    X, y = clouds(n=60, d=3)
    model = ls.LinearSVC(C=C, loss=loss).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.certificate_.verify(X, y)


# ---- options ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"C": 0.0}, "C"),
        ({"C": -1.0}, "C"),
        ({"C": np.nan}, "C"),
        ({"loss": "log"}, "squared_hinge"),
        ({"multi_class": "crammer"}, "ovo"),
        ({"solver": "smo"}, "coordinate"),
        ({"solver": "coordinate"}, "penalize_intercept=True"),
        ({"solver": "coordinate", "penalize_intercept": True, "C": np.inf}, "finite C"),
        ({"tol": -1.0}, "tol"),
        ({"max_iter": 0}, "max_iter"),
        ({"penalize_intercept": "yes"}, "penalize_intercept"),
    ],
)
def test_bad_options(settings, message):
    X, y = clouds()
    with pytest.raises(ValueError, match=message):
        ls.LinearSVC(**settings).fit(X, y)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("solver", ["newton", "coordinate"])
def test_warm_starts_end_at_the_same_place(loss, solver):
    X, y = clouds(n=200)
    options = {"loss": loss, "solver": solver, "penalize_intercept": True, "max_iter": 20_000}
    model = ls.LinearSVC(warm_start=True, C=0.5, **options).fit(X, y)
    again = model.set_params(C=1.0).fit(X, y)
    cold = ls.LinearSVC(**options).fit(X, y)
    np.testing.assert_allclose(again.coef_, cold.coef_, atol=2e-3)
    first = again.n_iter_
    assert again.fit(X, y).n_iter_ <= max(first, 3)
    again.fit(X[:50, :2], y[:50])
    assert again.coef_.shape == (1, 2)


def test_pickles_and_repetition():
    X, y = clouds(classes=3)
    model = ls.LinearSVC().fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(ls.LinearSVC().fit(X, y).coef_, model.coef_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert again.certificate_.verify(X, y)
