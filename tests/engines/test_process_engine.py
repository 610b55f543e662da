"""Every order-free model, with its rows in another process: the same weights and certificate."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import linscope as ls
from linscope.engines import MemoryEngine, using
from linscope.least_squares.solvers import exact
from tests.process_engine import MutatedError, ProcessEngine


def total(block, power):
    return (block.X**power).sum(axis=0), block.X.shape[0]


def doubles_its_argument(block, w):
    w *= 2.0
    return float(w.sum())


def doubles_its_rows(block):
    block.X[:] *= 2.0
    return 0.0


def keeps_scores(block, w):
    scores = block.X @ w
    return scores, float(scores.sum())


def sum_of_kept(block):
    return float(block.kept["scores"].sum())


X = np.random.default_rng(0).normal(size=(101, 3))


def test_sums_are_those_of_the_rows():
    first, second = (make(X).fold(total, 2) for make in (MemoryEngine, ProcessEngine))
    np.testing.assert_allclose(first[0], second[0], rtol=1e-14)
    assert first[1] == second[1] == 101


def test_there_are_empty_and_single_rows():
    assert {0, 1} < set(ProcessEngine(X).sizes)


def test_what_is_kept_is_found_again():
    engine, w = ProcessEngine(X), np.arange(3.0)
    assert engine.keep("scores", keeps_scores, w) == pytest.approx(engine.fold(sum_of_kept))
    engine.forget("scores")
    with pytest.raises(KeyError):
        engine.fold(sum_of_kept)


@pytest.mark.parametrize(
    ("task", "words"), [(doubles_its_argument, (np.ones(2),)), (doubles_its_rows, ())]
)
def test_a_task_that_writes_into_what_it_is_given_is_found_out(task, words):
    with pytest.raises(MutatedError, match=task.__name__):
        ProcessEngine(X).fold(task, *words)


def test_all_rows_are_refused_by_name():
    with pytest.raises(ValueError, match="the dual simplex needs all rows in memory"):
        ProcessEngine(X).all_rows("the dual simplex")


rng = np.random.default_rng(1)
FEATURES = rng.normal(size=(240, 4)) * [1.0, 10.0, 0.1, 3.0] + [0.0, 5.0, 0.0, -1.0]
NUMBERS = FEATURES @ [1.0, -0.2, 3.0, 0.5] + rng.normal(size=240)
WEIGHTS = rng.uniform(0.5, 2.0, size=240)
REGRESSIONS = {
    "exact": (ls.LinearRegression(), FEATURES, NUMBERS),
    "no intercept": (ls.LinearRegression(fit_intercept=False), FEATURES, NUMBERS),
    "ridge": (ls.Ridge(alpha=2.0), FEATURES, NUMBERS),
    "float": (ls.LinearRegression(), FEATURES, NUMBERS),
    "QR": (ls.LinearRegression(), FEATURES, NUMBERS),
    "two targets": (ls.LinearRegression(), FEATURES, np.c_[NUMBERS, NUMBERS**2]),
    "Huber": (ls.HuberRegressor(), FEATURES, NUMBERS),
    "Huber, penalised": (ls.HuberRegressor(alpha=0.5), FEATURES, NUMBERS),
}
# What makes a small table take the path of a large one.
LIMITS = {"float": ("CHEAP_PRODUCTS", 0), "QR": ("MOST_EXACT_COLUMNS", 3)}
WAYS = pytest.mark.parametrize(
    ("container", "weighted"),
    [(np.asarray, False), (np.asarray, True), (sp.csr_array, False), (sp.csr_array, True)],
)


def in_both(model, X, y, weight=None):
    """The model fitted to rows here, and to rows in the other process; and what verify says."""
    words = {} if weight is None else {"sample_weight": weight}
    here = clone(model).fit(X, y, **words)
    with using(ProcessEngine):
        there = clone(model).fit(X, y, **words)
        assert there.verify(X, y, **words).claim_holds
    return here, there


def same(here, there, names=("coef_", "intercept_"), digits=12):
    """Numbers to 12 digits of the largest, and the same certificate."""
    size = max(np.abs(getattr(here, name)).max() for name in names)
    for name in names:
        mine, other = np.asarray(getattr(here, name)), np.asarray(getattr(there, name))
        np.testing.assert_allclose(mine, other, rtol=0, atol=10.0**-digits * size)
    ours, theirs = here.certificate_, there.certificate_
    assert (ours.ok, ours.status) == (theirs.ok, theirs.status)


@pytest.mark.share(4)
@WAYS
@pytest.mark.parametrize("name", REGRESSIONS)
def test_least_squares(name, container, weighted, monkeypatch):
    model, X, y = REGRESSIONS[name]
    if name in LIMITS:
        monkeypatch.setattr(exact, *LIMITS[name])
        monkeypatch.setattr(exact, "whole_fit", lambda *args, **options: None)
    here, there = in_both(model, container(X), y, WEIGHTS if weighted else None)
    same(here, there)
    if name in LIMITS:
        assert here.result_.details["path"] == there.result_.details["path"] == name


LABELS = np.arange(240) % 3
APART = (
    FEATURES + np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 2.0, 0.0, 4.0], [0.0, 9.0, 0.2, 0.0]])[LABELS]
)
# Constant in two of the three classes, which floats alone cannot tell.
SETTLED = np.c_[APART, np.where(LABELS == 1, APART[:, 0], 7.1)]
LINES, MOMENTS = [("coef_", "intercept_")], [("var_",), ("theta_",)]
DISCRIMINANTS = {
    "fisher": (ls.FisherDiscriminant(), SETTLED, LINES),
    "fisher, priors": (ls.FisherDiscriminant(priors=[0.2, 0.3, 0.5]), APART, LINES),
    "fisher, shrinkage": (ls.FisherDiscriminant(shrinkage="auto"), APART, LINES),
    "fisher, nearly dependent": (
        ls.FisherDiscriminant(),
        np.c_[APART, APART[:, 0] + 1e-5 * APART[:, 2]],
        [("explained_variance_ratio_",)],
    ),
    "mean difference": (ls.FisherDiscriminant(mean_difference=True), APART, LINES),
    "naive Bayes": (ls.GaussianNaiveBayes(), SETTLED, MOMENTS),
    "naive Bayes, shared": (
        ls.GaussianNaiveBayes(shared_variance=True),
        1e100 * SETTLED,
        MOMENTS,
    ),
    "least squares": (ls.LeastSquaresClassifier(alpha=0.5), APART, LINES),
    "least squares, moments": (
        ls.LeastSquaresClassifier(),
        np.c_[np.resize(APART, (2400, 4)), rng.normal(size=(2400, 26))],
        LINES,
    ),
}


@pytest.mark.share(6)
@WAYS
@pytest.mark.filterwarnings("ignore:up to rounding")
@pytest.mark.parametrize("name", DISCRIMINANTS)
def test_discriminants(name, container, weighted):
    model, X, attributes = DISCRIMINANTS[name]
    y = np.resize(LABELS, len(X))
    weight = np.resize(WEIGHTS, len(y)) if weighted else None
    here, there = in_both(model, container(X), y, weight)
    for names in attributes:
        same(here, there, names)
    with using(ProcessEngine):
        assert (there.predict(container(X)) == here.predict(container(X))).all()


SIGNS = np.where(NUMBERS + rng.normal(size=240) > 0, "yes", "no")
MARGINS = {
    "hinge": ls.LinearSVC(),
    "squared hinge": ls.LinearSVC(loss="squared_hinge"),
    "penalised bias": ls.LinearSVC(loss="squared_hinge", penalize_intercept=True),
    "three classes": ls.LinearSVC(loss="squared_hinge", multi_class="ovo"),
}


@pytest.mark.share(4)
@WAYS
@pytest.mark.parametrize("name", MARGINS)
def test_linear_machines(name, container, weighted):
    y = np.digitize(NUMBERS, [-2, 2]) if name == "three classes" else SIGNS
    same(*in_both(MARGINS[name], container(FEATURES), y, WEIGHTS if weighted else None))


EVEN = (FEATURES - FEATURES.mean(axis=0)) / FEATURES.std(axis=0)
DESCENTS = {
    "least squares": (ls.LinearRegression(solver="batch"), NUMBERS),
    "two targets": (ls.LinearRegression(solver="batch"), np.c_[NUMBERS, FEATURES[:, 0]]),
    "ridge, averaged": (ls.Ridge(solver="batch", eta0=1e-3, average=True), NUMBERS),
    "logistic": (ls.LogisticRegression(solver="batch"), SIGNS),
    "softmax": (ls.LogisticRegression(solver="batch", C=0.1), LABELS),
}


@pytest.mark.share(4)
@WAYS
@pytest.mark.parametrize("name", DESCENTS)
def test_batch_gradient(name, container, weighted):
    model, y = DESCENTS[name]
    here, there = in_both(model, container(EVEN), y, WEIGHTS if weighted else None)
    same(here, there)
    assert np.all(here.n_iter_ == there.n_iter_)


def test_rows_in_an_order_are_refused_by_name():
    with using(ProcessEngine), pytest.raises(ValueError, match="stochastic gradient descent needs"):
        ls.LinearRegression(solver="stochastic").fit(EVEN, NUMBERS)


GROUPS = np.digitize(NUMBERS + rng.normal(size=240), [-2, 2])
LOGISTIC = {
    "newton": (ls.LogisticRegression(), SIGNS),
    "newton, C": (ls.LogisticRegression(C=0.3, solver="newton"), SIGNS),
    "no intercept": (ls.LogisticRegression(fit_intercept=False), SIGNS),
    "trust region": (ls.LogisticRegression(solver="trust-region"), SIGNS),
    "L-BFGS": (ls.LogisticRegression(solver="lbfgs"), SIGNS),
    "likelihood": (ls.LogisticRegression(penalty=None), SIGNS),
    "Firth": (ls.LogisticRegression(penalty="firth"), SIGNS),
    "softmax": (ls.LogisticRegression(), GROUPS),
    "softmax, likelihood": (ls.LogisticRegression(C=np.inf, reference=1), GROUPS),
    "one against the rest": (ls.LogisticRegression(multi_class="ovr"), GROUPS),
    "pairs": (ls.LogisticRegression(multi_class="ovo", C=np.inf), GROUPS),
}


@pytest.mark.share(9)
@WAYS
@pytest.mark.parametrize("name", LOGISTIC)
def test_logistic_regression(name, container, weighted):
    model, y = LOGISTIC[name]
    X = container(FEATURES)
    here, there = in_both(model, X, y, WEIGHTS if weighted else None)
    # L-BFGS ends where values no longer tell points apart: half the digits of the weights.
    same(here, there, digits=7 if model.solver == "lbfgs" else 12)
    for claim in ("primal", "gap"):
        ours, theirs = (getattr(model.certificate_, claim) or 0.0 for model in (here, there))
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9 * abs(here.certificate_.primal))


FAR = np.where(np.median(NUMBERS) < NUMBERS, "yes", "no")
RULES = {
    "separable": (ls.Perceptron(rule="batch"), EVEN + (FAR == "yes")[:, None], FAR),
    "three classes": (ls.Perceptron(rule="batch", multi_class="ovo"), EVEN, LABELS),
    "averaged": (ls.Perceptron(rule="batch", output="averaged"), EVEN, SIGNS),
    "pocket": (ls.Perceptron(rule="batch", output="pocket", fit_intercept=False), EVEN, SIGNS),
    "scaled": (ls.Perceptron(rule="batch"), 1e145 * EVEN, SIGNS),
}


@pytest.mark.share(4)
@WAYS
@pytest.mark.filterwarnings("ignore:Perceptron stopped")
@pytest.mark.parametrize("name", RULES)
def test_perceptron(name, container, weighted):
    model, X, y = RULES[name]
    model = clone(model).set_params(max_iter=50)
    here, there = in_both(model, container(X), y, WEIGHTS if weighted else None)
    same(here, there)
    assert here.n_updates_ == there.n_updates_


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("y", [SIGNS, LABELS], ids=["two classes", "three"])
def test_evaluation(y, weighted):
    scores = ls.GaussianNaiveBayes().fit(EVEN, y).predict_proba(EVEN)
    words = {"scores": scores, "sample_weight": WEIGHTS if weighted else None}
    here = ls.evaluate(y, **words)
    with using(ProcessEngine):
        there = ls.evaluate(y, **words)
    np.testing.assert_allclose(here.confusion_matrix, there.confusion_matrix, rtol=1e-14)
    for name in ("log_loss", "brier_score", "roc_auc"):
        np.testing.assert_allclose(getattr(here, name), getattr(there, name), rtol=1e-13)


@pytest.mark.parametrize(
    "model",
    [ls.FisherDiscriminant(), ls.GaussianNaiveBayes(), ls.LogisticRegression(), ls.LinearSVC()],
)
def test_scores(model):
    model = model.fit(EVEN, LABELS)
    with using(ProcessEngine):
        there = model.score(EVEN, LABELS)
    assert there == model.score(EVEN, LABELS)
