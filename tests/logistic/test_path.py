"""ls.path: every fold and C against scikit-learn, certificates against forgeries, bad input."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Reference
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold

import linscope as ls
from linscope.fitting.training import read_training
from linscope.logistic.certificates.path_bounds import doubt_of, dual_gap, newton_bound
from linscope.logistic.path import fits
from linscope.logistic.solvers.folds.table import FoldTable
from linscope.losses.logistic_tiles import binary_terms
from linscope.losses.softmax import loss
from linscope.rows.threads import THREADS_VARIABLE, one_blas_thread
from linscope.validation.splits import group_rows, read_splits
from tests.scikit_learn import standard

CS = np.logspace(-3, 2, 4)


def digits():
    """Six classes and so many columns that trust-region steps are taken."""
    X, y = standard("digits", 350)
    return X[y < 6][:, :40], y[y < 6]


def text(n=300, d=40):
    rng = np.random.default_rng(0)
    X = sp.random_array((n, d), density=0.05, format="csr", rng=rng)
    return X, np.where(X @ rng.standard_normal(d) + 0.3 * rng.standard_normal(n) > 0, "b", "a")


def three_classes(n=150, d=3, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    return rng.standard_normal((n, d)) + np.eye(3, d)[y], np.array(["a", "b", "c"])[y]


def two_classes(n=150, d=3, seed=0):
    X, y = three_classes(n, d, seed)
    return X, np.where(y == "a", "no", "yes")


DATA = {
    "breast_cancer": lambda: standard("breast_cancer"),
    "iris": lambda: standard("iris"),
    "digits": digits,
    "sparse": text,
}


def reference(X, y, C, **more):
    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore")
        model = Reference(C=C, tol=1e-10, solver="newton-cholesky", **more).fit(X, y)
    return np.column_stack([model.intercept_, model.coef_])


@pytest.mark.share(2)
@pytest.mark.parametrize("name", DATA)
def test_every_fold_and_C_agrees_with_scikit_learn(name):
    X, y = DATA[name]()
    found = ls.path(ls.LogisticRegression(tol=1e-14), X, y, Cs=CS, cv=3)
    for f, (train, _) in enumerate(StratifiedKFold(3).split(X, y)):
        for k, C in enumerate(CS):
            expected = reference(X[train], y[train], C)
            np.testing.assert_allclose(found.fold_coefs[k, f], expected, atol=1e-5)
    for k, C in enumerate(CS):
        np.testing.assert_allclose(found.coefs[k], reference(X, y, C), atol=1e-5)
    assert found.verify(X, y), found.verify(X, y)
    assert (found.gaps <= 1e-8 * found.objectives).all()


@pytest.mark.share(3)
@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "balanced_accuracy"])
@pytest.mark.parametrize("name", ["breast_cancer", "iris", "sparse"])
def test_scores_are_those_of_LogisticRegressionCV(name, scoring):
    X, y = DATA[name]()
    found = ls.path(ls.LogisticRegression(tol=1e-14), X, y, Cs=CS, cv=3, scoring=scoring)
    model = LogisticRegressionCV(
        Cs=CS,
        cv=3,
        scoring=scoring,
        tol=1e-10,
        solver="newton-cholesky",
        use_legacy_attributes=False,
        l1_ratios=(0,),
    )
    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    np.testing.assert_allclose(found.scores.T, model.scores_[:, 0], atol=1e-6)
    assert found.best_C == pytest.approx(model.C_)
    np.testing.assert_allclose(found.best_estimator.coef_, model.coef_, atol=1e-5)
    assert found.best_estimator.certificate_.verify(X, y)


def test_default_values_of_C_are_those_of_LogisticRegressionCV():
    X, y = two_classes(60)
    found = ls.path(ls.LogisticRegression(), X, y, cv=3)
    np.testing.assert_allclose(found.Cs_, np.logspace(-4, 4, 10), rtol=1e-12)
    assert (found.coefs.shape, found.scores.shape) == ((10, 1, 4), (10, 3))
    once = ls.path(ls.LogisticRegression(), X, y, Cs=[1, 0.1, 1], cv=3)
    np.testing.assert_array_equal(once.Cs_, [0.1, 1])


@pytest.mark.share(3)
@pytest.mark.parametrize("make", [two_classes, three_classes, text])
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"class_weight": "balanced"}])
def test_weights_are_repeated_rows(make, options):
    X, y = make()
    rng = np.random.default_rng(3)
    weight = rng.integers(0, 3, size=len(y))
    again = np.repeat(np.arange(len(y)), weight)
    if "class_weight" in options:
        # class weights count rows, not their weights
        again, weight = np.arange(len(y)), np.ones(len(y))
    folds = list(StratifiedKFold(3).split(np.zeros(len(y)), y))
    repeated = [tuple(np.flatnonzero(np.isin(again, rows)) for rows in pair) for pair in folds]
    model = ls.LogisticRegression(tol=1e-14, **options)
    a = ls.path(model, X, y, Cs=CS, cv=folds, sample_weight=weight)
    b = ls.path(model, X[again], y[again], Cs=CS, cv=repeated)
    np.testing.assert_allclose(a.fold_coefs, b.fold_coefs, atol=1e-7)
    np.testing.assert_allclose(a.scores, b.scores, atol=1e-12)
    assert a.verify(X, y, weight), a.verify(X, y, weight)
    assert not a.verify(X, y).claim_holds or "class_weight" in options


def test_class_weights_are_those_of_the_whole_table():
    X, y = two_classes()
    found = ls.path(ls.LogisticRegression(class_weight="balanced"), X, y, Cs=[0.5], cv=3)
    counts = {label: len(y) / (2 * np.sum(y == label)) for label in np.unique(y)}
    for f, (train, _) in enumerate(StratifiedKFold(3).split(X, y)):
        expected = reference(X[train], y[train], 0.5, class_weight=counts)
        np.testing.assert_allclose(found.fold_coefs[0, f], expected, atol=1e-5)


@pytest.mark.parametrize(
    "cv",
    [
        KFold(4, shuffle=True, random_state=0),
        ShuffleSplit(5, test_size=0.3, random_state=0),
        ShuffleSplit(40, test_size=0.3, random_state=0),
    ],
    ids=["partition", "overlapping tests", "more folds than groups serve"],
)
def test_any_splitter(cv):
    X, y = two_classes()
    found = ls.path(ls.LogisticRegression(tol=1e-14), X, y, Cs=[0.1, 10], cv=cv)
    for f, (train, test) in enumerate(cv.split(X, y)):
        model = Reference(C=10, tol=1e-10, solver="newton-cholesky").fit(X[train], y[train])
        np.testing.assert_allclose(found.fold_coefs[1, f, :, 1:], model.coef_, atol=1e-5)
        assert found.scores[1, f] == pytest.approx(model.score(X[test], y[test]))
        if f == 3:
            break


@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_the_three_ways_agree(make):
    X, y = make()
    model = ls.LogisticRegression(tol=1e-14)
    shared = ls.path(model, X, y, Cs=CS, cv=4)
    warm = ls.path(ls.LogisticRegression(tol=1e-14, solver="trust-region"), X, y, Cs=CS, cv=4)
    refit = ls.path(ls.LogisticRegression(tol=1e-14, solver="lbfgs"), X, y, Cs=CS, cv=4)
    sparse = ls.path(model, sp.csr_array(X), y, Cs=CS, cv=4)
    for other in (warm, refit, sparse):
        np.testing.assert_allclose(other.fold_coefs, shared.fold_coefs, atol=2e-6)
        np.testing.assert_array_equal(other.scores, shared.scores)
        assert other.verify(X, y)


@pytest.mark.parametrize(
    "options",
    [
        {"penalty": "l1"},
        {"penalty": "elasticnet", "l1_ratio": 0.5},
        {"multi_class": "ovr"},
        {"multi_class": "ovo"},
    ],
)
def test_other_penalties_and_forms_are_the_estimators_own_fits(options):
    X, y = three_classes()
    model = ls.LogisticRegression(tol=1e-12, **options)
    found = ls.path(model, X, y, Cs=[0.05, 1], cv=3, scoring="neg_log_loss")
    train, test = next(iter(StratifiedKFold(3).split(X, y)))
    alone = ls.LogisticRegression(C=1, tol=1e-12, **options).fit(X[train], y[train])
    np.testing.assert_allclose(found.fold_coefs[1, 0, :, 1:], alone.coef_, atol=1e-4)
    p = alone.predict_proba(X[test])
    own = p[np.arange(len(test)), np.searchsorted(alone.classes_, y[test])]
    assert found.scores[1, 0] == pytest.approx(np.mean(np.log(own)), abs=1e-5)
    assert found.verify(X, y), found.verify(X, y)
    assert found.best_C == found.best_estimator.C


@pytest.mark.share(3)
@pytest.mark.parametrize("make", [two_classes, three_classes, text])
def test_forged_claims_are_rejected(make):
    X, y = make()
    found = ls.path(ls.LogisticRegression(), X, y, Cs=CS, cv=3)
    assert found.verify(X, y)

    def forged(**changes):
        claims = found.certificates.copy()
        claims[2, 1] = replace(claims[2, 1], **changes)
        coefs = found.fold_coefs.copy()
        coefs[2, 1] = claims[2, 1].weights
        return replace(found, certificates=claims, fold_coefs=coefs)

    good = found.certificates[2, 1]
    moved = good.weights * 1.01
    assert "C = 2.154, fold 1" in forged(weights=moved).verify(X, y).reason
    # an objective that fits the moved weights, and a bound that does not
    train = found.splits[1].train
    codes = np.searchsorted(found.classes_, y)[train]
    S = np.asarray(X[train] @ moved[:, 1:].T) + moved[:, 0]
    losses = loss(S, codes)
    primal = 0.5 * np.sum(moved[:, 1:] ** 2) + good.C * np.sum(losses)
    changes = {"weights": moved, "primal": primal, "dual": primal - good.gap, "kkt": 1e9}
    assert "the bound is" in forged(**changes).verify(X, y).reason
    assert not forged(primal=good.primal * 0.999).verify(X, y).claim_holds
    assert not forged(C=2 * good.C).verify(X, y).claim_holds
    assert not forged(weights=np.full_like(moved, np.nan)).verify(X, y).claim_holds
    assert not found.verify(1.1 * X, y).claim_holds
    assert "there are 50 rows" in found.verify(X[:50], y[:50]).reason
    assert "not the data" in found.verify(X, y, -np.ones(len(y))).reason
    other = found.fold_coefs.copy()
    other[0, 0] += 1e-3
    assert "not that of the weights" in replace(found, fold_coefs=other).verify(X, y).reason


@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_bounds_hold(make):
    # What a rough fit claims is at least its distance from the best fit.
    X, y = make()
    best = ls.path(ls.LogisticRegression(tol=1e-15), X, y, Cs=CS, cv=3)
    for tol in (1e-2, 1e-4, 1e-7):
        rough = ls.path(ls.LogisticRegression(tol=tol), X, y, Cs=CS, cv=3)
        above = rough.objectives - best.objectives
        assert (above >= -1e-12 * best.objectives).all()
        assert (above <= rough.gaps + 1e-12 * best.objectives).all()
        assert rough.verify(X, y)


def test_the_dual_gap_of_any_weights_is_a_bound():
    X, y = two_classes()
    codes = (y == "yes").astype(np.int64)
    splits = read_splits(3, y)
    table = FoldTable(X, codes, 2, np.zeros(0), *group_rows(splits, len(y)))
    ridge = np.ones((1, 4))
    ridge[0, 0] = 0.0
    least = ls.LogisticRegression(C=2.0, tol=1e-15).fit(X, y).certificate_.primal
    rng = np.random.default_rng(0)
    for _ in range(20):
        W = rng.standard_normal((1, 4)) * 2
        found = table.evaluate_at(W)
        P = 0.5 * np.sum(W[:, 1:] ** 2) + 2.0 * found.value[0]
        sums = table.class_sums()[0]
        doubt = doubt_of(W, 2 * found.value[0], 2 * sums, np.abs(X).max(), 3, table.rounding, 0.0)
        gap = dual_gap(W, found.value[0], found.gradient[0], 2.0, ridge, sums, True, doubt)
        assert P - gap <= least <= P


def test_newton_bound_is_half_the_squared_decrement_for_small_ones():
    assert newton_bound(1e-3, 1e-3) == pytest.approx(0.5e-6, rel=1e-5)
    assert newton_bound(0.99e-4, 1.0) == pytest.approx(
        newton_bound(1.01e-4, 1.0) * 0.9608, rel=1e-3
    )
    assert newton_bound(1.0, 1.0) == np.inf


@pytest.mark.parametrize("weighted", [False, True])
def test_quick_terms_are_the_losses(weighted):
    rng = np.random.default_rng(0)
    s = np.r_[rng.standard_normal(500) * 5, np.linspace(-900, 900, 301), 0.0, 1e-300]
    codes = rng.integers(2, size=len(s))
    c = rng.random(len(s)) if weighted else np.zeros(0)
    side, own = 2.0 * codes - 1.0, c if weighted else np.ones(len(s))
    residual, curvature = np.empty(len(s)), np.empty(len(s))
    total = binary_terms(s, codes, c, residual, curvature)
    assert total == pytest.approx(float(own @ np.logaddexp(0.0, -side * s)), rel=1e-13)
    p = expit(-side * s)
    np.testing.assert_allclose(residual, -side * own * p, rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(curvature, own * p * expit(side * s), rtol=1e-13, atol=1e-300)


def test_the_same_for_one_thread_and_many(monkeypatch):
    X, y = two_classes(20_000, 20)
    found = []
    for count in ("1", "3"):
        monkeypatch.setenv(THREADS_VARIABLE, count)
        found.append(ls.path(ls.LogisticRegression(), X, y, Cs=[0.01, 1], cv=3))
    np.testing.assert_array_equal(found[0].fold_coefs, found[1].fold_coefs)
    np.testing.assert_array_equal(found[0].scores, found[1].scores)


def test_the_choice():
    X, y = standard("breast_cancer")
    found = ls.path(ls.LogisticRegression(), X, y)
    mean = found.mean_score
    assert found.best_index == np.flatnonzero(mean == mean.max())[0]
    np.testing.assert_allclose(
        found.standard_error, [np.std(row, ddof=1) / np.sqrt(5) for row in found.scores]
    )
    simple = ls.path(ls.LogisticRegression(), X, y, one_standard_error=True)
    limit = mean.max() - found.standard_error[found.best_index]
    assert simple.best_index == np.flatnonzero(mean >= limit)[0] <= found.best_index
    assert simple.best_estimator.C == simple.best_C == simple.Cs_[simple.best_index]
    np.testing.assert_allclose(
        simple.best_estimator.predict_proba(X),
        ls.LogisticRegression(C=simple.best_C).fit(X, y).predict_proba(X),
        atol=1e-6,
    )


def test_tables_text_html_and_figure(tmp_path):
    X, y = three_classes()
    found = ls.path(ls.LogisticRegression(), X, y, Cs=CS, cv=3)
    frame = found.to_frame(coefs=True, backend="pandas")
    assert list(frame.columns[:5]) == ["C", "mean_score", "standard_error", "best", "gap"]
    np.testing.assert_array_equal(frame["b:w2"], found.coefs[:, 1, 2])
    assert frame["best"].sum() == 1
    text = repr(found)
    assert "4 values of C, 3 folds, accuracy" in text
    assert text.count("\n*") == 1
    assert found._repr_html_().count("<tr>") == 5
    shown = found.plot()
    assert len(shown.axes_) == 2
    shown.save(tmp_path / "path.png")
    assert (tmp_path / "path.png").stat().st_size > 10_000
    assert f"C = {found.best_C:.4g}" in ls.plot.path(found).title
    wide = ls.path(ls.LogisticRegression(), *standard("digits", 200), Cs=[0.1, 100], cv=2)
    assert "largest of" in wide.plot().axes_[0].get_title(loc="left")


def test_observers_see_every_C_and_may_stop():
    class Watch(ls.Observer):
        notes: list = []  # noqa: RUF012

        def step(self, done, state):
            self.notes.append(state.note)
            return done == 2

    X, y = two_classes()
    with ls.observe(Watch()) as watch:
        found = ls.path(ls.LogisticRegression(), X, y, Cs=CS, cv=3)
    assert [note.split(",")[0] for note in watch.notes[:2]] == ["C = 0.001", "C = 0.0464"]
    assert len(found.Cs_) == len(found.coefs) == 2


def test_an_unfinished_path_warns():
    X, y = standard("breast_cancer")
    with pytest.warns(ConvergenceWarning, match="did not reach their tolerance"):
        found = ls.path(ls.LogisticRegression(max_iter=1, tol=1e-14), X, y, Cs=[1e3], cv=3)
    assert not found.certificates[0, 0].ok
    assert found.verify(X, y).claim_holds  # its bound is large, and true


def test_labels_names_and_float32():
    X, y = two_classes()
    table = pd.DataFrame(X.astype(np.float32), columns=["a", "b", "c"])
    found = ls.path(ls.LogisticRegression(), table, list(y), Cs=[1.0], cv=3)
    assert found.feature_names == ("a", "b", "c")
    assert list(found.best_estimator.feature_names_in_) == ["a", "b", "c"]
    assert found.best_estimator.coef_.dtype == np.float32
    assert found.best_estimator.predict(table).tolist()[0] in ("yes", "no")
    assert found.verify(table, y)
    refit = ls.path(ls.LogisticRegression(penalty="l1"), table, y, Cs=[1.0], cv=3)
    assert refit.verify(table, y)


def test_a_reference_class_has_weights_0():
    X, y = three_classes()
    for solver in ("auto", "lbfgs"):
        model = ls.LogisticRegression(reference="b", solver=solver)
        found = ls.path(model, X, y, Cs=[1.0], cv=3)
        assert not found.best_estimator.coef_[1].any()
        assert found.verify(X, y), found.verify(X, y)


@pytest.mark.parametrize(
    ("scale", "offset"), [(1e-150, 0.0), (1e80, 0.0), (1.0, 1e8)], ids=["tiny", "huge", "far away"]
)
def test_extreme_columns(scale, offset):
    X, y = two_classes()
    Z = X * scale + offset
    found = ls.path(ls.LogisticRegression(), Z, y, Cs=[0.1, 1.0], cv=3)
    assert np.isfinite(found.coefs).all()
    assert found.verify(Z, y), found.verify(Z, y)


@pytest.mark.parametrize("d", [1, 200])
def test_one_feature_constant_columns_and_more_columns_than_rows(d):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, d))
    X[:, 0] = np.arange(60) % 7
    if d > 1:
        X[:, 1] = 1.0
        X[:, 2] = X[:, 3]
    y = np.arange(60) % 2
    found = ls.path(ls.LogisticRegression(), X, y, Cs=[0.01, 1, 100], cv=3)
    assert found.verify(X, y), found.verify(X, y)


def bad(**changes):
    X, y = two_classes(60)
    arguments = {"estimator": ls.LogisticRegression(), "X": X, "y": y} | changes
    return ls.path(arguments.pop("estimator"), arguments.pop("X"), arguments.pop("y"), **arguments)


def with_nan():
    X, _ = two_classes(60)
    X[3, 1] = np.nan
    return X


ONE_CLASS_FOLD = [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"estimator": ls.Ridge()}, TypeError, "no path for Ridge"),
        ({"estimator": ls.LogisticRegression}, TypeError, r"pass LogisticRegression\(\)"),
        ({"gammas": [1.0]}, ValueError, "gammas are for kernels"),
        ({"estimator": ls.LogisticRegression(penalty=None)}, ValueError, "has no C to choose"),
        ({"estimator": ls.LogisticRegression(penalty="firth")}, ValueError, "has no C to choose"),
        ({"estimator": ls.LogisticRegression(tol=-1)}, ValueError, "tol"),
        ({"estimator": ls.LogisticRegression(reference="x")}, ValueError, "reference"),
        ({"Cs": 0}, ValueError, "Cs=0"),
        ({"Cs": True}, ValueError, "Cs must be"),
        ({"Cs": []}, ValueError, "Cs must be"),
        ({"Cs": "many"}, ValueError, "Cs must be"),
        ({"Cs": [1.0, -2.0]}, ValueError, r"Cs\[1\] is -2"),
        ({"Cs": [1.0, np.inf]}, ValueError, r"Cs\[1\] is inf"),
        ({"Cs": [np.nan]}, ValueError, r"Cs\[0\] is nan"),
        ({"cv": 1}, ValueError, "at least 2 folds"),
        ({"cv": True}, ValueError, "cv must be"),
        ({"cv": "five"}, ValueError, "cv"),
        ({"cv": 50}, ValueError, "has only"),
        ({"cv": [(np.arange(60), np.arange(60))]}, ValueError, "1 fold"),
        ({"cv": [(np.arange(60), [])] * 2}, ValueError, "fold 0 of cv .*empty"),
        ({"cv": [(np.arange(60), [77])] * 2}, ValueError, "row 77 does not exist"),
        ({"cv": [(np.arange(60), [0.5])] * 2}, ValueError, "must be integers"),
        ({"cv": ONE_CLASS_FOLD, "y": np.arange(60) // 30}, ValueError, "has no sample of class 1"),
        ({"scoring": "acuracy"}, ValueError, "did you mean 'accuracy'"),
        ({"scoring": 3}, TypeError, "scoring must be"),
        ({"X": with_nan()}, ValueError, "NaN|nan"),
        ({"y": np.zeros(60)}, ValueError, "only one class"),
        ({"y": np.zeros(59)}, ValueError, "inconsistent"),
        ({"sample_weight": np.ones(59)}, ValueError, "sample_weight"),
        ({"sample_weight": -np.ones(60)}, ValueError, "[Nn]egative"),
    ],
)
def test_bad_input_is_a_clear_error(changes, error, message):
    with pytest.raises(error, match=message):
        bad(**changes)


def test_ways_are_chosen_as_documented():
    X, y = two_classes()
    model = ls.LogisticRegression()
    splits = read_splits(3, y)

    def way(X, model=model):
        return type(fits.make_fits(model, read_training(ls.LogisticRegression(), X, y), splits))

    assert way(X) is fits.SharedFits
    assert way(sp.csr_array(sp.random_array((150, 30), density=0.1, rng=0))) is fits.WarmFits
    assert way(X, ls.LogisticRegression(penalty="l1")) is fits.RefitFits
