"""ls.path of an SVC: every cell against GridSearchCV, certificates from the data, bad input."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, ShuffleSplit, StratifiedKFold
from sklearn.svm import SVC as Reference

import linscope as ls
from linscope.kernel_svm.path.grid import choose
from linscope.kernel_svm.solvers import fold as svc_fold
from linscope.kernel_svm.solvers.fold_gram import Grams
from linscope.validation.grid_figure import GridDisplay, positions
from tests.scikit_learn import standard

CS, GAMMAS = [0.1, 1.0, 10.0, 100.0], [0.01, 0.1, 1.0]


def overlapping(n=240, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.where(X @ np.arange(1, d + 1) + 2 * rng.standard_normal(n) > 0, "yes", "no")


def reference(X, y, *, cv=5, scoring=None, **more):
    """Mean scores (C, γ) of scikit-learn."""
    grid = {"C": CS} | ({"gamma": GAMMAS} if more.get("kernel", "rbf") == "rbf" else {})
    found = GridSearchCV(Reference(**more), grid, cv=cv, scoring=scoring, refit=False).fit(X, y)
    results = found.cv_results_
    folds = sum(key.startswith("split") for key in results)
    columns = [results[f"split{f}_test_score"] for f in range(folds)]
    return np.stack(columns, axis=1).reshape(len(CS), -1, folds)


@pytest.mark.share(3)
@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_every_cell_is_that_of_GridSearchCV(name):
    X, y = standard(name, 300)
    found = ls.path(ls.SVC(), X, y, Cs=CS, gammas=GAMMAS)
    expected = reference(X, y)
    assert found.scores.shape == (4, 3, 5)
    one = 1.0 / min(len(split.test) for split in found.splits)
    assert np.abs(found.scores - expected).max() <= 2.01 * one
    np.testing.assert_allclose(found.mean_score, expected.mean(axis=2), atol=0.01)
    assert np.mean(np.isclose(found.mean_score, expected.mean(axis=2))) >= 0.9
    assert found.verify(X, y), found.verify(X, y)
    assert found.kkt.max() <= 1e-3
    best = found.best_estimator
    assert (best.C, best.gamma) == (found.best_C, found.best_gamma)
    assert best.certificate_.ok
    assert best.certificate_.verify(X, y)


@pytest.mark.share(3)
@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid"])
def test_other_kernels(kernel):
    X, y = standard("iris")
    X = X / 3
    model = ls.SVC(kernel=kernel, gamma=0.5, degree=2, coef0=0.5)
    found = ls.path(model, X, y, Cs=CS, cv=3)
    expected = reference(X, y, cv=3, kernel=kernel, gamma=0.5, degree=2, coef0=0.5)
    # The sigmoid is no inner product: with a large C there are several answers.
    some = slice(3 if kernel == "sigmoid" else 4)
    np.testing.assert_allclose(found.mean_score[some], expected.mean(axis=2)[some], atol=0.01)
    if kernel != "sigmoid":
        assert found.verify(X, y), found.verify(X, y)
    assert found.best_gamma == (None if kernel == "linear" else 0.5)
    assert ("gamma" in found.to_frame(backend="dict")) == (kernel != "linear")


def test_a_polynomial_has_its_own_matrix_for_each_gamma():
    X, y = overlapping(120)
    both = ls.path(ls.SVC(kernel="poly", degree=2), X, y, Cs=[1, 10], gammas=[0.1, 1], cv=3)
    for j, gamma in enumerate([0.1, 1.0]):
        model = ls.SVC(kernel="poly", degree=2, gamma=gamma)
        one = ls.path(model, X, y, Cs=[1, 10], cv=3)
        np.testing.assert_array_equal(both.scores[:, j], one.scores[:, 0])


@pytest.mark.slow
def test_a_given_matrix_and_a_kernel_function():
    X, y = overlapping()
    K = X @ X.T
    plain = ls.path(ls.SVC(kernel="linear", tol=1e-6), X, y, Cs=CS)
    given = ls.path(ls.SVC(kernel="precomputed", tol=1e-6), K, y, Cs=CS)
    function = ls.path(ls.SVC(kernel=lambda A, B: A @ B.T, tol=1e-6), X, y, Cs=CS)
    np.testing.assert_array_equal(given.scores, plain.scores)
    np.testing.assert_array_equal(function.scores, plain.scores)
    assert given.verify(K, y), given.verify(K, y)
    assert function.verify(X, y), function.verify(X, y)


@pytest.mark.slow
@pytest.mark.parametrize("scoring", ["balanced_accuracy", "roc_auc", "f1"])
def test_scores_of_decisions_and_labels(scoring):
    X, y = overlapping()
    y = (y == "yes").astype(int)
    model = ls.SVC(tol=1e-6)
    found = ls.path(model, X, y, Cs=CS, gammas=GAMMAS, scoring=scoring)
    expected = reference(X, y, scoring=scoring, tol=1e-6)
    np.testing.assert_allclose(found.scores, expected, atol=0.02)
    assert found.scoring == scoring


def test_one_against_the_rest_predicts_as_the_estimator_does():
    X, y = standard("wine")
    model = ls.SVC(multi_class="ovr", gamma=0.1)
    found = ls.path(model, X, y, Cs=[1.0], cv=3)
    for f, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        fitted = ls.SVC(multi_class="ovr", gamma=0.1).fit(X[train], y[train])
        assert found.scores[0, 0, f] == fitted.score(X[test], y[test])


def test_each_fit_is_that_of_the_estimator():
    X, y = standard("iris")
    found = ls.path(ls.SVC(tol=1e-9), X, y, Cs=[0.5, 5], gammas=[0.2], cv=3)
    for f, (train, _) in enumerate(StratifiedKFold(3).split(X, y)):
        for i, C in enumerate([0.5, 5]):
            fitted = ls.SVC(C=C, gamma=0.2, tol=1e-9).fit(X[train], y[train]).certificate_
            ours = found.certificates[i, 0, f]
            assert ours.primal == pytest.approx(fitted.primal, rel=1e-7)
            for name, part in fitted.parts.items():
                np.testing.assert_allclose(ours.parts[name].alpha, part.alpha, atol=1e-5)
                assert ours.parts[name].bias == pytest.approx(part.bias, abs=1e-6)


def test_weights_count_like_repeated_rows():
    X, y = overlapping(120)
    weight = np.random.default_rng(1).integers(0, 3, size=len(y))
    rows = np.arange(len(y))
    train, test = rows[rows % 3 > 0], rows[rows % 3 == 0]
    again = np.repeat(train, weight[train])
    options = {"Cs": [1, 10], "gammas": [0.1, 1]}
    folds = [(train, test)] * 2
    weighted = ls.path(ls.SVC(tol=1e-7), X, y, cv=folds, sample_weight=weight, **options)
    assert weighted.verify(X, y, weight), weighted.verify(X, y, weight)
    assert not weighted.verify(X, y).claim_holds
    repeated = ls.path(ls.SVC(tol=1e-7), X, y, cv=[(again, test)] * 2, **options)
    assert repeated.verify(X, y), repeated.verify(X, y)
    for one, two in zip(weighted.certificates.ravel(), repeated.certificates.ravel(), strict=True):
        np.testing.assert_allclose(one.alpha, two.alpha, atol=1e-5)


def test_class_weights_are_in_the_fits():
    X, y = overlapping(120)
    by_class = {"no": 1.0, "yes": 3.0}
    found = ls.path(ls.SVC(class_weight=by_class), X, y, Cs=CS, gammas=GAMMAS)
    expected = reference(X, y, class_weight=by_class)
    np.testing.assert_allclose(found.mean_score, expected.mean(axis=2), atol=0.01)
    assert found.verify(X, y), found.verify(X, y)


def test_rows_that_train_and_judge():
    X, y = overlapping(60)
    everything = np.arange(60)
    found = ls.path(ls.SVC(gamma=0.5), X, y, Cs=[10], cv=[(everything, everything)] * 2)
    assert found.scores[0, 0, 0] == ls.SVC(C=10, gamma=0.5).fit(X, y).score(X, y)


def test_sparse_tables_and_splitters():
    X, y = overlapping(120)
    X = np.where(np.abs(X) > 0.7, X, 0.0)
    cv = ShuffleSplit(3, random_state=0)
    dense = ls.path(ls.SVC(), X, y, Cs=CS, gammas=GAMMAS, cv=cv)
    thin = ls.path(ls.SVC(), sp.csr_array(X), y, Cs=CS, gammas=GAMMAS, cv=cv)
    np.testing.assert_array_equal(thin.scores, dense.scores)


def test_without_room_for_distances_the_answer_is_the_same():
    X, y = overlapping(120)
    size = 8 * 128**2
    both = ls.path(ls.SVC(), X, y, Cs=CS, gammas=GAMMAS)
    less = ls.path(ls.SVC(memory_limit=1.5 * size), X, y, Cs=CS, gammas=GAMMAS)
    np.testing.assert_array_equal(both.scores, less.scores)
    with pytest.raises(ValueError, match=r"120 rows.*memory_limit.*fewer rows"):
        ls.path(ls.SVC(memory_limit=0.5 * size), X, y, Cs=CS, gammas=GAMMAS)


def test_the_shared_matrix_is_that_of_the_kernel():
    X, _ = overlapping(100)
    X = X + 1e3  # far from the origin
    grams = Grams(ls.SVC(), X)
    for gammas in ([1e-3], [0.7, 50.0], [2.0]):
        found = grams.fill(gammas)
        assert [gram.gamma for gram in found] == gammas
        for gram in found:
            exact = np.exp(-gram.gamma * ((X[:, None] - X) ** 2).sum(axis=2))
            np.testing.assert_allclose(gram.K[:100, :100], exact, rtol=1e-9, atol=1e-300)
            np.testing.assert_array_equal(gram.K, gram.K.T)
            assert not gram.K[100:].any()


def test_two_matrices_at_a_time_only_if_memory_allows():
    X, _ = overlapping(100)
    one = 8.0 * 128**2
    for limit, together in ((1.1 * one, 1), (2.5 * one, 1), (3.5 * one, 2)):
        found = Grams(ls.SVC(memory_limit=limit), X).fill([0.1, 1.0, 2.0])
        assert len(found) == together


@pytest.mark.parametrize("whole", [0, 4000])
def test_working_sets_and_equations_reach_the_tolerance(whole, monkeypatch):
    monkeypatch.setattr(svc_fold, "WHOLE", whole)
    monkeypatch.setattr(svc_fold, "WORKING_SET", 64)
    monkeypatch.setattr(svc_fold, "FEW_FLOPS", 1e5)
    X, y = overlapping(300)
    found = ls.path(ls.SVC(tol=1e-8), X, y, Cs=[1, 100, 1e4], gammas=[0.1], cv=2)
    assert found.kkt.max() <= 1e-8
    assert found.verify(X, y), found.verify(X, y)


def test_the_hard_margin_is_a_value_of_C():
    X, y = standard("breast_cancer", 200)
    found = ls.path(ls.SVC(), X, y, Cs=[1, np.inf], gammas=[0.01, 0.1], cv=3)
    assert np.isinf(found.Cs_[-1])
    assert np.isfinite(found.scores).all()
    assert found.verify(X, y), found.verify(X, y)
    assert "hard" in str(found)
    huge = ls.path(ls.SVC(), X, y, Cs=[1, 1e6], gammas=[0.01, 0.1], cv=3)
    np.testing.assert_allclose(huge.mean_score, found.mean_score, atol=0.01)


@pytest.mark.slow
def test_where_no_hard_margin_exists_there_is_no_score():
    X, y = standard("iris")
    found = ls.path(ls.SVC(kernel="linear"), X, y, Cs=[1, np.inf], cv=3)
    assert np.isnan(found.mean_score[1, 0])
    assert found.best_C == 1.0
    assert "no hard margin" in str(found)
    assert found.verify(X, y)
    with pytest.raises(ValueError, match=r"C=inf.*finite values"):
        ls.path(ls.SVC(kernel="linear"), X, y, Cs=[np.inf], cv=3)


def test_ties_go_to_the_smallest_C_then_the_smallest_gamma():
    scores = np.array([[[0.5, 0.7], [0.9, 0.9]], [[0.9, 0.9], [0.8, 1.0]]])
    assert choose(scores, False) == (0, 1)
    assert choose(scores[:, ::-1], False) == (0, 0)
    scores[1, 1] = [0.9, 1.1]
    assert choose(scores, False) == (1, 1)
    assert choose(scores, True) == (0, 1)


def test_the_simplest_within_one_standard_error():
    X, y = overlapping()
    best = ls.path(ls.SVC(), X, y, Cs=CS, gammas=GAMMAS)
    simple = ls.path(ls.SVC(), X, y, Cs=CS, gammas=GAMMAS, one_standard_error=True)
    i, j = best.best_index
    limit = best.best_score - best.standard_error[i, j]
    assert limit <= simple.best_score
    assert simple.best_C <= best.best_C
    assert not (best.mean_score[: simple.best_index[0]] >= limit).any()


def test_numbers_of_values_are_spread_in_the_logarithm():
    X, y = overlapping(60)
    found = ls.path(ls.SVC(), X, y, Cs=3, gammas=3, cv=2)
    np.testing.assert_allclose(found.Cs_, [1e-2, 10**0.5, 1e3])
    scale = 1 / (X.shape[1] * X.var())
    np.testing.assert_allclose(found.gammas_, [scale / 100, scale, scale * 100])


def test_a_forged_certificate_is_found_out():
    X, y = overlapping(90)
    found = ls.path(ls.SVC(), X, y, Cs=[1, 10], gammas=[0.1, 1], cv=2)
    claims = found.certificates.copy()
    claims[1, 0, 1] = replace(claims[1, 0, 1], alpha=0.9 * claims[1, 0, 1].alpha)
    check = replace(found, certificates=claims).verify(X, y)
    assert not check.claim_holds
    assert "C = 10, γ = 0.1, fold 1" in check.reason
    claims = found.certificates[::-1].copy()
    assert "another C" in replace(found, certificates=claims).verify(X, y).reason
    assert not found.verify(X + 0.1 * np.arange(len(X))[:, None], y).claim_holds
    assert "there are 5 rows" in found.verify(X[:5], y[:5]).reason
    assert not found.verify(X[:, :1], y).claim_holds
    assert found.best_estimator.n_features_in_ == X.shape[1]  # other data leave no trace


@pytest.mark.parametrize(
    ("model", "more", "words"),
    [
        ({"kernel": "linear"}, {"gammas": [1]}, "kernel='linear' has none"),
        ({"kernel": "precomputed"}, {"gammas": [1]}, "kernel='precomputed' has none"),
        ({"kernel": np.dot}, {"gammas": [1]}, "a kernel function has none"),
        ({"sigma": 1.0}, {"gammas": [1]}, "sigma=1.0 and gammas"),
        ({}, {"Cs": [1, 0]}, r"Cs\[1\] is 0.0: every C must be positive"),
        ({}, {"gammas": [1, -1]}, r"gammas\[1\] is -1.0: every gamma must be positive"),
        ({}, {"gammas": [np.inf]}, "every gamma must be positive and finite"),
        ({}, {"gammas": []}, "gammas must be a number of values or an array"),
        ({}, {"Cs": "abc"}, "Cs must be a number of values or an array"),
        ({}, {"scoring": "acuracy"}, "did you mean 'accuracy'"),
        ({}, {"scoring": "neg_log_loss"}, "needs probabilities"),
        ({"tol": -1}, {}, "tol"),
        ({}, {"cv": 1}, "at least 2 folds"),
    ],
)
def test_bad_input_is_refused_before_any_work(model, more, words, monkeypatch):
    monkeypatch.setattr(Grams, "fill", None)
    X, y = overlapping(60)
    with pytest.raises(ValueError, match=words):
        ls.path(ls.SVC(**model), X, y, **more)


def test_a_class_of_estimator_is_not_an_estimator():
    with pytest.raises(TypeError, match=r"pass SVC\(\)"):
        ls.path(ls.SVC, *overlapping(60))


def test_fits_that_do_not_arrive_are_named():
    X, y = overlapping()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = ls.path(ls.SVC(max_iter=1, tol=1e-9), X, y, Cs=[1e4], gammas=[0.1], cv=2)
    texts = [str(one.message) for one in caught if one.category is ConvergenceWarning]
    assert any("2 of 2 fits on the path did not reach tol=1e-09" in text for text in texts)
    assert found.kkt.max() > 1e-9
    assert found.verify(X, y).claim_holds, found.verify(X, y)


def test_one_thread_gives_the_same(monkeypatch):
    X, y = overlapping()
    many = ls.path(ls.SVC(), X, y, Cs=CS, gammas=GAMMAS)
    monkeypatch.setenv("LINSCOPE_THREADS", "1")
    one = ls.path(ls.SVC(), X, y, Cs=CS, gammas=GAMMAS)
    np.testing.assert_array_equal(one.scores, many.scores)
    np.testing.assert_array_equal(one.kkt, many.kkt)


def test_an_observer_sees_and_may_end_it():
    class Watch(ls.Observer):
        def __init__(self):
            self.tasks, self.notes = [], []

        def begin(self, task, total):
            self.tasks.append((task, total))

        def step(self, done, state):
            self.notes.append(state.note)
            return True

    X, y = overlapping(60)
    watch = Watch()
    with ls.observe(watch):
        found = ls.path(ls.SVC(), X, y, Cs=[1, 10], gammas=[0.1, 1, 10], cv=2)
    assert watch.tasks[0] == ("grid of C and γ", 3)
    assert watch.notes[0].startswith("γ = 0.1, accuracy 0.")
    assert found.gammas_.tolist() == [0.1]


def test_frame_text_and_html():
    X, y = overlapping(90)
    found = ls.path(ls.SVC(), pd.DataFrame(X).add_prefix("x"), y, Cs=CS, gammas=GAMMAS)
    frame = found.to_frame(backend="pandas")
    assert list(frame.columns[:6]) == ["C", "gamma", "mean_score", "standard_error", "best", "kkt"]
    chosen = frame[frame["best"]].iloc[0]
    assert (chosen["C"], chosen["gamma"]) == (found.best_C, found.best_gamma)
    np.testing.assert_allclose(chosen["mean_score"], frame["mean_score"].max())
    text = str(found)
    assert f"*{found.best_score:.4f}" in text
    assert f"more than {found.kkt.max():.1g} (tol 0.001)" in text
    assert f'font-weight:bold">*{found.best_score:.4f}' in found._repr_html_()
    wide = ls.path(ls.SVC(), X, y, Cs=[1], gammas=12, cv=2)
    assert "(3 more values of γ" in str(wide)


def test_heat_map_has_the_numbers_and_the_choice(tmp_path):
    X, y = overlapping(90)
    found = ls.path(ls.SVC(), X, y, Cs=[0.1, 1, np.inf], gammas=GAMMAS, cv=2)
    display = ls.plot.path(found)
    assert isinstance(display, GridDisplay)
    words = [text.get_text() for text in display.ax_.texts]
    assert sorted(words) == sorted(f"{value:.3f}" for value in found.mean_score.ravel())
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["0.1", "1", "hard"]
    (mark,) = display.ax_.patches
    x, y = mark.get_x() + mark.get_width() / 2, mark.get_y() + mark.get_height() / 2
    i, j = found.best_index
    np.testing.assert_allclose([x, y], [positions(found.gammas_)[j], positions(found.Cs_)[i]])
    assert f"γ = {found.best_gamma:g} are chosen" in display.title
    found.plot().save(tmp_path / "grid.png")


@pytest.mark.slow
def test_one_gamma_is_a_curve_and_many_cells_have_a_bar():
    X, y = overlapping(60)
    found = ls.path(ls.SVC(), X, y, Cs=[0.1, 1, 10, np.inf], cv=2)
    ax = found.plot().ax_
    np.testing.assert_allclose(ax.lines[0].get_ydata(), found.mean_score[:3, 0])
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0.1", "1", "10", "hard"]
    many = ls.path(ls.SVC(), X, y, Cs=9, gammas=10, cv=2).plot()
    assert len(many.figure_.axes) == 2
    assert not many.ax_.texts
    iris = standard("iris")
    missing = ls.path(ls.SVC(kernel="linear"), *iris, Cs=[1, 10, np.inf], cv=3).plot()
    assert [text.get_text() for text in missing.ax_.texts] == ["not\nseparable"]


def test_uneven_values_have_equal_cells():
    np.testing.assert_allclose(positions(np.array([1.0, 2.0, 1000.0])), [0, 1, 2])
    np.testing.assert_allclose(positions(np.array([np.inf])), [0])
